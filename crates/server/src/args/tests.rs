use serde_json::{Value, json};

use super::{Arg, Args, Kind, read, schema};

const EDIT: &[Arg] = &[
    Arg::text("path", "").required(),
    Arg::new("oldString", Kind::Text { min_chars: 1 }, "").required(),
    Arg::flag("replaceAll", ""),
];

const ALL: &[Arg] = &[
    Arg::text("text", "Some text"),
    Arg::integer("limit", 1, ""),
    Arg::new(
        "context",
        Kind::Integer {
            min: Some(0),
            max: Some(10),
        },
        "",
    ),
    Arg::new(
        "offset",
        Kind::Integer {
            min: None,
            max: None,
        },
        "",
    ),
    Arg::flag("flag", ""),
    Arg::new("word", Kind::Word(&["pending", "done"]), ""),
    Arg::new("list", Kind::Texts { min_items: 1 }, ""),
    Arg::new(
        "edits",
        Kind::Objects {
            min_items: 1,
            args: EDIT,
        },
        "",
    ),
];

fn read_all(sent: Value) -> Result<Args, String> {
    let Value::Object(sent) = sent else {
        panic!("the arguments of a test are an object")
    };
    read(ALL, sent)
}

fn check(sent: impl Into<Value>, wanted: &str) {
    let sent = sent.into();
    let seen = match read_all(sent.clone()) {
        Ok(args) => {
            let mut seen: Vec<String> = args
                .values
                .iter()
                .map(|(name, given)| format!("{name}={given:?}"))
                .collect();
            seen.extend(args.ignored.iter().map(|name| format!("ignored {name}")));
            seen.join(" ")
        }
        Err(faults) => faults,
    };
    assert_eq!(seen, wanted, "for {sent}");
}

#[test]
fn what_means_one_thing_only_is_read() {
    check(json!({}), "");
    check(json!({"limit": null, "text": null, "flag": null}), "");
    check(json!({"limit": "null", "flag": "null", "list": "null"}), "");
    check(json!({"text": "null"}), r#"text=Text("null")"#);
    check(json!({"limit": 5}), "limit=Integer(5)");
    check(json!({"limit": "5"}), "limit=Integer(5)");
    check(json!({"limit": 5.0}), "limit=Integer(5)");
    check(json!({"limit": "5.0"}), "limit=Integer(5)");
    check(
        json!({"limit": 1e300}),
        &format!("limit=Integer({})", i64::MAX),
    );
    check(json!({"offset": -3}), "offset=Integer(-3)");
    check(json!({"flag": "true"}), "flag=Flag(true)");
    check(json!({"flag": "False"}), "flag=Flag(false)");
    check(json!({"list": "a.txt"}), r#"list=Texts(["a.txt"])"#);
    check(json!({"list": r#"["a","b"]"#}), r#"list=Texts(["a", "b"])"#);
    check(
        json!({"text": r#"["a","b"]"#}),
        r#"text=Text("[\"a\",\"b\"]")"#,
    );
}

#[test]
fn what_cannot_be_meant_is_named_with_what_came() {
    let least = "expected an integer of at least 1, got";
    check(json!({"limit": "x"}), &format!(r#"limit: {least} "x""#));
    check(json!({"limit": ""}), &format!(r#"limit: {least} """#));
    check(json!({"limit": 0}), &format!("limit: {least} 0"));
    check(json!({"limit": 1.5}), &format!("limit: {least} 1.5"));
    check(json!({"limit": true}), &format!("limit: {least} true"));
    check(
        json!({"context": 11}),
        "context: expected an integer from 0 to 10, got 11",
    );
    check(json!({"text": 5}), "text: expected text, got 5");
    check(json!({"text": ["a"]}), "text: expected text, got a list");
    check(json!({"flag": 1}), "flag: expected true or false, got 1");
    check(
        json!({"word": "later"}),
        r#"word: expected one of pending, done, got "later""#,
    );
    check(
        json!({"list": []}),
        "list: expected a list of texts with at least 1 item, got []",
    );
    check(json!({"list": ["a", 5]}), "list[1]: expected text, got 5");
}

#[test]
fn all_faults_are_named_at_once() {
    check(
        json!({"limit": "x", "flag": 3}),
        "limit: expected an integer of at least 1, got \"x\"; flag: expected true or false, got 3",
    );
    check(
        json!({"edits": [{"path": "a", "oldString": ""}, {"path": 7}]}),
        "edits[0].oldString: expected text of at least 1 character, got \"\"; \
         edits[1].path: expected text, got 7; \
         edits[1].oldString: missing, expected text of at least 1 character",
    );
    check(
        json!({"edits": "nonsense"}),
        "edits: expected a list of objects with at least 1 item, got \"nonsense\"",
    );
}

#[test]
fn objects_come_as_lists_alone_or_as_json_text() {
    let one = r#"edits=Objects([Args { values: [("path", Text("a")), ("oldString", Text("b"))], ignored: [] }])"#;
    check(json!({"edits": [{"path": "a", "oldString": "b"}]}), one);
    check(json!({"edits": {"path": "a", "oldString": "b"}}), one);
    check(json!({"edits": r#"[{"path":"a","oldString":"b"}]"#}), one);
    check(json!({"edits": [r#"{"path":"a","oldString":"b"}"#]}), one);
}

#[test]
fn what_the_tool_does_not_have_is_collected_in_order() {
    check(
        json!({"zeta": 1, "limit": 2, "alpha": null}),
        "limit=Integer(2) ignored zeta ignored alpha",
    );
    let sent = json!({"edits": [{"path": "a", "oldString": "b", "foo": 1}], "bar\n": 2});
    let args = read_all(sent).unwrap();
    assert_eq!(args.ignored(), ["edits[0].foo", "bar\\n"]);
}

#[test]
fn the_schema_says_what_the_table_says() {
    assert_eq!(
        Value::Object(schema(&ALL[..3])).to_string(),
        r#"{"type":"object","properties":{"text":{"type":"string","description":"Some text"},"limit":{"type":"integer","minimum":1},"context":{"type":"integer","minimum":0,"maximum":10}}}"#
    );
    assert_eq!(
        Value::Object(schema(&ALL[7..])).to_string(),
        r#"{"type":"object","properties":{"edits":{"type":"array","items":{"type":"object","properties":{"path":{"type":"string"},"oldString":{"type":"string","minLength":1},"replaceAll":{"type":"boolean"}},"required":["path","oldString"]},"minItems":1}}}"#
    );
    assert_eq!(
        Value::Object(schema(&[])).to_string(),
        r#"{"type":"object","properties":{}}"#
    );
}
