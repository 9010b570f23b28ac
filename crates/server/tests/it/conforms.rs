//! Holds an answer against the schema that its tool tells of: the few keywords that tools use, and no
//! others.

use serde_json::Value;

/// Every way in which a value breaks a schema.
pub fn faults(schema: &Value, value: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    check(schema, value, "", &mut faults);
    faults
}

fn check(schema: &Value, value: &Value, at: &str, faults: &mut Vec<String>) {
    let schema = schema.as_object().expect("a schema is an object");
    for (keyword, said) in schema {
        let holds = match keyword.as_str() {
            "description" => true,
            "type" => match said.as_str().expect("one type") {
                "object" => value.is_object(),
                "array" => value.is_array(),
                "string" => value.is_string(),
                "boolean" => value.is_boolean(),
                "integer" => value.is_i64() || value.is_u64(),
                "number" => value.is_number(),
                other => panic!("{at}: type {other}"),
            },
            "enum" => said.as_array().expect("a list").contains(value),
            "required" => {
                let names = said.as_array().expect("a list").iter();
                names
                    .map(|name| name.as_str().expect("a name"))
                    .all(|name| value.get(name).is_some())
            }
            "properties" => {
                for (name, property) in said.as_object().expect("an object") {
                    if let Some(value) = value.get(name) {
                        check(property, value, &format!("{at}.{name}"), faults);
                    }
                }
                true
            }
            "items" => {
                for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                    check(said, item, &format!("{at}[{index}]"), faults);
                }
                true
            }
            "minimum" => value.as_i64() >= said.as_i64(),
            "maximum" => value.as_i64() <= said.as_i64(),
            "minLength" => value.as_str().map(|text| text.chars().count() as u64) >= said.as_u64(),
            "minItems" => value.as_array().map(|items| items.len() as u64) >= said.as_u64(),
            other => panic!("{at}: keyword {other}"),
        };
        if !holds {
            faults.push(format!("{at}: {keyword} {said} does not hold for {value}"));
        }
    }
}

#[test]
fn a_break_of_each_keyword_is_found() {
    use serde_json::json;
    let schema = json!({
        "type": "object",
        "properties": {
            "n": {"type": "integer", "minimum": 1, "maximum": 3},
            "words": {"type": "array", "minItems": 1, "items": {"type": "string", "minLength": 2}},
            "kind": {"enum": ["a", "b"], "description": "a or b"},
            "any": {},
        },
        "required": ["n"],
    });
    let fine = json!({"n": 2, "words": ["ab"], "kind": "a", "any": null, "more": 1});
    assert_eq!(faults(&schema, &fine), [""; 0]);
    for (value, n) in [
        (json!([]), 2),
        (json!({}), 1),
        (json!({"n": 0}), 1),
        (json!({"n": 4}), 1),
        (json!({"n": 1.5}), 2),
        (json!({"n": 1, "words": []}), 1),
        (json!({"n": 1, "words": ["a", 2]}), 3),
        (json!({"n": 1, "kind": "c"}), 1),
    ] {
        assert_eq!(faults(&schema, &value).len(), n, "{value}");
    }
}
