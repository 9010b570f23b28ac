//! Changes one table of a TOML file, and no other byte of it.
//!
//! Tables with headers of their own are changed, as clients and people write them. A server that is
//! written otherwise, inline or with dotted keys, is read but not changed. Our own rather than
//! `toml_edit`, which writes every line break as `\n`.

mod parts;

use serde_json::{Map, Value};

use self::parts::{Header, Pair, Parts};
use super::document::Fault;

/// The table at a path of keys, as JSON; `None` when nothing is there.
///
/// # Errors
/// When the text is broken.
pub(crate) fn get(text: &str, path: &[&str]) -> Result<Option<Value>, Fault> {
    let table: Value = ::toml::from_str(text).map_err(|error| fault(text, &error))?;
    let found = path.iter().try_fold(&table, |value, key| value.get(key));
    Ok(found.cloned())
}

/// Gives the table at a path of keys these values; what else is in it stays.
///
/// # Errors
/// When the text is broken, or the table is not written under a header.
pub(crate) fn set(text: &str, path: &[&str], values: &Map<String, Value>) -> Result<String, Fault> {
    let Some(known) = get(text, path)? else {
        return Ok(append(text, path, values));
    };
    let mut text = text.to_owned();
    for (key, value) in values {
        if known.get(key) != Some(value) {
            text = set_one(&text, path, key, value)?;
        }
    }
    Ok(text)
}

fn set_one(text: &str, path: &[&str], key: &str, value: &Value) -> Result<String, Fault> {
    let parts = Parts::of(text);
    let header = parts
        .header(path)
        .ok_or_else(|| no_header(text, &parts, path))?;
    let mut changed = text.to_owned();
    if let Some(pair) = parts.pairs_of(header).find(|pair| pair.key == [key]) {
        changed.replace_range(pair.value.clone(), &inline(value));
        return Ok(changed);
    }
    if parts.is_below(header, key) {
        return Err(Fault::at(
            text,
            header.span.start,
            &format!("`{key}` is a table of its own here; write it as one value"),
        ));
    }
    let behind = parts.pairs_of(header).last();
    let at = line_end(text, behind.map_or(header.span.end, |pair| pair.span.end));
    let eol = eol(text);
    changed.insert_str(at, &format!("{eol}{} = {}", bare(key), inline(value)));
    Ok(changed)
}

/// Takes keys of the table at a path out.
///
/// # Errors
/// When the text is broken.
pub(crate) fn remove_keys(text: &str, path: &[&str], keys: &[&str]) -> Result<String, Fault> {
    get(text, path)?;
    let mut changed = text.to_owned();
    for key in keys {
        let parts = Parts::of(&changed);
        let Some(header) = parts.header(path) else {
            return Ok(changed);
        };
        let found = parts.pairs_of(header).find(|pair| pair.key == [*key]);
        if let Some(Pair { span, .. }) = found {
            let (start, end) = (
                line_begin(&changed, span.start),
                line_end(&changed, span.end),
            );
            changed.replace_range(start..after_eol(&changed, end), "");
        }
    }
    Ok(changed)
}

/// Takes the table at a path out, and those below it; what is not there stays so.
///
/// # Errors
/// When the text is broken, or the table is not written under a header.
pub(crate) fn remove(text: &str, path: &[&str]) -> Result<String, Fault> {
    if get(text, path)?.is_none() {
        return Ok(text.to_owned());
    }
    let mut changed = text.to_owned();
    loop {
        let parts = Parts::of(&changed);
        let found = parts.headers.iter().rev();
        let Some(header) = found.into_iter().find(|one| one.key.starts_with_path(path)) else {
            break;
        };
        let last = parts.pairs_of(header).last();
        let end = line_end(&changed, last.map_or(header.span.end, |pair| pair.span.end));
        let mut start = line_begin(&changed, header.span.start);
        let mut end = after_eol(&changed, end);
        if blank_before(&changed, start) {
            start = before_eol(&changed, start);
        } else if start == 0 {
            end = after_eol(&changed, end);
        }
        if end == changed.len() && !changed.ends_with('\n') {
            // The text ended without a line break, and does so again.
            start = before_eol(&changed, start);
        }
        changed.replace_range(start..end, "");
    }
    if get(&changed, path)?.is_some() {
        let parts = Parts::of(text);
        return Err(no_header(text, &parts, path));
    }
    Ok(changed)
}

/// A file that holds nothing but this.
pub(crate) fn document(path: &[&str], values: &Map<String, Value>) -> String {
    append("", path, values)
}

fn append(text: &str, path: &[&str], values: &Map<String, Value>) -> String {
    let eol = eol(text);
    let header: Vec<String> = path.iter().map(|key| bare(key)).collect();
    let mut table = format!("[{}]", header.join("."));
    for (key, value) in values {
        table.push_str(&format!("{eol}{} = {}", bare(key), inline(value)));
    }
    let open = !text.is_empty() && !text.ends_with('\n');
    match (text.is_empty(), open) {
        (true, _) => format!("{table}{eol}"),
        (false, true) => format!("{text}{eol}{eol}{table}"),
        (false, false) => format!("{text}{eol}{table}{eol}"),
    }
}

/// The fault of a table that is there without a header.
fn no_header(text: &str, parts: &Parts, path: &[&str]) -> Fault {
    let name = path.last().copied().unwrap_or_default();
    let place = parts.first_use(path);
    Fault::at(
        text,
        place,
        &format!(
            "`{name}` is written without a table header; write it under [{}]",
            path.join(".")
        ),
    )
}

fn fault(text: &str, error: &::toml::de::Error) -> Fault {
    let message = error.message().lines().collect::<Vec<_>>().join(", ");
    Fault::at(text, error.span().map_or(0, |span| span.start), &message)
}

/// A key, in quotes if it needs them.
fn bare(key: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if !key.is_empty() && key.chars().all(plain) {
        key.to_owned()
    } else {
        Value::from(key).to_string()
    }
}

/// A value on one line. Texts of JSON are basic strings of TOML, but for the delete character.
fn inline(value: &Value) -> String {
    match value {
        Value::Array(list) => {
            let items: Vec<String> = list.iter().map(inline).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(map) => {
            let items = map
                .iter()
                .map(|(key, value)| format!("{} = {}", bare(key), inline(value)));
            format!("{{ {} }}", items.collect::<Vec<_>>().join(", "))
        }
        other => other.to_string().replace('\u{7f}', "\\u007f"),
    }
}

fn eol(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

/// The beginning of the line of a place.
fn line_begin(text: &str, at: usize) -> usize {
    let before = text.get(..at).unwrap_or_default();
    before.rfind('\n').map_or(0, |newline| newline + 1)
}

/// The end of the line of a place, before its line break.
fn line_end(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    let length = rest.find('\n').unwrap_or(rest.len());
    let line = rest.get(..length).unwrap_or_default();
    at + line.strip_suffix('\r').unwrap_or(line).len()
}

fn after_eol(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    let eol = ["\r\n", "\n"].into_iter().find(|eol| rest.starts_with(eol));
    at + eol.map_or(0, str::len)
}

fn before_eol(text: &str, at: usize) -> usize {
    let before = text.get(..at).unwrap_or_default();
    let eol = ["\r\n", "\n"].into_iter().find(|eol| before.ends_with(eol));
    at - eol.map_or(0, str::len)
}

/// Says whether the line before the one that begins here is empty.
fn blank_before(text: &str, begin: usize) -> bool {
    let end = before_eol(text, begin);
    end != begin && line_begin(text, end) == end && end > 0
}

trait StartsWithPath {
    fn starts_with_path(&self, path: &[&str]) -> bool;
}

impl StartsWithPath for Vec<String> {
    fn starts_with_path(&self, path: &[&str]) -> bool {
        self.len() >= path.len() && self.iter().zip(path).all(|(one, other)| one == other)
    }
}

impl Header {
    fn is(&self, path: &[&str]) -> bool {
        self.key.len() == path.len() && self.key.starts_with_path(path)
    }
}
