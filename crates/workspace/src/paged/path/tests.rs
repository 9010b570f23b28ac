use super::{Path, is_ours, is_plain, order};

fn read(input: &str) -> Option<String> {
    Path::parse(input).ok().map(|path| path.as_str().to_owned())
}

#[test]
fn the_grammar_of_paths() {
    for (input, path) in [
        ("", ""),
        (".", ""),
        ("lib", "lib"),
        ("lib//a", "lib/a"),
        ("lib/", "lib"),
        ("lib/C:x", "lib/C:x"),
        ("a b/é😀", "a b/é😀"),
        ("...", "..."),
    ] {
        assert_eq!(read(input).as_deref(), Some(path), "{input}");
    }
    for input in [
        "/", "/a", "a\\b", "\\", "a\0", "\0", "C:", "c:x", "./lib", "lib/.", "lib/./a", "..",
        "a/..", "../a", "./",
    ] {
        assert_eq!(read(input), None, "{input:?}");
    }
}

#[test]
fn a_path_is_as_long_as_its_utf16() {
    let unit = |n| "é".repeat(n);
    assert!(read(&unit(1024)).is_some());
    assert!(read(&unit(1025)).is_none());
    assert!(read(&"😀".repeat(512)).is_some());
    assert!(read(&"😀".repeat(513)).is_none());
    assert!(is_plain(&"a".repeat(1024)) && !is_plain(&"a".repeat(1025)));
}

#[test]
fn paths_sort_by_utf16() {
    let mut paths = [
        "\u{fffd}", "😀", "z", "a/b", "a-b", "a", "é", "\u{d7ff}", "\u{e000}",
    ];
    let mut expected = paths;
    paths.sort_by(|a, b| order(a, b));
    expected.sort_by_key(|path| path.encode_utf16().collect::<Vec<_>>());
    assert_eq!(paths, expected);
}

#[test]
fn what_lies_beneath_what() {
    let lib = Path::parse("lib").unwrap();
    assert!(lib.holds("lib") && lib.holds("lib/a") && !lib.holds("library"));
    assert!(lib.is_beneath("") && lib.is_beneath("lib") && !lib.is_beneath("li"));
    assert!(Path::root().holds("x") && !lib.is_beneath("lib/a"));
}

#[test]
fn our_own_names_are_hidden() {
    assert!(is_ours(b".workspace-mcp") && is_ours(b".Workspace-MCP"));
    assert!(is_ours(b".workspace-mcp-tmp-00") && !is_ours(b".workspace-mcp2"));
}
