//! The shape of arguments: its schema, and what is wrong with arguments that have another.
//!
//! Nothing is read kindly here. The texts are those of the validator that clients of this toolset
//! know: every fault in one line, first those of the whole, then field by field.

use serde_json::{Map, Value, json};

/// One argument.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) is_required: bool,
    /// What a model is told of it, where the name is not enough.
    pub(crate) about: Option<&'static str>,
}

/// What an argument may be.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    /// A text.
    Text,
    /// A text that is not empty.
    SomeText,
    /// One to so many texts that are not empty.
    Texts { max: usize },
    /// Yes or no.
    Flag,
    /// A whole number from 1 on, up to a limit if there is one.
    Whole { max: Option<u64> },
}

impl Field {
    /// An argument that may be absent.
    pub(crate) const fn new(name: &'static str, kind: Kind) -> Self {
        Self {
            name,
            kind,
            is_required: false,
            about: None,
        }
    }

    /// One that may not.
    pub(crate) const fn required(name: &'static str, kind: Kind) -> Self {
        Self {
            is_required: true,
            ..Self::new(name, kind)
        }
    }

    fn schema(&self) -> Value {
        let mut schema = match self.kind {
            Kind::Text => json!({"type": "string"}),
            Kind::SomeText => json!({"type": "string", "minLength": 1}),
            Kind::Texts { max } => json!({
                "type": "array",
                "items": {"type": "string", "minLength": 1},
                "minItems": 1,
                "maxItems": max,
            }),
            Kind::Flag => json!({"type": "boolean"}),
            Kind::Whole { max: None } => json!({"type": "integer", "minimum": 1}),
            Kind::Whole { max: Some(max) } => {
                json!({"type": "integer", "minimum": 1, "maximum": max})
            }
        };
        if let (Some(about), Some(schema)) = (self.about, schema.as_object_mut()) {
            schema.insert("description".to_owned(), about.into());
        }
        schema
    }

    /// Adds what is wrong with a value.
    fn check(&self, value: &Value, faults: &mut Vec<String>) {
        let at = format!("data/{}", self.name);
        match self.kind {
            Kind::Text if !value.is_string() => faults.push(format!("{at} must be string")),
            Kind::Text => {}
            Kind::SomeText => check_text(&at, value, faults),
            Kind::Texts { max } => {
                let Some(texts) = value.as_array() else {
                    faults.push(format!("{at} must be array"));
                    return;
                };
                if texts.len() > max {
                    faults.push(format!("{at} must NOT have more than {max} items"));
                }
                if texts.is_empty() {
                    faults.push(format!("{at} must NOT have fewer than 1 items"));
                }
                for (n, text) in texts.iter().enumerate() {
                    check_text(&format!("{at}/{n}"), text, faults);
                }
            }
            Kind::Flag if !value.is_boolean() => faults.push(format!("{at} must be boolean")),
            Kind::Flag => {}
            Kind::Whole { max } => check_whole(&at, value, max, faults),
        }
    }
}

fn check_text(at: &str, value: &Value, faults: &mut Vec<String>) {
    match value.as_str() {
        None => faults.push(format!("{at} must be string")),
        Some("") => faults.push(format!("{at} must NOT have fewer than 1 characters")),
        Some(_) => {}
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "limits are far below what a float holds exactly"
)]
fn check_whole(at: &str, value: &Value, max: Option<u64>, faults: &mut Vec<String>) {
    let number = value.as_f64();
    if number.is_none_or(|number| number.fract() != 0.0) {
        faults.push(format!("{at} must be integer"));
    }
    let Some(number) = number else {
        return;
    };
    if let Some(max) = max
        && number > max as f64
    {
        faults.push(format!("{at} must be <= {max}"));
    }
    if number < 1.0 {
        faults.push(format!("{at} must be >= 1"));
    }
}

/// The schema of arguments.
pub(crate) fn schema(fields: &[Field]) -> Map<String, Value> {
    let properties: Map<String, Value> = fields
        .iter()
        .map(|field| (field.name.to_owned(), field.schema()))
        .collect();
    let required: Vec<Value> = fields
        .iter()
        .filter(|field| field.is_required)
        .map(|field| field.name.into())
        .collect();
    let mut schema = Map::new();
    schema.insert("type".to_owned(), "object".into());
    schema.insert("properties".to_owned(), properties.into());
    if !required.is_empty() {
        schema.insert("required".to_owned(), required.into());
    }
    schema.insert("additionalProperties".to_owned(), false.into());
    schema
}

/// What is wrong with arguments; `None` when they have the shape.
pub(crate) fn faults(fields: &[Field], arguments: &Map<String, Value>) -> Option<String> {
    let mut faults = Vec::new();
    let missing = |field: &&Field| field.is_required && !arguments.contains_key(field.name);
    for field in fields.iter().filter(missing) {
        faults.push(format!("data must have required property '{}'", field.name));
    }
    let is_known = |name: &String| fields.iter().any(|field| field.name == name);
    for _ in arguments.keys().filter(|name| !is_known(name)) {
        faults.push("data must NOT have additional properties".to_owned());
    }
    for field in fields {
        if let Some(value) = arguments.get(field.name) {
            field.check(value, &mut faults);
        }
    }
    (!faults.is_empty()).then(|| faults.join(", "))
}

/// Arguments that have the shape.
#[derive(Debug)]
pub(crate) struct Given(pub(crate) Map<String, Value>);

impl Given {
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).and_then(Value::as_str)
    }

    pub(crate) fn flag(&self, name: &str) -> bool {
        self.0.get(name).and_then(Value::as_bool).unwrap_or(false)
    }

    /// Several texts.
    pub(crate) fn texts(&self, name: &str) -> Option<Vec<String>> {
        let texts = self.0.get(name)?.as_array()?.iter();
        Some(texts.filter_map(Value::as_str).map(str::to_owned).collect())
    }

    /// A whole number; one that is too large for its kind is the largest there is.
    pub(crate) fn whole(&self, name: &str) -> Option<u64> {
        let value = self.0.get(name)?;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the shape says that it is whole and from 1 on, and larger ones saturate"
        )]
        value.as_u64().or_else(|| value.as_f64().map(|n| n as u64))
    }
}

#[cfg(test)]
mod tests;
