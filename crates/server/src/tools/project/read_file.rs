//! `read_file`: a text file or a range of its lines; pictures as pictures.

use super::pending;
use crate::args::{Arg, Kind, WORKSPACE};
use crate::tool::{Hints, Tool};

pub(super) const TOOL: Tool = Tool {
    name: "read_file",
    title: "Read file",
    description: "Read a text file; each line comes as `N: text`, counted from 1. At most 2000 \
                  lines a call: go on with offset. PNG, JPEG, GIF and WebP come as an image. Other \
                  binary files are refused.",
    args: &[
        Arg::text("path", "File, relative to the workspace root").required(),
        Arg::new(
            "offset",
            Kind::Integer {
                min: None,
                max: None,
            },
            "First line, default 1; negative counts from the end",
        ),
        Arg::integer("limit", 1, "Number of lines, at most 2000"),
        Arg::flag("withHash", "Append the sha256, for expectedSha256"),
        WORKSPACE,
    ],
    hints: Hints::READ,
    call: pending,
};
