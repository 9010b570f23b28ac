//! The command `workspace-mcp managed`: its command line, its start, and how it says that it cannot.

pub mod config;
pub mod hints;
mod server;

use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use workspace::Cancel;
use workspace::managed::{Code, Error, Managed, Options, Started};

pub use self::server::{Ctx, Failure, Server};
use crate::commands::{print, print_help, serve};
use crate::config::transport::Transport;
use crate::config::{self as settings, Source, StartFault};
use crate::help::{Page, brief};
use crate::log::{Level, Log};
use crate::options::{self, Free, GENERAL, LOG, Opt, TRANSPORT, Words, flag, opt};
use crate::platform;
use crate::toolset::{Identity, Toolset};
use crate::waiting::Waiting;

const USAGE: &str = "usage: workspace-mcp managed <config.toml> [options]";

const OWN: &[Opt] = &[
    flag(
        "prune",
        None,
        "forget all checkpoints but the newest git.keep_checkpoints, pack the rest, and end",
    ),
    opt(
        "server-name",
        "<name>",
        "the name that clients are told (default workspace-mcp)",
    ),
];

/// The options, in the order of the manual page.
pub const OPTIONS: &[&[Opt]] = &[OWN, TRANSPORT, LOG, GENERAL];
/// Those of the help.
const COMMON: &[&str] = &[
    "prune",
    "http",
    "port",
    "server-name",
    "log-level",
    "log-file",
    "help",
];

/// Why there is nothing served.
enum Fault {
    /// The words are wrong; what is, if it can be said.
    Usage(Option<String>),
    /// Anything else.
    Start(Error),
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self::Start(error)
    }
}

impl From<StartFault> for Fault {
    fn from(fault: StartFault) -> Self {
        match fault {
            StartFault::Usage(text) => Self::Usage(Some(text)),
            StartFault::Machine(text) => Self::Start(Error::new(Code::ConfigError, text)),
        }
    }
}

/// Runs the command with the words behind its name. Relative paths start at `cwd`; `environment`
/// reads a variable.
#[must_use]
pub fn run(
    words: impl IntoIterator<Item = String>,
    cwd: &Path,
    environment: fn(&str) -> Option<String>,
) -> ExitCode {
    let (text, code) = match start(words, cwd, environment) {
        Ok(code) => return code,
        Err(Fault::Usage(None)) => (USAGE.to_owned(), ExitCode::from(2)),
        Err(Fault::Usage(Some(text))) => (format!("{text}\n{USAGE}"), ExitCode::from(2)),
        Err(Fault::Start(error)) => (one_line(&error.to_string()), ExitCode::FAILURE),
    };
    // A stderr that is gone has nobody to complain to.
    let _ = writeln!(std::io::stderr(), "{text}");
    code
}

fn start(
    words: impl IntoIterator<Item = String>,
    cwd: &Path,
    environment: fn(&str) -> Option<String>,
) -> Result<ExitCode, Fault> {
    let words =
        options::read(OPTIONS, Free::Taken, words).map_err(|text| Fault::Usage(Some(text)))?;
    if words.has("help") {
        return Ok(print_help(&help(), environment));
    }
    if words.has("version") {
        return Ok(print(&crate::cli::version()));
    }
    let [path] = words.free.as_slice() else {
        return Err(Fault::Usage(None));
    };
    let line = Line::read(&words, cwd, environment)?;
    let home = environment(platform::HOME_VARIABLE);
    let mut options = config::read(&cwd.join(path), home.as_deref())
        .map_err(|text| Error::new(Code::ConfigError, text))?;
    options.root = cwd.join(options.root);
    let lies_within = settings::is_within(&options.root, &cwd.join(path));
    let keep = options.keep_checkpoints;
    let workspace = {
        let _waiting = Waiting::new("taking a checkpoint of the folder", environment);
        open(options, &line.log)?
    };
    if lies_within {
        line.log.warn(
            "WARNING: the configuration file lies in the workspace, where tools can change what \
             the next start serves",
        );
    }
    if words.has("prune") {
        let pruned = workspace.prune(keep.unwrap_or(usize::MAX), &Cancel::default())?;
        return Ok(print(&format!(
            "{} checkpoints kept, {} removed\n",
            pruned.n_kept, pruned.n_removed
        )));
    }
    let what = format!("managed workspace: {}", workspace.name());
    let server: Arc<dyn Toolset> = Arc::new(Server::new(workspace, line.name, line.log));
    Ok(serve(&server, &line.transport, &what)?)
}

/// Opens the workspace, and says what had to be mended.
fn open(options: Options, log: &Log) -> Result<Managed, Error> {
    let (workspace, started) = Managed::start(options, &Cancel::default())?;
    let Started {
        created: _,
        n_undone,
        n_finished,
        n_pending,
    } = started;
    if n_undone + n_finished + n_pending > 0 {
        log.warn(&format!(
            "an earlier server ended in the middle of a change: {n_undone} taken back, \
             {n_finished} finished, {n_pending} left for the next start"
        ));
    }
    Ok(workspace)
}

/// What the options say.
struct Line {
    name: String,
    transport: Transport,
    log: Log,
}

impl Line {
    fn read(
        words: &Words,
        cwd: &Path,
        environment: fn(&str) -> Option<String>,
    ) -> Result<Self, Fault> {
        let mut name = Identity::PROGRAM.name.to_owned();
        let mut transport = Transport::default();
        if let Some(token) = settings::variable("token").and_then(environment) {
            transport.apply("token", &token, Source::Environment)?;
        }
        let mut level = None;
        let mut file = None;
        for (option, value) in &words.options {
            match *option {
                "server-name" => match value.trim() {
                    "" => {
                        let text = "invalid --server-name: expected a name";
                        return Err(Fault::Usage(Some(text.to_owned())));
                    }
                    given => given.clone_into(&mut name),
                },
                "log-level" => level = Some(settings::values::level(value)?),
                "log-file" => file = Some(cwd.join(value)),
                _ => transport.apply(option, value, Source::Option)?,
            }
        }
        transport.check()?;
        // Nothing is said of a good start, but where to reach a server is worth a line.
        let usual = if transport.http {
            Level::Info
        } else {
            Level::Warn
        };
        let level = level.unwrap_or(usual);
        let log = match file {
            None => Log::to_stderr(level),
            Some(path) => Log::to_file(level, &path).map_err(|error| {
                let path = settings::file::shown(&path);
                let text = format!("cannot open log file {path}: {error}");
                Fault::Start(Error::new(Code::ConfigError, text))
            })?,
        };
        Ok(Self {
            name,
            transport,
            log,
        })
    }
}

/// A sentence on one line, whatever a parser or the system put into it.
fn one_line(text: &str) -> String {
    text.lines().map(str::trim).collect::<Vec<_>>().join(" ")
}

/// The text of `--help`.
#[must_use]
pub fn help() -> String {
    let page = Page {
        about: "One folder for a chat model: checked changes, with a checkpoint around each.",
        usage: &["managed <config.toml> [options]"],
        lists: &[("Options", brief(OPTIONS, COMMON))],
        notes: "The configuration file is TOML; only workspace.root is required. Without --http\n\
                only warnings are logged, unless --log-level says otherwise.\n\
                `workspace-mcp options managed` explains these options and all others.",
        examples: &[
            ("managed team.toml", "on stdin and stdout"),
            ("managed team.toml --http --port 3333", "over HTTP"),
            ("managed team.toml --prune", "forget old checkpoints"),
        ],
    };
    page.text()
}
