//! `job_kill`: ends a job and all it started.

use workspace::commands::jobs::{Outcome, Status};
use workspace::process::supervise::code_text;

use super::{status, workspace_of};
use crate::args::{Arg, Args, Kind};
use crate::context::Ctx;
use crate::failure::Failure;
use crate::record::Record;
use crate::reply::Reply;
use crate::tool::{Hints, Tool};

pub(super) const TOOL: Tool = Tool {
    name: "job_kill",
    title: "Kill background job",
    description: "End a background job and every process it started: SIGTERM first, SIGKILL after \
                  3 seconds.",
    args: &[Arg::new("jobId", Kind::Text { min_chars: 1 }, "As start_job gave it").required()],
    hints: Hints::END,
    call,
};

fn call(ctx: &Ctx<'_>, args: &Args) -> Result<Reply, Failure> {
    let id = args.needed_text("jobId");
    let record = |result: String| Record {
        detail: Some(id.to_owned()),
        result,
        ..Record::default()
    };
    let shell = ctx.shell()?;
    let failed = |error: workspace::Error| {
        let record = record(format!("error: {error}"));
        Failure::journaled(error, record)
    };
    let job = shell.commands.jobs.get(id).map_err(failed)?;
    let (now, was_over) = job.kill(&ctx.cancel).map_err(failed)?;
    let told = status::of_job(&job, &now);
    let text = match (&now.outcome, was_over) {
        (Some(outcome), true) => {
            let code = match outcome {
                Outcome::Exited(code) => format!(" (exit code {})", code_text(*code)),
                _ => String::new(),
            };
            let word = status::word(outcome);
            format!("job {id} already finished with status {word}{code}; nothing to kill.")
        }
        (Some(_), false) => format!("job {id}: {told}"),
        (None, _) => format!(
            "job {id}: kill requested (SIGTERM sent; SIGKILL follows after a 3 s grace period)"
        ),
    };
    let mut record = record(result(&now));
    record.workspace = workspace_of(ctx.workspaces, &job.workspace).map(|own| own.name.clone());
    Ok(Reply::text(text).journaled(record))
}

/// The word for the journal.
fn result(now: &Status) -> String {
    let word = now.outcome.as_ref().map_or("running", status::word);
    word.to_owned()
}
