//! `notes_append`: text at the end of a note.

use workspace::vault::write::append;

use super::Spec;
use super::shapes::written;
use crate::args::{Arg, Args, Kind};
use crate::notes::{Ctx, Failure};
use crate::output::{Field, Shape};
use crate::reply::Reply;
use crate::tool::{Hints, Tool};

pub(super) const SPEC: Spec = Spec {
    tool: Tool {
        name: "notes_append",
        title: "Append to note",
        description: "Add text as lines of its own to the end of a note, which is made if it is missing.",
        args: &[
            Arg::text("path", "Note, e.g. projects/alpha.md").required(),
            Arg::new("text", Kind::Text { min_chars: 1 }, "Text to add").required(),
        ],
        hints: Hints::ADD,
        call,
    },
    output: &[
        Field::new("path", Shape::Text, ""),
        Field::new("size", Shape::Integer, "Bytes now"),
        Field::new("created", Shape::Flag, "There was no such note before"),
    ],
};

fn call(ctx: &Ctx<'_>, args: &Args) -> Result<Reply, Failure> {
    let (path, text) = (args.needed_text("path"), args.needed_text("text"));
    let done = append(ctx.vault, &ctx.cancel, path, text)?;
    Ok(written(&done, "Added to"))
}
