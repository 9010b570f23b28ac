//! The arguments of a tool, said once: from one table come the schema that clients see and the
//! reading of what they send.
//!
//! Clients send `null` for "absent", numbers in quotes and lists as JSON text. All of that has one
//! meaning only, so it is read; a text argument is never taken for anything else.

mod torn;

use serde_json::{Map, Value};

pub use self::torn::torn;

/// One argument of a tool.
#[derive(Debug)]
pub struct Arg {
    /// The name, as clients send it.
    pub name: &'static str,
    /// What it may hold.
    pub kind: Kind,
    /// Whether a call without it is refused.
    pub required: bool,
    /// What it means, for a model; may be empty when the name says it all.
    pub about: &'static str,
}

/// What an argument may hold.
#[derive(Debug)]
pub enum Kind {
    /// Text of at least so many characters.
    Text {
        /// The least number of characters.
        min_chars: usize,
    },
    /// A whole number.
    Integer {
        /// The least value, if there is one.
        min: Option<i64>,
        /// The greatest value that is not an error, if there is one.
        max: Option<i64>,
    },
    /// Yes or no.
    Flag,
    /// One of a few words.
    Word(&'static [&'static str]),
    /// A list of texts.
    Texts {
        /// The least number of items.
        min_items: usize,
    },
    /// A list of objects, each with arguments of its own.
    Objects {
        /// The least number of items.
        min_items: usize,
        /// The table of each item.
        args: &'static [Arg],
    },
}

/// The argument that nearly every tool has.
pub const WORKSPACE: Arg = Arg::text("workspace", "Workspace name; default: primary");

impl Arg {
    /// An optional text.
    #[must_use]
    pub const fn text(name: &'static str, about: &'static str) -> Self {
        Self::new(name, Kind::Text { min_chars: 0 }, about)
    }

    /// An optional whole number with a least value.
    #[must_use]
    pub const fn integer(name: &'static str, min: i64, about: &'static str) -> Self {
        let kind = Kind::Integer {
            min: Some(min),
            max: None,
        };
        Self::new(name, kind, about)
    }

    /// An optional yes or no.
    #[must_use]
    pub const fn flag(name: &'static str, about: &'static str) -> Self {
        Self::new(name, Kind::Flag, about)
    }

    /// An optional argument of any kind.
    #[must_use]
    pub const fn new(name: &'static str, kind: Kind, about: &'static str) -> Self {
        Self {
            name,
            kind,
            required: false,
            about,
        }
    }

    /// The same argument, required.
    #[must_use]
    pub const fn required(mut self) -> Self {
        self.required = true;
        self
    }
}

/// The arguments of one call, read by the table of its tool.
#[derive(Debug, Default)]
pub struct Args {
    values: Vec<(&'static str, Given)>,
    ignored: Vec<String>,
}

#[derive(Debug)]
enum Given {
    Text(String),
    Integer(i64),
    Flag(bool),
    Texts(Vec<String>),
    Objects(Vec<Args>),
}

impl Args {
    /// The text of an argument, if it was given.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        match self.given(name)? {
            Given::Text(text) => Some(text),
            Given::Integer(_) | Given::Flag(_) | Given::Texts(_) | Given::Objects(_) => None,
        }
    }

    /// The text of a required argument.
    ///
    /// # Panics
    /// When the table of the tool doesn't make `name` a required text.
    #[must_use]
    pub fn needed_text(&self, name: &str) -> &str {
        self.text(name)
            .expect("a call without its required arguments was refused")
    }

    /// The number of an argument, if it was given.
    #[must_use]
    pub fn integer(&self, name: &str) -> Option<i64> {
        match self.given(name)? {
            Given::Integer(number) => Some(*number),
            Given::Text(_) | Given::Flag(_) | Given::Texts(_) | Given::Objects(_) => None,
        }
    }

    /// The number of an argument that cannot be negative, if it was given.
    #[must_use]
    pub fn count(&self, name: &str) -> Option<u64> {
        self.integer(name)
            .and_then(|number| u64::try_from(number).ok())
    }

    /// Whether an argument was given as true.
    #[must_use]
    pub fn flag(&self, name: &str) -> bool {
        matches!(self.given(name), Some(Given::Flag(true)))
    }

    /// The items of a list of texts; none when it was not given.
    #[must_use]
    pub fn texts(&self, name: &str) -> &[String] {
        match self.given(name) {
            Some(Given::Texts(items)) => items,
            _ => &[],
        }
    }

    /// The items of a list of objects; none when it was not given.
    #[must_use]
    pub fn objects(&self, name: &str) -> &[Args] {
        match self.given(name) {
            Some(Given::Objects(items)) => items,
            _ => &[],
        }
    }

    /// The arguments that the tool does not have, in the order they came.
    #[must_use]
    pub fn ignored(&self) -> &[String] {
        &self.ignored
    }

    /// At most `most` of them, each cut at 100 characters: whoever sent them chose how many and how long.
    pub fn ignored_in_brief(&self, most: usize) -> impl Iterator<Item = String> {
        let cut = |name: &String| name.chars().take(100).collect();
        self.ignored.iter().take(most).map(cut)
    }

    fn given(&self, name: &str) -> Option<&Given> {
        self.values
            .iter()
            .find_map(|(known, value)| (*known == name).then_some(value))
    }
}

/// Reads the arguments of a call.
///
/// # Errors
/// One text that names every argument that is missing or wrong.
pub fn read(table: &'static [Arg], sent: Map<String, Value>) -> Result<Args, String> {
    let mut faults = Vec::new();
    let mut ignored = Vec::new();
    let mut args = read_object(table, sent, "", &mut faults, &mut ignored);
    args.ignored = ignored;
    if faults.is_empty() {
        Ok(args)
    } else {
        Err(faults.join("; "))
    }
}

/// The input schema of a table: an object, flat, without the keywords that some client chokes on.
#[must_use]
pub fn schema(table: &[Arg]) -> Map<String, Value> {
    let mut properties = Map::new();
    for arg in table {
        properties.insert(arg.name.to_owned(), Value::Object(property(arg)));
    }
    let mut schema = Map::new();
    schema.insert("type".to_owned(), "object".into());
    schema.insert("properties".to_owned(), Value::Object(properties));
    let required: Vec<Value> = table
        .iter()
        .filter(|arg| arg.required)
        .map(|arg| arg.name.into())
        .collect();
    if !required.is_empty() {
        schema.insert("required".to_owned(), Value::Array(required));
    }
    schema
}

fn property(arg: &Arg) -> Map<String, Value> {
    let mut property = Map::new();
    let mut put = |key: &str, value: Value| {
        property.insert(key.to_owned(), value);
    };
    match &arg.kind {
        Kind::Text { min_chars } => {
            put("type", "string".into());
            if *min_chars > 0 {
                put("minLength", (*min_chars).into());
            }
        }
        Kind::Integer { min, max } => {
            put("type", "integer".into());
            if let Some(min) = min {
                put("minimum", (*min).into());
            }
            if let Some(max) = max {
                put("maximum", (*max).into());
            }
        }
        Kind::Flag => put("type", "boolean".into()),
        Kind::Word(words) => {
            put("type", "string".into());
            put(
                "enum",
                words.iter().map(|word| Value::from(*word)).collect(),
            );
        }
        Kind::Texts { min_items } => {
            put("type", "array".into());
            put("items", serde_json::json!({"type": "string"}));
            if *min_items > 0 {
                put("minItems", (*min_items).into());
            }
        }
        Kind::Objects { min_items, args } => {
            put("type", "array".into());
            put("items", Value::Object(schema(args)));
            if *min_items > 0 {
                put("minItems", (*min_items).into());
            }
        }
    }
    if !arg.about.is_empty() {
        put("description", arg.about.into());
    }
    property
}

fn read_object(
    table: &'static [Arg],
    mut sent: Map<String, Value>,
    prefix: &str,
    faults: &mut Vec<String>,
    ignored: &mut Vec<String>,
) -> Args {
    let mut args = Args::default();
    for arg in table {
        let value = sent.shift_remove(arg.name).unwrap_or(Value::Null);
        let path = format!("{prefix}{}", arg.name);
        if is_absent(&arg.kind, &value) {
            if arg.required {
                faults.push(format!("{path}: missing, expected {}", expected(&arg.kind)));
            }
            continue;
        }
        if let Some(given) = read_value(&arg.kind, value, &path, faults, ignored) {
            args.values.push((arg.name, given));
        }
    }
    ignored.extend(sent.keys().map(|name| {
        let name = rooted::show(name.as_bytes());
        format!("{prefix}{name}")
    }));
    args
}

/// `null` means absent; so does the word, which a client was seen to send, unless it could be meant.
fn is_absent(kind: &Kind, value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => !matches!(kind, Kind::Text { .. }) && text == "null",
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => false,
    }
}

fn read_value(
    kind: &Kind,
    value: Value,
    path: &str,
    faults: &mut Vec<String>,
    ignored: &mut Vec<String>,
) -> Option<Given> {
    match kind {
        Kind::Text { min_chars } => match value {
            Value::String(text) if has_chars(&text, *min_chars) => return Some(Given::Text(text)),
            other => faults.push(wrong(path, kind, &other)),
        },
        Kind::Integer { min, max } => match integer(&value) {
            Some(number)
                if min.is_none_or(|min| number >= min) && max.is_none_or(|max| number <= max) =>
            {
                return Some(Given::Integer(number));
            }
            _ => faults.push(wrong(path, kind, &value)),
        },
        Kind::Flag => match flag(&value) {
            Some(flag) => return Some(Given::Flag(flag)),
            None => faults.push(wrong(path, kind, &value)),
        },
        Kind::Word(words) => match value {
            Value::String(word) if words.contains(&word.as_str()) => {
                return Some(Given::Text(word));
            }
            other => faults.push(wrong(path, kind, &other)),
        },
        Kind::Texts { min_items } => match list(value) {
            Ok(items) if items.len() >= *min_items => {
                return Some(Given::Texts(read_texts(items, path, faults)));
            }
            Ok(items) => faults.push(wrong(path, kind, &Value::Array(items))),
            Err(Value::String(text)) => return Some(Given::Texts(vec![text])),
            Err(other) => faults.push(wrong(path, kind, &other)),
        },
        Kind::Objects { min_items, args } => match list(value) {
            Ok(items) if items.len() >= *min_items => {
                let items = items.into_iter().enumerate();
                let read = items.filter_map(|(index, item)| {
                    let path = format!("{path}[{index}]");
                    match object(item) {
                        Ok(item) => {
                            let prefix = format!("{path}.");
                            Some(read_object(args, item, &prefix, faults, ignored))
                        }
                        Err(other) => {
                            faults.push(format!("{path}: expected an object, got {}", got(&other)));
                            None
                        }
                    }
                });
                return Some(Given::Objects(read.collect()));
            }
            Ok(items) => faults.push(wrong(path, kind, &Value::Array(items))),
            Err(other) => faults.push(wrong(path, kind, &other)),
        },
    }
    None
}

fn read_texts(items: Vec<Value>, path: &str, faults: &mut Vec<String>) -> Vec<String> {
    let items = items.into_iter().enumerate();
    let read = items.filter_map(|(index, item)| match item {
        Value::String(text) => Some(text),
        other => {
            let got = got(&other);
            faults.push(format!("{path}[{index}]: expected text, got {got}"));
            None
        }
    });
    read.collect()
}

fn integer(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) => number.as_i64().or_else(|| whole(number.as_f64()?)),
        Value::String(text) => {
            let text = text.trim();
            text.parse()
                .ok()
                .or_else(|| whole(text.parse::<f64>().ok()?))
        }
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

/// A float without a fraction; beyond the range of the type the nearest end stands for it.
fn whole(number: f64) -> Option<i64> {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the cast saturates, which is what a limit of a billion billions means"
    )]
    (number.is_finite() && number.fract() == 0.0).then_some(number as i64)
}

fn flag(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(flag) => Some(*flag),
        Value::String(text) if text.eq_ignore_ascii_case("true") => Some(true),
        Value::String(text) if text.eq_ignore_ascii_case("false") => Some(false),
        Value::String(_) | Value::Null | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            None
        }
    }
}

/// A list as such, as JSON text, or as its only item when that is an object.
fn list(value: Value) -> Result<Vec<Value>, Value> {
    match value {
        Value::Array(items) => Ok(items),
        Value::Object(_) => Ok(vec![value]),
        Value::String(text) => match serde_json::from_str(&text) {
            Ok(Value::Array(items)) => Ok(items),
            Ok(item @ Value::Object(_)) => Ok(vec![item]),
            Ok(_) | Err(_) => Err(Value::String(text)),
        },
        Value::Null | Value::Bool(_) | Value::Number(_) => Err(value),
    }
}

fn object(value: Value) -> Result<Map<String, Value>, Value> {
    match value {
        Value::Object(object) => Ok(object),
        Value::String(text) => match serde_json::from_str(&text) {
            Ok(Value::Object(object)) => Ok(object),
            Ok(_) | Err(_) => Err(Value::String(text)),
        },
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => Err(value),
    }
}

fn has_chars(text: &str, min: usize) -> bool {
    min == 0 || text.chars().nth(min - 1).is_some()
}

fn wrong(path: &str, kind: &Kind, value: &Value) -> String {
    format!("{path}: expected {}, got {}", expected(kind), got(value))
}

fn expected(kind: &Kind) -> String {
    match kind {
        Kind::Text { min_chars: 0 } => "text".to_owned(),
        Kind::Text { min_chars: 1 } => "text of at least 1 character".to_owned(),
        Kind::Text { min_chars } => format!("text of at least {min_chars} characters"),
        Kind::Integer { min, max } => match (min, max) {
            (None, None) => "an integer".to_owned(),
            (Some(min), None) => format!("an integer of at least {min}"),
            (None, Some(max)) => format!("an integer of at most {max}"),
            (Some(min), Some(max)) => format!("an integer from {min} to {max}"),
        },
        Kind::Flag => "true or false".to_owned(),
        Kind::Word(words) => format!("one of {}", words.join(", ")),
        Kind::Texts { min_items } => format!("a list of texts{}", at_least(*min_items)),
        Kind::Objects { min_items, .. } => format!("a list of objects{}", at_least(*min_items)),
    }
}

fn at_least(items: usize) -> String {
    match items {
        0 => String::new(),
        1 => " with at least 1 item".to_owned(),
        n => format!(" with at least {n} items"),
    }
}

/// What came, as JSON, cut short: it is for recognising, not for reading.
fn got(value: &Value) -> String {
    const CHARS: usize = 60;
    let text = match value {
        Value::Array(items) if !items.is_empty() => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            rooted::show(value.to_string().as_bytes())
        }
    };
    match text.char_indices().nth(CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests;
