use serde_json::{Value, json};

use super::{Field, Given, Kind, faults, schema};

const SEARCH: [Field; 6] = [
    Field::new("query", Kind::SomeText),
    Field::new("any_of", Kind::Texts { max: 16 }),
    Field::new("case_insensitive", Kind::Flag),
    Field::new("path", Kind::Text),
    Field::new("cursor", Kind::Text),
    Field::new("limit", Kind::Whole { max: None }),
];
const READ: [Field; 4] = [
    Field::required("path", Kind::SomeText),
    Field::new("start_line", Kind::Whole { max: None }),
    Field::new("cursor", Kind::Text),
    Field::new("limit", Kind::Whole { max: Some(8) }),
];

fn told(fields: &[Field], arguments: Value) -> String {
    let Value::Object(arguments) = arguments else {
        panic!("arguments are an object");
    };
    faults(fields, &arguments).unwrap_or_default()
}

/// The texts are those that AJV gives with all faults, taken from it once.
#[test]
fn what_is_wrong_is_told_as_the_validator_tells_it() {
    let many = |text: &str, n: usize| Value::from(vec![text; n]);
    for (arguments, text) in [
        (json!({}), ""),
        (
            json!({"query": ""}),
            "data/query must NOT have fewer than 1 characters",
        ),
        (json!({"query": 5}), "data/query must be string"),
        (json!({"query": null}), "data/query must be string"),
        (
            json!({"any_of": []}),
            "data/any_of must NOT have fewer than 1 items",
        ),
        (json!({"any_of": "a"}), "data/any_of must be array"),
        (
            json!({"any_of": ["a", 1, ""]}),
            "data/any_of/1 must be string, data/any_of/2 must NOT have fewer than 1 characters",
        ),
        (
            json!({"any_of": many("a", 17)}),
            "data/any_of must NOT have more than 16 items",
        ),
        (
            json!({"case_insensitive": "true"}),
            "data/case_insensitive must be boolean",
        ),
        (json!({"limit": 0}), "data/limit must be >= 1"),
        (json!({"limit": 1.5}), "data/limit must be integer"),
        (
            json!({"limit": 0.5}),
            "data/limit must be integer, data/limit must be >= 1",
        ),
        (json!({"limit": "5"}), "data/limit must be integer"),
        (json!({"limit": -1}), "data/limit must be >= 1"),
        (json!({"limit": 1e20}), ""),
        (json!({"limit": 2.0}), ""),
        (json!({"cursor": 1}), "data/cursor must be string"),
        (
            json!({"a": 1, "b": 2, "limit": 0}),
            "data must NOT have additional properties, data must NOT have additional properties, \
             data/limit must be >= 1",
        ),
        (
            json!({"limit": null, "path": null}),
            "data/path must be string, data/limit must be integer",
        ),
    ] {
        assert_eq!(told(&SEARCH, arguments.clone()), text, "{arguments}");
    }
    for (arguments, text) in [
        (json!({}), "data must have required property 'path'"),
        (json!({"path": "a", "limit": 9}), "data/limit must be <= 8"),
        (
            json!({"path": "a", "limit": 9.5}),
            "data/limit must be integer, data/limit must be <= 8",
        ),
        (
            json!({"x": 1}),
            "data must have required property 'path', data must NOT have additional properties",
        ),
        (
            json!({"path": "", "start_line": 0, "limit": 100, "cursor": null}),
            "data/path must NOT have fewer than 1 characters, data/start_line must be >= 1, \
             data/cursor must be string, data/limit must be <= 8",
        ),
    ] {
        assert_eq!(told(&READ, arguments.clone()), text, "{arguments}");
    }
}

#[test]
fn the_schema_is_of_the_same_fields() {
    assert_eq!(
        Value::Object(schema(&READ)).to_string(),
        r#"{"type":"object","properties":{"path":{"type":"string","minLength":1},"start_line":{"type":"integer","minimum":1},"cursor":{"type":"string"},"limit":{"type":"integer","minimum":1,"maximum":8}},"required":["path"],"additionalProperties":false}"#
    );
}

#[test]
fn numbers_are_read_whole() {
    let given = |value: Value| Given(json!({"n": value}).as_object().unwrap().clone()).whole("n");
    assert_eq!(given(json!(3)), Some(3));
    assert_eq!(given(json!(3.0)), Some(3));
    assert_eq!(given(json!(1e300)), Some(u64::MAX));
}
