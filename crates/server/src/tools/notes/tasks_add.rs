//! `tasks_add`: a new task.

use workspace::vault::tasks;

use super::Spec;
use super::shapes::{Object, TASK, task, task_line};
use crate::args::{Arg, Args, Kind};
use crate::notes::{Ctx, Failure};
use crate::output::{Field, Shape};
use crate::reply::Reply;
use crate::tool::{Hints, Tool};

pub(super) const SPEC: Spec = Spec {
    tool: Tool {
        name: "tasks_add",
        title: "Add task",
        description: "Add an open task at the end of tasks.json.",
        args: &[
            Arg::new(
                "title",
                Kind::Text { min_chars: 1 },
                "One line of at most 500 characters",
            )
            .required(),
            Arg::text("due", "Day, YYYY-MM-DD"),
        ],
        hints: Hints::ADD,
        call,
    },
    output: &[Field::new("task", Shape::Object(TASK), "As it is now")],
};

fn call(ctx: &Ctx<'_>, args: &Args) -> Result<Reply, Failure> {
    let due = args.text("due").filter(|due| !due.is_empty());
    let added = tasks::add(ctx.vault, &ctx.cancel, args.needed_text("title"), due)?;
    let text = format!("Added: {}", task_line(&added));
    Ok(Object::default().with("task", task(&added)).reply(text))
}
