//! What is written, and what is refused.

use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

use super::world::{World, failed};
use crate::Cancel;
use crate::paged::{Options, Paged, WriteRequest};

fn write(
    paged: &Paged,
    path: &str,
    content: &str,
    expected: Option<&str>,
) -> Result<String, String> {
    let request = WriteRequest {
        path,
        content,
        expected_hash: expected,
    };
    let done = paged.write_text_file(&Cancel::never(), &request);
    done.map(|written| written.content_hash)
        .map_err(|fault| fault.to_string())
}

#[test]
fn a_new_file_is_for_its_owner_and_an_old_one_keeps_its_mode() {
    let world = World::new(&[("old.txt", "old")]);
    let old = world.root().join("old.txt");
    std::fs::set_permissions(&old, std::fs::Permissions::from_mode(0o640)).unwrap();
    let paged = world.open();
    let hash = write(&paged, "new.txt", "é\n", None).unwrap();
    assert_eq!(hash, super::super::page::content_hash("é\n".as_bytes()));
    write(&paged, "old.txt", "new", None).unwrap();
    let mode = |name: &str| std::fs::metadata(world.root().join(name)).unwrap().mode() & 0o777;
    assert_eq!((mode("new.txt"), mode("old.txt")), (0o600, 0o640));
    assert_eq!(world.read("old.txt").unwrap(), "new");
    assert_eq!(world.read("new.txt").unwrap(), "é\n");
}

#[test]
fn each_refusal_writes_nothing() {
    let world = World::new(&[("a.txt", "a"), ("d/x", "x"), ("linked", "l"), ("twin", "t")]);
    world.link("a.txt", "link");
    world.link("nowhere", "dangling");
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("o"), "outside").unwrap();
    let _ = std::fs::remove_file(world.root().join("twin"));
    std::fs::hard_link(outside.path().join("o"), world.root().join("twin")).unwrap();
    let before = snapshot(&world);
    let paged = world.open_with(|options| Options {
        include: vec!["*".into(), "lib/**".into()],
        exclude: vec!["no*".into()],
        limits: crate::paged::Limits {
            max_write_bytes: 10,
            ..options.limits
        },
        ..options
    });
    let name =
        "path must be one lowercase basename of letters, digits, dots, underscores, or hyphens";
    let destination = "destination is not a writable regular file";
    let long = "a".repeat(256);
    for (path, content, text) in [
        ("", "x", name),
        (".", "x", name),
        ("..", "x", name),
        ("A.txt", "x", name),
        ("a b", "x", name),
        ("d/y", "x", name),
        ("é", "x", name),
        ("a\n", "x", name),
        (&long, "x", name),
        (
            "b.txt",
            "12345678901",
            "content exceeds the 10-byte write limit",
        ),
        (
            "id_rsa",
            "x",
            "path matches an --exclude pattern of this root",
        ),
        (
            "note.txt",
            "x",
            "path matches an --exclude pattern of this root",
        ),
        ("d", "x", destination),
        ("link", "x", destination),
        ("dangling", "x", destination),
        ("twin", "x", destination),
    ] {
        assert_eq!(
            write(&paged, path, content, None),
            Err(text.to_owned()),
            "{path}"
        );
    }
    let narrow = world.open_with(|options| Options {
        include: vec!["*.md".into()],
        ..options
    });
    assert_eq!(
        write(&narrow, "b.txt", "x", None),
        Err("path matches no --include pattern of this root".to_owned())
    );
    let below = world.open_with(|options| Options {
        include: vec!["lib/**".into()],
        ..options
    });
    assert!(write(&below, "b.txt", "x", None).unwrap_err().starts_with(
        "no --include pattern of this root matches a file in the root itself, so no write can be accepted; \
         a write names one basename and lands in the root, so add"
    ));
    let other = Some("sha256:00");
    let changed = Err("file changed since it was read".to_owned());
    assert_eq!(write(&paged, "a.txt", "x", other), changed);
    assert_eq!(write(&paged, "new.txt", "x", other), changed);
    // Not even a lock is left behind.
    assert_eq!(snapshot(&world), before);
    assert_eq!(
        std::fs::read_to_string(outside.path().join("o")).unwrap(),
        "outside"
    );
}

#[test]
fn an_expected_hash_has_to_be_that_of_the_file() {
    let world = World::new(&[("a.txt", "one")]);
    let paged = world.open();
    let changed = Err("file changed since it was read".to_owned());
    let one = super::super::page::content_hash(b"one");
    assert_eq!(write(&paged, "a.txt", "two", Some("sha256:00")), changed);
    assert_eq!(
        write(
            &paged,
            "a.txt",
            "two",
            Some(one.trim_start_matches("sha256:"))
        ),
        changed
    );
    assert_eq!(write(&paged, "new.txt", "two", Some(&one)), changed);
    assert!(write(&paged, "a.txt", "two", Some(&one)).is_ok());
    assert_eq!(write(&paged, "a.txt", "three", Some(&one)), changed);
    assert_eq!(world.read("a.txt").unwrap(), "two");
}

#[test]
fn what_is_served_does_not_show_the_state_of_writing() {
    let world = World::new(&[]);
    let paged = world.open();
    write(&paged, "a.txt", "x", None).unwrap();
    assert!(world.root().join(".workspace-mcp").is_dir());
    let page = paged.list_directory(&Cancel::never(), &crate::paged::ListRequest::default());
    assert_eq!(page.unwrap().items.len(), 1);
    let gone = failed(paged.read_text_file(
        &Cancel::never(),
        &crate::paged::ReadRequest {
            path: ".workspace-mcp/lock",
            ..crate::paged::ReadRequest::default()
        },
    ));
    assert_eq!(gone, "path is not served by this root");
}

/// Every name in the root with what it is or holds.
fn snapshot(world: &World) -> Vec<(String, String)> {
    let mut all: Vec<_> = std::fs::read_dir(world.root())
        .unwrap()
        .map(|entry| entry.unwrap())
        .map(|entry| {
            let name = entry.file_name().into_string().unwrap();
            let held = world
                .read(&name)
                .unwrap_or_else(|| format!("{:?}", entry.file_type()));
            (name, held)
        })
        .collect();
    all.sort();
    all
}

#[test]
fn a_root_that_is_gone_is_told_as_such() {
    let world = World::new(&[("r/a.txt", "old")]);
    let paged = Paged::open(Options::new(world.root().join("r"), &["**"])).unwrap();
    let (here, there) = (world.root().join("r"), world.root().join("gone"));
    std::fs::rename(&here, &there).unwrap();
    assert_eq!(
        write(&paged, "a.txt", "new", None).unwrap_err(),
        "root does not exist"
    );
    assert_eq!(
        write(&paged, "b.txt", "new", None).unwrap_err(),
        "root does not exist"
    );
    world.make_dir("other");
    world.link("other", "r");
    assert_eq!(
        write(&paged, "a.txt", "new", None).unwrap_err(),
        "root does not exist"
    );
    assert_eq!(world.read("gone/a.txt").unwrap(), "old");
    for path in ["gone/b.txt", "other/a.txt", "other/b.txt"] {
        assert_eq!(world.read(path), None, "{path}");
    }
}
