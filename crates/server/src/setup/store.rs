//! Reads a client's file, keeps a copy of it, and puts a new version in its place in one step.
//!
//! The folder of the file is opened as a root, and everything happens beneath that handle. A link
//! is followed to the file that it stands for, so that it stays a link.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use rooted::{Basis, Dir, Durability, File, Mode, Put, RelPath, Root, temp_name};

use super::client::Scope;
use crate::config::file::{reason, resolve};

/// Bytes of a file; Claude Code keeps its history in the same file as its servers.
const FILE_BYTES: u64 = 64 * 1024 * 1024;

/// Nobody changes such a file often; the tests do, thousands of times.
const DURABILITY: Durability = if cfg!(test) {
    Durability::Kill
} else {
    Durability::Power
};

/// A file as it was read.
#[derive(Debug)]
pub(crate) struct Known {
    /// Where it is, links resolved.
    pub(crate) path: PathBuf,
    /// Its content; empty when there is no file.
    pub(crate) text: String,
    old: Option<File>,
}

/// How a write ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Written {
    /// As asked.
    Done,
    /// Somebody else wrote meanwhile; nothing was changed.
    Changed,
}

impl Known {
    /// Reads the file at an absolute path, which may not be there.
    ///
    /// # Errors
    /// One line that says why it cannot be read.
    pub(crate) fn read(path: &Path) -> Result<Self, String> {
        let fault = |what: String| format!("cannot read {}: {what}", shown(path));
        let resolved = resolve(path).map_err(fault)?;
        let Some(real) = resolved else {
            return Ok(Self {
                path: path.to_owned(),
                text: String::new(),
                old: None,
            });
        };
        let (folder, name) = split(&real).ok_or_else(|| fault("not a file".to_owned()))?;
        let folder =
            Root::open(folder, Mode::NO_LINKS).map_err(|error| fault(error.to_string()))?;
        let mut old = folder
            .open_file(&name)
            .map_err(|error| fault(reason(&error)))?;
        if old.meta().len > FILE_BYTES {
            return Err(fault(format!("larger than {FILE_BYTES} bytes")));
        }
        let bytes = old
            .read_all(FILE_BYTES)
            .map_err(|error| fault(error.to_string()))?;
        let text = String::from_utf8(bytes)
            .map_err(|_| fault("not valid UTF-8; save it as UTF-8 first".to_owned()))?;
        Ok(Self {
            path: real,
            text,
            old: Some(old),
        })
    }

    /// Says whether there is a file.
    pub(crate) fn exists(&self) -> bool {
        self.old.is_some()
    }

    /// Puts another content in the place of this one.
    ///
    /// # Errors
    /// One line with what the operating system says.
    pub(crate) fn write(&mut self, text: &str, scope: Scope) -> Result<Written, String> {
        let old = self.old.take();
        let fault = |what: String| self.refused("write", &what);
        let (folder, name) = split(&self.path).ok_or_else(|| fault("not a file".to_owned()))?;
        let dir = match &old {
            Some(_) => open(folder),
            None => make(folder, scope),
        };
        let dir = dir.map_err(fault)?;
        let name = name.file_name().unwrap_or_default();
        let temp = temp_name();
        let put = match old {
            Some(old) => dir
                .stage_like(&temp, text.as_bytes(), &old, DURABILITY)
                .and_then(|staged| {
                    let meta = *old.meta();
                    // Windows does not replace an open file on every file system.
                    drop(old);
                    let basis = Basis {
                        meta: &meta,
                        content: Some(self.text.as_bytes()),
                    };
                    dir.put_over(&staged, name, &basis)
                }),
            None => dir
                .stage_new(&temp, text.as_bytes(), DURABILITY)
                .and_then(|staged| {
                    dir.hand_down_owner(&temp)?;
                    dir.put_new(&staged, name)
                }),
        };
        // Where the old version was put, or the new one could not; after a success without an old
        // version there is nothing.
        let tidy = || drop(dir.remove_file(&temp));
        match put {
            Ok(Put::Done) => {
                tidy();
                // The content is on the disk; its name is there too unless the power fails now.
                let _ = dir.sync();
                Ok(Written::Done)
            }
            Ok(Put::Changed) => {
                tidy();
                Ok(Written::Changed)
            }
            Ok(Put::Copy) => Err(fault("another program keeps writing it".to_owned())),
            Err(error) => {
                tidy();
                Err(fault(reason(&error)))
            }
        }
    }

    /// What could not be done, why, and what may help.
    fn refused(&self, what: &str, reason: &str) -> String {
        let path = shown(&self.path);
        let folder = shown(self.path.parent().unwrap_or(&self.path));
        let remedy = match reason {
            "permission denied" => {
                format!(
                    "; give this user the right to write in {folder}, or edit by hand (--print)"
                )
            }
            _ => String::new(),
        };
        format!("cannot {what} {path}: {reason}{remedy}")
    }

    /// Keeps a copy beside the file, in the place of an earlier one.
    ///
    /// # Errors
    /// One line with what the operating system says.
    pub(crate) fn keep_copy(&self, name: &str) -> Result<(), String> {
        let Some(old) = &self.old else {
            return Ok(());
        };
        let fault = |what: String| self.refused("keep a copy of", &what);
        let (folder, _) = split(&self.path).ok_or_else(|| fault("not a file".to_owned()))?;
        let dir = open(folder).map_err(fault)?;
        let temp = temp_name();
        dir.stage_like(&temp, self.text.as_bytes(), old, DURABILITY)
            .and_then(|staged| dir.rename(&staged.name, &dir, name.as_bytes()))
            .inspect_err(|_| drop(dir.remove_file(&temp)))
            .map_err(|error| fault(reason(&error)))
    }

    /// The text of a file beside this one, if there is such a file.
    pub(crate) fn beside(&self, name: &str) -> Option<String> {
        let path = self.path.parent()?.join(name);
        let known = Self::read(&path).ok()?;
        known.exists().then_some(known.text)
    }

    /// Removes a file beside this one; what is not there stays so.
    pub(crate) fn remove_beside(&self, name: &str) {
        let dir = split(&self.path).and_then(|(folder, _)| open(folder).ok());
        if let Some(dir) = dir {
            // It is a copy of what is there, and does no harm.
            let _ = dir.remove_file(name.as_bytes());
        }
    }

    /// Removes the file itself.
    ///
    /// # Errors
    /// One line with what the operating system says.
    pub(crate) fn remove(&mut self) -> Result<(), String> {
        self.old = None;
        let fault = |what: String| self.refused("remove", &what);
        let (folder, name) = split(&self.path).ok_or_else(|| fault("not a file".to_owned()))?;
        let dir = open(folder).map_err(fault)?;
        let name = name.file_name().unwrap_or_default().to_vec();
        dir.remove_file(&name)
            .map_err(|error| fault(reason(&error)))
    }
}

fn split(path: &Path) -> Option<(&Path, RelPath)> {
    let name = path.file_name()?.as_encoded_bytes();
    Some((path.parent()?, RelPath::from_bytes(name).ok()?))
}

fn open(folder: &Path) -> Result<Dir, String> {
    let root = Root::open(folder, Mode::NO_LINKS).map_err(|error| error.to_string())?;
    root.open_dir(&RelPath::root())
        .map_err(|error| reason(&error))
}

/// Opens a folder, and makes it and those above it first.
fn make(folder: &Path, scope: Scope) -> Result<Dir, String> {
    // What a user keeps for a client is nobody else's business; a project may be shared.
    let mode = match scope {
        Scope::User => 0o700,
        Scope::Project => 0o777,
    };
    let mut missing: Vec<&[u8]> = Vec::new();
    for above in folder.ancestors() {
        match Root::open(above, Mode::NO_LINKS) {
            Ok(root) => {
                let mut dir = root
                    .open_dir(&RelPath::root())
                    .map_err(|error| reason(&error))?;
                for name in missing.iter().rev() {
                    dir = enter(&dir, name, mode).map_err(|error| reason(&error))?;
                }
                return Ok(dir);
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let name = above.file_name().ok_or_else(|| error.to_string())?;
                missing.push(name.as_encoded_bytes());
            }
            Err(error) => return Err(error.to_string()),
        }
    }
    Err("no such folder".to_owned())
}

fn enter(dir: &Dir, name: &[u8], mode: u32) -> rooted::Result<Dir> {
    match dir.create_dir(name, mode) {
        Err(error) if !matches!(error.kind, rooted::ErrorKind::Exists) => Err(error),
        Err(_) => dir.open_dir(name),
        Ok(()) => {
            // Whoever is root for a moment leaves nothing that the user cannot open.
            dir.hand_down_owner(name)?;
            dir.open_dir(name)
        }
    }
}

pub(crate) fn shown(path: &Path) -> String {
    rooted::show(path.as_os_str().as_encoded_bytes())
}
