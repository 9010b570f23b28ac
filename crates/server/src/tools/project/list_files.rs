//! `list_files`: what is in a folder and below.

use super::pending;
use crate::args::{Arg, WORKSPACE};
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
    call: pending,
};
