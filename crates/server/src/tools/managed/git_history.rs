//! `git_history`: the newest checkpoints.

use serde_json::{Map, Value};

use super::{Spec, count, object, objects};
use crate::args::{Arg, Args, Kind};
use crate::managed::{Ctx, Failure};
use crate::output::{Field, Shape};
use crate::tool::{Hints, Tool};

/// Checkpoints when nothing else is said.
const LIMIT: usize = 20;

pub(super) const SPEC: Spec = Spec {
    tool: Tool {
        name: "git_history",
        title: "Checkpoint history",
        description: "List checkpoints, newest first.",
        args: &[Arg::new(
            "limit",
            Kind::Integer {
                min: Some(1),
                max: Some(100),
            },
            "Checkpoints at most; default 20",
        )],
        hints: Hints::READ,
        call,
    },
    output: &[Field::new(
        "checkpoints",
        Shape::Objects(&[
            Field::new("id", Shape::Text, ""),
            Field::new("message", Shape::Text, ""),
            Field::new("timestamp", Shape::Integer, "Seconds since 1970"),
        ]),
        "",
    )],
};

fn call(ctx: &Ctx<'_>, args: &Args) -> Result<Map<String, Value>, Failure> {
    let limit = count(args, "limit").unwrap_or(LIMIT);
    let checkpoints = ctx.workspace.history(limit, &ctx.cancel)?;
    let checkpoints = objects(checkpoints, |checkpoint| {
        [
            ("id", checkpoint.id.into()),
            ("message", checkpoint.message.into()),
            ("timestamp", checkpoint.timestamp.into()),
        ]
    });
    Ok(object([("checkpoints", checkpoints)]))
}
