//! `remember`: a note for later sessions.

use workspace::limits::{NOTE_TAGS, TAG_CHARS};
use workspace::notes::remember;

use crate::args::{Arg, Args, Kind, WORKSPACE};
use crate::context::Ctx;
use crate::failure::Failure;
use crate::reply::Reply;
use crate::tool::{Hints, Tool};

pub(super) const TOOL: Tool = Tool {
    name: "remember",
    title: "Remember note",
    description: "Keep a note in the workspace for later sessions; recall finds it. Notes are only \
                  ever added.",
    args: &[
        Arg::new("text", Kind::Text { min_chars: 1 }, "").required(),
        Arg::new(
            "tags",
            Kind::Texts { min_items: 0 },
            "At most 20, each of 1 to 50 characters",
        ),
        WORKSPACE,
    ],
    hints: Hints::ADD,
    call,
};

fn call(ctx: &Ctx<'_>, args: &Args) -> Result<Reply, Failure> {
    let tags = args.texts("tags");
    if let Some(faults) = faults(tags) {
        return Err(Failure::Arguments(faults));
    }
    let text = args.needed_text("text");
    let total = remember(ctx.workspace(args)?, &ctx.cancel, text, tags)?;
    Ok(Reply::text(format!("noted (#{total} total)")))
}

fn faults(tags: &[String]) -> Option<String> {
    let n = tags.len();
    if n > NOTE_TAGS {
        return Some(format!("tags: expected at most {NOTE_TAGS} items, got {n}"));
    }
    let wrong = tags.iter().enumerate().filter_map(|(index, tag)| {
        let n = tag.chars().count();
        let fits = (1..=TAG_CHARS).contains(&n);
        (!fits).then(|| format!("tags[{index}]: expected 1 to {TAG_CHARS} characters, got {n}"))
    });
    let wrong: Vec<String> = wrong.collect();
    (!wrong.is_empty()).then(|| wrong.join("; "))
}
