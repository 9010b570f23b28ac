//! Both resolvers give the same answer on any small tree with any links.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use proptest::prelude::{Just, ProptestConfig, Strategy, prop_oneof};
use proptest::{collection, proptest, sample};
use rooted::{RelPath, Resolver, Root};

use crate::world::{MODES, OUTSIDE, is_below, kind, read};

/// What is put at a path; what cannot be made since the path is taken is left out.
#[derive(Clone, Debug)]
enum Node {
    File,
    Dir,
    Link(String),
    AbsoluteLink(String),
}

fn name() -> impl Strategy<Value = String> {
    sample::select(vec!["a", "b", "c"]).prop_map(str::to_owned)
}

fn path() -> impl Strategy<Value = String> {
    collection::vec(name(), 1..4).prop_map(|names| names.join("/"))
}

/// A link's text: names, `.`, `..`, doubled slashes, and the way out and back in.
fn target() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        4 => name(),
        3 => Just("..".to_owned()),
        1 => Just(".".to_owned()),
        1 => Just(String::new()),
        1 => Just("../ws".to_owned()),
        1 => Just("../out".to_owned()),
    ];
    (name(), collection::vec(part, 0..5)).prop_map(|(first, parts)| {
        let text = parts.join("/");
        // An empty text is no link, and one that starts with a slash leads elsewhere.
        if text.trim_start_matches('/').is_empty() || text.starts_with('/') {
            format!("{first}{text}")
        } else {
            text
        }
    })
}

fn node() -> impl Strategy<Value = Node> {
    prop_oneof![
        Just(Node::File),
        Just(Node::Dir),
        target().prop_map(Node::Link),
        target().prop_map(Node::AbsoluteLink),
    ]
}

fn build(ws: &Path, nodes: &[(String, Node)]) {
    for (path, node) in nodes {
        let at = ws.join(path);
        let Some(parent) = at.parent() else { continue };
        // Only below real folders: this test's own paths must not lead out either.
        if fs::create_dir_all(parent).is_err() || !is_below(parent, ws) || at.is_symlink() {
            continue;
        }
        // What is there already stays.
        let _ = match node {
            Node::File if !at.exists() => fs::write(&at, path),
            Node::File => Ok(()),
            Node::Dir => fs::create_dir(&at),
            Node::Link(target) => symlink(target, &at),
            Node::AbsoluteLink(target) => symlink(ws.join(target), &at),
        };
    }
}

/// All that can be asked about a path, as text.
fn answers(root: &Root, path: &RelPath) -> Vec<String> {
    let place = root.locate(path);
    let place = place.map(|place| {
        (
            place.dir.path().clone(),
            place.name,
            place.path,
            place.missing,
            place.meta,
        )
    });
    vec![
        format!("{:?}", read(root, path)),
        format!("{:?}", root.find(path).map_err(|error| kind(&error))),
        format!("{:?}", place.map_err(|error| kind(&error))),
        match root.open_dir(path) {
            Ok(dir) => format!("{} {:?}", dir.path(), dir.list()),
            Err(error) => kind(&error),
        },
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(192) })]

    #[test]
    fn both_resolvers_answer_alike(
        nodes in collection::vec((path(), node()), 1..14),
        asked in collection::vec(collection::vec(name(), 1..6), 8),
    ) {
        let temp = tempfile::tempdir().expect("a temp folder");
        let ws = temp.path().join("ws");
        for dir in ["ws", "out/a/b"] {
            fs::create_dir_all(temp.path().join(dir)).expect("a folder");
        }
        for file in ["out/b", "out/c", "out/a/c"] {
            fs::write(temp.path().join(file), OUTSIDE).expect("a file");
        }
        build(&ws, &nodes);
        for (mode_name, mode) in MODES {
            let root = |resolver| Root::open(&ws, mode).expect("a root").with_resolver(resolver);
            let (kernel, walk) = (root(Resolver::Kernel), root(Resolver::Walk));
            for names in &asked {
                let path = RelPath::from_bytes(names.join("/").as_bytes()).expect("plain names");
                let (by_kernel, by_walk) = (answers(&kernel, &path), answers(&walk, &path));
                assert_eq!(by_kernel, by_walk, "{path} in {mode_name}");
                assert!(!by_walk.iter().any(|answer| answer.contains(OUTSIDE)), "{path}");
                if let Ok((_, real)) = walk.find(&path) {
                    let real = ws.join(real.as_str().expect("plain names"));
                    let host = fs::canonicalize(&real).expect("it is there");
                    assert_eq!(host, fs::canonicalize(&ws).expect("the root").join(
                        real.strip_prefix(&ws).expect("below the root")), "a real path has no links");
                }
            }
        }
    }
}
