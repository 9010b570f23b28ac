//! The command `workspace-mcp notes`: its command line, its start, and how it says that it cannot.

mod options;
mod server;

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use workspace::vault::Vault;
use workspace::{Workspace, WorkspaceOptions};

use self::options::Options;
pub use self::options::TABLES as OPTIONS;
pub use self::server::{Ctx, Failure, Server};
use crate::commands::{ended, print, print_help, report_recovery, serve};
use crate::config::StartFault;
use crate::log::Log;
use crate::options::{Free, read};
use crate::toolset::Toolset;

/// Runs the command with the words behind its name. Relative paths start at `cwd`; `environment`
/// reads a variable.
#[must_use]
pub fn run(
    words: impl IntoIterator<Item = String>,
    cwd: &Path,
    environment: fn(&str) -> Option<String>,
) -> ExitCode {
    ended(start(words, cwd, environment))
}

fn start(
    words: impl IntoIterator<Item = String>,
    cwd: &Path,
    environment: fn(&str) -> Option<String>,
) -> Result<ExitCode, StartFault> {
    let words = read(OPTIONS, Free::Refused, words).map_err(StartFault::Usage)?;
    if words.has("help") {
        return Ok(print_help(&options::help(), environment));
    }
    if words.has("version") {
        return Ok(print(&crate::cli::version()));
    }
    let options = Options::read(&words, cwd, environment)?;
    let workspace = open(&options)?;
    let log = match &options.log_file {
        None => Log::to_stderr(options.log_level),
        Some(path) => Log::to_file(options.log_level, path).map_err(|error| {
            let path = crate::config::file::shown(path);
            StartFault::Machine(format!("cannot open log file {path}: {error}"))
        })?,
    };
    // A stderr that is gone has nobody to tell.
    let _ = std::io::stderr()
        .lock()
        .write_all(effective(&options, &workspace).as_bytes());
    report_recovery(&log, &workspace);
    let vault = Vault {
        workspace,
        limits: options.limits,
        markdown_tasks: options.markdown_tasks,
    };
    let server: Arc<dyn Toolset> = Arc::new(Server::new(vault, &options.writes, log));
    serve(&server, &options.transport, "notes")
}

/// Opens the root: a folder that is there, under its own name.
fn open(options: &Options) -> Result<Workspace, StartFault> {
    let shown = rooted::show(options.root.as_os_str().as_encoded_bytes());
    let mut folder = WorkspaceOptions::new("notes", &options.root);
    folder.writable = !options.writes.is_empty();
    let unusable = |why: &str| StartFault::Usage(format!("invalid --root: {shown}: {why}"));
    let workspace = Workspace::open(folder).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => unusable("there is no such folder"),
        std::io::ErrorKind::NotADirectory => unusable("not a folder"),
        _ => unusable(&error.to_string()),
    })?;
    let root = workspace
        .root()
        .map_err(|error| unusable(&error.to_string()))?;
    match root.is_named_by_link() {
        Ok(false) => Ok(workspace),
        Ok(true) => Err(unusable("a link; name the folder itself")),
        Err(error) => Err(unusable(&error.to_string())),
    }
}

/// What counts, one `key: value` a line.
fn effective(options: &Options, workspace: &Workspace) -> String {
    let root = workspace.host_path().as_os_str().as_encoded_bytes();
    let writes = if options.writes.is_empty() {
        "none (read-only)".to_owned()
    } else {
        options.writes.join(", ")
    };
    let transport = &options.transport;
    let (reached, token) = if transport.http {
        let host = rooted::show(transport.host.as_bytes());
        let token = match transport.access.token {
            Some(_) => "set",
            None => "none",
        };
        (format!("http on {host} port {}", transport.port), token)
    } else {
        ("stdio".to_owned(), "not used")
    };
    let switch = if options.markdown_tasks { "on" } else { "off" };
    let mut text = String::new();
    for (key, value) in [
        ("version", env!("CARGO_PKG_VERSION").to_owned()),
        ("toolset", "notes".to_owned()),
        ("root", rooted::show(root)),
        ("allow-write", writes),
        ("max-read-bytes", options.limits.max_read_bytes.to_string()),
        (
            "max-write-bytes",
            options.limits.max_write_bytes.to_string(),
        ),
        ("max-results", options.limits.max_results.to_string()),
        ("markdown-tasks", switch.to_owned()),
        ("transport", reached),
        ("token", token.to_owned()),
    ] {
        // A String takes every write.
        let _ = writeln!(text, "{key}: {value}");
    }
    text
}
