//! The shape of what a tool answers as data, said in a table: from it comes the output schema.
//!
//! It keeps to what [`crate::args`] keeps to. A value that may be `null` has no type at all, since
//! clients choke on a union with it.

use serde_json::{Map, Value, json};

/// One field of an object in an answer.
#[derive(Debug)]
pub struct Field {
    /// The name.
    pub name: &'static str,
    /// What it holds.
    pub shape: Shape,
    /// Whether it is always there.
    pub always: bool,
    /// What it means, for a model; may be empty when the name says it all.
    pub about: &'static str,
}

/// What a field holds.
#[derive(Debug)]
pub enum Shape {
    /// Text.
    Text,
    /// One of a few words.
    Word(&'static [&'static str]),
    /// A whole number.
    Integer,
    /// Yes or no.
    Flag,
    /// An object.
    Object(&'static [Field]),
    /// A list of texts.
    Texts,
    /// A list of objects.
    Objects(&'static [Field]),
    /// Anything, or `null`; the text about the field says what.
    Nullable,
}

impl Field {
    /// A field that is always there.
    #[must_use]
    pub const fn new(name: &'static str, shape: Shape, about: &'static str) -> Self {
        Self {
            name,
            shape,
            always: true,
            about,
        }
    }

    /// A field that is there when there is something to say.
    #[must_use]
    pub const fn optional(name: &'static str, shape: Shape, about: &'static str) -> Self {
        Self {
            name,
            shape,
            always: false,
            about,
        }
    }
}

/// The schema of an object.
#[must_use]
pub fn schema(fields: &[Field]) -> Map<String, Value> {
    let mut properties = Map::new();
    for field in fields {
        properties.insert(field.name.to_owned(), Value::Object(property(field)));
    }
    let always = fields.iter().filter(|field| field.always);
    let required: Vec<Value> = always.map(|field| field.name.into()).collect();
    let mut schema = Map::new();
    schema.insert("type".to_owned(), "object".into());
    schema.insert("properties".to_owned(), Value::Object(properties));
    if !required.is_empty() {
        schema.insert("required".to_owned(), Value::Array(required));
    }
    schema
}

fn property(field: &Field) -> Map<String, Value> {
    let mut property = Map::new();
    let mut put = |key: &str, value: Value| {
        property.insert(key.to_owned(), value);
    };
    match &field.shape {
        Shape::Text => put("type", "string".into()),
        Shape::Word(words) => {
            put("type", "string".into());
            put(
                "enum",
                words.iter().map(|word| Value::from(*word)).collect(),
            );
        }
        Shape::Integer => put("type", "integer".into()),
        Shape::Flag => put("type", "boolean".into()),
        Shape::Object(fields) => {
            for (key, value) in schema(fields) {
                put(&key, value);
            }
        }
        Shape::Texts => {
            put("type", "array".into());
            put("items", json!({"type": "string"}));
        }
        Shape::Objects(fields) => {
            put("type", "array".into());
            put("items", Value::Object(schema(fields)));
        }
        Shape::Nullable => {}
    }
    if !field.about.is_empty() {
        put("description", field.about.into());
    }
    property
}
