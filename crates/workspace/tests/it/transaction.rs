//! Changes of one and of several files, and what stops them.

use std::fs;

use rooted::Durability;
use workspace::Error;

use crate::world::{World, leftovers};

#[test]
fn files_are_made_with_their_folders_and_replaced() {
    let temp = tempfile::tempdir().expect("a temp folder");
    let world = World::open(temp.path());
    let made = world.write("a/b/c", "one").expect("room");
    assert!(made.created && !made.attributes_lost && !made.written_in_place);
    assert_eq!((made.path.to_string(), made.len), ("a/b/c".to_owned(), 3));
    let changed = world.write("a/b/c", "three").expect("room");
    assert!(!changed.created && !changed.was_hard_linked);
    assert_eq!(
        fs::read(temp.path().join("a/b/c")).expect("a file"),
        b"three"
    );
    assert_eq!(leftovers(temp.path()), Vec::<std::path::PathBuf>::new());
}

#[test]
fn changes_can_be_flushed_to_the_disk() {
    let temp = tempfile::tempdir().expect("a temp folder");
    let mut world = World::open(temp.path());
    world.durability = Durability::Power;
    let new = |_: &[u8]| b"new".to_vec();
    for _ in 0..2 {
        world.change(&[("a/b", &new), ("c", &new)]).expect("room");
        world.write("c", "other").expect("room");
        world.append("log", "line\n").expect("room");
    }
    for (name, want) in [("a/b", "new"), ("c", "other"), ("log", "line\nline\n")] {
        let text = fs::read_to_string(temp.path().join(name)).expect("a file");
        assert_eq!(text, want);
    }
    assert_eq!(leftovers(temp.path()), Vec::<std::path::PathBuf>::new());
}

#[test]
fn an_append_starts_on_its_own_line() {
    let temp = tempfile::tempdir().expect("a temp folder");
    let world = World::open(temp.path());
    for (before, added, want) in [("", 2, "x\n"), ("a\n", 2, "a\nx\n"), ("a", 3, "a\nx\n")] {
        fs::write(temp.path().join("log"), before).expect("a file");
        let appended = world.append("log", "x\n").expect("room");
        assert_eq!((appended.added, appended.len), (added, want.len() as u64));
        let log = fs::read_to_string(temp.path().join("log")).expect("a file");
        assert_eq!(log, want);
    }
    assert_eq!(leftovers(temp.path()), Vec::<std::path::PathBuf>::new());
}

// A save over a file that is open, which Windows may refuse.
#[cfg(unix)]
#[test]
fn one_conflict_takes_everything_back() {
    let temp = tempfile::tempdir().expect("a temp folder");
    let path = temp.path();
    for name in ["a", "b", "c"] {
        fs::write(path.join(name), "old").expect("a file");
    }
    let world = World::open(path);
    let new = |_: &[u8]| b"new".to_vec();
    // Another program saves while the last file is being edited.
    let save = |_: &[u8]| {
        fs::write(path.join("b~"), "saved").expect("room");
        fs::rename(path.join("b~"), path.join("b")).expect("a save");
        b"new".to_vec()
    };
    let error = world
        .change(&[("x/y", &new), ("a", &new), ("b", &new), ("c", &save)])
        .expect_err("b was saved meanwhile");
    assert_eq!(
        error.to_string(),
        "file is being changed by another process: b"
    );
    for (name, want) in [("a", "old"), ("b", "saved"), ("c", "old")] {
        assert_eq!(fs::read_to_string(path.join(name)).expect("a file"), want);
    }
    fs::symlink_metadata(path.join("x")).expect_err("the folder was removed again");
    assert_eq!(leftovers(path), Vec::<std::path::PathBuf>::new());
}

#[test]
fn a_file_that_appeared_is_not_overwritten() {
    let temp = tempfile::tempdir().expect("a temp folder");
    let world = World::open(temp.path());
    let make = |_: &[u8]| {
        fs::write(temp.path().join("a"), "theirs").expect("room");
        b"ours".to_vec()
    };
    let error = world.change(&[("a", &make)]).expect_err("it is there now");
    assert!(matches!(error, Error::KeepsChanging(_)), "{error}");
    assert_eq!(fs::read(temp.path().join("a")).expect("a file"), b"theirs");
}

#[test]
fn threads_lose_no_edit() {
    let temp = tempfile::tempdir().expect("a temp folder");
    let world = World::open(temp.path());
    let add = |old: &[u8]| [old, b"line\n"].concat();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..25 {
                    world.change(&[("a", &add), ("d/b", &add)]).expect("room");
                }
            });
        }
    });
    for name in ["a", "d/b"] {
        let text = fs::read_to_string(temp.path().join(name)).expect("a file");
        assert_eq!(text.lines().count(), 100);
    }
}

#[cfg(unix)]
#[test]
fn names_that_are_too_long_are_told_of() {
    let temp = tempfile::tempdir().expect("a temp folder");
    let world = World::open(temp.path());
    let name = "n".repeat(300);
    let error = world.write(&name, "x").expect_err("too long");
    assert_eq!(error.to_string(), format!("name too long: {name}"));
    fs::write(temp.path().join("f"), "").expect("a file");
    assert!(world.write("f/g", "x").is_err());
    assert_eq!(leftovers(temp.path()), Vec::<std::path::PathBuf>::new());
}

#[cfg(unix)]
#[test]
fn hard_links_are_split_and_said() {
    let temp = tempfile::tempdir().expect("a temp folder");
    fs::write(temp.path().join("a"), "old").expect("a file");
    fs::hard_link(temp.path().join("a"), temp.path().join("b")).expect("a second name");
    let world = World::open(temp.path());
    assert!(world.write("a", "new").expect("room").was_hard_linked);
    assert!(!world.write("a", "newer").expect("room").was_hard_linked);
    assert_eq!(fs::read(temp.path().join("b")).expect("a file"), b"old");
}

#[cfg(unix)]
#[test]
fn a_dangling_link_inside_makes_its_target() {
    let temp = tempfile::tempdir().expect("a temp folder");
    std::os::unix::fs::symlink("d/target", temp.path().join("link")).expect("a link");
    let world = World::open(temp.path());
    let made = world.write("link", "new").expect("room");
    assert_eq!(made.path.to_string(), "d/target");
    world.write("link", "newer").expect("room");
    assert_eq!(
        fs::read(temp.path().join("d/target")).expect("a file"),
        b"newer"
    );
    let link = fs::symlink_metadata(temp.path().join("link")).expect("the link");
    assert!(link.file_type().is_symlink());
}
