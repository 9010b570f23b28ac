//! `workspace_info`: what is served.

use serde_json::{Map, Value};

use super::{Spec, object};
use crate::args::Args;
use crate::managed::{Ctx, Failure};
use crate::output::{Field, Shape};
use crate::tool::{Hints, Tool};
use crate::toolset::Identity;

pub(super) const SPEC: Spec = Spec {
    tool: Tool {
        name: "workspace_info",
        title: "Workspace info",
        description: "Name of the one workspace that is served, and version of the server.",
        args: &[],
        hints: Hints::READ,
        call,
    },
    output: &[
        Field::new("name", Shape::Text, "Name of the workspace folder"),
        Field::new("root_exists", Shape::Flag, ""),
        Field::new("git_enabled", Shape::Flag, "Changes are checkpointed"),
        Field::new("version", Shape::Text, ""),
    ],
};

#[expect(
    clippy::unnecessary_wraps,
    reason = "the signature is that of every tool"
)]
fn call(ctx: &Ctx<'_>, _: &Args) -> Result<Map<String, Value>, Failure> {
    Ok(object([
        ("name", ctx.workspace.name().into()),
        ("root_exists", ctx.workspace.root_exists().into()),
        ("git_enabled", true.into()),
        ("version", Identity::PROGRAM.version.into()),
    ]))
}
