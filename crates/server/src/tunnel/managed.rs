//! `tunnel managed --root DIR`: the configuration of the toolset `managed`, written for a folder.

use std::path::Path;

use rooted::{Mode, Root};
use workspace::read::sha256;

use super::client::shown;
use super::store::{self, Access};
use super::words::absolute;

/// The longest configuration that is read.
const CONFIG_BYTES: u64 = 1024 * 1024;
/// Digits of the hash in the name of a configuration.
const HASH_DIGITS: usize = 16;

/// A configuration that is to be there.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Config {
    /// Its path.
    pub path: String,
    /// What it is to hold when there is none yet.
    content: String,
    folder: std::path::PathBuf,
    name: String,
}

/// Turns `managed --root DIR [--create]` into `managed CONFIG` and the configuration for it. Any
/// other words stay as they are.
///
/// # Errors
/// One line when the folder cannot be served, or there is no place for the configuration.
pub(super) fn configured(
    words: &mut Vec<String>,
    cwd: &Path,
    data: Option<&Path>,
    is_dry: bool,
) -> Result<Option<Config>, String> {
    if words.first().is_none_or(|word| word != "managed") {
        return Ok(None);
    }
    let create = take_flag(words, "--create");
    let Some(root) = take_value(words, "--root")? else {
        return match create {
            true => Err("--create needs --root".to_owned()),
            false => Ok(None),
        };
    };
    let root = absolute(&root, cwd);
    let opened = match create && !is_dry {
        true => Root::open_or_make(Path::new(&root), Mode::FOLLOW),
        false => Root::open(Path::new(&root), Mode::FOLLOW),
    };
    let real = match opened {
        Ok(opened) => opened.host_path().to_string_lossy().into_owned(),
        Err(_) if create && is_dry => root,
        Err(error) => {
            let root = rooted::show(root.as_bytes());
            return Err(format!(
                "cannot serve {root}: {error}; --create makes a new folder"
            ));
        }
    };
    let data = data.ok_or("there is no home folder to keep the configuration in")?;
    let folder = data.join("managed");
    let hash = sha256(real.to_lowercase().as_bytes());
    let name = format!(
        "config-{}.toml",
        hash.get(..HASH_DIGITS).unwrap_or_default()
    );
    let path = folder.join(&name).to_string_lossy().into_owned();
    let spelled = if has_drive(&real) {
        real.replace('\\', "/")
    } else {
        real
    };
    // What JSON's quoting yields is one of TOML's texts, too.
    let root = serde_json::Value::from(spelled);
    let content = format!("[workspace]\nroot = {root}\n\n[server]\ntransport = \"stdio\"\n");
    words.insert(1, path.clone());
    Ok(Some(Config {
        path,
        content,
        folder,
        name,
    }))
}

/// Whether a path has a drive, so that a backslash in it separates.
fn has_drive(path: &str) -> bool {
    path.as_bytes().get(1) == Some(&b':')
}

impl Config {
    /// Writes it, unless there is one: what a person put in stays.
    pub(super) fn write(&self) -> Result<(), String> {
        let fault = |error| format!("cannot write {}: {error}", shown(Path::new(&self.path)));
        match store::read(&self.folder, &self.name, CONFIG_BYTES).map_err(fault)? {
            Some(_) => Ok(()),
            None => store::write(
                &self.folder,
                &self.name,
                self.content.as_bytes(),
                Access::Usual,
            )
            .map_err(fault),
        }
    }
}

fn take_flag(words: &mut Vec<String>, name: &str) -> bool {
    let before = words.len();
    words.retain(|word| word != name);
    words.len() < before
}

fn take_value(words: &mut Vec<String>, name: &str) -> Result<Option<String>, String> {
    let inline = |word: &String| {
        let rest = word.strip_prefix(name)?;
        rest.strip_prefix('=').map(str::to_owned)
    };
    if let Some(at) = words.iter().position(|word| inline(word).is_some()) {
        return Ok(inline(&words.remove(at)));
    }
    let Some(at) = words.iter().position(|word| word == name) else {
        return Ok(None);
    };
    words.remove(at);
    if at < words.len() {
        return Ok(Some(words.remove(at)));
    }
    Err(format!("Option '{name} <value>' argument missing"))
}
