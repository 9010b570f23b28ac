//! What has to be done so that the files are again as a checkpoint holds them.
//!
//! This plans only; who restores does it, by a transaction. What somebody else put into the folder
//! stays: a file that the checkpoint lacks is to be deleted only when the server itself made it.

use std::collections::{BTreeSet, HashSet};

use rooted::{ErrorKind, Kind, RelPath};

use super::diff::Differing;
use super::error::Error;
use super::history::path;
use super::id::Id;
use super::{Inner, Options, POST_CHANGE, PRE_CHANGE, PRE_RESTORE, RESTORED, Repository, tree};
use crate::cancel::Cancel;

/// What to restore.
#[derive(Clone, Copy, Debug)]
pub struct RestoreRequest<'a> {
    /// The checkpoint.
    pub checkpoint: Id,
    /// Only these files, and what is below these folders; everything when there are none.
    pub paths: &'a [RelPath],
    /// Delete what the checkpoint lacks, whoever made it.
    pub exact: bool,
}

/// What has to be done, in this order: delete files, remove folders, write files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Files to delete, sorted.
    pub deletes: Vec<RelPath>,
    /// Folders to remove after that, since a file is to have their place; inner ones first.
    pub folders: Vec<RelPath>,
    /// Files to write, sorted; those that are as the checkpoint has them are not among them.
    pub writes: Vec<Write>,
    /// Paths that differ from the checkpoint and stay as they are, sorted.
    pub left_in_place: Vec<RelPath>,
}

/// A file to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Write {
    /// Where.
    pub path: RelPath,
    /// The content, for [`Repository::content`].
    pub blob: Id,
    /// Whether it is to be a program.
    pub executable: bool,
    /// The content that is there now; `None` when there is no file. When it is `blob`, only the
    /// permission bits differ.
    pub replaces: Option<Id>,
}

impl Plan {
    /// Says whether there is nothing to do.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.deletes.is_empty() && self.writes.is_empty()
    }
}

impl Repository {
    /// Plans how the files become again what a checkpoint holds. Changes nothing on the disk.
    ///
    /// # Errors
    /// [`Error::Damaged`]; what the disk says; [`crate::Error::Cancelled`].
    pub fn plan_restore(
        &self,
        request: &RestoreRequest<'_>,
        cancel: &Cancel,
    ) -> Result<Plan, Error> {
        let mut inner = self.enter()?;
        inner.plan(&self.options, request, cancel)
    }
}

impl Inner {
    fn plan(
        &mut self,
        options: &Options,
        request: &RestoreRequest<'_>,
        cancel: &Cancel,
    ) -> Result<Plan, Error> {
        let is_asked = |path: &RelPath| {
            request.paths.is_empty() || request.paths.iter().any(|base| path.starts_with(base))
        };
        let mut additions: Vec<Differing> = Vec::new();
        let mut wanted: Vec<Write> = Vec::new();
        for differing in self.differing(options, request.checkpoint, cancel)? {
            let path = path(&differing.path)?;
            // What is left out now was not when the checkpoint was made; it is none of ours any more.
            if !is_asked(&path) || !options.rules.tracks(&path) {
                continue;
            }
            match differing.then {
                None => additions.push(differing),
                Some(then) => wanted.push(Write {
                    path,
                    blob: then.id,
                    executable: then.mode.is_executable(),
                    replaces: differing.now.map(|now| now.id),
                }),
            }
        }
        let ours = if request.exact {
            HashSet::new()
        } else {
            self.made_by_server(request.checkpoint, &additions, cancel)?
        };
        let mut plan = Plan::default();
        let mut left = BTreeSet::new();
        let mut deleted = BTreeSet::new();
        for differing in additions {
            let path = path(&differing.path)?;
            if request.exact || ours.contains(&differing.path) {
                deleted.insert(path);
            } else {
                left.insert(path);
            }
        }
        for write in wanted {
            match self.room(&write, &deleted)? {
                Some(folders) => {
                    plan.folders.extend(folders);
                    plan.writes.push(write);
                }
                None => {
                    left.insert(write.path);
                }
            }
        }
        plan.deletes.extend(deleted);
        plan.left_in_place.extend(left);
        Ok(plan)
    }

    /// The folders to remove so that a file can be written; `None` when something is in its way that
    /// has to stay.
    fn room(
        &self,
        write: &Write,
        deleted: &BTreeSet<RelPath>,
    ) -> Result<Option<Vec<RelPath>>, Error> {
        let place = match self.root.locate(&write.path) {
            Ok(place) => place,
            Err(error) => {
                return match error.kind {
                    ErrorKind::LinkRefused
                    | ErrorKind::LinkLoop
                    | ErrorKind::OtherFilesystem
                    | ErrorKind::NotRegular => Ok(None),
                    // A file is where a folder has to be.
                    ErrorKind::NotADirectory => {
                        Ok(self.file_above(&write.path, deleted).then(Vec::new))
                    }
                    _ => Err(error.into()),
                };
            }
        };
        match place.meta.map(|meta| meta.kind) {
            None => Ok(Some(Vec::new())),
            // One that is not tracked is too large: what cannot be brought back is not replaced.
            Some(Kind::File) => Ok(write.replaces.map(|_| Vec::new())),
            Some(Kind::Link | Kind::Special) => Ok(None),
            Some(Kind::Dir) => {
                let mut folders = Vec::new();
                let empties = self.empties(&write.path, deleted, &mut folders)?;
                Ok(empties.then_some(folders))
            }
        }
    }

    /// Says whether the file that stands above a path is going to be deleted.
    fn file_above(&self, path: &RelPath, deleted: &BTreeSet<RelPath>) -> bool {
        let mut above = path.parent();
        while let Some(folder) = above.filter(|folder| !folder.is_root()) {
            if deleted.contains(&folder) {
                return true;
            }
            above = folder.parent();
        }
        false
    }

    /// Says whether nothing is left in a folder when those files are deleted; adds it and the folders
    /// in it, inner ones first.
    fn empties(
        &self,
        folder: &RelPath,
        deleted: &BTreeSet<RelPath>,
        folders: &mut Vec<RelPath>,
    ) -> Result<bool, Error> {
        for (name, kind) in self.root.open_dir(folder)?.list()? {
            let inner = folder.join(&name);
            let goes = match kind {
                Kind::Dir => self.empties(&inner, deleted, folders)?,
                Kind::File => deleted.contains(&inner),
                Kind::Link | Kind::Special => false,
            };
            if !goes {
                return Ok(false);
            }
        }
        folders.push(folder.clone());
        Ok(true)
    }

    /// Those of the files that the server added since a checkpoint that lacks them.
    ///
    /// A file that a restore brought back is whose it was before; where nobody else added it since
    /// that checkpoint, bringing it back was the server's own doing.
    fn made_by_server(
        &mut self,
        target: Id,
        files: &[Differing],
        cancel: &Cancel,
    ) -> Result<HashSet<Box<[u8]>>, Error> {
        let is_in_head = |path: &[u8]| {
            let place = self
                .entries
                .binary_search_by(|entry| (*entry.path).cmp(path));
            place.is_ok()
        };
        let mut open: HashSet<Box<[u8]>> = files
            .iter()
            .map(|file| file.path.clone())
            .filter(|path| is_in_head(path))
            .collect();
        let mut ours = HashSet::new();
        let mut brought_back: HashSet<Box<[u8]>> = HashSet::new();
        let line = self.line()?.to_vec();
        for pair in line.windows(2).rev() {
            let [before, after] = pair else { continue };
            if open.is_empty() || *after == target {
                break;
            }
            cancel.check()?;
            let (before, after) = (self.store.commit(*before)?, self.store.commit(*after)?);
            let is_change = before.message == PRE_CHANGE && after.message == POST_CHANGE;
            let is_restore = before.message == PRE_RESTORE && after.message.starts_with(RESTORED);
            tree::compare(
                &self.store,
                Some(before.tree),
                Some(after.tree),
                &mut |path, then, now| {
                    if then.is_some() || now.is_none() {
                        return Ok(());
                    }
                    if is_restore {
                        if open.contains(path) {
                            brought_back.insert(path.into());
                        }
                    } else if open.remove(path) && is_change {
                        ours.insert(path.into());
                    }
                    Ok(())
                },
            )?;
        }
        ours.extend(brought_back.into_iter().filter(|path| open.contains(path)));
        Ok(ours)
    }
}
