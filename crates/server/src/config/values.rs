//! The values of options: each read once, from the text that a person wrote.

use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use rooted::{Durability, Mode, Root};

use super::{Room, Source, StartFault, WorkspaceConfig};
use crate::log::Level;
use crate::shell::ShellMode;

/// The least `--max-answer-bytes`: enough for a few lines and the way to go on.
pub(super) const ANSWER_BYTES_MIN: usize = 1024;
/// The greatest `--max-answer-bytes`.
pub(super) const ANSWER_BYTES_MAX: usize = 64 * 1024 * 1024;

/// What names of workspaces match.
pub(super) const NAME_PATTERN: &str = "^[a-z0-9][a-z0-9_-]*$";

pub(super) fn workspace(value: &str, folder: &Path) -> Result<WorkspaceConfig, StartFault> {
    let Some((name, path)) = value.split_once('=') else {
        return usage(format!(
            "invalid --workspace value \"{}\": expected <name>=<path>",
            rooted::show(value.as_bytes())
        ));
    };
    if !is_workspace_name(name) {
        return usage(format!(
            "invalid workspace name \"{}\" in --workspace: names must match {NAME_PATTERN}",
            rooted::show(name.as_bytes())
        ));
    }
    match path.strip_suffix(":ro") {
        Some(path) => named(name, path, true, folder),
        None => named(name, path, false, folder),
    }
}

pub(super) fn root(value: &str, folder: &Path) -> Result<WorkspaceConfig, StartFault> {
    named("default", value, false, folder)
}

/// A glob of the path policy. An empty one would take everything, which nobody writes like that.
pub(super) fn glob(option: &str, value: &str) -> Result<String, StartFault> {
    if value.trim().is_empty() {
        return usage(format!("{option} has an empty glob"));
    }
    Ok(value.to_owned())
}

fn named(
    name: &str,
    path: &str,
    read_only: bool,
    folder: &Path,
) -> Result<WorkspaceConfig, StartFault> {
    if path.trim().is_empty() {
        return usage(format!("workspace \"{name}\" has an empty path"));
    }
    Ok(WorkspaceConfig {
        name: name.to_owned(),
        root: absolute(path, folder),
        read_only,
        source: Source::Option,
    })
}

pub(super) fn is_workspace_name(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    name.bytes()
        .enumerate()
        .all(|(index, byte)| plain(byte) || (index > 0 && matches!(byte, b'-' | b'_')))
        && !name.is_empty()
}

pub(super) fn durability(value: &str) -> Result<Durability, StartFault> {
    match value {
        "kill" => Ok(Durability::Kill),
        "power" => Ok(Durability::Power),
        other => usage(format!(
            "invalid --durability: {} (expected \"kill\" or \"power\")",
            rooted::show(other.as_bytes())
        )),
    }
}

pub(super) fn room(value: &str) -> Result<Room, StartFault> {
    match value.parse() {
        Ok(bytes) if (ANSWER_BYTES_MIN..=ANSWER_BYTES_MAX).contains(&bytes) => Ok(Room::of(bytes)),
        _ => usage(format!(
            "invalid --max-answer-bytes: {} (expected an integer between {ANSWER_BYTES_MIN} and {ANSWER_BYTES_MAX})",
            rooted::show(value.as_bytes())
        )),
    }
}

pub(super) fn journal_bytes(value: &str) -> Result<u64, StartFault> {
    match value.parse() {
        Ok(bytes) if bytes > 0 => Ok(bytes),
        _ => usage(format!(
            "invalid --journal-max-bytes: {} (expected an integer of at least 1)",
            rooted::show(value.as_bytes())
        )),
    }
}

pub(super) fn journal_files(value: &str) -> Result<Option<u64>, StartFault> {
    match value.parse() {
        Ok(0) => Ok(None),
        Ok(files) => Ok(Some(files)),
        Err(_) => usage(format!(
            "invalid --journal-files: {} (expected an integer; 0 keeps all)",
            rooted::show(value.as_bytes())
        )),
    }
}

/// The file's own value was checked before, so that only the environment can be wrong.
pub(super) fn shell_mode(value: &str) -> Result<ShellMode, StartFault> {
    match value {
        "allowlist" => Ok(ShellMode::Allowlist),
        "any" => Ok(ShellMode::Any),
        other => usage(format!(
            "invalid WORKSPACE_MCP_SHELL_MODE: {} (expected \"allowlist\" or \"any\")",
            rooted::show(other.as_bytes())
        )),
    }
}

pub(super) fn search_path(value: &str) -> Result<String, StartFault> {
    if std::env::split_paths(value).any(|folder| folder.is_absolute()) {
        return Ok(value.to_owned());
    }
    usage("--shell-path names no absolute folder".to_owned())
}

/// A time in milliseconds. It comes from a file, where it was checked.
pub(super) fn time(value: &str) -> Result<Duration, StartFault> {
    match value.parse() {
        Ok(millis) => Ok(Duration::from_millis(millis)),
        Err(_) => usage(format!("invalid time: {}", rooted::show(value.as_bytes()))),
    }
}

/// Reads the value of `--log-level`.
///
/// # Errors
/// [`StartFault::Usage`] when it is none of the levels.
pub fn level(value: &str) -> Result<Level, StartFault> {
    Level::parse(value).map_or_else(
        || {
            usage(format!(
                "invalid --log-level: {} (expected off, error, warn, info or debug)",
                rooted::show(value.as_bytes())
            ))
        },
        Ok,
    )
}

pub(super) fn path(option: &str, value: &str, folder: &Path) -> Result<PathBuf, StartFault> {
    if value.trim().is_empty() {
        return usage(format!("{option} has an empty path"));
    }
    Ok(absolute(value, folder))
}

/// Absolute, with `.`, `..` and doubled slashes resolved as text, as shells and Node do. On Windows
/// what begins with a drive alone, as `C:x`, is in the current folder of that drive.
pub(crate) fn absolute(path: &str, folder: &Path) -> PathBuf {
    let mut joined = folder.join(path);
    if folder.is_absolute() && !joined.is_absolute() {
        // Without a current folder the path stays as it is, and whoever opens it says so.
        joined = std::path::absolute(&joined).unwrap_or(joined);
    }
    let mut absolute = PathBuf::new();
    for component in joined.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                absolute.pop();
            }
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => {
                absolute.push(component);
            }
        }
    }
    absolute
}

/// Says whether two paths lead to one folder, whatever links, `..`, and upper and lower case are in
/// them. What is not there is no folder.
pub(crate) fn is_same_folder(one: &Path, other: &Path) -> bool {
    let open = |path| Root::open(path, Mode::FOLLOW);
    match (open(one), open(other)) {
        (Ok(one), Ok(other)) => one.host_path() == other.host_path(),
        _ => false,
    }
}

pub(super) fn usage<T>(text: String) -> Result<T, StartFault> {
    Err(StartFault::Usage(text))
}
