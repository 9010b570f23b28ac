//! The help of the commands that serve or look at project folders, and of the small ones.

use super::{LOG, OFFERED, OPTIONS, SERVED, version};
use crate::catalog::ALL;
use crate::help::{Page, brief};
use crate::options::{self, GENERAL, Opt, TRANSPORT};
use crate::shells;

/// Options that are told on the first page; the others are named.
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
            "Shows what a start would serve, and where each value comes from. Nothing is changed.",
            "check-config [options]",
            &[
                ("check-config", "with the file that would be found"),
                (
                    "check-config --config x.toml --shell",
                    "with another, and an option",
                ),
            ],
        ),
        "options" => small(
            "Explains every option of the server.",
            "options",
            &[("options", "")],
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
                (
                    "completions bash > ~/.local/share/bash-completion/completions/workspace-mcp",
                    "",
                ),
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
    let is_common = |option: &&Opt| COMMON.contains(&option.long);
    let all = || OPTIONS.iter().copied().flatten();
    let more: Vec<&Opt> = all().filter(|option| !is_common(option)).collect();
    let about = format!(
        "{}Safe, fast access to project folders for an AI agent, over MCP.",
        version()
    );
    let page = Page {
        about: &about,
        usage: &["[options]", "<command> [options]      with --help for more"],
        lists: &[
            ("Commands", commands.collect()),
            ("Options", brief(OPTIONS, COMMON)),
        ],
        more: &more,
        notes: "",
        examples: &[
            ("--root ~/code", "a folder, on stdin and stdout"),
            (
                "--workspace a=~/api --workspace b=~/docs:ro",
                "two folders, one of them closed",
            ),
            ("--http --port 3333", "the current folder, over HTTP"),
            ("call grep pattern=TODO", "use one tool by hand"),
        ],
    };
    page.text()
}

/// The page of a command that takes the options of the server.
fn of_tool_words(about: &str, usage: &str, examples: &[(&str, &str)]) -> String {
    let all = [SERVED, TRANSPORT, OFFERED, LOG];
    let more: Vec<&Opt> = all.into_iter().flatten().collect();
    let page = Page {
        about,
        usage: &[usage],
        lists: &[("Options", options::list(&[GENERAL]))],
        more: &more,
        notes: "",
        examples,
    };
    page.text()
}

fn small(about: &str, usage: &str, examples: &[(&str, &str)]) -> String {
    let page = Page {
        about,
        usage: &[usage],
        lists: &[],
        more: &[],
        notes: "",
        examples,
    };
    page.text()
}

/// Every option of the server in full.
#[must_use]
pub fn explained() -> String {
    format!(
        "{}\nEnvironment: WORKSPACE_MCP_SHELL=1 does what --shell does, WORKSPACE_MCP_SHELL_MODE with\n\
         allowlist or any what --shell or --shell-any does, and WORKSPACE_MCP_SHELL_ALLOW adds to\n\
         --shell-allow. WORKSPACE_MCP_SHELL_DENY names programs that may not run.\n\n\
         Roots are resolved to their real path when the server starts.\n",
        options::list(OPTIONS)
    )
}
