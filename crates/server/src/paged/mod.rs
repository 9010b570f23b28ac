//! The command `workspace-mcp paged`, and the same as a library: [`serve`].

mod line;
pub(crate) mod server;
pub(crate) mod shape;
mod stream;

use std::fmt;
use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

pub use workspace::paged::{Limits, Options, Paged};

pub use self::line::OPTIONS;
pub use self::server::Server;
pub use self::stream::{Async, Streams};
use crate::commands;
use crate::log::{Level, Log};
use crate::stdio;
use crate::toolset::{Eras, Identity, Toolset};

/// What the process ends with when it cannot start.
const CANNOT_START: u8 = 64;

/// How a folder is served to a program that embeds the server.
#[derive(Clone, Debug)]
pub struct ServeOptions {
    /// Patterns of what is served; nothing is without one.
    pub include: Vec<String>,
    /// Patterns of what is not, whatever includes say.
    pub exclude: Vec<String>,
    /// Whether the built-in list excludes, too.
    pub default_exclude: bool,
    /// How much one call may cost.
    pub limits: Limits,
    /// Signs cursors that are the same in every process; 32 bytes at least.
    pub cursor_key: Option<Vec<u8>>,
    /// The name that clients are told.
    pub name: String,
    /// The revisions of the protocol that are spoken.
    pub eras: Eras,
}

impl ServeOptions {
    /// What these patterns select, under the program's own name, by revision 2026-07-28.
    #[must_use]
    pub fn new(include: &[&str]) -> Self {
        let Options {
            root: _,
            include,
            exclude,
            default_exclude,
            limits,
            cursor_key,
        } = Options::new("", include);
        Self {
            include,
            exclude,
            default_exclude,
            limits,
            cursor_key,
            name: Identity::PROGRAM.name.to_owned(),
            eras: Eras::Modern,
        }
    }
}

/// Why a folder is not served.
#[derive(Debug)]
pub enum ServeError {
    /// The options, or the root, are no good; this sentence says why.
    Options(&'static str),
    /// The operating system has no threads to give.
    Io(std::io::Error),
}

impl fmt::Display for ServeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Options(text) => f.write_str(text),
            Self::Io(error) => write!(f, "cannot start: {error}"),
        }
    }
}

impl std::error::Error for ServeError {}

/// Serves a folder to one client, on a stream of this process or of the system, until either end is
/// closed: a pair of a reader and a writer, or an [`Async`] stream. `root` is an absolute path.
///
/// Blocks meanwhile, so in an async program it belongs on a thread that may.
///
/// # Errors
/// [`ServeError`]; nothing was served then.
pub fn serve(root: &Path, options: ServeOptions, stream: impl Streams) -> Result<(), ServeError> {
    let paged = Paged::open(Options {
        root: root.to_owned(),
        include: options.include,
        exclude: options.exclude,
        default_exclude: options.default_exclude,
        limits: options.limits,
        cursor_key: options.cursor_key,
    });
    let paged = paged.map_err(ServeError::Options)?;
    let log = Log::to_stderr(Level::Error);
    let server = Server::new(paged, options.name, options.eras, log);
    let (input, output) = stream.split();
    stdio::serve_streams(Arc::new(server), input, output).map_err(ServeError::Io)
}

/// Runs the command with the words behind its name. Relative paths start at `cwd`; `environment`
/// reads a variable.
#[must_use]
pub fn run(
    words: impl IntoIterator<Item = String>,
    cwd: &Path,
    environment: fn(&str) -> Option<String>,
) -> ExitCode {
    let words: Vec<String> = words.into_iter().collect();
    let has = |flag: &str| words.iter().any(|word| word == flag);
    if has("--help") {
        return commands::print_help(&line::help(), environment);
    }
    if has("--version") {
        return commands::print(&format!("{}\n", Identity::PROGRAM.version));
    }
    start(&words, cwd, environment).unwrap_or_else(|text| {
        say(&text, "");
        ExitCode::from(CANNOT_START)
    })
}

fn start(
    words: &[String],
    cwd: &Path,
    environment: fn(&str) -> Option<String>,
) -> Result<ExitCode, String> {
    let mut line = line::read(words, cwd, environment)?;
    line.options.check()?;
    if let Some(variable) = &line.key_variable {
        line.options.cursor_key = Some(line::key(environment(variable).as_deref())?);
    }
    line.transport.check().map_err(line::told)?;
    warn(&line);
    let paged = Paged::open(line.options)?;
    // Nothing is said of a good start, but where to reach a server is worth a line.
    let level = if line.transport.http {
        Level::Info
    } else {
        Level::Warn
    };
    let log = Log::to_stderr(level);
    let server: Arc<dyn Toolset> = Arc::new(Server::new(paged, line.name, line.eras, log));
    commands::serve(&server, &line.transport, "one folder, in pages").map_err(line::told)
}

/// Says what is served, but hardly as it was meant.
fn warn(line: &line::Line) {
    let name = &line.name;
    if !line.options.reach_root() {
        say(
            name,
            ": no --include pattern matches a file in the root itself, so write_text_file will \
             refuse every call. Reads are unaffected. Add an --include glob with no directory \
             prefix, such as '**', if this installation maps the write tool.",
        );
    }
    let defeated = line.options.defeated();
    if !defeated.is_empty() {
        let defeated = defeated.join(", ");
        say(
            name,
            &format!(
                ": --include {defeated} matches a built-in exclude, so nothing it names is served. \
                 Pass --no-default-exclude to drop the built-in list."
            ),
        );
    }
}

/// Says something to the person who started the server.
fn say(what: &str, more: &str) {
    // A stderr that is gone has nobody to complain to.
    let _ = writeln!(std::io::stderr(), "{what}{more}");
}
