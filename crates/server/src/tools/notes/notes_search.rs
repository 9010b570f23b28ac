//! `notes_search`: lines of notes that hold a text.

use std::fmt::Write as _;

use serde_json::Value;
use workspace::vault::search::{Found, Hit, SearchRequest, search};

use super::Spec;
use super::shapes::{Object, PARTIAL, UNNAMABLE, UNREADABLE, count, left_out_lines, line, path};
use crate::args::{Arg, Args, Kind};
use crate::notes::{Ctx, Failure};
use crate::output::{Field, Shape};
use crate::reply::Reply;
use crate::tool::{Hints, Tool};

pub(super) const SPEC: Spec = Spec {
    tool: Tool {
        name: "notes_search",
        title: "Search notes",
        description: "Find lines that hold a text, literally and in letters of either case. Each \
                      hit comes with the lines next to it and the headings it stands under. A cut \
                      answer says with which `after` it goes on.",
        args: &[
            Arg::new(
                "query",
                Kind::Text { min_chars: 1 },
                "Text, one line of at most 256 characters",
            )
            .required(),
            Arg::text("folder", "Folder to search; default: all"),
            Arg::text("tag", "Only notes with this tag, or one below it"),
            Arg::flag("case_sensitive", "Tell capital letters from small ones"),
            Arg::integer("limit", 1, "Hits at most"),
            Arg::text("after", "Go on behind this `path:LINE`"),
        ],
        hints: Hints::READ,
        call,
    },
    output: &[
        Field::new("query", Shape::Text, ""),
        Field::new(
            "matches",
            Shape::Objects(&[
                Field::new("path", Shape::Text, ""),
                Field::new("line", Shape::Integer, "Counted from 1"),
                Field::new("text", Shape::Text, "The line"),
                Field::optional("before", Shape::Text, "The line before"),
                Field::optional("after", Shape::Text, "The line behind"),
                Field::new("headings", Shape::Texts, "From the topmost down"),
            ]),
            "By path and line",
        ),
        Field::new("truncated", Shape::Flag, "There are more behind the last"),
        UNNAMABLE,
        UNREADABLE,
        PARTIAL,
    ],
};

fn call(ctx: &Ctx<'_>, args: &Args) -> Result<Reply, Failure> {
    let request = SearchRequest {
        query: args.needed_text("query"),
        folder: args.text("folder").unwrap_or_default(),
        tag: args.text("tag").filter(|tag| !tag.is_empty()),
        case_sensitive: args.flag("case_sensitive"),
        after: args.text("after").filter(|after| !after.is_empty()),
        limit: count(args, "limit"),
    };
    let found = search(ctx.vault, &ctx.cancel, &request)?;
    let matches: Vec<Value> = found.hits.iter().map(hit).collect();
    Ok(Object::default()
        .with("query", request.query)
        .with("matches", matches)
        .with("truncated", found.truncated)
        .with_left_out(&found.left_out)
        .reply(text(&found, request.query)))
}

fn hit(hit: &Hit) -> Value {
    Object::default()
        .with("path", path(&hit.path))
        .with("line", hit.line)
        .with("text", hit.text.as_str())
        .with_some("before", hit.before.as_deref())
        .with_some("after", hit.after.as_deref())
        .with("headings", hit.headings.clone())
        .into()
}

fn text(found: &Found, query: &str) -> String {
    let mut text = String::new();
    for hit in &found.hits {
        // A String takes every write.
        let _ = write!(text, "{}:{}", hit.path, hit.line);
        if !hit.headings.is_empty() {
            let _ = write!(text, " ({})", line(&hit.headings.join(" > ")));
        }
        text.push('\n');
        for (mark, shown) in [
            (' ', hit.before.as_ref()),
            ('>', Some(&hit.text)),
            (' ', hit.after.as_ref()),
        ] {
            if let Some(shown) = shown.filter(|shown| mark == '>' || !shown.trim().is_empty()) {
                let _ = writeln!(text, "{mark} {shown}");
            }
        }
    }
    match found.hits.len() {
        0 => {
            let _ = write!(text, "no notes hold \"{}\"", line(query));
        }
        1 => text.push_str("1 match"),
        n => {
            let _ = write!(text, "{n} matches");
        }
    }
    if found.truncated {
        text.push_str("; there are more");
        if let Some(last) = found.hits.last() {
            let _ = write!(
                text,
                ": after=\"{}:{}\" shows the next",
                last.path, last.line
            );
        }
    }
    text.push_str(&left_out_lines(&found.left_out));
    text
}
