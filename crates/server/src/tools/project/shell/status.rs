//! How an end is told.

use std::time::Duration;

use workspace::commands::jobs::{Job, Outcome, Status};
use workspace::commands::output::Text;
use workspace::process::supervise::{Ended, Exit, Process, Stopped, code_text, signal_name};

/// An output as a body: never empty, and with what was cut and what was no text.
pub(super) fn body(text: Text) -> String {
    let mut body = text.head;
    if let Some((n_bytes, tail)) = text.cut {
        body.push_str(&format!("\n... ({n_bytes} bytes truncated) ...\n{tail}"));
    }
    if body.trim().is_empty() {
        "(no output)".clone_into(&mut body);
    }
    push_invalid(&mut body, text.n_invalid);
    body
}

pub(super) fn push_invalid(body: &mut String, n_invalid: u64) {
    match n_invalid {
        0 => {}
        1 => body.push_str("\n... (1 invalid UTF-8 byte shown as U+FFFD)"),
        n => body.push_str(&format!("\n... ({n} invalid UTF-8 bytes shown as U+FFFD)")),
    }
}

/// The status line of a command.
pub(super) fn of_command(ended: &Ended, time_limit: Duration) -> String {
    let duration = ended.took.as_millis();
    let how = match (ended.stopped, ended.exit) {
        (Some(Stopped::TimedOut), _) => format!("timed out after {}ms", time_limit.as_millis()),
        (_, Some(Exit::Code(code))) => format!("exit code: {}", code_text(code)),
        (_, Some(Exit::Signal(signal))) => format!("terminated by signal {}", signal_name(signal)),
        (_, None) => "ended in an unknown way".to_owned(),
    };
    format!("{how}  duration: {duration}ms")
}

/// The same for the journal.
pub(super) fn for_journal(ended: &Ended) -> String {
    let duration = ended.took.as_millis();
    let how = match (ended.stopped, ended.exit) {
        (Some(Stopped::TimedOut), _) => "timed out".to_owned(),
        (_, Some(Exit::Code(code))) => format!("exit {}", code_text(code)),
        (_, Some(Exit::Signal(signal))) => format!("signal {}", signal_name(signal)),
        (_, None) => "ended in an unknown way".to_owned(),
    };
    format!("{how} ({duration}ms)")
}

/// The line that names what runs on, if anything does.
pub(super) fn still_running(running: &[Process]) -> Option<String> {
    /// Names that one line has room for.
    const SHOWN: usize = 10;
    let n = running.len();
    if n == 0 {
        return None;
    }
    let names = running.iter().take(SHOWN);
    let names: Vec<String> = names
        .map(|process| {
            let named = format!("{} {}", process.pid, rooted::show(&process.name));
            named.trim_end().to_owned()
        })
        .collect();
    let more = if n > SHOWN { ", …" } else { "" };
    let processes = if n == 1 { "process" } else { "processes" };
    let names = names.join(", ");
    Some(format!("({n} {processes} still running: {names}{more})"))
}

/// The status of a job in parts.
pub(super) fn of_job(job: &Job, status: &Status) -> String {
    let duration = status.duration.as_millis();
    match &status.outcome {
        None => format!("running  duration: {duration}ms"),
        Some(Outcome::Exited(code)) => {
            let code = code_text(*code);
            format!("exited  exit code: {code}  duration: {duration}ms")
        }
        Some(Outcome::Killed(signal)) => {
            let signal = signal_name(*signal);
            format!("killed  signal: {signal}  duration: {duration}ms")
        }
        Some(Outcome::TimedOut) => {
            let limit = job.max_runtime.as_millis();
            format!("timed-out  maxRuntimeMs: {limit}  duration: {duration}ms")
        }
        Some(Outcome::Failed(reason)) => {
            format!("failed-to-start  error: {reason}  duration: {duration}ms")
        }
    }
}

/// The same in a list of jobs.
pub(super) fn in_list(status: &Status) -> String {
    let duration = status.duration.as_millis();
    match &status.outcome {
        None => format!("running, duration {duration}ms"),
        Some(Outcome::Exited(code)) => {
            format!("exit code {}, duration {duration}ms", code_text(*code))
        }
        Some(outcome) => format!("{}, duration {duration}ms", word(outcome)),
    }
}

/// The one word for an end.
pub(super) fn word(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Exited(_) => "exited",
        Outcome::Killed(_) => "killed",
        Outcome::TimedOut => "timed-out",
        Outcome::Failed(_) => "failed-to-start",
    }
}
