//! `search_text`: where a text occurs.

use serde_json::{Map, Value};
use workspace::managed::{SearchRequest, expression_fault};

use super::{Spec, object, objects};
use crate::args::{Arg, Args, Kind};
use crate::managed::{Ctx, Failure};
use crate::output::{Field, Shape};
use crate::tool::{Hints, Tool};

pub(super) const SPEC: Spec = Spec {
    tool: Tool {
        name: "search_text",
        title: "Search text",
        description: "Find text in the workspace's text files, case-sensitive and literal unless \
                      regex is true. Each occurrence is one hit. When truncated is true there are \
                      more: narrow with path_limit or include.",
        args: &[
            Arg::new("query", Kind::Text { min_chars: 1 }, "What to find").required(),
            Arg::text("path_limit", "Search only this directory"),
            Arg::text(
                "include",
                "Search only files whose name contains this, in any case",
            ),
            Arg::flag("regex", "Take query as a regular expression"),
        ],
        hints: Hints::READ,
        call,
    },
    output: &[
        Field::new("query", Shape::Text, ""),
        Field::new(
            "hits",
            Shape::Objects(&[
                Field::new("path", Shape::Text, ""),
                Field::new("line", Shape::Integer, "From 1"),
                Field::new("column", Shape::Integer, "Character in the line, from 1"),
                Field::new("line_text", Shape::Text, "Cut to 500 characters"),
            ]),
            "",
        ),
        Field::new("truncated", Shape::Flag, "There may be more"),
    ],
};

fn call(ctx: &Ctx<'_>, args: &Args) -> Result<Map<String, Value>, Failure> {
    let query = args.needed_text("query");
    let request = SearchRequest {
        query,
        regex: args.flag("regex"),
        path_limit: args.text("path_limit"),
        include: args.text("include"),
    };
    if let Some(fault) = request.regex.then(|| expression_fault(query)).flatten() {
        let fault =
            format!("query: no regular expression ({fault}); leave out regex to search for text");
        return Err(Failure::Arguments(fault));
    }
    let found = ctx.workspace.search_text(&request, &ctx.cancel)?;
    let hits = objects(found.hits, |hit| {
        [
            ("path", hit.path.into()),
            ("line", hit.line.into()),
            ("column", hit.column.into()),
            ("line_text", hit.line_text.into()),
        ]
    });
    Ok(object([
        ("query", query.into()),
        ("hits", hits),
        ("truncated", found.truncated.into()),
    ]))
}
