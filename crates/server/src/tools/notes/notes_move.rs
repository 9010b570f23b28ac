//! `notes_move`: another path for a note.

use workspace::vault::write::relocate;

use super::Spec;
use super::shapes::{Object, path};
use crate::args::{Arg, Args};
use crate::notes::{Ctx, Failure};
use crate::output::{Field, Shape};
use crate::reply::Reply;
use crate::tool::{Hints, Tool};

pub(super) const SPEC: Spec = Spec {
    tool: Tool {
        name: "notes_move",
        title: "Move note",
        description: "Give a note another path, at which nothing must be. Links to it stay as they are: notes_links finds them.",
        args: &[
            Arg::text("path", "Note, e.g. projects/alpha.md").required(),
            Arg::text("to", "The new path; folders on the way are made").required(),
        ],
        hints: Hints::EDIT,
        call,
    },
    output: &[
        Field::new("path", Shape::Text, "The new path"),
        Field::new("from", Shape::Text, "The old path"),
    ],
};

fn call(ctx: &Ctx<'_>, args: &Args) -> Result<Reply, Failure> {
    let (from, to) = (args.needed_text("path"), args.needed_text("to"));
    let moved = relocate(ctx.vault, &ctx.cancel, from, to)?;
    let text = format!("Moved {} to {}", moved.from, moved.path);
    Ok(Object::default()
        .with("path", path(&moved.path))
        .with("from", path(&moved.from))
        .reply(text))
}
