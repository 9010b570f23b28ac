//! `edit_file`: one exact text for another in one file.

use super::pending;
use crate::args::{Arg, Kind, WORKSPACE};
use crate::tool::{Hints, Tool};

pub(super) const TOOL: Tool = Tool {
    name: "edit_file",
    title: "Edit file",
    description: "Replace an exact text in a file. oldString must occur exactly once, unless \
                  replaceAll is set; copy it from read_file without the line numbers.",
    args: &[
        Arg::text("path", "File, relative to the workspace root").required(),
        Arg::new(
            "oldString",
            Kind::Text { min_chars: 1 },
            "The exact text to replace",
        )
        .required(),
        Arg::text("newString", "What takes its place, literally").required(),
        Arg::flag("replaceAll", "Replace every occurrence"),
        Arg::text(
            "expectedSha256",
            "Refuse if the file no longer has this hash",
        ),
        WORKSPACE,
    ],
    hints: Hints::EDIT,
    call: pending,
};
