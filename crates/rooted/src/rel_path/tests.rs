//! How a path argument is read.

use std::path::Path;

use super::{PathFault, RelPath};

fn parse(input: &str) -> Result<String, PathFault> {
    let roots = [Path::new("/private/tmp/w"), Path::new("/tmp/w")];
    RelPath::parse(input, &roots).map(|path| path.to_string())
}

#[test]
fn folds_by_text_and_stays_beneath_the_root() {
    for (input, want) in [
        ("a", "a"),
        (".", "."),
        ("./", "."),
        ("a//b/", "a/b"),
        ("a/./b", "a/b"),
        ("dir/../x", "x"),
        ("../w/a", "a"),
        ("/tmp/w/a", "a"),
        ("/private/tmp/w/a", "a"),
        ("/tmp/w", "."),
        (" lead", " lead"),
        ("-rf", "-rf"),
        ("100%25.txt", "100%25.txt"),
        ("a\\b", "a\\b"),
        ("~/x", "~/x"),
    ] {
        assert_eq!(parse(input).as_deref(), Ok(want), "{input}");
    }
}

#[test]
fn refuses_what_leads_out() {
    for input in [
        "..",
        "../w2/a",
        "../w-x",
        "a/../../x",
        "/etc/passwd",
        "/tmp/w2/a",
        "/",
    ] {
        assert_eq!(parse(input), Err(PathFault::Outside), "{input}");
    }
    assert_eq!(parse("  "), Err(PathFault::Empty));
    assert_eq!(parse("a\0b"), Err(PathFault::Nul));
}

#[test]
fn a_root_of_slash_holds_everything() {
    let path = RelPath::parse("/etc/hostname", &[Path::new("/")]);
    assert_eq!(
        path.map(|path| path.to_string()).as_deref(),
        Ok("etc/hostname")
    );
}

#[test]
fn starts_with_compares_whole_components() {
    let proj = RelPath::from_bytes(b"proj").expect("a plain name");
    let old = RelPath::from_bytes(b"proj-old/a").expect("a plain path");
    assert!(!old.starts_with(&proj));
    assert!(proj.join("a").starts_with(&proj));
    assert!(old.starts_with(&RelPath::root()));
}
