//! One table of hostile paths, through each operation, resolver and mode.

use rooted::{Mode, RelPath, Resolver, Root};

use crate::world::{MODES, OUTSIDE, RESOLVERS, World, bounded, kind, make, read, rel};

/// A path, and what comes of it where links are followed and where none is allowed.
struct Row {
    path: &'static str,
    /// The place of the file that opens, or the kind of error.
    open: Result<&'static str, &'static str>,
    /// The real path of the place, whether or not anything is there.
    locate: Result<&'static str, &'static str>,
    /// What a mode without links says to an open.
    no_links: Result<&'static str, &'static str>,
}

const fn row(
    path: &'static str,
    open: Result<&'static str, &'static str>,
    locate: Result<&'static str, &'static str>,
    no_links: Result<&'static str, &'static str>,
) -> Row {
    Row {
        path,
        open,
        locate,
        no_links,
    }
}

/// A link that leads to the one file inside.
const fn inside(path: &'static str) -> Row {
    row(path, Ok("d/e/f"), Ok("d/e/f"), Err("LinkRefused"))
}

/// A way that leads out.
const fn outside(path: &'static str) -> Row {
    row(path, Err("Outside"), Err("Outside"), Err("LinkRefused"))
}

/// A path that fails in the same way whatever is done with it.
const fn fails(path: &'static str, with: &'static str) -> Row {
    row(path, Err(with), Err(with), Err("LinkRefused"))
}

const LONG: &str = concat!(
    "d/",
    "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn",
    "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn",
    "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn",
    "nnnn"
);

const TABLE: &[Row] = &[
    row("d/e/f", Ok("d/e/f"), Ok("d/e/f"), Ok("d/e/f")),
    row("d/e", Err("IsADirectory"), Ok("d/e"), Err("IsADirectory")),
    row("none", Err("NotFound"), Ok("none"), Err("NotFound")),
    row("none/x/y", Err("NotFound"), Ok("none/x/y"), Err("NotFound")),
    row(
        "d/e/f/x",
        Err("NotADirectory"),
        Err("NotADirectory"),
        Err("NotADirectory"),
    ),
    row("hard", Ok("hard"), Ok("hard"), Ok("hard")),
    row(
        LONG,
        Err("NameTooLong"),
        Err("NameTooLong"),
        Err("NameTooLong"),
    ),
    inside("rel_file"),
    inside("rel_dir/f"),
    inside("d/up_and_down"),
    inside("chain"),
    inside("dot/dot/rel_dir/f"),
    inside("slashed/f"),
    inside("abs_file"),
    inside("abs_dir/f"),
    inside("abs_root/abs_root/rel_file"),
    inside("abs_odd"),
    inside("hop39"),
    row(
        "rel_dir",
        Err("IsADirectory"),
        Ok("d/e"),
        Err("LinkRefused"),
    ),
    row("dot", Err("IsADirectory"), Ok("."), Err("LinkRefused")),
    row("abs_root", Err("IsADirectory"), Ok("."), Err("LinkRefused")),
    row("dangling", Err("NotFound"), Ok("d/new"), Err("LinkRefused")),
    row(
        "dangling_deep",
        Err("NotFound"),
        Ok("missing/x/y"),
        Err("LinkRefused"),
    ),
    row(
        "rel_dir/none",
        Err("NotFound"),
        Ok("d/e/none"),
        Err("LinkRefused"),
    ),
    fails("dangling_back", "NotFound"),
    fails("through_file", "NotADirectory"),
    fails("file_parent", "NotADirectory"),
    fails("self", "LinkLoop"),
    fails("self/x", "LinkLoop"),
    fails("loop_a", "LinkLoop"),
    fails("hop40", "LinkLoop"),
    fails("hop41", "LinkLoop"),
    outside("out_file"),
    outside("out_dir"),
    outside("out_dir/f"),
    outside("out_dir/new/deep"),
    outside("out_chain"),
    outside("out_dangling"),
    outside("out_deep"),
    outside("up"),
    outside("up/out/f"),
    outside("up/ws/d/e/f"),
    outside("d/e/up_up"),
    outside("d/e/up_up/out/f"),
    outside("back"),
    outside("sibling"),
    outside("many_up"),
    outside("rel_dir_up"),
    outside("proc_root"),
    outside("proc_cwd/Cargo.toml"),
    outside("proc_fd"),
    outside("etc"),
    outside("slash/etc/passwd"),
    outside("out_abs"),
    outside("out_abs_dir/f"),
    outside("out_prefix"),
    outside("out_abs_up"),
    outside("abs_back"),
];

fn locate(root: &Root, path: &RelPath) -> Result<String, String> {
    let place = root.locate(path).map_err(|error| kind(&error))?;
    let base = place.dir.path().clone();
    let named = place.missing.iter().chain([&place.name]);
    let full = named
        .filter(|name| !name.is_empty())
        .fold(base, |path, name| path.join(name));
    assert_eq!(full, place.path, "the place is the folder and the names");
    Ok(place.path.to_string())
}

fn owned(want: Result<&str, &str>) -> Result<String, String> {
    want.map(str::to_owned).map_err(str::to_owned)
}

fn check(row: &Row, root: &Root, mode: &str, resolver: Resolver) {
    let about = format!("{} in {mode} by {resolver:?}", row.path);
    let path = rel(row.path);
    let (want, place) = match mode {
        "FOLLOW" => (row.open, row.locate),
        "STRICT" if row.path == "hard" => (Err("HardLinked"), row.locate),
        _ if row.no_links == Err("LinkRefused") => (row.no_links, row.no_links),
        _ => (row.no_links, row.locate),
    };
    let opened = read(root, &path);
    if let Ok((_, text)) = &opened {
        assert!(row.path == "hard" || text != OUTSIDE, "{about}");
    }
    assert_eq!(opened.map(|(real, _)| real), owned(want), "open {about}");
    let located = locate(root, &path);
    assert_eq!(located, owned(place), "locate {about}");

    let found = root.find(&path).map_err(|error| kind(&error));
    match (&found, &located) {
        (Ok((meta, real)), Ok(place)) => {
            assert_eq!(&real.to_string(), place, "find {about}");
            assert_eq!(
                root.meta(&path).expect("it is there").id,
                meta.id,
                "{about}"
            );
        }
        (Err(error), Ok(_)) => assert_eq!(error, "NotFound", "find {about}"),
        (found, Err(error)) => assert_eq!(found.as_ref().err(), Some(error), "find {about}"),
    }
    match (root.open_dir(&path), &found) {
        (Ok(dir), Ok((meta, real))) => {
            assert_eq!(dir.path(), real, "open_dir {about}");
            assert_eq!(dir.meta().expect("it is open").id, meta.id, "{about}");
        }
        (Ok(_), Err(error)) => panic!("open_dir where find says {error}: {about}"),
        (Err(error), Ok(_)) => assert_eq!(kind(&error), "NotADirectory", "open_dir {about}"),
        (Err(error), Err(found)) => assert_eq!(&kind(&error), found, "open_dir {about}"),
    }
}

#[test]
fn hostile_paths_end_where_they_should() {
    bounded(|| {
        let world = World::new();
        let before = world.surroundings();
        for (name, mode) in MODES {
            for resolver in RESOLVERS {
                let root = world.root(mode, resolver);
                for row in TABLE {
                    check(row, &root, name, resolver);
                }
            }
        }
        assert_eq!(world.surroundings(), before);
    });
}

#[test]
fn files_are_made_inside_or_not_at_all() {
    bounded(|| {
        for (name, mode) in MODES {
            for resolver in RESOLVERS {
                for row in TABLE {
                    let world = World::new();
                    let before = world.surroundings();
                    let root = world.root(mode, resolver);
                    let about = format!("{} in {name} by {resolver:?}", row.path);
                    let refused = name != "FOLLOW" && row.no_links == Err("LinkRefused");
                    match make(&root, &rel(row.path)) {
                        Ok(made) => {
                            assert!(!refused, "{about}");
                            assert_eq!(Ok(&*made), row.locate, "{about}");
                            assert!(world.ws().join(made).is_file(), "{about}");
                        }
                        Err(error) if refused => assert_eq!(error, "LinkRefused", "{about}"),
                        Err(error) => match row.locate {
                            Err(want) => assert_eq!(error, want, "{about}"),
                            Ok(_) => assert_eq!(error, "Exists", "{about}"),
                        },
                    }
                    assert_eq!(world.surroundings(), before, "{about}");
                }
            }
        }
    });
}

#[test]
fn a_folder_takes_single_names_only() {
    let world = World::new();
    let before = world.surroundings();
    let root = world.root(Mode::FOLLOW, Resolver::Kernel);
    let dir = root.open_dir(&rel("d")).expect("a folder");
    for name in [
        "..",
        ".",
        "",
        "../../out/f",
        "e/f",
        "/etc/passwd",
        "a\0b",
        "e/",
    ] {
        let name = name.as_bytes();
        assert!(dir.open_file(name).is_err());
        assert!(dir.open_for_writing(name).is_err());
        assert!(dir.open_for_appending(name).is_err());
        assert!(dir.open_dir(name).is_err());
        assert!(dir.stat(name).is_err());
        assert!(dir.create_file(name, 0o600).is_err());
        assert!(dir.create_dir(name, 0o700).is_err());
        assert!(dir.remove_file(name).is_err());
        assert!(dir.remove_dir(name).is_err());
        assert!(!dir.may_write(name));
        for (from, to) in [(name, &b"x"[..]), (&b"e"[..], name)] {
            assert!(dir.rename(from, &dir, to).is_err());
            assert!(dir.rename_new(from, &dir, to).is_err());
            assert!(dir.exchange(from, &dir, to).is_err());
            assert!(dir.hard_link(from, &dir, to).is_err());
        }
    }
    let climbing = RelPath::root().join("..").join("out").join("f");
    for resolver in RESOLVERS {
        let root = world.root(Mode::FOLLOW, resolver);
        for path in [&climbing, &RelPath::root().join("..")] {
            assert!(root.open_file(path).is_err());
            assert!(root.open_dir(path).is_err());
            assert!(root.locate(path).is_err());
        }
    }
    assert_eq!(world.surroundings(), before);
}

#[test]
fn a_link_planted_at_a_new_name_is_not_written_through() {
    let world = World::new();
    let before = world.surroundings();
    let dir = world
        .root(Mode::FOLLOW, Resolver::Kernel)
        .open_dir(&RelPath::root())
        .expect("the root");
    for name in ["out_file", "out_dangling", "out_dir", "dangling"] {
        let name = name.as_bytes();
        assert_eq!(
            kind(&dir.create_file(name, 0o600).expect_err("taken")),
            "Exists"
        );
        assert_eq!(
            kind(&dir.create_dir(name, 0o700).expect_err("taken")),
            "Exists"
        );
        assert_eq!(
            kind(&dir.open_for_writing(name).expect_err("a link")),
            "LinkRefused"
        );
        assert_eq!(
            kind(&dir.open_for_appending(name).expect_err("a link")),
            "LinkRefused"
        );
        assert_eq!(
            kind(&dir.open_file(name).expect_err("a link")),
            "LinkRefused"
        );
        assert!(dir.open_dir(name).is_err());
    }
    dir.rename(b"out_file", &dir, b"moved")
        .expect("the link itself");
    dir.remove_file(b"moved").expect("the link itself");
    assert_eq!(world.surroundings(), before);
}

#[test]
fn a_way_longer_than_one_call_takes_is_walked() {
    let world = World::new();
    let mut dir = world
        .root(Mode::FOLLOW, Resolver::Kernel)
        .open_dir(&RelPath::root())
        .expect("the root");
    let name = [b'n'; 240];
    let mut path = RelPath::root();
    for _ in 0..25 {
        dir.create_dir(&name, 0o700).expect("a folder");
        dir = dir.open_dir(&name).expect("a folder");
        path = path.join(name);
    }
    dir.create_file(b"f", 0o600).expect("a file");
    for resolver in RESOLVERS {
        let root = world.root(Mode::STRICT, resolver);
        assert_eq!(read(&root, &path.join("f")).expect("a file").1, "");
        assert_eq!(read(&root, &path.join("x")), Err("NotFound".to_owned()));
        assert!(root.open_dir(&path).is_ok());
        assert!(
            root.locate(&path.join("new"))
                .is_ok_and(|place| place.missing.is_empty())
        );
        let deep = rel("d/".repeat(257));
        assert_eq!(read(&root, &deep), Err("NameTooLong".to_owned()));
        assert!(root.locate(&deep).is_err() && root.open_dir(&deep).is_err());
        let long = rel(format!("none/{}", "x/".repeat(200)));
        assert_eq!(read(&root, &long), Err("NotFound".to_owned()));
    }
}
