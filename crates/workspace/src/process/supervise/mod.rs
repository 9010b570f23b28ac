//! Commands that are supervised: each runs under a process of its own, which ends all that the
//! command started.
//!
//! The supervisor is this very program, started with a hidden word. It does what has to be done
//! between a fork and the start of a program, without code that runs in between: it opens a session
//! of its own, becomes the parent of orphans, and starts the command. It ends everything beneath it
//! when it is told to, and also when the other end of its control channel closes, which is what
//! happens when the server ends, in whatever way.

mod gate;

#[cfg(unix)]
#[path = "unix/mod.rs"]
mod os;

#[cfg(windows)]
#[path = "windows/mod.rs"]
mod os;

// Only Windows has such files; what stands on a command line is the same to all.
#[cfg(any(windows, test))]
mod batch;

use std::ffi::OsString;
use std::io;
use std::num::NonZero;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use self::gate::Gate;
use super::Folder;
use crate::cancel::Cancel;

pub use self::os::{Supervised, code_text, signal_name, supervise};

/// The hidden word that makes the program a supervisor.
pub const WORD: &str = "supervise-command";

/// How long processes may take to end by themselves when they are told to.
pub const GRACE: Duration = Duration::from_secs(3);

/// Starts commands under supervision.
#[derive(Clone, Debug)]
pub struct Launcher {
    origin: os::Origin,
    gate: Arc<Gate>,
}

/// What to run under a supervisor.
#[derive(Debug)]
pub struct Order<'a> {
    /// The program: a path, absolute or relative to the folder.
    pub program: &'a Path,
    /// Its arguments, each as it is.
    pub args: &'a [OsString],
    /// The folder it starts in.
    pub folder: Folder<'a>,
    /// Every variable it sees.
    pub variables: &'a [(OsString, OsString)],
}

/// How a command is watched.
#[derive(Debug)]
pub struct Watch<'a> {
    /// When it is ended.
    pub time_limit: Duration,
    /// How often the caller's giving up is looked for.
    pub tick: Duration,
    /// Raised when the caller gives up.
    pub cancel: &'a Cancel,
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// By itself, with this code.
    Code(i32),
    /// By a signal.
    Signal(i32),
}

/// Why a command was ended by us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// Its time was up.
    TimedOut,
    /// The caller gave up.
    Cancelled,
}

/// A process that runs on after its command ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// Its number.
    pub pid: u32,
    /// The name that the system has for it.
    pub name: Vec<u8>,
}

/// How a command ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ended {
    /// Whether we ended it, and why.
    pub stopped: Option<Stopped>,
    /// How its own process ended; `None` when nobody can tell any more.
    pub exit: Option<Exit>,
    /// What it started and left running.
    pub running: Vec<Process>,
    /// Time from the start to the end.
    pub took: Duration,
}

impl Launcher {
    /// What a server starts commands with: its own program, even if its file was replaced meanwhile.
    ///
    /// From then on the process is the parent of orphans beneath it, where a system has that, and
    /// ends those whose supervisor was killed. So no other part of it may start programs in sessions
    /// of their own. Limits that the process changes for itself later are not those of commands.
    ///
    /// # Errors
    /// What the operating system says.
    pub fn of_server() -> io::Result<Self> {
        // As many as can be started at the same time; each takes a processor while it starts.
        let places = std::thread::available_parallelism().map_or(1, NonZero::get);
        Ok(Self {
            origin: os::Origin::of_this_process()?,
            gate: Arc::new(Gate::new(places)),
        })
    }

    /// Starts a command.
    ///
    /// # Errors
    /// What the operating system says when it cannot be started.
    pub fn start(&self, order: &Order<'_>) -> io::Result<Supervised> {
        self.gate.pass(|| Supervised::start(&self.origin, order))
    }
}
