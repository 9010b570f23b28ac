//! The options of `workspace-mcp notes`: what each takes, and what is said of anything else.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use workspace::vault::Limits;

use crate::config::transport::Transport;
use crate::config::{self, Source, StartFault};
use crate::help::{Page, brief};
use crate::log::Level;
use crate::options::{GENERAL, LOG, Opt, TRANSPORT, Words, flag, opt};
use crate::tools::notes::TOOLS;

const OWN: &[Opt] = &[
    opt(
        "root",
        "<dir>",
        "folder of notes to serve; required, and no link",
    ),
    opt(
        "allow-write",
        "<tool>[,<tool>]",
        "write tools to offer, by name; repeatable. Without it nothing can be changed:\n\
         notes_append, notes_write, notes_edit, notes_move,\n\
         tasks_add, tasks_complete, tasks_update, tasks_remove",
    ),
    opt(
        "max-read-bytes",
        "<n>",
        "bytes of a note read at once, and of tasks.json (default 262144, 1024 to 10485760)",
    ),
    opt(
        "max-write-bytes",
        "<n>",
        "bytes of text that one call may write (default 65536, 1 to 10485760)",
    ),
    opt(
        "max-results",
        "<n>",
        "results of one call (default 100, 1 to 1000)",
    ),
    flag(
        "markdown-tasks",
        None,
        "take check boxes in notes for tasks too",
    ),
];

/// All options of the command.
pub const TABLES: &[&[Opt]] = &[OWN, TRANSPORT, LOG, GENERAL];

/// Those of the help.
const COMMON: &[&str] = &[
    "root",
    "allow-write",
    "markdown-tasks",
    "max-read-bytes",
    "max-write-bytes",
    "max-results",
    "http",
    "port",
    "help",
];

const READ_BYTES: RangeInclusive<u64> = 1024..=10_485_760;
const WRITE_BYTES: RangeInclusive<u64> = 1..=10_485_760;
const RESULTS: RangeInclusive<u64> = 1..=1000;

/// What the options say.
#[derive(Debug)]
pub(super) struct Options {
    pub(super) root: PathBuf,
    /// The write tools that are offered, in the order of the toolset.
    pub(super) writes: Vec<&'static str>,
    pub(super) limits: Limits,
    pub(super) markdown_tasks: bool,
    pub(super) transport: Transport,
    pub(super) log_level: Level,
    pub(super) log_file: Option<PathBuf>,
}

impl Options {
    pub(super) fn read(
        words: &Words,
        cwd: &Path,
        environment: fn(&str) -> Option<String>,
    ) -> Result<Self, StartFault> {
        let mut transport = Transport::default();
        if let Some(token) = config::variable("token").and_then(environment) {
            transport.apply("token", &token, Source::Environment)?;
        }
        let mut root = None;
        let mut allowed = Vec::new();
        let mut limits = Limits::default();
        let mut markdown_tasks = false;
        let mut log_level = Level::Info;
        let mut log_file = None;
        for (option, value) in &words.options {
            match *option {
                "root" if value.trim().is_empty() => {
                    return usage("invalid --root: expected a folder".to_owned());
                }
                "root" => root = Some(cwd.join(value)),
                "allow-write" => allowed.extend(write_tools(value)?),
                "max-read-bytes" => limits.max_read_bytes = number(option, value, READ_BYTES)?,
                "max-write-bytes" => limits.max_write_bytes = number(option, value, WRITE_BYTES)?,
                "max-results" => {
                    let n = number(option, value, RESULTS)?;
                    limits.max_results = usize::try_from(n).unwrap_or(usize::MAX);
                }
                "markdown-tasks" => markdown_tasks = true,
                "log-level" => log_level = config::values::level(value)?,
                "log-file" => log_file = Some(cwd.join(value)),
                "tls-cert" | "tls-key" => transport.tls_file(option, value, cwd)?,
                _ => transport.apply(option, value, Source::Option)?,
            }
        }
        transport.check()?;
        let Some(root) = root else {
            return usage("--root is required: name the folder of notes to serve".to_owned());
        };
        let in_order = TOOLS.iter().map(|spec| spec.tool.name);
        Ok(Self {
            root,
            writes: in_order.filter(|name| allowed.contains(name)).collect(),
            limits,
            markdown_tasks,
            transport,
            log_level,
            log_file,
        })
    }
}

fn usage<T>(text: String) -> Result<T, StartFault> {
    Err(StartFault::Usage(text))
}

fn write_tools(value: &str) -> Result<Vec<&'static str>, StartFault> {
    let mut names = Vec::new();
    for name in value.split(',') {
        let known = TOOLS.iter().find(|spec| spec.tool.name == name);
        match known {
            Some(spec) if spec.tool.hints.read_only => {
                return usage(format!(
                    "invalid --allow-write: {name} only reads, and is always there"
                ));
            }
            Some(spec) => names.push(spec.tool.name),
            None if name.trim().is_empty() => {
                return usage("invalid --allow-write: expected names of write tools".to_owned());
            }
            None => {
                let name = rooted::show(name.as_bytes());
                return usage(format!("invalid --allow-write: no such write tool: {name}"));
            }
        }
    }
    Ok(names)
}

fn number(option: &str, value: &str, range: RangeInclusive<u64>) -> Result<u64, StartFault> {
    let is_plain = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
    let number = is_plain.then(|| value.parse().ok()).flatten();
    match number.filter(|number| range.contains(number)) {
        Some(number) => Ok(number),
        None => {
            let (least, most) = range.into_inner();
            let value = rooted::show(value.as_bytes());
            usage(format!(
                "invalid --{option}: {value} (expected a whole number from {least} to {most})"
            ))
        }
    }
}

/// The text of `--help`.
pub(super) fn help() -> String {
    let page = Page {
        about: "A person's Markdown notes and to-dos, read-only until told otherwise.",
        usage: &["notes --root <dir> [--allow-write <tool>,...] [options]"],
        lists: &[("Options", brief(TABLES, COMMON))],
        notes: "Tools that write: notes_append, notes_write, notes_edit, notes_move, tasks_add,\n\
                tasks_complete, tasks_update, tasks_remove.\n\
                `workspace-mcp options notes` explains these options and all others.",
        examples: &[
            ("notes --root ~/notes", "to be read"),
            (
                "notes --root ~/notes --allow-write notes_append,tasks_add",
                "",
            ),
            ("notes --root ~/notes --http --port 3333", "over HTTP"),
        ],
    };
    page.text()
}
