//! `run_command`: a command, run to its end.

use super::{COMMAND, CWD, TIMEOUT, failed, record, request, status};
use crate::args::{Args, WORKSPACE};
use crate::context::Ctx;
use crate::failure::Failure;
use crate::reply::Reply;
use crate::tool::{Hints, Tool};

pub(super) const TOOL: Tool = Tool {
    name: "run_command",
    title: "Run command",
    description: "Run a program to its end and show its output and exit code. No shell: no pipes, \
                  globs or variables. Its input is empty. Over 256 KiB the middle of the output is \
                  cut. For what takes over about 60 seconds use start_job.",
    args: &[COMMAND, CWD, TIMEOUT, WORKSPACE],
    hints: Hints::RUN,
    call,
};

fn call(ctx: &Ctx<'_>, args: &Args) -> Result<Reply, Failure> {
    let shell = ctx.shell()?;
    let request = request(args, "timeoutMs", shell.times.command)?;
    let run = || {
        let reader = ctx.reader(args)?;
        shell.commands.run(&reader, &request, ctx.progress.tell())
    };
    let ran = run().map_err(|error| failed(request.command, error))?;
    let ended = &ran.ended;
    let mut reply = Reply::text(status::body(ran.output));
    reply.push_line("");
    reply.push_line(&status::of_command(ended, request.time_limit));
    if let Some(name) = ran.found_as {
        reply.push_line(&format!("... (found as {name})"));
    }
    if let Some(line) = status::still_running(&ended.running) {
        reply.push_line(&line);
    }
    let record = record(request.command, status::for_journal(ended));
    Ok(reply.journaled(record))
}
