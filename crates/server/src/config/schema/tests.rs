use std::fs;
use std::path::Path;

use expect_test::expect_file;
use serde_json::{Value, json};

use super::{schema, table};
use crate::config::keys::{KEYS, Kind};
use crate::config::shape::settings;

/// `UPDATE_EXPECT=1` writes the file anew.
#[test]
fn the_shipped_schema_is_that_of_the_table() {
    expect_file!["../../../../../schemas/config.schema.json"].assert_eq(&schema());
}

/// `UPDATE_EXPECT=1` writes it anew, between its marks.
#[test]
fn the_docs_hold_the_table() {
    const MARK: &str = "<!-- the table of keys -->\n";
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/config.md");
    let page = fs::read_to_string(page).unwrap().replace("\r\n", "\n");
    let parts: Vec<&str> = page.split(MARK).collect();
    let [before, _, after] = parts[..] else {
        panic!("docs/config.md needs two lines {MARK}");
    };
    let wanted = format!("{before}{MARK}{}{MARK}{after}", table());
    expect_file!["../../../../../docs/config.md"].assert_eq(&wanted);
}

/// Values that a key takes, and such that it refuses.
fn examples(kind: &Kind) -> (Vec<Value>, Vec<Value>) {
    match kind {
        Kind::Anything => (vec![json!("x"), json!(1), json!(null)], vec![]),
        Kind::Workspaces => (
            vec![json!({}), json!({"a": "x", "b-2": "/y:ro"})],
            vec![
                json!("x"),
                json!(["x"]),
                json!({"A": "x"}),
                json!({"a": " "}),
                json!({"a": 1}),
                json!({"token": "x"}),
                json!(null),
            ],
        ),
        Kind::Choice(choices) => (
            choices.iter().map(|choice| json!(choice)).collect(),
            vec![json!("nope"), json!(""), json!(1), json!(true), json!(null)],
        ),
        Kind::Integer { min, max } => (
            vec![json!(min), json!(max), json!(*min as f64)],
            vec![
                json!(*min as i64 - 1),
                json!(max + 1),
                json!(*min as f64 + 0.5),
                json!(min.to_string()),
                json!([min]),
                json!(null),
            ],
        ),
        Kind::Flag => (
            vec![json!(true), json!(false)],
            vec![json!(1), json!("true"), json!(null)],
        ),
        Kind::Text => (
            vec![json!("x"), json!(" x")],
            vec![json!(""), json!(" \t"), json!(1), json!(["x"]), json!(null)],
        ),
        Kind::Texts(_) => (
            vec![json!([]), json!(["x"]), json!(["x", "y z"])],
            vec![
                json!("x"),
                json!([""]),
                json!(["x", 1]),
                json!({}),
                json!(null),
            ],
        ),
    }
}

#[test]
fn schema_and_reader_agree_on_every_key() {
    let schema: Value = serde_json::from_str(&schema()).unwrap();
    for key in KEYS {
        let file = |value: &Value| match key.name.split_once('.') {
            Some((section, name)) => json!({section: {name: value}}),
            None => json!({key.name: value}),
        };
        let (good, bad) = examples(&key.kind);
        for value in good {
            let file = file(&value);
            assert!(takes(&schema, &file), "the schema refuses {file}");
            if let Err(text) = settings(&file) {
                panic!("{file}: {text}");
            }
        }
        for value in bad {
            let file = file(&value);
            assert!(!takes(&schema, &file), "the schema takes {file}");
            assert!(settings(&file).is_err(), "the reader takes {file}");
        }
    }
    for file in [
        json!([]),
        json!("x"),
        json!({"x": 1}),
        json!({"shell": 1}),
        json!({"state": {"x": 1}}),
    ] {
        assert!(!takes(&schema, &file), "the schema takes {file}");
        assert!(settings(&file).is_err(), "the reader takes {file}");
    }
}

/// As much of JSON schema as ours uses; an unknown word fails the test.
fn takes(schema: &Value, value: &Value) -> bool {
    let words = schema.as_object().unwrap();
    words.iter().all(|(word, rule)| match word.as_str() {
        "$schema" | "title" | "description" => true,
        "type" => match rule.as_str().unwrap() {
            "object" => value.is_object(),
            "array" => value.is_array(),
            "string" => value.is_string(),
            "boolean" => value.is_boolean(),
            "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
            other => panic!("type {other}"),
        },
        "enum" => rule.as_array().unwrap().contains(value),
        "const" => rule == value,
        "not" => !takes(rule, value),
        "minimum" => value.as_f64() >= rule.as_f64(),
        "maximum" => value.as_f64() <= rule.as_f64(),
        "pattern" => {
            let pattern = matcher(rule.as_str().unwrap());
            value.as_str().is_some_and(pattern)
        }
        "items" => items(value).all(|item| takes(rule, item)),
        "properties" => fields(value).all(|(name, field)| match rule.get(name) {
            Some(rule) => takes(rule, field),
            None => true,
        }),
        "propertyNames" => fields(value).all(|(name, _)| takes(rule, &json!(name))),
        "additionalProperties" => fields(value).all(|(name, field)| {
            let known = schema.get("properties").and_then(|known| known.get(name));
            known.is_some() || rule.is_object() && takes(rule, field)
        }),
        other => panic!("the test does not know the word {other}"),
    })
}

/// The two patterns in use.
fn matcher(pattern: &str) -> fn(&str) -> bool {
    match pattern {
        r"\S" => |text| text.chars().any(|c| !c.is_whitespace()),
        super::NAME_PATTERN => crate::config::values::is_workspace_name,
        other => panic!("the test does not know the pattern {other}"),
    }
}

fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn fields(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}
