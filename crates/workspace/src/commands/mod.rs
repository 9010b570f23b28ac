//! Running programs for a caller: which may run, where, with what, and how it went.
//!
//! Which programs may run goes by their base name. That is a hint and no fence: most programs can
//! start others. What holds is that a command has no more than its words, a folder beneath the root
//! and the variables that are let through, and that nothing of it outlives its time.

mod decode;
mod environment;
pub mod fault;
pub mod jobs;
mod lingering;
pub mod output;

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use rooted::Dir;

use self::decode::Decoder;
pub use self::environment::looks_secret;
pub use self::fault::Fault;
use self::lingering::Lingering;
use self::output::{Capture, Text};
use crate::cancel::Cancel;
use crate::error::Error;
use crate::limits;
use crate::process::code_page::CodePage;
use crate::process::supervise::{Ended, Launcher, Order, Supervised, Watch};
use crate::process::{Environment, Folder, command_name, find_programs, locate};
use crate::reader::Reader;

/// Programs that may run in any case when there is a list.
pub const USUAL: [&str; 4] = ["pnpm", "npm", "npx", "node"];

/// How often a command looks whether its caller gave up.
const TICK: Duration = Duration::from_millis(20);
/// How often the last line is told while a command runs.
const PROGRESS: Duration = Duration::from_millis(500);

/// Which programs may run, and with what.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The base names of programs that may run; `None` allows any.
    pub allowed: Option<Vec<String>>,
    /// The base names of programs that may not, whatever else is said.
    pub denied: Vec<String>,
    /// Variables that are passed on although their names look secret.
    pub released: Vec<String>,
    /// Where programs are looked for, if that is configured.
    pub path: Option<OsString>,
    /// Where logs of jobs go, if that is configured.
    pub job_folder: Option<PathBuf>,
    /// What the server was started with.
    pub environment: Environment,
}

/// Runs commands.
#[derive(Debug)]
pub struct Commands {
    settings: Settings,
    launcher: Launcher,
    path: OnceLock<OsString>,
    page: OnceLock<Option<CodePage>>,
    lingering: Lingering,
    /// The jobs of this server.
    pub jobs: jobs::Jobs,
}

/// What to run.
#[derive(Clone, Copy, Debug)]
pub struct CommandRequest<'a> {
    /// The program and its arguments.
    pub command: &'a [String],
    /// The folder to run in; the root by default.
    pub cwd: Option<&'a str>,
    /// When it is ended.
    pub time_limit: Duration,
}

/// How a command went.
#[derive(Debug, PartialEq, Eq)]
pub struct Ran {
    /// What it wrote.
    pub output: Text,
    /// How it ended.
    pub ended: Ended,
    /// Another name under which the folder was found.
    pub found_as: Option<String>,
}

/// A command that may run: where its program is, and where it starts.
struct Prepared {
    program: PathBuf,
    args: Vec<OsString>,
    dir: Dir,
    host_path: PathBuf,
    found_as: Option<String>,
    name: String,
}

impl Prepared {
    /// Says whether the program is a file that may be run.
    fn is_there(&self) -> bool {
        let path = self.host_path.join(&self.program);
        let name = path.file_name().and_then(OsStr::to_str);
        let places = name.zip(path.parent());
        places.is_some_and(|(name, folder)| {
            find_programs(name, &[folder.to_owned()]).next().is_some()
        })
    }
}

impl Commands {
    /// Commands under these settings; `launcher` starts their supervisors.
    #[must_use]
    pub fn new(settings: Settings, launcher: Launcher) -> Self {
        Self {
            jobs: jobs::Jobs::new(settings.job_folder.clone(), &settings.environment),
            settings,
            launcher,
            path: OnceLock::new(),
            page: OnceLock::new(),
            lingering: Lingering::default(),
        }
    }

    /// Runs a command to its end, telling its last line now and then.
    ///
    /// # Errors
    /// [`Error::Command`]; those of a path argument; [`Error::Cancelled`] when the caller gave up,
    /// after all of it was ended.
    pub fn run(
        &self,
        reader: &Reader<'_>,
        request: &CommandRequest<'_>,
        tell: Option<&dyn Fn(&str)>,
    ) -> Result<Ran, Error> {
        let prepared = self.prepare(reader, request)?;
        let mut supervised = self.start(&prepared)?;
        let mut decoder = Decoder::new(self.page());
        let mut capture = Capture::new(limits::OUTPUT_BYTES, limits::OUTPUT_END_BYTES);
        let mut progress = Progress::new(tell);
        let watch = Watch {
            time_limit: request.time_limit,
            tick: TICK,
            cancel: reader.cancel(),
        };
        let ended = supervised.watch(&watch, &mut |bytes| {
            decoder.push(bytes, &mut |text| {
                capture.push(text);
                progress.take(text);
            });
            progress.tell();
        });
        decoder.finish(&mut |text| capture.push(text));
        self.lingering.keep(supervised);
        if ended.stopped == Some(crate::process::supervise::Stopped::Cancelled) {
            return Err(Error::Cancelled);
        }
        Ok(Ran {
            output: capture.finish(),
            ended,
            found_as: prepared.found_as,
        })
    }

    /// Where programs are looked for.
    #[must_use]
    pub fn path(&self) -> &OsStr {
        self.path.get_or_init(|| {
            environment::path(self.settings.path.as_deref(), &self.settings.environment)
        })
    }

    /// How output is read that is not UTF-8.
    fn page(&self) -> Option<&CodePage> {
        self.page.get_or_init(CodePage::of_consoles).as_ref()
    }

    fn prepare(
        &self,
        reader: &Reader<'_>,
        request: &CommandRequest<'_>,
    ) -> Result<Prepared, Error> {
        let refused = |fault| Err(Error::Command(Box::new(fault)));
        let workspace = reader.workspace();
        if !workspace.writable {
            return Err(Error::ReadOnlyWorkspace(workspace.name.clone()));
        }
        let Some((program, args)) = request.command.split_first() else {
            return refused(Fault::NoProgram);
        };
        if program.is_empty() {
            return refused(Fault::NoProgram);
        }
        if let Some(fault) = self.forbids(program) {
            return refused(fault);
        }
        if request.command.iter().any(|word| word.contains('\0')) {
            return refused(Fault::NotStarted("an argument holds a NUL byte".to_owned()));
        }
        let (dir, found_as) = match request.cwd {
            None => reader.open_dir("."),
            Some(cwd) => reader.open_dir(cwd).map_err(|error| match error {
                Error::PathNotFound(_) => {
                    Error::Command(Box::new(Fault::FolderNotFound(cwd.to_owned())))
                }
                Error::NotADirectory(_) => {
                    Error::Command(Box::new(Fault::NotAFolder(cwd.to_owned())))
                }
                other => other,
            }),
        }?;
        let host_path = dir.path().as_str().map_or_else(PathBuf::new, PathBuf::from);
        let host_path = reader.root().host_path().join(host_path);
        let environment = &self.settings.environment;
        let Some(program_path) = locate(program, &host_path, self.path(), environment) else {
            let is_path = program.contains(std::path::is_separator);
            let searched = (!is_path).then(|| rooted::show(self.path().as_encoded_bytes()));
            return refused(Fault::NotFound {
                name: program.clone(),
                searched,
            });
        };
        Ok(Prepared {
            program: program_path,
            args: args.iter().map(OsString::from).collect(),
            host_path,
            dir,
            found_as,
            name: program.clone(),
        })
    }

    /// Why a program may not run.
    fn forbids(&self, program: &str) -> Option<Fault> {
        let name = command_name(program);
        let is_named = |names: &[String]| names.contains(&name);
        if is_named(&self.settings.denied) {
            return Some(Fault::Denied(name));
        }
        let allowed = self.settings.allowed.as_ref()?;
        (!is_named(allowed)).then(|| Fault::NotAllowed {
            name,
            allowed: allowed.clone(),
        })
    }

    fn start(&self, prepared: &Prepared) -> Result<Supervised, Error> {
        let variables = environment::variables(
            &self.settings.environment,
            &self.settings.released,
            self.path(),
        );
        let order = Order {
            program: &prepared.program,
            args: &prepared.args,
            folder: Folder {
                dir: &prepared.dir,
                path: &prepared.host_path,
            },
            variables: &variables,
        };
        self.launcher.start(&order).map_err(|error| {
            let name = prepared.name.clone();
            let fault = match error.kind() {
                io::ErrorKind::NotFound if prepared.is_there() => Fault::NoInterpreter(name),
                io::ErrorKind::NotFound => Fault::NotFound {
                    name,
                    searched: None,
                },
                _ => Fault::NotStarted(reason(&error)),
            };
            Error::Command(Box::new(fault))
        })
    }
}

/// What the system says, without the number.
fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    match text.split_once(" (os error") {
        Some((reason, _)) => reason.to_owned(),
        None => text,
    }
}

/// The name by which a program is allowed or denied: the last part of its path; on Windows without
/// its extension and in lower case.
#[must_use]
pub fn base_name(program: &str) -> String {
    command_name(program)
}

/// Tells the last line of an output, not too often.
struct Progress<'a> {
    told_to: Option<&'a dyn Fn(&str)>,
    lines: output::Cleaner,
    last: String,
    /// There is something that was not told yet.
    is_news: bool,
    told: Option<Instant>,
}

impl<'a> Progress<'a> {
    fn new(told_to: Option<&'a dyn Fn(&str)>) -> Self {
        Self {
            told_to,
            lines: output::Cleaner::default(),
            last: String::new(),
            is_news: false,
            told: None,
        }
    }

    fn take(&mut self, bytes: &[u8]) {
        if self.told_to.is_none() {
            return;
        }
        let last = &mut self.last;
        self.lines.push(bytes, &mut |text| {
            if let Some(line) = text.lines().rev().find(|line| !line.trim().is_empty()) {
                last.clear();
                last.extend(line.chars().take(limits::PROGRESS_CHARS));
            }
        });
        self.is_news = true;
    }

    fn tell(&mut self) {
        let Some(tell) = self.told_to.filter(|_| self.is_news) else {
            return;
        };
        let now = Instant::now();
        if self.told.is_some_and(|told| now < told + PROGRESS) {
            return;
        }
        self.is_news = false;
        let current = self.lines.line().trim();
        let line: String = if current.is_empty() {
            self.last.clone()
        } else {
            current.chars().take(limits::PROGRESS_CHARS).collect()
        };
        if !line.is_empty() {
            self.told = Some(now);
            tell(&line);
        }
    }
}

/// Raised for commands that nobody can cancel but by their own means.
fn own_cancel() -> Cancel {
    Cancel::never()
}
