//! What the program does: serve, run one tool, list the tools; and how it says that it cannot.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use serde_json::{Map, Value};
use workspace::process;
use workspace::process::supervise::Launcher;
use workspace::transaction::Recovered;
use workspace::{Workspace, Workspaces};

use crate::args;
use crate::cli::{self, Command, CommandLine};
use crate::config::discovery::{Found, Search};
use crate::config::transport::Transport;
use crate::config::{self, Config, Layer, Source, StartFault, check};
use crate::dispatch::Server;
use crate::doctor;
use crate::help;
use crate::http;
use crate::log::{Level, Log};
use crate::man;
use crate::managed;
use crate::notes;
use crate::paged;
use crate::platform;
use crate::registry::Registry;
use crate::setup;
use crate::shell::{self, Shell};
use crate::shells;
use crate::stdio;
use crate::tool::Tool;
use crate::tools::project::TOOLS;
use crate::toolset::{Caller, Toolset};
use crate::tunnel;
use crate::waiting::Waiting;

/// Runs the program with these words after its own name. Relative paths start at `cwd`;
/// `environment` reads a variable.
#[must_use]
pub fn run(
    words: impl IntoIterator<Item = String>,
    cwd: &Path,
    environment: fn(&str) -> Option<String>,
) -> ExitCode {
    let mut words = words.into_iter().peekable();
    if words.next_if(|word| word == "managed").is_some() {
        return managed::run(words, cwd, environment);
    }
    if words.next_if(|word| word == "notes").is_some() {
        return notes::run(words, cwd, environment);
    }
    if words.next_if(|word| word == "paged").is_some() {
        return paged::run(words, cwd, environment);
    }
    let done = match words.peek().map(String::as_str) {
        Some("completions") => completions(words.skip(1), environment),
        Some("man") => printed("man", manual, words.skip(1), environment),
        Some("options") => printed("options", cli::explained, words.skip(1), environment),
        Some("tunnel") => tunnel::run(words.skip(1), cwd, environment),
        Some(tunnel::SERVER_WORD) => tunnel::serve_without_key(words.skip(1)),
        Some("setup") => set_up(words.skip(1), cwd, environment),
        Some("doctor") => diagnose(words.skip(1), cwd, environment),
        _ => cli::parse(words)
            .map_err(StartFault::Usage)
            .and_then(|line| run_line(line, cwd, environment)),
    };
    ended(done)
}

/// How the program ends: 2 for words that mean nothing, 1 when what they ask for cannot be done, each
/// with its reason on stderr.
pub fn ended(done: Result<ExitCode, StartFault>) -> ExitCode {
    match done {
        Ok(code) => code,
        Err(StartFault::Usage(text)) => {
            Log::to_stderr(Level::Error).error(&format!("{text}\ntry --help"));
            ExitCode::from(2)
        }
        Err(StartFault::Machine(text)) => {
            Log::to_stderr(Level::Error).error(&text);
            ExitCode::FAILURE
        }
    }
}

/// Writes the server into the configuration of a client.
fn set_up(
    words: impl Iterator<Item = String>,
    cwd: &Path,
    environment: fn(&str) -> Option<String>,
) -> Result<ExitCode, StartFault> {
    setup::run(words, cwd, environment, &this_program()?).map(|text| print(&text))
}

/// Looks at everything that a start depends on.
fn diagnose(
    words: impl Iterator<Item = String>,
    cwd: &Path,
    environment: fn(&str) -> Option<String>,
) -> Result<ExitCode, StartFault> {
    platform::settle_signals();
    let report = doctor::run(words, cwd, environment, &this_program()?)?;
    let printed = print(&report.text);
    Ok(if report.has_fault {
        ExitCode::FAILURE
    } else {
        printed
    })
}

/// Says whether paths that start at the current folder can be written down for somebody else.
///
/// # Errors
/// [`StartFault::Machine`] when the folder is gone, or its path is no text.
pub(crate) fn check_folder(cwd: &Path) -> Result<(), StartFault> {
    let fault = if !cwd.is_absolute() {
        NO_FOLDER.to_owned()
    } else if cwd.to_str().is_none() {
        let cwd = rooted::show(cwd.as_os_str().as_encoded_bytes());
        format!("the path of the current folder is not valid UTF-8: {cwd}; change to another one")
    } else {
        return Ok(());
    };
    Err(StartFault::Machine(fault))
}

/// What is wrong when the program is started in a folder that was removed meanwhile.
pub(crate) const NO_FOLDER: &str = "the current folder is gone; change to another one";

fn this_program() -> Result<PathBuf, StartFault> {
    process::this_program()
        .map_err(|error| StartFault::Machine(format!("cannot find this program: {error}")))
}

fn run_line(
    line: CommandLine,
    cwd: &Path,
    environment: fn(&str) -> Option<String>,
) -> Result<ExitCode, StartFault> {
    // Read alone first, so that a slip on the command line is told before anything is looked for.
    let alone = Config::from_options(&line.options, cwd)?;
    let start = Start {
        options: &line.options,
        roots: &alone.named_roots(),
        cwd,
        environment,
    };
    match line.command {
        Command::Help(command) => Ok(print_help(&cli::help(command), environment)),
        Command::Version => Ok(print(&cli::version())),
        Command::CheckConfig => check_config(&start),
        Command::Serve => {
            let (server, transport) = server(&start, &alone)?;
            let what = named(&server.workspaces);
            let toolset: Arc<dyn Toolset> = Arc::new(server);
            serve(&toolset, &transport, &what)
        }
        Command::Call { tool, words } => {
            call(&server(&start, &alone)?.0, &tool, words, environment)
        }
        Command::Tools => {
            let (config, _) = start.config()?;
            Ok(print(&tools(&registry(&config)?)))
        }
    }
}

/// Prints the completions for a shell.
fn completions(
    words: impl Iterator<Item = String>,
    environment: fn(&str) -> Option<String>,
) -> Result<ExitCode, StartFault> {
    let words: Vec<String> = words.collect();
    if let [word] = words.as_slice()
        && is_help(word)
    {
        return Ok(print_help(&cli::help("completions"), environment));
    }
    let script = match words.as_slice() {
        [shell] => shells::script(shell),
        _ => None,
    };
    script.map(|script| print(&script)).ok_or_else(|| {
        let names = shells::NAMES.join(", ");
        StartFault::Usage(format!("completions needs one shell: {names}"))
    })
}

/// Runs a command that only prints something, or its help.
fn printed(
    name: &str,
    text: fn(&[String]) -> Result<String, String>,
    words: impl Iterator<Item = String>,
    environment: fn(&str) -> Option<String>,
) -> Result<ExitCode, StartFault> {
    let words: Vec<String> = words.collect();
    if words.first().is_some_and(|word| is_help(word)) {
        return Ok(print_help(&cli::help(name), environment));
    }
    text(&words)
        .map(|text| print(&text))
        .map_err(StartFault::Usage)
}

fn manual(words: &[String]) -> Result<String, String> {
    if words.is_empty() {
        Ok(man::page())
    } else {
        Err("man takes nothing more".to_owned())
    }
}

fn is_help(word: &str) -> bool {
    matches!(word, "--help" | "-h")
}

/// What the start of the program goes by.
pub(crate) struct Start<'a> {
    /// The options of the command line.
    pub(crate) options: &'a [(&'static str, String)],
    /// The roots that they name.
    pub(crate) roots: &'a [PathBuf],
    /// Where relative paths start.
    pub(crate) cwd: &'a Path,
    /// Reads a variable.
    pub(crate) environment: fn(&str) -> Option<String>,
}

impl Start<'_> {
    fn find(&self) -> Result<Found, StartFault> {
        let named = self
            .options
            .iter()
            .rev()
            .find(|(name, _)| *name == "config");
        let search = Search {
            named: named.map(|(_, path)| path.as_str()),
            cwd: self.cwd,
            roots: self.roots,
            environment: self.environment,
        };
        search.find()
    }

    /// The configuration of all layers, and the file that is one of them.
    pub(crate) fn config(&self) -> Result<(Config, Found), StartFault> {
        let found = self.find()?;
        let variables = config::environment_options(self.environment);
        let mut layers = Vec::new();
        if let Some((file, _)) = &found.file {
            layers.push(Layer {
                source: Source::File,
                folder: file.folder(),
                options: &file.settings.options,
            });
        }
        for (source, options) in [
            (Source::Environment, variables.as_slice()),
            (Source::Option, self.options),
        ] {
            layers.push(Layer {
                source,
                folder: self.cwd,
                options,
            });
        }
        let config = Config::from_layers(&layers, self.cwd)?.protecting(&found);
        Ok((config, found))
    }
}

/// The tools that a configuration comes to.
pub(crate) fn registry(config: &Config) -> Result<Registry, StartFault> {
    let has_shell = config.shell.mode.is_some() && !config.tools.read_only;
    Registry::of(&[(TOOLS, true), (shell_tools(), has_shell)], &config.tools)
        .map_err(|unknown| config.unknown_tool(&unknown))
}

/// Shows the configuration. Nothing is made or changed by it.
fn check_config(start: &Start<'_>) -> Result<ExitCode, StartFault> {
    let (config, found) = start.config()?;
    config.transport.check()?;
    config.transport.tls()?;
    let registry = registry(&config)?;
    let report = check::report(&config, &found, &registry);
    let printed = print(&report.text);
    match report.fault {
        Some(fault) => Err(StartFault::Machine(fault)),
        None => Ok(printed),
    }
}

/// A server of what is configured; `alone` is what the command line says, where the log is set up.
fn server(start: &Start<'_>, alone: &Config) -> Result<(Server, Transport), StartFault> {
    let log = match &alone.log_file {
        None => Log::to_stderr(alone.log_level),
        Some(path) => Log::to_file(alone.log_level, path).map_err(|error| {
            let path = rooted::show(path.as_os_str().as_encoded_bytes());
            StartFault::Machine(format!("cannot open log file {path}: {error}"))
        })?,
    };
    let (config, found) = start.config()?;
    report_file(&log, &found);
    let registry = registry(&config)?;
    let workspaces = config.open()?;
    let exposed = config.transport.exposed_key(&config.workspaces);
    for line in config.misplaced_patterns().into_iter().chain(exposed) {
        log.warn(&line);
    }
    for workspace in workspaces.iter() {
        report_recovery(&log, workspace);
        if workspace.host_path().parent().is_none() {
            log.warn(&format!(
                "WARNING: workspace \"{}\" is the whole file system: every file this user can \
                 reach is served",
                workspace.name
            ));
        }
    }
    let shell = start_shell(&config, &log, &workspaces)?;
    let server = Server::new(registry, workspaces, shell, config.room, log);
    Ok((server, config.transport))
}

fn shell_tools() -> &'static [Tool] {
    crate::tools::project::shell::TOOLS
}

/// What runs commands, when that is turned on and not taken away again.
fn start_shell(
    config: &Config,
    log: &Log,
    workspaces: &Workspaces,
) -> Result<Option<Shell>, StartFault> {
    if config.shell.mode.is_none() || config.tools.read_only {
        return Ok(None);
    }
    let launcher = Launcher::of_server()
        .map_err(|error| StartFault::Machine(format!("cannot find this program: {error}")))?;
    shell::report(log, &config.shell, workspaces);
    let shell = Shell::new(&config.shell, launcher);
    if let Some(shell) = &shell {
        shell.commands.jobs.tidy();
    }
    Ok(shell)
}

/// Says which configuration file counts, and what in it does not.
fn report_file(log: &Log, found: &Found) {
    for note in &found.notes {
        log.warn(note);
    }
    if let Some((file, _)) = &found.file {
        let path = rooted::show(file.path.as_os_str().as_encoded_bytes());
        log.info(&format!("using config file {path}"));
    }
}

/// Finishes or takes back what a server that was killed left under way, and says so.
pub(crate) fn report_recovery(log: &Log, workspace: &Workspace) {
    let name = &workspace.name;
    match workspace.recover() {
        Ok(recovered) if recovered == Recovered::default() => {}
        Ok(recovered) => log.warn(&format!(
            "workspace \"{name}\": an earlier server ended in the middle of a change: {} taken \
             back, {} finished, {} left for the next start, {} unreadable",
            recovered.n_undone, recovered.n_finished, recovered.n_pending, recovered.n_unreadable
        )),
        Err(error) => log.warn(&format!(
            "workspace \"{name}\": unfinished changes cannot be looked at: {error}"
        )),
    }
}

/// Serves a toolset until its clients are gone or the process is told to stop. `what` names what is
/// served, for the line that says that it is ready.
///
/// # Errors
/// When the transport is not allowed or cannot be opened.
pub fn serve(
    toolset: &Arc<dyn Toolset>,
    transport: &Transport,
    what: &str,
) -> Result<ExitCode, StartFault> {
    transport.check()?;
    platform::settle_signals();
    #[cfg(feature = "conformance")]
    let toolset = &crate::conformance::beside(Arc::clone(toolset));
    let log = toolset.log();
    let served = if transport.http {
        let tls = transport.tls()?;
        let (listener, address) = transport.listen()?;
        if transport.is_open() {
            log.warn(
                "SECURITY WARNING: HTTP mode is bound to a non-loopback host without a token: \
                 whoever reaches the port reaches the folders",
            );
        }
        let ready = || {
            log.info(&format!("ready on {address} ({what})"));
            if transport.access.token.is_some() {
                log.info("bearer token authentication is enabled");
            }
        };
        let (access, limits) = (transport.access.clone(), transport.limits.clone());
        http::serve(Arc::clone(toolset), listener, access, tls, limits, ready)
    } else {
        let ready = || log.info(&format!("ready on stdio ({what})"));
        stdio::serve(Arc::clone(toolset), ready)
    };
    served.map_err(|error| StartFault::Machine(format!("cannot start: {error}")))?;
    log.info("shutting down");
    Ok(ExitCode::SUCCESS)
}

/// The workspaces of a server by name, for people.
fn named(workspaces: &Workspaces) -> String {
    let names: Vec<&str> = workspaces
        .iter()
        .map(|workspace| workspace.name.as_str())
        .collect();
    format!("workspaces: {}", names.join(", "))
}

/// Runs one tool and prints what it says.
fn call(
    server: &dyn Toolset,
    name: &str,
    words: Vec<String>,
    environment: fn(&str) -> Option<String>,
) -> Result<ExitCode, StartFault> {
    let arguments = arguments(words).map_err(StartFault::Usage)?;
    platform::settle_signals();
    let waiting = Waiting::new(name, environment);
    let caller = Caller {
        progress: waiting.progress(),
        ..Caller::default()
    };
    let answer = server.call(name, arguments, caller);
    drop(waiting);
    let Some(answer) = answer else {
        let name = rooted::show(name.as_bytes());
        return Err(StartFault::Usage(format!("no such tool: {name}")));
    };
    let text = format!("{}\n", answer.reply.text);
    if answer.is_error {
        // A stderr that is gone has nobody to complain to.
        let _ = std::io::stderr().lock().write_all(text.as_bytes());
        return Ok(ExitCode::FAILURE);
    }
    Ok(print(&text))
}

/// Arguments as a person writes them: `key=value` words, each value read by the kind of its
/// argument, or one JSON object.
fn arguments(words: Vec<String>) -> Result<Map<String, Value>, String> {
    let mut arguments = Map::new();
    for word in words {
        if word.trim_start().starts_with('{') {
            match serde_json::from_str(&word) {
                Ok(Value::Object(object)) => arguments.extend(object),
                Ok(_) => return Err("the arguments must be a JSON object".to_owned()),
                Err(error) => return Err(format!("invalid JSON in the arguments: {error}")),
            }
        } else if let Some((key, value)) = word.split_once('=') {
            arguments.insert(key.to_owned(), value.into());
        } else {
            return Err(format!(
                "invalid argument '{}': expected key=value or a JSON object",
                rooted::show(word.as_bytes())
            ));
        }
    }
    Ok(arguments)
}

/// The tools with what each costs a client's context.
fn tools(registry: &Registry) -> String {
    let mut text = String::new();
    let mut total = 0;
    for tool in registry.iter() {
        let schema = Value::Object(args::schema(tool.args)).to_string();
        total += schema.len() + tool.description.len() + tool.name.len() + tool.title.len();
        text.push_str(&format!(
            "{} ({} bytes of schema)\n  {}\n",
            tool.name,
            schema.len(),
            tool.description
        ));
    }
    text.push_str(&format!("{total} bytes in all\n"));
    text
}

/// Prints a help, in colours where a person looks at it.
pub(crate) fn print_help(text: &str, environment: fn(&str) -> Option<String>) -> ExitCode {
    print(&help::shown(text, environment))
}

/// Prints for a person; nothing is served meanwhile.
#[expect(
    clippy::disallowed_methods,
    reason = "stdout is the person's as long as no client is served on it"
)]
pub fn print(text: &str) -> ExitCode {
    let mut stdout = std::io::stdout().lock();
    match stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush())
    {
        Ok(()) => ExitCode::SUCCESS,
        // Somebody read the first lines and left, as `| head` does.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}
