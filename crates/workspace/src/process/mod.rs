//! The only place that starts programs: explicit words, a chosen folder and environment, no shell.
//!
//! A program gets no input, cannot outlive its time, and whatever it writes goes to sinks that
//! bound what is kept. It leads a process group of its own, which ends with it. What a program
//! means, and what its output says, is for the caller.

pub(crate) mod code_page;
mod environment;
pub mod supervise;

#[cfg(unix)]
#[path = "unix.rs"]
mod os;

#[cfg(windows)]
#[path = "windows.rs"]
mod os;

#[cfg(test)]
#[cfg(unix)]
mod tests;

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use rooted::{Dir, Mode, RelPath, Root};

use crate::cancel::Cancel;

pub use self::environment::Environment;
pub(crate) use self::os::{BARE_FOLDERS, USUAL_PATH, bytes_of, command_name, hold, os_text, owner};

/// What to run, and how.
#[derive(Debug)]
pub struct Invocation<'a> {
    /// The program, by its absolute path.
    pub program: &'a Path,
    /// Its arguments, each as it is.
    pub args: &'a [OsString],
    /// The folder it starts in.
    pub folder: Folder<'a>,
    /// Every variable it sees.
    pub variables: &'a [(OsString, OsString)],
    /// When it is ended.
    pub time_limit: Duration,
}

/// Where a program starts: by the handle where the system can, by the path otherwise.
#[derive(Clone, Copy, Debug)]
pub struct Folder<'a> {
    /// The folder itself.
    pub dir: &'a Dir,
    /// Its path on the host.
    pub path: &'a Path,
}

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// By itself, with this code.
    Exited(i32),
    /// By a signal that was not ours.
    Signalled(i32),
    /// By us, when its time was up.
    TimedOut,
    /// By us, when the caller gave up.
    Cancelled,
}

/// Runs a program to its end, handing on its output as it comes.
///
/// Nothing that it started in its group is left behind.
///
/// # Errors
/// What the operating system says when it cannot be started.
pub fn run(
    invocation: &Invocation<'_>,
    stdout: &mut dyn FnMut(&[u8]),
    stderr: &mut dyn FnMut(&[u8]),
    cancel: &Cancel,
) -> io::Result<End> {
    os::run(invocation, None, stdout, stderr, cancel)
}

/// Bytes of input that [`ask`] takes: what a pipe holds everywhere.
pub const INPUT_BYTES: usize = 4096;

/// As [`run`], for a program that is told something and then that there is no more.
///
/// # Errors
/// As [`run`]; also when the input is larger than [`INPUT_BYTES`].
pub fn ask(
    invocation: &Invocation<'_>,
    input: &[u8],
    stdout: &mut dyn FnMut(&[u8]),
    stderr: &mut dyn FnMut(&[u8]),
    cancel: &Cancel,
) -> io::Result<End> {
    if input.len() > INPUT_BYTES {
        return Err(io::Error::other("the input is too large"));
    }
    os::run(invocation, Some(input), stdout, stderr, cancel)
}

/// The standard input of a program: a pipe that holds the input already, or nothing at all.
fn standard_input(input: Option<&[u8]>) -> io::Result<Stdio> {
    let Some(input) = input else {
        return Ok(Stdio::null());
    };
    let (source, mut sink) = io::pipe()?;
    sink.write_all(input)?;
    Ok(source.into())
}

/// Runs a program in place of this one, with its input, output and errors, and these variables only.
///
/// Where the system can, this process becomes the program, and this returns only when that fails.
/// Elsewhere it waits for the program's end and gives its code.
///
/// # Errors
/// What the operating system says when it cannot be started.
#[expect(
    clippy::disallowed_methods,
    reason = "this is where programs are started"
)]
pub fn exec(
    program: &Path,
    args: &[OsString],
    variables: &[(OsString, OsString)],
) -> io::Result<i32> {
    let mut command = Command::new(program);
    let variables = variables.iter().map(|(name, value)| (name, value));
    command.args(args).env_clear().envs(variables);
    os::exec(&mut command)
}

/// The path of this program.
///
/// # Errors
/// What the operating system says when it is not known.
pub fn this_program() -> io::Result<PathBuf> {
    std::env::current_exe()
}

/// The beginning and the end of an output, and how much was in between.
#[derive(Debug)]
pub struct Ends {
    /// The first bytes.
    pub head: Vec<u8>,
    /// The last bytes that are not in `head`.
    pub tail: VecDeque<u8>,
    /// Bytes between the two, which are gone.
    pub n_dropped: u64,
    max_head: usize,
    max_tail: usize,
}

impl Ends {
    /// Keeps this many bytes at each end.
    #[must_use]
    pub fn new(max_head: usize, max_tail: usize) -> Self {
        Self {
            head: Vec::new(),
            tail: VecDeque::new(),
            n_dropped: 0,
            max_head,
            max_tail,
        }
    }

    /// Takes the next bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        let room = self.max_head.saturating_sub(self.head.len());
        let (head, rest) = bytes.split_at(room.min(bytes.len()));
        self.head.extend_from_slice(head);
        self.tail.extend(rest);
        let over = self.tail.len().saturating_sub(self.max_tail);
        self.tail.drain(..over);
        self.n_dropped += over as u64;
    }

    /// Bytes that came in all.
    #[must_use]
    pub fn n_total(&self) -> u64 {
        (self.head.len() + self.tail.len()) as u64 + self.n_dropped
    }
}

/// The programs of that name in these folders, in order, looked for as they are asked for.
///
/// A name stands for one when it may be run; a link counts as one, since where it leads is for the
/// system to follow.
pub fn find_programs<'a>(
    name: &str,
    folders: &'a [PathBuf],
) -> impl Iterator<Item = PathBuf> + use<'a> {
    find_named(os::program_names(name), folders)
}

/// The files of one of these names that may be run.
fn find_named<'a>(
    names: Vec<String>,
    folders: &'a [PathBuf],
) -> impl Iterator<Item = PathBuf> + use<'a> {
    folders.iter().flat_map(move |folder| {
        let root = Root::open(folder, Mode::FOLLOW).ok();
        let dir = root.and_then(|root| root.open_dir(&RelPath::root()).ok());
        let is_program = |name: &&String| {
            let meta = dir.as_ref().map(|dir| dir.stat(name.as_bytes()));
            meta.is_some_and(|meta| meta.is_ok_and(|meta| os::may_run(&meta)))
        };
        let found = names
            .iter()
            .filter(is_program)
            .map(|name| folder.join(name));
        found.collect::<Vec<_>>()
    })
}

/// Where the program of a command is: beneath the folder it starts in when it is named by a path,
/// else in the first of the folders of `path` that has it. Those that depend on the current folder
/// do not count.
#[must_use]
pub fn locate(
    program: &str,
    start: &Path,
    path: &OsStr,
    environment: &Environment,
) -> Option<PathBuf> {
    let folders = || {
        let folders = std::env::split_paths(path);
        folders.filter(|folder| folder.is_absolute()).collect()
    };
    os::locate(program, start, folders, environment)
}

/// Says whether a path lies in a folder, going by text.
fn is_within(path: &Path, folder: &Path) -> bool {
    path.starts_with(folder)
}

/// A variable for a program.
pub(crate) fn variable(name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> (OsString, OsString) {
    (name.as_ref().to_owned(), value.as_ref().to_owned())
}
