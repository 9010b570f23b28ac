//! A process that ends after every single step of a transaction, and what recovery makes of it.
#![expect(
    clippy::disallowed_methods,
    reason = "tests build and look at their own trees"
)]

use std::fs;
use std::path::Path;

use rooted::{Durability, Mode, RelPath, Root};

use super::intent::{self, Entry, Form, Intent, Name, Print, Record, StagedLine};
use super::step::Step;
use super::{Based, Change, ChangeSet, Old, Recovered, append, recover, recover_if_idle};
use crate::cancel::Cancel;
use crate::lock::{Guard, Lock, Queue};
use crate::state::State;

struct World {
    temp: tempfile::TempDir,
    root: Root,
    lock: Lock,
}

fn world(files: &[&str]) -> World {
    let temp = tempfile::tempdir().expect("a temp folder");
    for file in files {
        let path = temp.path().join(file);
        fs::create_dir_all(path.parent().expect("beneath the root")).expect("folders");
        fs::write(path, format!("old {file}")).expect("a file");
    }
    let root = Root::open(temp.path(), Mode::FOLLOW).expect("a root");
    World {
        temp,
        root,
        lock: Lock::new(State::inside(), std::sync::Arc::<Queue>::default()),
    }
}

impl World {
    fn guard(&self) -> Guard {
        self.lock
            .acquire(&self.root, &Cancel::never())
            .expect("nobody else holds it")
    }

    fn change(&self, path: &str) -> Change {
        let path = RelPath::from_bytes(path.as_bytes()).expect("a path");
        let place = self.root.locate(&path).expect("a place");
        let old = place.meta.map(|_| Old {
            file: self.root.open_file(&path).expect("a file"),
            content: None,
        });
        let old = old.map(Based::from);
        Change {
            content: format!("new {path}").into_bytes(),
            place,
            old,
            is_private: false,
        }
    }

    fn recover(&self) -> Recovered {
        recover(&self.root, &self.guard()).expect("a readable state folder")
    }

    /// Every file and empty folder outside the state folder, and what is left in `tx/`.
    fn shown(&self) -> Vec<String> {
        let mut found = Vec::new();
        show(self.temp.path(), "", &mut found);
        found.sort();
        found
    }

    fn write(&self, path: &str, content: &str) {
        fs::write(self.temp.path().join(path), content).expect("a file");
    }

    /// Saves as editors do: beside the file, then over it.
    fn save(&self, path: &str, content: &str) {
        self.write("save~", content);
        fs::rename(self.temp.path().join("save~"), self.temp.path().join(path)).expect("a save");
    }
}

fn show(dir: &Path, prefix: &str, found: &mut Vec<String>) {
    let mut empty = true;
    for entry in fs::read_dir(dir).expect("a folder") {
        let entry = entry.expect("an entry");
        empty = false;
        let name = entry.file_name().into_string().expect("text");
        let path = format!("{prefix}{name}");
        if entry.file_type().expect("a kind").is_dir() {
            show(&entry.path(), &format!("{path}/"), found);
        } else if !matches!(
            path.as_str(),
            ".workspace-mcp/lock" | ".workspace-mcp/.gitignore"
        ) {
            let content = fs::read_to_string(entry.path()).expect("text");
            found.push(if path == content.trim_start_matches("old ") {
                format!("{path}: old")
            } else if path == content.trim_start_matches("new ") {
                format!("{path}: new")
            } else {
                format!("{path}: {content}")
            });
        }
    }
    if empty && prefix != ".workspace-mcp/tx/" {
        found.push(prefix.to_owned());
    }
}

/// Runs a transaction as far as its step number `n_steps`, and forgets it there.
fn crash_after(n_steps: usize, changes: &[(Change, Form)], guard: &Guard) {
    let id = rooted::random();
    let mut steps: Vec<Step<'_>> = changes
        .iter()
        .enumerate()
        .map(|(index, (change, form))| Step::new(change, *form, id, index))
        .collect();
    let folders = super::folders(&steps);
    let intent = Intent::new(
        folders.iter().map(Name::from).collect(),
        steps.iter().map(Step::entry).collect(),
    );
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
    let mut record = Record::create(&guard.state().tx, id, &intent, &[], kill).expect("room");
    for step in &mut steps {
        if !go_on() {
            return;
        }
        step.make_folders(&mut Vec::new(), kill).expect("room");
        if !go_on() {
            return;
        }
        step.stage(&record, kill).expect("room");
    }
    if !go_on() {
        return;
    }
    let staged = steps.iter().map(Step::print).collect();
    record.add(&StagedLine { staged }).expect("room");
    for step in &mut steps {
        if !go_on() {
            return;
        }
        step.put(&record, kill).expect("nobody else writes");
    }
    if intent.needs_mark() {
        if !go_on() {
            return;
        }
        record.commit().expect("a rename");
    }
    for step in &steps {
        if !go_on() {
            return;
        }
        assert!(step.clear(&record));
    }
    if go_on() {
        record.remove();
    }
}

#[test]
fn several_files_are_all_old_or_all_new() {
    for n_steps in 0..=16 {
        let world = world(&["a", "d/b"]);
        let changes = ["a", "d/b", "e/f/c"].map(|path| {
            let change = world.change(path);
            let form = change.old.as_ref().map_or(Form::New, |_| Form::Over);
            (change, form)
        });
        crash_after(n_steps, &changes, &world.guard());
        world.recover();
        // The record, three times folders and staging, the second line, three swaps, the mark.
        let want: &[&str] = if n_steps < 12 {
            &["a: old", "d/b: old"]
        } else {
            &["a: new", "d/b: new", "e/f/c: new"]
        };
        assert_eq!(world.shown(), want, "after step {n_steps}");
        assert_eq!(world.recover(), Recovered::default());
    }
}

#[test]
fn one_file_is_old_or_new() {
    for (path, form) in [("a", Form::Over), ("x/y", Form::New)] {
        for n_steps in 0..=7 {
            let world = world(&["a"]);
            let changes = [(world.change(path), form)];
            crash_after(n_steps, &changes, &world.guard());
            world.recover();
            // The record, folders, staging, the second line; then the swap decides.
            let want: &[&str] = match (n_steps < 5, form) {
                (true, _) => &["a: old"],
                (false, Form::Over) => &["a: new"],
                (false, _) => &["a: old", "x/y: new"],
            };
            assert_eq!(world.shown(), want, "{path} after step {n_steps}");
        }
    }
}

#[test]
fn a_file_written_in_place_is_old_or_new() {
    for n_steps in 0..=8 {
        let world = world(&["a"]);
        let changes = [(world.change("a"), Form::InPlace)];
        crash_after(n_steps, &changes, &world.guard());
        if n_steps == 4 {
            world.write("a", "ne");
        }
        world.recover();
        let want = if n_steps < 6 { "a: old" } else { "a: new" };
        assert_eq!(world.shown(), [want], "after step {n_steps}");
    }
}

#[test]
fn a_save_after_the_crash_stays() {
    let world = world(&["a", "b", "c"]);
    let changes = ["a", "b", "c"].map(|path| (world.change(path), Form::Over));
    // All three are swapped, and the mark is missing.
    crash_after(11, &changes, &world.guard());
    world.save("b", "saved");
    assert_eq!(world.recover().n_undone, 1);
    assert_eq!(world.shown(), ["a: old", "b: saved", "c: old"]);
}

// Only where names can be swapped.
#[cfg(unix)]
#[test]
fn a_save_that_was_swapped_out_comes_back() {
    let world = world(&["a"]);
    let changes = [(world.change("a"), Form::Over)];
    let guard = world.guard();
    crash_after(4, &changes, &guard);
    world.save("a", "saved");
    let names = changes[0].0.place.dir.list().expect("the root");
    let (temp, _) = names
        .iter()
        .find(|(name, _)| rooted::is_temp_name(name))
        .expect("a staged file");
    let dir = &changes[0].0.place.dir;
    dir.exchange(temp, dir, b"a").expect("a swap");
    drop(guard);
    world.recover();
    assert_eq!(world.shown(), ["a: saved"]);
}

#[test]
fn an_append_that_was_cut_short_ends_where_it_began() {
    for (tail, want) in [
        ("", "old log"),
        ("\nad", "old log"),
        ("\nadded", "old log\nadded"),
        ("\nadded\nmore", "old log\nadded\nmore"),
        ("\nby", "old log\nby"),
    ] {
        let world = world(&["log"]);
        let guard = world.guard();
        let change = world.change("log");
        let old = change.old.as_ref().map(|old| Print::of(&old.meta));
        let entry = Entry {
            path: Name::from(&change.place.path),
            form: Form::Append,
            old,
        };
        let mut intent = Intent::new(Vec::new(), vec![entry]);
        intent.append = Some(6);
        let tx = &guard.state().tx;
        Record::create(tx, 7, &intent, b"\nadded", Durability::Kill).expect("room");
        world.write("log", &format!("old log{tail}"));
        drop(guard);
        world.recover();
        let shown = fs::read_to_string(world.temp.path().join("log")).expect("a file");
        assert_eq!(shown, want);
        assert_eq!(world.shown().len(), 1);
    }
}

#[test]
fn records_that_nobody_can_read_are_put_aside_once() {
    let world = world(&["a"]);
    drop(world.guard());
    world.write(
        ".workspace-mcp/tx/00000000000000aa.json",
        "{\"version\":9}\n",
    );
    world.write(".workspace-mcp/tx/00000000000000ab.json", "not a record\n");
    world.write(".workspace-mcp/tx/00000000000000ac.json", "{\"version\":1,");
    let recovered = recover_if_idle(&world.root, &world.lock).expect("a readable folder");
    assert_eq!(recovered.n_unreadable, 2);
    assert_eq!(world.recover(), Recovered::default());
    let left = world.shown();
    assert_eq!(left.len(), 3, "{left:?}");
}

#[test]
fn a_record_cannot_lead_out_of_the_root() {
    let world = world(&["ws"]);
    drop(world.guard());
    fs::create_dir(world.temp.path().join("out")).expect("a folder");
    let temp = intent::temp_name(0xaa, 0);
    let temp = std::str::from_utf8(&temp).expect("text");
    world.write(&format!("out/{temp}"), "outside");
    #[cfg(unix)]
    std::os::unix::fs::symlink("out", world.temp.path().join("link")).expect("a link");
    for path in ["../x", "link/x", "/x"] {
        let record = format!(
            "{{\"version\":1,\"folders\":[\"../y\"],\"files\":[{{\"path\":\"{path}\",\"form\":\"new\"}}]}}\n"
        );
        world.write(".workspace-mcp/tx/00000000000000aa.json", &record);
        world.recover();
    }
    let kept = fs::read_to_string(world.temp.path().join("out").join(temp));
    assert_eq!(kept.expect("still there"), "outside");
}

#[test]
fn a_change_of_nothing_leaves_no_trace() {
    let world = world(&["a"]);
    let set = ChangeSet::new(Durability::Kill);
    assert!(set.is_empty());
    assert_eq!(set.commit(&world.guard()).expect("nothing to do"), []);
    let place = world.change("log").place;
    let added = append(place, b"x", b"\n", Durability::Kill, &world.guard()).expect("room");
    assert!(added.created);
    assert_eq!(world.shown(), ["a: old", "log: x"]);
}
