//! `grep`: lines that match a pattern.

use workspace::limits;

use super::pending;
use crate::args::{Arg, Kind, WORKSPACE};
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
    call: pending,
};
