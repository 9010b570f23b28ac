//! `grep`: lines that match a pattern.

use std::fmt::Write as _;

use workspace::limits;
use workspace::search::{Found, SearchRequest, StopReason, search};

use super::skips;
use crate::args::{Arg, Args, Kind, WORKSPACE};
use crate::context::Ctx;
use crate::failure::{Failure, shorten};
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
    let shown = Shown::of(&found, request.files_only, ctx.body_bytes);
    let stop = shown.cut.then_some(StopReason::Limit).or(found.stopped);
    let stop = stop.map(|reason| stopped(reason, max_results, &shown.last));
    let counts = shown.counts(request.files_only);
    let mut text = shown.text;
    if found.n_matches == 0 {
        let pattern = rooted::show(request.pattern.as_bytes());
        text = shorten(format!("no matches for /{pattern}/"));
    } else {
        let _ = write!(text, "\n{counts}");
    }
    if let Some(stop) = stop {
        let _ = write!(text, " ({stop})");
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

/// The hits and their context, a line each, as far as there is room.
#[derive(Default)]
struct Shown {
    text: String,
    n_matches: usize,
    n_files: usize,
    /// The last hit, as `after` takes it.
    last: String,
    /// Says whether the room ended before the hits did.
    cut: bool,
}

impl Shown {
    fn of(found: &Found, files_only: bool, max_bytes: usize) -> Self {
        let mut shown = Self::default();
        let mut lines = found.files.iter().flat_map(|file| &file.lines);
        let has_context = lines.any(|line| !line.is_match);
        for file in &found.files {
            let path = file.path.to_string();
            if files_only && !shown.push(&format!("{path}\n"), max_bytes) {
                return shown;
            }
            let mut has_hit = files_only;
            for line in &file.lines {
                let is_parted = has_context && line.starts_group && !shown.text.is_empty();
                let part = if is_parted { "--\n" } else { "" };
                let mark = if line.is_match { ':' } else { '-' };
                let (number, text) = (line.number, &line.text);
                let cut = line.n_chars.map_or(String::new(), |n| {
                    format!(" ... (line truncated; {n} characters)")
                });
                let line_text = format!("{part}{path}{mark}{number}{mark} {text}{cut}\n");
                if !shown.push(&line_text, max_bytes) {
                    shown.n_files += usize::from(has_hit);
                    return shown;
                }
                if line.is_match {
                    shown.n_matches += 1;
                    shown.last = format!("{path}:{number}");
                    has_hit = true;
                }
            }
            if files_only {
                shown.last = path;
            }
            shown.n_files += usize::from(has_hit);
        }
        shown
    }

    /// Adds a line if there is room; the first hit is shown in any case.
    fn push(&mut self, line: &str, max_bytes: usize) -> bool {
        self.cut = !self.last.is_empty() && self.text.len() + line.len() > max_bytes;
        if !self.cut {
            self.text.push_str(line);
        }
        !self.cut
    }

    fn counts(&self, files_only: bool) -> String {
        let files = match self.n_files {
            1 => "1 file".to_owned(),
            n => format!("{n} files"),
        };
        match self.n_matches {
            _ if files_only => files,
            1 => format!("1 match in {files}"),
            n => format!("{n} matches in {files}"),
        }
    }
}

/// Why there may be more, and how to get it.
fn stopped(reason: StopReason, max_results: u64, last: &str) -> String {
    let why = match reason {
        StopReason::MaxResults => format!("stopped at maxResults={max_results}"),
        StopReason::Deadline => format!("stopped after {} s", limits::GREP_TIME.as_secs()),
        StopReason::Limit => "stopped at the size limit of an answer".to_owned(),
    };
    let on = match last {
        "" => String::new(),
        last => format!("; after=\"{last}\" continues"),
    };
    format!("{why}; narrow the pattern or path to see more{on}")
}
