//! `git_status`: what differs from the newest checkpoint.

use serde_json::{Map, Value};

use super::{Spec, object, some_of};
use crate::args::Args;
use crate::managed::{Ctx, Failure};
use crate::output::{Field, Shape};
use crate::tool::{Hints, Tool};

pub(super) const SPEC: Spec = Spec {
    tool: Tool {
        name: "git_status",
        title: "Checkpoint status",
        description: "List files that differ from the newest checkpoint: changes by others, \
                      since this server checkpoints its own.",
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
        Field::optional("unreadable", Shape::Texts, "Not in new checkpoints"),
        Field::optional("omitted", Shape::Integer, "Paths beyond 1000 in a list"),
    ],
};

fn call(ctx: &Ctx<'_>, _: &Args) -> Result<Map<String, Value>, Failure> {
    let status = ctx.workspace.status(&ctx.cancel)?;
    let is_clean = status.is_clean();
    let mut n_omitted = 0;
    let mut some = |paths| some_of(paths, &mut n_omitted);
    let mut answer = object([
        ("modified", some(status.modified)),
        ("added", some(status.added)),
        ("removed", some(status.removed)),
        ("clean", is_clean.into()),
        ("checkpoint", status.checkpoint.into()),
    ]);
    if !status.unreadable.is_empty() {
        answer.insert("unreadable".to_owned(), some(status.unreadable));
    }
    if n_omitted > 0 {
        answer.insert("omitted".to_owned(), n_omitted.into());
    }
    Ok(answer)
}
