//! `write_file`: a file's whole content, or more at its end.

use super::pending;
use crate::args::{Arg, WORKSPACE};
use crate::tool::{Hints, Tool};

pub(super) const TOOL: Tool = Tool {
    name: "write_file",
    title: "Write file",
    description: "Create a file or replace its whole content; missing folders are made. To change \
                  part of a file use edit_file.",
    args: &[
        Arg::text("path", "File, relative to the workspace root").required(),
        Arg::text("content", "The whole new content").required(),
        Arg::flag(
            "append",
            "Add content at the end instead, on a line of its own",
        ),
        Arg::text(
            "expectedSha256",
            "Refuse if the file no longer has this hash",
        ),
        WORKSPACE,
    ],
    hints: Hints::REPLACE,
    call: pending,
};
