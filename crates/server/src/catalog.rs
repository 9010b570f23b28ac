//! All commands of the program, with their options: what completions and the manual page are made of.

use crate::log::Level;
use crate::options::Opt;
use crate::tools::{notes as notes_tools, project};
use crate::{cli, doctor, managed, notes, paged, setup, shells, tunnel};

/// One command.
#[derive(Debug)]
pub struct Entry {
    /// The first word; empty for serving the toolset `project`.
    pub name: &'static str,
    /// What it does, in a few words.
    pub about: &'static str,
    /// What may follow beside options.
    pub follows: Follows,
    /// Its options.
    pub tables: &'static [&'static [Opt]],
}

/// What may follow the name of a command beside options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Follows {
    /// Nothing.
    Nothing,
    /// The path of a file.
    File,
    /// One of these words.
    Words(&'static [&'static str]),
    /// The name of a tool of the toolset `project`, and more.
    Tool,
    /// Anything.
    Anything,
}

/// The commands, in the order of the help.
pub const ALL: &[Entry] = &[
    Entry {
        name: "",
        about: "serve project folders",
        follows: Follows::Nothing,
        tables: cli::OPTIONS,
    },
    Entry {
        name: "notes",
        about: "serve a person's Markdown notes and tasks",
        follows: Follows::Nothing,
        tables: notes::OPTIONS,
    },
    Entry {
        name: "managed",
        about: "serve one folder in which every change can be taken back",
        follows: Follows::File,
        tables: managed::OPTIONS,
    },
    Entry {
        name: "paged",
        about: "serve one folder in pages that can be cited and gone on with",
        follows: Follows::Nothing,
        tables: paged::OPTIONS,
    },
    Entry {
        name: "setup",
        about: "connect a client",
        follows: Follows::Words(setup::client::NAMES),
        tables: setup::OPTIONS,
    },
    Entry {
        name: "doctor",
        about: "say what would keep a server from working, and what to do",
        follows: Follows::Nothing,
        tables: doctor::OPTIONS,
    },
    Entry {
        name: "call",
        about: "run one tool",
        follows: Follows::Tool,
        tables: cli::OPTIONS,
    },
    Entry {
        name: "tools",
        about: "list the tools",
        follows: Follows::Nothing,
        tables: cli::OPTIONS,
    },
    Entry {
        name: "check-config",
        about: "show what would be served",
        follows: Follows::Nothing,
        tables: cli::OPTIONS,
    },
    Entry {
        name: "tunnel",
        about: "serve hosted products through OpenAI's Secure MCP Tunnel",
        follows: Follows::Anything,
        tables: tunnel::OPTIONS,
    },
    Entry {
        name: "options",
        about: "explain every option of the server, or of a command",
        follows: Follows::Words(COMMANDS),
        tables: &[],
    },
    Entry {
        name: "completions",
        about: "print what makes a shell complete the words of this program",
        follows: Follows::Words(shells::NAMES),
        tables: &[],
    },
    Entry {
        name: "man",
        about: "print the manual page",
        follows: Follows::Nothing,
        tables: &[],
    },
];

/// Commands that have options.
pub(crate) const COMMANDS: &[&str] = &["notes", "managed", "paged", "setup", "doctor", "tunnel"];

impl Entry {
    /// Its options, one by one.
    pub fn options(&self) -> impl Iterator<Item = &'static Opt> {
        self.tables.iter().copied().flatten()
    }

    /// The words that may follow its name.
    #[must_use]
    pub fn words(&self) -> Vec<&'static str> {
        match self.follows {
            Follows::Words(words) => words.to_vec(),
            Follows::Tool => tools(),
            Follows::Nothing | Follows::File | Follows::Anything => Vec::new(),
        }
    }
}

/// The names of all tools of the toolset `project`.
fn tools() -> Vec<&'static str> {
    let all = project::TOOLS.iter().chain(project::shell::TOOLS);
    all.map(|tool| tool.name).collect()
}

/// The names of the tools of `notes` that write.
fn note_writers() -> Vec<&'static str> {
    let all = notes_tools::TOOLS.iter().map(|spec| &spec.tool);
    all.filter(|tool| !tool.hints.read_only)
        .map(|tool| tool.name)
        .collect()
}

/// What an option takes for its value.
#[derive(Debug, PartialEq, Eq)]
pub enum Takes {
    /// None.
    Nothing,
    /// One of these words.
    Words(Vec<&'static str>),
    /// The path of a folder.
    Folder,
    /// The path of a file.
    File,
    /// Something that cannot be listed.
    Text,
}

impl Takes {
    /// Reads it from what stands for the value in the help, and of a few options from their names.
    #[must_use]
    pub fn of(option: &Opt) -> Self {
        let Some(value) = option.value else {
            return Self::Nothing;
        };
        let inner = value.trim_start_matches('<').trim_end_matches('>');
        match inner {
            "dir" => Self::Folder,
            "path" | "file" => Self::File,
            words if words.contains('|') => Self::Words(words.split('|').collect()),
            _ if matches!(option.long, "allow-tool" | "deny-tool") => Self::Words(tools()),
            _ if option.long == "allow-write" => Self::Words(note_writers()),
            _ if option.long == "log-level" => Self::Words(Level::NAMES.to_vec()),
            _ => Self::Text,
        }
    }
}
