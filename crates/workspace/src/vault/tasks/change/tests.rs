use proptest::collection::vec;
use proptest::option;
use proptest::prelude::{Just, ProptestConfig, Strategy, prop_oneof, proptest};

use super::{EMPTY, New, set, without};
use crate::vault::tasks::document::Document;
use crate::vault::tasks::{Status, Task};

fn new(id: &str) -> Task {
    Task {
        id: id.to_owned(),
        title: "New \"one\"".to_owned(),
        status: Status::Open,
        created: Some("2026-01-31T09:00:00Z".to_owned()),
        due: None,
        done: None,
        place: None,
    }
}

fn added(text: &str) -> String {
    let document = Document::parse(text).expect("valid");
    New(&new("t9")).into(&document)
}

#[test]
fn a_new_task_is_laid_out_as_the_last_one() {
    let task = r#""title": "New \"one\"", "status": "open", "created": "2026-01-31T09:00:00Z", "due": null, "done": null}"#;
    assert_eq!(
        added(r#"[{"id": "a", "title": "b"}]"#),
        format!(r#"[{{"id": "a", "title": "b"}}, {{"id": "t9", {task}]"#)
    );
    assert_eq!(
        added(r#"[{"id":"a","title":"b"}]"#),
        r#"[{"id":"a","title":"b"},{"id":"t9","title":"New \"one\"","status":"open","created":"2026-01-31T09:00:00Z","due":null,"done":null}]"#
    );
    assert_eq!(
        added(
            "{\"tasks\": [\r\n\t{ \"id\": \"a\", \"title\": \"b\" },\r\n\t{ \"id\": \"c\", \"title\": \"d\" }\r\n]}\r\n"
        ),
        format!(
            "{{\"tasks\": [\r\n\t{{ \"id\": \"a\", \"title\": \"b\" }},\r\n\t{{ \"id\": \"c\", \"title\": \"d\" }},\r\n\t{{ \"id\": \"t9\", {} }}\r\n]}}\r\n",
            task.trim_end_matches('}')
        )
    );
}

#[test]
fn the_first_task_of_a_file_is_laid_out_as_the_file() {
    expect_test::expect![[r#"
        {
          "version": 1,
          "tasks": [
            {
              "id": "t9",
              "title": "New \"one\"",
              "status": "open",
              "created": "2026-01-31T09:00:00Z",
              "due": null,
              "done": null
            }
          ]
        }
    "#]]
    .assert_eq(&added(EMPTY));
    assert!(added("{\"tasks\":[]}").starts_with("{\"tasks\":[{\"id\": \"t9\", "));
    assert!(added("[]").starts_with("[\n  {\n    \"id\": \"t9\",\n"));
    assert!(
        added("{\r\n\t\"tasks\": [\r\n\t]\r\n}")
            .contains("[\r\n\t\t{\r\n\t\t\t\"id\": \"t9\",\r\n")
    );
}

#[test]
fn only_the_values_that_change_change() {
    let text = "{\"x\": 1.50, \"tasks\": [\n  {\"id\": \"a\", \"z\": [1, 2 ], \"title\": \"b\", \"status\":  \"open\"} ],\n\"y\": \"\\u00e9\"}";
    let document = Document::parse(text).expect("valid");
    let item = document.item("a").expect("there");
    let mut task = item.task.clone();
    assert_eq!(set(&document, item, &task), None);
    task.status = Status::Done;
    task.done = Some("2026".to_owned());
    assert_eq!(
        set(&document, item, &task).expect("changed"),
        "{\"x\": 1.50, \"tasks\": [\n  {\"id\": \"a\", \"z\": [1, 2 ], \"title\": \"b\", \"status\":  \"done\", \"done\": \"2026\"} ],\n\"y\": \"\\u00e9\"}"
    );
}

#[test]
fn a_task_goes_with_its_comma() {
    let text = "[\n  {\"id\":\"a\",\"title\":\"x\"},\n  {\"id\":\"b\",\"title\":\"x\"},\n  {\"id\":\"c\",\"title\":\"x\"}\n]\n";
    let left = |id: &str, text: &str| {
        let document = Document::parse(text).expect("valid");
        without(&document, document.item(id).expect("there"))
    };
    let (a, b, c) = (
        "  {\"id\":\"a\",\"title\":\"x\"}",
        "  {\"id\":\"b\",\"title\":\"x\"}",
        "  {\"id\":\"c\",\"title\":\"x\"}",
    );
    assert_eq!(left("a", text), format!("[\n{b},\n{c}\n]\n"));
    assert_eq!(left("b", text), format!("[\n{a},\n{c}\n]\n"));
    assert_eq!(left("c", text), format!("[\n{a},\n{b}\n]\n"));
    assert_eq!(left("a", &format!("[\n{a}\n]\n")), "[]\n");
}

/// Blanks as people and programs put them.
fn blank() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        Just(" ".to_owned()),
        Just("\n    ".to_owned()),
        Just("\r\n\t".to_owned()),
    ]
}

fn value() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("null".to_owned()),
        Just("-1.50e+3".to_owned()),
        Just("{\"id\": [\"]}\\\"\", {}]}".to_owned()),
        "[a-zé\u{1f600} ]{0,8}".prop_map(|text| format!("\"{text}\"")),
    ]
}

fn task_text(id: usize) -> impl Strategy<Value = String> {
    let status = option::of(prop_oneof![Just("open"), Just("done")]);
    let extra = vec(("k[a-z]{1,4}", value()), 0..3);
    (blank(), blank(), "[a-zé]{1,9}", status, extra).prop_map(
        move |(gap, colon, title, status, extra)| {
            let mut members = vec![
                format!("\"id\"{colon}:{gap}\"t{id}\""),
                format!("\"title\":{colon}\"{title}\""),
            ];
            if let Some(status) = status {
                members.push(format!("\"status\":\"{status}\""));
            }
            for (index, (key, value)) in extra.into_iter().enumerate() {
                members.insert(index, format!("\"{key}{index}\":{value}"));
            }
            format!("{{{gap}{}{colon}}}", members.join(&format!(",{gap}")))
        },
    )
}

fn file_text() -> impl Strategy<Value = String> {
    let tasks = vec(0..1_usize, 0..5).prop_flat_map(|ids| {
        let texts: Vec<_> = ids
            .iter()
            .enumerate()
            .map(|(index, _)| task_text(index + 1))
            .collect();
        texts
    });
    (tasks, blank(), value(), 0..3_usize).prop_map(|(tasks, gap, value, form)| {
        let list = format!("[{gap}{}{gap}]", tasks.join(&format!(",{gap}")));
        match form {
            0 => list,
            1 => format!("{{{gap}\"x\":{value},{gap}\"tasks\":{list}{gap}}}\n"),
            _ => format!("\u{feff}{{\"tasks\":{list},{gap}\"x\":{value}}}{gap}"),
        }
    })
}

/// Says whether `new` is `old` with one stretch replaced that lies within what `may` covers.
fn keeps_the_rest(old: &str, new: &str, may: std::ops::Range<usize>) {
    let head = &old[..may.start];
    let tail = &old[may.end..];
    assert!(new.starts_with(head), "{old:?}\n{new:?}");
    assert!(new.ends_with(tail), "{old:?}\n{new:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn adding_changes_nothing_but_the_list(text in file_text()) {
        let document = Document::parse(&text).expect("valid");
        let task = new(&document.free_id());
        let new = New(&task).into(&document);
        let at = document.items.last().map_or(document.list.clone(), |last| last.span.end..last.span.end);
        keeps_the_rest(&text, &new, at);
        let again = Document::parse(&new).expect("still valid");
        let old: Vec<&Task> = document.tasks().collect();
        let now: Vec<&Task> = again.tasks().collect();
        assert_eq!(&now[..old.len()], &old[..]);
        assert_eq!(now[old.len()..], [&task]);
        // What was added goes without a trace, unless blanks in an empty list were given up.
        if !old.is_empty() {
            assert_eq!(without(&again, again.items.last().expect("it")), text);
        }
    }

    #[test]
    fn setting_changes_nothing_but_the_task(text in file_text(), title in "[a-z\"\\\\é]{1,5}", status in 0..2_usize) {
        let document = Document::parse(&text).expect("valid");
        for item in &document.items {
            let mut task = item.task.clone();
            task.title.clone_from(&title);
            task.status = [Status::Open, Status::Done][status];
            task.done = (status == 1).then(|| "now".to_owned());
            task.due = Some("2026-01-01".to_owned());
            let Some(new) = set(&document, item, &task) else {
                assert_eq!(task, item.task);
                continue;
            };
            keeps_the_rest(&text, &new, item.span.clone());
            let again = Document::parse(&new).expect("still valid");
            assert_eq!(&again.item(&task.id).expect("there").task, &task);
            assert_eq!(again.items.len(), document.items.len());
        }
    }

    #[test]
    fn removing_changes_nothing_but_the_task(text in file_text()) {
        let document = Document::parse(&text).expect("valid");
        let raw = |document: &Document<'_>| -> Vec<String> {
            document.items.iter().map(|item| document.text[item.span.clone()].to_owned()).collect()
        };
        for (index, item) in document.items.iter().enumerate() {
            let new = without(&document, item);
            let before = index.checked_sub(1).map_or(document.list.start + 1, |index| document.items[index].span.end);
            let behind = document.items.get(index + 1).map_or(document.list.end - 1, |next| next.span.start);
            keeps_the_rest(&text, &new, before..behind);
            let mut left = raw(&document);
            left.remove(index);
            assert_eq!(raw(&Document::parse(&new).expect("still valid")), left);
        }
    }

    #[test]
    fn no_text_is_a_fault_of_ours(text in "([\\[\\]{},:\"\\\\ \n]|\"id\":\"a\"|\"title\":\"b\"|\"tasks\":|null|1){0,40}") {
        if let Ok(document) = Document::parse(&text) {
            let new = New(&new(&document.free_id())).into(&document);
            Document::parse(&new).expect("still valid");
        }
    }
}
