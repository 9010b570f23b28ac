//! The help of the commands that serve or look at project folders, and of the small ones.

use super::{OPTIONS, version};
use crate::catalog::{ALL, COMMANDS};
use crate::help::{Page, brief};
use crate::options;
use crate::shells;

/// Options that are named on the first page.
const COMMON: &[&str] = &[
    "root",
    "workspace",
    "config",
    "read-only",
    "shell",
    "http",
    "port",
    "help",
    "version",
];

/// The help of a command of this name; the empty one serves project folders.
#[must_use]
pub fn help(command: &str) -> String {
    match command {
        "" => first(),
        "call" => of_tool_words(
            "Runs one tool of a project, and prints what it says.",
            "call <tool> [options] [<key>=<value> ... | <JSON>]",
            &[
                ("call grep pattern=TODO path=src", ""),
                ("call read_file --root ~/code path=a.txt limit=10", ""),
                (
                    "call write_file '{\"path\": \"a.txt\", \"content\": \"hello\"}'",
                    "",
                ),
            ],
        ),
        "tools" => of_tool_words(
            "Lists the tools of a project, and what each costs a client's context.",
            "tools [options]",
            &[
                ("tools", "what a client is offered"),
                ("tools --read-only", "what changes nothing"),
                ("tools --shell", "with those that run programs"),
            ],
        ),
        "check-config" => of_tool_words(
            "Shows what a start would serve and where each value is from; changes nothing.",
            "check-config [options]",
            &[
                ("check-config", "with the file that is found"),
                ("check-config --config x.toml", "with another"),
            ],
        ),
        "options" => small(
            "Explains every option of the server, or of a command.",
            &format!("options [{}]", COMMANDS.join("|")),
            &[("options", ""), ("options paged", "")],
        ),
        "man" => small(
            "Prints the manual page.",
            "man",
            &[("man > workspace-mcp.1", "then `man ./workspace-mcp.1`")],
        ),
        _ => small(
            "Prints what makes a shell complete the words of this program.",
            &format!("completions {}", shells::NAMES.join("|")),
            &[
                ("completions bash >> ~/.bash_completion", ""),
                (
                    "completions fish > ~/.config/fish/completions/workspace-mcp.fish",
                    "",
                ),
            ],
        ),
    }
}

fn first() -> String {
    let commands = ALL.iter().filter(|entry| !entry.name.is_empty());
    let commands = commands.map(|entry| format!("  {:14}{}\n", entry.name, entry.about));
    let all = || OPTIONS.iter().copied().flatten();
    let common = COMMON
        .iter()
        .filter_map(|name| all().find(|option| option.long == *name));
    let about = format!(
        "{}: safe, fast access to project folders for an AI agent",
        version().trim_end()
    );
    let page = Page {
        about: &about,
        usage: &["[options], or workspace-mcp <command> [options]"],
        lists: &[
            (
                "Commands, each with a --help of its own",
                commands.collect(),
            ),
            (
                "Options, which `workspace-mcp options` explains with all others",
                options::names(&common.collect::<Vec<_>>()),
            ),
        ],
        notes: "",
        examples: &[("--root ~/code --read-only", "serve a folder")],
    };
    page.text()
}

/// The page of a command that takes the options of the server.
fn of_tool_words(about: &str, usage: &str, examples: &[(&str, &str)]) -> String {
    let common = ["root", "workspace", "config", "read-only", "shell", "help"];
    let page = Page {
        about,
        usage: &[usage],
        lists: &[("Options", brief(OPTIONS, &common))],
        notes: "`workspace-mcp options` explains these and all others.",
        examples,
    };
    page.text()
}

fn small(about: &str, usage: &str, examples: &[(&str, &str)]) -> String {
    let page = Page {
        about,
        usage: &[usage],
        lists: &[],
        notes: "",
        examples,
    };
    page.text()
}

/// Every option of the server in full, or those of a command.
///
/// # Errors
/// One line for a command that is not there or takes no options.
pub fn explained(words: &[String]) -> Result<String, String> {
    match words {
        [] => Ok(format!(
            "{}\nEnvironment: WORKSPACE_MCP_SHELL=1 does what --shell does,\n\
             WORKSPACE_MCP_SHELL_MODE with allowlist or any what --shell or --shell-any does,\n\
             and WORKSPACE_MCP_SHELL_ALLOW adds to --shell-allow. WORKSPACE_MCP_SHELL_DENY\n\
             names programs that may not run.\n\n\
             Roots are resolved to their real path when the server starts.\n",
            options::list(OPTIONS)
        )),
        [word] if COMMANDS.contains(&word.as_str()) => {
            let command = ALL.iter().find(|entry| entry.name == word);
            Ok(command.map_or_else(String::new, |entry| options::list(entry.tables)))
        }
        _ => Err(format!(
            "options takes one of {}, or nothing",
            COMMANDS.join(", ")
        )),
    }
}
