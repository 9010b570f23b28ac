//! `list_files`: what is in a folder and below.

use std::fmt::Write as _;

use workspace::limits;
use workspace::list::{ListRequest, list};

use super::skips;
use crate::args::{Arg, Args, WORKSPACE};
use crate::context::Ctx;
use crate::failure::{Failure, shorten};
use crate::reply::Reply;
use crate::tool::{Hints, Tool};

pub(super) const TOOL: Tool = Tool {
    name: "list_files",
    title: "List files",
    description: "List files and folders, sorted, folders with a trailing /. Binary and ignored \
                  ones are left out, and the answer says so; so it does when limit cuts it, with \
                  the `after` that goes on.",
    args: &[
        Arg::text("path", "Folder to start at; default: the workspace root"),
        Arg::text("pattern", "Glob of entries to show, e.g. *.ts or src/**"),
        Arg::integer("maxDepth", 1, "Default 6, at most 12"),
        Arg::integer("limit", 1, "Default 500, at most 5000"),
        Arg::text("after", "Go on behind this path of an earlier answer"),
        Arg::flag("includeIgnored", ""),
        Arg::flag("includeBinary", ""),
        WORKSPACE,
    ],
    hints: Hints::READ,
    call,
};

fn call(ctx: &Ctx<'_>, args: &Args) -> Result<Reply, Failure> {
    let request = ListRequest {
        path: args.text("path").filter(|path| !path.is_empty()),
        pattern: args.text("pattern"),
        max_depth: args.count("maxDepth").unwrap_or(limits::LIST_DEPTH),
        limit: args.count("limit").unwrap_or(limits::LIST_ENTRIES),
        max_bytes: ctx.body_bytes,
        after: args.text("after").filter(|after| !after.is_empty()),
        include_ignored: args.flag("includeIgnored"),
        include_binary: args.flag("includeBinary"),
    };
    let listing = list(&ctx.reader(args)?, &request)?;
    let n = listing.entries.len();
    let mut reply = match (n, request.pattern) {
        (0, Some(pattern)) => {
            let pattern = rooted::show(pattern.as_bytes());
            Reply::text(shorten(format!("no entries match pattern: {pattern}")))
        }
        (0, None) => Reply::text(format!("no entries found in {}", listing.path)),
        (n, pattern) => {
            let mut text = match n {
                1 => "1 entry".to_owned(),
                n => format!("{n} entries"),
            };
            if let Some(pattern) = pattern {
                text = format!("{text} matching {}", rooted::show(pattern.as_bytes()));
            }
            for entry in &listing.entries {
                let slash = if entry.is_dir { "/" } else { "" };
                // A String takes every write.
                let _ = write!(text, "\n{}{slash}", entry.path);
            }
            Reply::text(text)
        }
    };
    if listing.cut
        && let Some(last) = listing.entries.last()
    {
        let total = listing.total;
        reply.push_line(&format!(
            "... (showing {n} of {total} entries; increase limit to see more; after=\"{}\" continues)",
            last.path
        ));
    }
    if listing.capped {
        reply.push_line("... (more entries than can be counted; list a subfolder to see them)");
    }
    if let Some(skipped) = skips::told(&listing.skipped, true) {
        reply.push_line(&format!("... ({skipped})"));
    }
    if let Some(name) = listing.found_as {
        reply.push_line(&format!("... (found as {name})"));
    }
    Ok(reply)
}
