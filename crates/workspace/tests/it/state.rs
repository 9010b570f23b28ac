//! The state folder: made at the first write, private, and never reached through a link.

use std::fs;
use std::sync::Arc;

use rooted::{Durability, Mode, Root};
use workspace::Cancel;
use workspace::lock::Lock;
use workspace::state::State;
use workspace::transaction::recover_if_idle;

use crate::world::World;

#[test]
fn reading_makes_nothing() {
    let temp = tempfile::tempdir().expect("a temp folder");
    let world = World::open(temp.path());
    let opened = world.lock.state().open(&world.root).expect("no fault");
    assert!(opened.is_none());
    recover_if_idle(&world.root, &world.lock).expect("nothing to recover");
    let names = fs::read_dir(temp.path()).expect("a folder");
    assert_eq!(names.count(), 0);
}

#[test]
fn it_ignores_itself() {
    let temp = tempfile::tempdir().expect("a temp folder");
    let world = World::open(temp.path());
    drop(world.enter().expect("room"));
    let ignore = temp.path().join(".workspace-mcp/.gitignore");
    assert_eq!(fs::read(&ignore).expect("a file"), b"*\n");
    fs::write(&ignore, "mine\n").expect("own file");
    drop(World::open(temp.path()).enter().expect("room"));
    assert_eq!(fs::read(&ignore).expect("a file"), b"mine\n");
}

#[test]
fn it_may_live_elsewhere() {
    let temp = tempfile::tempdir().expect("a temp folder");
    let (ws, elsewhere) = (temp.path().join("ws"), temp.path().join("states"));
    fs::create_dir(&ws).expect("a folder");
    fs::create_dir(&elsewhere).expect("a folder");
    let root = Root::open(&ws, Mode::FOLLOW).expect("a root");
    let base = Arc::new(Root::open(&elsewhere, Mode::FOLLOW).expect("a root"));
    let state = State::beneath(base, root.host_path());
    let world = World {
        lock: Lock::new(state, Arc::default()),
        durability: Durability::Kill,
        root,
    };
    world.write("a", "x").expect("room");
    assert_eq!(fs::read_dir(&ws).expect("a folder").count(), 1);
    let made = fs::read_dir(&elsewhere).expect("a folder");
    let names: Vec<_> = made
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    assert_eq!(names.len(), 1);
    assert!(names[0].as_encoded_bytes().starts_with(b"ws-"), "{names:?}");
}

#[cfg(unix)]
#[test]
fn others_cannot_look_into_it() {
    use std::os::unix::fs::PermissionsExt as _;

    let temp = tempfile::tempdir().expect("a temp folder");
    drop(World::open(temp.path()).enter().expect("room"));
    for (name, want) in [
        ("", 0o700),
        ("tx", 0o700),
        ("lock", 0o600),
        (".gitignore", 0o600),
    ] {
        let path = temp.path().join(".workspace-mcp").join(name);
        let mode = fs::metadata(path)
            .expect("it was made")
            .permissions()
            .mode();
        assert_eq!(mode & 0o7777, want, "{name}");
    }
}

// A link in place of the state folder made an earlier server write its journal outside.
#[cfg(unix)]
#[test]
fn planted_links_are_refused() {
    use std::os::unix::fs::symlink;

    for name in ["", "tx", "lock", ".gitignore"] {
        let temp = tempfile::tempdir().expect("a temp folder");
        let (ws, out) = (temp.path().join("ws"), temp.path().join("out"));
        fs::create_dir(&ws).expect("a folder");
        fs::create_dir(&out).expect("a folder");
        if !name.is_empty() {
            fs::create_dir(ws.join(".workspace-mcp")).expect("a folder");
        }
        let target = if name == "lock" || name == ".gitignore" {
            out.join("made")
        } else {
            out.clone()
        };
        let link = ws.join(".workspace-mcp").join(name);
        symlink(target, link.components().as_path()).expect("a link");
        let world = World::open(&ws);
        let entered = world.enter();
        if name == ".gitignore" {
            // Whatever it is, it is there; nothing is written to it.
            drop(entered.expect("room"));
        } else {
            let error = entered.expect_err("it is a link").to_string();
            let shown = format!(".workspace-mcp/{name}");
            assert!(error.ends_with(shown.trim_end_matches('/')), "{error}");
            world
                .write("a", "x")
                .expect_err("no place for recovery data");
        }
        let outside = fs::read_dir(&out).expect("a folder").count();
        assert_eq!(outside, 0, "{name}");
        let _ = world.lock.acquire(&world.root, &Cancel::never());
    }
}
