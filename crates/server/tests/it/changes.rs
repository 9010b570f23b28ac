//! The work on a change as a client sees it, from its first line to its last.

use std::path::Path;

use serde_json::{Value, json};

use crate::client::{Client, folder, text_of};

/// A text with each time in it as `<ts>`.
fn timeless(text: &str) -> String {
    const TIME: &str = "0000-00-00T00:00:00.000Z";
    let is_time = |at: &str| {
        let time = at.get(..TIME.len());
        time.is_some_and(|time| {
            time.chars()
                .zip(TIME.chars())
                .all(|(c, like)| c == like || like == '0' && c.is_ascii_digit())
        })
    };
    let mut rest = text;
    let mut shown = String::new();
    while let Some(c) = rest.chars().next() {
        if is_time(rest) {
            shown.push_str("<ts>");
            rest = &rest[TIME.len()..];
        } else {
            shown.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    shown
}

/// Each journal line without its time.
fn journal(root: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(root.join(".workspace-mcp/journal.jsonl")).unwrap();
    let strip = |line: &str| {
        let mut line: Value = serde_json::from_str(line).unwrap();
        line.as_object_mut().unwrap().shift_remove("ts");
        line
    };
    text.lines().map(strip).collect()
}

/// Waits for the next millisecond: records of one and the same are in no order of time.
fn next_millisecond() {
    let now = || {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        since.unwrap().as_millis()
    };
    let before = now();
    while now() == before {
        std::thread::yield_now();
    }
}

/// Calls tools one after the other, each in a millisecond of its own; each answers as it should.
fn transcript(client: &mut Client, calls: &[(&str, Value, &str)]) {
    for (tool, arguments, wanted) in calls {
        next_millisecond();
        let answer = timeless(&client.call(tool, arguments.clone()));
        assert_eq!(answer, *wanted, "{tool} {arguments}");
    }
}

#[test]
fn a_change_from_its_title_to_its_last_task() {
    let folder = folder(&[]);
    let mut client = Client::start(folder.path(), &[]);
    let empty = "Change add-login: Add Login\n\
         goal: people can log in\n\
         active: yes\n\
         updated: <ts>\n\
         docs:\n\
         \u{20} proposal.md (missing)\n\
         \u{20} spec.md (missing)\n\
         \u{20} design.md (missing)\n\
         \u{20} notes.md (missing)\n\
         tasks (0/0 done):\n\
         \u{20} (none yet)\n\
         constraints: none\n\
         recent activity (1, newest first):\n\
         \u{20} <ts>  change_create  — add-login  [active]\n\
         suggested next action: write the proposal with change_doc (stage proposal)";
    let full = "Change add-login: Add Login\n\
         goal: people can log in\n\
         active: yes\n\
         updated: <ts>\n\
         docs:\n\
         \u{20} proposal.md (11 bytes)\n\
         \u{20} spec.md (4 bytes)\n\
         \u{20} design.md (missing)\n\
         \u{20} notes.md (missing)\n\
         tasks (1/3 done):\n\
         \u{20} T3 [in_progress] test\n\
         \u{20} T1 [done] schema\n\
         \u{20}   - with an index\\non the name\n\
         \u{20}   - reviewed\n\
         \u{20} T2 [blocked] form\n\
         constraints (1):\n\
         \u{20} - no new dependencies\n\
         recent activity (8, newest first):\n\
         \u{20} <ts>  constraint_add  — no new dependencies  [ok]\n\
         \u{20} <ts>  task_update  — T1→in_progress, T1→done, T3→in_progress  [ok]\n\
         \u{20} <ts>  task_add  — T3: test  [ok]\n\
         \u{20} <ts>  task_add  — T2: form  [ok]\n\
         \u{20} <ts>  task_add  — T1: schema  [ok]\n\
         \u{20} <ts>  change_doc  — proposal.md (11 bytes)  [ok]\n\
         \u{20} <ts>  change_doc  — spec.md (4 bytes)  [ok]\n\
         \u{20} <ts>  change_create  — add-login  [active]\n\
         suggested next action: unblock T2";
    transcript(
        &mut client,
        &[
            ("change_status", json!({}), "no changes yet"),
            (
                "change_create",
                json!({"title": " Add Login ", "goal": "people can log in"}),
                "created change add-login: Add Login\n\
                 dir: .workspace-mcp/changes/add-login/\n\
                 next: write the proposal with change_doc (stage proposal)",
            ),
            ("change_status", json!({}), empty),
            (
                "change_doc",
                json!({"stage": "spec", "content": "two"}),
                "wrote .workspace-mcp/changes/add-login/spec.md (4 bytes)\n\
                 docs present: spec.md (4 bytes)",
            ),
            (
                "change_doc",
                json!({"stage": "proposal", "content": "because it\n", "append": true}),
                "appended .workspace-mcp/changes/add-login/proposal.md (11 bytes)\n\
                 docs present: proposal.md (11 bytes), spec.md (4 bytes)",
            ),
        ],
    );
    let answers = [
        (
            "task_add",
            json!({"text": "schema"}),
            "added T1 [pending] schema\n\
             counts: 0/1 done, 1 pending, 0 in progress, 0 blocked",
        ),
        (
            "task_add",
            json!({"text": "form", "status": "blocked"}),
            "added T2 [blocked] form\n\
             counts: 0/2 done, 1 pending, 0 in progress, 1 blocked",
        ),
        (
            "task_add",
            json!({"text": "test", "changeId": "add-login"}),
            "added T3 [pending] test\n\
             counts: 0/3 done, 2 pending, 0 in progress, 1 blocked",
        ),
        (
            "task_update",
            json!({"updates": [
                {"taskId": "T1", "status": "in_progress", "note": " with an index\non the name "},
                {"taskId": "T1", "status": "done", "note": "reviewed"},
                {"taskId": "T3", "status": "in_progress"},
            ]}),
            "T1: pending → in_progress\nT1: in_progress → done\nT3: pending → in_progress\n\
             counts: 1/3 done, 0 pending, 1 in progress, 1 blocked",
        ),
        (
            "constraint_add",
            json!({"text": "no new dependencies"}),
            "constraint added (1 total):\n- no new dependencies",
        ),
    ];
    transcript(&mut client, &answers);
    let shown = timeless(&client.call("change_status", json!({"changeId": "add-login"})));
    assert_eq!(shown, full);
    transcript(
        &mut client,
        &[
            (
                "change_create",
                json!({"title": "Café Été"}),
                "created change café-été: Café Été\n\
                 dir: .workspace-mcp/changes/café-été/\n\
                 next: write the proposal with change_doc (stage proposal)",
            ),
            (
                "change_activate",
                json!({"changeId": "add-login"}),
                "active change: add-login — Add Login (1/3 tasks done, updated <ts>)",
            ),
            (
                "change_status",
                json!({"all": true}),
                "Changes (newest first, 2):\n\n\
                 - café-été  Café Été  0/0 tasks  updated <ts>\n\
                 - add-login  Add Login  1/3 tasks  updated <ts>  (active)",
            ),
        ],
    );
    let listed = client.call("workspace_list", json!({}));
    assert!(
        listed.ends_with("state: present  active change: add-login"),
        "{listed}"
    );
    let read = json!({"path": ".workspace-mcp/changes/add-login/proposal.md"});
    assert_eq!(client.call("read_file", read), "1: because it");
}

#[test]
fn faults_are_said_in_a_sentence() {
    let folder = folder(&[]);
    let mut client = Client::start(folder.path(), &[]);
    let none = "error: no active change: pass changeId or create one with change_create";
    transcript(
        &mut client,
        &[
            ("task_add", json!({"text": "x"}), none),
            ("constraint_add", json!({"text": "x"}), none),
            ("change_doc", json!({"stage": "spec", "content": "x"}), none),
            (
                "change_activate",
                json!({"changeId": "../x"}),
                "error: change not found: ../x",
            ),
            (
                "change_status",
                json!({"changeId": "a\u{1b}\nb"}),
                "error: change not found: a\\u{1b}\\nb",
            ),
            (
                "change_create",
                json!({"title": ""}),
                "error: invalid arguments for change_create: title: expected text of at least 1 \
                 character, got \"\"",
            ),
            (
                "change_doc",
                json!({"stage": "plan", "content": "x"}),
                "error: invalid arguments for change_doc: stage: expected one of proposal, spec, \
                 design, notes, got \"plan\"",
            ),
            (
                "task_update",
                json!({"updates": [{"taskId": "T1", "status": "finished"}]}),
                "error: invalid arguments for task_update: updates[0].status: expected one of \
                 pending, in_progress, done, blocked, got \"finished\"",
            ),
            (
                "task_update",
                json!({"updates": vec![json!({"taskId": "T1", "status": "done"}); 101]}),
                "error: invalid arguments for task_update: updates: expected at most 100 items, \
                 got 101",
            ),
        ],
    );
    assert!(!folder.path().join(".workspace-mcp").exists());
    client.call("change_create", json!({"title": "a"}));
    transcript(
        &mut client,
        &[(
            "task_update",
            json!({"updates": [{"taskId": "T9", "status": "done"}, {"taskId": "t1", "status": "done"}]}),
            "error: unknown task id(s): T9, t1",
        )],
    );
    assert_eq!(journal(folder.path()).len(), 1);
}

#[test]
fn titles_and_tasks_stay_in_their_lines() {
    let folder = folder(&[]);
    let mut client = Client::start(folder.path(), &[]);
    client.call(
        "change_create",
        json!({"title": "a\nb\u{202e}c", "goal": "x\u{1b}[2J\ngoal: y"}),
    );
    client.call(
        "task_add",
        json!({"text": "می\u{200c}خواهم\n  T9 [done] fake"}),
    );
    let shown = client.call("change_status", json!({}));
    for line in [
        "Change a-b-c: a\\nb\\u{202e}c",
        "goal: x\\u{1b}[2J\\ngoal: y",
        "  T1 [pending] می\u{200c}خواهم\\n  T9 [done] fake",
    ] {
        assert!(shown.lines().any(|shown| shown == line), "{line}\n{shown}");
    }
}

#[test]
fn the_journal_names_the_change() {
    let folder = folder(&[]);
    let mut client = Client::start(folder.path(), &[]);
    let write = json!({"path": "f", "content": "x"});
    for (tool, arguments) in [
        ("write_file", write.clone()),
        ("change_create", json!({"title": "one"})),
        ("write_file", write.clone()),
        ("change_create", json!({"title": "two"})),
        ("task_add", json!({"text": "t", "changeId": "one"})),
        ("write_file", write.clone()),
        ("change_activate", json!({"changeId": "one"})),
        ("write_file", write),
        ("task_add", json!({"text": "t", "changeId": "three"})),
        ("change_status", json!({})),
    ] {
        client.call(tool, arguments);
    }
    let file = |detail: &str, change: &str| json!({"tool": "write_file", "paths": ["f"], "detail": detail, "result": "ok", "change": change});
    let active = |tool: &str, id: &str| json!({"tool": tool, "detail": id, "result": "active", "change": id});
    assert_eq!(
        journal(folder.path()),
        [
            json!({"tool": "write_file", "paths": ["f"], "detail": "created 1 bytes", "result": "ok"}),
            active("change_create", "one"),
            file("updated 1 bytes", "one"),
            active("change_create", "two"),
            json!({"tool": "task_add", "detail": "T1: t", "result": "ok", "change": "one"}),
            file("updated 1 bytes", "two"),
            active("change_activate", "one"),
            file("updated 1 bytes", "one"),
        ]
    );
    let log = timeless(&client.call("work_log", json!({"change": "two"})));
    assert_eq!(
        log,
        "Activity (newest first, 2):\n\n\
         <ts>  write_file  f  — updated 1 bytes  [ok]\n\
         <ts>  change_create  — two  [active]"
    );
}

#[test]
fn two_servers_lose_no_task() {
    const EACH: usize = 60;
    let folder = folder(&[]);
    let mut clients = [(); 2].map(|()| Client::start(folder.path(), &[]));
    clients[0].call("change_create", json!({"title": "a"}));
    let mut ids = Vec::new();
    for number in 0..EACH {
        for (index, client) in clients.iter_mut().enumerate() {
            let arguments = json!({"text": format!("{index}-{number}")});
            let params = json!({"name": "task_add", "arguments": arguments});
            ids.push((index, client.send_request("tools/call", params)));
        }
    }
    for (index, id) in ids {
        let answer = text_of(&clients[index].recv(id));
        assert!(answer.starts_with("added T"), "{answer}");
    }
    let path = folder.path().join(".workspace-mcp/changes/a.json");
    let record: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let tasks = record["tasks"].as_array().unwrap();
    let unique = |key: &str| {
        let mut values: Vec<&str> = tasks
            .iter()
            .map(|task| task[key].as_str().unwrap())
            .collect();
        values.sort_unstable();
        values.dedup();
        values.len()
    };
    assert_eq!((tasks.len(), unique("id"), unique("text")), (120, 120, 120));
    assert_eq!(journal(folder.path()).len(), 121);
}

#[test]
fn a_workspace_that_is_closed_to_writing_keeps_no_change() {
    let folder = folder(&[("ro/a", ""), ("rw/a", "")]);
    let options = ["--workspace", "rw=rw", "--workspace", "ro=ro:ro"];
    let mut client = Client::start(folder.path(), &options);
    let closed = "error: workspace \"ro\" is read-only";
    for (tool, mut arguments) in [
        ("change_create", json!({"title": "x"})),
        ("change_activate", json!({"changeId": "x"})),
        ("change_doc", json!({"stage": "spec", "content": "x"})),
        ("task_add", json!({"text": "x"})),
        (
            "task_update",
            json!({"updates": [{"taskId": "T1", "status": "done"}]}),
        ),
        ("constraint_add", json!({"text": "x"})),
    ] {
        arguments["workspace"] = json!("ro");
        assert_eq!(client.call(tool, arguments), closed, "{tool}");
    }
    let status = json!({"workspace": "ro"});
    assert_eq!(client.call("change_status", status), "no changes yet");
    assert!(!folder.path().join("ro/.workspace-mcp").exists());
}

#[test]
fn changes_may_be_kept_elsewhere() {
    let folder = folder(&[("ws/a", "")]);
    let options = ["--root", "ws", "--state-dir", "states"];
    let mut client = Client::start(folder.path(), &options);
    let answer = client.call("change_create", json!({"title": "x"}));
    let dir = answer.lines().nth(1).unwrap();
    assert!(
        dir.starts_with("dir: <state-dir>/ws-") && dir.ends_with("/changes/x/"),
        "{answer}"
    );
    let document = json!({"stage": "spec", "content": "x"});
    let answer = client.call("change_doc", document);
    assert!(answer.starts_with("wrote <state-dir>/ws-"), "{answer}");
    assert!(
        client
            .call("change_status", json!({}))
            .starts_with("Change x: x\n")
    );
    assert!(!folder.path().join("ws/.workspace-mcp").exists());
}
