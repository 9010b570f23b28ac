//! What checkpoints of a large folder cost, beside plain git. Measures only in a soak run, in release.

use std::fs;
use std::time::{Duration, Instant};

use rooted::Durability;
use workspace::Cancel;

use super::world::{World, open_with, options};

/// Folders, and files in each.
const TREE: (usize, usize) = (1000, 20);

/// A file that looks like source text, of about 2 KB.
fn source(n: usize) -> String {
    let mut random = u32::try_from(n).unwrap().wrapping_mul(2_654_435_761) | 1;
    let mut text = String::with_capacity(2100);
    while text.len() < 2000 {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let (a, b) = (random >> 20, random >> 8 & 0xfff);
        text.push_str(&format!("    let value_{a} = table.look_up({b}) + {n};\n"));
    }
    text
}

fn timed<T>(name: &str, run: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    let done = run();
    let took = start.elapsed();
    eprintln!("{name:40} {:8.1} ms", took.as_secs_f64() * 1000.0);
    (done, took)
}

/// The most memory that this process has used, in MiB.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kib.unwrap_or(0) / 1024
}

#[test]
fn a_small_change_costs_little() {
    let is_soak = std::env::var_os("WORKSPACE_MCP_SOAK").is_some();
    let (n_folders, n_files) = if is_soak { TREE } else { (20, 5) };
    let (ours, gits) = (World::new(), World::new());
    for world in [&ours, &gits] {
        for folder in 0..n_folders {
            for file in 0..n_files {
                let path = format!("dir{}/dir{folder}/file{file}.rs", folder % 30);
                world.write(&path, source(folder * n_files + file));
            }
        }
    }
    let options = || workspace::checkpoint::Options {
        durability: Durability::Power,
        ..options()
    };
    let before = peak();
    let (open, _) = timed("first start", || {
        open_with(&ours.root(), options()).unwrap()
    });
    eprintln!("peak memory {} MiB (before: {before})", peak());
    drop(open);
    let (open, _) = timed("later start", || {
        open_with(&ours.root(), options()).unwrap()
    });
    for _ in 0..3 {
        timed("status", || assert!(open.status().is_empty()));
    }
    let mut changes = Vec::new();
    for n in 0..5 {
        let path = "dir3/dir3/file1.rs";
        let ((), took) = timed("small change: pre, post", || {
            let cancel = Cancel::never();
            let guard = open.guard();
            open.repository
                .commit("pre-change checkpoint", &guard, &cancel)
                .unwrap();
            ours.write(path, format!("changed {n}\n"));
            let paths = [super::world::rel(path)];
            open.repository
                .commit_paths("post-change checkpoint", &paths, &guard, &cancel)
                .unwrap();
        });
        changes.push(took);
    }
    timed("status", || assert!(open.status().is_empty()));
    for _ in 0..3 {
        timed("checkpoint without a change", || open.commit("same"));
    }
    eprintln!("peak memory {} MiB", peak());
    let round = |message: &str| {
        gits.git(&["-c", "core.fsync=all", "add", "-A"]);
        gits.git(&[
            "-c",
            "core.fsync=all",
            "commit",
            "-q",
            "--allow-empty",
            "-m",
            message,
        ]);
    };
    gits.git(&["init", "-q"]);
    gits.git(&["config", "gc.auto", "0"]);
    // Flushing each of 20,000 new objects takes git minutes, and is not what is compared here.
    timed("git: first round, not flushed", || {
        gits.git(&["add", "-A"]);
        gits.git(&["commit", "-q", "-m", "first"]);
    });
    let mut rounds = Vec::new();
    for n in 0..5 {
        let ((), took) = timed("git: two rounds", || {
            round("pre");
            gits.write("dir3/dir3/file1.rs", format!("changed {n}\n"));
            round("post");
        });
        rounds.push(took);
    }
    changes.sort_unstable();
    rounds.sort_unstable();
    eprintln!(
        "small change: {:.2} of two rounds of git",
        changes[2].as_secs_f64() / rounds[2].as_secs_f64()
    );
    ours.fsck();
}

#[test]
fn many_checkpoints_cost_what_one_does() {
    let is_soak = std::env::var_os("WORKSPACE_MCP_SOAK").is_some();
    // Many folders, and one with so many files that each version of it is large.
    let (n_files, n_checkpoints) = if is_soak { (20_000, 1000) } else { (100, 150) };
    let world = World::new();
    for n in 0..n_files {
        let path = match n % 2 {
            0 => format!("flat/{n}"),
            _ => format!("deep/{}/{}/{n}", n % 31, n % 37),
        };
        world.write(&path, source(n));
    }
    let open = world.open();
    let mut took = Vec::new();
    for n in 0..n_checkpoints {
        let path = match n % 2 {
            0 => format!("flat/{}", 2 * (n % 10)),
            _ => "deep/1/1/1".to_owned(),
        };
        world.write(&path, format!("{n}\n{}", source(n % 10)));
        let start = Instant::now();
        open.commit_paths("post-change checkpoint", &[&path]);
        took.push(start.elapsed());
    }
    took.sort_unstable();
    let at = |part: usize| took[(took.len() - 1) * part / 100].as_secs_f64() * 1000.0;
    eprintln!(
        "{n_checkpoints} checkpoints: median {:.1} ms, 90% {:.1} ms, 99% {:.1} ms, longest {:.1} ms; \
         peak memory {} MiB",
        at(50),
        at(90),
        at(99),
        at(100),
        peak()
    );
    let said = world.git(&["count-objects", "-v"]);
    eprintln!("{}", said.replace('\n', ", "));
    let count = |what: &str| {
        let line = said.lines().find_map(|line| line.strip_prefix(what));
        line.unwrap().trim().parse::<usize>().unwrap()
    };
    assert!(count("count: ") < 520 && count("packs: ") < 22, "{said}");
    assert_eq!(open.status(), [""; 0]);
    world.fsck();
}
