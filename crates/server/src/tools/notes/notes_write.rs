//! `notes_write`: a note, whole.

use workspace::vault::write::write;

use super::Spec;
use super::shapes::written;
use crate::args::{Arg, Args};
use crate::notes::{Ctx, Failure};
use crate::output::{Field, Shape};
use crate::reply::Reply;
use crate::tool::{Hints, Tool};

pub(super) const SPEC: Spec = Spec {
    tool: Tool {
        name: "notes_write",
        title: "Write note",
        description: "Make a note, or replace the whole text of one. A note that is too long to be read at once needs the expected_sha256 of notes_read.",
        args: &[
            Arg::text("path", "Note, e.g. projects/alpha.md").required(),
            Arg::text("content", "The whole new text").required(),
            Arg::text("expected_sha256", "Refuse if the note is not this version"),
        ],
        hints: Hints::REPLACE,
        call,
    },
    output: &[
        Field::new("path", Shape::Text, ""),
        Field::new("size", Shape::Integer, "Bytes now"),
        Field::new("sha256", Shape::Text, "Of the new text"),
        Field::new("created", Shape::Flag, "There was no such note before"),
    ],
};

fn call(ctx: &Ctx<'_>, args: &Args) -> Result<Reply, Failure> {
    let (path, content) = (args.needed_text("path"), args.needed_text("content"));
    let expected = args.text("expected_sha256").filter(|hash| !hash.is_empty());
    let done = write(ctx.vault, &ctx.cancel, path, content, expected)?;
    Ok(written(&done, "Replaced"))
}
