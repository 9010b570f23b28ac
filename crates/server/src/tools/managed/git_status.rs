//! `git_status`: what differs from the newest checkpoint.

use serde_json::{Map, Value};

use super::{Spec, object};
use crate::args::Args;
use crate::managed::{Ctx, Failure};
use crate::output::{Field, Shape};
use crate::tool::{Hints, Tool};

pub(super) const SPEC: Spec = Spec {
    tool: Tool {
        name: "git_status",
        title: "Checkpoint status",
        description: "List files that differ from the newest checkpoint: what was changed by \
                      others, since this server checkpoints its own changes.",
        args: &[],
        hints: Hints::READ,
        call,
    },
    output: &[
        Field::new("modified", Shape::Texts, ""),
        Field::new("added", Shape::Texts, ""),
        Field::new("removed", Shape::Texts, ""),
        Field::new("clean", Shape::Flag, "Nothing differs"),
        Field::new("checkpoint", Shape::Text, "Id of the newest checkpoint"),
    ],
};

fn call(ctx: &Ctx<'_>, _: &Args) -> Result<Map<String, Value>, Failure> {
    let status = ctx.workspace.status(&ctx.cancel)?;
    let is_clean = status.is_clean();
    Ok(object([
        ("modified", status.modified.into()),
        ("added", status.added.into()),
        ("removed", status.removed.into()),
        ("clean", is_clean.into()),
        ("checkpoint", status.checkpoint.into()),
    ]))
}
