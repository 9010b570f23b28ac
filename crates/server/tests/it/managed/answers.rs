//! What failures say: which file, what is left, and what to do.

use std::fs;

use serde_json::json;

use super::world::{World, create, hash};

#[test]
fn a_path_of_the_servers_own_temporary_files_is_internal() {
    let world = World::new(&[(".mcp-tmp-old.tmp", "x"), ("a.txt", "a")]);
    let mut talk = world.start();
    for path in [
        ".mcp-tmp-old.tmp",
        "dir/.MCP-TMP-1.tmp",
        ".workspace-mcp-tmp-0123456789abcdef-0",
        "dir/.Workspace-Mcp-Tmp-x/y",
    ] {
        let wanted = "ERROR [INTERNAL_PATH_FORBIDDEN]: internal path is forbidden: .";
        for operation in [
            create(path, "x"),
            json!({"op": "create_directory", "path": path}),
            json!({"op": "move", "source": "a.txt", "destination": path}),
            json!({"op": "delete_file", "path": path, "expected_sha256": hash("x")}),
        ] {
            let fault = talk.apply_fault(std::slice::from_ref(&operation));
            assert!(fault.starts_with(wanted), "{operation}: {fault}");
        }
        for tool in ["read_file", "list_directory"] {
            let fault = talk.fault(tool, json!({"path": path}));
            assert!(fault.starts_with(wanted), "{tool} {path}: {fault}");
        }
    }
    assert_eq!(
        talk.ok("list_directory", json!({}))["entries"][0]["name"],
        "a.txt"
    );
}

#[test]
fn errors_say_which_file_and_what_to_do() {
    let world = World::with(
        &[
            ("a.txt", "a"),
            ("dir/large", "12345678901"),
            ("full/build/x", "x"),
        ],
        "max_file_bytes = 10\nmax_read_bytes = 5\n",
    );
    world.write("longer", "123456");
    let mut talk = world.start();
    for (operation, wanted) in [
        (
            create("a.txt", "b"),
            "ERROR [FILE_ALREADY_EXISTS]: already exists: a.txt\noperation 0 (create_file a.txt); \
             nothing was changed; replace_file changes a file that is there",
        ),
        (
            json!({"op": "move", "source": "dir", "destination": "there"}),
            "ERROR [FILE_TOO_LARGE]: file exceeds max_file_bytes (10): dir/large\n\
             operation 0 (move dir to there); nothing was changed; no checkpoint holds it, so no \
             tool changes it",
        ),
        (
            json!({"op": "delete_empty_directory", "path": "full"}),
            "ERROR [DIRECTORY_NOT_EMPTY]: directory not empty: full\n\
             operation 0 (delete_empty_directory full); nothing was changed; entries that \
             list_directory does not show count too",
        ),
        (
            json!({"op": "move", "source": "a.txt", "destination": "a.txt"}),
            "ERROR [TRANSACTION_FAILED]: operation 0: no-op move\nnothing was changed",
        ),
    ] {
        let fault = talk.fault("apply_changes", json!({"operations": [operation]}));
        assert_eq!(fault, wanted);
    }
    assert_eq!(
        talk.fault("read_file", json!({"path": "longer", "limit": 1})),
        "ERROR [READ_TOO_LARGE]: file exceeds max_read_bytes (5)\n\
         the configuration sets this limit, for parts of a file too"
    );
}

#[test]
fn half_a_character_is_refused_wherever_it_is() {
    let world = World::new(&[("a.txt", "a")]);
    let mut talk = world.start();
    let before = world.snapshot();
    for (id, tool, arguments, way) in [
        (
            900,
            "apply_changes",
            r#"{"operations":[{"op":"create_file","path":"b","content":"x"},{"op":"create_file","path":"c","content":"\ud83d"}]}"#,
            "operations[1].content",
        ),
        (
            901,
            "apply_changes",
            r#"{"operations":[{"op":"create_directory","path":"x\udc00"}]}"#,
            "operations[0].path",
        ),
        (902, "read_file", r#"{"path":"a\ud800"}"#, "path"),
        (
            903,
            "git_restore",
            r#"{"checkpoint":"abcdef","paths":["a.txt","\ud83d"]}"#,
            "paths[1]",
        ),
    ] {
        let answer = {
            talk.client.send_line(&format!(
                r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}","arguments":{arguments}}}}}"#
            ));
            talk.client.recv(id)
        };
        assert_eq!(
            answer["result"]["content"][0]["text"],
            format!(
                "Error executing tool {tool}: invalid arguments: {way}: half of a surrogate pair \
                 is no character"
            )
        );
    }
    assert_eq!(world.snapshot(), before);
    // Whole ones, and U+FFFD itself, are characters.
    talk.apply(&[create("\u{fffd}", "😀\u{fffd}")]);
    assert_eq!(world.read("\u{fffd}"), "😀\u{fffd}");
}

#[cfg(unix)]
#[test]
fn a_history_that_was_taken_away_is_not_called_foreign() {
    let world = World::new(&[("a.txt", "a\n")]);
    let mut talk = world.start();
    fs::rename(world.path(".git"), world.base().join("away")).unwrap();
    let gone = "ERROR [GIT_ERROR]: the checkpoints are damaged: `.git` is gone; put it back, or \
                start anew for a new history";
    assert_eq!(talk.fault("git_status", json!({})), gone);
    assert_eq!(
        talk.fault("apply_changes", json!({"operations": [create("b", "b")]})),
        format!("{gone}\nnothing was changed")
    );
    assert!(!world.has("b"));
    fs::rename(world.base().join("away"), world.path(".git")).unwrap();
    talk.apply(&[create("b", "b")]);
    assert_eq!(talk.ok("git_status", json!({}))["clean"], true);
}

#[cfg(target_os = "linux")]
#[test]
fn a_name_that_the_disk_cannot_hold_is_an_invalid_path() {
    let world = World::new(&[]);
    let mut talk = world.start();
    // 255 characters may be more than the 255 bytes that a name has there.
    let fault = talk.apply_fault(&[create(&"é".repeat(200), "x")]);
    assert!(
        fault.starts_with("ERROR [INVALID_PATH]: name too long: é"),
        "{fault}"
    );
}
