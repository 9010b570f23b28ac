//! A folder to change, and changes as the tools make them.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rooted::{Durability, Mode, RelPath, Root, is_temp_name};
use workspace::lock::{Guard, Lock, Queue};
use workspace::state::State;
use workspace::transaction::{Appended, ChangeSet, Old, Outcome, append, enter};
use workspace::{Cancel, Error};

/// A root and its lock.
pub(crate) struct World {
    pub(crate) root: Root,
    pub(crate) lock: Lock,
    pub(crate) durability: Durability,
}

/// What an edit makes of the content there is.
pub(crate) type Edit<'a> = &'a dyn Fn(&[u8]) -> Vec<u8>;

pub(crate) fn rel(path: &str) -> RelPath {
    RelPath::from_bytes(path.as_bytes()).expect("a path without `..`")
}

impl World {
    pub(crate) fn open(path: &Path) -> Self {
        Self {
            root: Root::open(path, Mode::FOLLOW).expect("a root"),
            lock: Lock::new(State::inside(), Arc::<Queue>::default()),
            durability: Durability::Kill,
        }
    }

    pub(crate) fn enter(&self) -> Result<Guard, Error> {
        enter(&self.root, &self.lock, &Cancel::never())
    }

    /// Changes files together: reads each that is there, and makes those that are not.
    pub(crate) fn change(&self, edits: &[(&str, Edit<'_>)]) -> Result<Vec<Outcome>, Error> {
        let guard = self.enter()?;
        let mut set = ChangeSet::new(self.durability);
        for (path, edit) in edits {
            let place = self.root.locate(&rel(path))?;
            if place.meta.is_none() {
                set.create(place, edit(b""));
                continue;
            }
            let mut file = self.root.open_file(&rel(path))?;
            let content = file.read_all(1 << 30).expect("a readable file");
            let new = edit(&content);
            let content = Some(content);
            set.replace(place, Old { file, content }, new);
        }
        set.commit(&guard)
    }

    pub(crate) fn write(&self, path: &str, content: &str) -> Result<Outcome, Error> {
        let outcomes = self.change(&[(path, &|_| content.as_bytes().to_vec())])?;
        Ok(outcomes.into_iter().next().expect("one file was changed"))
    }

    pub(crate) fn append(&self, path: &str, content: &str) -> Result<Appended, Error> {
        let guard = self.enter()?;
        let place = self.root.locate(&rel(path))?;
        append(place, content.as_bytes(), b"\n", self.durability, &guard)
    }
}

/// Temporary files anywhere beneath a folder, and records of transactions.
pub(crate) fn leftovers(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).expect("a folder") {
        let entry = entry.expect("an entry");
        let is_record = dir.ends_with(".workspace-mcp/tx");
        if is_record || is_temp_name(entry.file_name().as_encoded_bytes()) {
            found.push(entry.path());
        } else if entry.file_type().expect("a kind").is_dir() {
            found.extend(leftovers(&entry.path()));
        }
    }
    found
}
