//! `constraint_add`: one more rule that a change has to respect.

use workspace::changes::add_constraint;

use super::change_text::{CHANGE_ID, one_line};
use crate::args::{Arg, Args, Kind, WORKSPACE};
use crate::context::Ctx;
use crate::failure::Failure;
use crate::record::Record;
use crate::reply::Reply;
use crate::tool::{Hints, Tool};

pub(super) const TOOL: Tool = Tool {
    name: "constraint_add",
    title: "Add constraint",
    description: "Add a rule that the work on a change must respect.",
    args: &[
        Arg::new("text", Kind::Text { min_chars: 1 }, "").required(),
        CHANGE_ID,
        WORKSPACE,
    ],
    hints: Hints::ADD,
    call,
};

fn call(ctx: &Ctx<'_>, args: &Args) -> Result<Reply, Failure> {
    let text = args.needed_text("text");
    let id = args.text("changeId");
    let change = add_constraint(ctx.workspace(args)?, &ctx.cancel, id, text)?;
    let n = change.constraints.len();
    let mut reply = Reply::text(format!("constraint added ({n} total):"));
    for constraint in &change.constraints {
        reply.push_line(&format!("- {}", one_line(constraint)));
    }
    let detail = change.constraints.last().cloned().unwrap_or_default();
    Ok(reply.journaled(Record::of_change(&change.id, detail, "ok")))
}
