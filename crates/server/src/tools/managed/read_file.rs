//! `read_file`: a text file, or some of its lines.

use serde_json::{Map, Value};
use workspace::managed::ReadRequest;

use super::{Spec, count, object};
use crate::args::{Arg, Args};
use crate::managed::{Ctx, Failure};
use crate::output::{Field, Shape};
use crate::tool::{Hints, Tool};

pub(super) const SPEC: Spec = Spec {
    tool: Tool {
        name: "read_file",
        title: "Read file",
        description: "Read a UTF-8 text file: its content, and the sha256 that changing it needs. \
                      With offset or limit only those lines.",
        args: &[
            Arg::text("path", "File, relative to the workspace").required(),
            Arg::integer("offset", 1, "First line, counted from 1"),
            Arg::integer("limit", 1, "Lines at most"),
        ],
        hints: Hints::READ,
        call,
    },
    output: &[
        Field::new("path", Shape::Text, "As given"),
        Field::new("content", Shape::Text, ""),
        Field::new("sha256", Shape::Text, "Of the whole file"),
        Field::new("size", Shape::Integer, "Bytes of the whole file"),
        Field::new("encoding", Shape::Text, ""),
        Field::optional(
            "total_lines",
            Shape::Integer,
            "Of the whole file, with offset or limit",
        ),
    ],
};

fn call(ctx: &Ctx<'_>, args: &Args) -> Result<Map<String, Value>, Failure> {
    let path = args.needed_text("path");
    let request = ReadRequest {
        path,
        offset: count(args, "offset"),
        limit: count(args, "limit"),
    };
    let read = ctx.workspace.read_file(&request, &ctx.cancel)?;
    let mut answer = object([
        ("path", path.into()),
        ("content", read.content.into()),
        ("sha256", read.sha256.into()),
        ("size", read.size.into()),
        ("encoding", "utf-8".into()),
    ]);
    if let Some(total) = read.n_lines {
        answer.insert("total_lines".to_owned(), total.into());
    }
    Ok(answer)
}
