//! `patch`: several edits, in one or more files, all or none.

use super::pending;
use crate::args::{Arg, Kind, WORKSPACE};
use crate::tool::{Hints, Tool};

const EDIT: &[Arg] = &[
    Arg::text("path", "").required(),
    Arg::new("oldString", Kind::Text { min_chars: 1 }, "").required(),
    Arg::text("newString", "").required(),
    Arg::flag("replaceAll", ""),
    Arg::text("expectedSha256", ""),
];

pub(super) const TOOL: Tool = Tool {
    name: "patch",
    title: "Patch files",
    description: "Make several edits, in one or more files, all or none: if one fails nothing is \
                  written. Edits apply in order; each works as in edit_file.",
    args: &[
        Arg::new(
            "edits",
            Kind::Objects {
                min_items: 1,
                args: EDIT,
            },
            "",
        )
        .required(),
        WORKSPACE,
    ],
    hints: Hints::EDIT,
    call: pending,
};
