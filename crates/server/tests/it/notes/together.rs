//! Several servers on one folder, and servers that are killed.

use serde_json::{Value, json};

use super::{data, serve_writing, vault};
use crate::races::{leftovers, soak};

fn tasks(folder: &tempfile::TempDir) -> Value {
    let text = std::fs::read_to_string(folder.path().join("notes/tasks.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn twenty_tasks_of_each_of_two_servers_are_forty() {
    let folder = vault(&[]);
    let mut clients = [serve_writing(&folder, &[]), serve_writing(&folder, &[])];
    let mut sent = Vec::new();
    for n in 0..20 {
        for (index, client) in clients.iter_mut().enumerate() {
            let title = format!("{n} of {index}");
            sent.push((
                index,
                client.send_call("tasks_add", json!({"title": title})),
            ));
        }
    }
    for (index, id) in sent {
        let answer = clients[index].recv(id);
        assert_ne!(answer["result"]["isError"], true, "{answer}");
    }
    let tasks = tasks(&folder);
    let mut ids: Vec<&str> = tasks["tasks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|task| task["id"].as_str().unwrap())
        .collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 40);
}

#[test]
fn two_servers_complete_boxes_of_one_note() {
    let boxes: String = (0..20).map(|n| format!("- [ ] box {n}\n")).collect();
    let folder = vault(&[("a.md", &boxes)]);
    let mut clients = [(); 2].map(|()| serve_writing(&folder, &["--markdown-tasks"]));
    let open = data(&mut clients[0], "tasks_list", json!({}));
    let mut sent = Vec::new();
    for (n, task) in open["tasks"].as_array().unwrap().iter().enumerate() {
        let client = &mut clients[n % 2];
        sent.push((
            n % 2,
            client.send_call("tasks_complete", json!({"id": task["id"]})),
        ));
    }
    for (index, id) in sent {
        let answer = clients[index].recv(id);
        assert_eq!(
            answer["result"]["structuredContent"]["changed"], true,
            "{answer}"
        );
    }
    let text = std::fs::read_to_string(folder.path().join("notes/a.md")).unwrap();
    assert_eq!(text, boxes.replace("[ ]", "[x]"));
}

#[test]
fn a_kill_leaves_every_task_that_was_told_and_every_note_whole() {
    let folder = vault(&[("a.md", "0\n")]);
    let mut n_told = 0;
    for round in 0..12 * soak() {
        let mut client = serve_writing(&folder, &[]);
        let mut sent = Vec::new();
        for n in 0..30 {
            let title = format!("{round}-{n}");
            sent.push(client.send_call("tasks_add", json!({"title": title})));
            let content = format!("{n}\n").repeat(200);
            client.send_call("notes_write", json!({"path": "a.md", "content": content}));
            let (from, to) = if n % 2 == 0 {
                ("m.md", "deep/m.md")
            } else {
                ("deep/m.md", "m.md")
            };
            client.send_call("notes_append", json!({"path": "m.md", "text": "x"}));
            client.send_call("notes_move", json!({"path": from, "to": to}));
        }
        // The first answers are waited for, so that each round is killed amid the rest.
        for id in sent.drain(..=round % 7) {
            let answer = client.recv(id);
            n_told += usize::from(answer["result"]["isError"] != true);
        }
        for message in client.kill() {
            let told = &message["result"]["structuredContent"]["task"];
            n_told += usize::from(told.is_object());
        }
    }
    // The next start settles what the last one left.
    let mut client = serve_writing(&folder, &[]);
    let note = data(&mut client, "notes_read", json!({"path": "a.md"}));
    let text = note["content"].as_str().unwrap();
    let line = text.lines().next().unwrap();
    assert!(text.lines().all(|other| other == line), "{text}");
    data(&mut client, "tasks_add", json!({"title": "last"}));
    let n_kept = tasks(&folder)["tasks"].as_array().unwrap().len();
    assert!(n_kept > n_told, "{n_kept} kept, {n_told} told");
    client.finish();
    assert!(leftovers(&folder.path().join("notes")).is_empty());
}
