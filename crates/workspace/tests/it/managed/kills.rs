//! Processes that are killed in the middle of large changes, of going back, and of recovering.

use std::collections::BTreeSet;
use std::fs;
use std::hint::spin_loop;
use std::path::Path;
use std::time::{Duration, Instant};

use workspace::Cancel;
use workspace::managed::{Managed, Operation, Options, RestoreRequest};

use super::world::{check_repository, create, delete, delete_folder, rename, replace};
use crate::process::{Task, say, task};

/// Files that change their content each time.
const FILES: usize = 46;

fn n_kills() -> u32 {
    match std::env::var("WORKSPACE_MCP_SOAK") {
        Ok(_) => 400,
        Err(_) => 12,
    }
}

fn content(version: u64) -> String {
    format!("version {version}\n").repeat(150)
}

fn start(dir: &Path) -> Managed {
    let (managed, started) = Managed::start(Options::new(dir), &Cancel::never()).unwrap();
    assert_eq!(started.n_pending, 0);
    managed
}

/// The changes from one version to the next: fifty files and folders.
fn operations(from: u64, to: u64) -> Vec<Operation> {
    let mut all = Vec::new();
    for n in 0..FILES {
        all.push(replace(&format!("f{n}"), &content(from), &content(to)));
    }
    all.insert(10, rename(&format!("dir-{from}"), &format!("dir-{to}")));
    all.insert(20, create(&format!("made-{to}/x"), &content(to)));
    all.push(delete(&format!("made-{from}/x"), &content(from)));
    all.push(delete_folder(&format!("made-{from}")));
    all
}

fn prepare(dir: &Path) {
    for n in 0..FILES {
        fs::write(dir.join(format!("f{n}")), content(1)).unwrap();
    }
    for (folder, files) in [("dir-1", 0..3), ("made-1", 0..0)] {
        fs::create_dir(dir.join(folder)).unwrap();
        for n in files {
            fs::write(dir.join(folder).join(format!("g{n}")), "stays").unwrap();
        }
    }
    fs::write(dir.join("untouched"), "untouched").unwrap();
    // What a change makes is the server's to remove when it goes back.
    let managed = start(dir);
    let first = [create("made-1/x", &content(1))];
    managed.apply_changes(&first, &Cancel::never()).unwrap();
}

/// Which version all files have.
fn version(dir: &Path) -> u64 {
    let read = |path: &str| fs::read_to_string(dir.join(path)).unwrap();
    let first = read("f0");
    let n: u64 = first
        .lines()
        .next()
        .and_then(|line| line.strip_prefix("version "))
        .and_then(|n| n.parse().ok())
        .unwrap();
    for file in 0..FILES {
        assert!(
            read(&format!("f{file}")) == content(n),
            "f{file} is not {n}"
        );
    }
    for file in 0..3 {
        assert_eq!(read(&format!("dir-{n}/g{file}")), "stays");
    }
    assert!(read(&format!("made-{n}/x")) == content(n));
    assert_eq!(read("untouched"), "untouched");
    // No file of any other version is there.
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(dir).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        if name.starts_with("dir-") || name.starts_with("made-") {
            for inner in fs::read_dir(entry.path()).unwrap() {
                inner.unwrap();
                found.insert(name.clone());
            }
        }
    }
    let want = [format!("dir-{n}"), format!("made-{n}")];
    assert!(found.iter().eq(&want), "{found:?} at {n}");
    n
}

/// Goes from version to version, and now and then back; tells before and after each.
pub(crate) fn change_for_ever(dir: &Path) {
    let managed = start(dir);
    let cancel = Cancel::never();
    let mut now = version(dir);
    let mut last: Option<(u64, String)> = None;
    let mut newest = now;
    for entry in fs::read_dir(dir).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let n = name.split_once('-').and_then(|(_, n)| n.parse().ok());
        newest = newest.max(n.unwrap_or(0));
    }
    loop {
        newest += 1;
        say(&format!("doing {now} {newest}"));
        let done = managed.apply_changes(&operations(now, newest), &cancel);
        let done = done.unwrap();
        let before = (now, done.pre_checkpoint);
        now = newest;
        say(&format!("done {now}"));
        if let Some((version, checkpoint)) = last.take() {
            say(&format!("doing {now} {version}"));
            let request = RestoreRequest {
                checkpoint: &checkpoint,
                ..RestoreRequest::default()
            };
            managed.restore(&request, &cancel).unwrap();
            now = version;
            say(&format!("done {now}"));
        } else {
            last = Some(before);
        }
    }
}

/// The versions that may be on the disk after these lines.
fn possible(line: &str, allowed: &mut Vec<u64>) {
    let numbers = line.split(' ').skip(1).map(|n| n.parse().unwrap());
    *allowed = numbers.collect();
}

#[test]
fn a_killed_server_leaves_the_old_or_the_new_in_files_and_history() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path();
    prepare(dir);
    let mut random = 7_u32;
    let mut next = move || {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        random >> 8
    };
    let (mut n_undone, mut n_finished, mut n_new) = (0, 0, 0);
    let untouched = fs::metadata(dir.join("untouched")).unwrap().modified();
    let untouched = untouched.unwrap();
    let mut allowed = vec![1];
    let mut typical = Duration::from_millis(100);
    for kill in 0..n_kills() {
        let mut child = Task::start(task("managed-for-ever", dir));
        let n_lines = next() % 6;
        for _ in 0..=n_lines {
            let said = Instant::now();
            let line = child.next().unwrap();
            if line.starts_with("done") {
                typical = (typical + said.elapsed()) / 2;
            }
            possible(&line, &mut allowed);
        }
        // Somewhere within what it does next.
        let share = f64::from(next() % 1000) / 900.0;
        let moment = Instant::now() + typical.mul_f64(share);
        while Instant::now() < moment {
            spin_loop();
        }
        for line in child.kill() {
            possible(&line, &mut allowed);
        }
        if next() % 4 == 0 {
            // One that is killed while it recovers, or soon after, or before it has begun.
            let child = Task::start(task("managed-for-ever", dir));
            let moment = Instant::now() + Duration::from_micros(u64::from(next() % 60_000));
            while Instant::now() < moment {
                spin_loop();
            }
            for line in child.kill() {
                possible(&line, &mut allowed);
            }
        }
        let options = Options::new(dir);
        let (managed, started) = Managed::start(options, &Cancel::never()).unwrap();
        assert_eq!(started.n_pending, 0);
        n_undone += started.n_undone;
        n_finished += started.n_finished;
        let found = version(dir);
        assert!(allowed.contains(&found), "{found}, not {allowed:?}");
        n_new += usize::from(allowed.len() > 1 && allowed.last() == Some(&found));
        allowed = vec![found];
        let status = managed.status(&Cancel::never()).unwrap();
        assert!(status.is_clean(), "{status:?}");
        let history = managed.history(2, &Cancel::never()).unwrap();
        let is_tip = |message: &str| !message.starts_with("pre-") || started.n_finished == 0;
        assert!(is_tip(&history[0].message), "{history:?}");
        if kill % 8 == 0 {
            check_repository(dir);
        }
        let meta = fs::metadata(dir.join("untouched")).unwrap();
        assert_eq!(meta.modified().unwrap(), untouched);
    }
    check_repository(dir);
    eprintln!(
        "of {} kills {n_undone} were taken back, {n_finished} finished, {n_new} left the new state",
        n_kills()
    );
}
