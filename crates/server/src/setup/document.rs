//! A client's configuration file as a text with our entry in it, whatever its format.

use serde_json::{Map, Value};

use super::json::{self, Dialect};
use super::toml;

/// The mark that some editors put at the beginning of a file.
const BOM: char = '\u{feff}';

/// Why a file cannot be changed: a place in it, and what is wrong there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// The line, from 1.
    pub(crate) line: usize,
    /// The character in the line, from 1.
    pub(crate) column: usize,
    /// What is wrong.
    pub(crate) text: String,
}

impl Fault {
    /// The fault at a byte of a text.
    pub(crate) fn at(text: &str, at: usize, what: &str) -> Self {
        let before = text.get(..at).unwrap_or(text);
        let line = before.rsplit('\n').next().unwrap_or_default();
        Self {
            line: before.matches('\n').count() + 1,
            column: line.chars().count() + 1,
            text: what.to_owned(),
        }
    }
}

/// The format of a client's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// JSON, as the client takes it.
    Json(Dialect),
    /// TOML.
    Toml,
}

/// Where an entry is: the keys that lead to the list of servers, and the name in it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spot<'a> {
    /// The format of the file.
    pub(crate) format: Format,
    /// The keys that lead to the list of servers.
    pub(crate) list: &'a [&'a str],
    /// The name of the entry.
    pub(crate) name: &'a str,
}

impl Spot<'_> {
    fn path(&self) -> Vec<&str> {
        let mut path = self.list.to_vec();
        path.push(self.name);
        path
    }

    /// The entry; `None` when there is none.
    ///
    /// # Errors
    /// When the text is broken, or something on the way is no object.
    pub(crate) fn get(&self, text: &str) -> Result<Option<Value>, Fault> {
        value_at(text, self.format, &self.path())
    }

    /// The text with these values in the entry, and without those keys. What else is in the entry
    /// stays, and so does every other byte.
    ///
    /// # Errors
    /// As [`Spot::get`]; also when the result would not be what was meant.
    pub(crate) fn set(
        &self,
        text: &str,
        values: &Map<String, Value>,
        without: &[&str],
    ) -> Result<String, Fault> {
        let (bom, body) = split(text);
        let before = self.get(body)?;
        let changed = match (self.format, &before) {
            (Format::Toml, _) => {
                let changed = toml::remove_keys(body, &self.path(), without)?;
                toml::set(&changed, &self.path(), values)?
            }
            (Format::Json(dialect), Some(Value::Object(_))) => {
                let mut changed = body.to_owned();
                for key in without {
                    let path = [self.path().as_slice(), &[key]].concat();
                    changed = json::remove(&changed, dialect, &path)?;
                }
                for (key, value) in values {
                    let path = [self.path().as_slice(), &[key.as_str()]].concat();
                    changed = json::set(&changed, dialect, &path, value)?;
                }
                changed
            }
            (Format::Json(dialect), _) => {
                json::set(body, dialect, &self.path(), &Value::Object(values.clone()))?
            }
        };
        let mut wanted = match before {
            Some(Value::Object(known)) => known,
            _ => Map::new(),
        };
        wanted.retain(|key, _| !without.contains(&key.as_str()));
        wanted.extend(values.clone());
        self.check(body, &changed, Some(&Value::Object(wanted)))?;
        Ok(format!("{bom}{changed}"))
    }

    /// The text without the entry.
    ///
    /// # Errors
    /// As [`Spot::set`].
    pub(crate) fn remove(&self, text: &str) -> Result<String, Fault> {
        let (bom, body) = split(text);
        let changed = match self.format {
            Format::Json(dialect) => json::remove(body, dialect, &self.path())?,
            Format::Toml => toml::remove(body, &self.path())?,
        };
        self.check(body, &changed, None)?;
        Ok(format!("{bom}{changed}"))
    }

    /// A file that holds nothing but the entry.
    pub(crate) fn document(&self, values: &Map<String, Value>) -> String {
        match self.format {
            Format::Json(_) => json::document(&self.path(), &Value::Object(values.clone())),
            Format::Toml => toml::document(&self.path(), values),
        }
    }

    /// Holds a changed text against the old one: the entry must be as wanted, and nothing else may
    /// mean anything else.
    fn check(&self, before: &str, after: &str, wanted: Option<&Value>) -> Result<(), Fault> {
        let entry = self.get(after)?;
        let rest =
            |text| value_at(text, self.format, &[]).map(|whole| without(whole, &self.path()));
        if entry.as_ref() == wanted && rest(before)? == rest(after)? {
            return Ok(());
        }
        let place = Fault::at(
            before,
            0,
            "cannot be changed safely; use --print and edit by hand",
        );
        Err(place)
    }
}

/// All entries of a list of servers, by name.
///
/// # Errors
/// When the text is broken.
pub(crate) fn entries(
    text: &str,
    format: Format,
    list: &[&str],
) -> Result<Map<String, Value>, Fault> {
    match value_at(text, format, list)? {
        Some(Value::Object(entries)) => Ok(entries),
        _ => Ok(Map::new()),
    }
}

fn value_at(text: &str, format: Format, path: &[&str]) -> Result<Option<Value>, Fault> {
    let (_, body) = split(text);
    match format {
        Format::Json(dialect) => json::get(body, dialect, path),
        Format::Toml => toml::get(body, path),
    }
}

/// A whole file without the entry at a path, and without what only led to it.
fn without(whole: Option<Value>, path: &[&str]) -> Value {
    let mut whole = whole.unwrap_or_default();
    prune(&mut whole, path);
    whole
}

fn prune(value: &mut Value, path: &[&str]) {
    let (Some(map), [key, rest @ ..]) = (value.as_object_mut(), path) else {
        return;
    };
    if rest.is_empty() {
        map.remove(*key);
    } else if let Some(inner) = map.get_mut(*key) {
        prune(inner, rest);
    }
    if map.get(*key).is_some_and(is_empty) {
        map.remove(*key);
    }
    if map.is_empty() {
        *value = Value::Null;
    }
}

fn is_empty(value: &Value) -> bool {
    value.is_null() || value.as_object().is_some_and(Map::is_empty)
}

fn split(text: &str) -> (&str, &str) {
    text.split_at(if text.starts_with(BOM) {
        BOM.len_utf8()
    } else {
        0
    })
}
