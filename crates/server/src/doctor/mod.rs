//! `workspace-mcp doctor`: looks at everything a start depends on, and says what to do about it.
//!
//! It takes the options of a start and looks at what that would come to: configuration, roots,
//! programs, the system, the port, and the clients that are set up. It writes nothing. Programs are
//! started by the two that need it: git is asked for its version, and what a client's entry starts
//! is started and asked for its tools.

mod clients;
mod finding;
mod network;
mod platform;
mod programs;
mod roots;
mod settings;

use std::path::Path;
use std::time::Duration;

use workspace::process::Environment;

use self::finding::Findings;
use crate::cli::{self, OFFERED, SERVED};
use crate::commands::Start;
use crate::config::{Config, StartFault};
use crate::help::{self, Page};
use crate::options::{self, Free, GENERAL, HELP, LOG, Opt, TRANSPORT, Words, flag, opt};

const OWN: &[Opt] = &[
    flag("json", None, "print one JSON object instead of lines"),
    opt(
        "wait",
        "<seconds>",
        "how long a client's server may take to list its tools (default 10)",
    ),
];
/// Seconds that a client's server may take when nobody says otherwise.
const WAIT: u64 = 10;

/// The options, in the order of the help.
pub const OPTIONS: &[&[Opt]] = &[OWN, SERVED, TRANSPORT, OFFERED, LOG, GENERAL];

/// What `doctor` has to say.
#[derive(Debug)]
pub struct Report {
    /// What to print.
    pub text: String,
    /// Whether something does not work.
    pub has_fault: bool,
}

/// What is looked at.
struct Case<'a> {
    config: &'a Config,
    cwd: &'a Path,
    read: fn(&str) -> Option<String>,
    environment: &'a Environment,
    /// How long a client's server may take to list its tools.
    wait: Duration,
}

/// Does what the words behind `doctor` say. Relative paths start at `cwd`; `read` reads a variable;
/// `program` is this very program.
///
/// # Errors
/// [`StartFault::Usage`] with one line for the first word that is wrong.
pub fn run(
    words: impl IntoIterator<Item = String>,
    cwd: &Path,
    read: fn(&str) -> Option<String>,
    program: &Path,
) -> Result<Report, StartFault> {
    let words = options::read(OPTIONS, Free::Refused, words).map_err(StartFault::Usage)?;
    let plain = |text| {
        Ok(Report {
            text,
            has_fault: false,
        })
    };
    if words.has("help") {
        return plain(help::shown(&help(), read));
    }
    if words.has("version") {
        return plain(cli::version());
    }
    let as_json = words.has("json");
    let wait = wait(&words)?;
    let mut options = words.options;
    options.retain(|(name, _)| OWN.iter().all(|own| own.long != *name));
    let alone = Config::from_options(&options, cwd)?;
    let start = Start {
        options: &options,
        roots: &alone.named_roots(),
        cwd,
        environment: read,
    };
    let mut findings = Findings::default();
    let version = cli::version();
    findings.ok(
        "program",
        format!("{}, {}", version.trim_end(), shown(program)),
    );
    // Where the file is broken, what the command line says is looked at all the same.
    let config = settings::look(&mut findings, &start).unwrap_or(alone);
    let environment = Environment::inherited();
    let case = Case {
        config: &config,
        cwd,
        read,
        environment: &environment,
        wait,
    };
    roots::look(&mut findings, &case);
    programs::look(&mut findings, &case);
    network::look(&mut findings, &config.transport);
    clients::look(&mut findings, &case);
    Ok(Report {
        text: if as_json {
            findings.json()
        } else {
            findings.text()
        },
        has_fault: findings.has_fault(),
    })
}

fn wait(words: &Words) -> Result<Duration, StartFault> {
    let mut said = words.options.iter().rev();
    let Some((_, text)) = said.find(|(name, _)| *name == "wait") else {
        return Ok(Duration::from_secs(WAIT));
    };
    match text.parse() {
        Ok(seconds @ 1..=3600) => Ok(Duration::from_secs(seconds)),
        _ => Err(StartFault::Usage(format!(
            "invalid --wait: {} (expected seconds from 1 to 3600)",
            rooted::show(text.as_bytes())
        ))),
    }
}

fn help() -> String {
    let page = Page {
        about: "Looks at all that a start depends on, and says what to do about what is wrong.",
        usage: &["doctor [--json] [options of the server]"],
        lists: &[("Options", options::list(&[OWN, HELP]))],
        notes: "Each line is ok, warn or fault; the exit code is 1 when there is a fault.\n\
                Nothing is written. Entries of clients for this user are started and asked for\n\
                their tools; those in files of the project are not, since it chose them.\n\
                `workspace-mcp options` explains the options of the server.",
        examples: &[
            ("doctor", "this folder, and all clients"),
            ("doctor --root ~/code --shell", "a start with these options"),
            ("doctor --http --port 3333", "is the port free?"),
            ("doctor --json | jq .faults", ""),
        ],
    };
    page.text()
}

fn shown(path: &Path) -> String {
    rooted::show(path.as_os_str().as_encoded_bytes())
}

#[cfg(test)]
mod tests;
