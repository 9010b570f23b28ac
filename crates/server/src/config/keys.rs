//! The keys of the configuration file: one table, from which come the check of a file, the schema
//! for editors, the table in the docs, and the report of `check-config`.

use super::transport::BODY_BYTES_MIN;
use super::values::{ANSWER_BYTES_MAX, ANSWER_BYTES_MIN};

/// The greatest integer that JSON written by JavaScript holds exactly.
pub(super) const SAFE_INTEGER: u64 = (1 << 53) - 1;

/// One key of the configuration file.
#[derive(Debug)]
pub struct Key {
    /// Its name, with the section it is in before a dot.
    pub name: &'static str,
    /// What its value may be.
    pub kind: Kind,
    /// What its value does.
    pub effect: Effect,
    /// What counts when nobody says anything, for people; empty when there is no such thing.
    pub default: &'static str,
    /// What it is for.
    pub about: &'static str,
}

/// What the value of a key may be.
#[derive(Debug)]
pub enum Kind {
    /// Anything.
    Anything,
    /// Paths under names.
    Workspaces,
    /// One of a few words.
    Choice(&'static [&'static str]),
    /// A whole number.
    Integer {
        /// The least.
        min: u64,
        /// The greatest.
        max: u64,
    },
    /// True or false.
    Flag,
    /// A text that is not blank.
    Text,
    /// A list of such texts, which are called so.
    Texts(&'static str),
}

/// What the value of a key does.
#[derive(Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing.
    Nothing,
    /// What this option does.
    Sets(&'static str),
}

/// The sections that keys are grouped in.
pub const SECTIONS: &[&str] = &["tools", "paths", "limits", "state", "shell", "transport"];

/// Every key, in the order people read them.
pub const KEYS: &[Key] = &[
    key(
        "$schema",
        Kind::Anything,
        Effect::Nothing,
        "",
        "where an editor finds the schema; the server ignores it",
    ),
    key(
        "workspaces",
        Kind::Workspaces,
        Effect::Sets("workspace"),
        "",
        "folders to serve, by name; a path starts at the file's own folder, and `:ro` at its end closes it to writing",
    ),
    key(
        "durability",
        Kind::Choice(&["kill", "power"]),
        Effect::Sets("durability"),
        "kill",
        "what a finished change survives",
    ),
    key(
        "readOnly",
        Kind::Flag,
        Effect::Sets("read-only"),
        "false",
        "offer only tools that change nothing",
    ),
    key(
        "tools.allow",
        Kind::Texts("tool names"),
        Effect::Sets("allow-tool"),
        "(all)",
        "offer only these tools",
    ),
    key(
        "tools.deny",
        Kind::Texts("tool names"),
        Effect::Sets("deny-tool"),
        "(none)",
        "do not offer these tools, whatever else is said",
    ),
    key(
        "paths.deny",
        Kind::Texts("globs"),
        Effect::Sets("deny-path"),
        "(none)",
        "hide matching paths from every tool",
    ),
    key(
        "paths.readOnly",
        Kind::Texts("globs"),
        Effect::Sets("read-only-path"),
        "(none)",
        "close matching paths to writing",
    ),
    key(
        "limits.answerBytes",
        Kind::Integer {
            min: ANSWER_BYTES_MIN as u64,
            max: ANSWER_BYTES_MAX as u64,
        },
        Effect::Sets("max-answer-bytes"),
        "1048576",
        "cut answers to this size, at a line",
    ),
    key(
        "state.journalMaxBytes",
        Kind::Integer {
            min: 1,
            max: SAFE_INTEGER,
        },
        Effect::Sets("journal-max-bytes"),
        "5242880",
        "size at which a journal or notes file is moved on",
    ),
    key(
        "state.journalFiles",
        Kind::Integer {
            min: 0,
            max: SAFE_INTEGER,
        },
        Effect::Sets("journal-files"),
        "20",
        "full journal files that are kept; 0 keeps all",
    ),
    key(
        "state.dir",
        Kind::Text,
        Effect::Sets("state-dir"),
        "(in each root)",
        "keep state there instead of in each root; a relative path starts at the file's own folder",
    ),
    key(
        "shell.mode",
        Kind::Choice(&["allowlist", "any"]),
        Effect::Sets("shell-mode"),
        "(off)",
        "turn on the tools that run commands, for listed programs or for any",
    ),
    key(
        "shell.allow",
        Kind::Texts("executable names"),
        Effect::Sets("shell-allow"),
        "(none)",
        "programs that may run, beside the usual ones",
    ),
    key(
        "shell.deny",
        Kind::Texts("executable names"),
        Effect::Sets("shell-deny"),
        "(none)",
        "programs that may not run, whatever else is said",
    ),
    key(
        "shell.timeoutMs",
        Kind::Integer {
            min: 1000,
            max: 600_000,
        },
        Effect::Sets("shell-timeout-ms"),
        "120000",
        "time that a command gets when a call does not say",
    ),
    key(
        "shell.maxRuntimeMs",
        Kind::Integer {
            min: 1000,
            max: 7_200_000,
        },
        Effect::Sets("shell-max-runtime-ms"),
        "1800000",
        "time that a job gets when a call does not say",
    ),
    key(
        "shell.env",
        Kind::Texts("variable names"),
        Effect::Sets("shell-env"),
        "(none)",
        "environment variables that commands get although their names look secret",
    ),
    key(
        "shell.path",
        Kind::Text,
        Effect::Sets("shell-path"),
        "(PATH)",
        "where programs are looked for, instead of PATH",
    ),
    key(
        "transport.type",
        Kind::Choice(&["stdio", "http"]),
        Effect::Sets("http"),
        "stdio",
        "how clients reach the server",
    ),
    key(
        "transport.host",
        Kind::Text,
        Effect::Sets("host"),
        "127.0.0.1",
        "address to listen on",
    ),
    key(
        "transport.port",
        Kind::Integer {
            min: 0,
            max: 65_535,
        },
        Effect::Sets("port"),
        "3333",
        "port to listen on; 0 picks a free one",
    ),
    key(
        "transport.allowedHosts",
        Kind::Texts("host names"),
        Effect::Sets("allowed-host"),
        "(loopback)",
        "further names that requests may use for the server",
    ),
    key(
        "transport.allowedOrigins",
        Kind::Texts("origins"),
        Effect::Sets("allowed-origin"),
        "(loopback)",
        "further web pages that may send requests",
    ),
    key(
        "transport.tlsCert",
        Kind::Text,
        Effect::Sets("tls-cert"),
        "(none)",
        "PEM file with the certificate to encrypt with; a relative path starts at the file's own folder",
    ),
    key(
        "transport.tlsKey",
        Kind::Text,
        Effect::Sets("tls-key"),
        "(none)",
        "PEM file with the key that belongs to it",
    ),
    key(
        "transport.maxBodyBytes",
        Kind::Integer {
            min: BODY_BYTES_MIN as u64,
            max: SAFE_INTEGER,
        },
        Effect::Sets("max-body-bytes"),
        "67108864",
        "greatest request that is read",
    ),
];

const fn key(
    name: &'static str,
    kind: Kind,
    effect: Effect,
    default: &'static str,
    about: &'static str,
) -> Key {
    Key {
        name,
        kind,
        effect,
        default,
        about,
    }
}

impl Key {
    /// The key of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        KEYS.iter().find(|key| key.name == name)
    }

    /// The key that does what an option does.
    #[must_use]
    pub fn of_option(option: &str) -> Option<&'static Self> {
        KEYS.iter()
            .find(|key| matches!(key.effect, Effect::Sets(sets) if sets == option))
    }
}
