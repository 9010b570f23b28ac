//! `grep`: lines that match a pattern.

use std::fmt::Write as _;

use workspace::limits;
use workspace::search::{Found, SearchRequest, StopReason, search};

use super::skips;
use crate::args::{Arg, Args, Kind, WORKSPACE};
use crate::context::Ctx;
use crate::failure::Failure;
use crate::reply::Reply;
use crate::tool::{Hints, Tool};

pub(super) const TOOL: Tool = Tool {
    name: "grep",
    title: "Search file contents",
    description: "Search file contents with a JavaScript-style regular expression, line by line. \
                  Answers `path:LINE: text`, sorted by path. Binary and ignored files are skipped, \
                  and the answer says so; so it does when maxResults cuts it, with the `after` that \
                  goes on.",
    args: &[
        Arg::text("pattern", "Regular expression").required(),
        Arg::text(
            "path",
            "File or folder to search; default: the whole workspace",
        ),
        Arg::text("include", "Glob of files to search, e.g. *.ts or src/**"),
        Arg::flag("ignoreCase", ""),
        Arg::flag("literal", "Take pattern as plain text"),
        Arg::new(
            "context",
            Kind::Integer {
                min: Some(0),
                max: Some(limits::GREP_CONTEXT_MAX as i64),
            },
            "Lines to show around each match",
        ),
        Arg::flag("filesOnly", "List only the files that match"),
        Arg::integer("maxResults", 1, "Default 100, at most 1000"),
        Arg::text(
            "after",
            "Go on behind this `path:LINE` of an earlier answer",
        ),
        Arg::flag("includeIgnored", "Search ignored files too"),
        WORKSPACE,
    ],
    hints: Hints::READ,
    call,
};

fn call(ctx: &Ctx<'_>, args: &Args) -> Result<Reply, Failure> {
    let max_results = args.count("maxResults").unwrap_or(limits::GREP_RESULTS);
    let max_results = max_results.min(limits::GREP_RESULTS_MAX);
    let request = SearchRequest {
        pattern: args.needed_text("pattern"),
        path: args.text("path").filter(|path| !path.is_empty()),
        include: args.text("include"),
        ignore_case: args.flag("ignoreCase"),
        literal: args.flag("literal"),
        files_only: args.flag("filesOnly"),
        context: args.count("context").unwrap_or(0),
        max_results: usize::try_from(max_results).unwrap_or(usize::MAX),
        max_bytes: ctx.body_bytes,
        after: args.text("after"),
        include_ignored: args.flag("includeIgnored"),
        deadline: limits::GREP_TIME,
    };
    let found = search(&ctx.reader(args)?, &request)?;
    let mut text = lines(&found, request.files_only);
    if found.n_matches == 0 {
        let pattern = rooted::show(request.pattern.as_bytes());
        let _ = write!(text, "no matches for /{pattern}/");
    } else {
        let _ = write!(text, "\n{}", counts(&found, request.files_only));
    }
    if let Some(reason) = found.stopped {
        let _ = write!(text, " ({})", stopped(reason, max_results, &found));
    }
    if let Some(skipped) = skips::told(&found.skipped, false) {
        let _ = write!(text, " ({skipped})");
    }
    if !found.undecided.is_empty() {
        let files: Vec<String> = found
            .undecided
            .iter()
            .take(5)
            .map(ToString::to_string)
            .collect();
        let more = match found.undecided.len() {
            n @ 6.. => format!(" and {} more", n - 5),
            _ => String::new(),
        };
        let _ = write!(
            text,
            " (not searched to the end: {}{more})",
            files.join(", ")
        );
    }
    let mut reply = Reply::text(text);
    if let Some(name) = found.found_as {
        reply.push_line(&format!("... (found as {name})"));
    }
    Ok(reply)
}

/// The hits and their context, a line each. A `String` takes every write.
fn lines(found: &Found, files_only: bool) -> String {
    let mut text = String::new();
    let has_context = found
        .files
        .iter()
        .flat_map(|file| &file.lines)
        .any(|line| !line.is_match);
    for file in &found.files {
        let path = &file.path;
        if files_only {
            let _ = writeln!(text, "{path}");
        }
        for line in &file.lines {
            if has_context && line.starts_group && !text.is_empty() {
                text.push_str("--\n");
            }
            let mark = if line.is_match { ':' } else { '-' };
            let _ = write!(text, "{path}{mark}{}{mark} {}", line.number, line.text);
            if let Some(n) = line.n_chars {
                let _ = write!(text, " ... (line truncated; {n} characters)");
            }
            text.push('\n');
        }
    }
    text
}

fn counts(found: &Found, files_only: bool) -> String {
    let files = match found.files.len() {
        1 => "1 file".to_owned(),
        n => format!("{n} files"),
    };
    match found.n_matches {
        _ if files_only => files,
        1 => format!("1 match in {files}"),
        n => format!("{n} matches in {files}"),
    }
}

/// Why there may be more, and how to get it.
fn stopped(reason: StopReason, max_results: u64, found: &Found) -> String {
    let why = match reason {
        StopReason::MaxResults => format!("stopped at maxResults={max_results}"),
        StopReason::Deadline => format!("stopped after {} s", limits::GREP_TIME.as_secs()),
        StopReason::Limit => "stopped at the longest answer".to_owned(),
    };
    let last = found.files.last().map(|file| {
        let hit = file.lines.iter().rfind(|line| line.is_match);
        match hit {
            Some(hit) => format!("{}:{}", file.path, hit.number),
            None => file.path.to_string(),
        }
    });
    let on = match last {
        Some(last) => format!("; after=\"{last}\" continues"),
        None => String::new(),
    };
    format!("{why}; narrow the pattern or path to see more{on}")
}
