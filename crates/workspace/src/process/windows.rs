//! Windows: each output is read by a thread of its own, and the program alone is ended.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read};
use std::os::windows::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use oem_cp::code_table_type::TableType;
use rooted::{Kind, Meta};

use super::{End, Environment, Invocation, find_named, standard_input};
use crate::cancel::Cancel;

pub(super) const TEMP_VARIABLES: &[&str] = &["TMP", "TEMP"];
pub(super) const TEMP_FOLDERS: &[&str] = &["C:\\Windows\\Temp"];
/// Where a user has folders that others do not look into, beside those for temporary files.
pub(super) const PRIVATE_VARIABLES: &[&str] = &["LOCALAPPDATA"];

/// Folders that tell that PATH is not the user's own; every program gets the whole one here.
pub(crate) const BARE_FOLDERS: &[&str] = &[];
/// Where programs of commands are when nothing says so.
pub(crate) const USUAL_PATH: &str = "C:\\Windows\\System32;C:\\Windows";

/// What the system can start, in its own order.
const STARTABLE: [&str; 4] = ["com", "exe", "bat", "cmd"];
/// Does not open a window for a program of the console.
const CREATE_NO_WINDOW: u32 = 0x0800_0000;

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
    input: Option<&[u8]>,
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
        .creation_flags(CREATE_NO_WINDOW)
        .stdin(standard_input(input)?)
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

/// Where the program of a command is. What has no extension gets those of PATHEXT, of which the
/// ones count that the system can start.
pub(super) fn locate(
    program: &str,
    start: &Path,
    folders: impl FnOnce() -> Vec<PathBuf>,
    environment: &Environment,
) -> Option<PathBuf> {
    let given = Path::new(program);
    let name = given.file_name()?.to_str()?;
    // The system takes dots and spaces off the end, and what is behind a colon for a stream; both
    // would make the name another one than was looked at.
    if name.ends_with(['.', ' ']) || name.contains(':') {
        return None;
    }
    let folders = if program.contains(['/', '\\', ':']) {
        let folder = start.join(given.parent()?);
        vec![folder]
            .into_iter()
            .filter(|at| at.is_absolute())
            .collect()
    } else {
        folders()
    };
    find_named(command_names(name, environment.get("PATHEXT")), &folders).next()
}

fn command_names(name: &str, extensions: Option<&OsStr>) -> Vec<String> {
    if startable(name).is_some() {
        return vec![name.to_owned()];
    }
    let extensions = extensions.and_then(OsStr::to_str).unwrap_or_default();
    let named = extensions.split(';').filter_map(startable);
    let mut names: Vec<String> = named.map(|known| format!("{name}.{known}")).collect();
    if names.is_empty() {
        names = STARTABLE.map(|known| format!("{name}.{known}")).into();
    }
    names
}

/// The extension of a name, if the system can start what has it.
fn startable(name: &str) -> Option<&'static str> {
    let (_, extension) = name.rsplit_once('.')?;
    let is_it = |known: &&&str| known.eq_ignore_ascii_case(extension.trim_end());
    STARTABLE.iter().find(is_it).copied()
}

/// The name by which a program is allowed: the last part of its path, without extension and case.
pub(crate) fn command_name(program: &str) -> String {
    let name = Path::new(program).file_name().and_then(OsStr::to_str);
    let name = name.unwrap_or(program);
    let stem = match startable(name) {
        Some(known) => name.get(..name.len() - known.len() - 1).unwrap_or(name),
        None => name,
    };
    stem.to_lowercase()
}

/// Marks a file as in use. Locks keep others from reading and its owner from writing here, and a
/// file that is open can be read to the end although it was removed, so there is nothing to do.
#[expect(clippy::disallowed_types, reason = "it was opened beneath a root")]
pub(crate) fn hold(_file: &std::fs::File) {}

/// The code page of consoles, as this system was set up.
pub(super) fn console_page() -> Option<u32> {
    let key = "SYSTEM\\CurrentControlSet\\Control\\Nls\\CodePage";
    let key = windows_registry::LOCAL_MACHINE.open(key).ok()?;
    key.get_string("OEMCP").ok()?.parse().ok()
}

/// The characters of a code page above ASCII, for those with one byte a character.
pub(super) fn upper_half(page: u32) -> Option<Vec<char>> {
    let page = u16::try_from(page).ok()?;
    let upper = match oem_cp::code_table::DECODING_TABLE_CP_MAP.get(&page)? {
        TableType::Complete(all) => all.to_vec(),
        TableType::Incomplete(all) => {
            let shown = all.iter().map(|known| known.unwrap_or('\u{fffd}'));
            shown.collect()
        }
    };
    Some(upper)
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

/// Waits for the end of another program, since this one cannot become it.
pub(super) fn exec(command: &mut Command) -> io::Result<i32> {
    Ok(command.status()?.code().unwrap_or(1))
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use super::{command_name, command_names};

    #[test]
    fn a_program_is_looked_for_under_what_can_be_started() {
        let extensions = Some(OsStr::new(".EXE;.JS;.Cmd"));
        assert_eq!(command_names("npm", extensions), ["npm.exe", "npm.cmd"]);
        assert_eq!(command_names("a.js", extensions), ["a.js.exe", "a.js.cmd"]);
        assert_eq!(command_names("Node.EXE", extensions), ["Node.EXE"]);
        assert_eq!(command_names("x", None).len(), 4);
    }

    #[test]
    fn a_program_is_allowed_without_case_and_extension() {
        for program in ["npm", "NPM.CMD", "C:\\tools\\npm.cmd", "./Npm.exe"] {
            assert_eq!(command_name(program), "npm");
        }
        assert_eq!(command_name("npm.js"), "npm.js");
        assert_eq!(command_name("npm.cmd."), "npm.cmd.");
    }
}
