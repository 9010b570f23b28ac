//! `work_log`: what was done in a workspace, the last thing first.

use workspace::clock::Time;
use workspace::journal::{Logged, Query, read};
use workspace::limits;

use crate::args::{Arg, Args, Kind, WORKSPACE};
use crate::context::Ctx;
use crate::failure::Failure;
use crate::reply::Reply;
use crate::tool::{Hints, Tool};

pub(super) const TOOL: Tool = Tool {
    name: "work_log",
    title: "Work log",
    description: "What was changed in the workspace, by any session, newest first: time, tool, \
                  paths, detail, outcome. Call it at the start of a session.",
    args: &[
        Arg::new(
            "limit",
            Kind::Integer {
                min: Some(1),
                max: Some(limits::LOG_ENTRIES_MAX),
            },
            "Default 50",
        ),
        Arg::text("since", "Not before this time, e.g. 2026-09-18T07:50:00Z"),
        Arg::text("path", "Only entries with this in a path"),
        Arg::new("change", Kind::Text { min_chars: 1 }, "Only this change id"),
        WORKSPACE,
    ],
    hints: Hints::READ,
    call,
};

fn call(ctx: &Ctx<'_>, args: &Args) -> Result<Reply, Failure> {
    let since = match args.text("since") {
        Some(text) => Some(Time::parse(text).ok_or_else(|| no_time(text))?),
        None => None,
    };
    let limit = args.count("limit").unwrap_or(limits::LOG_ENTRIES);
    let query = Query {
        limit: usize::try_from(limit).unwrap_or(usize::MAX),
        since,
        path: args.text("path"),
        change: args.text("change"),
        max_bytes: ctx.body_bytes,
    };
    let found = read(ctx.workspace(args)?, &ctx.cancel, &query)?;
    if found.entries.is_empty() {
        return Ok(Reply::text("no activity recorded yet"));
    }
    let n = found.entries.len();
    let mut reply = Reply::text(format!("Activity (newest first, {n}):\n"));
    for entry in &found.entries {
        reply.push_line(&line(entry));
    }
    if found.is_cut {
        reply.push_line(&format!(
            "... (cut after {n} entries; lower limit, or narrow since, path or change)"
        ));
    }
    Ok(reply)
}

fn no_time(text: &str) -> Failure {
    let text = serde_json::Value::from(text).to_string();
    Failure::Arguments(format!(
        "since: expected a time such as 2026-09-18T07:50:00Z, got {}",
        rooted::show(text.as_bytes())
    ))
}

/// One entry in one line, whatever is in it.
pub(super) fn line(entry: &Logged) -> String {
    let mut text = format!("{}  {}", entry.ts, entry.tool);
    if !entry.paths.is_empty() {
        text.push_str("  ");
        text.push_str(&entry.paths.join(", "));
    }
    let given = |part: &Option<String>| part.clone().filter(|part| !part.is_empty());
    if let Some(detail) = given(&entry.detail) {
        text.push_str(&format!("  — {detail}"));
    }
    if let Some(result) = given(&entry.result) {
        text.push_str(&format!("  [{result}]"));
    }
    rooted::show(text.as_bytes())
}
