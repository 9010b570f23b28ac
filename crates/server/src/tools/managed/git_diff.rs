//! `git_diff`: how the files differ from a checkpoint.

use serde_json::{Map, Value};
use workspace::managed::DiffRequest;

use super::{Spec, object, objects};
use crate::args::{Arg, Args};
use crate::managed::{Ctx, Failure};
use crate::output::{Field, Shape};
use crate::tool::{Hints, Tool};

pub(super) const SPEC: Spec = Spec {
    tool: Tool {
        name: "git_diff",
        title: "Diff against checkpoint",
        description: "Unified diff from a checkpoint to the files as they are now. A long diff is \
                      cut at a file: omitted names the others, ask for them with path.",
        args: &[
            Arg::text(
                "checkpoint",
                "Id, or its first 6 digits or more; default: newest",
            ),
            Arg::text("path", "Only this file or directory"),
            Arg::flag("stat", "Count changed lines for each file instead"),
        ],
        hints: Hints::READ,
        call,
    },
    output: &[
        Field::optional("checkpoint", Shape::Nullable, "As given, or null"),
        Field::new("diff", Shape::Text, "Empty with stat"),
        Field::optional(
            "stat",
            Shape::Objects(&[
                Field::new("path", Shape::Text, ""),
                Field::new("added", Shape::Integer, "Lines"),
                Field::new("removed", Shape::Integer, "Lines"),
            ]),
            "With stat",
        ),
        Field::optional("truncated", Shape::Flag, "The diff was cut"),
        Field::optional("omitted", Shape::Texts, "Changed files that were left out"),
    ],
};

fn call(ctx: &Ctx<'_>, args: &Args) -> Result<Map<String, Value>, Failure> {
    let request = DiffRequest {
        checkpoint: args.text("checkpoint"),
        // As elsewhere, an empty path is the root.
        path: args.text("path").filter(|path| !path.is_empty()),
        stat: args.flag("stat"),
    };
    let found = ctx.workspace.diff(&request, &ctx.cancel)?;
    let mut answer = object([
        ("checkpoint", request.checkpoint.into()),
        ("diff", found.diff.into()),
    ]);
    if request.stat {
        let stat = objects(found.stat, |file| {
            [
                ("path", file.path.into()),
                ("added", file.added.into()),
                ("removed", file.removed.into()),
            ]
        });
        answer.insert("stat".to_owned(), stat);
    }
    if found.truncated {
        answer.insert("truncated".to_owned(), true.into());
        answer.insert("omitted".to_owned(), found.omitted.into());
    }
    Ok(answer)
}
