//! From the command line to a configuration whose every value is checked.
//!
//! Two steps: what is written ([`Config::from_options`], which looks at nothing but the words), and
//! what is there ([`Config::open`], which opens the roots).

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rooted::{Durability, Mode, Root};
use workspace::clock::Clock;
use workspace::records::Keep;
use workspace::{Policy, WorkspaceOptions, Workspaces, limits};

use crate::log::Level;
use crate::registry::ToolFilter;

/// Why the server does not start.
#[derive(Debug, PartialEq, Eq)]
pub enum StartFault {
    /// The options are wrong: exit code 2, and a pointer to `--help`.
    Usage(String),
    /// Something in the machine is: exit code 1.
    Machine(String),
}

/// What the options say.
#[derive(Clone, Debug)]
pub struct Config {
    /// The workspaces, in the order of the listing.
    pub workspaces: Vec<WorkspaceConfig>,
    /// What a finished change survives.
    pub durability: Durability,
    /// Which tools exist.
    pub tools: ToolFilter,
    /// Globs of paths that no tool shows.
    pub deny_paths: Vec<String>,
    /// Globs of paths that no tool writes.
    pub read_only_paths: Vec<String>,
    /// How long answers may get.
    pub room: Room,
    /// How long the journal and the notes are kept.
    pub keep: Keep,
    /// Where state is kept, if not in the roots.
    pub state_dir: Option<PathBuf>,
    /// What is logged.
    pub log_level: Level,
    /// Where the log goes, if not to stderr.
    pub log_file: Option<PathBuf>,
}

/// One workspace as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkspaceConfig {
    /// Its name.
    pub name: String,
    /// Its root, absolute, links not resolved.
    pub root: PathBuf,
    /// Whether it is closed to writing.
    pub read_only: bool,
}

/// How long answers may get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// Bytes of what was asked for, at most.
    pub body: usize,
    /// Bytes of the whole text, with the lines that say what was left out.
    pub whole: usize,
}

impl Room {
    /// Bytes for the lines that say what was left out.
    const NOTICES: usize = 512;
    /// The default: the body alone may fill it, as ever.
    pub const DEFAULT: Self = Self {
        body: limits::ANSWER_BYTES,
        whole: limits::ANSWER_BYTES + Self::NOTICES,
    };

    /// Room for answers of so many bytes, everything counted.
    const fn of(bytes: usize) -> Self {
        Self {
            body: bytes.saturating_sub(Self::NOTICES),
            whole: bytes,
        }
    }
}

/// The least `--max-answer-bytes`: enough for a few lines and the way to go on.
const ANSWER_BYTES_MIN: usize = 1024;
/// The greatest `--max-answer-bytes`.
const ANSWER_BYTES_MAX: usize = 64 * 1024 * 1024;

/// The options that the environment stands for. Those of the command line come behind them, and win.
#[must_use]
pub fn environment_options(read: impl Fn(&str) -> Option<String>) -> Vec<(&'static str, String)> {
    let mut options = Vec::new();
    // What is no positive number was always passed over.
    let number = read("WORKSPACE_MCP_JOURNAL_MAX_BYTES").and_then(|text| text.trim().parse().ok());
    if let Some(bytes) = number.filter(|&bytes: &f64| bytes >= 1.0 && bytes.is_finite()) {
        options.push(("journal-max-bytes", format!("{:.0}", bytes.floor())));
    }
    options
}

impl Config {
    /// Reads the options; relative paths start at `cwd`.
    ///
    /// # Errors
    /// [`StartFault::Usage`] with one line for the first option that is wrong.
    pub fn from_options(
        options: &[(&'static str, String)],
        cwd: &Path,
    ) -> Result<Self, StartFault> {
        let mut config = Self {
            workspaces: Vec::new(),
            durability: Durability::Kill,
            tools: ToolFilter::default(),
            deny_paths: Vec::new(),
            read_only_paths: Vec::new(),
            room: Room::DEFAULT,
            keep: Keep::default(),
            state_dir: None,
            log_level: Level::Info,
            log_file: None,
        };
        let mut root = None;
        for (name, value) in options {
            match *name {
                "root" => root = Some(value.as_str()),
                "workspace" => config.workspaces.push(workspace(value, cwd)?),
                "durability" => config.durability = durability(value)?,
                "read-only" => config.tools.read_only = true,
                "allow-tool" => config.tools.allow.push(value.clone()),
                "deny-tool" => config.tools.deny.push(value.clone()),
                "deny-path" => config.deny_paths.push(value.clone()),
                "read-only-path" => config.read_only_paths.push(value.clone()),
                "max-answer-bytes" => config.room = room(value)?,
                "journal-max-bytes" => config.keep.max_bytes = journal_bytes(value)?,
                "journal-files" => config.keep.max_files = journal_files(value)?,
                "state-dir" => config.state_dir = Some(path("--state-dir", value, cwd)?),
                "log-level" => config.log_level = level(value)?,
                "log-file" => config.log_file = Some(path("--log-file", value, cwd)?),
                _ => {}
            }
        }
        if let Some(root) = root {
            let root = named("default", root, false, cwd)?;
            config.workspaces.insert(0, root);
        } else if config.workspaces.is_empty() {
            config.workspaces.push(WorkspaceConfig {
                name: "default".to_owned(),
                root: cwd.to_owned(),
                read_only: false,
            });
        }
        for (index, later) in config.workspaces.iter().enumerate().skip(1) {
            if config.workspaces[..index]
                .iter()
                .any(|earlier| earlier.name == later.name)
            {
                return Err(StartFault::Usage(format!(
                    "duplicate workspace name \"{}\": workspace names must be unique",
                    later.name
                )));
            }
        }
        Ok(config)
    }

    /// Opens the roots, and the folder for their state if there is one.
    ///
    /// # Errors
    /// [`StartFault::Machine`] with one line for the first folder that cannot be opened.
    pub fn open(&self) -> Result<Workspaces, StartFault> {
        let policy = Policy::new(&self.deny_paths, &self.read_only_paths);
        let state_base = self.state_base()?;
        let options = |workspace: &WorkspaceConfig| WorkspaceOptions {
            name: workspace.name.clone(),
            path: workspace.root.clone(),
            policy: policy.clone(),
            writable: !workspace.read_only && !self.tools.read_only,
            durability: self.durability,
            state_base: state_base.clone(),
            keep: self.keep,
            clock: Clock::System,
        };
        let all = self.workspaces.iter().map(options).collect();
        Workspaces::open(all).map_err(|(index, error)| {
            let fault = match error.kind() {
                ErrorKind::NotFound => "root does not exist".to_owned(),
                ErrorKind::NotADirectory => "root is not a directory".to_owned(),
                _ => format!("root cannot be opened ({error})"),
            };
            let text = match self.workspaces.get(index) {
                Some(WorkspaceConfig { name, root, .. }) => {
                    let root = rooted::show(root.as_os_str().as_encoded_bytes());
                    format!("workspace \"{name}\" {fault}: {root}")
                }
                None => fault,
            };
            StartFault::Machine(text)
        })
    }

    /// The folder for state outside the roots, made if need be.
    fn state_base(&self) -> Result<Option<Arc<Root>>, StartFault> {
        let Some(path) = &self.state_dir else {
            return Ok(None);
        };
        let root = Root::open_or_make(path, Mode::NO_LINKS).map_err(|error| {
            let path = rooted::show(path.as_os_str().as_encoded_bytes());
            StartFault::Machine(format!("cannot use --state-dir {path}: {error}"))
        })?;
        Ok(Some(Arc::new(root)))
    }
}

fn workspace(value: &str, cwd: &Path) -> Result<WorkspaceConfig, StartFault> {
    let Some((name, path)) = value.split_once('=') else {
        return usage(format!(
            "invalid --workspace value \"{}\": expected <name>=<path>",
            rooted::show(value.as_bytes())
        ));
    };
    if !is_workspace_name(name) {
        return usage(format!(
            "invalid workspace name \"{}\" in --workspace: names must match ^[a-z0-9][a-z0-9_-]*$",
            rooted::show(name.as_bytes())
        ));
    }
    match path.strip_suffix(":ro") {
        Some(path) => named(name, path, true, cwd),
        None => named(name, path, false, cwd),
    }
}

fn named(
    name: &str,
    path: &str,
    read_only: bool,
    cwd: &Path,
) -> Result<WorkspaceConfig, StartFault> {
    if path.trim().is_empty() {
        return usage(format!("workspace \"{name}\" has an empty path"));
    }
    Ok(WorkspaceConfig {
        name: name.to_owned(),
        root: absolute(path, cwd),
        read_only,
    })
}

fn is_workspace_name(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    name.bytes()
        .enumerate()
        .all(|(index, byte)| plain(byte) || (index > 0 && matches!(byte, b'-' | b'_')))
        && !name.is_empty()
}

fn durability(value: &str) -> Result<Durability, StartFault> {
    match value {
        "kill" => Ok(Durability::Kill),
        "power" => Ok(Durability::Power),
        other => usage(format!(
            "invalid --durability: {} (expected \"kill\" or \"power\")",
            rooted::show(other.as_bytes())
        )),
    }
}

fn room(value: &str) -> Result<Room, StartFault> {
    match value.parse() {
        Ok(bytes) if (ANSWER_BYTES_MIN..=ANSWER_BYTES_MAX).contains(&bytes) => Ok(Room::of(bytes)),
        _ => usage(format!(
            "invalid --max-answer-bytes: {} (expected an integer between {ANSWER_BYTES_MIN} and {ANSWER_BYTES_MAX})",
            rooted::show(value.as_bytes())
        )),
    }
}

fn journal_bytes(value: &str) -> Result<u64, StartFault> {
    match value.parse() {
        Ok(bytes) if bytes > 0 => Ok(bytes),
        _ => usage(format!(
            "invalid --journal-max-bytes: {} (expected an integer of at least 1)",
            rooted::show(value.as_bytes())
        )),
    }
}

fn journal_files(value: &str) -> Result<Option<u64>, StartFault> {
    match value.parse() {
        Ok(0) => Ok(None),
        Ok(files) => Ok(Some(files)),
        Err(_) => usage(format!(
            "invalid --journal-files: {} (expected an integer; 0 keeps all)",
            rooted::show(value.as_bytes())
        )),
    }
}

fn level(value: &str) -> Result<Level, StartFault> {
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

fn path(option: &str, value: &str, cwd: &Path) -> Result<PathBuf, StartFault> {
    if value.trim().is_empty() {
        return usage(format!("{option} has an empty path"));
    }
    Ok(absolute(value, cwd))
}

/// Absolute, with `.`, `..` and doubled slashes resolved as text, as shells and Node do.
fn absolute(path: &str, cwd: &Path) -> PathBuf {
    use std::path::Component;

    let mut absolute = PathBuf::new();
    for component in cwd.join(path).components() {
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

fn usage<T>(text: String) -> Result<T, StartFault> {
    Err(StartFault::Usage(text))
}

#[cfg(test)]
mod tests;
