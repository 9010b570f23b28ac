//! The table of keys for others: a schema for editors, and rows for the docs.

use serde_json::{Map, Value, json};

use super::keys::{Effect, KEYS, Kind, SAFE_INTEGER};
use super::values::NAME_PATTERN;
use super::variable;
use crate::cli;

/// The JSON schema (draft 7) of the configuration file, as it is shipped.
#[must_use]
pub fn schema() -> String {
    let mut top = Map::new();
    for key in KEYS {
        let mut field = kind(&key.kind);
        field.insert("description".to_owned(), key.about.into());
        let field = Value::Object(field);
        match key.name.split_once('.') {
            None => {
                top.insert(key.name.to_owned(), field);
            }
            Some((section, name)) => {
                let section = top.entry(section).or_insert_with(
                    || json!({"type": "object", "additionalProperties": false, "properties": {}}),
                );
                section["properties"][name] = field;
            }
        }
    }
    let schema = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "workspace-mcp configuration",
        "type": "object",
        "additionalProperties": false,
        "properties": top,
    });
    format!("{schema:#}\n")
}

fn kind(kind: &Kind) -> Map<String, Value> {
    let text = || json!({"type": "string", "pattern": "\\S"});
    let kind = match kind {
        Kind::Anything => json!({}),
        Kind::Workspaces => json!({
            "type": "object",
            // No name is `token`, so that a secret never gets into the file by a slip.
            "propertyNames": {"pattern": NAME_PATTERN, "not": {"const": "token"}},
            "additionalProperties": text(),
        }),
        Kind::Choice(choices) => json!({"enum": choices}),
        Kind::Integer { min, max } => json!({"type": "integer", "minimum": min, "maximum": max}),
        Kind::Flag => json!({"type": "boolean"}),
        Kind::Text => text(),
        Kind::Texts(_) => json!({"type": "array", "items": text()}),
    };
    match kind {
        Value::Object(kind) => kind,
        _ => Map::new(),
    }
}

/// The table of keys for the docs.
#[must_use]
pub fn table() -> String {
    let mut table = "| key | value | option | meaning |\n| --- | --- | --- | --- |\n".to_owned();
    for key in KEYS {
        let value = match &key.kind {
            Kind::Anything => "anything".to_owned(),
            Kind::Workspaces => "paths by name".to_owned(),
            Kind::Choice(choices) => {
                let choices: Vec<_> = choices.iter().map(|one| format!("`\"{one}\"`")).collect();
                choices.join(" or ")
            }
            Kind::Integer {
                min,
                max: SAFE_INTEGER,
            } => format!("integer, at least {min}"),
            Kind::Integer { min, max } => format!("integer, {min} to {max}"),
            Kind::Flag => "`true` or `false`".to_owned(),
            Kind::Text => "text".to_owned(),
            Kind::Texts(of) => format!("list of {of}"),
        };
        let option = match key.effect {
            Effect::Nothing => String::new(),
            Effect::Sets("shell-mode") => "`--shell`, `--shell-any`".to_owned(),
            Effect::Sets(option) if cli::is_option(option) => format!("`--{option}`"),
            Effect::Sets(option) => {
                variable(option).map_or_else(String::new, |name| format!("`{name}`"))
            }
        };
        let row = format!("| `{}` | {value} | {option} | {} |\n", key.name, key.about);
        table.push_str(&row);
    }
    table
}

#[cfg(test)]
mod tests;
