//! The tools that run commands. They exist only when they are turned on.

mod detail;
mod job_kill;
mod job_status;
mod run_command;
mod start_job;
mod status;

use std::time::Duration;

use workspace::commands::CommandRequest;
use workspace::limits::{COMMAND_TIME_MAX, COMMAND_TIME_MIN, JOB_NAME_CHARS, JOB_TIME_MAX};
use workspace::{Error, Workspace, Workspaces};

use crate::args::{Arg, Args, Kind};
use crate::failure::Failure;
use crate::record::Record;
use crate::tool::Tool;

/// The tools, in the order of the listing.
pub const TOOLS: &[Tool] = &[
    run_command::TOOL,
    start_job::TOOL,
    job_status::TOOL,
    job_kill::TOOL,
];

/// Says whether a tool of that name is one of them.
#[must_use]
pub fn is_one(name: &str) -> bool {
    TOOLS.iter().any(|tool| tool.name == name)
}

/// The last topic of the instructions: what runs, and how to run it.
#[must_use]
pub fn instructions(allowed: Option<&[String]>, has: &dyn Fn(&str) -> bool) -> String {
    let mode = match allowed {
        Some(names) => format!("allowlist ({})", names.join(", ")),
        None => "unrestricted (any executable)".to_owned(),
    };
    let mut text = format!(
        "\nCommands run without a shell and outside of the rules for files: they are not a \
         sandbox. Mode: {mode}."
    );
    if has("run_command") {
        text.push_str("\nUse run_command for what is quick");
        if has("start_job") {
            text.push_str(", and start_job with job_status for what takes over about 60 seconds");
        }
        text.push('.');
    }
    if has("start_job") {
        text.push_str(
            "\nLogs of jobs are in a folder for temporary files; jobs end with the server.",
        );
    }
    text
}

const COMMAND: Arg = Arg::new(
    "command",
    Kind::Texts { min_items: 1 },
    "Program and arguments, one item each; no shell reads them",
)
.required();

const CWD: Arg = Arg::text(
    "cwd",
    "Folder to run in, relative to the workspace root; default: the root",
);

/// How long a command may run, in milliseconds.
const fn time(name: &'static str, max: Duration, about: &'static str) -> Arg {
    let kind = Kind::Integer {
        min: Some(millis(COMMAND_TIME_MIN)),
        max: Some(millis(max)),
    };
    Arg::new(name, kind, about)
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the limits are a few hours at most"
)]
const fn millis(time: Duration) -> i64 {
    time.as_millis() as i64
}

const TIMEOUT: Arg = time(
    "timeoutMs",
    COMMAND_TIME_MAX,
    "When it is ended, with all it started",
);

const MAX_RUNTIME: Arg = time(
    "maxRuntimeMs",
    JOB_TIME_MAX,
    "When it is ended, with all it started",
);

fn request<'a>(
    args: &'a Args,
    time: &str,
    default: Duration,
) -> Result<CommandRequest<'a>, Failure> {
    let command = args.texts("command");
    if let Some(place) = command.iter().position(String::is_empty) {
        let fault = format!("command[{place}]: expected text of at least 1 character, got \"\"");
        return Err(Failure::Arguments(fault));
    }
    Ok(CommandRequest {
        command,
        cwd: args.text("cwd"),
        time_limit: args.count(time).map_or(default, Duration::from_millis),
    })
}

/// What the journal tells of a command.
fn record(command: &[String], result: String) -> Record {
    Record {
        detail: Some(detail::of(command)),
        result,
        ..Record::default()
    }
}

fn failed(command: &[String], error: Error) -> Failure {
    let record = record(command, format!("error: {error}"));
    Failure::journaled(error, record)
}

fn is_name_too_long(name: &str) -> bool {
    name.chars().count() > JOB_NAME_CHARS
}

/// The workspace a job was started in.
fn workspace_of<'a>(workspaces: &'a Workspaces, name: &str) -> Option<&'a Workspace> {
    workspaces
        .get(Some(name))
        .ok()
        .map(|workspace| &**workspace)
}
