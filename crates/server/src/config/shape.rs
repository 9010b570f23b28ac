//! What a configuration file says, held against the table of keys.

use serde_json::{Map, Value};

use super::keys::{Effect, KEYS, Key, Kind, SECTIONS};
use super::values::{NAME_PATTERN, is_workspace_name};

/// What a configuration file says, checked.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// The options that it stands for.
    pub options: Vec<(&'static str, String)>,
}

/// Checks every key and value.
///
/// # Errors
/// One line for the first thing that is wrong.
pub fn settings(file: &Value) -> Result<Settings, String> {
    let Value::Object(top) = file else {
        return Err("config file must contain a single JSON object at the top level".to_owned());
    };
    if holds_token(file) {
        return Err(
            "token must not be stored in the config file; use MCP_TOKEN or --token".to_owned(),
        );
    }
    let unknown = unknown_keys(top);
    if !unknown.is_empty() {
        let s = if unknown.len() == 1 { "" } else { "s" };
        return Err(format!(
            "unknown config key{s}: {} (remove them or check for typos)",
            unknown.join(", ")
        ));
    }
    let mut settings = Settings::default();
    for section in SECTIONS {
        if top.get(*section).is_some_and(|value| !value.is_object()) {
            return Err(format!("config key \"{section}\" must be an object"));
        }
    }
    for key in KEYS {
        if let Some(value) = find(top, key.name) {
            take(key, value, &mut settings)?;
        }
    }
    Ok(settings)
}

fn find<'a>(top: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    match name.split_once('.') {
        Some((section, name)) => top.get(section)?.get(name),
        None => top.get(name),
    }
}

/// A name `token` anywhere, even that of a workspace: what looks like a secret is not looked at.
fn holds_token(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().any(holds_token),
        Value::Object(fields) => fields
            .iter()
            .any(|(name, value)| name == "token" || holds_token(value)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

fn unknown_keys(top: &Map<String, Value>) -> Vec<String> {
    let known = |name: &str| Key::named(name).is_some() || SECTIONS.contains(&name);
    let mut unknown: Vec<String> = top
        .keys()
        .filter(|name| !known(name) || name.contains('.'))
        .map(|name| rooted::show(name.as_bytes()))
        .collect();
    for section in SECTIONS {
        let fields = top.get(*section).and_then(Value::as_object);
        for name in fields.into_iter().flat_map(Map::keys) {
            let name = format!("{section}.{name}");
            if Key::named(&name).is_none() {
                unknown.push(rooted::show(name.as_bytes()));
            }
        }
    }
    unknown
}

fn take(key: &Key, value: &Value, settings: &mut Settings) -> Result<(), String> {
    let texts = read(key, value)?;
    match key.effect {
        Effect::Nothing => {}
        Effect::Sets(option) => {
            let texts = texts.into_iter().map(|text| (option, text));
            settings.options.extend(texts);
        }
    }
    Ok(())
}

/// The value as options take it: one text, or one for each item.
fn read(key: &Key, value: &Value) -> Result<Vec<String>, String> {
    let name = key.name;
    match &key.kind {
        Kind::Anything => Ok(Vec::new()),
        Kind::Workspaces => workspaces(value),
        Kind::Choice(choices) => match value.as_str() {
            Some(text) if choices.contains(&text) => Ok(vec![text.to_owned()]),
            _ => {
                let choices: Vec<_> = choices.iter().map(|one| format!("\"{one}\"")).collect();
                let choices = choices.join(" or ");
                Err(format!(
                    "invalid {name}: {} (expected {choices})",
                    shown(value)
                ))
            }
        },
        Kind::Integer { min, max } => match integer(value) {
            Some(number) if (*min..=*max).contains(&number) => Ok(vec![number.to_string()]),
            _ => Err(format!(
                "invalid {name}: {} (expected an integer between {min} and {max})",
                shown(value)
            )),
        },
        Kind::Flag => match value {
            Value::Bool(flag) => Ok(vec![flag.to_string()]),
            _ => Err(format!("config key \"{name}\" must be a boolean")),
        },
        Kind::Text => text(value)
            .map(|text| vec![text])
            .ok_or_else(|| format!("invalid {name}: expected a non-empty string")),
        Kind::Texts(of) => {
            let Value::Array(items) = value else {
                return Err(format!("config key \"{name}\" must be an array of {of}"));
            };
            let item = |(index, item)| {
                text(item).ok_or_else(|| {
                    format!("config key \"{name}[{index}]\" must be a non-empty string")
                })
            };
            items.iter().enumerate().map(item).collect()
        }
    }
}

/// One `name=path` for each.
fn workspaces(value: &Value) -> Result<Vec<String>, String> {
    let Value::Object(workspaces) = value else {
        return Err(
            "config key \"workspaces\" must be an object mapping workspace names to paths"
                .to_owned(),
        );
    };
    let one = |(name, path): (&String, &Value)| {
        if !is_workspace_name(name) {
            return Err(format!(
                "invalid workspace name \"{}\" in config file: names must match {NAME_PATTERN}",
                rooted::show(name.as_bytes())
            ));
        }
        let path = text(path).filter(|path| path.trim() != ":ro");
        path.map(|path| format!("{name}={path}")).ok_or_else(|| {
            format!("workspace \"{name}\" must have a non-empty string path in the config file")
        })
    };
    workspaces.iter().map(one).collect()
}

fn text(value: &Value) -> Option<String> {
    let text = value.as_str()?;
    (!text.trim().is_empty()).then(|| text.to_owned())
}

/// A whole number, also when it is written with a fraction of zero.
fn integer(value: &Value) -> Option<u64> {
    if let Some(number) = value.as_u64() {
        return Some(number);
    }
    let number = value.as_f64()?;
    // Up to here every whole number has a float of its own.
    let whole = number.fract() == 0.0 && (0.0..=9_007_199_254_740_991.0).contains(&number);
    whole.then(|| format!("{number:.0}").parse().ok()).flatten()
}

/// The value as JSON, short enough for a line.
fn shown(value: &Value) -> String {
    const CHARS: usize = 80;
    let text = rooted::show(value.to_string().as_bytes());
    match text.char_indices().nth(CHARS) {
        Some((end, _)) => format!("{}...", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

#[cfg(test)]
mod tests;
