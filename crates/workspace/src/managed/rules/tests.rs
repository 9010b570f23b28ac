//! Each rule a row, in the order in which they are looked at.

use super::Rules;

fn said(path: &str) -> String {
    match Rules::new(&["Secret"]).parse(path) {
        Ok(path) => format!("ok {path}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn each_rule_has_its_code_and_message() {
    let long = "x/".repeat(512) + "y";
    let component = "x".repeat(256);
    for (path, want) in [
        ("", "ERROR [INVALID_PATH]: path must not be empty"),
        (
            " a",
            "ERROR [INVALID_PATH]: path must not have leading/trailing whitespace",
        ),
        (
            "a\u{3000}",
            "ERROR [INVALID_PATH]: path must not have leading/trailing whitespace",
        ),
        (
            "\u{1c}a",
            "ERROR [INVALID_PATH]: path must not have leading/trailing whitespace",
        ),
        (&long, "ERROR [INVALID_PATH]: path too long"),
        (
            "a\0b",
            "ERROR [INVALID_PATH]: control or format character in path",
        ),
        (
            "a\u{7f}b",
            "ERROR [INVALID_PATH]: control or format character in path",
        ),
        (
            "a\u{202e}b",
            "ERROR [INVALID_PATH]: control or format character in path",
        ),
        (
            "a\u{feff}b",
            "ERROR [INVALID_PATH]: control or format character in path",
        ),
        (
            "a\u{e0041}b",
            "ERROR [INVALID_PATH]: control or format character in path",
        ),
        (
            "/a",
            "ERROR [ABSOLUTE_PATH_FORBIDDEN]: absolute and root-relative paths are forbidden",
        ),
        (
            "\\a",
            "ERROR [ABSOLUTE_PATH_FORBIDDEN]: absolute and root-relative paths are forbidden",
        ),
        (
            "//host/share",
            "ERROR [ABSOLUTE_PATH_FORBIDDEN]: absolute and root-relative paths are forbidden",
        ),
        (
            "C:\\a",
            "ERROR [ABSOLUTE_PATH_FORBIDDEN]: drive-qualified paths are forbidden",
        ),
        (
            "a:b",
            "ERROR [ABSOLUTE_PATH_FORBIDDEN]: drive-qualified paths are forbidden",
        ),
        ("a//b", "ERROR [INVALID_PATH]: empty path component"),
        ("a/", "ERROR [INVALID_PATH]: empty path component"),
        ("..", "ERROR [PATH_TRAVERSAL_FORBIDDEN]: .. is forbidden"),
        (
            "a\\..\\b",
            "ERROR [PATH_TRAVERSAL_FORBIDDEN]: .. is forbidden",
        ),
        (
            ".",
            "ERROR [INVALID_PATH]: '.': components must be explicit",
        ),
        (
            "a/./b",
            "ERROR [INVALID_PATH]: '.': components must be explicit",
        ),
        (
            "a/b:c",
            "ERROR [INVALID_PATH]: ':' is forbidden in path components",
        ),
        (
            "a/ b",
            "ERROR [INVALID_PATH]: component must not have leading/trailing whitespace or trailing dots",
        ),
        (
            "a /b",
            "ERROR [INVALID_PATH]: component must not have leading/trailing whitespace or trailing dots",
        ),
        (
            "a./b",
            "ERROR [INVALID_PATH]: component must not have leading/trailing whitespace or trailing dots",
        ),
        (
            "a/...",
            "ERROR [INVALID_PATH]: component must not have leading/trailing whitespace or trailing dots",
        ),
        (&component, "ERROR [INVALID_PATH]: path component too long"),
        (
            "con",
            "ERROR [WINDOWS_RESERVED_NAME]: reserved device name: CON",
        ),
        (
            "a/Nul.txt",
            "ERROR [WINDOWS_RESERVED_NAME]: reserved device name: NUL",
        ),
        (
            "lpt9.tar.gz",
            "ERROR [WINDOWS_RESERVED_NAME]: reserved device name: LPT9",
        ),
        (
            "COM1",
            "ERROR [WINDOWS_RESERVED_NAME]: reserved device name: COM1",
        ),
        (
            ".GIT/x",
            "ERROR [INTERNAL_PATH_FORBIDDEN]: internal path is forbidden: .GIT",
        ),
        (
            "a/Git~1/hooks",
            "ERROR [INTERNAL_PATH_FORBIDDEN]: internal path is forbidden: Git~1",
        ),
        (
            "a/.workspace-mcp",
            "ERROR [INTERNAL_PATH_FORBIDDEN]: internal path is forbidden: .workspace-mcp",
        ),
        (
            ".mcp-tmp-1.TMP",
            "ERROR [INTERNAL_PATH_FORBIDDEN]: internal path is forbidden: .mcp-tmp-1.TMP",
        ),
        (
            "a/.Workspace-mcp-tmp-1/b",
            "ERROR [INTERNAL_PATH_FORBIDDEN]: internal path is forbidden: .Workspace-mcp-tmp-1",
        ),
        (
            "Node_Modules/x",
            "ERROR [EXCLUDED_PATH]: excluded path: Node_Modules",
        ),
        ("a/SECRET", "ERROR [EXCLUDED_PATH]: excluded path: SECRET"),
        // A component that is no name comes before one that is forbidden.
        (
            ".git/..",
            "ERROR [PATH_TRAVERSAL_FORBIDDEN]: .. is forbidden",
        ),
    ] {
        assert_eq!(said(path), want, "{path:?}");
    }
}

#[test]
fn other_paths_are_fine() {
    for (path, want) in [
        ("a", "ok a"),
        ("a\\b/c", "ok a/b/c"),
        ("ä b/COM0", "ok ä b/COM0"),
        ("console", "ok console"),
        (".gitignore", "ok .gitignore"),
        ("COM10", "ok COM10"),
        (
            "a:",
            "ERROR [ABSOLUTE_PATH_FORBIDDEN]: drive-qualified paths are forbidden",
        ),
        (
            "ä:",
            "ERROR [INVALID_PATH]: ':' is forbidden in path components",
        ),
    ] {
        assert_eq!(said(path), want, "{path:?}");
    }
    let long = "x".repeat(255);
    assert_eq!(said(&long), format!("ok {long}"));
}

#[test]
fn names_that_are_hidden() {
    let rules = Rules::new(&["Secret"]);
    for name in [
        ".git",
        "git~1",
        ".Workspace-MCP",
        "DIST",
        "secret",
        ".mcp-tmp-1.TMP",
        ".workspace-mcp-tmp-1",
    ] {
        assert!(rules.hides(name.as_bytes()), "{name}");
    }
    for name in ["git", ".gitignore", "secrets", ".mcp-tmp-1"] {
        assert!(!rules.hides(name.as_bytes()), "{name}");
    }
}

/// What may be changed can be brought back.
#[test]
fn each_path_that_is_taken_is_tracked() {
    let rules = Rules::new(&["Secret", "Ä b", "ſ"]);
    let tracked = crate::checkpoint::Rules::new(1, rules.excluded());
    let names = [
        ".git",
        "git~1",
        ".workspace-mcp",
        ".workspace-mcp-tmp-",
        ".mcp-tmp-",
        "build",
        "secret",
        "ä B",
        "ſ",
        "K",
    ];
    let mut n_taken = 0;
    for name in names {
        for name in [name.to_owned(), name.to_uppercase(), name.to_lowercase()] {
            for front in ["", "a", ".", "\u{200d}", " ", "~"] {
                for back in [
                    "", "x", ".", " ", " .", ".tmp", ".TMP", "::$DATA", ":x", "\u{feff}",
                ] {
                    for path in [
                        format!("{front}{name}{back}"),
                        format!("{front}{name}{back}/x"),
                        format!("x\\{front}{name}{back}"),
                    ] {
                        let Ok(parsed) = rules.parse(&path) else {
                            continue;
                        };
                        assert!(tracked.tracks(&parsed), "{path:?}");
                        n_taken += 1;
                    }
                }
            }
        }
    }
    assert!(n_taken > 500, "{n_taken}");
}
