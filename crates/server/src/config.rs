//! From the command line, the environment and the configuration file to a configuration whose every
//! value is checked.
//!
//! The three are layers of options, weakest first: a file stands for options, each key for one
//! ([`keys`]), so that a value means the same wherever it was written. Two steps lead on: what is
//! written ([`Config::from_layers`], which looks at nothing but the words), and what is there
//! ([`Config::open`], which opens the roots).

pub mod check;
pub mod discovery;
pub mod file;
pub mod keys;
mod location;
pub mod schema;
pub mod shape;
pub mod transport;
pub(crate) mod values;

use std::fmt::Display;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rooted::{Durability, Mode, Root};
use workspace::clock::Clock;
use workspace::records::Keep;
use workspace::{Policy, WorkspaceOptions, Workspaces, limits};

use self::discovery::Found;
use self::keys::Key;
use self::transport::Transport;
use crate::commands::NO_FOLDER;
use crate::log::Level;
use crate::registry::{ToolFilter, UnknownTool};
use crate::shell::{ShellConfig, ShellMode};

/// Why the server does not start.
#[derive(Debug, PartialEq, Eq)]
pub enum StartFault {
    /// The options are wrong: exit code 2, and a pointer to `--help`.
    Usage(String),
    /// Something in the machine is: exit code 1.
    Machine(String),
}

/// Where a value comes from, weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// Nobody said anything.
    BuiltIn,
    /// The configuration file.
    File,
    /// A variable of the environment.
    Environment,
    /// An option of the command line.
    Option,
}

/// Options that come from one place.
#[derive(Clone, Copy, Debug)]
pub struct Layer<'a> {
    /// The place.
    pub source: Source,
    /// Where relative paths start.
    pub folder: &'a Path,
    /// The options.
    pub options: &'a [(&'static str, String)],
}

/// One value as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The option, or the one that the key of the file stands for.
    pub option: &'static str,
    /// Its value.
    pub value: String,
    /// Where it was written.
    pub source: Source,
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
    /// How clients reach the server.
    pub transport: Transport,
    /// Whether and how commands run.
    pub shell: ShellConfig,
    /// What is logged.
    pub log_level: Level,
    /// Where the log goes, if not to stderr.
    pub log_file: Option<PathBuf>,
    /// Configuration files that no tool may write.
    pub config_files: Vec<PathBuf>,
    /// All that was said, weakest first.
    pub settings: Vec<Setting>,
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
    /// Who named it.
    pub source: Source,
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

/// Says whether a file lies beneath a folder, by whatever spelling.
#[must_use]
pub fn is_within(folder: &Path, file: &Path) -> bool {
    !location::within(folder, file).is_empty()
}

/// The variable of the environment that does what an option does.
#[must_use]
pub fn variable(option: &str) -> Option<&'static str> {
    Some(match option {
        "journal-max-bytes" => "WORKSPACE_MCP_JOURNAL_MAX_BYTES",
        "token" => "MCP_TOKEN",
        "shell" => "WORKSPACE_MCP_SHELL",
        "shell-mode" => "WORKSPACE_MCP_SHELL_MODE",
        "shell-allow" => "WORKSPACE_MCP_SHELL_ALLOW",
        "shell-deny" => "WORKSPACE_MCP_SHELL_DENY",
        "job-dir" => "WORKSPACE_MCP_JOB_DIR",
        _ => return None,
    })
}

/// The options that the environment stands for.
#[must_use]
pub fn environment_options(read: impl Fn(&str) -> Option<String>) -> Vec<(&'static str, String)> {
    let mut options = Vec::new();
    // What is no positive number was always passed over.
    let number = variable("journal-max-bytes")
        .and_then(&read)
        .and_then(|text| text.trim().parse().ok());
    if let Some(bytes) = number.filter(|&bytes: &f64| bytes >= 1.0 && bytes.is_finite()) {
        options.push(("journal-max-bytes", format!("{:.0}", bytes.floor())));
    }
    if let Some(token) = variable("token").and_then(&read) {
        options.push(("token", token));
    }
    if variable("shell")
        .and_then(&read)
        .is_some_and(|value| value == "1")
    {
        options.push(("shell", String::new()));
    }
    // The mode is not passed over when it is empty: whoever sets it means something.
    for option in ["shell-mode", "shell-allow", "shell-deny", "job-dir"] {
        let value = variable(option).and_then(&read);
        options.extend(
            value
                .filter(|value| option == "shell-mode" || !value.trim().is_empty())
                .map(|value| (option, value)),
        );
    }
    options
}

impl Config {
    /// Reads the options of the command line; relative paths start at `cwd`.
    ///
    /// # Errors
    /// [`StartFault::Usage`] with one line for the first option that is wrong.
    pub fn from_options(
        options: &[(&'static str, String)],
        cwd: &Path,
    ) -> Result<Self, StartFault> {
        let layer = Layer {
            source: Source::Option,
            folder: cwd,
            options,
        };
        Self::from_layers(&[layer], cwd)
    }

    /// Reads the layers, weakest first; without a workspace in any of them, `cwd` is served.
    ///
    /// # Errors
    /// [`StartFault::Usage`] with one line for the first option that is wrong.
    pub fn from_layers(layers: &[Layer<'_>], cwd: &Path) -> Result<Self, StartFault> {
        let mut config = Self {
            workspaces: Vec::new(),
            durability: Durability::Kill,
            tools: ToolFilter::default(),
            deny_paths: Vec::new(),
            read_only_paths: Vec::new(),
            room: Room::DEFAULT,
            keep: Keep::default(),
            state_dir: None,
            transport: Transport::default(),
            shell: ShellConfig::default(),
            log_level: Level::Info,
            log_file: None,
            config_files: Vec::new(),
            settings: Vec::new(),
        };
        for layer in layers {
            config.apply(*layer)?;
        }
        if config.workspaces.is_empty() {
            config.workspaces.push(WorkspaceConfig {
                name: "default".to_owned(),
                root: cwd.to_owned(),
                read_only: false,
                source: Source::BuiltIn,
            });
        }
        Ok(config)
    }

    fn apply(&mut self, layer: Layer<'_>) -> Result<(), StartFault> {
        let folder = layer.folder;
        let mut root = None;
        let mut workspaces = Vec::new();
        let mut mode = None;
        for (name, value) in layer.options {
            match *name {
                "root" => root = Some(value.as_str()),
                "workspace" => workspaces.push(values::workspace(value, folder)?),
                "durability" => self.durability = values::durability(value)?,
                // The option has no value, the key of the file has.
                "read-only" => self.tools.read_only = value != "false",
                "allow-tool" => self.tools.allow.push(value.clone()),
                "deny-tool" => self.tools.deny.push(value.clone()),
                "deny-path" => self.deny_paths.push(values::glob("--deny-path", value)?),
                "read-only-path" => {
                    let glob = values::glob("--read-only-path", value)?;
                    self.read_only_paths.push(glob);
                }
                "max-answer-bytes" => self.room = values::room(value)?,
                "journal-max-bytes" => self.keep.max_bytes = values::journal_bytes(value)?,
                "journal-files" => self.keep.max_files = values::journal_files(value)?,
                "state-dir" => self.state_dir = Some(values::path("--state-dir", value, folder)?),
                // Who says both means the wider one.
                "shell" => mode = mode.or(Some(ShellMode::Allowlist)),
                "shell-any" => mode = Some(ShellMode::Any),
                "shell-mode" => mode = Some(values::shell_mode(value)?),
                "shell-allow" => self.shell.allow.push(value.clone()),
                "shell-deny" => self.shell.deny.push(value.clone()),
                "shell-env" => self.shell.env.push(value.clone()),
                "shell-path" => self.shell.path = Some(values::search_path(value)?),
                "shell-timeout-ms" => self.shell.times.command = values::time(value)?,
                "shell-max-runtime-ms" => self.shell.times.job = values::time(value)?,
                "job-dir" => self.shell.job_folder = Some(values::absolute(value, folder)),
                "tls-cert" | "tls-key" => self.transport.tls_file(name, value, folder)?,
                "log-level" => self.log_level = values::level(value)?,
                "log-file" => self.log_file = Some(values::path("--log-file", value, folder)?),
                "config" => {
                    values::path("--config", value, folder)?;
                }
                _ => self.transport.apply(name, value, layer.source)?,
            }
            let (option, value) = match *name {
                "shell" => ("shell-mode", "allowlist"),
                "shell-any" => ("shell-mode", "any"),
                other => (other, value.as_str()),
            };
            self.settings.push(Setting {
                option,
                // A secret is kept nowhere.
                value: if *name == "token" { "(hidden)" } else { value }.to_owned(),
                source: layer.source,
            });
        }
        if mode.is_some() {
            self.shell.mode = mode;
        }
        if let Some(root) = root {
            workspaces.insert(0, values::root(root, folder)?);
        }
        for (index, workspace) in workspaces.iter().enumerate() {
            let mut earlier = workspaces.iter().take(index);
            if earlier.any(|earlier| earlier.name == workspace.name) {
                return values::usage(format!(
                    "duplicate workspace name \"{}\": workspace names must be unique",
                    workspace.name
                ));
            }
        }
        for mut workspace in workspaces {
            workspace.source = layer.source;
            let weaker = self
                .workspaces
                .iter_mut()
                .find(|weaker| weaker.name == workspace.name);
            match weaker {
                Some(weaker) => *weaker = workspace,
                None => self.workspaces.push(workspace),
            }
        }
        Ok(())
    }

    /// The roots that the command line names.
    #[must_use]
    pub fn named_roots(&self) -> Vec<PathBuf> {
        self.workspaces
            .iter()
            .filter(|workspace| workspace.source == Source::Option)
            .map(|workspace| workspace.root.clone())
            .collect()
    }

    /// Closes configuration files to every tool: the one in use, and those that a later start would
    /// find.
    #[must_use]
    pub fn protecting(mut self, found: &Found) -> Self {
        if let Some((file, _)) = &found.file {
            self.config_files
                .extend([file.path.clone(), file.real.clone()]);
        }
        self.config_files.extend(found.user_files.iter().cloned());
        self
    }

    /// The fault of a tool name that no tool has, named as it was written.
    #[must_use]
    pub fn unknown_tool(&self, unknown: &UnknownTool) -> StartFault {
        let UnknownTool { option, name } = unknown;
        let option = option.trim_start_matches("--");
        let said = |setting: &&Setting| setting.option == option && setting.value == *name;
        match (self.settings.iter().find(said), Key::of_option(option)) {
            (Some(setting), Some(key)) if setting.source == Source::File => {
                let name = rooted::show(name.as_bytes());
                StartFault::Machine(format!("unknown tool in {}: {name}", key.name))
            }
            _ => StartFault::Usage(unknown.to_string()),
        }
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
            policy: self.protect(policy.clone(), &workspace.root, state_base.as_deref()),
            writable: !workspace.read_only && !self.tools.read_only,
            durability: self.durability,
            state_base: state_base.clone(),
            keep: self.keep,
            clock: Clock::System,
            mode: Mode::FOLLOW,
        };
        let all = self.workspaces.iter().map(options).collect();
        Workspaces::open(all).map_err(|(index, error)| {
            let workspace = self
                .workspaces
                .get(index)
                .expect("the index is that of one of these");
            StartFault::Machine(workspace.fault(&error))
        })
    }

    /// The policy for a root, with the configuration files and the state that lie in it closed to
    /// writing.
    fn protect(&self, policy: Policy, root: &Path, state_base: Option<&Root>) -> Policy {
        let policy = location::all_within(root, &self.config_files)
            .iter()
            .fold(policy, Policy::with_config_file);
        state_base
            .into_iter()
            .flat_map(|base| location::within(root, base.host_path()))
            .fold(policy, |policy, path| policy.with_state_folder(&path))
    }

    /// The folder for state outside the roots, made if need be.
    fn state_base(&self) -> Result<Option<Arc<Root>>, StartFault> {
        let Some(path) = &self.state_dir else {
            return Ok(None);
        };
        let root = Root::open_or_make(path, Mode::NO_LINKS)
            .map_err(|error| StartFault::Machine(self.state_fault(path, &error)))?;
        match self.served_as_state(path, &root) {
            Some(fault) => Err(StartFault::Machine(fault)),
            None => Ok(Some(Arc::new(root))),
        }
    }

    /// The fault of a folder for state that is a root: beside the files that are served nothing could
    /// be closed to the tools for files.
    fn served_as_state(&self, path: &Path, state: &Root) -> Option<String> {
        let id = state.id().ok()?;
        let same = |one: &&WorkspaceConfig| {
            let served = Root::open(&one.root, Mode::FOLLOW);
            served
                .and_then(|served| served.id())
                .is_ok_and(|served| served == id)
        };
        let one = self.workspaces.iter().find(same)?;
        let fault = format!("it is the root of workspace \"{}\"", one.name);
        Some(self.state_fault(path, &fault))
    }

    fn state_fault(&self, path: &Path, error: &impl Display) -> String {
        let source = self.source_of("state-dir");
        let said = if source == Source::File {
            "state.dir"
        } else {
            "--state-dir"
        };
        let path = rooted::show(path.as_os_str().as_encoded_bytes());
        format!("cannot use {said} {path}: {error}")
    }

    /// A line for each pattern of the policy that is written as a path of the host, and so is unlikely
    /// to hide or close what it was meant for.
    #[must_use]
    pub fn misplaced_patterns(&self) -> Vec<String> {
        let patterns = self
            .settings
            .iter()
            .filter(|one| matches!(one.option, "deny-path" | "read-only-path"));
        let misplaced = patterns.filter(|one| {
            let path = Path::new(&one.value);
            let climbs = one.value.split(['/', '\\']).any(|name| name == "..");
            // In the root `/` a path of the host is one of the root.
            let lies_in = |one: &WorkspaceConfig| {
                one.root.parent().is_some() && !location::within(&one.root, path).is_empty()
            };
            climbs || path.is_absolute() && self.workspaces.iter().any(lies_in)
        });
        let line = |one: &Setting| {
            let said = match Key::of_option(one.option) {
                Some(key) if one.source == Source::File => key.name.to_owned(),
                _ => format!("--{}", one.option),
            };
            let value = rooted::show(one.value.as_bytes());
            format!(
                "WARNING: {said} \"{value}\" may match nothing: patterns are relative to the workspace root"
            )
        };
        misplaced.map(line).collect()
    }

    /// Where the value of an option comes from.
    fn source_of(&self, option: &str) -> Source {
        let mut said = self.settings.iter().rev();
        said.find(|setting| setting.option == option)
            .map_or(Source::BuiltIn, |setting| setting.source)
    }
}

impl WorkspaceConfig {
    /// Why its root cannot be opened.
    fn fault(&self, error: &io::Error) -> String {
        if !self.root.is_absolute() {
            return format!("workspace \"{}\": {NO_FOLDER}", self.name);
        }
        let fault = match error.kind() {
            ErrorKind::NotFound => "root does not exist".to_owned(),
            ErrorKind::NotADirectory => "root is not a directory".to_owned(),
            _ => format!("root cannot be opened ({error})"),
        };
        let root = rooted::show(self.root.as_os_str().as_encoded_bytes());
        format!("workspace \"{}\" {fault}: {root}", self.name)
    }
}

#[cfg(test)]
mod tests;
