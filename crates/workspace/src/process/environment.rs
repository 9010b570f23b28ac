//! `Environment`: the variables that the server was started with, read once and handed down.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::{is_within, os};

/// The variables that the server was started with.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    variables: Vec<(OsString, OsString)>,
}

impl Environment {
    /// The variables of this process. The command line asks once, at the start.
    #[must_use]
    #[expect(
        clippy::disallowed_methods,
        reason = "this is where the environment is read; everything else is handed it"
    )]
    pub fn inherited() -> Self {
        Self {
            variables: std::env::vars_os().collect(),
        }
    }

    /// These variables.
    #[must_use]
    pub fn of<K: Into<OsString>, V: Into<OsString>>(
        variables: impl IntoIterator<Item = (K, V)>,
    ) -> Self {
        let variables = variables.into_iter();
        Self {
            variables: variables
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
        }
    }

    /// All variables.
    pub fn iter(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        let variables = self.variables.iter();
        variables.map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }

    /// The value of a variable, unless it is empty.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&OsStr> {
        self.variables
            .iter()
            .find(|(known, _)| os::same_variable(known, name))
            .map(|(_, value)| value.as_os_str())
            .filter(|value| !value.is_empty())
    }

    /// The user's own folder.
    #[must_use]
    pub fn home(&self) -> Option<PathBuf> {
        let home = self.get("HOME").or_else(|| self.get("USERPROFILE"));
        home.map(PathBuf::from)
    }

    /// The variables of these names that are set.
    pub fn some<'a>(
        &'a self,
        names: &'a [&str],
    ) -> impl Iterator<Item = (OsString, OsString)> + 'a {
        names.iter().filter_map(|name| {
            let value = self.get(name)?;
            Some((OsString::from(name), value.to_owned()))
        })
    }

    /// The folders that programs are looked for in, without those in `root`: a workspace does not
    /// choose programs. Entries that depend on the current folder are left out too.
    #[must_use]
    pub fn program_folders(&self, root: &Path) -> Vec<PathBuf> {
        let Some(path) = self.get("PATH") else {
            return os::usual_program_folders();
        };
        std::env::split_paths(path)
            .filter(|folder| folder.is_absolute() && !is_within(folder, root))
            .collect()
    }

    /// The folders that temporary files may go to, the preferred one first.
    #[must_use]
    pub fn temp_folders(&self) -> Vec<PathBuf> {
        let named = os::TEMP_VARIABLES.iter().filter_map(|name| self.get(name));
        let usual = os::TEMP_FOLDERS.iter().map(PathBuf::from);
        let folders = named.map(PathBuf::from).chain(usual);
        folders.filter(|folder| folder.is_absolute()).collect()
    }

    /// The folders that files which are nobody else's business may go to, the preferred one first.
    #[must_use]
    pub fn private_folders(&self) -> Vec<PathBuf> {
        let named = os::PRIVATE_VARIABLES
            .iter()
            .filter_map(|name| self.get(name));
        let named = named.map(PathBuf::from).filter(|path| path.is_absolute());
        named.chain(self.temp_folders()).collect()
    }
}
