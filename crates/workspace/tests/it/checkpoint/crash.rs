//! Processes that are killed, and several at once.

use std::hint::spin_loop;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use workspace::Cancel;

use super::world::{World, open_with, options, rel};
use crate::process::{Task, say, task};

fn n_kills() -> u32 {
    if std::env::var_os("WORKSPACE_MCP_SOAK").is_some() {
        400
    } else {
        30
    }
}

/// Makes checkpoints without end, large ones and small ones, and prunes now and then.
pub(crate) fn checkpoint_for_ever(dir: &Path) {
    let open = open_with(dir, options()).unwrap();
    let cancel = Cancel::never();
    let start = open.messages().len();
    for n in start.. {
        let guard = open.guard();
        let id = open
            .repository
            .commit("pre-change checkpoint", &guard, &cancel)
            .unwrap();
        say(&id.to_string());
        let n_files = if n % 5 == 0 { 100 } else { 3 };
        let paths: Vec<String> = (0..n_files)
            .map(|file| format!("d{}/{file}", file % 4))
            .collect();
        for path in &paths {
            std::fs::create_dir_all(dir.join(path).parent().unwrap()).unwrap();
            std::fs::write(dir.join(path), format!("{path} {n}\n").repeat(20)).unwrap();
        }
        let paths: Vec<_> = paths.iter().map(|path| rel(path)).collect();
        let made = open
            .repository
            .commit_paths("post-change checkpoint", &paths, &guard, &cancel);
        say(&made.unwrap().to_string());
        if n % 3 == 0 {
            open.repository.prune(Some(12), &guard, &cancel).unwrap();
        }
    }
}

#[test]
fn a_killed_process_leaves_a_whole_history() {
    let world = World::with(&["a"]);
    let mut random = 7_u32;
    for _ in 0..n_kills() {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let mut task = Task::start(task("checkpoint-for-ever", &world.root()));
        let mut last = None;
        for _ in 0..random >> 29 {
            last = task.next();
        }
        let moment = Instant::now() + Duration::from_micros(u64::from(random >> 8 & 0x7fff));
        while Instant::now() < moment {
            spin_loop();
        }
        last = task.kill().pop().or(last);
        // Before anything is opened again: what was said is there, and git finds no fault.
        if world.path(".git").exists() {
            world.fsck();
        }
        let open = world.open();
        if let Some(last) = last {
            open.repository.find(&last).unwrap();
        }
        world.fsck();
        open.commit("next");
        assert_eq!(open.status(), [""; 0]);
        assert_eq!(world.git(&["status", "--porcelain"]), "");
        let left = |folder: &str| {
            let names = std::fs::read_dir(world.path(folder)).unwrap();
            names
                .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                .filter(|name| name.starts_with("tmp_") || name.starts_with(".workspace-mcp-tmp"))
                .collect::<Vec<_>>()
        };
        for folder in [
            "",
            ".git",
            ".git/objects",
            ".git/objects/pack",
            ".git/refs/heads",
        ] {
            assert_eq!(left(folder), [""; 0], "{folder}");
        }
    }
}

/// Makes twenty checkpoints, beside another process that does the same.
pub(crate) fn checkpoint_twenty_times(dir: &Path) {
    let open = open_with(dir, options()).unwrap();
    let me = std::process::id();
    for n in 0..20 {
        let guard = open.guard();
        let path = format!("{me}/{n}");
        std::fs::create_dir_all(dir.join(me.to_string())).unwrap();
        std::fs::write(dir.join(&path), "x").unwrap();
        let cancel = Cancel::never();
        open.repository
            .commit_paths("one of many", &[rel(&path)], &guard, &cancel)
            .unwrap();
    }
}

#[test]
fn two_processes_share_one_history() {
    let world = World::with(&["a"]);
    world.open();
    let tasks = [(); 2].map(|()| Task::start(task("checkpoint-twenty-times", &world.root())));
    for task in tasks {
        assert!(task.finish().1);
    }
    let open = world.open();
    assert_eq!(open.messages().len(), 41);
    assert_eq!(world.ls_tree().len(), 41);
    assert_eq!(open.status(), [""; 0]);
    assert_eq!(world.git(&["status", "--porcelain"]), "");
    world.fsck();
}

#[test]
fn threads_share_one_history() {
    let world = World::with(&["a"]);
    let open = Arc::new(world.open());
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let (open, world) = (&open, &world);
            scope.spawn(move || {
                let path = format!("made by {thread}");
                world.write(&path, "x");
                open.commit_paths("one of eight", &[&path]);
                open.repository.history(3).unwrap();
            });
        }
    });
    assert_eq!(open.messages().len(), 9);
    assert_eq!(open.status(), [""; 0]);
    world.fsck();
}
