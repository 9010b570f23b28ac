//! What can go wrong with a command, beside its own end.

use std::fmt;

/// What to do about some of what systems say when they do not start a program.
const STEPS: [(&str, &str); 4] = [
    (
        "Argument list too long",
        "put the text in a file and pass its path",
    ),
    (
        "Exec format error",
        "a script begins with a line that names its interpreter, such as #!/bin/sh",
    ),
    (
        "Resource temporarily unavailable",
        "this user may start no more processes for now",
    ),
    (
        "Too many open files",
        "start the server with a higher limit on open files (ulimit -n)",
    ),
];

/// Why a command was not run, or a job not found.
#[derive(Debug, PartialEq, Eq)]
pub enum Fault {
    /// The program is not on the list of those that may run.
    NotAllowed {
        /// Its name.
        name: String,
        /// Those that may.
        allowed: Vec<String>,
    },
    /// The program is on the list of those that may not run.
    Denied(String),
    /// The command has no program.
    NoProgram,
    /// There is no such program.
    NotFound {
        /// The name as given.
        name: String,
        /// Where it was looked for.
        searched: Option<String>,
    },
    /// There is such a file, but not what runs it; holds the name as given.
    NoInterpreter(String),
    /// The system refused; holds what it said.
    NotStarted(String),
    /// The folder to run in does not exist; holds the argument as given.
    FolderNotFound(String),
    /// What should be the folder to run in is none; holds the argument as given.
    NotAFolder(String),
    /// So many jobs run that there is no room for another.
    TooManyJobs(usize),
    /// There is no job of that name; holds the argument as given.
    UnknownJob(String),
    /// Logs cannot be kept; holds the reason.
    NoJobFolder(String),
    /// The log of a job cannot be read; holds the reason.
    NoLog(String),
}

impl Fault {
    /// The next step for the caller.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::NotAllowed { name, .. } | Self::NotFound { name, .. }
                if name.contains(char::is_whitespace) && !name.contains(['/', '\\']) =>
            {
                Some("pass each word of the command as an item of its own".to_owned())
            }
            Self::NotFound {
                searched: Some(searched),
                ..
            } => Some(format!("searched PATH: {searched}")),
            Self::NoInterpreter(_) => Some(
                "the file is there, but not the interpreter that its first line names (a line end \
                 of CR LF counts as part of the name), or the loader that it needs"
                    .to_owned(),
            ),
            Self::NotStarted(reason) => {
                let known = STEPS.iter().find(|(said, _)| reason.starts_with(said));
                known.map(|(_, step)| (*step).to_owned())
            }
            Self::NoJobFolder(_) => {
                Some("WORKSPACE_MCP_JOB_DIR of the server names another folder for them".to_owned())
            }
            Self::TooManyJobs(_) => Some("end one with job_kill".to_owned()),
            _ => None,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |text: &str| rooted::show(text.as_bytes());
        match self {
            Self::NotAllowed { name, allowed } => write!(
                f,
                "command not allowed: {}. Allowed executables: {}. Extend the allowlist with \
                 --shell-allow <list> (or WORKSPACE_MCP_SHELL_ALLOW), or allow everything with \
                 --shell-any.",
                shown(name),
                allowed.join(", ")
            ),
            Self::Denied(name) => {
                write!(f, "command denied by configuration: {}", shown(name))
            }
            Self::NoProgram => f.write_str("command[0] must name a program"),
            Self::NotFound { name, .. } | Self::NoInterpreter(name) => {
                write!(f, "executable not found: {}", shown(name))
            }
            Self::NotStarted(reason) => write!(f, "failed to start: {}", shown(reason)),
            Self::FolderNotFound(input) => {
                write!(f, "working directory not found: {}", shown(input))
            }
            Self::NotAFolder(input) => write!(f, "not a directory: {}", shown(input)),
            Self::TooManyJobs(n) => write!(f, "too many jobs are running ({n})"),
            Self::UnknownJob(id) => write!(f, "unknown job id: {}", shown(id)),
            Self::NoJobFolder(reason) => write!(f, "cannot keep job logs: {}", shown(reason)),
            Self::NoLog(reason) => write!(f, "cannot read the job log: {}", shown(reason)),
        }
    }
}
