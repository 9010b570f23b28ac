//! `tasks_update`: a task, changed.

use workspace::vault::tasks::{self, Status, Update};

use super::Spec;
use super::shapes::{TASK, changed};
use crate::args::{Arg, Args, Kind};
use crate::notes::{Ctx, Failure};
use crate::output::{Field, Shape};
use crate::reply::Reply;
use crate::tool::{Hints, Tool};

pub(super) const SPEC: Spec = Spec {
    tool: Tool {
        name: "tasks_update",
        title: "Update task",
        description: "Change title, due day or status of a task; what is not given stays.",
        args: &[
            Arg::text("id", "Id of the task, as tasks_list shows it").required(),
            Arg::text("title", "New title"),
            Arg::text("due", "New day, YYYY-MM-DD; empty for none"),
            Arg::new("status", Kind::Word(&["open", "done"]), ""),
        ],
        hints: Hints::REPLACE,
        call,
    },
    output: &[
        Field::new("task", Shape::Object(TASK), "As it is now"),
        Field::new("changed", Shape::Flag, "Whether anything had to be changed"),
    ],
};

fn call(ctx: &Ctx<'_>, args: &Args) -> Result<Reply, Failure> {
    let update = Update {
        title: args.text("title"),
        due: args.text("due"),
        status: args.text("status").and_then(Status::of),
    };
    let done = tasks::update(ctx.vault, &ctx.cancel, args.needed_text("id"), &update)?;
    Ok(changed(&done, "Updated"))
}
