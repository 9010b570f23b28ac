//! The command line of the toolset `project`. What the values mean is for `config.rs`.

mod help;

pub use self::help::{explained, help};
use crate::options::{self, Free, GENERAL, LOG, Opt, TRANSPORT, flag, opt};

/// The command line as written: options in the order they came, checked for form only.
#[derive(Debug, PartialEq, Eq)]
pub struct CommandLine {
    /// What to do.
    pub command: Command,
    /// The options with their values; flags have an empty one.
    pub options: Vec<(&'static str, String)>,
}

/// What the program is asked to do.
#[derive(Debug, PartialEq, Eq)]
pub enum Command {
    /// Serve clients.
    Serve,
    /// Run one tool, for people: its name and the words that follow.
    Call {
        /// The tool.
        tool: String,
        /// `key=value` words, or one JSON object.
        words: Vec<String>,
    },
    /// List the tools, for people.
    Tools,
    /// Show what would be served, and where each value comes from.
    CheckConfig,
    /// Show how to use the command of this name; the empty one serves.
    Help(&'static str),
    /// Show the version.
    Version,
}

/// What is served.
pub(crate) const SERVED: &[Opt] = &[
    opt(
        "config",
        "<path>",
        "configuration file, JSON or TOML (default: workspace-mcp.config.json or .toml in the\n\
     current folder, else workspace-mcp/config.json or .toml in the user's configuration\n\
     folder); options and environment win over it",
    ),
    opt(
        "root",
        "<dir>",
        "folder to serve, as the workspace \"default\" (default: the current folder)",
    ),
    opt(
        "workspace",
        "<name>=<path>[:ro]",
        "another folder under a name (^[a-z0-9][a-z0-9_-]*$); :ro closes it to writing; repeatable.\n\
     The primary workspace is the one named \"default\", else the first",
    ),
];

/// What is offered, and how it works.
pub(crate) const OFFERED: &[Opt] = &[
    opt(
        "durability",
        "<kill|power>",
        "what a finished change survives: the end of the process (kill, the default) or of the power",
    ),
    flag("read-only", None, "offer only tools that change nothing"),
    opt(
        "allow-tool",
        "<name>",
        "offer only the tools named so; repeatable",
    ),
    opt(
        "deny-tool",
        "<name>",
        "do not offer this tool, whatever else is said; repeatable",
    ),
    opt(
        "deny-path",
        "<glob>",
        "hide matching paths from every tool; repeatable",
    ),
    opt(
        "read-only-path",
        "<glob>",
        "close matching paths to writing; repeatable",
    ),
    opt(
        "max-answer-bytes",
        "<n>",
        "cut answers to this size, at a line (default 1048576)",
    ),
    opt(
        "journal-max-bytes",
        "<n>",
        "size at which a journal or notes file is moved on (default 5242880)",
    ),
    opt(
        "journal-files",
        "<n>",
        "full journal files that are kept (default 20, 0 = all)",
    ),
    opt(
        "state-dir",
        "<dir>",
        "keep state there instead of in <root>/.workspace-mcp",
    ),
    flag(
        "shell",
        None,
        "offer run_command, start_job, job_status and job_kill, for the programs pnpm, npm, npx\n\
     and node and those of --shell-allow",
    ),
    flag(
        "shell-any",
        None,
        "offer the same for any program: whoever calls can then do what you can",
    ),
    opt(
        "shell-allow",
        "<list>",
        "programs that may run too, by base name, separated by commas; repeatable",
    ),
    opt(
        "shell-env",
        "<name>",
        "pass this variable on to commands although its name looks secret; repeatable",
    ),
    opt(
        "shell-path",
        "<folders>",
        "look for programs there instead of in PATH",
    ),
];

/// The options, in the order of the help.
pub const OPTIONS: &[&[Opt]] = &[SERVED, TRANSPORT, OFFERED, LOG, GENERAL];

/// Reads the command line, without the program's own name.
///
/// # Errors
/// One line that says what is wrong.
pub fn parse(words: impl IntoIterator<Item = String>) -> Result<CommandLine, String> {
    let mut words = words.into_iter().peekable();
    let first = match words.peek().map(String::as_str) {
        Some("call") => First::Call,
        Some("tools") => First::Plain(Command::Tools),
        Some("check-config") => First::Plain(Command::CheckConfig),
        _ => return parse_rest(words, First::Plain(Command::Serve)),
    };
    words.next();
    parse_rest(words, first)
}

/// What the first word asks for.
enum First {
    /// A tool is to be run; words without a dash may follow.
    Call,
    /// Anything else.
    Plain(Command),
}

fn parse_rest(words: impl Iterator<Item = String>, first: First) -> Result<CommandLine, String> {
    let free = match first {
        First::Call => Free::Taken,
        First::Plain(_) => Free::Refused,
    };
    let name = match first {
        First::Call => "call",
        First::Plain(Command::Tools) => "tools",
        First::Plain(Command::CheckConfig) => "check-config",
        First::Plain(_) => "",
    };
    let mut words = options::read(OPTIONS, free, words)?;
    let command = if words.has("help") {
        Command::Help(name)
    } else if words.has("version") {
        Command::Version
    } else {
        match first {
            First::Plain(command) => command,
            First::Call if words.free.is_empty() => {
                return Err("call needs the name of a tool".to_owned());
            }
            First::Call => Command::Call {
                tool: words.free.remove(0),
                words: words.free,
            },
        }
    };
    Ok(CommandLine {
        command,
        options: words.options,
    })
}

/// Says whether the command line has an option of that name.
#[must_use]
pub fn is_option(name: &str) -> bool {
    OPTIONS
        .iter()
        .copied()
        .flatten()
        .any(|option| option.long == name)
}

/// The text of `--version`.
#[must_use]
pub fn version() -> String {
    format!("workspace-mcp {}\n", env!("CARGO_PKG_VERSION"))
}

#[cfg(test)]
mod tests;
