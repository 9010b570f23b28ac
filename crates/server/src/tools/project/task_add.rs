//! `task_add`: one more step of a change.

use workspace::changes::{Status, add_task};

use super::change_text::{CHANGE_ID, counts_line, one_line};
use crate::args::{Arg, Args, Kind, WORKSPACE};
use crate::context::Ctx;
use crate::failure::Failure;
use crate::record::Record;
use crate::reply::Reply;
use crate::tool::{Hints, Tool};

pub(super) const TOOL: Tool = Tool {
    name: "task_add",
    title: "Add task",
    description: "Add a task to a change; answers with its id and the counts.",
    args: &[
        Arg::new("text", Kind::Text { min_chars: 1 }, "").required(),
        Arg::new("status", Kind::Word(&Status::NAMES), "Default pending"),
        CHANGE_ID,
        WORKSPACE,
    ],
    hints: Hints::ADD,
    call,
};

fn call(ctx: &Ctx<'_>, args: &Args) -> Result<Reply, Failure> {
    let status = args.text("status").and_then(Status::parse);
    let (change, task) = add_task(
        ctx.workspace(args)?,
        &ctx.cancel,
        args.text("changeId"),
        args.needed_text("text"),
        status.unwrap_or_default(),
    )?;
    let text = format!(
        "added {} [{}] {}\n{}",
        task.id,
        task.status.name(),
        one_line(&task.text),
        counts_line(change.counts())
    );
    let detail = format!("{}: {}", task.id, task.text);
    Ok(Reply::text(text).journaled(Record::of_change(&change.id, detail, "ok")))
}
