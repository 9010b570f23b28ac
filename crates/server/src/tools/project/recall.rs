//! `recall`: the notes of earlier sessions.

use std::fmt::Write as _;

use workspace::limits;
use workspace::notes::{Note, Query, recall};

use crate::args::{Arg, Args, Kind, WORKSPACE};
use crate::context::Ctx;
use crate::failure::Failure;
use crate::reply::Reply;
use crate::tool::{Hints, Tool};

pub(super) const TOOL: Tool = Tool {
    name: "recall",
    title: "Recall notes",
    description: "Notes kept with remember, newest first. Call it at the start of a session.",
    args: &[
        Arg::text("query", "Only notes with this in the text, in either case"),
        Arg::text("tag", "Only notes with this tag, in either case"),
        Arg::new(
            "limit",
            Kind::Integer {
                min: Some(1),
                max: Some(limits::RECALL_NOTES_MAX),
            },
            "Default 20",
        ),
        WORKSPACE,
    ],
    hints: Hints::READ,
    call,
};

fn call(ctx: &Ctx<'_>, args: &Args) -> Result<Reply, Failure> {
    let limit = args.count("limit").unwrap_or(limits::RECALL_NOTES);
    let query = Query {
        limit: usize::try_from(limit).unwrap_or(usize::MAX),
        text: args.text("query").unwrap_or_default(),
        tag: args.text("tag").unwrap_or_default(),
        max_bytes: ctx.body_bytes,
    };
    let found = recall(ctx.workspace(args)?, &ctx.cancel, &query)?;
    if found.notes.is_empty() {
        return Ok(Reply::text("no notes match"));
    }
    let mut reply = Reply::default();
    for note in &found.notes {
        reply.push_line(&line(note));
    }
    if found.is_cut {
        let n = found.notes.len();
        reply.push_line(&format!(
            "... (cut after {n} notes; lower limit, or narrow query or tag)"
        ));
    }
    Ok(reply)
}

fn line(note: &Note) -> String {
    let date = note.ts.get(..10).unwrap_or(&note.ts);
    let mut line = rooted::show(date.as_bytes());
    if !note.tags.is_empty() {
        let tags: Vec<String> = note.tags.iter().map(|tag| format!("[#{tag}]")).collect();
        line.push_str("  ");
        line.push_str(&rooted::show(tags.join("  ").as_bytes()));
    }
    line.push_str("  ");
    push_text(&mut line, &note.text);
    line
}

/// The text as it is, but for controls that would do something else than end a line.
fn push_text(line: &mut String, text: &str) {
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let is_line_end = c == '\r' && chars.peek() == Some(&'\n');
        if c.is_control() && !matches!(c, '\n' | '\t') && !is_line_end {
            // A String takes every write.
            let _ = write!(
                line,
                "{}",
                rooted::show(c.encode_utf8(&mut [0; 4]).as_bytes())
            );
        } else {
            line.push(c);
        }
    }
}
