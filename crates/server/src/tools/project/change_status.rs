//! `change_status`: one change in full, or all in a line each.

use workspace::changes::{NextStep, Overview, Status, Task, View, overview, view};

use super::change_text::{CHANGE_ID, document, one_line};
use super::work_log;
use crate::args::{Arg, Args, WORKSPACE};
use crate::context::Ctx;
use crate::failure::Failure;
use crate::reply::Reply;
use crate::tool::{Hints, Tool};

pub(super) const TOOL: Tool = Tool {
    name: "change_status",
    title: "Change status",
    description: "Where a change stands: documents, tasks with notes, constraints, recent activity \
                  and the next step. Without an active change: the list of all changes.",
    args: &[CHANGE_ID, Arg::flag("all", "List all changes"), WORKSPACE],
    hints: Hints::READ,
    call,
};

fn call(ctx: &Ctx<'_>, args: &Args) -> Result<Reply, Failure> {
    let workspace = ctx.workspace(args)?;
    let one = if args.flag("all") {
        None
    } else {
        view(workspace, &ctx.cancel, args.text("changeId"))?
    };
    Ok(match one {
        Some(view) => full(&view),
        None => list(&overview(workspace, &ctx.cancel)?),
    })
}

fn list(all: &[Overview]) -> Reply {
    if all.is_empty() {
        return Reply::text("no changes yet");
    }
    let mut reply = Reply::text(format!("Changes (newest first, {}):\n", all.len()));
    for change in all {
        let counts = change.counts;
        let mut line = format!(
            "- {}  {}  {}/{} tasks  updated {}",
            change.id,
            one_line(&change.title),
            counts.done,
            counts.total,
            one_line(&change.updated_at)
        );
        if change.is_active {
            line.push_str("  (active)");
        }
        reply.push_line(&line);
    }
    reply
}

fn full(view: &View) -> Reply {
    let change = &view.change;
    let mut reply = Reply::default();
    reply.push_line(&format!(
        "Change {}: {}",
        change.id,
        one_line(&change.title)
    ));
    let goal = change.goal.as_deref().map_or("(none)".to_owned(), one_line);
    reply.push_line(&format!("goal: {goal}"));
    reply.push_line(if view.is_active {
        "active: yes"
    } else {
        "active: no"
    });
    reply.push_line(&format!("updated: {}", one_line(&change.updated_at)));
    reply.push_line("docs:");
    for one in &view.documents {
        reply.push_line(&format!("  {}", document(one)));
    }
    let counts = change.counts();
    reply.push_line(&format!("tasks ({}/{} done):", counts.done, counts.total));
    if change.tasks.is_empty() {
        reply.push_line("  (none yet)");
    }
    for status in Status::ALL {
        let tasks = change.tasks.iter().filter(|task| task.status == status);
        for task in tasks {
            push_task(&mut reply, task);
        }
    }
    if change.constraints.is_empty() {
        reply.push_line("constraints: none");
    } else {
        reply.push_line(&format!("constraints ({}):", change.constraints.len()));
        for constraint in &change.constraints {
            reply.push_line(&format!("  - {}", one_line(constraint)));
        }
    }
    if view.recent.is_empty() {
        reply.push_line("recent activity: none");
    } else {
        let n = view.recent.len();
        reply.push_line(&format!("recent activity ({n}, newest first):"));
        for entry in &view.recent {
            reply.push_line(&format!("  {}", work_log::line(entry)));
        }
    }
    let next = suggestion(view.next_step());
    reply.push_line(&format!("suggested next action: {next}"));
    reply
}

fn push_task(reply: &mut Reply, task: &Task) {
    let (id, text) = (one_line(&task.id), one_line(&task.text));
    reply.push_line(&format!("  {id} [{}] {text}", task.status.name()));
    for note in &task.notes {
        reply.push_line(&format!("    - {}", one_line(note)));
    }
}

fn suggestion(step: NextStep<'_>) -> String {
    match step {
        NextStep::Propose => "write the proposal with change_doc (stage proposal)".to_owned(),
        NextStep::Finish => "run the tests and save a summary with remember".to_owned(),
        NextStep::Unblock(task) => format!("unblock {}", one_line(&task.id)),
        NextStep::Continue(task) => format!("continue {}", one_line(&task.id)),
        NextStep::Start(task) => format!("start {}", one_line(&task.id)),
        NextStep::Plan => "break the work into tasks with task_add".to_owned(),
    }
}
