//! Unix: a socket between the server and the supervisor, and one pipe for both outputs.

mod guard;
mod orphans;
mod sweep;
mod wire;

use std::ffi::OsStr;
use std::io::{self, PipeReader, Read as _, Write as _};
use std::os::fd::{AsFd as _, AsRawFd as _, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::Errno;
use rustix::process::{Pid, Resource, Signal, getrlimit, kill_process, kill_process_group};

use self::orphans::Orphans;
use self::wire::{DISCARD, Report, STOP, Spec};
use super::{Ended, Exit, GRACE, Order, Process, Stopped, WORD, Watch};

pub use self::guard::supervise;

/// How long a supervisor may take to start the command, or to end once all is over.
const START: Duration = Duration::from_secs(30);
/// How long the sweep may take beyond the grace before the call answers all the same.
const SWEEP: Duration = Duration::from_secs(5);
/// How often a supervisor that does not report is woken.
const WAKE: Duration = Duration::from_millis(100);
/// How long a supervisor that has nothing more to wait for may take to end before it is killed.
const BURIAL: Duration = Duration::from_secs(5);
/// How long output is read after the command ended, when nothing else holds the pipe.
const DRAIN: Duration = Duration::from_millis(500);
/// How long, when something does.
const DRAIN_SHARED: Duration = Duration::from_millis(200);
/// How long such a pipe has to be silent before it counts as drained.
const SILENCE: Duration = Duration::from_millis(30);
/// Bytes taken from a pipe at once.
const CHUNK: usize = 64 * 1024;

/// What supervisors are started from.
#[derive(Clone, Debug)]
pub(super) struct Origin {
    /// The program that is one when it gets [`WORD`].
    program: PathBuf,
    /// How many files a command may have open, where there is a limit.
    open_files: Option<u64>,
    orphans: Orphans,
}

impl Origin {
    pub(super) fn of_this_process() -> io::Result<Self> {
        Ok(Self {
            program: sweep::own_program()?,
            open_files: getrlimit(Resource::Nofile).current,
            orphans: Orphans::adopted_by_this_process(),
        })
    }
}

/// A command under its supervisor. When this value is dropped, all that is left of it is ended.
#[derive(Debug)]
pub struct Supervised {
    supervisor: Child,
    orphans: Orphans,
    /// `None` when the supervisor has closed its end.
    control: Option<UnixStream>,
    /// `None` when nothing more can come.
    output: Option<PipeReader>,
    inbox: Vec<u8>,
    started: Instant,
    pid: u32,
    exited: Option<(Exit, Vec<Process>)>,
}

impl Supervised {
    pub(super) fn start(origin: &Origin, order: &Order<'_>) -> io::Result<Self> {
        let id = order.folder.dir.meta().map_err(io::Error::other)?.id;
        let mut spec = Spec::of_folder(id);
        spec.program = order.program.as_os_str().as_bytes().to_vec();
        let bytes = |text: &OsStr| text.as_bytes().to_vec();
        spec.args = order.args.iter().map(|arg| bytes(arg)).collect();
        let variables = order.variables.iter();
        spec.variables = variables
            .map(|(name, value)| (bytes(name), bytes(value)))
            .collect();
        spec.open_files = origin.open_files.unwrap_or(u64::MAX);

        let (mut ours, theirs) = UnixStream::pair()?;
        let (output, write_end) = io::pipe()?;
        // The supervisor gets the reading end as well, and reads when we do not any more.
        let read_end = output.try_clone()?;
        let ends = [theirs.into(), write_end.into(), read_end.into()];
        let supervisor = origin.orphans.born(|| spawn(&origin.program, order, ends));
        let supervisor = supervisor.map_err(|error| match error.kind() {
            // That would be taken for the command.
            io::ErrorKind::NotFound => io::Error::other("the server's own program is gone"),
            _ => error,
        })?;
        let started = Instant::now();
        let sent = ours.write_all(&spec.to_bytes());
        ours.set_nonblocking(true)?;
        fcntl_setfl(&output, fcntl_getfl(&output)? | OFlags::NONBLOCK)?;
        let mut supervised = Self {
            supervisor,
            orphans: origin.orphans.clone(),
            control: Some(ours),
            output: Some(output),
            inbox: Vec::new(),
            started,
            pid: 0,
            exited: None,
        };
        let answer = sent.and_then(|()| supervised.first_report());
        let failed = match answer {
            Ok(Report::Started(pid)) => {
                supervised.pid = pid;
                return Ok(supervised);
            }
            Ok(Report::Failed(errno)) => io::Error::from_raw_os_error(errno),
            Ok(Report::WrongFolder | Report::Exited(..)) => {
                io::Error::other("the folder was replaced meanwhile")
            }
            // What was to be sent to it says only that.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => supervisor_ended(),
            Err(error) => error,
        };
        // It has nothing to do but to end what it may have started.
        supervised.bury(GRACE + BURIAL);
        Err(failed)
    }

    /// The number of the command's process.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// Says whether nothing of the command is left.
    #[must_use]
    pub fn is_over(&mut self) -> bool {
        match self.supervisor.try_wait() {
            Ok(None) => false,
            Ok(Some(status)) => {
                self.orphans.died(self.supervisor.id(), status.success());
                true
            }
            Err(_) => true,
        }
    }

    /// Hands on the output until the command ends, or is ended; now and then it hands on nothing,
    /// so that the taker can do what is due.
    ///
    /// What it left running keeps running as long as this value lives.
    pub fn watch(&mut self, watch: &Watch<'_>, sink: &mut dyn FnMut(&[u8])) -> Ended {
        let deadline = self.started + watch.time_limit;
        let mut stopped: Option<(Stopped, Instant)> = None;
        let mut took = None;
        let mut last_output = Instant::now();
        let mut buffer = vec![0; CHUNK];
        loop {
            let now = Instant::now();
            if self.exited.is_some() || self.control.is_none() {
                took.get_or_insert(now);
            }
            let wait = match (stopped, took) {
                // The supervisor closes its end when nothing is left.
                (Some((_, by)), _) if self.control.is_some() && now < by => {
                    by.saturating_duration_since(now).min(watch.tick)
                }
                (Some(_), _) => break,
                (None, Some(end)) => {
                    let shared = self.control.is_some() && self.leaves_something();
                    let drain = if shared { DRAIN_SHARED } else { DRAIN };
                    let is_silent = shared && now >= last_output.max(end) + SILENCE;
                    if self.output.is_none() || is_silent || now >= end + drain {
                        break;
                    }
                    if shared { SILENCE } else { drain }
                }
                (None, None) => {
                    let reason = if watch.cancel.is_cancelled() {
                        Some(Stopped::Cancelled)
                    } else {
                        (now >= deadline).then_some(Stopped::TimedOut)
                    };
                    if let Some(reason) = reason {
                        self.send(STOP);
                        self.wake();
                        stopped = Some((reason, now + GRACE + SWEEP));
                        continue;
                    }
                    deadline.saturating_duration_since(now).min(watch.tick)
                }
            };
            self.wait(wait);
            if self.take_output(&mut buffer, sink) {
                last_output = Instant::now();
            } else {
                sink(&[]);
            }
            self.take_reports();
        }
        // What was written before everything ended is there by now.
        while self.take_output(&mut buffer, sink) && stopped.is_some() {}
        self.settle(stopped.is_some());
        let took = took.unwrap_or_else(Instant::now);
        let (exit, running) = self.exited.clone().unzip();
        Ended {
            stopped: stopped.map(|(reason, _)| reason),
            exit,
            running: running.unwrap_or_default(),
            took: took.saturating_duration_since(self.started),
        }
    }

    /// Leaves the output to the supervisor, or takes leave of it when it has nothing to do any more.
    fn settle(&mut self, was_stopped: bool) {
        if self.control.is_some() && self.leaves_something() {
            self.send(DISCARD);
            self.output = None;
            return;
        }
        self.output = None;
        // One that could not end everything in its time is not waited for.
        let patience = if was_stopped && self.control.is_some() {
            Duration::ZERO
        } else {
            BURIAL
        };
        let is_orphaned = self.exited.is_none() && self.control.is_none();
        if is_orphaned && let Some(group) = pid_of(self.pid) {
            // The supervisor was killed; the group of the command is what is known for sure.
            let _ = kill_process_group(group, Signal::KILL);
        }
        self.bury(patience);
    }

    /// Waits for the end of the supervisor: it has closed its end, or does so as ours is closed.
    /// One that does not end in time is killed, and the server ends what it left.
    fn bury(&mut self, patience: Duration) {
        self.control = None;
        self.wake();
        let by = Instant::now() + patience;
        let end = pid_of(self.supervisor.id()).and_then(sweep::end_of);
        while matches!(self.supervisor.try_wait(), Ok(None)) {
            let left = by.saturating_duration_since(Instant::now());
            if left.is_zero() {
                // It fails only when it has ended.
                let _ = self.supervisor.kill();
                break;
            }
            match &end {
                Some(end) => wait_for(&mut [PollFd::new(end, PollFlags::IN)], left),
                None => std::thread::sleep(left.min(sweep::TICK)),
            }
        }
        let status = self.supervisor.wait();
        let is_done = status.is_ok_and(|status| status.success());
        self.orphans.died(self.supervisor.id(), is_done);
    }

    /// Lets the supervisor go on, should its command have halted it.
    fn wake(&self) {
        if let Some(supervisor) = pid_of(self.supervisor.id()) {
            // It fails only when it has ended.
            let _ = kill_process(supervisor, Signal::CONT);
        }
    }

    fn leaves_something(&self) -> bool {
        self.exited
            .as_ref()
            .is_some_and(|(_, running)| !running.is_empty())
    }

    fn first_report(&mut self) -> io::Result<Report> {
        let by = Instant::now() + START;
        loop {
            if let Some(report) = Report::take(&mut self.inbox) {
                return Ok(report);
            }
            let now = Instant::now();
            if self.control.is_none() || now >= by {
                return Err(supervisor_ended());
            }
            // Its output can wait in the pipe.
            let output = self.output.take();
            self.wait(by.saturating_duration_since(now).min(WAKE));
            // A command can halt it before it reports.
            self.wake();
            self.output = output;
            self.fill_inbox();
        }
    }

    /// Waits until something comes, for at most `limit`.
    fn wait(&self, limit: Duration) {
        let mut watched = Vec::with_capacity(2);
        if let Some(control) = &self.control {
            watched.push(PollFd::new(control, PollFlags::IN));
        }
        if let Some(output) = &self.output {
            watched.push(PollFd::new(output, PollFlags::IN));
        }
        wait_for(&mut watched, limit);
    }

    /// Hands on what is there, one buffer at most; says whether something was.
    fn take_output(&mut self, buffer: &mut [u8], sink: &mut dyn FnMut(&[u8])) -> bool {
        let Some(output) = &mut self.output else {
            return false;
        };
        match output.read(buffer) {
            Ok(n @ 1..) => {
                sink(buffer.get(..n).unwrap_or_default());
                true
            }
            Err(error) if is_later(&error) => false,
            Ok(_) | Err(_) => {
                self.output = None;
                false
            }
        }
    }

    fn take_reports(&mut self) {
        self.fill_inbox();
        while let Some(report) = Report::take(&mut self.inbox) {
            if let Report::Exited(exit, running) = report {
                self.exited = Some((exit, running));
            }
        }
    }

    fn fill_inbox(&mut self) {
        let mut buffer = [0; 4096];
        while let Some(control) = &mut self.control {
            match control.read(&mut buffer) {
                Ok(n @ 1..) => self.inbox.extend(buffer.get(..n).unwrap_or_default()),
                Err(error) if is_later(&error) => return,
                Ok(_) | Err(_) => self.control = None,
            }
        }
    }

    fn send(&mut self, word: u8) {
        if let Some(control) = &mut self.control {
            // When it cannot be told, it is gone, which shows when it is read from.
            let _ = control.write_all(&[word]);
        }
    }
}

/// Waits until one of these is ready, for at most `limit`.
fn wait_for(watched: &mut [PollFd<'_>], limit: Duration) {
    if let Ok(limit) = Timespec::try_from(limit) {
        // What stands in the way shows when something is taken.
        let _ = poll(watched, Some(&limit));
    }
}

/// Nothing can be told of a command whose supervisor did not get to start it.
fn supervisor_ended() -> io::Error {
    io::Error::other("its supervisor was ended, or has no /dev/null")
}

fn is_later(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted
    )
}

fn pid_of(number: u32) -> Option<Pid> {
    i32::try_from(number).ok().and_then(Pid::from_raw)
}

/// Starts the supervisor in the folder: by its handle where the system can, else by its path. It
/// looks itself whether it is the right one.
fn spawn(program: &Path, order: &Order<'_>, ends: [OwnedFd; 3]) -> io::Result<Child> {
    let handle = order.folder.dir.as_fd().as_raw_fd();
    let by_handle = PathBuf::from(format!("/proc/self/fd/{handle}"));
    let folder = if cfg!(target_os = "linux") && rustix::fs::stat(&by_handle).is_ok() {
        &by_handle
    } else {
        order.folder.path
    };
    let [control, write_end, read_end] = ends.map(Stdio::from);
    supervisor(program)
        .current_dir(folder)
        .stdin(control)
        .stdout(write_end)
        .stderr(read_end)
        .spawn()
}

#[expect(
    clippy::disallowed_methods,
    reason = "this is where programs are started"
)]
fn supervisor(program: &Path) -> Command {
    let mut command = Command::new(program);
    // Its variables can be read by what it starts.
    command.arg(WORD).env_clear();
    command
}

/// An exit code as people write it.
#[must_use]
pub fn code_text(code: i32) -> String {
    code.to_string()
}

/// What people call a signal.
#[must_use]
pub fn signal_name(number: i32) -> String {
    const NAMES: &[(Signal, &str)] = &[
        (Signal::HUP, "SIGHUP"),
        (Signal::INT, "SIGINT"),
        (Signal::QUIT, "SIGQUIT"),
        (Signal::ILL, "SIGILL"),
        (Signal::TRAP, "SIGTRAP"),
        (Signal::ABORT, "SIGABRT"),
        (Signal::BUS, "SIGBUS"),
        (Signal::FPE, "SIGFPE"),
        (Signal::KILL, "SIGKILL"),
        (Signal::USR1, "SIGUSR1"),
        (Signal::SEGV, "SIGSEGV"),
        (Signal::USR2, "SIGUSR2"),
        (Signal::PIPE, "SIGPIPE"),
        (Signal::ALARM, "SIGALRM"),
        (Signal::TERM, "SIGTERM"),
        (Signal::XCPU, "SIGXCPU"),
        (Signal::XFSZ, "SIGXFSZ"),
        (Signal::SYS, "SIGSYS"),
    ];
    let known = NAMES
        .iter()
        .find(|(signal, _)| signal.as_raw() == number)
        .map(|(_, name)| (*name).to_owned());
    known.unwrap_or_else(|| format!("signal {number}"))
}

/// What reading without waiting says when there is nothing to read.
fn is_nothing_yet(error: Errno) -> bool {
    matches!(error, Errno::AGAIN | Errno::INTR)
}
