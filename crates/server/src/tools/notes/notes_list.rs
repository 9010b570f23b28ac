//! `notes_list`: which notes there are, and what each says about itself.

use std::fmt::Write as _;

use serde_json::Value;
use workspace::vault::list::{ListRequest, Listed, list};

use super::Spec;
use super::shapes::{Object, UNNAMABLE, UNREADABLE, count, left_out_lines, line, path, shown_of};
use crate::args::{Arg, Args};
use crate::notes::{Ctx, Failure};
use crate::output::{Field, Shape};
use crate::reply::Reply;
use crate::tool::{Hints, Tool};

pub(super) const SPEC: Spec = Spec {
    tool: Tool {
        name: "notes_list",
        title: "List notes",
        description: "List notes by path, with title, tags and date from their front matter, or \
                      their first heading. A cut list says with which `after` it goes on.",
        args: &[
            Arg::text("folder", "Folder to list; default: all"),
            Arg::text("tag", "Only notes with this tag, or one below it"),
            Arg::integer("limit", 1, "Notes at most"),
            Arg::text("after", "Go on behind this path"),
        ],
        hints: Hints::READ,
        call,
    },
    output: &[
        Field::new(
            "notes",
            Shape::Objects(&[
                Field::new("path", Shape::Text, ""),
                Field::new("size", Shape::Integer, "Bytes"),
                Field::new("modified", Shape::Text, "Time of the last change"),
                Field::optional("title", Shape::Text, ""),
                Field::optional("tags", Shape::Texts, ""),
                Field::optional("date", Shape::Text, "As it is written"),
            ]),
            "By path",
        ),
        Field::new("total", Shape::Integer, "Notes that fit, shown or not"),
        Field::new("truncated", Shape::Flag, "There are more behind the last"),
        UNNAMABLE,
        UNREADABLE,
    ],
};

fn call(ctx: &Ctx<'_>, args: &Args) -> Result<Reply, Failure> {
    let request = ListRequest {
        folder: args.text("folder").unwrap_or_default(),
        tag: args.text("tag").filter(|tag| !tag.is_empty()),
        after: args.text("after").filter(|after| !after.is_empty()),
        limit: count(args, "limit"),
    };
    let listing = list(ctx.vault, &ctx.cancel, &request)?;
    let mut text = String::new();
    for note in &listing.notes {
        text.push_str(&note_line(note));
        text.push('\n');
    }
    text.push_str(&shown_of(listing.notes.len(), listing.n_total, "note"));
    if let Some(last) = listing.notes.last().filter(|_| listing.truncated) {
        // A String takes every write.
        let _ = write!(text, "; after=\"{}\" shows the next", last.path);
    }
    text.push_str(&left_out_lines(&listing.left_out));
    let notes: Vec<Value> = listing.notes.iter().map(note).collect();
    Ok(Object::default()
        .with("notes", notes)
        .with("total", listing.n_total)
        .with("truncated", listing.truncated)
        .with_left_out(&listing.left_out)
        .reply(text))
}

fn note(note: &Listed) -> Value {
    let about = &note.about;
    let tags = (!about.tags.is_empty()).then(|| about.tags.clone());
    Object::default()
        .with("path", path(&note.path))
        .with("size", note.size)
        .with("modified", note.modified.to_string())
        .with_some("title", about.title.as_deref())
        .with_some("tags", tags)
        .with_some("date", about.date.as_deref())
        .into()
}

fn note_line(note: &Listed) -> String {
    let about = &note.about;
    let mut text = note.path.to_string();
    if let Some(title) = &about.title {
        let _ = write!(text, ": {}", line(title));
    }
    for tag in &about.tags {
        let _ = write!(text, " #{}", line(tag));
    }
    if let Some(date) = &about.date {
        let _ = write!(text, " ({})", line(date));
    }
    text
}
