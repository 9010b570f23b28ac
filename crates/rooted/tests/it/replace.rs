//! Replacing one file: what is kept of the old one, and what happens when others write as well.

use std::fs;
use std::path::Path;

use rooted::{
    Basis, Dir, Durability, ErrorKind, Mode, Put, RelPath, Root, Staged, is_temp_name, temp_name,
};

fn open(path: &Path) -> Dir {
    let root = Root::open(path, Mode::FOLLOW).expect("a root");
    root.open_dir(&RelPath::root()).expect("the root")
}

/// Stages `content` for `name` and puts it there, as a change does.
fn replace(dir: &Dir, name: &str, content: &str) -> (Put, Staged) {
    let old = dir.open_file(name.as_bytes()).expect("a file");
    let staged = dir
        .stage_like(&temp_name(), content.as_bytes(), &old, Durability::Kill)
        .expect("room");
    let basis = Basis {
        meta: old.meta(),
        content: None,
    };
    let put = dir
        .put_over(&staged, name.as_bytes(), &basis)
        .expect("a swap");
    dir.remove_file(&staged.name).expect("the old version");
    (put, staged)
}

fn no_temps(path: &Path) {
    let names: Vec<_> = fs::read_dir(path)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name())
        .filter(|name| is_temp_name(name.as_encoded_bytes()))
        .collect();
    assert!(names.is_empty(), "{names:?}");
}

#[test]
fn a_new_file_needs_a_free_name() {
    let temp = tempfile::tempdir().expect("a temp folder");
    let dir = open(temp.path());
    for (name, want) in [("f", Put::Done), ("f", Put::Changed)] {
        let staged = dir
            .stage_new(&temp_name(), b"new", Durability::Power)
            .expect("room");
        assert_eq!(
            dir.put_new(&staged, name.as_bytes()).expect("a rename"),
            want
        );
        if want == Put::Done {
            let out = dir.take_out(&temp_name(), b"nothing", &staged.meta);
            assert_eq!(out.expect("nothing there"), Put::Changed);
        }
        let _ = dir.remove_file(&staged.name);
    }
    assert_eq!(fs::read(temp.path().join("f")).expect("a file"), b"new");
    no_temps(temp.path());
}

#[cfg(unix)]
#[test]
fn mode_owner_and_extended_attributes_are_kept() {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};

    use rustix::fs::{XattrFlags, getxattr, setxattr};

    let temp = tempfile::tempdir().expect("a temp folder");
    let path = temp.path().join("f");
    let dir = open(temp.path());
    for mode in [0o755, 0o600, 0o444, 0o4711, 0o2770, 0o666] {
        fs::write(&path, "old").expect("a file");
        // Refused where this is not run as root; then owner and group stay this process's own.
        let given = chown(&path, Some(12), Some(34)).is_ok();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("own file");
        let tagged = ["user.tag", "user.other"]
            .iter()
            .all(|name| setxattr(&path, *name, &[b'v'; 1000], XattrFlags::empty()).is_ok());
        let (put, staged) = replace(&dir, "f", "new");
        assert_eq!((put, staged.kept_attributes), (Put::Done, true));
        let meta = fs::metadata(&path).expect("a file");
        assert_eq!(meta.mode() & 0o7777, mode, "{mode:o}");
        if given {
            assert_eq!((meta.uid(), meta.gid()), (12, 34));
        }
        if tagged {
            let mut value = [0; 2000];
            let n = getxattr(&path, "user.tag", &mut value).expect("a tag");
            assert_eq!(value.get(..n), Some(&[b'v'; 1000][..]));
        }
        assert_eq!(fs::read(&path).expect("a file"), b"new");
        fs::remove_file(&path).expect("own file");
    }
    no_temps(temp.path());
}

#[cfg(unix)]
#[test]
fn other_names_of_the_file_keep_the_old_content() {
    let temp = tempfile::tempdir().expect("a temp folder");
    fs::write(temp.path().join("a"), "old").expect("a file");
    fs::hard_link(temp.path().join("a"), temp.path().join("b")).expect("a second name");
    let dir = open(temp.path());
    assert_eq!(replace(&dir, "a", "new").0, Put::Done);
    assert_eq!(fs::read(temp.path().join("a")).expect("a file"), b"new");
    assert_eq!(fs::read(temp.path().join("b")).expect("a file"), b"old");
}

#[cfg(unix)]
#[test]
fn a_changed_mode_is_another_version() {
    use std::os::unix::fs::PermissionsExt as _;

    let temp = tempfile::tempdir().expect("a temp folder");
    let path = temp.path().join("f");
    fs::write(&path, "old").expect("a file");
    let dir = open(temp.path());
    let old = dir.open_file(b"f").expect("a file");
    let staged = dir
        .stage_like(&temp_name(), b"new", &old, Durability::Kill)
        .expect("room");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("own file");
    let basis = Basis {
        meta: old.meta(),
        content: Some(b"old"),
    };
    let put = dir.put_over(&staged, b"f", &basis).expect("a swap");
    assert_eq!(put, Put::Changed);
    assert_eq!(fs::read(&path).expect("a file"), b"old");
}

// A temporary name that was planted as a link led the writes of several servers outside.
#[cfg(unix)]
#[test]
fn a_planted_temporary_name_is_not_followed() {
    let temp = tempfile::tempdir().expect("a temp folder");
    let (ws, out) = (temp.path().join("ws"), temp.path().join("out"));
    fs::create_dir(&ws).expect("a folder");
    fs::write(&out, "outside").expect("a file");
    fs::write(ws.join("f"), "old").expect("a file");
    let dir = open(&ws);
    let name = temp_name();
    for target in [out.as_path(), Path::new("../missing"), Path::new("f")] {
        let planted = ws.join(std::str::from_utf8(&name).expect("text"));
        std::os::unix::fs::symlink(target, &planted).expect("a link");
        let staged = dir.stage_new(&name, b"new", Durability::Kill);
        assert!(matches!(
            staged.expect_err("the name is taken").kind,
            ErrorKind::Exists
        ));
        let old = dir.open_file(b"f").expect("a file");
        let staged = dir.stage_like(&name, b"new", &old, Durability::Kill);
        assert!(matches!(
            staged.expect_err("the name is taken").kind,
            ErrorKind::Exists
        ));
        let link = fs::symlink_metadata(&planted).expect("the link is still there");
        assert!(link.file_type().is_symlink());
        fs::remove_file(&planted).expect("own link");
    }
    assert_eq!(fs::read(&out).expect("a file"), b"outside");
    assert_eq!(fs::read(ws.join("f")).expect("a file"), b"old");
    let missing = fs::symlink_metadata(temp.path().join("missing"));
    missing.expect_err("nothing was made outside");
}

#[test]
fn temporary_names_do_not_repeat() {
    let names: std::collections::HashSet<_> = (0..10_000).map(|_| temp_name()).collect();
    assert_eq!(names.len(), 10_000);
}

/// Saves that the other program makes; more of them with `WORKSPACE_MCP_SOAK` set.
#[expect(
    clippy::disallowed_methods,
    reason = "how long a test goes on is for who starts it to say"
)]
fn n_saves() -> usize {
    if std::env::var_os("WORKSPACE_MCP_SOAK").is_some() {
        60_000
    } else {
        1_000
    }
}

// An editor that saves by rename, in a loop without a pause, against replacements of the same file.
// What comes out of a replacement that says `Done` must be what it was made from; else a save is lost.
#[cfg(target_os = "linux")]
#[test]
fn no_save_of_another_program_is_lost() {
    let temp = tempfile::tempdir().expect("a temp folder");
    let path = temp.path();
    fs::write(path.join("f"), "editor start").expect("a file");
    let last = format!("editor {}", n_saves() - 1);
    // Every version that a replacement was made from, or that it kept as a copy.
    let mut versions = Vec::new();
    let (mut n_done, mut n_changed, mut n_copies) = (0, 0, 0);
    std::thread::scope(|scope| {
        let editor = scope.spawn(|| {
            for n in 0..n_saves() {
                fs::write(path.join("editor~"), format!("editor {n}")).expect("room");
                fs::rename(path.join("editor~"), path.join("f")).expect("a save");
            }
        });
        let dir = open(path);
        while !editor.is_finished() {
            let Ok(mut old) = dir.open_file(b"f") else {
                continue;
            };
            let read = old.read_all(1000).expect("a file");
            let ours = [b"ours, from ", read.as_slice()].concat();
            let ours = ours.get(..ours.len().min(60)).expect("not longer");
            let staged = dir
                .stage_like(&temp_name(), ours, &old, Durability::Kill)
                .expect("room");
            let basis = Basis {
                meta: old.meta(),
                content: Some(&read),
            };
            let put = dir.put_over(&staged, b"f", &basis).expect("a swap");
            let mut out = dir.open_file(&staged.name).expect("a version");
            let out = out.read_all(1000).expect("a file");
            match put {
                Put::Done => {
                    n_done += 1;
                    assert_eq!(out, read);
                    versions.push(out);
                }
                Put::Changed => n_changed += 1,
                Put::Copy => {
                    n_copies += 1;
                    versions.push(out);
                }
            }
            dir.remove_file(&staged.name).expect("a version");
        }
        editor.join().expect("the editor");
    });
    versions.push(fs::read(path.join("f")).expect("a file"));
    assert!(
        versions.iter().any(|version| version == last.as_bytes()),
        "{last}: {n_done} done, {n_changed} changed, {n_copies} copies"
    );
    assert!(n_done + n_changed > 0);
    no_temps(path);
}
