//! What runs commands, as it is configured.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use workspace::Workspaces;
use workspace::commands::{Commands, Settings, USUAL, base_name};
use workspace::limits::{COMMAND_TIME, JOB_TIME};
use workspace::process::Environment;
use workspace::process::supervise::Launcher;

use crate::log::Log;

/// Which programs may run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShellMode {
    /// Those that are named.
    Allowlist,
    /// Any.
    Any,
}

/// What is configured for commands. Without a mode there are none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShellConfig {
    /// Which programs may run.
    pub mode: Option<ShellMode>,
    /// Further programs for the list.
    pub allow: Vec<String>,
    /// Programs that may not run, whatever else is said.
    pub deny: Vec<String>,
    /// Variables that are passed on although their names look secret.
    pub env: Vec<String>,
    /// Where programs are looked for.
    pub path: Option<String>,
    /// Time that commands and jobs get when a call does not say.
    pub times: Times,
    /// Where logs of jobs go.
    pub job_folder: Option<PathBuf>,
}

/// Time that commands and jobs get when a call does not say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Times {
    /// For a command.
    pub command: Duration,
    /// For a job.
    pub job: Duration,
}

impl Default for ShellConfig {
    fn default() -> Self {
        Self {
            mode: None,
            allow: Vec::new(),
            deny: Vec::new(),
            env: Vec::new(),
            path: None,
            times: Times {
                command: COMMAND_TIME,
                job: JOB_TIME,
            },
            job_folder: None,
        }
    }
}

impl ShellConfig {
    /// The base names of programs that may run; `None` when any may.
    #[must_use]
    pub fn allowed(&self) -> Option<Vec<String>> {
        match self.mode {
            Some(ShellMode::Any) => None,
            Some(ShellMode::Allowlist) | None => {
                let usual = USUAL.into_iter().map(str::to_owned);
                Some(names(usual.chain(self.allow.iter().cloned())))
            }
        }
    }

    /// The base names of programs that may not run.
    #[must_use]
    pub fn denied(&self) -> Vec<String> {
        names(self.deny.iter().cloned())
    }

    fn settings(&self) -> Settings {
        Settings {
            allowed: self.allowed(),
            denied: self.denied(),
            released: items(self.env.iter().cloned()).collect(),
            path: self.path.clone().map(Into::into),
            job_folder: self.job_folder.clone(),
            environment: Environment::inherited(),
        }
    }
}

/// The parts of lists with commas.
fn items(lists: impl Iterator<Item = String>) -> impl Iterator<Item = String> {
    lists.flat_map(|list| {
        let parts = list.split(',').map(|part| part.trim().to_owned());
        parts.filter(|part| !part.is_empty()).collect::<Vec<_>>()
    })
}

/// The base names in lists with commas, each once.
fn names(lists: impl Iterator<Item = String>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for item in items(lists) {
        let name = base_name(&item);
        if !matches!(&*name, "." | "..") && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// Runs commands.
#[derive(Debug)]
pub struct Shell {
    /// What runs them.
    pub commands: Commands,
    /// Time that commands and jobs get when a call does not say.
    pub times: Times,
    /// The base names of programs that may run; `None` when any may.
    pub allowed: Option<Vec<String>>,
}

impl Shell {
    /// What runs commands, when that is turned on. `launcher` starts their supervisors.
    #[must_use]
    pub fn new(config: &ShellConfig, launcher: Launcher) -> Option<Self> {
        config.mode?;
        let commands = Commands::new(config.settings(), launcher);
        Some(Self {
            commands,
            times: config.times,
            allowed: config.allowed(),
        })
    }
}

/// Says at the start what may run.
pub fn report(log: &Log, config: &ShellConfig, workspaces: &Workspaces) {
    let shown = |names: &[String]| rooted::show(names.join(", ").as_bytes());
    match config.mode {
        None => return,
        Some(ShellMode::Allowlist) => {
            let names = config.allowed().unwrap_or_default();
            let names = shown(&names);
            log.info(&format!(
                "run_command enabled in allowlist mode (allowed: {names})"
            ));
        }
        Some(ShellMode::Any) => {
            let mut line = "SECURITY WARNING: run_command is enabled in UNRESTRICTED mode: any \
                            program can be run, with the rights of this user, in"
                .to_owned();
            for (index, workspace) in workspaces.iter().enumerate() {
                let gap = if index == 0 { " " } else { ", " };
                let root = workspace.host_path().as_os_str().as_encoded_bytes();
                // A String takes every write.
                let _ = write!(line, "{gap}{}", rooted::show(root));
            }
            log.warn(&line);
        }
    }
    let denied = config.denied();
    if !denied.is_empty() {
        let names = shown(&denied);
        log.info(&format!(
            "denied executables (enforced in every mode): {names}"
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::{ShellConfig, ShellMode};

    #[test]
    fn lists_are_reduced_to_base_names() {
        let owned = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect();
        let mut config = ShellConfig {
            mode: Some(ShellMode::Allowlist),
            allow: owned(&["git, /usr/bin/make,", " ., ..,node", "git"]),
            deny: owned(&["docker,/x/rm"]),
            ..ShellConfig::default()
        };
        let allowed = ["pnpm", "npm", "npx", "node", "git", "make"];
        assert_eq!(config.allowed().unwrap(), allowed);
        assert_eq!(config.denied(), ["docker", "rm"]);
        config.mode = Some(ShellMode::Any);
        assert_eq!(config.allowed(), None);
    }
}
