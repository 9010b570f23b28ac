//! What changed since the newest checkpoint.

use rooted::RelPath;

use super::error::Error;
use super::id::Id;
use super::index::Stat;
use super::scan::Found;
use super::{Inner, Options, Repository};
use crate::cancel::Cancel;

/// What differs from the newest checkpoint; each list is sorted by path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// The newest checkpoint.
    pub checkpoint: Id,
    /// Files with other content, or another executable bit.
    pub modified: Vec<RelPath>,
    /// Files that it lacks.
    pub added: Vec<RelPath>,
    /// Files that are gone, or became something that is not tracked.
    pub removed: Vec<RelPath>,
    /// Files, and the first few folders, that could not be read, and are taken as they were; sorted.
    pub unreadable: Vec<RelPath>,
}

impl Status {
    /// Says whether nothing differs.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.modified.is_empty() && self.added.is_empty() && self.removed.is_empty()
    }
}

impl Repository {
    /// Compares the files with the newest checkpoint. Changes nothing on the disk.
    ///
    /// # Errors
    /// [`Error::Damaged`]; what the disk says; [`crate::Error::Cancelled`].
    pub fn status(&self, cancel: &Cancel) -> Result<Status, Error> {
        let mut inner = self.enter()?;
        let found = inner.look(&self.options, cancel)?;
        let mut status = Status {
            checkpoint: inner.head_id()?,
            unreadable: found.unreadable,
            ..Status::default()
        };
        for change in found.changes {
            let Ok(path) = RelPath::from_bytes(&change.set.path) else {
                continue;
            };
            match (change.old, change.set.leaf) {
                (Some(_), Some(_)) => status.modified.push(path),
                (None, _) => status.added.push(path),
                (Some(_), None) => status.removed.push(path),
            }
        }
        Ok(status)
    }
}

impl Inner {
    /// Looks at all files without keeping their content; what was found the same is remembered.
    pub(super) fn look(&mut self, options: &Options, cancel: &Cancel) -> Result<Found, Error> {
        let mut found = self.scan(options, None, cancel).all()?;
        self.note(std::mem::take(&mut found.same));
        Ok(found)
    }

    /// Remembers what is known of files that were read and found the same.
    pub(super) fn note(&mut self, same: Vec<(usize, Option<Stat>)>) {
        for (place, stat) in same {
            if let Some(entry) = self.entries.get_mut(place) {
                entry.stat = stat;
                self.n_unwritten += usize::from(stat.is_some());
            }
        }
    }
}
