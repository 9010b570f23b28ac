//! `workspace_list`: which workspaces there are.

use crate::args::Args;
use crate::context::Ctx;
use crate::failure::Failure;
use crate::reply::Reply;
use crate::tool::{Hints, Tool};

pub(super) const TOOL: Tool = Tool {
    name: "workspace_list",
    title: "List workspaces",
    description: "List the workspaces: name, root folder, which one is primary, whether it has \
                  saved state, and its active change.",
    args: &[],
    hints: Hints::READ,
    call,
};

fn call(ctx: &Ctx<'_>, _: &Args) -> Result<Reply, Failure> {
    let all = ctx.workspaces.iter();
    let mut reply = Reply::text(format!("Workspaces ({}):", all.len()));
    for workspace in all {
        let root = workspace.host_path().as_os_str().as_encoded_bytes();
        let mut line = format!("- {}  {}", workspace.name, rooted::show(root));
        if workspace.name == ctx.workspaces.primary().name {
            line.push_str("  (primary)");
        }
        if !workspace.writable {
            line.push_str("  (read-only)");
        }
        let present = workspace.has_state();
        let change = workspace.active_change();
        line.push_str(&format!(
            "  state: {}  active change: {}",
            if present { "present" } else { "absent" },
            change.map_or("none".to_owned(), |id| rooted::show(id.as_bytes()))
        ));
        reply.push_line(&line);
    }
    Ok(reply)
}
