//! Whole sessions: what a chat model does, over each era of the protocol and each transport.

use std::fs;

use serde_json::{Value, json};

use super::world::{Talk, World, create, hash};
use crate::client::Client;
use crate::http::peer::{Request, Served};

/// Sends a call; gives the result.
type Call<'a> = dyn FnMut(&str, Value) -> Value + 'a;

fn data(result: &Value) -> &Value {
    assert!(result.get("isError").is_none(), "{result}");
    let data = &result["structuredContent"];
    assert_eq!(result["content"][0]["text"], format!("{data:#}"));
    data
}

/// Looks around, changes, compares, goes back, and goes back on that.
fn session(world: &World, call: &mut Call<'_>) {
    let info = call("workspace_info", json!({}));
    assert_eq!(
        data(&info),
        &json!({
            "name": "w", "root_exists": true, "git_enabled": true,
            "version": env!("CARGO_PKG_VERSION"),
        })
    );
    let list = call("list_directory", json!({}));
    assert_eq!(
        data(&list),
        &json!({"path": ".", "entries": [
            {"name": "notes", "type": "directory", "size": null, "sha256": null},
            {"name": "readme.md", "type": "file", "size": 6, "sha256": null},
        ]})
    );
    let read = call("read_file", json!({"path": "readme.md"}));
    assert_eq!(
        data(&read),
        &json!({
            "path": "readme.md", "content": "hello\n", "sha256": hash("hello\n"), "size": 6,
            "encoding": "utf-8",
        })
    );
    let found = call("search_text", json!({"query": "o", "path_limit": null}));
    assert_eq!(
        data(&found),
        &json!({"query": "o", "truncated": false, "hits": [
            {"path": "readme.md", "line": 1, "column": 5, "line_text": "hello"},
            {"path": "notes/a.txt", "line": 1, "column": 1, "line_text": "one two"},
            {"path": "notes/a.txt", "line": 1, "column": 7, "line_text": "one two"},
        ]})
    );
    let done = call(
        "apply_changes",
        json!({"operations": [
            {"op": "replace_text", "path": "readme.md", "old_text": "hello", "new_text": "bye",
             "expected_sha256": hash("hello\n")},
            {"op": "create_directory", "path": "src"},
            create("src/main.rs", "fn main() {}\n"),
            {"op": "move", "source": "notes/a.txt", "destination": "src/a.txt"},
        ]}),
    );
    let done = data(&done);
    assert_eq!(
        done["applied"],
        json!([
            {"op": "replace_text", "path": "readme.md", "status": "ok", "sha256": hash("bye\n")},
            {"op": "create_directory", "path": "src", "status": "ok", "sha256": null},
            {"op": "create_file", "path": "src/main.rs", "status": "ok",
             "sha256": hash("fn main() {}\n")},
            {"op": "move", "path": "src/a.txt", "status": "ok", "sha256": null},
        ])
    );
    assert_eq!(done["rolled_back"], false);
    let (before, after) = (done["pre_checkpoint"].clone(), done["checkpoint"].clone());
    let status = call("git_status", json!({}));
    assert_eq!(
        data(&status),
        &json!({"modified": [], "added": [], "removed": [], "clean": true, "checkpoint": after})
    );
    let stat = call("git_diff", json!({"checkpoint": before, "stat": true}));
    let stat = data(&stat);
    assert_eq!(stat["diff"], "");
    assert_eq!(
        stat["stat"],
        json!([
            {"path": "notes/a.txt", "added": 0, "removed": 1},
            {"path": "readme.md", "added": 1, "removed": 1},
            {"path": "src/a.txt", "added": 1, "removed": 0},
            {"path": "src/main.rs", "added": 1, "removed": 0},
        ])
    );
    let diff = call(
        "git_diff",
        json!({"checkpoint": before, "path": "readme.md"}),
    );
    assert_eq!(
        data(&diff)["diff"],
        "diff --git a/readme.md b/readme.md\nindex ce01362..b023018 100644\n--- a/readme.md\n\
         +++ b/readme.md\n@@ -1 +1 @@\n-hello\n+bye\n"
    );
    let short = &before.as_str().unwrap()[..8];
    let would = call(
        "git_restore",
        json!({"checkpoint": short, "dry_run": "true"}),
    );
    assert_eq!(
        data(&would),
        &json!({"dry_run": true, "left_in_place": [], "would_change": [
            {"path": "notes/a.txt", "action": "write"},
            {"path": "readme.md", "action": "write"},
            {"path": "src/a.txt", "action": "delete"},
            {"path": "src/main.rs", "action": "delete"},
        ]})
    );
    let back = call("git_restore", json!({"checkpoint": short}));
    let back = data(&back);
    assert_eq!(back["restored_to"], short);
    assert_eq!(back["left_in_place"], json!([]));
    let files = world.files();
    let names: Vec<&str> = files.keys().map(String::as_str).collect();
    assert_eq!(names, ["notes/a.txt", "readme.md"]);
    let undo = back["pre_restore_checkpoint"].clone();
    data(&call("git_restore", json!({"checkpoint": undo})));
    assert_eq!(world.read("src/a.txt"), "one two\n");
    let history = call("git_history", json!({"limit": 3}));
    let checkpoints = data(&history)["checkpoints"].as_array().unwrap();
    let messages: Vec<&str> = checkpoints
        .iter()
        .map(|one| one["message"].as_str().unwrap())
        .collect();
    let restored = format!("restored to {}", &undo.as_str().unwrap()[..12]);
    let wanted = [
        restored.as_str(),
        "pre-restore checkpoint",
        &format!("restored to {short}"),
    ];
    assert_eq!(messages, wanted);
    let failed = call("read_file", json!({"path": "../x"}));
    assert_eq!(failed["isError"], true);
    assert_eq!(
        failed["content"][0]["text"],
        "Error executing tool read_file: ERROR [PATH_TRAVERSAL_FORBIDDEN]: .. is forbidden"
    );
}

fn world() -> World {
    World::new(&[("readme.md", "hello\n"), ("notes/a.txt", "one two\n")])
}

#[test]
fn over_stdio_with_initialize() {
    let world = world();
    let mut client = Client::start_with(&mut world.program(&[]));
    let answer = client.initialize("2025-06-18");
    let name = json!({"name": "workspace-mcp", "version": env!("CARGO_PKG_VERSION")});
    assert_eq!(answer["result"]["serverInfo"], name);
    let instructions = answer["result"]["instructions"].as_str().unwrap();
    assert!(instructions.contains("apply_changes"), "{instructions}");
    session(&world, &mut |tool, arguments| {
        let id = client.send_call(tool, arguments);
        client.recv(id)["result"].take()
    });
    assert_eq!(client.finish().0, Some(0));
}

#[test]
fn over_stdio_without_a_handshake() {
    let world = world();
    let mut command = world.program(&["--server-name", "safe-workspace-mcp"]);
    let mut client = Client::start_with(&mut command).modern();
    let found = client.request("server/discover", json!({}));
    let name = json!({"name": "safe-workspace-mcp", "version": env!("CARGO_PKG_VERSION")});
    let meta = &found["result"]["_meta"];
    assert_eq!(meta["io.modelcontextprotocol/serverInfo"], name);
    assert!(found["result"]["instructions"].is_string());
    session(&world, &mut |tool, arguments| {
        let id = client.send_call(tool, arguments);
        client.recv(id)["result"].take()
    });
}

#[test]
fn over_http_in_both_eras() {
    for modern in [false, true] {
        let world = world();
        let options = ["--http", "--port", "0"];
        let served = Served::start_with(&mut world.program(&options));
        session(&world, &mut |tool, arguments| {
            let params = json!({"name": tool, "arguments": arguments});
            let request = if modern {
                Request::modern("tools/call", params)
            } else {
                Request::post(&json!({
                    "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params,
                }))
            };
            let reply = served.send(&request);
            assert_eq!(reply.status, 200);
            reply.json()["result"].take()
        });
    }
}

#[test]
fn arguments_are_read_kindly() {
    let world = world();
    let mut talk = world.start();
    let operations = json!([create("a", "[1]")]).to_string();
    let done = talk.ok("apply_changes", json!({"operations": operations}));
    assert_eq!(done["applied"][0]["path"], "a");
    talk.ok("apply_changes", json!({"operations": create("b", "null")}));
    assert_eq!(world.read("b"), "null");
    let history = talk.ok("git_history", json!({"limit": "2"}));
    assert_eq!(history["checkpoints"].as_array().unwrap().len(), 2);
    talk.ok("git_history", json!({"limit": null}));
    talk.apply(&[json!({
        "op": "create_file", "path": "c", "content": "", "expected_sha256": null, "source": null,
    })]);
    let answer = talk.ok("git_status", json!({"verbose": true, "path": "a"}));
    assert_eq!(answer["ignored_arguments"], json!(["verbose", "path"]));
}

#[test]
fn an_unknown_tool_is_a_fault_of_the_protocol() {
    let world = world();
    let mut talk: Talk = world.start();
    let params = json!({"name": "run_command", "arguments": {}});
    let answer = talk.client.request("tools/call", params);
    assert_eq!(answer["error"]["code"], -32602);
}

#[test]
fn an_operation_builds_on_earlier_ones() {
    let world = world();
    let mut talk = world.start();
    let done = talk.apply(&[
        create("new/a", "1\n"),
        json!({"op": "replace_text", "path": "new/a", "old_text": "1", "new_text": "2",
               "expected_sha256": hash("1\n")}),
        json!({"op": "move", "source": "new", "destination": "moved"}),
        json!({"op": "replace_file", "path": "moved/a", "content": "3\n",
               "expected_sha256": hash("2\n")}),
    ]);
    assert_eq!(done["applied"][3]["sha256"], hash("3\n"));
    assert_eq!(world.read("moved/a"), "3\n");
    assert!(!world.has("new"));
    assert_eq!(talk.messages().len(), 3);
    assert_eq!(talk.ok("git_status", json!({}))["clean"], true);
}

#[test]
fn a_refused_call_touches_nothing() {
    let world = world();
    let mut talk = world.start();
    let before = world.snapshot();
    talk.apply_fault(&[
        create("x", "1"),
        json!({"op": "delete_file", "path": "readme.md", "expected_sha256": hash("hello\n")}),
        json!({"op": "delete_file", "path": "notes/a.txt", "expected_sha256": hash("other")}),
    ]);
    assert_eq!(world.snapshot(), before, "neither a file nor the history");
}

#[test]
fn reading_tools_change_nothing() {
    let world = world();
    let mut talk = world.start();
    world.write("readme.md", "changed past the server\n");
    world.write("stranger.txt", "new\n");
    let before = world.snapshot();
    for (tool, arguments) in [
        ("workspace_info", json!({})),
        ("list_directory", json!({"path": "notes"})),
        (
            "read_file",
            json!({"path": "readme.md", "offset": 1, "limit": 1}),
        ),
        ("search_text", json!({"query": "c.a", "regex": true})),
        ("git_status", json!({})),
        ("git_diff", json!({})),
        ("git_history", json!({})),
    ] {
        talk.ok(tool, arguments);
    }
    let status = talk.ok("git_status", json!({}));
    assert_eq!(status["modified"], json!(["readme.md"]));
    assert_eq!(status["added"], json!(["stranger.txt"]));
    assert_eq!(status["clean"], false);
    let after = world.snapshot();
    let changed: Vec<&String> = after
        .iter()
        .filter(|(name, content)| before.get(*name) != Some(content))
        .map(|(name, _)| name)
        .filter(|name| !name.starts_with(".git/objects/") && *name != ".git/index")
        .collect();
    assert_eq!(changed, [""; 0]);
}

#[test]
fn strangers_stay_and_are_told() {
    let world = world();
    let mut talk = world.start();
    let start = talk.head();
    world.write("out/big.csv", "1,2\n");
    talk.apply(&[create("ours", "x")]);
    let back = talk.ok("git_restore", json!({"checkpoint": start}));
    assert_eq!(back["left_in_place"], json!(["out/big.csv"]));
    assert!(world.has("out/big.csv") && !world.has("ours"));
    let back = talk.ok("git_restore", json!({"checkpoint": start, "exact": true}));
    assert_eq!(back["left_in_place"], json!([]));
    assert!(!world.has("out/big.csv"));
    let before = back["pre_restore_checkpoint"].clone();
    talk.ok(
        "git_restore",
        json!({"checkpoint": before, "paths": ["out"]}),
    );
    assert_eq!(world.read("out/big.csv"), "1,2\n");
}

#[test]
fn lines_are_read_and_the_hash_is_of_the_whole() {
    let world = World::new(&[("a", "one\ntwo\nthree\n")]);
    let mut talk = world.start();
    let read = talk.ok("read_file", json!({"path": "a", "offset": 2, "limit": 1}));
    assert_eq!(read["content"], "two\n");
    assert_eq!(read["sha256"], hash("one\ntwo\nthree\n"));
    assert_eq!(read["size"], 14);
    assert_eq!(read["total_lines"], 3);
    let read = talk.ok("read_file", json!({"path": "a"}));
    assert!(read.get("total_lines").is_none(), "{read}");
}

#[test]
fn history_is_bounded_when_that_is_asked_for() {
    let world = World::with(&[], "[git]\nkeep_checkpoints = 3\n");
    let mut talk = world.start();
    for n in 0..4 {
        talk.apply(&[create(&n.to_string(), "x")]);
    }
    let kept = talk.ok("git_history", json!({"limit": 2}));
    drop(talk);
    // A start alone forgets nothing.
    assert_eq!(world.start().messages().len(), 9);
    for removed in [6, 0] {
        let output = world.run(&["--prune"]);
        assert!(output.status.success(), "{output:?}");
        let said = String::from_utf8(output.stdout).unwrap();
        assert_eq!(said, format!("3 checkpoints kept, {removed} removed\n"));
    }
    let mut talk = world.start();
    assert_eq!(talk.messages().len(), 3);
    assert_eq!(
        talk.ok("git_history", json!({"limit": 2})),
        kept,
        "ids stay"
    );
    assert_eq!(talk.ok("git_status", json!({}))["clean"], true);
}

#[test]
fn no_answer_names_a_place_of_the_host() {
    let world = world();
    world.write("node_modules/x/y.js", "hidden\n");
    let mut talk = world.start();
    let head = talk.head();
    let calls = [
        ("list_directory", json!({"path": "notes"})),
        ("list_directory", json!({"path": "gone"})),
        ("read_file", json!({"path": "notes"})),
        ("read_file", json!({"path": "node_modules/x/y.js"})),
        ("search_text", json!({"query": "hidden"})),
        ("search_text", json!({"query": "(", "regex": true})),
        ("git_diff", json!({"checkpoint": "000000"})),
        ("git_restore", json!({"checkpoint": head, "dry_run": true})),
        (
            "apply_changes",
            json!({"operations": [create("notes", "")]}),
        ),
    ];
    for (tool, arguments) in calls {
        talk.client.call(tool, arguments);
    }
    let name = world.base().file_name().unwrap().to_str().unwrap();
    for line in &talk.client.stdout {
        assert!(!line.contains(name), "{line}");
    }
    let list = talk.ok("list_directory", json!({}));
    assert!(!list.to_string().contains("node_modules"), "{list}");
    assert_eq!(talk.ok("git_status", json!({}))["clean"], true);
}

#[test]
fn long_lists_are_cut_and_the_rest_is_counted() {
    let world = world();
    let mut talk = world.start();
    let start = talk.head();
    for n in 0..1003 {
        world.write(&format!("many/{n:04}"), "");
    }
    fs::remove_file(world.path("readme.md")).unwrap();
    let status = talk.ok("git_status", json!({}));
    assert_eq!(status["added"].as_array().unwrap().len(), 1000);
    assert_eq!(status["added"][999], "many/0999");
    assert_eq!(status["removed"], json!(["readme.md"]));
    assert_eq!(status["omitted"], 3);
    let plain = json!({"checkpoint": start, "dry_run": true});
    let would = talk.ok("git_restore", plain);
    assert_eq!(would["left_in_place"].as_array().unwrap().len(), 1000);
    assert_eq!(would["omitted"], 3);
    let exact = json!({"checkpoint": start, "dry_run": true, "exact": true});
    let would = talk.ok("git_restore", exact);
    assert_eq!(would["would_change"].as_array().unwrap().len(), 1000);
    assert_eq!(would["omitted"], 4);
    let back = talk.ok("git_restore", json!({"checkpoint": start, "exact": true}));
    assert_eq!(back["left_in_place"], json!([]));
    assert!(!world.has("many/1002"));
}

#[cfg(unix)]
#[test]
fn what_cannot_be_read_is_told() {
    use std::os::unix::fs::PermissionsExt as _;
    let world = world();
    for file in ["closed", "folder/closed", "locked/file"] {
        world.write(file, "x");
    }
    let mode = |name: &str, mode| {
        fs::set_permissions(world.path(name), fs::Permissions::from_mode(mode)).unwrap();
    };
    mode("closed", 0o000);
    mode("folder/closed", 0o000);
    if fs::read(world.path("closed")).is_ok() {
        // Nothing is closed to root.
        return;
    }
    mode("locked", 0o000);
    let mut talk = world.start();
    let status = talk.ok("git_status", json!({}));
    assert_eq!(
        status["unreadable"],
        json!(["closed", "folder/closed", "locked"])
    );
    // No checkpoint holds them, so they stay where they are.
    for (source, closed) in [
        ("closed", "closed"),
        ("folder", "folder/closed"),
        ("locked", "locked"),
    ] {
        let operation = json!({"op": "move", "source": source, "destination": "there"});
        assert_eq!(
            talk.apply_fault(&[operation]),
            format!("ERROR [INTERNAL_ERROR]: permission denied: {closed}")
        );
    }
    mode("locked", 0o755);
}

#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_written_is_told() {
    use std::os::unix::fs::PermissionsExt as _;
    let world = world();
    let mode = |mode| {
        fs::set_permissions(world.root(), fs::Permissions::from_mode(mode)).unwrap();
    };
    mode(0o555);
    if fs::create_dir(world.path("x")).is_ok() {
        // Nothing is closed to root.
        return;
    }
    let output = world.run(&[]);
    mode(0o755);
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "ERROR [INTERNAL_ERROR]: the workspace folder is not writable; see to its permissions\n"
    );
    assert_eq!(output.status.code(), Some(1));
}
