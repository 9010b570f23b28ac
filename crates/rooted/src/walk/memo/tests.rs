use std::fs;
use std::path::Path;
use std::sync::Arc;

use super::super::{WalkOptions, Walked, walk_anew};
use crate::rel_path::RelPath;
use crate::root::{Mode, Root};

/// Walks as `walk` does, taking every time for long ago; says whether the walk was remembered.
fn walk(root: &Root, options: &WalkOptions) -> (Arc<Walked>, bool) {
    let start = options.start.clone();
    let mut begun = match root.memos.find(root, &start, options) {
        Ok(walked) => return (walked, true),
        Err(begun) => begun,
    };
    begun.started_ns = i128::MAX;
    let (walked, folders) = walk_anew(root, start, options).expect("a folder");
    let walked = Arc::new(walked);
    root.memos.keep(root, begun, &walked, &folders);
    (walked, false)
}

fn names(walked: &Walked) -> Vec<String> {
    walked
        .entries
        .iter()
        .map(|entry| entry.path.to_string())
        .collect()
}

/// Changes something over and over until the clock of the file system has moved on.
fn change(of: &Path, mut once: impl FnMut()) {
    let times = || {
        fs::metadata(of)
            .and_then(|meta| meta.modified())
            .expect("it is there")
    };
    let before = times();
    while times() == before {
        once();
    }
}

fn world() -> (tempfile::TempDir, Root) {
    let temp = tempfile::tempdir().expect("a temp folder");
    fs::create_dir_all(temp.path().join("d/e")).expect("folders");
    fs::write(temp.path().join("d/e/f"), "").expect("a file");
    fs::write(temp.path().join(".gitignore"), "*.log\n").expect("a file");
    let root = Root::open(temp.path(), Mode::FOLLOW).expect("a root");
    (temp, root)
}

#[test]
fn a_walk_is_remembered_until_a_name_changes_anywhere() {
    let (temp, root) = world();
    if !root.keeps_times() {
        return;
    }
    let start = RelPath::root();
    let options = WalkOptions::new(&start);
    let (first, remembered) = walk(&root, &options);
    assert!(!remembered);
    let (again, remembered) = walk(&root, &options);
    assert!(remembered && Arc::ptr_eq(&first, &again));
    let other = WalkOptions {
        files_only: true,
        ..options
    };
    assert!(!walk(&root, &other).1, "another question is another walk");

    let folder = temp.path().join("d/e");
    let mut n = 0;
    change(&folder, || {
        n += 1;
        fs::write(folder.join(format!("g{n}")), "").expect("a file");
    });
    let (now, remembered) = walk(&root, &options);
    assert!(!remembered);
    assert!(names(&now).contains(&format!("d/e/g{n}")));
    assert!(walk(&root, &options).1);
    change(&folder, || {
        let _ = fs::remove_file(folder.join("f"));
        fs::write(folder.join("x"), "").expect("a file");
        fs::remove_file(folder.join("x")).expect("removed");
    });
    assert!(!names(&walk(&root, &options).0).contains(&"d/e/f".to_owned()));
}

#[test]
fn changed_ignore_rules_are_seen_though_no_name_changes() {
    let (temp, root) = world();
    if !root.keeps_times() {
        return;
    }
    fs::write(temp.path().join("d/a.log"), "").expect("a file");
    let start = RelPath::from_bytes(b"d").expect("a path");
    let options = WalkOptions::new(&start);
    assert_eq!(names(&walk(&root, &options).0), ["d/e", "d/e/f"]);
    assert!(walk(&root, &options).1);
    let rules = temp.path().join(".gitignore");
    change(&rules, || {
        fs::write(&rules, "# none now\n").expect("a file");
    });
    assert_eq!(names(&walk(&root, &options).0), ["d/a.log", "d/e", "d/e/f"]);
    assert!(walk(&root, &options).1);
    // Rules that are new in a folder above count as well.
    change(temp.path(), || {
        fs::write(temp.path().join(".ignore"), "f\n").expect("a file");
    });
    assert_eq!(names(&walk(&root, &options).0), ["d/a.log", "d/e"]);
}

#[test]
fn what_changed_lately_is_not_remembered() {
    let (_temp, root) = world();
    let start = RelPath::root();
    let options = WalkOptions::new(&start);
    let first = super::super::walk(&root, &options).expect("a folder");
    let again = super::super::walk(&root, &options).expect("a folder");
    assert!(!Arc::ptr_eq(&first, &again));
}

#[test]
fn a_folder_swapped_for_another_is_another() {
    let (temp, root) = world();
    if !root.keeps_times() {
        return;
    }
    let start = RelPath::from_bytes(b"d/e").expect("a path");
    let options = WalkOptions {
        include_ignored: true,
        ..WalkOptions::new(&start)
    };
    walk(&root, &options);
    assert!(walk(&root, &options).1);
    fs::create_dir(temp.path().join("d/new")).expect("a folder");
    fs::rename(temp.path().join("d/e"), temp.path().join("old")).expect("renamed");
    fs::rename(temp.path().join("d/new"), temp.path().join("d/e")).expect("renamed");
    let (now, remembered) = walk(&root, &options);
    assert!(!remembered);
    assert_eq!(names(&now), [] as [&str; 0]);
}
