//! What changed since a checkpoint, as git tells it.

use std::collections::BTreeMap;

use rooted::{ErrorKind, RelPath};

use super::error::{Error, io};
use super::history::path;
use super::id::Id;
use super::index::Entry;
use super::object::Kind;
use super::tree::{self, Leaf};
use super::{Inner, Options, Repository, patch};
use crate::cancel::Cancel;

/// Bytes of a diff; what would go beyond is left out file by file.
const DIFF_BYTES: usize = 1024 * 1024;

/// What to compare the files with, and how to tell it.
#[derive(Clone, Copy, Debug, Default)]
pub struct DiffRequest<'a> {
    /// The checkpoint; the newest one when there is none.
    pub checkpoint: Option<Id>,
    /// Only this file, or what is below this folder.
    pub path: Option<&'a RelPath>,
    /// Count lines only.
    pub counts: bool,
}

/// What changed since a checkpoint.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diff {
    /// The changes as a unified diff; empty when lines were counted only.
    pub text: String,
    /// The lines of each file, when they were to be counted.
    pub counts: Vec<LineCount>,
    /// Files that differ but are not in the text, since it is as long as it may be.
    pub omitted: Vec<RelPath>,
}

/// How many lines of a file changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineCount {
    /// The file.
    pub path: RelPath,
    /// Lines that are new.
    pub added: u64,
    /// Lines that are gone.
    pub removed: u64,
    /// Whether it is no text, so that no lines were counted.
    pub is_binary: bool,
}

/// A file that differs from a checkpoint.
#[derive(Debug)]
pub(super) struct Differing {
    pub(super) path: Box<[u8]>,
    /// What the checkpoint holds.
    pub(super) then: Option<Leaf>,
    /// What is on the disk.
    pub(super) now: Option<Leaf>,
    /// Whether that is in no checkpoint.
    pub(super) is_new: bool,
}

impl Repository {
    /// Compares the files with a checkpoint. Changes nothing on the disk.
    ///
    /// # Errors
    /// [`Error::Damaged`]; what the disk says; [`crate::Error::Cancelled`].
    pub fn diff(&self, request: &DiffRequest<'_>, cancel: &Cancel) -> Result<Diff, Error> {
        let mut inner = self.enter()?;
        let checkpoint = match request.checkpoint {
            Some(id) => id,
            None => inner.head_id()?,
        };
        let mut diff = Diff::default();
        let mut is_full = false;
        for differing in inner.differing(&self.options, checkpoint, cancel)? {
            cancel.check()?;
            let path = path(&differing.path)?;
            if request.path.is_some_and(|base| !path.starts_with(base)) {
                continue;
            }
            if is_full {
                diff.omitted.push(path);
                continue;
            }
            let sides = inner.sides(&self.options, &differing, &path)?;
            if request.counts {
                let (added, removed) = sides.count().unwrap_or_default();
                diff.counts.push(LineCount {
                    path,
                    added,
                    removed,
                    is_binary: sides.is_binary(),
                });
                continue;
            }
            let section = sides.section(DIFF_BYTES);
            match section {
                Some(section) if diff.text.len() + section.len() <= DIFF_BYTES => {
                    diff.text.push_str(&section);
                }
                // One that is too long by itself does not keep others out.
                None => diff.omitted.push(path),
                Some(_) => {
                    is_full = true;
                    diff.omitted.push(path);
                }
            }
        }
        Ok(diff)
    }
}

impl Inner {
    /// All files that differ from a checkpoint, by path.
    pub(super) fn differing(
        &mut self,
        options: &Options,
        checkpoint: Id,
        cancel: &Cancel,
    ) -> Result<Vec<Differing>, Error> {
        let found = self.look(options, cancel)?;
        let then = self.store.commit(checkpoint)?.tree;
        let mut all: BTreeMap<Box<[u8]>, Differing> = BTreeMap::new();
        tree::compare(
            &self.store,
            Some(then),
            Some(self.tree),
            &mut |path, then, now| {
                cancel.check()?;
                let path: Box<[u8]> = path.into();
                all.insert(
                    path.clone(),
                    Differing {
                        path,
                        then,
                        now,
                        is_new: false,
                    },
                );
                Ok(())
            },
        )?;
        for change in found.changes {
            let entry = change.old.and_then(|place| self.entries.get(place));
            let path = change.set.path;
            let differing = all.entry(path.clone()).or_insert_with(|| Differing {
                path,
                then: entry.map(leaf),
                now: None,
                is_new: false,
            });
            differing.now = change.set.leaf;
            differing.is_new = change.set.leaf.is_some();
        }
        let file = |leaf: Option<Leaf>| leaf.filter(|leaf| leaf.mode.is_file());
        let same = |differing: &Differing| match (differing.then, differing.now) {
            (Some(then), Some(now)) => {
                then.id == now.id && then.mode.is_executable() == now.mode.is_executable()
            }
            (then, now) => then.is_none() && now.is_none(),
        };
        Ok(all
            .into_values()
            .map(|differing| Differing {
                then: file(differing.then),
                now: file(differing.now),
                ..differing
            })
            .filter(|differing| !same(differing))
            .collect())
    }

    /// Both versions of a file.
    fn sides(
        &self,
        options: &Options,
        differing: &Differing,
        path: &RelPath,
    ) -> Result<patch::Sides, Error> {
        let side = |leaf: Leaf| {
            Ok::<_, Error>(patch::Side {
                content: self.store.blob(leaf.id)?,
                leaf,
            })
        };
        let now = match differing.now {
            Some(now) if differing.is_new => self.on_disk(options, path, now)?,
            now => now.map(side).transpose()?,
        };
        Ok(patch::Sides {
            path: differing.path.clone(),
            old: differing.then.map(side).transpose()?,
            new: now,
        })
    }

    /// The content on the disk, which may be another one than a moment ago.
    fn on_disk(
        &self,
        options: &Options,
        path: &RelPath,
        seen: Leaf,
    ) -> Result<Option<patch::Side>, Error> {
        let mut file = match self.root.open_file(path) {
            Ok(file) => file,
            Err(error) if matches!(error.kind, ErrorKind::NotFound) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let content = file
            .read_all(options.rules.max_file_bytes)
            .map_err(|error| io(error, path))?;
        let id = Id::of(Kind::Blob, &content)?;
        Ok(Some(patch::Side {
            content,
            leaf: Leaf { id, ..seen },
        }))
    }
}

pub(super) fn leaf(entry: &Entry) -> Leaf {
    Leaf {
        id: entry.id,
        mode: entry.mode,
    }
}
