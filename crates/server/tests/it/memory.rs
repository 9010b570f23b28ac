//! What a server remembers: the journal by what was done, notes by what was said.

use std::path::Path;

use serde_json::json;

use crate::client::{Client, folder, program};

/// The journal's lines without their times.
fn journal(root: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(root.join(".workspace-mcp/journal.jsonl")).unwrap();
    let strip = |line: &str| {
        let (ts, rest) = line.split_at(r#"{"ts":"2026-09-18T07:50:12.000Z","#.len());
        assert!(
            ts.starts_with(r#"{"ts":"2"#) && ts.ends_with(r#"Z","#),
            "{line}"
        );
        format!("{{{rest}")
    };
    text.lines().map(strip).collect()
}

#[test]
fn changes_are_journaled_by_their_outcome() {
    let folder = folder(&[("dir/b.txt", "one two one")]);
    let root = folder.path().canonicalize().unwrap();
    let mut client = Client::start(folder.path(), &[]);
    let edit = |path: &str, old: &str| json!({"path": path, "oldString": old, "newString": "x"});
    for (tool, arguments) in [
        ("write_file", json!({"path": "./a.txt", "content": "abc"})),
        (
            "write_file",
            json!({"path": root.join("a.txt"), "content": "é"}),
        ),
        (
            "write_file",
            json!({"path": "a.txt", "content": "d", "append": true}),
        ),
        ("write_file", json!({"path": "../out", "content": ""})),
        ("write_file", json!({"path": "dir", "content": ""})),
        ("edit_file", edit("dir/../dir/b.txt", "two")),
        ("edit_file", edit("dir/b.txt", "gone")),
        (
            "edit_file",
            json!({"path": "dir/b.txt", "oldString": "one", "newString": "1", "replaceAll": true}),
        ),
        (
            "patch",
            json!({"edits": [edit("dir/b.txt", "1 "), edit("a.txt", "é"), edit("./a.txt", "d")]}),
        ),
        (
            "patch",
            json!({"edits": [edit("a.txt", "x"), edit("../y", "x")]}),
        ),
        ("patch", json!({"edits": [edit("../y", "x")]})),
        // None of these is journaled.
        ("write_file", json!({"path": "a.txt"})),
        (
            "write_file",
            json!({"path": "a", "content": "", "workspace": "x"}),
        ),
        ("read_file", json!({"path": "a.txt"})),
        ("remember", json!({"text": "x"})),
        ("recall", json!({})),
    ] {
        client.call(tool, arguments);
    }
    assert_eq!(
        journal(&root),
        [
            r#"{"tool":"write_file","paths":["a.txt"],"detail":"created 3 bytes","result":"ok"}"#,
            r#"{"tool":"write_file","paths":["a.txt"],"detail":"updated 2 bytes","result":"ok"}"#,
            r#"{"tool":"write_file","paths":["a.txt"],"detail":"appended 2 bytes","result":"ok"}"#,
            r#"{"tool":"write_file","paths":["../out"],"result":"error: path outside workspace root: ../out"}"#,
            r#"{"tool":"write_file","paths":["dir"],"result":"error: path is a directory, not a file: dir"}"#,
            r#"{"tool":"edit_file","paths":["dir/b.txt"],"detail":"1 replacement","result":"ok"}"#,
            r#"{"tool":"edit_file","paths":["dir/b.txt"],"result":"error: oldString not found in dir/b.txt"}"#,
            r#"{"tool":"edit_file","paths":["dir/b.txt"],"detail":"2 replacements","result":"ok"}"#,
            r#"{"tool":"patch","paths":["dir/b.txt","a.txt"],"detail":"3 edits across 2 files","result":"ok"}"#,
            r#"{"tool":"patch","paths":["a.txt"],"result":"error: edit[1] failed: path outside workspace root: ../y"}"#,
            r#"{"tool":"patch","result":"error: edit[0] failed: path outside workspace root: ../y"}"#,
        ]
    );
    let log = client.call("work_log", json!({"limit": 2, "path": "b.txt"}));
    let lines: Vec<&str> = log.lines().collect();
    assert_eq!(lines[..2], ["Activity (newest first, 2):", ""]);
    assert!(
        lines[2].ends_with("Z  patch  dir/b.txt, a.txt  — 3 edits across 2 files  [ok]"),
        "{log}"
    );
    assert!(
        lines[3].ends_with("Z  edit_file  dir/b.txt  — 2 replacements  [ok]"),
        "{log}"
    );
}

const JOURNAL: &str = concat!(
    r#"{"ts":"2026-09-18T07:50:12.000Z","tool":"edit_file","paths":["src/x.ts"],"detail":"2 replacements","result":"ok","change":"add-login"}"#,
    "\n",
    r#"{"ts":"2026-09-18T07:50:13.000Z","tool":"run_command","detail":"pnpm test\n2026-09-18T07:50:14.000Z  fake\u001b[2J\u202e","result":"exit 1 (5ms)"}"#,
    "\n",
    r#"{"ts":"2026-09-18T07:50:14.000Z","tool":"change_create"}"#,
    "\n{\"ts\":\"2026",
);

#[test]
fn the_log_of_the_old_server_is_shown_one_entry_a_line() {
    let folder = folder(&[(".workspace-mcp/journal.jsonl", JOURNAL)]);
    let mut client = Client::start(folder.path(), &[]);
    assert_eq!(
        client.call("work_log", json!({})),
        "Activity (newest first, 3):\n\n\
         2026-09-18T07:50:14.000Z  change_create\n\
         2026-09-18T07:50:13.000Z  run_command  — pnpm test\\n2026-09-18T07:50:14.000Z  fake\\u{1b}[2J\\u{202e}  [exit 1 (5ms)]\n\
         2026-09-18T07:50:12.000Z  edit_file  src/x.ts  — 2 replacements  [ok]"
    );
    let one = "Activity (newest first, 1):\n\n2026-09-18T07:50:";
    for (arguments, wanted) in [
        (json!({"limit": 1}), one),
        (json!({"since": "2026-09-18T09:50:14+02:00"}), one),
        (json!({"change": "add-login"}), one),
        (json!({"path": "x.t"}), one),
        (json!({"path": "X.t"}), "no activity recorded yet"),
        (json!({"change": "add"}), "no activity recorded yet"),
        (
            json!({"since": "2027-01-01T00:00:00Z"}),
            "no activity recorded yet",
        ),
        (json!({"path": ""}), "Activity (newest first, 3):"),
        (
            json!({"since": "yesterday", "limit": 3}),
            "error: invalid arguments for work_log: since: expected a time such as 2026-09-18T07:50:00Z, got \"yesterday\"",
        ),
        (
            json!({"limit": 501, "change": ""}),
            "error: invalid arguments for work_log: limit: expected an integer from 1 to 500, got 501; \
             change: expected text of at least 1 character, got \"\"",
        ),
    ] {
        let answer = client.call("work_log", arguments.clone());
        assert!(answer.starts_with(wanted), "{arguments}: {answer}");
    }
}

#[test]
fn notes_are_shown_newest_first() {
    let folder = folder(&[]);
    let mut client = Client::start(folder.path(), &[]);
    assert_eq!(client.call("recall", json!({})), "no notes match");
    assert!(!folder.path().join(".workspace-mcp").exists());
    for (arguments, wanted) in [
        (
            json!({"text": "Refactored auth", "tags": ["auth", " Next "]}),
            "noted (#1 total)",
        ),
        (
            json!({"text": " one\n\ttwo\u{1b}[2J ", "tags": "a\nb"}),
            "noted (#2 total)",
        ),
        (json!({"text": " "}), "noted (#3 total)"),
        (
            json!({"text": ""}),
            "error: invalid arguments for remember: text: expected text of at least 1 character, got \"\"",
        ),
        (
            json!({"text": "x", "tags": ["", "x".repeat(51), "é".repeat(50)]}),
            "error: invalid arguments for remember: tags[0]: expected 1 to 50 characters, got 0; \
             tags[1]: expected 1 to 50 characters, got 51",
        ),
        (
            json!({"text": "x", "tags": vec!["x"; 21]}),
            "error: invalid arguments for remember: tags: expected at most 20 items, got 21",
        ),
    ] {
        assert_eq!(client.call("remember", arguments.clone()), wanted);
    }
    let answer = client.call("recall", json!({}));
    let day = &answer[..10];
    assert_eq!(
        answer,
        format!(
            "{day}  \n{day}  [#a\\nb]  one\n\ttwo\\u{{1b}}[2J\n{day}  [#auth]  [#Next]  Refactored auth"
        )
    );
    let auth = format!("{day}  [#auth]  [#Next]  Refactored auth");
    assert_eq!(client.call("recall", json!({"query": "AUTH"})), auth);
    assert_eq!(
        client.call("recall", json!({"tag": "next", "query": ""})),
        auth
    );
    assert_eq!(
        client.call("recall", json!({"tag": "nex"})),
        "no notes match"
    );
    assert_eq!(
        client.call("recall", json!({"limit": 101})),
        "error: invalid arguments for recall: limit: expected an integer from 1 to 100, got 101"
    );
    let listed = client.call("workspace_list", json!({}));
    assert!(
        listed.ends_with("  state: present  active change: none"),
        "{listed}"
    );
}

#[test]
fn two_servers_keep_the_notes_of_both() {
    let folder = folder(&[]);
    let mut clients = ["a", "b"].map(|who| (who, Client::start(folder.path(), &[])));
    let mut ids = Vec::new();
    for number in 0..20 {
        for (index, (who, client)) in clients.iter_mut().enumerate() {
            let note = json!({"text": format!("{who}{number}")});
            let params = json!({"name": "remember", "arguments": note});
            ids.push((index, client.send_request("tools/call", params)));
        }
    }
    for (index, id) in ids {
        let answer = clients[index].1.recv(id);
        assert_ne!(answer["result"]["isError"], true, "{answer}");
    }
    let all = clients[0].1.call("recall", json!({"limit": 100}));
    let mut texts: Vec<&str> = all.lines().map(|line| &line[12..]).collect();
    texts.sort_unstable();
    texts.dedup();
    assert_eq!(texts.len(), 40, "{all}");
    assert_eq!(
        clients[1].1.call("remember", json!({"text": "last"})),
        "noted (#41 total)"
    );
}

#[test]
fn a_journal_that_cannot_be_written_changes_no_answer() {
    let folder = folder(&[(".workspace-mcp/journal.jsonl/x", "")]);
    let output = program(
        folder.path(),
        &["call", "write_file", "path=a.txt", "content=abc"],
    )
    .output()
    .unwrap();
    assert!(output.status.success());
    assert_eq!(output.stdout, b"Created a.txt (3 bytes)\n");
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        stderr,
        "[workspace-mcp] state write failed (journal.jsonl): path is a directory, not a file: .workspace-mcp/journal.jsonl\n"
    );
}

#[test]
fn where_nothing_is_written_nothing_is_journaled() {
    let folder = folder(&[("ro/a.txt", ""), ("rw/a.txt", "")]);
    let options = ["--workspace", "ro=ro:ro", "--workspace", "rw=rw"];
    let mut client = Client::start(folder.path(), &options);
    let write = json!({"path": "b", "content": "x", "workspace": "ro"});
    assert_eq!(
        client.call("write_file", write),
        "error: workspace \"ro\" is read-only"
    );
    assert_eq!(
        client.call("remember", json!({"text": "x", "workspace": "ro"})),
        "error: workspace \"ro\" is read-only"
    );
    assert_eq!(
        client.call("work_log", json!({})),
        "no activity recorded yet"
    );
    assert!(!folder.path().join("ro/.workspace-mcp").exists());
    assert!(!folder.path().join("rw/.workspace-mcp").exists());
}

#[test]
fn state_may_be_kept_elsewhere() {
    let folder = folder(&[("ws/a.txt", "")]);
    let options = ["--root", "ws", "--state-dir", "states"];
    let mut client = Client::start(folder.path(), &options);
    client.call("write_file", json!({"path": "b", "content": "x"}));
    client.call("remember", json!({"text": "x"}));
    assert!(client.call("work_log", json!({})).contains("write_file  b"));
    assert!(client.call("recall", json!({})).ends_with("  x"));
    let listed = client.call("workspace_list", json!({}));
    assert!(listed.contains("state: present"), "{listed}");
    assert!(!folder.path().join("ws/.workspace-mcp").exists());
}

#[test]
fn a_state_directory_in_a_served_folder_is_closed_to_the_tools_for_files() {
    let folder = folder(&[("ws/a.txt", ""), ("other/b", "")]);
    let options = "--root ws --workspace other=other --state-dir ws/var/state";
    let options: Vec<&str> = options.split(' ').collect();
    let mut client = Client::start(folder.path(), &options);
    client.call("remember", json!({"text": "mine"}));
    client.call("remember", json!({"text": "x", "workspace": "other"}));

    let states = std::fs::read_dir(folder.path().join("ws/var/state")).unwrap();
    let states: Vec<_> = states
        .map(|state| state.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(states.len(), 2);
    for state in &states {
        let notes = format!("var/state/{state}/notes.jsonl");
        let text = format!("error: protected path: {notes}");
        let edit = json!({"path": notes, "oldString": "mine", "newString": "yours"});
        assert_eq!(client.call("edit_file", edit), text);
        let write = json!({"path": notes, "content": ""});
        assert_eq!(client.call("write_file", write), text);
    }
    assert!(client.call("recall", json!({})).ends_with("  mine"));
    // What the server keeps is no part of the project.
    let listed = client.call("list_files", json!({"pattern": "*.jsonl"}));
    assert!(listed.contains("no entries match"), "{listed}");
    let status = client.call("write_file", json!({"path": "var/own", "content": ""}));
    assert_eq!(status, "Created var/own (0 bytes)");
}

#[test]
fn a_served_folder_is_no_state_directory() {
    let folder = folder(&[("ws/a", "")]);
    let options = ["--root", "ws", "--state-dir", "ws/../ws"];
    for words in [options.to_vec(), [&["check-config"][..], &options].concat()] {
        let output = program(folder.path(), &words).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{said}");
        let said = said.replace(std::path::MAIN_SEPARATOR_STR, "/");
        let end = "/ws: it is the root of workspace \"default\"\n";
        assert!(said.ends_with(end), "{said}");
    }
}

#[test]
fn files_move_on_at_the_size_that_was_asked_for() {
    let run = |variable: &str, options: &[&str]| {
        let folder = folder(&[]);
        for number in ["1", "2", "3", "4"] {
            let mut words = vec!["call", "write_file", "path=a", "content=x"];
            words.extend(options);
            let output = program(folder.path(), &words)
                .env("WORKSPACE_MCP_JOURNAL_MAX_BYTES", variable)
                .output()
                .unwrap();
            assert!(output.status.success(), "{number}: {output:?}");
        }
        let state = std::fs::read_dir(folder.path().join(".workspace-mcp")).unwrap();
        let names = state.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name.starts_with("journal")).count()
    };
    assert_eq!(run("100", &[]), 4);
    assert_eq!(run("100", &["--journal-files", "2"]), 3);
    assert_eq!(run("100", &["--journal-max-bytes", "100000"]), 1);
    assert_eq!(run("1", &["--journal-files", "0"]), 4);
    for unfit in ["", " ", "0", "-5", "many", "NaN", "inf"] {
        assert_eq!(run(unfit, &[]), 1, "{unfit}");
    }
}

#[test]
fn long_answers_end_with_a_word_about_the_rest() {
    let folder = folder(&[]);
    let mut client = Client::start(folder.path(), &["--max-answer-bytes", "2000"]);
    for _ in 0..10 {
        client.call("remember", json!({"text": "x".repeat(400)}));
        client.call(
            "write_file",
            json!({"path": "x".repeat(100), "content": ""}),
        );
    }
    let notes = client.call("recall", json!({}));
    assert!(
        notes.ends_with("\n... (cut after 3 notes; lower limit, or narrow query or tag)"),
        "{notes}"
    );
    let log = client.call("work_log", json!({}));
    assert!(log.len() <= 2000);
    assert!(
        log.ends_with(" entries; lower limit, or narrow since, path or change)"),
        "{log}"
    );
}
