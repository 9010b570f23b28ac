//! The line of checkpoints: the newest ones, one by its id, and what one holds.

use std::collections::HashSet;

use rooted::RelPath;

use super::error::{Error, damaged};
use super::id::Id;
use super::{Inner, Repository, refs, tree};

/// Checkpoints among which one is looked for by the start of its id.
const FINDABLE: usize = 10_000;
/// Digits of an id that must be given.
const LEAST_DIGITS: usize = 6;

/// One checkpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// Its id.
    pub id: Id,
    /// Its message without white space at the end.
    pub message: String,
    /// When it was made, in seconds since 1970.
    pub timestamp: i64,
}

/// A file as a checkpoint holds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Saved {
    /// Where it is.
    pub path: RelPath,
    /// Its content, for [`Repository::content`].
    pub blob: Id,
    /// Whether it is a program.
    pub executable: bool,
}

/// Ids of the newest checkpoints, the oldest of them first.
#[derive(Debug)]
pub(super) struct Line {
    ids: Vec<Id>,
}

impl Line {
    /// Adds a checkpoint whose parent is `parent`.
    pub(super) fn push(&mut self, parent: Option<Id>, id: Id) {
        if self.ids.last().copied() == parent {
            self.ids.push(id);
        }
    }
}

impl Repository {
    /// The newest checkpoints, the newest first, `limit` of them at most.
    ///
    /// # Errors
    /// [`Error::Damaged`]; what the disk says.
    pub fn history(&self, limit: usize) -> Result<Vec<Checkpoint>, Error> {
        let inner = self.enter()?;
        let shallow = refs::shallow(&inner.git)?;
        let mut found = Vec::new();
        let mut next = inner.head.id;
        while let Some(id) = next.filter(|_| found.len() < limit) {
            let commit = inner.store.commit(id)?;
            next = commit.parents.first().copied();
            next = next.filter(|_| !shallow.contains(&id));
            found.push(Checkpoint {
                id,
                message: commit.message,
                timestamp: commit.time,
            });
        }
        Ok(found)
    }

    /// Finds a checkpoint among the newest 10,000 by the first 6 to 40 digits of its id, in any case.
    ///
    /// # Errors
    /// [`Error::Unknown`], [`Error::Ambiguous`]; what the disk says.
    pub fn find(&self, id: &str) -> Result<Id, Error> {
        let unknown = || Error::Unknown(id.to_owned());
        let is_hex = id.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !is_hex || !(LEAST_DIGITS..=40).contains(&id.len()) {
            return Err(unknown());
        }
        let wanted = id.to_ascii_lowercase();
        let mut inner = self.enter()?;
        let mut matches = inner
            .line()?
            .iter()
            .rev()
            .take(FINDABLE)
            .filter(|id| id.to_string().starts_with(&wanted));
        let first = *matches.next().ok_or_else(unknown)?;
        match matches.next() {
            None => Ok(first),
            Some(_) => Err(Error::Ambiguous),
        }
    }

    /// All files that a checkpoint holds, by path. Links and other repositories that somebody put
    /// into it are left out.
    ///
    /// # Errors
    /// [`Error::Damaged`]; what the disk says.
    pub fn files(&self, checkpoint: Id) -> Result<Vec<Saved>, Error> {
        let inner = self.enter()?;
        let tree = inner.store.commit(checkpoint)?.tree;
        let entries = tree::flatten(&inner.store, tree)?;
        let files = entries.iter().filter(|entry| entry.mode.is_file());
        files
            .map(|entry| {
                Ok(Saved {
                    path: path(&entry.path)?,
                    blob: entry.id,
                    executable: entry.mode.is_executable(),
                })
            })
            .collect()
    }

    /// The file that a checkpoint holds at a path; `None` when it holds none there.
    ///
    /// # Errors
    /// [`Error::Damaged`]; what the disk says.
    pub fn file(&self, checkpoint: Id, path: &RelPath) -> Result<Option<Saved>, Error> {
        let inner = self.enter()?;
        let tree = inner.store.commit(checkpoint)?.tree;
        let leaf = tree::find(&inner.store, tree, path.as_bytes())?;
        Ok(leaf.filter(|leaf| leaf.mode.is_file()).map(|leaf| Saved {
            path: path.clone(),
            blob: leaf.id,
            executable: leaf.mode.is_executable(),
        }))
    }

    /// The content of a file of a checkpoint.
    ///
    /// # Errors
    /// [`Error::Damaged`]; what the disk says.
    pub fn content(&self, blob: Id) -> Result<Vec<u8>, Error> {
        self.enter()?.store.blob(blob)
    }
}

/// A path of a checkpoint, which cannot lead anywhere else.
pub(super) fn path(bytes: &[u8]) -> Result<RelPath, Error> {
    RelPath::from_bytes(bytes).map_err(|_| damaged("a path"))
}

impl Inner {
    /// The newest checkpoints, the oldest of them first: at least as many as can be found.
    pub(super) fn line(&mut self) -> Result<&[Id], Error> {
        let head = self.head_id()?;
        let known = self
            .line
            .take()
            .filter(|line| line.ids.last() == Some(&head));
        let line = match known {
            Some(line) => line,
            None => Line {
                ids: self.walk_line(head)?,
            },
        };
        Ok(&self.line.insert(line).ids)
    }

    fn walk_line(&self, head: Id) -> Result<Vec<Id>, Error> {
        let shallow = refs::shallow(&self.git)?;
        let mut ids = Vec::new();
        let mut seen = HashSet::new();
        let mut next = Some(head);
        while let Some(id) = next.filter(|_| ids.len() < FINDABLE) {
            if !seen.insert(id) {
                return Err(damaged("the history leads in a circle"));
            }
            ids.push(id);
            if shallow.contains(&id) {
                break;
            }
            next = self.store.commit(id)?.parents.first().copied();
        }
        ids.reverse();
        Ok(ids)
    }
}
