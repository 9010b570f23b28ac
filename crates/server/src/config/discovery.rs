//! Which configuration file counts: the one that is named, else the one in the current folder, else
//! the user's own. The first that is found wins; they are not merged.

use std::path::{Path, PathBuf};

use super::StartFault;
use super::file::{ConfigFile, resolve, shown};
use super::location::within;
use super::values::absolute;
use crate::platform;

/// The names in the current folder.
const LOCAL_NAMES: [&str; 2] = ["workspace-mcp.config.json", "workspace-mcp.config.toml"];
/// The names in the user's own folder.
const USER_NAMES: [&str; 2] = ["config.json", "config.toml"];

/// What looking for a configuration file came to.
#[derive(Debug, Default)]
pub struct Found {
    /// The file in use, and how it was found.
    pub file: Option<(ConfigFile, Origin)>,
    /// A line for each file that was passed over.
    pub notes: Vec<String>,
    /// Where a later start may find one: no agent may write there.
    pub user_files: Vec<PathBuf>,
}

/// How a configuration file was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// `--config` named it.
    Named,
    /// It is in the current folder.
    Local,
    /// It is the user's own.
    User,
}

/// Where to look.
#[derive(Clone, Copy)]
pub struct Search<'a> {
    /// What `--config` says.
    pub named: Option<&'a str>,
    /// The current folder.
    pub cwd: &'a Path,
    /// The roots that the command line names.
    pub roots: &'a [PathBuf],
    /// Reads a variable of the environment.
    pub environment: fn(&str) -> Option<String>,
}

impl Search<'_> {
    /// Looks for the file, and reads it.
    ///
    /// # Errors
    /// [`StartFault::Machine`] when the file that was found cannot be read or is wrong, or two are
    /// found where one is expected.
    pub fn find(self) -> Result<Found, StartFault> {
        let mut found = Found::default();
        let user = platform::user_config_dir(self.environment).map(|dir| dir.join("workspace-mcp"));
        if let Some(user) = &user {
            found.user_files = USER_NAMES.map(|name| user.join(name)).into();
        }
        if let Some(named) = self.named {
            let path = absolute(named, self.cwd);
            let file = ConfigFile::read(&path)?.ok_or_else(|| {
                StartFault::Machine(format!("config file not found: {}", shown(&path)))
            })?;
            found.file = Some((file, Origin::Named));
            return Ok(found);
        }
        if let Some(file) = self.local(&mut found.notes)? {
            found.file = Some((file, Origin::Local));
        } else if let Some(user) = &user {
            let file = one_of(user, USER_NAMES)?.map(|path| ConfigFile::read(&path));
            found.file = file.transpose()?.flatten().map(|file| (file, Origin::User));
        }
        Ok(found)
    }

    /// The file in the current folder, unless whoever is served could have written it.
    fn local(self, notes: &mut Vec<String>) -> Result<Option<ConfigFile>, StartFault> {
        let present: Vec<&str> = LOCAL_NAMES
            .into_iter()
            .filter(|name| is_there(&self.cwd.join(name)))
            .collect();
        let note =
            |name: &str| format!("ignoring {name} inside a served root; pass --config to use it");
        let outside: Vec<&str> = present
            .into_iter()
            .filter(|name| {
                let inside = is_within(self.roots, &self.cwd.join(name));
                if inside {
                    notes.push(note(name));
                }
                !inside
            })
            .collect();
        let name = match *outside {
            [] => return Ok(None),
            [name] => name,
            _ => return Err(both(self.cwd, LOCAL_NAMES)),
        };
        let Some(file) = ConfigFile::read(&self.cwd.join(name))? else {
            return Ok(None);
        };
        let mut roots: Vec<PathBuf> = file
            .workspaces()?
            .into_iter()
            .map(|workspace| workspace.root)
            .collect();
        if roots.is_empty() && self.roots.is_empty() {
            roots.push(self.cwd.to_owned());
        }
        if is_within(&roots, &file.path) || is_within(&roots, &file.real) {
            notes.push(note(name));
            return Ok(None);
        }
        Ok(Some(file))
    }
}

/// Says whether a file, or what it is a link to, lies within one of the roots.
fn is_within(roots: &[PathBuf], path: &Path) -> bool {
    let real = resolve(path).ok().flatten();
    let beneath = |path: &Path| roots.iter().any(|root| !within(root, path).is_empty());
    beneath(path) || real.is_some_and(|real| beneath(&real))
}

/// The one of two names that is there.
fn one_of(folder: &Path, names: [&str; 2]) -> Result<Option<PathBuf>, StartFault> {
    let [first, second] = names.map(|name| folder.join(name));
    match (is_there(&first), is_there(&second)) {
        (false, false) => Ok(None),
        (true, false) => Ok(Some(first)),
        (false, true) => Ok(Some(second)),
        (true, true) => Err(both(folder, names)),
    }
}

fn both(folder: &Path, [first, second]: [&str; 2]) -> StartFault {
    StartFault::Machine(format!(
        "both {first} and {second} are in {}: keep one of them",
        shown(folder)
    ))
}

/// Says whether anything has that name, be it a link to nowhere. A folder that may not be searched
/// holds nothing that was put there for this user.
#[expect(
    clippy::disallowed_methods,
    reason = "configuration lies where its owner says, outside of what is served"
)]
fn is_there(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok()
}
