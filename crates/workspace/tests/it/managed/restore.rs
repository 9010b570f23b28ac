//! Going back to a checkpoint, and what stays.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::time::SystemTime;

use workspace::managed::RestoreRequest;

use super::world::{World, create, delete, git, make, rename, replace, world};

fn modified(world: &World, path: &str) -> (u64, SystemTime) {
    let meta = fs::symlink_metadata(world.path(path)).unwrap();
    (meta.ino(), meta.modified().unwrap())
}

#[test]
fn the_files_are_as_they_were() {
    let world = world(&["a", "d/x", "d/y", "same", "run", "empty/"]);
    let set = |path: &str, mode| {
        fs::set_permissions(world.path(path), fs::Permissions::from_mode(mode)).unwrap();
    };
    set("run", 0o755);
    let first = world.apply(&[make("first")]).unwrap().checkpoint;
    let tree = world.tree();
    let same = modified(&world, "same");
    world
        .apply(&[
            replace("a", "a", "b"),
            rename("d", "e"),
            delete("run", "run"),
            create("new/file", "new"),
        ])
        .unwrap();
    let later = world.tree();
    let restored = world.restore_to(&first[..9].to_uppercase());
    assert!(restored.left_in_place.is_empty());
    let mut now = world.tree();
    // Empty folders are nobody's to remove: those that the change made stay.
    assert_eq!(now.remove("e"), Some(None));
    assert_eq!(now.remove("new"), Some(None));
    assert_eq!(now, tree);
    let mode = fs::metadata(world.path("run")).unwrap().mode();
    assert_ne!(mode & 0o111, 0);
    assert_eq!(modified(&world, "same"), same);
    let history = world.history();
    assert_eq!(
        history[..2],
        [
            format!("restored to {}", first[..9].to_uppercase()),
            "pre-restore checkpoint".to_owned()
        ]
    );
    world.check();
    let listed = |id: &str| git(&world.root(), &["ls-tree", "-r", id]);
    assert_eq!(listed("HEAD"), listed(&first));
    // And forth again, by the checkpoint before it.
    world.restore_to(&restored.pre_restore_checkpoint.unwrap());
    let mut now = world.tree();
    assert_eq!(now.remove("d"), Some(None));
    assert_eq!(now, later);
    world.check();
}

#[test]
fn what_others_made_stays_unless_it_is_asked_for() {
    let world = world(&["a"]);
    let first = world.head();
    world.write("out/big.csv", "mine");
    world
        .apply(&[replace("a", "a", "b"), create("n", "x")])
        .unwrap();
    world.write("late", "mine too");
    let request = RestoreRequest {
        checkpoint: &first,
        dry_run: true,
        ..RestoreRequest::default()
    };
    let before = (world.tree(), world.history());
    let told = world.restore(&request).unwrap();
    let would: Vec<_> = told
        .would_change
        .iter()
        .map(|one| (one.action(), one.path.as_str()))
        .collect();
    assert_eq!(would, [("write", "a"), ("delete", "n")]);
    assert_eq!(told.left_in_place, ["late", "out/big.csv"]);
    assert_eq!((world.tree(), world.history()), before);
    let done = world.restore_to(&first);
    assert_eq!(done.left_in_place, ["late", "out/big.csv"]);
    assert_eq!(world.read("a"), "a");
    assert_eq!(world.read("out/big.csv"), "mine");
    assert!(!world.path("n").exists());
    world.check();
    let request = RestoreRequest {
        checkpoint: &first,
        exact: true,
        ..RestoreRequest::default()
    };
    let done = world.restore(&request).unwrap();
    assert!(done.left_in_place.is_empty());
    assert!(!world.path("late").exists());
    let kept = git(
        &world.root(),
        &[
            "show",
            &format!("{}:late", done.pre_restore_checkpoint.unwrap()),
        ],
    );
    assert_eq!(kept, "mine too");
    world.check();
}

#[test]
fn only_some_paths() {
    let world = world(&["a", "b", "d/x"]);
    let first = world.head();
    let all = [
        replace("a", "a", "2"),
        replace("b", "b", "2"),
        replace("d/x", "d/x", "2"),
        create("d/new", "2"),
    ];
    world.apply(&all).unwrap();
    let request = RestoreRequest {
        checkpoint: &first,
        paths: vec!["a", "d"],
        ..RestoreRequest::default()
    };
    world.restore(&request).unwrap();
    assert_eq!(world.read("a"), "a");
    assert_eq!(world.read("b"), "2");
    assert_eq!(world.read("d/x"), "d/x");
    assert!(!world.path("d/new").exists());
    world.check();
    let request = RestoreRequest {
        checkpoint: &first,
        paths: vec!["../x"],
        ..RestoreRequest::default()
    };
    world.restore(&request).unwrap_err();
}

#[test]
fn a_file_and_a_folder_change_places() {
    let world = world(&["file", "folder/x"]);
    let first = world.head();
    world
        .apply(&[
            rename("file", "t"),
            rename("folder", "file"),
            rename("t", "folder"),
            create("file/y/z", "new"),
        ])
        .unwrap();
    let second = world.head();
    let tree = world.tree();
    world.restore_to(&first);
    assert_eq!(world.read("file"), "file");
    assert_eq!(world.read("folder/x"), "folder/x");
    world.check();
    world.restore_to(&second);
    assert_eq!(world.tree(), tree);
    world.check();
}

#[test]
fn what_became_a_link_is_left_in_place() {
    let world = world(&["a", "d/x"]);
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("x"), "outside").unwrap();
    let first = world.head();
    fs::remove_file(world.path("a")).unwrap();
    symlink(outside.path().join("x"), world.path("a")).unwrap();
    fs::remove_dir_all(world.path("d")).unwrap();
    symlink(outside.path(), world.path("d")).unwrap();
    let done = world.restore_to(&first);
    assert_eq!(done.left_in_place, ["a", "d/x"]);
    let kept = fs::read_to_string(outside.path().join("x")).unwrap();
    assert_eq!(kept, "outside");
}
