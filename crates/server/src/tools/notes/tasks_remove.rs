//! `tasks_remove`: a task, gone from the list.

use workspace::vault::tasks;

use super::Spec;
use super::shapes::{Object, TASK, task, task_line};
use crate::args::{Arg, Args};
use crate::notes::{Ctx, Failure};
use crate::output::{Field, Shape};
use crate::reply::Reply;
use crate::tool::{Hints, Tool};

pub(super) const SPEC: Spec = Spec {
    tool: Tool {
        name: "tasks_remove",
        title: "Remove task",
        description: "Remove a task from tasks.json for good. To keep it on record, complete it instead.",
        args: &[Arg::text("id", "Id of the task, as tasks_list shows it").required()],
        hints: Hints::REPLACE,
        call,
    },
    output: &[Field::new("task", Shape::Object(TASK), "As it was")],
};

fn call(ctx: &Ctx<'_>, args: &Args) -> Result<Reply, Failure> {
    let removed = tasks::remove(ctx.vault, &ctx.cancel, args.needed_text("id"))?;
    let text = format!("Removed: {}", task_line(&removed));
    Ok(Object::default().with("task", task(&removed)).reply(text))
}
