//! `git_status`: the branch and the files that changed.

use workspace::git::Skipped;

use crate::args::{Args, WORKSPACE};
use crate::context::Ctx;
use crate::failure::Failure;
use crate::reply::Reply;
use crate::tool::{Hints, Tool};

pub(super) const TOOL: Tool = Tool {
    name: "git_status",
    title: "Git status",
    description: "Show the branch, how it stands to its upstream, and the changed files in git's \
                  short format (two letters and the path). At most 2000 entries. Runs nothing that \
                  the repository configures.",
    args: &[WORKSPACE],
    hints: Hints::READ,
    call,
};

fn call(ctx: &Ctx<'_>, args: &Args) -> Result<Reply, Failure> {
    let status = ctx.git.status(&ctx.reader(args)?)?;
    let mut text = format!("branch: {}", status.branch);
    if let Some(folder) = &status.limited_to {
        text.push_str(&format!(" (limited to {folder}/)"));
    }
    text.push('\n');
    let mut reply = Reply::text(text);
    for entry in &status.entries {
        reply.push_line(entry);
    }
    match status.n_more {
        0 => {}
        1 => reply.push_line("... (1 more entry)"),
        n => reply.push_line(&format!("... ({n} more entries)")),
    }
    if status.entries.is_empty() {
        reply.push_line("working tree clean");
    }
    push_skipped(&mut reply, status.skipped);
    Ok(reply)
}

/// Says what git was kept from looking at.
pub(super) fn push_skipped(reply: &mut Reply, skipped: Skipped) {
    if skipped.submodules {
        reply.push_line("(contents of submodules are not compared)");
    }
    if skipped.filters {
        reply.push_line("(filters are not run)");
    }
}
