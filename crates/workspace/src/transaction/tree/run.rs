//! Doing a change of a tree: everything is staged, and then put in place step by step.

use std::collections::BTreeSet;

use rooted::{Basis, Dir, Durability, ErrorKind, Kind, Like, Meta, Put, RelPath, Root, Staged};

use super::entry::{self, Entry};
use super::settle::{Dirs, give_name, is_same};
use super::{Fetch, Step, Task, What};
use crate::error::Error;
use crate::read;
use crate::transaction::intent::{self, Print};

/// Files, or folders, from which on one flush of the file system is cheaper than one for each file.
const MANY: usize = 64;

/// A change under way.
pub(super) struct Run<'a> {
    root: &'a Root,
    id: u64,
    steps: &'a [Step],
    entries: &'a [Entry],
    durability: Durability,
    /// Whether all files are flushed at once.
    at_once: bool,
    /// What was staged for each step.
    pub(super) staged: Vec<Option<Meta>>,
    dirs: Dirs<'a>,
    /// Folders with new names that are not flushed yet.
    unsynced: BTreeSet<RelPath>,
}

impl<'a> Run<'a> {
    pub(super) fn new(
        root: &'a Root,
        id: u64,
        steps: &'a [Step],
        entries: &'a [Entry],
        durability: Durability,
    ) -> Self {
        let n_files = steps.iter().filter(|step| step.task.writes()).count();
        Self {
            root,
            id,
            steps,
            entries,
            durability,
            at_once: rooted::FLUSHES_AT_ONCE && durability == Durability::Power && n_files > MANY,
            staged: Vec::with_capacity(steps.len()),
            dirs: Dirs::new(root),
            unsynced: BTreeSet::new(),
        }
    }

    /// What the record's second line says.
    pub(super) fn prints(&self) -> Vec<Option<Print>> {
        let print = |meta: &Option<Meta>| meta.as_ref().map(Print::of);
        self.staged.iter().map(print).collect()
    }

    /// Writes all new versions and folders under temporary names.
    pub(super) fn stage(&mut self, fetch: Fetch<'_>) -> Result<(), Error> {
        for index in 0..self.steps.len() {
            let staged = self.stage_one(index, fetch)?;
            self.staged.push(staged);
        }
        if self.at_once {
            self.root_dir()?.sync_all()?;
        }
        self.dirs.forget();
        Ok(())
    }

    fn root_dir(&self) -> Result<Dir, Error> {
        Ok(self.root.open_dir(&RelPath::root())?)
    }

    pub(super) fn stage_one(
        &mut self,
        index: usize,
        fetch: Fetch<'_>,
    ) -> Result<Option<Meta>, Error> {
        let (Some(step), Some(entry)) = (self.steps.get(index), self.entries.get(index)) else {
            return Ok(None);
        };
        if !step.task.writes() && !matches!(step.task, Task::MakeFolder) {
            return Ok(None);
        }
        let fault = intent::at(&step.path);
        let changed = || Error::KeepsChanging(step.path.clone());
        let folder = entry.stage_folder().ok_or_else(changed)?;
        let durability = match self.at_once {
            true => Durability::Kill,
            false => self.durability,
        };
        let temp = intent::temp_name(self.id, index);
        let root = self.root;
        let dir = self.dirs.open(&folder).map_err(&fault)?;
        let dir = dir.ok_or_else(changed)?;
        match &step.task {
            Task::MakeFolder => {
                dir.create_dir(&temp, 0o777).map_err(&fault)?;
                let made = dir.stat(&temp).map_err(&fault)?;
                self.dirs.forget();
                Ok(Some(made))
            }
            Task::New {
                content,
                executable,
            } => {
                let content = content.bytes(fetch)?;
                let like = Like {
                    is_private: false,
                    old: None,
                    executable: executable.then_some(true),
                };
                let staged = dir.stage(&temp, &content, like, durability);
                Ok(Some(staged.map_err(&fault)?.meta))
            }
            Task::Over {
                old,
                origin,
                content,
                executable,
                ..
            } => {
                let content = content.bytes(fetch)?;
                let at = origin.as_ref().unwrap_or(&step.path);
                let file = root.open_file(at).map_err(&fault)?;
                if !file.meta().same_content(old) {
                    return Err(changed());
                }
                let like = Like {
                    is_private: false,
                    old: Some(&file),
                    executable: *executable,
                };
                let staged = dir.stage(&temp, &content, like, durability);
                Ok(Some(staged.map_err(&fault)?.meta))
            }
            Task::Move { .. } | Task::Remove { .. } | Task::RemoveFolder { .. } => Ok(None),
        }
    }

    /// Puts everything in place, in order.
    pub(super) fn put(&mut self) -> Result<(), Error> {
        for index in 0..self.steps.len() {
            self.put_one(index)?;
        }
        self.sync()
    }

    pub(super) fn put_one(&mut self, index: usize) -> Result<(), Error> {
        let Some(step) = self.steps.get(index) else {
            return Ok(());
        };
        let fault = intent::at(&step.path);
        let changed = || Error::KeepsChanging(step.path.clone());
        let (folder, name) = entry::split(&step.path).ok_or_else(changed)?;
        let temp = intent::temp_name(self.id, index);
        let staged = self.staged.get(index).copied().flatten();
        if matches!(step.task, Task::Move { .. } | Task::RemoveFolder { .. }) {
            self.sync()?;
        }
        if let Task::Move { to, what } = &step.task {
            let thing = self.thing(what).ok_or_else(changed)?;
            let (to_folder, to_name) = entry::split(to).ok_or_else(changed)?;
            // Where an open folder keeps its name, nothing in what moves may be open.
            self.dirs.forget();
            let dir = self.root.open_dir(&folder).map_err(&fault)?;
            let to_dir = self.root.open_dir(&to_folder).map_err(&fault)?;
            if !is_same(&dir, &name, &thing).map_err(&fault)? {
                return Err(changed());
            }
            free(give_name(&dir, &name, &to_dir, &to_name), &step.path)?;
            if !is_same(&to_dir, &to_name, &thing).map_err(&fault)? {
                // What came along is not ours to move.
                give_name(&to_dir, &to_name, &dir, &name).map_err(&fault)?;
                return Err(changed());
            }
            self.note(to_folder);
            self.note(folder);
            return self.sync();
        }
        let known = match &step.task {
            Task::Remove { what, .. } | Task::RemoveFolder { what } => {
                Some(self.thing(what).ok_or_else(changed)?)
            }
            Task::New { .. } | Task::Over { .. } | Task::MakeFolder | Task::Move { .. } => None,
        };
        let dir = self.dirs.open(&folder).map_err(&fault)?;
        let dir = dir.ok_or_else(changed)?;
        let as_staged = |meta: Option<Meta>| {
            let name = temp.clone();
            let staged = meta.map(|meta| Staged {
                name,
                meta,
                kept_attributes: true,
            });
            staged.ok_or_else(changed)
        };
        match &step.task {
            Task::New { .. } => {
                let put = dir.put_new(&as_staged(staged)?, &name).map_err(&fault)?;
                done(put, &step.path)?;
            }
            Task::Over { old, sha256, .. } => {
                let basis = Basis {
                    meta: old,
                    content: None,
                };
                let ours = as_staged(staged)?;
                let put = dir.put_over(&ours, &name, &basis).map_err(&fault)?;
                done(put, &step.path)?;
                if !holds(dir, &temp, sha256.as_deref())? {
                    // The undo that follows brings it back.
                    return Err(changed());
                }
            }
            Task::MakeFolder => {
                free(give_name(dir, &temp, dir, &name), &step.path)?;
                self.dirs.forget();
            }
            Task::Remove { sha256, .. } => {
                let known = known.ok_or_else(changed)?;
                take_away(dir, &name, &temp, &known, &step.path)?;
                if !holds(dir, &temp, sha256.as_deref())? {
                    return Err(changed());
                }
            }
            Task::RemoveFolder { .. } => {
                let known = known.ok_or_else(changed)?;
                let is_ours = |name: &[u8]| is_same(dir, name, &known).map_err(&fault);
                if !is_ours(&name)? {
                    return Err(changed());
                }
                give_name(dir, &name, dir, &temp).map_err(&fault)?;
                let inside = dir.open_dir(&temp).and_then(|inside| inside.list());
                // What this change removed from it before is there under temporary names.
                let is_empty = inside.is_ok_and(|inside| {
                    let mut names = inside.iter().map(|(name, _)| name);
                    names.all(|name| intent::is_temp_of(self.id, name))
                });
                if !is_ours(&temp)? || !is_empty {
                    give_name(dir, &temp, dir, &name).map_err(&fault)?;
                    return Err(changed());
                }
                self.dirs.forget();
            }
            Task::Move { .. } => {}
        }
        self.note(folder);
        Ok(())
    }

    /// What a step finds before it.
    fn thing(&self, what: &What) -> Option<Meta> {
        match what {
            What::There(meta) => Some(*meta),
            What::Of(step) => self.staged.get(step.0).copied().flatten(),
        }
    }

    fn note(&mut self, folder: RelPath) {
        if self.durability == Durability::Power {
            self.unsynced.insert(folder);
        }
    }

    fn sync(&mut self) -> Result<(), Error> {
        if rooted::FLUSHES_AT_ONCE && self.unsynced.len() > MANY {
            self.unsynced.clear();
            return Ok(self.root_dir()?.sync_all()?);
        }
        for folder in std::mem::take(&mut self.unsynced) {
            self.root.open_dir(&folder)?.sync()?;
        }
        Ok(())
    }
}

/// Gives a file that is this version a temporary name.
fn take_away(
    dir: &Dir,
    name: &[u8],
    temp: &[u8],
    known: &Meta,
    path: &RelPath,
) -> Result<(), Error> {
    let fault = intent::at(path);
    let changed = || Error::KeepsChanging(path.clone());
    if !dir.is_there(name, known).map_err(&fault)? {
        return Err(changed());
    }
    free(give_name(dir, name, dir, temp), path)?;
    if dir.is_there(temp, known).map_err(&fault)? {
        return Ok(());
    }
    give_name(dir, temp, dir, name).map_err(&fault)?;
    Err(changed())
}

/// Says whether a file holds what has this SHA-256; yes where none is known.
fn holds(dir: &Dir, name: &[u8], sha256: Option<&str>) -> Result<bool, Error> {
    let Some(sha256) = sha256 else {
        return Ok(true);
    };
    let file = dir.open_file(name)?;
    if file.meta().kind != Kind::File {
        return Ok(false);
    }
    let found = read::sha256_of(&file, &crate::cancel::Cancel::never())?;
    Ok(found == sha256)
}

/// An error when another version than the expected one was there.
fn done(put: Put, path: &RelPath) -> Result<(), Error> {
    match put {
        Put::Done => Ok(()),
        Put::Changed | Put::Copy => Err(Error::KeepsChanging(path.clone())),
    }
}

/// An error when a name that should be free was not.
fn free(given: rooted::Result<()>, path: &RelPath) -> Result<(), Error> {
    match given {
        Err(error) if matches!(error.kind, ErrorKind::Exists | ErrorKind::NotFound) => {
            Err(Error::KeepsChanging(path.clone()))
        }
        given => given.map_err(intent::at(path)),
    }
}
