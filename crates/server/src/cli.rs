//! The command line: one table of options, from which come the reading and `--help`.
//!
//! The texts of faults are part of the interface, since people and scripts know them; that is why
//! the reading is our own. What the values mean is for `config.rs`.

use std::fmt::Write as _;

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
    /// Show how to use the program.
    Help,
    /// Show the version.
    Version,
}

struct Opt {
    long: &'static str,
    short: Option<char>,
    value: Option<&'static str>,
    about: &'static str,
}

const fn opt(long: &'static str, value: &'static str, about: &'static str) -> Opt {
    Opt {
        long,
        short: None,
        value: Some(value),
        about,
    }
}

const fn flag(long: &'static str, short: Option<char>, about: &'static str) -> Opt {
    Opt {
        long,
        short,
        value: None,
        about,
    }
}

const OPTIONS: &[Opt] = &[
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
    flag(
        "http",
        None,
        "serve over HTTP at /mcp instead of on stdin and stdout",
    ),
    opt(
        "host",
        "<host>",
        "address to listen on (default 127.0.0.1); any other than loopback needs a token",
    ),
    opt(
        "port",
        "<n>",
        "port to listen on (default 3333; 0 picks a free one)",
    ),
    opt(
        "token",
        "<secret>",
        "what each request must carry as a bearer token; MCP_TOKEN in the environment does the same\n\
         and does not show in the list of processes",
    ),
    opt(
        "allowed-host",
        "<name>[:<port>]",
        "a name that requests may use for the server, beside loopback; repeatable",
    ),
    opt(
        "allowed-origin",
        "<origin>",
        "a web page that may send requests, beside those on loopback; repeatable",
    ),
    opt(
        "max-body-bytes",
        "<n>",
        "greatest request that is read over HTTP (default 67108864)",
    ),
    flag(
        "insecure",
        None,
        "serve other machines without a token: whoever reaches the port reaches the folders",
    ),
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
    opt(
        "log-level",
        "<level>",
        "off, error, warn, info (default) or debug",
    ),
    opt(
        "log-file",
        "<path>",
        "append the log to a file instead of stderr",
    ),
    flag("help", Some('h'), "show this help"),
    flag("version", Some('v'), "show the version"),
];

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

fn parse_rest(
    mut words: impl Iterator<Item = String>,
    first: First,
) -> Result<CommandLine, String> {
    let mut options = Vec::new();
    let mut free = Vec::new();
    let mut only_free = false;
    while let Some(word) = words.next() {
        if only_free || !has_dash(&word) {
            if let First::Plain(_) = first {
                return Err(format!(
                    "Unexpected argument '{}'. This command does not take positional arguments",
                    rooted::show(word.as_bytes())
                ));
            }
            free.push(word);
        } else if word == "--" {
            only_free = true;
        } else if let Some(long) = word.strip_prefix("--") {
            let (name, inline) = match long.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (long, None),
            };
            let known = OPTIONS.iter().find(|option| option.long == name);
            let option = known.ok_or_else(|| unknown(&format!("--{name}")))?;
            options.push((option.long, value(option, inline, &mut words)?));
        } else {
            for letter in word.chars().skip(1) {
                let known = OPTIONS.iter().find(|option| option.short == Some(letter));
                let option = known.ok_or_else(|| unknown(&format!("-{letter}")))?;
                options.push((option.long, String::new()));
            }
        }
    }
    let given = |name| options.iter().any(|(option, _)| *option == name);
    let command = if given("help") {
        Command::Help
    } else if given("version") {
        Command::Version
    } else {
        match first {
            First::Plain(command) => command,
            First::Call if free.is_empty() => {
                return Err("call needs the name of a tool".to_owned());
            }
            First::Call => Command::Call {
                tool: free.remove(0),
                words: free,
            },
        }
    };
    Ok(CommandLine { command, options })
}

/// Says whether the command line has an option of that name.
#[must_use]
pub fn is_option(name: &str) -> bool {
    OPTIONS.iter().any(|option| option.long == name)
}

fn has_dash(word: &str) -> bool {
    word.len() > 1 && word.starts_with('-')
}

fn unknown(option: &str) -> String {
    format!("Unknown option '{}'", rooted::show(option.as_bytes()))
}

fn value(
    option: &Opt,
    inline: Option<String>,
    words: &mut impl Iterator<Item = String>,
) -> Result<String, String> {
    let long = option.long;
    if option.value.is_none() {
        return match inline {
            None => Ok(String::new()),
            Some(_) => {
                let short = option.short.map_or(String::new(), |c| format!("-{c}, "));
                Err(format!(
                    "Option '{short}--{long}' does not take an argument"
                ))
            }
        };
    }
    if let Some(value) = inline {
        return Ok(value);
    }
    match words.next() {
        None => Err(format!("Option '--{long} <value>' argument missing")),
        Some(value) if has_dash(&value) => Err(format!(
            "Option '--{long}' argument is ambiguous. Did you forget it? \
             One that starts with a dash is written '--{long}=-XYZ'"
        )),
        Some(value) => Ok(value),
    }
}

/// The text of `--version`.
#[must_use]
pub fn version() -> String {
    format!("workspace-mcp {}\n", env!("CARGO_PKG_VERSION"))
}

/// The text of `--help`.
#[must_use]
pub fn help() -> String {
    const COLUMN: usize = 34;
    let mut text = version();
    text.push_str(
        "Safe, fast access to project folders for an AI agent, over MCP.\n\n\
         Usage: workspace-mcp [options]\n\
         \x20      workspace-mcp call <tool> [options] [key=value ... | JSON]   run one tool\n\
         \x20      workspace-mcp tools [options]                              list the tools\n\
         \x20      workspace-mcp check-config [options]                       show what would be served\n\n\
         Options:\n",
    );
    for option in OPTIONS {
        let mut left = match option.short {
            Some(short) => format!("  -{short}, --{}", option.long),
            None => format!("  --{}", option.long),
        };
        if let Some(value) = option.value {
            left.push(' ');
            left.push_str(value);
        }
        for (index, line) in option.about.lines().enumerate() {
            let left = if index == 0 { left.as_str() } else { "" };
            // A String takes every write.
            let _ = writeln!(text, "{left:COLUMN$}{line}");
        }
    }
    text.push_str(
        "\nEnvironment: WORKSPACE_MCP_SHELL=1 does what --shell does, WORKSPACE_MCP_SHELL_MODE with\n\
         allowlist or any what --shell or --shell-any does, and WORKSPACE_MCP_SHELL_ALLOW adds to\n\
         --shell-allow. WORKSPACE_MCP_SHELL_DENY names programs that may not run.\n",
    );
    text.push_str("\nRoots are resolved to their real path when the server starts.\n");
    text
}

#[cfg(test)]
mod tests;
