//! A process that ends after every single step of a change of a tree, and what becomes of it.
#![expect(
    clippy::disallowed_methods,
    reason = "tests build and look at their own trees"
)]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use rooted::{Durability, Mode, RelPath, Root};

use super::entry::{self, Intent};
use super::run::Run;
use super::{Content, StepId, TreeChange, What, forget, noted};
use crate::cancel::Cancel;
use crate::error::Error;
use crate::lock::{Guard, Lock, Queue};
use crate::state::State;
use crate::transaction::intent::{Record, StagedLine};
use crate::transaction::{Recovered, recover};

struct World {
    temp: tempfile::TempDir,
    root: Root,
    lock: Lock,
}

/// What a tree holds: content and time of each file, and each folder.
type Tree = BTreeMap<String, (String, Option<std::time::SystemTime>)>;

fn rel(path: &str) -> RelPath {
    RelPath::from_bytes(path.as_bytes()).expect("a path")
}

fn world(files: &[&str]) -> World {
    let temp = tempfile::tempdir().expect("a temp folder");
    for file in files {
        let path = temp.path().join(file);
        if file.ends_with('/') {
            fs::create_dir_all(path).expect("folders");
        } else {
            fs::create_dir_all(path.parent().expect("beneath the root")).expect("folders");
            fs::write(path, format!("old {file}")).expect("a file");
        }
    }
    let root = Root::open(temp.path(), Mode::NO_LINKS).expect("a root");
    World {
        temp,
        root,
        lock: Lock::new(State::inside(), Arc::<Queue>::default()),
    }
}

impl World {
    fn guard(&self) -> Guard {
        let guard = self.lock.acquire(&self.root, &Cancel::never());
        guard.expect("nobody else holds it")
    }

    fn there(&self, path: &str) -> What {
        What::There(self.root.meta(&rel(path)).expect("it is there"))
    }

    fn replace(&self, change: &mut TreeChange, origin: &str, path: &str) -> StepId {
        let meta = self.root.meta(&rel(origin)).expect("a file");
        let new = Content::Bytes(format!("new {path}").into_bytes());
        change.replace(rel(path), meta, None, new, None)
    }

    fn recover(&self) -> Recovered {
        recover(&self.root, &self.guard()).expect("a readable state folder")
    }

    fn tree(&self) -> Tree {
        let mut tree = Tree::new();
        look(self.temp.path(), "", &mut tree);
        tree
    }

    fn write(&self, path: &str, content: &str) {
        fs::write(self.temp.path().join(path), content).expect("a file");
    }
}

fn look(dir: &Path, prefix: &str, tree: &mut Tree) {
    for entry in fs::read_dir(dir).expect("a folder") {
        let entry = entry.expect("an entry");
        let name = entry.file_name().into_string().expect("text");
        let path = format!("{prefix}{name}");
        let meta = entry.metadata().expect("it is there");
        if meta.is_dir() {
            if prefix != ".workspace-mcp/" {
                tree.insert(format!("{path}/"), (String::new(), None));
            }
            look(&entry.path(), &format!("{path}/"), tree);
        } else if !matches!(
            path.as_str(),
            ".workspace-mcp/lock" | ".workspace-mcp/.gitignore"
        ) {
            let content = fs::read_to_string(entry.path()).expect("text");
            tree.insert(path, (content, meta.modified().ok()));
        }
    }
}

fn never(_: u64) -> Result<Vec<u8>, Error> {
    panic!("nothing is to be fetched")
}

fn bytes(text: &str) -> Content {
    Content::Bytes(text.as_bytes().to_vec())
}

const FILES: [&str; 9] = [
    "a",
    "b",
    "d/x",
    "d/y",
    "d/z/",
    "e/",
    "gone/in/x",
    "gone/y",
    "same",
];

/// One step of each kind, with steps that build on others.
fn everything(world: &World) -> TreeChange {
    let mut change = TreeChange::new(Durability::Kill).with_note("told".to_owned());
    world.replace(&mut change, "a", "a");
    let made = change.make_folder(rel("n"));
    let file = change.create(rel("n/f"), bytes("first"), false);
    change.rewrite(file, b"new n/f".to_vec());
    change.rename(rel("d"), rel("n/d"), world.there("d"));
    world.replace(&mut change, "d/x", "n/d/x");
    change.create(rel("n/d/new"), bytes("new n/d/new"), true);
    change.remove(rel("n/d/y"), world.there("d/y"), None);
    change.remove_folder(rel("e"), world.there("e"));
    change.rename(rel("b"), rel("e"), world.there("b"));
    let over = world.replace(&mut change, "gone/in/x", "gone/in/x");
    change.rename(rel("gone/in/x"), rel("out"), What::Of(over));
    change.remove(rel("gone/y"), world.there("gone/y"), None);
    change.remove_folder(rel("gone/in"), world.there("gone/in"));
    change.remove_folder(rel("gone"), world.there("gone"));
    change.make_folder(rel("b"));
    change.create(rel("b/z"), bytes("new b/z"), false);
    change.rename(rel("n"), rel("m"), What::Of(made));
    change.rename(rel("m/f"), rel("f"), What::Of(file));
    change.create(rel("m/d/z/deep"), bytes("new deep"), false);
    change
}

/// Does a change as far as its step number `n_steps`, and forgets it there.
fn crash_after(n_steps: usize, change: &TreeChange, world: &World) {
    let guard = world.guard();
    let root = world.root.with_mode(Mode::NO_LINKS).expect("the same root");
    let intent = Intent {
        version: entry::VERSION,
        note: change.note.clone(),
        steps: change.entries(),
    };
    let mut line = serde_json::to_vec(&intent).expect("plain data");
    line.push(b'\n');
    let kill = Durability::Kill;
    let mut left = n_steps;
    let mut go_on = move || {
        let go = left > 0;
        left = left.saturating_sub(1);
        go
    };
    if !go_on() {
        return;
    }
    let record = Record::create_of(&guard.state().tx, change.id, &line, kill);
    let mut record = record.expect("room");
    let mut run = Run::new(&root, change.id, &change.steps, &intent.steps, kill);
    for index in 0..change.steps.len() {
        if !go_on() {
            return;
        }
        let staged = run.stage_one(index, &mut never).expect("room");
        run.staged.push(staged);
    }
    if !go_on() {
        return;
    }
    let staged = run.prints();
    record.add(&StagedLine { staged }).expect("room");
    for index in 0..change.steps.len() {
        if !go_on() {
            return;
        }
        run.put_one(index).expect("nobody else writes");
    }
    if go_on() {
        record.commit().expect("a rename");
    }
}

#[test]
fn a_change_is_all_old_or_all_new_wherever_the_process_ends() {
    let n_steps = everything(&world(&FILES)).steps.len();
    // The record, each step staged, the second line, each step put, and then the mark.
    let n_commit = 1 + n_steps + 1 + n_steps + 1;
    for n in 0..=n_commit {
        let world = world(&FILES);
        drop(world.guard());
        let before = world.tree();
        let change = everything(&world);
        crash_after(n, &change, &world);
        let recovered = world.recover();
        assert_eq!(recovered.n_pending, 0, "after step {n}");
        let mut after = world.tree();
        if n < n_commit {
            assert_eq!(after, before, "after step {n}");
        } else {
            let guard = world.guard();
            let told = noted(&guard).expect("readable");
            assert_eq!(told.len(), 1);
            assert_eq!(told[0].note, "told");
            assert!(told[0].paths.contains(&rel("m/d/z/deep")));
            forget(&guard, &told[0]).expect("room");
            after = world.tree();
            let shown: Vec<String> = after
                .iter()
                .map(|(path, (content, _))| format!("{path}: {content}"))
                .collect();
            let want = [
                ".workspace-mcp/: ",
                "a: new a",
                "b/: ",
                "b/z: new b/z",
                "e: old b",
                "f: new n/f",
                "m/: ",
                "m/d/: ",
                "m/d/new: new n/d/new",
                "m/d/x: new n/d/x",
                "m/d/z/: ",
                "m/d/z/deep: new deep",
                "out: new gone/in/x",
                "same: old same",
            ];
            assert_eq!(shown, want);
            assert_eq!(after["same"], before["same"]);
        }
        assert_eq!(world.recover(), Recovered::default(), "after step {n}");
    }
}

#[test]
fn a_change_that_happened_can_be_taken_back() {
    let world = world(&FILES);
    let guard = world.guard();
    let before = world.tree();
    let made = everything(&world).commit(&world.root, &guard, &mut never);
    assert_ne!(world.tree(), before);
    made.expect("room").undo().expect("nobody else writes");
    assert_eq!(world.tree(), before);
    let made = everything(&world).commit(&world.root, &guard, &mut never);
    made.expect("room").finish();
    assert!(noted(&guard).expect("readable").is_empty());
    let names: Vec<String> = world.tree().into_keys().collect();
    assert!(names.contains(&"m/d/new".to_owned()));
    assert!(!names.iter().any(|name| name.contains("tmp")), "{names:?}");
}

#[cfg(unix)]
#[test]
fn what_may_be_run_may_still_be_run() {
    use std::os::unix::fs::PermissionsExt as _;

    let world = world(&["run", "plain"]);
    let mode = |path: &str| {
        let meta = fs::metadata(world.temp.path().join(path)).expect("a file");
        meta.permissions().mode() & 0o777
    };
    let set = |path: &str, mode| {
        let path = world.temp.path().join(path);
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("own file");
    };
    set("run", 0o750);
    set("plain", 0o640);
    let guard = world.guard();
    let mut change = TreeChange::new(Durability::Power);
    world.replace(&mut change, "run", "run");
    let meta = world.root.meta(&rel("plain")).expect("a file");
    change.replace(rel("plain"), meta, None, Content::Fetch(7), Some(true));
    change.create(rel("new"), bytes("x"), true);
    let mut fetch = |key| Ok(format!("fetched {key}").into_bytes());
    let made = change.commit(&world.root, &guard, &mut fetch);
    made.expect("room").finish();
    assert_eq!((mode("run"), mode("plain")), (0o750, 0o750));
    assert_ne!(mode("new") & 0o100, 0);
    let fetched = fs::read_to_string(world.temp.path().join("plain"));
    assert_eq!(fetched.expect("a file"), "fetched 7");
}

#[test]
fn what_somebody_did_meanwhile_stops_the_change_and_stays() {
    type Meddle = fn(&World);
    let cases: [(&str, Meddle); 6] = [
        ("a", |world| world.write("a", "other")),
        ("n", |world| world.write("n", "other")),
        ("d/y", |world| world.write("d/y", "other")),
        ("e", |world| world.write("e/x", "other")),
        ("f", |world| world.write("f", "other")),
        ("b", |world| {
            fs::remove_file(world.temp.path().join("b")).expect("a file");
        }),
    ];
    for (what, meddle) in cases {
        let world = world(&FILES);
        let guard = world.guard();
        let change = everything(&world);
        meddle(&world);
        let before = world.tree();
        let failed = change.commit(&world.root, &guard, &mut never);
        let failed = failed.expect_err("something else is there");
        assert!(failed.taken_back, "{what}");
        assert!(
            matches!(failed.cause, Error::KeepsChanging(_)),
            "{what}: {:?}",
            failed.cause
        );
        assert_eq!(world.tree(), before, "{what}");
    }
}

#[test]
fn what_somebody_put_into_a_new_folder_stays_when_it_is_taken_back() {
    let world = world(&FILES);
    let guard = world.guard();
    let made = everything(&world).commit(&world.root, &guard, &mut never);
    let made = made.expect("room");
    world.write("b/mine", "mine");
    world.write("m/d/mine", "mine");
    world.write("a", "saved on top");
    made.undo().expect("a name can be found for everything");
    drop(guard);
    let tree = world.tree();
    for path in ["a", "b", "d/mine", "d/x", "d/y", "d/z/", "e/"] {
        assert!(tree.contains_key(path), "{path} of {tree:?}");
    }
    // The file `b` is back, so the folder `b` had to give way.
    let kept = tree.keys().find(|path| path.starts_with("b.kept-"));
    assert!(kept.is_some(), "{tree:?}");
    assert!(tree.values().any(|(content, _)| content == "mine"));
    assert_eq!(tree["a"].0, "saved on top");
    assert_eq!(world.recover(), Recovered::default());
}
