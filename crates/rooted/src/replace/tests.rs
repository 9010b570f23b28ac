//! What only this file can reach: the way without swaps, and what counts as the same version.

use std::fs;

use super::{Put, Way, aside_name, temp_name};
use crate::{Basis, Dir, Durability, Mode, RelPath, Root};

struct World {
    temp: tempfile::TempDir,
    dir: Dir,
}

fn world(content: &str) -> World {
    let temp = tempfile::tempdir().expect("a temp folder");
    fs::write(temp.path().join("f"), content).expect("a file");
    let root = Root::open(temp.path(), Mode::FOLLOW).expect("a root");
    let dir = root.open_dir(&RelPath::root()).expect("the root");
    World { temp, dir }
}

impl World {
    /// Every name in the folder with what it holds; temporary names are shown as `temp`.
    fn shown(&self) -> Vec<String> {
        let names = self.dir.list().expect("a folder");
        names
            .iter()
            .map(|(name, _)| {
                let name = std::str::from_utf8(name).expect("text");
                let content = fs::read_to_string(self.temp.path().join(name)).expect("a file");
                let shown = if super::is_temp_name(name.as_bytes()) {
                    "temp"
                } else {
                    name
                };
                format!("{shown}={content}")
            })
            .collect()
    }
}

#[test]
fn both_ways_put_over_and_back() {
    for way in [Way::Swap, Way::Aside] {
        let world = world("old");
        let old = world.dir.open_file(b"f").expect("a file");
        let temp = temp_name();
        let staged = world
            .dir
            .stage_like(&temp, b"new", &old, Durability::Kill)
            .expect("room");
        // Systems without swaps may refuse to replace a file that is open.
        let old = *{ old }.meta();
        let basis = Basis {
            meta: &old,
            content: None,
        };
        let put = world.dir.put_over_by(way, &staged, b"f", &basis);
        assert_eq!(put.expect("a swap"), Put::Done);
        assert_eq!(world.shown(), ["temp=old", "f=new"], "{way:?}");
        let back = world.dir.put_back_by(way, &temp, b"f", &staged.meta);
        assert_eq!(back.expect("a swap"), Put::Done);
        let _ = world.dir.remove_file(&temp);
        assert_eq!(world.shown(), ["f=old"], "{way:?}");
    }
}

#[test]
fn both_ways_leave_a_version_that_came_meanwhile() {
    for way in [Way::Swap, Way::Aside] {
        let world = world("old");
        let old = world.dir.open_file(b"f").expect("a file");
        let temp = temp_name();
        let staged = world
            .dir
            .stage_like(&temp, b"new", &old, Durability::Kill)
            .expect("room");
        let old = *{ old }.meta();
        fs::write(world.temp.path().join("g"), "theirs").expect("a file");
        fs::rename(world.temp.path().join("g"), world.temp.path().join("f")).expect("a save");
        let basis = Basis {
            meta: &old,
            content: Some(b"old"),
        };
        let put = world.dir.put_over_by(way, &staged, b"f", &basis);
        assert_eq!(put.expect("a swap"), Put::Changed);
        assert_eq!(world.shown(), ["temp=new", "f=theirs"], "{way:?}");
        let back = world.dir.put_back_by(way, &temp, b"f", &staged.meta);
        assert_eq!(back.expect("nothing to do"), Put::Changed);
        assert_eq!(world.shown(), ["temp=new", "f=theirs"], "{way:?}");
    }
}

#[test]
fn a_touched_file_is_the_same_version_and_a_rewritten_one_is_not() {
    for (content, read, want) in [
        ("old", Some("old"), Put::Done),
        ("old", None, Put::Changed),
        ("dlo", Some("old"), Put::Changed),
    ] {
        let world = world("old");
        let old = world.dir.open_file(b"f").expect("a file");
        let mut file = fs::File::options()
            .write(true)
            .open(world.temp.path().join("f"))
            .expect("a file");
        std::io::Write::write_all(&mut file, content.as_bytes()).expect("room");
        let later = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(5);
        file.set_modified(later).expect("own file");
        drop(file);
        let staged = world
            .dir
            .stage_like(&temp_name(), b"new", &old, Durability::Kill)
            .expect("room");
        let old = *{ old }.meta();
        let basis = Basis {
            meta: &old,
            content: read.map(str::as_bytes),
        };
        let put = world.dir.put_over(&staged, b"f", &basis).expect("a swap");
        assert_eq!(put, want, "{content} after {read:?}");
    }
}

#[test]
fn an_old_version_that_cannot_get_a_second_name_is_copied() {
    let world = world("old");
    let aside = aside_name(b"t");
    let meta = world.dir.copy_aside(b"f", &aside).expect("room");
    assert!(meta.same_content(&world.dir.stat(b"f").expect("a file")));
    let copy = fs::read(world.temp.path().join("to")).expect("a copy");
    assert_eq!(copy, b"old");
}
