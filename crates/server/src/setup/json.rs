//! Changes one property of a JSON file, and no other byte of it.
//!
//! The text is parsed to find out where things are, and pieces are put in or taken out of the text
//! itself; nothing is written anew. Comments and commas behind the last item pass where the client
//! takes them.

mod layout;
mod splice;

use jsonc_parser::ast::{self, Object, ObjectProp};
use jsonc_parser::common::Ranged as _;
use jsonc_parser::tokens::Token;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde_json::{Map, Value};

use self::layout::Layout;
use self::splice::Splice;
use super::document::Fault;

/// What a client takes beside plain JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// Nothing.
    Plain,
    /// Comments.
    Comments,
    /// Comments, and commas behind the last item.
    Lenient,
}

/// The value at a path of keys; `None` when nothing is there.
///
/// # Errors
/// When the text is broken, or something on the way is no object.
pub(crate) fn get(text: &str, dialect: Dialect, path: &[&str]) -> Result<Option<Value>, Fault> {
    let Some(root) = parse(text, dialect)? else {
        return Ok(None);
    };
    let mut value = root;
    for key in path {
        let object = object(text, &value)?;
        // A reader that meets a key twice takes the last.
        let last = object.properties.iter().rev();
        let found = last
            .into_iter()
            .find(|property| property.name.as_str() == *key);
        match found {
            Some(property) => value = property.value.clone(),
            None => return Ok(None),
        }
    }
    Ok(Some(value.into()))
}

/// Gives the property at a path of keys this value; objects on the way are made.
///
/// # Errors
/// When the text is broken, or something on the way is no object.
pub(crate) fn set(
    text: &str,
    dialect: Dialect,
    path: &[&str],
    value: &Value,
) -> Result<String, Fault> {
    let layout = Layout::of(text);
    let Some(root) = parse(text, dialect)? else {
        return Ok(append(text, &layout, path, value));
    };
    let mut parent = object(text, &root)?;
    let mut rest = path;
    while let [key, deeper @ ..] = rest {
        let found = last_of(parent, key);
        match (found, deeper) {
            (None, _) => {
                let value = nested(deeper, value);
                return Ok(layout.insert(text, parent, key, &value));
            }
            (Some(property), []) => {
                if Value::from(property.value.clone()) == *value {
                    return Ok(text.to_owned());
                }
                return Ok(layout.replace(text, parent, property, value));
            }
            (Some(property), _) => parent = object(text, &property.value)?,
        }
        rest = deeper;
    }
    Ok(text.to_owned())
}

/// Takes the property at a path of keys out; what is not there stays so.
///
/// # Errors
/// When the text is broken, or something on the way is no object.
pub(crate) fn remove(text: &str, dialect: Dialect, path: &[&str]) -> Result<String, Fault> {
    let Some(root) = parse(text, dialect)? else {
        return Ok(text.to_owned());
    };
    let mut parent = object(text, &root)?;
    let mut rest = path;
    while let [key, deeper @ ..] = rest {
        let Some(property) = last_of(parent, key) else {
            return Ok(text.to_owned());
        };
        if deeper.is_empty() {
            let without = take_out(text, parent, property);
            // The key may be there twice.
            return remove(&without, dialect, path);
        }
        parent = object(text, &property.value)?;
        rest = deeper;
    }
    Ok(text.to_owned())
}

/// A file that holds nothing but this.
pub(crate) fn document(path: &[&str], value: &Value) -> String {
    append("", &Layout::default(), path, value)
}

fn parse(text: &str, dialect: Dialect) -> Result<Option<ast::Value<'_>>, Fault> {
    let options = ParseOptions {
        allow_comments: dialect != Dialect::Plain,
        allow_trailing_commas: dialect == Dialect::Lenient,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    let collect = CollectOptions {
        tokens: true,
        ..CollectOptions::default()
    };
    let parsed = parse_to_ast(text, &collect, &options).map_err(|error| Fault {
        line: error.line_display(),
        column: error.column_display(),
        text: decapitalized(&error.kind().to_string()),
    })?;
    // The parser lets line breaks and the like stand in texts, which no reader of JSON does.
    let texts = parsed.tokens.iter().flatten();
    let mut texts = texts.filter(|token| matches!(token.token, Token::String(_)));
    let control = texts.find_map(|token| {
        let written = text.get(token.range.start..token.range.end)?;
        let at = written.find(|c: char| c < ' ')?;
        Some(token.range.start + at)
    });
    match control {
        Some(at) => Err(Fault::at(text, at, "control character in a text")),
        None => Ok(parsed.value),
    }
}

fn decapitalized(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_ascii_lowercase());
    first.into_iter().chain(letters).collect()
}

fn object<'b, 'a>(text: &str, value: &'b ast::Value<'a>) -> Result<&'b Object<'a>, Fault> {
    value
        .as_object()
        .ok_or_else(|| Fault::at(text, value.start(), "expected an object"))
}

fn last_of<'b, 'a>(object: &'b Object<'a>, key: &str) -> Option<&'b ObjectProp<'a>> {
    let mut properties = object.properties.iter().rev();
    properties.find(|property| property.name.as_str() == key)
}

/// The value inside objects of these keys.
fn nested(path: &[&str], value: &Value) -> Value {
    path.iter().rev().fold(value.clone(), |inner, key| {
        Value::Object(Map::from_iter([((*key).to_owned(), inner)]))
    })
}

/// An object behind a text that holds no value, such as an empty one.
fn append(text: &str, layout: &Layout, path: &[&str], value: &Value) -> String {
    let gap = if text.is_empty() || text.ends_with('\n') {
        ""
    } else {
        layout.eol
    };
    let document = layout.pretty(&nested(path, value), "");
    format!("{text}{gap}{document}{}", layout.eol)
}

fn take_out(text: &str, parent: &Object<'_>, property: &ObjectProp<'_>) -> String {
    let (start, end) = (property.range.start, property.range.end);
    let mut splice = Splice::new(text);
    let line_start = splice::line_start(text, start);
    let from = line_start.unwrap_or_else(|| splice::before_blanks(text, start));
    let comma = splice::comma_behind(text, end);
    let before = parent.properties.iter().rev();
    let before = before.into_iter().find(|other| other.range.end <= start);
    match (comma, before) {
        (Some(comma), None) if line_start.is_none() => {
            splice.cut(start, splice::after_blanks(text, comma + 1));
        }
        (Some(comma), _) => splice.cut(from, comma + 1),
        (None, Some(before)) => {
            if let Some(comma) = splice::comma_behind(text, before.range.end) {
                splice.cut(comma, comma + 1);
            }
            splice.cut(from, end);
        }
        (None, None) => {
            let inside = (parent.range.start + 1, parent.range.end - 1);
            let around = [(inside.0, from), (end, inside.1)];
            let is_blank = |(from, to): (usize, usize)| {
                text.get(from..to).is_none_or(|text| text.trim().is_empty())
            };
            if around.into_iter().all(is_blank) {
                splice.cut(inside.0, inside.1);
            } else {
                splice.cut(from, end);
            }
        }
    }
    splice.done()
}
