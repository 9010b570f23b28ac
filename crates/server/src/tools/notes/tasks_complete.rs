//! `tasks_complete`: a task, done.

use workspace::vault::tasks;

use super::Spec;
use super::shapes::{TASK, changed};
use crate::args::{Arg, Args};
use crate::notes::{Ctx, Failure};
use crate::output::{Field, Shape};
use crate::reply::Reply;
use crate::tool::{Hints, Tool};

pub(super) const SPEC: Spec = Spec {
    tool: Tool {
        name: "tasks_complete",
        title: "Complete task",
        description: "Mark a task as done. One that is done already stays as it is.",
        args: &[Arg::text("id", "Id of the task, as tasks_list shows it").required()],
        hints: Hints::SET,
        call,
    },
    output: &[
        Field::new("task", Shape::Object(TASK), "As it is now"),
        Field::new("changed", Shape::Flag, "Whether anything had to be changed"),
    ],
};

fn call(ctx: &Ctx<'_>, args: &Args) -> Result<Reply, Failure> {
    let done = tasks::complete(ctx.vault, &ctx.cancel, args.needed_text("id"))?;
    Ok(changed(&done, "Completed"))
}
