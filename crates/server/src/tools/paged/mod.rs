//! The tools of the toolset `paged`, a file each.

mod list_directory;
mod read_text_file;
mod search_files;
mod search_text;
mod write_text_file;

use serde_json::{Map, Value, json};
use workspace::paged::{Fault, Paged};

use crate::paged::server::Ctx;
use crate::paged::shape::{Field, Given, Kind};
use crate::reply::Reply;
use crate::tool::Hints;

/// One tool.
pub(crate) struct Spec {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    pub(crate) description: &'static str,
    pub(crate) hints: Hints,
    /// Its arguments, some of which have limits of the server.
    pub(crate) fields: fn(&Paged) -> Vec<Field>,
    /// Arguments whose text is taken as it is or not at all.
    pub(crate) exact: &'static [&'static str],
    /// The schema of its answer.
    pub(crate) output: fn() -> Map<String, Value>,
    pub(crate) call: fn(&Ctx<'_>, &Given) -> Result<Reply, Fault>,
}

/// The tools, in the order clients see them.
pub(crate) const TOOLS: &[Spec] = &[
    list_directory::TOOL,
    search_files::TOOL,
    search_text::TOOL,
    read_text_file::TOOL,
    write_text_file::TOOL,
];

/// Texts of one search at most.
const TERMS: usize = 16;

/// What is searched for, which two tools take alike.
const TERM_FIELDS: [Field; 3] = [
    Field::new("query", Kind::SomeText),
    Field::new("any_of", Kind::Texts { max: TERMS }),
    Field::new("case_insensitive", Kind::Flag),
];
const CURSOR: Field = Field::new("cursor", Kind::Text);
const LIMIT: Field = Field::new("limit", Kind::Whole { max: None });

/// The schema of pages of such items. A cursor may be null, which it cannot say.
fn pages(item: &Value) -> Map<String, Value> {
    object(json!({
        "type": "object",
        "properties": {
            "content_hash": {"type": "string"},
            "items": {
                "type": "array",
                "items": {"type": "object", "properties": item, "additionalProperties": false},
            },
        },
        "required": ["content_hash", "items"],
        "additionalProperties": true,
    }))
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}
