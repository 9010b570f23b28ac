//! Every code of the toolset, each path rule, and the texts that go with them.

use std::fs;

use serde_json::{Value, json};
use workspace::managed::Code;

use super::world::{World, create, hash};

/// Texts that are no paths, in the order of the rules, with what is said of them.
const BAD_PATHS: &[(&str, &str)] = &[
    ("", "ERROR [INVALID_PATH]: path must not be empty"),
    (
        " a",
        "ERROR [INVALID_PATH]: path must not have leading/trailing whitespace",
    ),
    (
        "a\n",
        "ERROR [INVALID_PATH]: path must not have leading/trailing whitespace",
    ),
    (
        "a\u{7}b",
        "ERROR [INVALID_PATH]: control or format character in path",
    ),
    (
        "a\u{200b}b",
        "ERROR [INVALID_PATH]: control or format character in path",
    ),
    (
        "/etc/passwd",
        "ERROR [ABSOLUTE_PATH_FORBIDDEN]: absolute and root-relative paths are forbidden",
    ),
    (
        "\\\\server\\share",
        "ERROR [ABSOLUTE_PATH_FORBIDDEN]: absolute and root-relative paths are forbidden",
    ),
    (
        "C:\\x",
        "ERROR [ABSOLUTE_PATH_FORBIDDEN]: drive-qualified paths are forbidden",
    ),
    (
        "a:b",
        "ERROR [ABSOLUTE_PATH_FORBIDDEN]: drive-qualified paths are forbidden",
    ),
    ("a//b", "ERROR [INVALID_PATH]: empty path component"),
    ("a/", "ERROR [INVALID_PATH]: empty path component"),
    ("../x", "ERROR [PATH_TRAVERSAL_FORBIDDEN]: .. is forbidden"),
    (
        "a\\..\\x",
        "ERROR [PATH_TRAVERSAL_FORBIDDEN]: .. is forbidden",
    ),
    (
        "./a",
        "ERROR [INVALID_PATH]: '.': components must be explicit",
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
        "dir/nul.txt",
        "ERROR [WINDOWS_RESERVED_NAME]: reserved device name: ",
    ),
    (
        "Com1",
        "ERROR [WINDOWS_RESERVED_NAME]: reserved device name: ",
    ),
    (
        ".git/config",
        "ERROR [INTERNAL_PATH_FORBIDDEN]: internal path is forbidden: ",
    ),
    (
        "dir/.GIT",
        "ERROR [INTERNAL_PATH_FORBIDDEN]: internal path is forbidden: ",
    ),
    (
        ".workspace-mcp/lock",
        "ERROR [INTERNAL_PATH_FORBIDDEN]: internal path is forbidden: ",
    ),
    (
        "node_modules/x.js",
        "ERROR [EXCLUDED_PATH]: excluded path: ",
    ),
    ("dir/Build", "ERROR [EXCLUDED_PATH]: excluded path: "),
    ("target", "ERROR [EXCLUDED_PATH]: excluded path: "),
];

/// Every way to hand over a path.
fn every_call(path: &str) -> Vec<(&'static str, Value)> {
    let hash = hash("");
    let one = |operation: Value| json!({"operations": [operation]});
    let mut calls = vec![
        ("read_file", json!({"path": path})),
        ("apply_changes", one(create(path, "x"))),
    ];
    for operation in [
        json!({"op": "replace_file", "path": path, "content": "", "expected_sha256": hash}),
        json!({"op": "replace_text", "path": path, "old_text": "a", "new_text": "b", "expected_sha256": hash}),
        json!({"op": "create_directory", "path": path}),
        json!({"op": "delete_file", "path": path, "expected_sha256": hash}),
        json!({"op": "delete_empty_directory", "path": path}),
        json!({"op": "move", "source": "a.txt", "destination": path}),
    ] {
        calls.push(("apply_changes", one(operation)));
    }
    // Of these an empty path is the root, or above everything.
    if !path.is_empty() {
        let away = json!({"op": "move", "source": path, "destination": "free"});
        calls.push(("apply_changes", one(away)));
        calls.push(("list_directory", json!({"path": path})));
        calls.push(("search_text", json!({"query": "a", "path_limit": path})));
        calls.push(("git_diff", json!({"path": path})));
    }
    calls
}

#[test]
fn every_path_rule_holds_for_every_argument() {
    let world = World::with(&[("a.txt", "a\n")], "excluded = [\"Target\"]\n");
    let mut talk = world.start();
    let long = ["a".repeat(256), vec!["a"; 513].join("/")];
    let rows = BAD_PATHS.iter().copied().chain([
        (
            long[0].as_str(),
            "ERROR [INVALID_PATH]: path component too long",
        ),
        (long[1].as_str(), "ERROR [INVALID_PATH]: path too long"),
    ]);
    for (path, wanted) in rows {
        for (tool, arguments) in every_call(path) {
            let fault = talk.fault(tool, arguments.clone());
            assert!(fault.starts_with(wanted), "{tool} {arguments}: {fault}");
        }
    }
    assert_eq!(talk.messages(), ["initial snapshot"]);
    assert_eq!(world.files().len(), 1);
}

#[test]
fn what_is_missing_or_of_another_kind_is_told() {
    let world = World::new(&[("a.txt", "aa\n"), ("dir/b.txt", "b\n")]);
    world.write("image.bin", b"\0\x01");
    world.write("latin.txt", b"caf\xe9\n");
    let mut talk = world.start();
    let a = hash("aa\n");
    let rows = [
        (
            "read_file",
            json!({"path": "gone"}),
            "ERROR [FILE_NOT_FOUND]: not found: gone",
        ),
        (
            "read_file",
            json!({"path": "a.txt/x"}),
            "ERROR [DIRECTORY_EXPECTED]: a parent component is not a directory: ",
        ),
        (
            "read_file",
            json!({"path": "dir"}),
            "ERROR [DIRECTORY_EXPECTED]: not a file: dir",
        ),
        (
            "read_file",
            json!({"path": "image.bin"}),
            "ERROR [BINARY_FILE_UNSUPPORTED]: binary files are not supported",
        ),
        (
            "read_file",
            json!({"path": "latin.txt"}),
            "ERROR [BINARY_FILE_UNSUPPORTED]: file is not valid UTF-8 text",
        ),
        (
            "list_directory",
            json!({"path": "a.txt"}),
            "ERROR [DIRECTORY_EXPECTED]: not a directory: a.txt",
        ),
        (
            "list_directory",
            json!({"path": "gone"}),
            "ERROR [FILE_NOT_FOUND]: not found: gone",
        ),
        (
            "git_diff",
            json!({"checkpoint": "abcdef"}),
            "ERROR [CHECKPOINT_NOT_FOUND]: unknown checkpoint: abcdef",
        ),
        (
            "git_restore",
            json!({"checkpoint": "HEAD"}),
            "ERROR [CHECKPOINT_NOT_FOUND]: unknown checkpoint: HEAD",
        ),
    ];
    for (tool, arguments, wanted) in rows {
        let fault = talk.fault(tool, arguments);
        assert!(fault.starts_with(wanted), "{fault} for {wanted}");
    }
    let text = |old: &str| json!({"op": "replace_text", "path": "a.txt", "old_text": old, "new_text": "x", "expected_sha256": a});
    let rows = [
        (
            create("a.txt", "x"),
            "ERROR [FILE_ALREADY_EXISTS]: already exists: a.txt",
        ),
        (
            json!({"op": "create_directory", "path": "dir"}),
            "ERROR [FILE_ALREADY_EXISTS]: already exists: dir",
        ),
        (
            json!({"op": "move", "source": "a.txt", "destination": "dir/b.txt"}),
            "ERROR [FILE_ALREADY_EXISTS]: destination already exists: dir/b.txt",
        ),
        (
            json!({"op": "delete_file", "path": "a.txt", "expected_sha256": hash("other")}),
            "ERROR [HASH_MISMATCH]: file changed since it was read (expected_sha256 mismatch)",
        ),
        (
            text("zz"),
            "ERROR [TEXT_NOT_FOUND]: old_text not found in file",
        ),
        (
            text("a"),
            "ERROR [TEXT_NOT_UNIQUE]: old_text occurs 2 times; must be unique",
        ),
        (
            json!({"op": "delete_file", "path": "dir", "expected_sha256": a}),
            "ERROR [DIRECTORY_EXPECTED]: not a file: dir",
        ),
        (
            json!({"op": "delete_empty_directory", "path": "dir"}),
            "ERROR [DIRECTORY_NOT_EMPTY]: directory not empty: dir",
        ),
        (
            json!({"op": "move", "source": "dir", "destination": "dir/x"}),
            "ERROR [TRANSACTION_FAILED]: operation 0: cannot move a directory into its own subtree",
        ),
        (
            json!({"op": "move", "source": "a.txt", "destination": "a.txt"}),
            "ERROR [TRANSACTION_FAILED]: operation 0: no-op move",
        ),
    ];
    for (operation, wanted) in rows {
        assert_eq!(talk.apply_fault(&[operation]), wanted);
    }
    let twice = [create("new", "1"), create("New", "2")];
    assert_eq!(
        talk.apply_fault(&twice),
        "ERROR [TRANSACTION_FAILED]: operation 1: path already touched by earlier operation: New"
    );
    assert_eq!(talk.messages(), ["initial snapshot"], "nothing was made");
    assert!(!world.has("new"));
}

#[test]
fn limits_are_told() {
    let world = World::with(
        &[("big", &"x".repeat(21))],
        "max_file_bytes = 20\nmax_read_bytes = 10\nmax_transaction_bytes = 30\n",
    );
    world.write("middle", "y".repeat(11));
    let mut talk = world.start();
    assert_eq!(
        talk.fault("read_file", json!({"path": "middle"})),
        "ERROR [READ_TOO_LARGE]: file exceeds max_read_bytes (10)\n\
         the configuration sets this limit, for parts of a file too"
    );
    let large = "ERROR [FILE_TOO_LARGE]: ";
    for operation in [
        create("a", &"z".repeat(21)),
        json!({"op": "move", "source": "big", "destination": "b"}),
        json!({"op": "delete_file", "path": "big", "expected_sha256": hash("x".repeat(21))}),
    ] {
        let fault = talk.apply_fault(&[operation]);
        assert!(fault.starts_with(large), "{fault}");
    }
    let fault = talk.apply_fault(&[create("a", &"z".repeat(16)), create("b", &"z".repeat(16))]);
    assert!(fault.starts_with("ERROR [TRANSACTION_FAILED]: "), "{fault}");
    assert!(fault.contains("max_transaction_bytes"), "{fault}");
    assert_eq!(talk.messages(), ["initial snapshot"]);
}

#[test]
fn operations_that_are_turned_off_are_refused() {
    for (key, operation) in [
        ("allow_create_file", create("new", "")),
        (
            "allow_modify_file",
            json!({"op": "replace_file", "path": "a.txt", "content": "b", "expected_sha256": hash("a")}),
        ),
        (
            "allow_delete_file",
            json!({"op": "delete_file", "path": "a.txt", "expected_sha256": hash("a")}),
        ),
        (
            "allow_move",
            json!({"op": "move", "source": "a.txt", "destination": "b.txt"}),
        ),
        (
            "allow_create_directory",
            json!({"op": "create_directory", "path": "d"}),
        ),
        (
            "allow_delete_empty_directory",
            json!({"op": "delete_empty_directory", "path": "empty"}),
        ),
    ] {
        let world = World::with(&[("a.txt", "a")], &format!("[write]\n{key} = false\n"));
        fs::create_dir(world.path("empty")).unwrap();
        let mut talk = world.start();
        let fault = talk.apply_fault(std::slice::from_ref(&operation));
        let start = "ERROR [OPERATION_NOT_ALLOWED]: ";
        assert!(fault.starts_with(start), "{key}: {fault}");
        world.configure("");
        drop(talk);
        world.start().apply(&[operation]);
    }
}

#[cfg(unix)]
#[test]
fn links_and_second_names_are_refused() {
    use std::os::unix::fs::symlink;
    let world = World::new(&[("a.txt", "a\n"), ("dir/b.txt", "b\n")]);
    symlink("a.txt", world.path("link")).unwrap();
    symlink("dir", world.path("folder")).unwrap();
    symlink(world.base(), world.path("out")).unwrap();
    fs::hard_link(world.path("a.txt"), world.path("second")).unwrap();
    let mut talk = world.start();
    let link = "ERROR [REPARSE_POINT_FORBIDDEN]: reparse point in path: ";
    let second = "ERROR [HARDLINK_FORBIDDEN]: file has multiple hard links";
    for (path, wanted) in [
        ("link", link),
        ("folder/b.txt", link),
        ("out/config.toml", link),
        ("second", second),
    ] {
        for (tool, arguments) in [
            ("read_file", json!({"path": path})),
            (
                "apply_changes",
                json!({"operations": [{"op": "delete_file", "path": path, "expected_sha256": hash("a\n")}]}),
            ),
        ] {
            let fault = talk.fault(tool, arguments);
            assert!(fault.starts_with(wanted), "{tool} {path}: {fault}");
        }
    }
    for path in ["folder/new", "out/new"] {
        let fault = talk.apply_fault(&[create(path, "x")]);
        assert!(fault.starts_with(link), "{path}: {fault}");
    }
    drop(talk);
    world.configure("[paths]\nreject_reparse_points = false\n");
    let mut talk = world.start();
    assert_eq!(
        talk.ok("read_file", json!({"path": "folder/b.txt"}))["content"],
        "b\n"
    );
    let fault = talk.fault("read_file", json!({"path": "out/config.toml"}));
    assert!(
        fault.starts_with("ERROR [PATH_OUTSIDE_WORKSPACE]: "),
        "{fault}"
    );
}

#[test]
fn a_damaged_history_is_told_without_paths() {
    let world = World::new(&[("a.txt", "a\n")]);
    let mut talk = world.start();
    fs::write(world.path(".git/refs/heads/master"), "f".repeat(40) + "\n").unwrap();
    let fault = talk.fault("git_history", json!({}));
    assert!(fault.starts_with("ERROR [GIT_ERROR]: "), "{fault}");
    assert!(
        !fault.contains(&world.base().display().to_string()),
        "{fault}"
    );
}

#[test]
fn the_operation_that_fails_is_named() {
    let world = World::new(&[("a.txt", "aa\n")]);
    let mut talk = world.start();
    let delete =
        |hash: &str| json!({"op": "delete_file", "path": "a.txt", "expected_sha256": hash});
    let mismatch =
        "ERROR [HASH_MISMATCH]: file changed since it was read (expected_sha256 mismatch)";
    for (operations, wanted) in [
        (
            vec![create("new", ""), delete(&hash("other"))],
            format!(
                "{mismatch}\noperation 1 (delete_file a.txt); nothing was changed; read the file \
                 again and send its new sha256"
            ),
        ),
        (
            vec![delete(&format!("sha256:{}", hash("aa\n")))],
            format!(
                "{mismatch}\noperation 0 (delete_file a.txt); nothing was changed; expected_sha256 \
                 takes 64 hex digits and nothing else"
            ),
        ),
        (
            vec![
                create("new", ""),
                json!({"op": "move", "source": "gone", "destination": "there"}),
            ],
            "ERROR [FILE_NOT_FOUND]: not found: gone\noperation 1 (move gone to there); nothing was changed"
                .to_owned(),
        ),
        (
            vec![create("docs/", "")],
            "ERROR [INVALID_PATH]: empty path component\noperation 0 (create_file docs/); nothing was \
             changed; no slash ends a path, and no two follow each other"
                .to_owned(),
        ),
        // What is wrong with the list as a whole says so itself.
        (
            vec![create("new", ""), create("new", "")],
            "ERROR [TRANSACTION_FAILED]: operation 1: path already touched by earlier operation: new\n\
             nothing was changed"
                .to_owned(),
        ),
    ] {
        let fault = talk.fault("apply_changes", json!({"operations": operations}));
        assert_eq!(fault, wanted);
    }
    assert!(!world.has("new"));
}

#[test]
fn what_to_do_is_said_in_a_second_line() {
    let world = World::new(&[]);
    let mut talk = world.start();
    for (tool, arguments, wanted) in [
        (
            "list_directory",
            json!({"path": "."}),
            "ERROR [INVALID_PATH]: '.': components must be explicit\nleave out ./; the root itself is \
             an empty path",
        ),
        (
            "read_file",
            json!({"path": "/a.txt"}),
            "ERROR [ABSOLUTE_PATH_FORBIDDEN]: absolute and root-relative paths are forbidden\npaths \
             are relative to the workspace",
        ),
        (
            "git_restore",
            json!({"checkpoint": "latest"}),
            "ERROR [CHECKPOINT_NOT_FOUND]: unknown checkpoint: latest\ngit_history lists the \
             checkpoints",
        ),
    ] {
        assert_eq!(talk.fault(tool, arguments), wanted);
    }
}

#[test]
fn a_slip_in_a_path_does_not_look_like_no_difference() {
    let world = World::new(&[("a.txt", "a\n"), ("dir/b.txt", "b\n")]);
    let mut talk = world.start();
    let start = talk.head();
    talk.apply(&[
        json!({"op": "delete_file", "path": "dir/b.txt", "expected_sha256": hash("b\n")}),
    ]);
    let missing = "ERROR [FILE_NOT_FOUND]: not found: a.tx";
    for (tool, arguments) in [
        ("git_diff", json!({"path": "a.tx"})),
        ("git_diff", json!({"path": "a.tx", "checkpoint": start})),
        (
            "git_restore",
            json!({"paths": ["a.txt", "a.tx"], "checkpoint": start}),
        ),
        (
            "git_restore",
            json!({"paths": ["a.tx"], "checkpoint": start, "dry_run": true}),
        ),
    ] {
        assert_eq!(talk.fault(tool, arguments), missing, "{tool}");
    }
    // What only the checkpoint has is no slip, and neither is a folder.
    let diff = talk.ok(
        "git_diff",
        json!({"path": "dir", "checkpoint": start, "stat": true}),
    );
    assert_eq!(
        diff["stat"],
        json!([{"path": "dir/b.txt", "added": 0, "removed": 1}])
    );
    assert_eq!(talk.ok("git_diff", json!({"path": ""}))["diff"], "");
    talk.ok(
        "git_restore",
        json!({"paths": ["dir/b.txt"], "checkpoint": start}),
    );
    assert_eq!(world.read("dir/b.txt"), "b\n");
}

/// On Windows nobody can take away what a server has open.
#[cfg(windows)]
#[test]
fn a_folder_that_is_served_stays_where_it_is() {
    let world = World::new(&[("a.txt", "a\n")]);
    let mut talk = world.start();
    for path in [world.root(), world.path(".git")] {
        let moved = fs::rename(&path, world.base().join("elsewhere"));
        assert!(moved.is_err(), "{}", path.display());
    }
    talk.apply(&[create("new", "")]);
}

#[cfg(unix)]
#[test]
fn a_folder_that_is_gone_is_told() {
    let world = World::new(&[("a.txt", "a\n")]);
    let mut talk = world.start();
    fs::rename(world.root(), world.base().join("elsewhere")).unwrap();
    let gone = "ERROR [INTERNAL_ERROR]: the workspace folder is gone; put it back or start anew";
    assert_eq!(talk.fault("read_file", json!({"path": "a.txt"})), gone);
    assert_eq!(talk.apply_fault(&[create("new", "")]), gone);
    assert_eq!(talk.ok("workspace_info", json!({}))["root_exists"], false);
    fs::rename(world.base().join("elsewhere"), world.root()).unwrap();
    assert_eq!(talk.ok("workspace_info", json!({}))["root_exists"], true);
    talk.apply(&[create("new", "")]);
}

#[test]
fn what_cannot_be_taken_back_stops_changes_until_it_can() {
    let world = World::new(&[("a.txt", "a\n")]);
    drop(world.start());
    // A change that ended before its file was in place, and a folder where the file was kept.
    let record = r#"{"version":2,"steps":[{"act":"new","path":"new"}]}"#;
    world.write(
        ".workspace-mcp/tx/0000000000000007.json",
        format!("{record}\n"),
    );
    let kept = ".workspace-mcp-tmp-0000000000000007-0";
    world.write(&format!("{kept}/x"), "");
    let said = String::from_utf8(world.run(&[]).stderr).unwrap();
    assert_eq!(
        said,
        "[workspace-mcp] an earlier server ended in the middle of a change: 0 taken back, \
         0 finished, 1 left for the next start\n"
    );
    let mut talk = world.start();
    let fault = talk.apply_fault(&[create("b.txt", "b\n")]);
    assert!(fault.starts_with("ERROR [ROLLBACK_FAILED]: "), "{fault}");
    assert!(!world.has("b.txt"));
    fs::remove_dir_all(world.path(kept)).unwrap();
    talk.apply(&[create("b.txt", "b\n")]);
    assert!(!world.has(".workspace-mcp/tx/0000000000000007.json"));
}

#[test]
fn bad_arguments_are_one_sentence() {
    let world = World::new(&[]);
    let mut talk = world.start();
    for (tool, arguments, wanted) in [
        ("read_file", json!({}), "path: missing, expected text"),
        (
            "search_text",
            json!({"query": ""}),
            "query: expected text of at least 1 character, got \"\"",
        ),
        (
            "search_text",
            json!({"query": "(", "regex": true}),
            "query: no regular expression (unclosed group); leave out regex to search for text",
        ),
        (
            "git_history",
            json!({"limit": 101}),
            "limit: expected an integer from 1 to 100, got 101",
        ),
        (
            "git_restore",
            json!({"checkpoint": "abcdef", "paths": []}),
            "paths: expected a list of texts with at least 1 item, got []",
        ),
        (
            "apply_changes",
            json!({"operations": []}),
            "operations: expected a list of objects with at least 1 item, got []",
        ),
        (
            "apply_changes",
            json!({"operations": [{"op": "create_file", "path": "a", "contents": "x"}]}),
            "operations[0].contents: no such field; operations[0].content: missing, create_file \
             needs it",
        ),
        (
            "apply_changes",
            json!({"operations": [{"op": "move", "path": "a", "source": "b", "destination": "c"}]}),
            "operations[0].path: no field of move",
        ),
        (
            "apply_changes",
            json!({"operations": vec![create("a", ""); 201]}),
            "operations: expected at most 200, got 201",
        ),
        (
            "apply_changes",
            json!({"operations": [create("what?.txt", "")]}),
            "operations[0].path: a path holds none of * ? \" < > |",
        ),
    ] {
        let wanted = format!("invalid arguments: {wanted}");
        assert_eq!(talk.fault(tool, arguments), wanted);
    }
}

#[test]
fn every_code_is_explained() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/managed.md");
    let page = fs::read_to_string(page).unwrap();
    for code in Code::ALL {
        assert!(page.contains(&format!("`{code}`")), "{code}");
    }
}

#[test]
fn every_code_is_reached_here() {
    let sources = [include_str!("codes.rs"), include_str!("start.rs")].concat();
    for code in Code::ALL
        .iter()
        .filter(|code| **code != Code::NotUnderSameRoot)
    {
        assert!(sources.contains(&format!("ERROR [{code}]")), "{code}");
    }
}
