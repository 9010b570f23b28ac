use std::fs;
use std::path::Path;

use rooted::Kind;

use crate::cancel::Cancel;
use crate::error::Error;
use crate::policy::Policy;
use crate::workspace::{Workspace, WorkspaceOptions};

struct World {
    temp: tempfile::TempDir,
    workspace: Workspace,
}

/// A workspace with some files, whose content is their own path, under a policy.
fn world(files: &[&str], deny: &[&str]) -> World {
    let temp = tempfile::tempdir().expect("a temp folder");
    let root = temp.path().join("ws");
    fs::create_dir(&root).expect("a folder");
    for file in files {
        let path = root.join(file);
        fs::create_dir_all(path.parent().expect("below the root")).expect("a folder");
        fs::write(path, file).expect("a file");
    }
    let policy = Policy::new(deny, &[] as &[&str]);
    let workspace = Workspace::open(WorkspaceOptions {
        policy,
        ..WorkspaceOptions::new("default", &root)
    })
    .expect("a root");
    World { temp, workspace }
}

impl World {
    fn root(&self) -> std::path::PathBuf {
        self.temp.path().join("ws")
    }

    /// Opens a file and tells its real path and the other name it was found under, or the error.
    fn open(&self, input: &str) -> String {
        let reader = self.workspace.reader(&Cancel::never()).expect("a root");
        match reader.open_file(input) {
            Ok(opened) => match opened.found_as {
                Some(name) => format!("{} as {name}", opened.file.path()),
                None => opened.file.path().to_string(),
            },
            Err(error) => error.to_string(),
        }
    }

    fn find(&self, input: &str) -> Result<(String, Kind), Error> {
        let reader = self.workspace.reader(&Cancel::never())?;
        reader
            .find(input)
            .map(|found| (found.path.to_string(), found.meta.kind))
    }
}

#[test]
fn says_what_is_wrong_with_a_path() {
    let world = world(&["a.txt", "d/b.txt"], &[]);
    for (input, want) in [
        ("", "path must be a non-empty string"),
        (" ", "path must be a non-empty string"),
        ("a\0", "path contains a NUL byte"),
        ("../x", "path outside workspace root: ../x"),
        ("/etc/passwd", "path outside workspace root: /etc/passwd"),
        ("../ws-old/a", "path outside workspace root: ../ws-old/a"),
        (
            "a.txt/x",
            "invalid path (a path component is not a directory): a.txt/x",
        ),
        ("gone/x.txt", "file not found: gone/x.txt"),
        ("d", "path is a directory, not a file: d"),
        (".", "path is a directory, not a file: ."),
        ("./d//b.txt", "d/b.txt"),
    ] {
        assert_eq!(world.open(input), want, "{input:?}");
    }
    let absolute = world.root().join("d/b.txt");
    assert_eq!(world.open(absolute.to_str().expect("UTF-8")), "d/b.txt");
    assert_eq!(
        world.find("gone").expect_err("gone").to_string(),
        "path not found: gone"
    );
    assert_eq!(
        world.find(".").expect("the root"),
        (".".to_owned(), Kind::Dir)
    );
}

#[test]
fn finds_a_name_in_another_unicode_form_when_only_one_fits() {
    let world = world(
        &[
            "cafe\u{301}.txt",
            "Shot 10.30\u{202f}PM.png",
            "a b",
            "a\u{a0}b",
            "ka\u{3099}/x",
        ],
        &[],
    );
    assert_eq!(
        world.open("caf\u{e9}.txt"),
        "cafe\u{301}.txt as cafe\u{301}.txt"
    );
    let shot = "Shot 10.30\u{202f}PM.png";
    assert_eq!(world.open("Shot 10.30 PM.png"), format!("{shot} as {shot}"));
    assert_eq!(world.open("a b"), "a b");
    assert_eq!(world.open("a\u{2003}b"), "file not found: a\u{2003}b");
}

#[cfg(unix)]
#[test]
fn takes_names_as_they_are_shown() {
    use std::os::unix::ffi::OsStrExt as _;
    let world = world(&["new\nline", "lit\\n"], &[]);
    let name = std::ffi::OsStr::from_bytes(b"bad\xff.txt");
    fs::write(world.root().join(name), "x").expect("a file");
    assert_eq!(world.open("new\nline"), "new\\nline");
    assert_eq!(world.open("new\\nline"), "new\\nline");
    assert_eq!(world.open("lit\\n"), "lit\\n");
    assert_eq!(world.open("bad\\xff.txt"), "bad\\xff.txt");
}

#[cfg(unix)]
#[test]
fn a_denied_file_is_denied_by_every_way() {
    use std::os::unix::fs::symlink;
    let world = world(
        &["secrets/k", "open", "cert.pem", "Caf\u{e9}/x"],
        &["secrets/", "*.pem", "caf\u{e9}"],
    );
    symlink("secrets/k", world.root().join("link")).expect("a link");
    symlink("secrets", world.root().join("folder")).expect("a link");
    fs::hard_link(world.root().join("secrets/k"), world.root().join("hard")).expect("a name");
    for input in [
        "secrets/k",
        "secrets/./k",
        "link",
        "folder/k",
        "SECRETS/K",
        "hard",
        "cert.pem",
        "Cafe\u{301}/x",
    ] {
        let told = world.open(input);
        assert!(
            told.starts_with("path denied by policy: "),
            "{input}: {told}"
        );
    }
    symlink("nowhere", world.root().join("dangling")).expect("a link");
    assert_eq!(world.open("dangling"), "file not found: dangling");
    let told = world.find("link").expect_err("denied").to_string();
    assert_eq!(told, "path denied by policy: link");
    assert_eq!(world.open("link"), "path denied by policy: link");
    assert_eq!(
        world.open("secrets/none"),
        "path denied by policy: secrets/none"
    );
    assert_eq!(world.open("open"), "open");
}

// On Windows a root that is held cannot be removed.
#[cfg(unix)]
#[test]
fn a_root_made_anew_is_opened_anew() {
    let world = world(&["a"], &[]);
    fs::remove_dir_all(world.root()).expect("removed");
    let gone = world
        .workspace
        .reader(&Cancel::never())
        .expect_err("no root")
        .to_string();
    assert!(
        gone.starts_with("workspace root does not exist: "),
        "{gone}"
    );
    fs::create_dir(world.root()).expect("a folder");
    fs::write(world.root().join("b"), "b").expect("a file");
    assert_eq!(world.open("b"), "b");
}

#[cfg(unix)]
#[test]
fn a_root_that_was_moved_away_is_gone_until_its_path_has_a_folder_again() {
    let world = world(&["a"], &[]);
    let aside = world.temp.path().join("aside");
    fs::rename(world.root(), &aside).expect("moved");
    let reader = world.workspace.reader(&Cancel::never());
    let gone = reader.expect_err("no root").to_string();
    assert!(
        gone.starts_with("workspace root does not exist: "),
        "{gone}"
    );
    fs::create_dir(world.root()).expect("a folder");
    assert_eq!(world.open("a"), "file not found: a");
    fs::remove_dir(world.root()).expect("removed");
    fs::rename(&aside, world.root()).expect("moved back");
    assert_eq!(world.open("a"), "a");
}

#[cfg(unix)]
#[test]
fn a_link_in_the_place_of_a_removed_root_is_not_followed() {
    let world = world(&["a"], &[]);
    let outside = world.temp.path().join("outside");
    fs::create_dir(&outside).expect("a folder");
    fs::write(outside.join("a"), "outside").expect("a file");
    fs::remove_dir_all(world.root()).expect("removed");
    std::os::unix::fs::symlink(&outside, world.root()).expect("a link");
    for _ in 0..2 {
        let reader = world.workspace.reader(&Cancel::never());
        let gone = reader.expect_err("no root").to_string();
        assert!(
            gone.starts_with("workspace root does not exist: "),
            "{gone}"
        );
        assert!(world.workspace.writer(&Cancel::never()).is_err());
    }
    assert_eq!(fs::read_dir(&outside).expect("a folder").count(), 1);
}

#[cfg(unix)]
#[test]
fn a_link_tells_nothing_of_a_hidden_place() {
    use std::os::unix::fs::symlink;
    let world = world(&["secrets/k", "secrets/d/k", "open/k"], &["secrets"]);
    symlink("secrets", world.root().join("folder")).expect("a link");
    symlink("secrets/k", world.root().join("file")).expect("a link");
    symlink("secrets/none", world.root().join("dangling")).expect("a link");
    for input in [
        "folder",
        "folder/d",
        "folder/none",
        "folder/none/x",
        "folder/k/x",
        "file/x",
        "dangling",
    ] {
        let denied = format!("path denied by policy: {input}");
        assert_eq!(world.open(input), denied);
        let told = world.find(input).expect_err("denied").to_string();
        assert_eq!(told, denied);
    }
    assert_eq!(world.open("open/none"), "file not found: open/none");
    assert_eq!(world.open("open"), "path is a directory, not a file: open");
}

#[test]
fn a_missing_folder_is_no_workspace() {
    let missing = Path::new("/definitely/not/here");
    let opened = Workspace::open(WorkspaceOptions::new("default", missing));
    assert_eq!(
        opened.expect_err("no folder").kind(),
        std::io::ErrorKind::NotFound
    );
}
