//! The command line of `tunnel`: its own options, and the words that are for the server.

use std::path::{Path, PathBuf};

use crate::options::{Opt, flag, opt};

/// The options that are the tunnel's own.
pub(super) const OPTIONS: &[Opt] = &[
    opt(
        "tunnel-id",
        "<id>",
        "the tunnel (default: CONTROL_PLANE_TUNNEL_ID, else that of the profile, else asked for)",
    ),
    opt(
        "key-variable",
        "<name>",
        "variable with the runtime key (default CONTROL_PLANE_API_KEY; else asked for)",
    ),
    opt(
        "tunnel-client",
        "<path>",
        "the client to run (default: tunnel-client in PATH, else one that was fetched before)",
    ),
    flag("download", None, "fetch the client when there is none"),
    opt(
        "sha256",
        "<hex>",
        "the SHA-256 of its archive, where none is known",
    ),
    opt(
        "profile",
        "<name>",
        "keep the options in this profile of the client, and use what it has",
    ),
    opt(
        "profile-dir",
        "<dir>",
        "where profiles are (default: where the client looks)",
    ),
    flag(
        "force",
        None,
        "overwrite what was changed by hand in the profile",
    ),
    flag(
        "dry-run",
        None,
        "show what would be run and written, and stop",
    ),
    flag("help", Some('h'), "show this help"),
];

/// Options of the server whose value is a path.
const PATHS: [&str; 7] = [
    "--root",
    "--config",
    "--state-dir",
    "--log-file",
    "--tls-cert",
    "--tls-key",
    "--cursor-key-file",
];

/// A command line, split.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Words {
    /// The tunnel's own options, with their values; flags have an empty one.
    pub own: Vec<(&'static str, String)>,
    /// The words for the server, as they came.
    pub server: Vec<String>,
}

impl Words {
    /// The last value of an option of the tunnel's own.
    pub(super) fn value(&self, name: &str) -> Option<&str> {
        let given = self.own.iter().rev().find(|(option, _)| *option == name);
        given.map(|(_, value)| value.as_str())
    }

    /// Says whether an option of the tunnel's own was given.
    pub(super) fn has(&self, name: &str) -> bool {
        self.value(name).is_some()
    }
}

/// Splits the words. Whatever is no option of the tunnel's own is for the server, and so is
/// everything after `--`.
///
/// # Errors
/// One line about an option without its value, or with one that it does not take.
pub(super) fn split(words: impl IntoIterator<Item = String>) -> Result<Words, String> {
    let mut words = words.into_iter();
    let mut split = Words::default();
    while let Some(word) = words.next() {
        if word == "--" {
            split.server.extend(words);
            break;
        }
        let (name, inline) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (word.as_str(), None),
        };
        let own = OPTIONS.iter().find(|option| {
            let short = option
                .short
                .is_some_and(|short| word == format!("-{short}"));
            short || name.strip_prefix("--") == Some(option.long)
        });
        let Some(option) = own else {
            split.server.push(word);
            continue;
        };
        let long = option.long;
        let value = match (option.value, inline) {
            (None, None) => String::new(),
            (None, Some(_)) => return Err(format!("Option '--{long}' does not take an argument")),
            (Some(_), Some(value)) => value,
            (Some(_), None) => match words.next() {
                Some(value) if !value.starts_with('-') => value,
                _ => return Err(format!("Option '--{long} <value>' argument missing")),
            },
        };
        split.own.push((long, value));
    }
    Ok(split)
}

/// The words for the server with paths that hold wherever it is started.
pub(super) fn anchored(words: &[String], cwd: &Path) -> Vec<String> {
    let mut anchored = Vec::with_capacity(words.len());
    let mut before = "";
    for word in words {
        anchored.push(match (before, word.split_once('=')) {
            ("--workspace", Some((name, path))) => format!("{name}={}", absolute(path, cwd)),
            (option, _) if PATHS.contains(&option) => absolute(word, cwd),
            (_, Some(("--workspace", workspace))) => match workspace.split_once('=') {
                Some((name, path)) => format!("--workspace={name}={}", absolute(path, cwd)),
                None => word.clone(),
            },
            (_, Some((option, path))) if PATHS.contains(&option) => {
                format!("{option}={}", absolute(path, cwd))
            }
            _ => word.clone(),
        });
        before = word;
    }
    anchored
}

/// A path as it is from anywhere. Nothing is looked up: the server resolves it when it starts.
pub(super) fn absolute(path: &str, cwd: &Path) -> String {
    let joined = cwd.join(path);
    let plain: PathBuf = joined.components().collect();
    // Both came as text, so there is nothing to lose.
    plain.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests;
