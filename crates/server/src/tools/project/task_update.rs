//! `task_update`: how far tasks are, all or none.

use workspace::changes::{Moved, Status, TaskUpdate, update_tasks};
use workspace::limits::TASK_UPDATES;

use super::change_text::{CHANGE_ID, counts_line, one_line};
use crate::args::{Arg, Args, Kind, WORKSPACE};
use crate::context::Ctx;
use crate::failure::Failure;
use crate::record::Record;
use crate::reply::Reply;
use crate::tool::{Hints, Tool};

const UPDATE: &[Arg] = &[
    Arg::text("taskId", "").required(),
    Arg::new("status", Kind::Word(&Status::NAMES), "").required(),
    Arg::text("note", "Kept with the task"),
];

pub(super) const TOOL: Tool = Tool {
    name: "task_update",
    title: "Update tasks",
    description: "Set the status of tasks, all or none: one unknown id and nothing is written.",
    args: &[
        Arg::new(
            "updates",
            Kind::Objects {
                min_items: 1,
                args: UPDATE,
            },
            "At most 100",
        )
        .required(),
        CHANGE_ID,
        WORKSPACE,
    ],
    hints: Hints::ADD,
    call,
};

fn call(ctx: &Ctx<'_>, args: &Args) -> Result<Reply, Failure> {
    let given = args.objects("updates");
    let n = given.len();
    if n > TASK_UPDATES {
        let fault = format!("updates: expected at most {TASK_UPDATES} items, got {n}");
        return Err(Failure::Arguments(fault));
    }
    let update = |update| TaskUpdate {
        task_id: Args::needed_text(update, "taskId"),
        status: Status::parse(update.needed_text("status")).expect("other words were refused"),
        note: update.text("note"),
    };
    let updates: Vec<_> = given.iter().map(update).collect();
    let id = args.text("changeId");
    let (change, moved) = update_tasks(ctx.workspace(args)?, &ctx.cancel, id, &updates)?;
    let mut reply = Reply::default();
    for Moved { task_id, from, to } in &moved {
        let (task_id, from, to) = (one_line(task_id), from.name(), to.name());
        reply.push_line(&format!("{task_id}: {from} → {to}"));
    }
    reply.push_line(&counts_line(change.counts()));
    let details: Vec<String> = moved
        .iter()
        .map(|moved| format!("{}→{}", moved.task_id, moved.to.name()))
        .collect();
    let record = Record::of_change(&change.id, details.join(", "), "ok");
    Ok(reply.journaled(record))
}
