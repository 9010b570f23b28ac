use super::Document;
use crate::vault::fault::Fault;

fn fault(text: &str) -> String {
    match Document::parse(text) {
        Err(Fault::Tasks { line, column, what }) => format!("{line}:{column} {what}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    for (text, told) in [
        ("", "1:1 the file ends in the middle of a value"),
        (
            "{\"tasks\": [\n]",
            "2:2 the file ends in the middle of an object",
        ),
        (
            "{\n  \"tasks\": [\n    {\"id\": \"t1\" \"title\": 1}\n  ]\n}",
            "3:17 expected `,` or `}`",
        ),
        ("{\"tasks\": [],}", "1:14 key must be a string"),
        ("[] []", "1:4 trailing characters"),
        ("\"tasks\"", "1:1 expected an object with a \"tasks\" list"),
        ("{}", "1:1 there is no \"tasks\" list"),
        ("{\"tasks\": {}}", "1:11 \"tasks\" is not a list"),
        (
            "{\"tasks\": [], \"tasks\": []}",
            "1:15 \"tasks\" is there twice",
        ),
        ("[1]", "1:2 a task is not an object"),
        ("[{\"title\": \"a\"}]", "1:2 a task has no \"id\""),
        (
            "[{\"id\": \"\", \"title\": \"a\"}]",
            "1:2 a task has no \"id\"",
        ),
        ("[{\"id\": \"a\"}]", "1:2 a task has no \"title\""),
        (
            "[{\"id\": 1, \"title\": \"a\"}]",
            "1:9 \"id\" is not a text",
        ),
        (
            "[{\"id\": \"é\", \"title\": 2}]",
            "1:23 \"title\" is not a text",
        ),
        (
            "[\n{\"id\":\"a\",\"title\":\"b\",\"status\":\"later\"}]",
            "2:32 the status is neither \"open\" nor \"done\"",
        ),
        (
            "[{\"id\":\"a\",\"title\":\"b\"},\n {\"id\":\"a\",\"title\":\"c\"}]",
            "2:2 the id \"a\" is there twice",
        ),
        (
            "[{\"id\":\"a\",\"id\":\"b\",\"title\":\"c\"}]",
            "1:12 \"id\" is there twice",
        ),
        (
            "[{\"id\":\"\\ud800\",\"title\":\"c\"}]",
            "1:8 \"id\" is not a text",
        ),
        ("\u{feff}[1]", "1:2 a task is not an object"),
    ] {
        assert_eq!(fault(text), told, "{text}");
    }
}

#[test]
fn ids_go_on_behind_the_highest() {
    let id = |text: &str| Document::parse(text).expect("valid").free_id();
    assert_eq!(id("[]"), "t1");
    assert_eq!(
        id(r#"[{"id":"t9","title":"a"},{"id":"t10","title":"a"},{"id":"x99","title":"a"}]"#),
        "t11"
    );
    assert_eq!(
        id(r#"[{"id":"t18446744073709551615","title":"a"},{"id":"t1","title":"a"}]"#),
        "t2"
    );
}

#[test]
fn escaped_keys_and_unknown_values_are_read() {
    let text = r#"{"x": [{"tasks": 1}], "t\u0061sks": [{"id": "a", "t\u0069tle": "b \" \\", "n": 1e400}]}"#;
    let document = Document::parse(text).expect("valid");
    let titles: Vec<&str> = document.tasks().map(|task| task.title.as_str()).collect();
    assert_eq!(titles, ["b \" \\"]);
}
