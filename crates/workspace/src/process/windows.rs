//! Windows: each output is read by a thread of its own, and the program alone is ended.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use rooted::{Kind, Meta};

use super::{End, Invocation};
use crate::cancel::Cancel;

pub(super) const TEMP_VARIABLES: &[&str] = &["TMP", "TEMP"];
pub(super) const TEMP_FOLDERS: &[&str] = &["C:\\Windows\\Temp"];

/// How often the caller's giving up is looked for.
const TICK: Duration = Duration::from_millis(20);
/// How long output is still read after the program itself ended.
const DRAIN: Duration = Duration::from_millis(500);
/// Bytes taken from a pipe at once.
const CHUNK: usize = 64 * 1024;
/// Chunks that wait to be taken.
const WAITING: usize = 16;

enum Output {
    Stdout(Vec<u8>),
    Stderr(Vec<u8>),
}

#[expect(
    clippy::disallowed_methods,
    reason = "this is where programs are started"
)]
pub(super) fn run(
    invocation: &Invocation<'_>,
    stdout: &mut dyn FnMut(&[u8]),
    stderr: &mut dyn FnMut(&[u8]),
    cancel: &Cancel,
) -> io::Result<End> {
    let deadline = Instant::now() + invocation.time_limit;
    let mut child = Command::new(invocation.program)
        .args(invocation.args)
        .env_clear()
        .envs(
            invocation
                .variables
                .iter()
                .map(|(name, value)| (name, value)),
        )
        .current_dir(invocation.folder.path)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let (send, output) = sync_channel(WAITING);
    if let Some(source) = child.stdout.take() {
        let send = send.clone();
        // A thread ends with its pipe, or when nobody takes what it read.
        std::thread::spawn(move || pump(source, |bytes| send.send(Output::Stdout(bytes)).is_ok()));
    }
    if let Some(source) = child.stderr.take() {
        std::thread::spawn(move || pump(source, |bytes| send.send(Output::Stderr(bytes)).is_ok()));
    }
    let mut stopped = None;
    let mut closed = false;
    let mut drained_by = None;
    loop {
        let exited = child.try_wait()?.is_some();
        let now = Instant::now();
        if exited && drained_by.is_none() {
            drained_by = Some(now + DRAIN);
        }
        if exited && closed || drained_by.is_some_and(|end| now >= end) {
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
        if closed {
            std::thread::sleep(Duration::from_millis(1));
        } else {
            closed = take(&output, stdout, stderr);
        }
    }
    // It fails only when the program has ended by itself.
    let _ = child.kill();
    let status = child.wait()?;
    Ok(stopped.unwrap_or(End::Exited(status.code().unwrap_or(-1))))
}

/// Hands on what comes within a tick; says whether nothing will come any more.
fn take(
    output: &Receiver<Output>,
    stdout: &mut dyn FnMut(&[u8]),
    stderr: &mut dyn FnMut(&[u8]),
) -> bool {
    match output.recv_timeout(TICK) {
        Ok(Output::Stdout(bytes)) => stdout(&bytes),
        Ok(Output::Stderr(bytes)) => stderr(&bytes),
        Err(RecvTimeoutError::Timeout) => {}
        Err(RecvTimeoutError::Disconnected) => return true,
    }
    false
}

fn pump(mut source: impl Read, mut send: impl FnMut(Vec<u8>) -> bool) {
    let mut buffer = vec![0; CHUNK];
    while let Ok(n @ 1..) = source.read(&mut buffer) {
        if !send(buffer.get(..n).unwrap_or_default().to_vec()) {
            return;
        }
    }
}

/// The names a program may have in a folder.
pub(super) fn program_names(name: &str) -> Vec<String> {
    vec![format!("{name}.exe")]
}

/// Says whether what `stat` told may be a program.
pub(super) fn may_run(meta: &Meta) -> bool {
    matches!(meta.kind, Kind::File | Kind::Link)
}

pub(super) fn same_variable(known: &OsStr, name: &str) -> bool {
    known.eq_ignore_ascii_case(name)
}

/// Where programs are when nothing says so.
pub(super) fn usual_program_folders() -> Vec<PathBuf> {
    vec![PathBuf::from("C:\\Program Files\\Git\\cmd")]
}

/// Bytes as a word for the system; `None` when they are not Unicode.
pub(crate) fn os_text(bytes: &[u8]) -> Option<OsString> {
    std::str::from_utf8(bytes).ok().map(OsString::from)
}

/// A word of the system as bytes.
pub(crate) fn bytes_of(text: &OsStr) -> Vec<u8> {
    text.to_string_lossy().into_owned().into_bytes()
}

/// Whom files belong to that this process makes; no number here.
pub(crate) fn owner() -> Option<u32> {
    None
}

#[expect(
    clippy::disallowed_methods,
    reason = "this is where programs are started"
)]
pub(super) fn exec(
    program: &Path,
    args: &[OsString],
    variables: &[(OsString, OsString)],
) -> io::Result<i32> {
    let variables = variables.iter().map(|(name, value)| (name, value));
    let status = Command::new(program)
        .args(args)
        .env_clear()
        .envs(variables)
        .status()?;
    Ok(status.code().unwrap_or(1))
}
