//! `change_activate`: which change is worked on.

use workspace::changes::activate;

use super::change_text::one_line;
use crate::args::{Arg, Args, Kind, WORKSPACE};
use crate::context::Ctx;
use crate::failure::Failure;
use crate::record::Record;
use crate::reply::Reply;
use crate::tool::{Hints, Tool};

pub(super) const TOOL: Tool = Tool {
    name: "change_activate",
    title: "Activate change",
    description: "Make a change the active one: the other change tools mean it by default, and the \
                  work log names it.",
    args: &[
        Arg::new("changeId", Kind::Text { min_chars: 1 }, "").required(),
        WORKSPACE,
    ],
    hints: Hints::SET,
    call,
};

fn call(ctx: &Ctx<'_>, args: &Args) -> Result<Reply, Failure> {
    let id = args.needed_text("changeId");
    let change = activate(ctx.workspace(args)?, &ctx.cancel, id)?;
    let counts = change.counts();
    let text = format!(
        "active change: {} — {} ({}/{} tasks done, updated {})",
        change.id,
        one_line(&change.title),
        counts.done,
        counts.total,
        one_line(&change.updated_at)
    );
    let record = Record::of_change(&change.id, change.id.to_string(), "active");
    Ok(Reply::text(text).journaled(record))
}
