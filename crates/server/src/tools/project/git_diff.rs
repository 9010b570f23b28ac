//! `git_diff`: what changed in files, staged or not.

use workspace::git::DiffRequest;

use super::git_status::push_skipped;
use crate::args::{Arg, Args, WORKSPACE};
use crate::context::Ctx;
use crate::failure::Failure;
use crate::reply::Reply;
use crate::tool::{Hints, Tool};

pub(super) const TOOL: Tool = Tool {
    name: "git_diff",
    title: "Git diff",
    description: "Show what changed and is not staged, as a unified diff. Over 64 KiB the middle is \
                  cut: narrow it with path, or ask for stat first. New files that were never added \
                  do not show. Runs nothing that the repository configures.",
    args: &[
        Arg::text(
            "path",
            "File or folder, taken literally; default: everything",
        ),
        Arg::flag("staged", "What is staged instead"),
        Arg::flag("stat", "Only how many lines changed in each file"),
        WORKSPACE,
    ],
    hints: Hints::READ,
    call,
};

fn call(ctx: &Ctx<'_>, args: &Args) -> Result<Reply, Failure> {
    let request = DiffRequest {
        path: args.text("path"),
        staged: args.flag("staged"),
        stat: args.flag("stat"),
    };
    let diff = ctx.git.diff(&ctx.reader(args)?, &request)?;
    let mut text = diff.text;
    if let Some(cut) = diff.cut {
        text.push_str(&format!("\n... ({} bytes truncated) ...\n", cut.n_bytes));
        text.push_str(&cut.tail);
    }
    let is_blank = text.trim().is_empty();
    let mut reply = Reply::text(if is_blank {
        "(no changes)".to_owned()
    } else {
        text
    });
    push_skipped(&mut reply, diff.skipped);
    Ok(reply)
}
