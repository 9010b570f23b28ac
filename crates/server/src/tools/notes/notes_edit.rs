//! `notes_edit`: a text in a note, replaced.

use workspace::vault::write::edit;

use super::Spec;
use super::shapes::{Object, path, written_line};
use crate::args::{Arg, Args, Kind};
use crate::notes::{Ctx, Failure};
use crate::output::{Field, Shape};
use crate::reply::Reply;
use crate::tool::{Hints, Tool};

pub(super) const SPEC: Spec = Spec {
    tool: Tool {
        name: "notes_edit",
        title: "Edit note",
        description: "Replace a text in a note. oldString must be there exactly once, to the letter.",
        args: &[
            Arg::text("path", "Note, e.g. projects/alpha.md").required(),
            Arg::new("oldString", Kind::Text { min_chars: 1 }, "Text to replace").required(),
            Arg::text("newString", "Text to put there").required(),
        ],
        hints: Hints::EDIT,
        call,
    },
    output: &[
        Field::new("path", Shape::Text, ""),
        Field::new("size", Shape::Integer, "Bytes now"),
        Field::new("sha256", Shape::Text, "Of the new text"),
    ],
};

fn call(ctx: &Ctx<'_>, args: &Args) -> Result<Reply, Failure> {
    let (old, new) = (args.needed_text("oldString"), args.needed_text("newString"));
    let done = edit(ctx.vault, &ctx.cancel, args.needed_text("path"), old, new)?;
    let text = written_line(&done, "Edited");
    Ok(Object::default()
        .with("path", path(&done.outcome.path))
        .with("size", done.outcome.len)
        .with_some("sha256", done.sha256)
        .reply(text))
}
