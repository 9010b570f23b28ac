//! `list_directory`: what is in one folder.

use serde_json::{Map, Value};

use super::{Spec, object, objects};
use crate::args::{Arg, Args};
use crate::managed::{Ctx, Failure};
use crate::output::{Field, Shape};
use crate::tool::{Hints, Tool};

pub(super) const SPEC: Spec = Spec {
    tool: Tool {
        name: "list_directory",
        title: "List directory",
        description: "List one directory, sorted by name. Excluded and internal entries are not \
                      shown; links are shown as files and cannot be opened.",
        args: &[Arg::text("path", "Directory; empty for the workspace root")],
        hints: Hints::READ,
        call,
    },
    output: &[
        Field::new("path", Shape::Text, "As given; . for the root"),
        Field::new(
            "entries",
            Shape::Objects(&[
                Field::new("name", Shape::Text, ""),
                Field::new("type", Shape::Word(&["file", "directory"]), ""),
                Field::optional("size", Shape::Nullable, "Bytes; null for a directory"),
                Field::optional("sha256", Shape::Nullable, "Always null; see read_file"),
            ]),
            "",
        ),
    ],
};

fn call(ctx: &Ctx<'_>, args: &Args) -> Result<Map<String, Value>, Failure> {
    let path = args.text("path").unwrap_or_default();
    let entries = ctx.workspace.list_directory(path, &ctx.cancel)?;
    let entries = objects(entries, |entry| {
        let kind = if entry.is_directory {
            "directory"
        } else {
            "file"
        };
        [
            ("name", entry.name.into()),
            ("type", kind.into()),
            ("size", entry.size.into()),
            ("sha256", Value::Null),
        ]
    });
    let shown = if path.is_empty() { "." } else { path };
    Ok(object([("path", shown.into()), ("entries", entries)]))
}
