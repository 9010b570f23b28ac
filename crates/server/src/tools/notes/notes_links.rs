//! `notes_links`: where a note leads, and what leads to it.

use std::fmt::Write as _;

use serde_json::Value;
use workspace::vault::links::{Links, links};

use super::Spec;
use super::shapes::{
    Object, PARTIAL, UNNAMABLE, UNREADABLE, count, left_out_lines, line, n_of, path,
};
use crate::args::{Arg, Args};
use crate::notes::{Ctx, Failure};
use crate::output::{Field, Shape};
use crate::reply::Reply;
use crate::tool::{Hints, Tool};

pub(super) const SPEC: Spec = Spec {
    tool: Tool {
        name: "notes_links",
        title: "Links of a note",
        description: "Show the [[wiki]] and Markdown links of a note to other notes, the links \
                      from other notes to it, and those that lead nowhere.",
        args: &[
            Arg::text("path", "Note, e.g. projects/alpha.md").required(),
            Arg::integer("limit", 1, "Links of each kind at most"),
        ],
        hints: Hints::READ,
        call,
    },
    output: &[
        Field::new("path", Shape::Text, ""),
        Field::new(
            "links",
            Shape::Objects(&[
                Field::new("target", Shape::Text, "As it is written"),
                Field::new("path", Shape::Nullable, "The note it leads to, or null"),
                Field::new("line", Shape::Integer, "Counted from 1"),
            ]),
            "In order, repeated ones each",
        ),
        Field::new(
            "backlinks",
            Shape::Objects(&[
                Field::new("path", Shape::Text, "The other note"),
                Field::new("line", Shape::Integer, "Counted from 1"),
            ]),
            "By path and line",
        ),
        Field::new(
            "broken",
            Shape::Texts,
            "Targets that lead nowhere, once each",
        ),
        Field::new("truncated", Shape::Flag, "There are more than shown"),
        Field::optional("total_links", Shape::Integer, "When not all are shown"),
        Field::optional("total_backlinks", Shape::Integer, "When not all are shown"),
        UNNAMABLE,
        UNREADABLE,
        PARTIAL,
    ],
};

fn call(ctx: &Ctx<'_>, args: &Args) -> Result<Reply, Failure> {
    let limit = count(args, "limit");
    let found = links(ctx.vault, &ctx.cancel, args.needed_text("path"), limit)?;
    let cut_links = found.links.len() < found.n_links;
    let cut_backlinks = found.backlinks.len() < found.n_backlinks;
    let outgoing: Vec<Value> = found
        .links
        .iter()
        .map(|link| {
            Object::default()
                .with("target", link.target.as_str())
                .with("path", link.path.as_ref().map_or(Value::Null, path))
                .with("line", link.line)
                .into()
        })
        .collect();
    let backlinks: Vec<Value> = found
        .backlinks
        .iter()
        .map(|link| {
            Object::default()
                .with("path", path(&link.path))
                .with("line", link.line)
                .into()
        })
        .collect();
    Ok(Object::default()
        .with("path", path(&found.path))
        .with("links", outgoing)
        .with("backlinks", backlinks)
        .with("broken", found.broken.clone())
        .with("truncated", cut_links || cut_backlinks)
        .with_some("total_links", cut_links.then_some(found.n_links))
        .with_some(
            "total_backlinks",
            cut_backlinks.then_some(found.n_backlinks),
        )
        .with_left_out(&found.left_out)
        .reply(text(&found)))
}

fn text(found: &Links) -> String {
    let mut text = String::new();
    let cut = |n: usize, total: usize| {
        if n < total {
            format!("{n} of ")
        } else {
            String::new()
        }
    };
    // A String takes every write.
    let _ = writeln!(
        text,
        "{}: {}{} to notes, {}{} from other notes",
        found.path,
        cut(found.links.len(), found.n_links),
        n_of(found.n_links as u64, "link"),
        cut(found.backlinks.len(), found.n_backlinks),
        found.n_backlinks
    );
    for link in &found.links {
        let target = line(&link.target);
        let _ = match &link.path {
            Some(path) => writeln!(text, "-> {path} (line {}, as {target})", link.line),
            None => writeln!(text, "-> nothing (line {}, broken: {target})", link.line),
        };
    }
    for link in &found.backlinks {
        let _ = writeln!(text, "<- {} (line {})", link.path, link.line);
    }
    if found.links.len() < found.n_links || found.backlinks.len() < found.n_backlinks {
        text.push_str("... (cut; a greater limit shows more, up to --max-results)\n");
    }
    text.truncate(text.trim_end().len());
    text.push_str(&left_out_lines(&found.left_out));
    text
}
