//! Windows: a job object holds each command, and ends all of it when it is closed.
//!
//! The server needs no supervisor for that: the system closes what a process holds when it ends, in
//! whatever way. A command is in its job from its first instruction on, and gets no handle but its
//! three standard ones.

use std::ffi::OsStr;
use std::io::{self, PipeReader, Read as _};
use std::os::windows::io::{AsHandle as _, AsRawHandle as _, OwnedHandle};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use win32job::ExtendedLimitInfo;
use windows_spawn::{Child, Command, CreationFlags, Job, SpawnOptions, Stdio};

use super::batch;
use super::{Ended, Exit, Order, Process, Stopped, Watch};
use crate::process::Environment;

/// How long it may take until all of a job is gone that was ended.
const SWEEP: Duration = Duration::from_secs(5);
/// How long output is read after the command ended, when nothing else holds the pipe.
const DRAIN: Duration = Duration::from_millis(500);
/// How long, when something does.
const DRAIN_SHARED: Duration = Duration::from_millis(200);
/// How long such a pipe has to be silent before it counts as drained.
const SILENCE: Duration = Duration::from_millis(30);
/// How long what serves the console of a command may take to end after it.
const CONSOLE: Duration = Duration::from_millis(100);
/// How often it is looked for an end that nothing tells of.
const BLIND_TICK: Duration = Duration::from_millis(2);
/// Bytes taken from a pipe at once.
const CHUNK: usize = 64 * 1024;
/// Chunks that wait to be taken.
const WAITING: usize = 4;
/// What stands for a signal: the way in which everything is ended here.
const KILLED: i32 = 9;

/// What commands are started from; the process itself is enough.
#[derive(Clone, Debug)]
pub(super) struct Origin;

impl Origin {
    #[expect(clippy::unnecessary_wraps, reason = "other systems look something up")]
    pub(super) fn of_this_process() -> io::Result<Self> {
        Ok(Self)
    }
}

/// A command in its job. When this value is dropped, all that is left of it is ended.
#[derive(Debug)]
pub struct Supervised {
    tree: Job,
    /// The same processes again, in a form that tells which they are.
    members: win32job::Job,
    child: Child,
    /// `None` when nothing more can come, or when nobody wants it.
    output: Option<Receiver<Vec<u8>>>,
    started: Instant,
    exit: Option<Exit>,
}

impl Supervised {
    pub(super) fn start(_: &Origin, order: &Order<'_>) -> io::Result<Self> {
        let (output, write_end) = io::pipe()?;
        let tree = Job::create()?;
        tree.set_kill_on_close(true)?;
        let mut limit = ExtendedLimitInfo::new();
        limit.limit_kill_on_job_close();
        let members = win32job::Job::create_with_limit_info(&limit).map_err(io::Error::other)?;
        let mut command = command(order)?;
        command
            .stdin(Stdio::null())
            .stdout(OwnedHandle::from(write_end.try_clone()?))
            .stderr(OwnedHandle::from(write_end));
        let options = SpawnOptions::new()
            .job(&tree)
            .creation_flags(CreationFlags::NO_WINDOW);
        let suspended = command.spawn_suspended_with(options)?;
        let process = suspended.as_handle().as_raw_handle();
        members
            .assign_process(process.addr().cast_signed())
            .map_err(io::Error::other)?;
        let child = suspended.resume()?;
        let started = Instant::now();
        // Its ends of the pipe, of which we hold copies, would keep the output open.
        drop(command);
        Ok(Self {
            tree,
            members,
            child,
            output: Some(pump(output)?),
            started,
            exit: None,
        })
    }

    /// The number of the command's process.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Says whether nothing of the command is left.
    #[must_use]
    pub fn is_over(&mut self) -> bool {
        self.has_exited() && self.others().is_empty()
    }

    /// Hands on the output until the command ends, or is ended; now and then it hands on nothing,
    /// so that the taker can do what is due.
    ///
    /// What it left running keeps running as long as this value lives.
    pub fn watch(&mut self, watch: &Watch<'_>, sink: &mut dyn FnMut(&[u8])) -> Ended {
        let deadline = self.started + watch.time_limit;
        let mut end = None;
        let mut last_output = Instant::now();
        let stopped = loop {
            let now = Instant::now();
            if self.has_exited() {
                end.get_or_insert(now);
            }
            let wait = match end {
                Some(end) => {
                    let is_shared = !self.others().is_empty();
                    let drain = if is_shared { DRAIN_SHARED } else { DRAIN };
                    let is_silent = is_shared && now >= last_output.max(end) + SILENCE;
                    if self.output.is_none() || is_silent || now >= end + drain {
                        break None;
                    }
                    SILENCE
                }
                None if watch.cancel.is_cancelled() => break Some(Stopped::Cancelled),
                None if now >= deadline => break Some(Stopped::TimedOut),
                None => deadline.saturating_duration_since(now).min(watch.tick),
            };
            if self.take_output(wait, sink) {
                last_output = Instant::now();
            } else {
                sink(&[]);
            }
        };
        if stopped.is_some() {
            end = Some(self.end_all());
            // What was written before is there by now.
            while self.take_output(SILENCE, sink) {}
        }
        let running = self.settle();
        let end = end.unwrap_or_else(Instant::now);
        Ended {
            stopped,
            exit: self.exit,
            running,
            took: end.saturating_duration_since(self.started),
        }
    }

    /// Ends all at once: nothing here can be asked to end. Gives when all was gone.
    fn end_all(&mut self) -> Instant {
        let by = Instant::now() + SWEEP;
        let had_exited = self.has_exited();
        // It fails when nothing is left.
        let _ = self.tree.terminate(1);
        while !self.is_over() && Instant::now() < by {
            std::thread::sleep(BLIND_TICK);
        }
        if !had_exited {
            self.exit = Some(Exit::Signal(KILLED));
        }
        Instant::now()
    }

    /// Takes leave of the output. Gives what runs on.
    fn settle(&mut self) -> Vec<Process> {
        let is_closed = self.output.take().is_none();
        let by = Instant::now() + CONSOLE;
        loop {
            let others = self.others();
            if others.is_empty() || !is_closed || Instant::now() >= by {
                let unnamed = |pid| Process {
                    pid,
                    name: Vec::new(),
                };
                return others.into_iter().map(unnamed).collect();
            }
            std::thread::sleep(BLIND_TICK);
        }
    }

    fn has_exited(&mut self) -> bool {
        if self.exit.is_none()
            && let Ok(Some(status)) = self.child.try_wait()
        {
            self.exit = status.code().map(Exit::Code);
        }
        self.exit.is_some()
    }

    /// The processes of the job but the command itself.
    fn others(&self) -> Vec<u32> {
        let all = self.members.query_process_id_list().unwrap_or_default();
        let numbers = all.into_iter().filter_map(|pid| u32::try_from(pid).ok());
        numbers.filter(|&pid| pid != self.pid()).collect()
    }

    /// Hands on what comes within a time; says whether something did.
    fn take_output(&mut self, wait: Duration, sink: &mut dyn FnMut(&[u8])) -> bool {
        let Some(output) = &self.output else {
            // Nothing tells of the end any more.
            std::thread::sleep(wait.min(BLIND_TICK));
            return false;
        };
        match output.recv_timeout(wait) {
            Ok(bytes) => {
                sink(&bytes);
                // More of it may wait, and a thread with it. It must not go on for ever.
                for bytes in output.try_iter().take(WAITING) {
                    sink(&bytes);
                }
                true
            }
            Err(RecvTimeoutError::Timeout) => false,
            Err(RecvTimeoutError::Disconnected) => {
                self.output = None;
                false
            }
        }
    }
}

/// What the system is told to start.
fn command(order: &Order<'_>) -> io::Result<Command> {
    let mut command = if is_batch(order.program) {
        let refused = |why: batch::Refusal| io::Error::new(io::ErrorKind::InvalidInput, why);
        let script = text(order.program.as_os_str()).map_err(refused)?;
        let args: Vec<&str> = order
            .args
            .iter()
            .map(|arg| text(arg))
            .collect::<Result<_, _>>()
            .map_err(refused)?;
        let mut command = Command::new(interpreter(order));
        command.raw_arg(batch::words(script, args).map_err(refused)?);
        command
    } else {
        let mut command = Command::new(order.program);
        command.args(order.args);
        command
    };
    // The system keeps the current folders of drives under names that no program could set.
    let is_plain = |name: &OsStr| !name.as_encoded_bytes().contains(&b'=');
    let variables = order.variables.iter();
    command.current_dir(order.folder.path).env_clear().envs(
        variables
            .filter(|(name, _)| is_plain(name))
            .map(|(name, value)| (name, value)),
    );
    Ok(command)
}

fn is_batch(program: &Path) -> bool {
    let extension = program.extension();
    extension.is_some_and(|ext| ext.eq_ignore_ascii_case("cmd") || ext.eq_ignore_ascii_case("bat"))
}

fn text(word: &OsStr) -> Result<&str, batch::Refusal> {
    word.to_str()
        .ok_or("the words for a batch file must be Unicode")
}

/// The system's own command interpreter.
fn interpreter(order: &Order<'_>) -> PathBuf {
    let variables = order.variables.iter().cloned();
    let system = Environment::of(variables)
        .get("SystemRoot")
        .map(PathBuf::from);
    let system = system.filter(|path| path.is_absolute());
    let system = system.unwrap_or_else(|| PathBuf::from("C:\\Windows"));
    system.join("System32\\cmd.exe")
}

/// Reads to the end of an output, in a thread of its own: whoever writes can go on, even when
/// nobody takes it any more.
fn pump(mut output: PipeReader) -> io::Result<Receiver<Vec<u8>>> {
    let (send, receive) = sync_channel(WAITING);
    std::thread::Builder::new().spawn(move || {
        let mut buffer = vec![0; CHUNK];
        while let Ok(n @ 1..) = output.read(&mut buffer) {
            // Nobody may be there, which is no reason to stop.
            let _ = send.send(buffer.get(..n).unwrap_or_default().to_vec());
        }
    })?;
    Ok(receive)
}

/// Supervises one command; never asked for here.
///
/// # Errors
/// Always.
pub fn supervise() -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// An exit code as people write it.
#[must_use]
pub fn code_text(code: i32) -> String {
    code.cast_unsigned().to_string()
}

/// What people call a signal.
#[must_use]
pub fn signal_name(number: i32) -> String {
    match number {
        KILLED => "SIGKILL".to_owned(),
        other => format!("signal {other}"),
    }
}
