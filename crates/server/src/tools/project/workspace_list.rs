//! `workspace_list`: which workspaces there are.

use rooted::{Kind, RelPath, Root};
use serde_json::Value;
use workspace::limits::STATE_DIR;

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

/// The longest `state.json` that is looked into; the server's own take a few dozen bytes.
const STATE_BYTES: u64 = 1024 * 1024;

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
        // A root that is gone has no state; the tools that need it say so.
        let root = workspace.root().ok();
        let present = root.as_deref().is_some_and(has_state);
        let change = root.as_deref().and_then(active_change);
        line.push_str(&format!(
            "  state: {}  active change: {}",
            if present { "present" } else { "absent" },
            change.as_deref().unwrap_or("none")
        ));
        reply.push_line(&line);
    }
    Ok(reply)
}

fn has_state(root: &Root) -> bool {
    let state = RelPath::root().join(STATE_DIR.as_bytes());
    root.meta(&state).is_ok_and(|meta| meta.kind == Kind::Dir)
}

/// The change that `state.json` names, when it is one.
fn active_change(root: &Root) -> Option<String> {
    let state = RelPath::root()
        .join(STATE_DIR.as_bytes())
        .join(b"state.json");
    let bytes = root.open_file(&state).ok()?.read_all(STATE_BYTES).ok()?;
    let state: Value = serde_json::from_slice(&bytes).ok()?;
    let id = state.get("activeChange")?.as_str()?;
    (!id.is_empty()).then(|| rooted::show(id.as_bytes()))
}
