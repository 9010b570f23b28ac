//! What the files hold after calls: nothing but what was asked for.

use serde_json::json;

use super::{data, serve_writing, vault};

#[test]
fn a_hand_written_file_of_tasks_keeps_its_ways() {
    let before = "{\r\n\t\"owner\": \"me\",\r\n\t\"tasks\": [\r\n\t\t{\"title\": \"One\", \"id\": \"t1\", \"n\": 1.0, \"status\": \"open\"}\r\n\t],\r\n\t\"version\": 1\r\n}";
    let folder = vault(&[("tasks.json", before)]);
    let mut client = serve_writing(&folder, &[]);
    let text = || std::fs::read_to_string(folder.path().join("notes/tasks.json")).unwrap();
    let added = data(&mut client, "tasks_add", json!({"title": "Two"}));
    assert_eq!(added["task"]["id"], "t2");
    let (head, tail) = before.split_at(before.find("\r\n\t],").unwrap());
    let now = text();
    assert!(now.starts_with(head) && now.ends_with(tail), "{now}");
    data(&mut client, "tasks_remove", json!({"id": "t2"}));
    assert_eq!(text(), before);
    data(
        &mut client,
        "tasks_update",
        json!({"id": "t1", "title": "Uno"}),
    );
    assert_eq!(text(), before.replace("One", "Uno"));
}

#[test]
fn an_invalid_file_of_tasks_is_told_and_left_alone() {
    let folder = vault(&[("tasks.json", "{\"tasks\": [\n  {\"id\": \"t1\",}\n]}")]);
    let mut client = serve_writing(&folder, &[]);
    let told = "error: tasks.json is invalid at line 2, column 15: key must be a string\n\
                nothing was written; the file must be mended by hand before tasks can be used";
    for (tool, arguments) in [
        ("tasks_list", json!({})),
        ("tasks_add", json!({"title": "x"})),
        ("tasks_complete", json!({"id": "t1"})),
        ("tasks_update", json!({"id": "t1", "status": "done"})),
        ("tasks_remove", json!({"id": "t1"})),
    ] {
        assert_eq!(client.call(tool, arguments), told, "{tool}");
    }
    let text = std::fs::read_to_string(folder.path().join("notes/tasks.json")).unwrap();
    assert_eq!(text, "{\"tasks\": [\n  {\"id\": \"t1\",}\n]}");
}

#[test]
fn a_check_box_is_completed_by_one_character() {
    let before = "---\r\ntags: [x]\r\n---\r\n* [ ] nested:\r\n    1. [ ] Buy milk  \r\n- [X] done";
    let folder = vault(&[("list.md", before)]);
    let mut client = serve_writing(&folder, &["--markdown-tasks"]);
    let tasks = data(&mut client, "tasks_list", json!({}));
    let task = &tasks["tasks"][1];
    assert_eq!(
        (&task["title"], &task["line"]),
        (&json!("Buy milk"), &json!(5))
    );
    let done = data(&mut client, "tasks_complete", json!({"id": task["id"]}));
    assert_eq!(
        (&done["changed"], &done["task"]["status"]),
        (&json!(true), &json!("done"))
    );
    let text = std::fs::read_to_string(folder.path().join("notes/list.md")).unwrap();
    assert_eq!(text, before.replace("[ ] Buy", "[x] Buy"));
    let told = client.call("tasks_update", json!({"id": task["id"], "title": "x"}));
    assert_eq!(
        told,
        "error: the task is a line of a note: change its text with notes_edit"
    );
}

#[test]
fn a_long_note_is_replaced_only_by_who_knows_it() {
    let long = "line\n".repeat(500);
    let folder = vault(&[("long.md", &long)]);
    let mut client = serve_writing(&folder, &["--max-read-bytes", "1024"]);
    let told = client.call("notes_write", json!({"path": "long.md", "content": "x"}));
    assert!(
        told.starts_with("error: note is larger than --max-read-bytes and was not read in full\n"),
        "{told}"
    );
    let (mut text, mut offset) = (String::new(), json!(1));
    let sha256 = loop {
        let part = data(
            &mut client,
            "notes_read",
            json!({"path": "long.md", "offset": offset}),
        );
        text.push_str(part["content"].as_str().unwrap());
        if part["truncated"] == false {
            break part["sha256"].clone();
        }
        offset = part["next_offset"].clone();
    };
    assert_eq!(text, long);
    let arguments = json!({"path": "long.md", "content": "short", "expected_sha256": sha256});
    assert_eq!(data(&mut client, "notes_write", arguments)["size"], 5);
}
