use serde_json::json;

use super::{Change, Counts, Status};
use crate::slug::Slug;

const FULL: &str = r#"{
  "id": "add-login",
  "title": "Add Login",
  "constraints": [
    "no new \"dependencies\""
  ],
  "tasks": [
    {
      "id": "T1",
      "text": "schema",
      "status": "in_progress",
      "notes": [
        "half\nway"
      ],
      "createdAt": "2026-09-18T07:50:12.000Z",
      "updatedAt": "2026-09-18T07:51:12.000Z"
    },
    {
      "id": "T2",
      "text": "form",
      "status": "pending",
      "notes": [],
      "createdAt": "2026-09-18T07:52:12.000Z",
      "updatedAt": "2026-09-18T07:52:12.000Z"
    }
  ],
  "createdAt": "2026-09-18T07:49:12.000Z",
  "updatedAt": "2026-09-18T07:52:12.000Z",
  "goal": "people can log in"
}
"#;

fn id() -> Slug {
    Slug::make("add login")
}

fn parse(text: &str) -> Option<Change> {
    Change::parse(&id(), text.as_bytes())
}

#[test]
fn a_record_is_written_as_it_was_read() {
    let change = parse(FULL).unwrap();
    assert_eq!(String::from_utf8(change.to_bytes()).unwrap(), FULL);
    assert_eq!(parse(&format!("\u{feff}{FULL}")), Some(change));
    let crlf = FULL.replace('\n', "\r\n");
    assert_eq!(parse(&crlf), parse(FULL));
}

#[test]
fn a_new_record_has_its_keys_in_order() {
    let now = "2026-09-18T07:50:12.000Z".to_owned();
    let change = Change::new(id(), "Add Login", None, now);
    let text = r#"{
  "id": "add-login",
  "title": "Add Login",
  "constraints": [],
  "tasks": [],
  "createdAt": "2026-09-18T07:50:12.000Z",
  "updatedAt": "2026-09-18T07:50:12.000Z"
}
"#;
    assert_eq!(String::from_utf8(change.to_bytes()).unwrap(), text);
}

#[test]
fn what_is_no_record_is_no_change() {
    for text in [
        "",
        "{",
        "[]",
        "null",
        "\"add-login\"",
        r#"["add-login","Add Login",[],[],"",""]"#,
        r#"{"title":"x"}"#,
        r#"{"id":"x"}"#,
        r#"{"id":1,"title":"x"}"#,
        r#"{"id":"x","title":null}"#,
        r#"{"id":"x","title":"x"} more"#,
    ] {
        assert_eq!(parse(text), None, "{text}");
    }
    assert_eq!(
        Change::parse(&id(), b"{\"id\":\"x\",\"title\":\"\xff\"}"),
        None
    );
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(parse(&deep), None);
}

#[test]
fn a_record_keeps_what_can_be_understood_of_it() {
    let change = |record: serde_json::Value| parse(&record.to_string()).unwrap();
    let bare = change(json!({"id": "x", "title": ""}));
    assert_eq!(bare.id, id());
    assert_eq!(
        (&*bare.created_at, &*bare.updated_at),
        ("1970-01-01T00:00:00.000Z", "1970-01-01T00:00:00.000Z")
    );
    assert_eq!(bare.goal, None);
    let loose = change(json!({
        "owner": "somebody",
        "id": "../../evil",
        "title": "t",
        "goal": " ",
        "constraints": ["a", 1, null, ["b"], "c"],
        "createdAt": 5,
        "tasks": [
            {"id": "T1", "text": "a", "status": "finished", "notes": "n"},
            {"id": "T2", "text": "b", "status": 3, "notes": ["n", 1], "createdAt": "yesterday"},
            {"id": "T3"},
            {"text": "no id"},
            {"id": 4, "text": "x"},
            "T5",
            null,
            {"id": "T6", "text": "c", "status": "done"},
        ],
    }));
    assert_eq!(loose.id, id());
    assert_eq!(loose.goal, None);
    assert_eq!(loose.constraints, ["a", "c"]);
    assert_eq!(loose.created_at, "1970-01-01T00:00:00.000Z");
    let tasks: Vec<_> = loose
        .tasks
        .iter()
        .map(|task| (&*task.id, task.status, task.notes.len()))
        .collect();
    assert_eq!(
        tasks,
        [
            ("T1", Status::Pending, 0),
            ("T2", Status::Pending, 1),
            ("T6", Status::Done, 0)
        ]
    );
    assert_eq!(loose.tasks[1].created_at, "yesterday");
    for odd in [json!(null), json!("T1"), json!({"0": {}})] {
        let change = change(json!({"id": "x", "title": "t", "tasks": odd, "constraints": odd}));
        assert!(change.tasks.is_empty() && change.constraints.is_empty());
    }
}

#[test]
fn the_next_task_has_the_greatest_number() {
    for (ids, next) in [
        (&[][..], "T1"),
        (&["T1", "T7", "T3"], "T8"),
        (&["t9", "T", "T-4", "T+5", "T2x", "9"], "T1"),
        (&["T007"], "T8"),
        (
            &["T3", "T18446744073709551615", "T99999999999999999999"],
            "T4",
        ),
    ] {
        let tasks: Vec<_> = ids.iter().map(|id| json!({"id": id, "text": ""})).collect();
        let record = json!({"id": "x", "title": "t", "tasks": tasks});
        let change = parse(&record.to_string()).unwrap();
        assert_eq!(change.next_task_id(), next, "{ids:?}");
    }
}

#[test]
fn tasks_are_counted_by_their_status() {
    assert_eq!(Status::ALL.map(Status::name), Status::NAMES);
    let tasks: Vec<_> = ["done", "done", "done", "pending", "pending", "blocked"]
        .iter()
        .map(|status| json!({"id": "T1", "text": "", "status": status}))
        .collect();
    let record = json!({"id": "x", "title": "t", "tasks": tasks});
    let wanted = Counts {
        total: 6,
        done: 3,
        pending: 2,
        in_progress: 0,
        blocked: 1,
    };
    assert_eq!(parse(&record.to_string()).unwrap().counts(), wanted);
}
