//! `job_status`: how jobs stand, and what they wrote.

use std::time::Duration;

use workspace::limits::{JOB_TAIL_BYTES, JOB_TAIL_BYTES_MAX, JOB_WAIT_MAX, JOBS_SHOWN};

use super::{millis, status};
use crate::args::{Arg, Args, Kind};
use crate::context::Ctx;
use crate::failure::Failure;
use crate::reply::Reply;
use crate::tool::{Hints, Tool};

pub(super) const TOOL: Tool = Tool {
    name: "job_status",
    title: "Job status",
    description: "Show how a background job stands and the end of its output; without jobId, list \
                  the last jobs. To read on, pass the number the output ended at as sinceByte; \
                  with waitMs the call waits for news.",
    args: &[
        Arg::text("jobId", "As start_job gave it; default: list the jobs"),
        Arg::new(
            "tailBytes",
            Kind::Integer {
                min: Some(0),
                max: Some(JOB_TAIL_BYTES_MAX.cast_signed()),
            },
            "Bytes of output to show, default 8192",
        ),
        Arg::integer("sinceByte", 0, "Show the output from this byte on instead"),
        Arg::new(
            "waitMs",
            Kind::Integer {
                min: Some(0),
                max: Some(millis(JOB_WAIT_MAX)),
            },
            "Wait so long for more output or the end",
        ),
    ],
    hints: Hints::READ,
    call,
};

fn call(ctx: &Ctx<'_>, args: &Args) -> Result<Reply, Failure> {
    let jobs = &ctx.shell()?.commands.jobs;
    let Some(id) = args.text("jobId") else {
        let newest = jobs.newest(JOBS_SHOWN);
        if newest.is_empty() {
            return Ok(Reply::text("No jobs have been started in this process."));
        }
        let mut reply = Reply::text(format!("Recent jobs (newest first, up to {JOBS_SHOWN}):\n"));
        for job in newest {
            let outcome = status::in_list(&job.status());
            reply.push_line(&format!(
                "{}  {}  started {}  {outcome}",
                job.id, job.name, job.started_at
            ));
        }
        return Ok(reply);
    };
    let job = jobs.get(id)?;
    let max_bytes = args.count("tailBytes").unwrap_or(JOB_TAIL_BYTES);
    let since = args.count("sinceByte");
    let wait = Duration::from_millis(args.count("waitMs").unwrap_or(0));
    let seen = since.unwrap_or_else(|| job.status().n_bytes);
    let now = job.wait(seen, wait, &ctx.cancel)?;
    let log = rooted::show(job.log_path.as_os_str().as_encoded_bytes());
    let mut reply = Reply::text(format!(
        "job {} - {}\nstatus: {}\npid: {}\nstartedAt: {}\nlog: {log} ({} bytes)",
        job.id,
        job.name,
        status::of_job(&job, &now),
        job.pid,
        job.started_at,
        now.n_bytes
    ));
    if now.is_capped {
        reply.push_line("log capped at 64 MiB; further output was discarded");
    }
    reply.push_line("");
    let piece = match since {
        Some(since) => job.since(since, max_bytes)?,
        None => job.tail(max_bytes)?,
    };
    let n_bytes = piece.to - piece.from;
    if since.is_some() {
        reply.push_line(&format!(
            "--- output from byte {} to {} of {} ---",
            piece.from,
            piece.to,
            now.n_bytes.max(piece.to)
        ));
    } else if n_bytes > 0 {
        reply.push_line(&format!("--- output tail (last {n_bytes} bytes) ---"));
    } else {
        reply.push_line("(no output)");
    }
    let mut text = piece.text;
    status::push_invalid(&mut text, piece.n_invalid);
    if !text.is_empty() {
        reply.push_line(&text);
    }
    if let Some(line) = status::still_running(&now.running) {
        reply.push_line(&line);
    }
    Ok(reply)
}
