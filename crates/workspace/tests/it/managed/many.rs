//! Many calls at once, from threads and from processes.

use std::path::Path;

use workspace::Cancel;
use workspace::managed::{Managed, Options};

use super::world::{check_repository, create, edit, world};
use crate::process::{Task, say, task};

#[test]
fn eight_at_once_all_succeed() {
    let world = world(&["a"]);
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|n| {
                let world = &world;
                scope.spawn(move || world.apply(&[create(&format!("d/{n}"), "x")]))
            })
            .collect();
        for thread in threads {
            thread.join().unwrap().unwrap();
        }
    });
    assert_eq!(world.tree().len(), 10);
    assert_eq!(world.history().len(), 17);
    world.check();
}

/// Adds lines to a file that another process changes as well, and files of its own.
pub(crate) fn work(dir: &Path) {
    let (managed, _) = Managed::start(Options::new(dir), &Cancel::never()).unwrap();
    let me = std::process::id();
    let cancel = Cancel::never();
    for n in 0..10 {
        let path = format!("{me}-{n}");
        managed
            .apply_changes(&[create(&path, "x")], &cancel)
            .unwrap();
        loop {
            let shared = std::fs::read_to_string(dir.join("shared")).unwrap();
            let add = edit("shared", &shared, "end", &format!("{path}\nend"));
            match managed.apply_changes(&[add], &cancel) {
                Ok(_) => break,
                Err(error) => {
                    let changed = error.code == workspace::managed::Code::HashMismatch;
                    assert!(changed, "{error}");
                }
            }
        }
    }
    say("done");
}

#[test]
fn two_servers_on_one_folder_lose_nothing() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path();
    std::fs::write(dir.join("shared"), "end").unwrap();
    let tasks = [(); 2].map(|()| Task::start(task("managed-work", dir)));
    for task in tasks {
        let (said, well) = task.finish();
        assert!(well, "{said:?}");
    }
    let shared = std::fs::read_to_string(dir.join("shared")).unwrap();
    assert_eq!(shared.lines().count(), 21);
    let (managed, started) = Managed::start(Options::new(dir), &Cancel::never()).unwrap();
    assert!(!started.created);
    assert!(managed.status(&Cancel::never()).unwrap().is_clean());
    let history = managed.history(1000, &Cancel::never()).unwrap();
    assert_eq!(history.len(), 1 + 2 * 40);
    check_repository(dir);
}
