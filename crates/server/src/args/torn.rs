//! Arguments in which half of a character came.

use serde_json::{Map, Value};

/// What is wrong with the first text in which U+FFFD may stand for half a character: that cannot be
/// stored, and nobody asked for what stands in for it.
#[must_use]
pub fn torn(arguments: &Map<String, Value>) -> Option<String> {
    fn find(value: &Value, way: &str) -> Option<String> {
        match value {
            Value::String(text) => text.contains('\u{fffd}').then(|| way.to_owned()),
            Value::Array(values) => values
                .iter()
                .enumerate()
                .find_map(|(index, value)| find(value, &format!("{way}[{index}]"))),
            Value::Object(fields) => fields
                .iter()
                .find_map(|(name, value)| find(value, &format!("{way}.{name}"))),
            Value::Null | Value::Bool(_) | Value::Number(_) => None,
        }
    }
    let way = arguments
        .iter()
        .find_map(|(name, value)| find(value, name))?;
    let way = rooted::show(way.as_bytes());
    Some(format!("{way}: half of a surrogate pair is no character"))
}
