//! `start_job`: a command that runs on.

use super::{COMMAND, CWD, MAX_RUNTIME, failed, is_name_too_long, record, request};
use crate::args::{Arg, Args, Kind, WORKSPACE};
use crate::context::Ctx;
use crate::failure::Failure;
use crate::reply::Reply;
use crate::tool::{Hints, Tool};

pub(super) const TOOL: Tool = Tool {
    name: "start_job",
    title: "Start background job",
    description: "Start a program in the background and return at once; its output goes to a log \
                  of at most 64 MiB. Follow it with job_status, end it with job_kill. Jobs end with \
                  the server.",
    args: &[
        COMMAND,
        CWD,
        Arg::new(
            "name",
            Kind::Text { min_chars: 1 },
            "What to call it, at most 200 characters",
        ),
        MAX_RUNTIME,
        WORKSPACE,
    ],
    hints: Hints::RUN,
    call,
};

fn call(ctx: &Ctx<'_>, args: &Args) -> Result<Reply, Failure> {
    let shell = ctx.shell()?;
    let name = args.text("name");
    if name.is_some_and(is_name_too_long) {
        let fault = "name: expected at most 200 characters";
        return Err(Failure::Arguments(fault.to_owned()));
    }
    let request = request(args, "maxRuntimeMs", shell.times.job)?;
    let start = || {
        let reader = ctx.reader(args)?;
        shell.commands.start_job(&reader, &request, name)
    };
    let job = start().map_err(|error| failed(request.command, error))?;
    let log = rooted::show(job.log_path.as_os_str().as_encoded_bytes());
    let text = format!(
        "jobId: {}\nname: {}\npid: {}\nstartedAt: {}\nlog: {log}\nmaxRuntimeMs: {}\n\n\
         Call job_status with this jobId to see how it goes.",
        job.id,
        job.name,
        job.pid,
        job.started_at,
        job.max_runtime.as_millis()
    );
    let record = record(request.command, format!("started ({})", job.id));
    Ok(Reply::text(text).journaled(record))
}
