//! Unix: the output is read by one loop over pipes, and the whole group is killed at the end.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::{AsFd, AsRawFd as _, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rooted::{Kind, Meta};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use super::{End, Environment, Invocation, find_programs, standard_input};
use crate::cancel::Cancel;

pub(super) const TEMP_VARIABLES: &[&str] = &["TMPDIR"];
pub(super) const TEMP_FOLDERS: &[&str] = &["/tmp", "/var/tmp"];
/// Where a user has folders that others do not look into, beside those for temporary files.
pub(super) const PRIVATE_VARIABLES: &[&str] = &[];

/// Folders that the system puts in PATH by itself. With no other a server was started by something
/// that has not read the user's own settings.
pub(crate) const BARE_FOLDERS: &[&str] = &["/usr/bin", "/bin", "/usr/sbin", "/sbin"];
/// Where programs of commands are when nothing says so.
pub(crate) const USUAL_PATH: &str = "/usr/bin:/bin:/usr/sbin:/sbin";

/// How often the caller's giving up is looked for.
const TICK: Duration = Duration::from_millis(20);
/// How soon an exit is looked for where nothing tells of it.
const BLIND_TICK: Duration = Duration::from_millis(1);
/// How long output is still read after the program itself ended.
const DRAIN: Duration = Duration::from_millis(500);
/// Bytes taken from a pipe at once.
const CHUNK: usize = 64 * 1024;

pub(super) fn run(
    invocation: &Invocation<'_>,
    input: Option<&[u8]>,
    stdout: &mut dyn FnMut(&[u8]),
    stderr: &mut dyn FnMut(&[u8]),
    cancel: &Cancel,
) -> io::Result<End> {
    let deadline = Instant::now() + invocation.time_limit;
    let mut running = Running::start(invocation, input)?;
    let mut pipes = [
        Pipe::new(running.child.stdout.take(), stdout)?,
        Pipe::new(running.child.stderr.take(), stderr)?,
    ];
    let mut buffer = vec![0; CHUNK];
    let mut stopped = None;
    let mut drained_by = None;
    loop {
        let n_open = pipes.iter().filter(|pipe| pipe.source.is_some()).count();
        let exited = running.has_exited();
        let now = Instant::now();
        if exited && drained_by.is_none() {
            drained_by = Some(now + DRAIN);
        }
        if exited && n_open == 0 || drained_by.is_some_and(|end| now >= end) {
            break;
        }
        if !exited && cancel.is_cancelled() {
            stopped = Some(End::Cancelled);
            break;
        }
        if !exited && now >= deadline {
            stopped = Some(End::TimedOut);
            break;
        }
        let until = drained_by
            .unwrap_or(deadline)
            .saturating_duration_since(now);
        running.wait(&pipes, exited, until.min(TICK))?;
        for pipe in &mut pipes {
            pipe.take(&mut buffer)?;
        }
    }
    let status = running.finish()?;
    Ok(stopped.unwrap_or_else(|| match status.code() {
        Some(code) => End::Exited(code),
        None => End::Signalled(status.signal().unwrap_or(0)),
    }))
}

/// A child that does not outlive this value, nor does its group.
struct Running {
    child: Child,
    group: Pid,
    /// Becomes readable when the child ends; not every system has one.
    exit: Option<OwnedFd>,
    reaped: bool,
}

impl Running {
    fn start(invocation: &Invocation<'_>, input: Option<&[u8]>) -> io::Result<Self> {
        let by_handle = handle_path(invocation.folder.dir.as_fd());
        let started = match by_handle {
            Some(path) => match spawn(invocation, input, &path) {
                // Where `/proc` is not mounted, the path has to do.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    spawn(invocation, input, invocation.folder.path)
                }
                started => started,
            },
            None => spawn(invocation, input, invocation.folder.path),
        };
        let child = started?;
        let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let group = group.expect("the system numbers processes with positive integers");
        Ok(Self {
            child,
            group,
            exit: exit_event(group),
            reaped: false,
        })
    }

    /// Looks without reaping, so that the number of the group stays ours until the end.
    fn has_exited(&self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        !matches!(waitid(WaitId::Pid(self.group), options), Ok(None))
    }

    /// Waits for output or the end, for at most `limit`.
    fn wait(&self, pipes: &[Pipe<'_>; 2], exited: bool, limit: Duration) -> io::Result<()> {
        let mut watched = Vec::with_capacity(3);
        for pipe in pipes {
            if let Some(source) = &pipe.source {
                watched.push(PollFd::from_borrowed_fd(source.as_fd(), PollFlags::IN));
            }
        }
        let mut limit = limit;
        match &self.exit {
            Some(exit) if !exited => watched.push(PollFd::new(exit, PollFlags::IN)),
            Some(_) => {}
            None if watched.is_empty() => limit = limit.min(BLIND_TICK),
            None => {}
        }
        let limit = Timespec::try_from(limit).map_err(io::Error::other)?;
        match poll(&mut watched, Some(&limit)) {
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Ends what is left of the group, and takes the child's status.
    fn finish(mut self) -> io::Result<std::process::ExitStatus> {
        self.kill();
        self.reaped = true;
        self.child.wait()
    }

    fn kill(&self) {
        // It fails only when nothing of the group is left.
        let _ = kill_process_group(self.group, Signal::KILL);
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if !self.reaped {
            self.kill();
            // The status of a child that was given up says nothing.
            let _ = self.child.wait();
        }
    }
}

/// One output of the child.
struct Pipe<'a> {
    source: Option<OwnedFd>,
    sink: &'a mut dyn FnMut(&[u8]),
}

impl<'a> Pipe<'a> {
    fn new(source: Option<impl Into<OwnedFd>>, sink: &'a mut dyn FnMut(&[u8])) -> io::Result<Self> {
        let source = source.map(Into::into);
        if let Some(source) = &source {
            fcntl_setfl(source, fcntl_getfl(source)? | OFlags::NONBLOCK)?;
        }
        Ok(Self { source, sink })
    }

    /// Hands on what is there, one buffer at most, so that neither output starves the other.
    fn take(&mut self, buffer: &mut [u8]) -> io::Result<()> {
        let Some(source) = &self.source else {
            return Ok(());
        };
        match rustix::io::read(source, &mut *buffer) {
            Ok(0) => self.source = None,
            Ok(n) => (self.sink)(buffer.get(..n).unwrap_or_default()),
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "this is where programs are started"
)]
fn spawn(invocation: &Invocation<'_>, input: Option<&[u8]>, folder: &Path) -> io::Result<Child> {
    Command::new(invocation.program)
        .args(invocation.args)
        .env_clear()
        .envs(
            invocation
                .variables
                .iter()
                .map(|(name, value)| (name, value)),
        )
        .current_dir(folder)
        .process_group(0)
        .stdin(standard_input(input)?)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
}

/// A path that leads to an open folder in the child, before it becomes another program.
fn handle_path(dir: BorrowedFd<'_>) -> Option<PathBuf> {
    cfg!(target_os = "linux").then(|| format!("/proc/self/fd/{}", dir.as_raw_fd()).into())
}

#[cfg(target_os = "linux")]
fn exit_event(process: Pid) -> Option<OwnedFd> {
    rustix::process::pidfd_open(process, rustix::process::PidfdFlags::empty()).ok()
}

#[cfg(not(target_os = "linux"))]
fn exit_event(_process: Pid) -> Option<OwnedFd> {
    None
}

/// The names a program may have in a folder.
pub(super) fn program_names(name: &str) -> Vec<String> {
    vec![name.to_owned()]
}

/// Where the program of a command is. A path is for the system to follow, from the folder that the
/// command starts in.
pub(super) fn locate(
    program: &str,
    _start: &Path,
    folders: impl FnOnce() -> Vec<PathBuf>,
    _environment: &Environment,
) -> Option<PathBuf> {
    if program.contains('/') {
        return Some(program.into());
    }
    find_programs(program, &folders()).next()
}

/// The name by which a program is allowed: the last part of its path.
pub(crate) fn command_name(program: &str) -> String {
    let name = Path::new(program).file_name().and_then(OsStr::to_str);
    name.unwrap_or(program).to_owned()
}

/// Marks a file as in use for as long as it is open, so that [`std::fs::File::try_lock`] fails.
#[expect(
    clippy::disallowed_types,
    reason = "it was opened beneath a root, and is only locked"
)]
pub(crate) fn hold(file: &std::fs::File) {
    // Where locks are not to be had, the age of a file has to do.
    let _ = file.try_lock_shared();
}

/// The code page of consoles; there is none.
pub(super) fn console_page() -> Option<u32> {
    None
}

/// The characters of a code page above ASCII; there are none.
pub(super) fn upper_half(_page: u32) -> Option<Vec<char>> {
    None
}

/// Says whether what `stat` told may be a program.
pub(super) fn may_run(meta: &Meta) -> bool {
    meta.kind == Kind::Link || meta.kind == Kind::File && meta.mode & 0o111 != 0
}

pub(super) fn same_variable(known: &OsStr, name: &str) -> bool {
    known == name
}

/// Where programs are when nothing says so.
pub(super) fn usual_program_folders() -> Vec<PathBuf> {
    ["/usr/local/bin", "/usr/bin", "/bin"]
        .map(PathBuf::from)
        .into()
}

/// Bytes as a word for the system.
#[expect(
    clippy::unnecessary_wraps,
    reason = "not all bytes are words on Windows"
)]
pub(crate) fn os_text(bytes: &[u8]) -> Option<OsString> {
    Some(OsString::from_vec(bytes.to_vec()))
}

/// A word of the system as bytes.
pub(crate) fn bytes_of(text: &OsStr) -> Vec<u8> {
    text.as_bytes().to_vec()
}

/// Whom files belong to that this process makes.
#[expect(clippy::unnecessary_wraps, reason = "owners are no numbers on Windows")]
pub(crate) fn owner() -> Option<u32> {
    Some(rustix::process::geteuid().as_raw())
}

/// Becomes another program.
pub(super) fn exec(command: &mut Command) -> io::Result<i32> {
    Err(command.exec())
}
