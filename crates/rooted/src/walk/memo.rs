//! Walks that are remembered, so that the next page of a long answer does not walk again.
//!
//! A remembered walk is used only while nothing it depends on has changed: each folder it read and
//! each file of ignore rules still is the same one, with the same times. Adding, removing or renaming
//! a name changes the times of its folder. That is trusted only of local file systems that are known
//! to keep to it, and only of times well before the walk, since two changes within one tick of the
//! clock look alike.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use super::{WalkOptions, Walked};
use crate::ignore_rules::{GITIGNORE, IGNORE};
use crate::meta::{FileId, Meta, SETTLED};
use crate::platform;
use crate::rel_path::RelPath;
use crate::root::Root;

#[cfg(test)]
mod tests;

/// Walks kept for each root: one for each way of listing and searching that alternate.
const KEPT: usize = 4;
/// Entries of a walk that is kept at most, in memory about 30 bytes each.
const ENTRIES: usize = 300_000;
/// Folders of a walk that is kept at most: each is looked at before the walk is used again.
const FOLDERS: usize = 20_000;

/// The walks that a root remembers, the last used first.
#[derive(Debug, Default)]
pub(crate) struct Memos(Mutex<Vec<Memo>>);

#[derive(Debug)]
struct Memo {
    key: Key,
    walked: Arc<Walked>,
    stamps: Arc<[Stamp]>,
}

/// What a walk was asked for.
#[derive(Debug, PartialEq, Eq)]
struct Key {
    start: RelPath,
    max_depth: usize,
    max_entries: usize,
    files_only: bool,
    include_ignored: bool,
    skip: Box<[Box<str>]>,
    is_filtered: bool,
}

/// A folder or file as it was when the walk had read it.
#[derive(Debug, PartialEq, Eq)]
struct Stamp {
    path: RelPath,
    seen: Seen,
}

#[derive(Debug, PartialEq, Eq)]
struct Seen {
    id: FileId,
    len: u64,
    mtime_ns: i128,
    ctime_ns: i128,
}

/// A walk about to be made, and remembered if it can be.
pub(super) struct Begun {
    key: Key,
    started_ns: i128,
}

impl Memos {
    /// The walk from `start` if it is remembered and still true; otherwise what to remember it under.
    pub(super) fn find(
        &self,
        root: &Root,
        start: &RelPath,
        options: &WalkOptions,
    ) -> Result<Arc<Walked>, Begun> {
        let key = Key {
            start: start.clone(),
            max_depth: options.max_depth,
            max_entries: options.max_entries,
            files_only: options.files_only,
            include_ignored: options.include_ignored,
            skip: options.skip.iter().map(|&name| name.into()).collect(),
            is_filtered: options.hidden.is_some(),
        };
        let known = self
            .lock()
            .iter()
            .find(|memo| memo.key == key)
            .map(|memo| (Arc::clone(&memo.walked), Arc::clone(&memo.stamps)));
        if let Some((walked, stamps)) = known {
            if stamps
                .iter()
                .all(|stamp| stamp.holds(root) && !(options.stop)())
            {
                return Ok(walked);
            }
            self.lock().retain(|memo| memo.key != key);
        }
        let now = SystemTime::now()
            .duration_since(SystemTime::UNIX_EPOCH)
            .unwrap_or_default();
        let started = now.saturating_sub(SETTLED).as_nanos();
        Err(Begun {
            key,
            started_ns: i128::try_from(started).unwrap_or(0),
        })
    }

    /// Keeps a walk of these folders, unless something about it is not certain.
    pub(super) fn keep(
        &self,
        root: &Root,
        begun: Begun,
        walked: &Arc<Walked>,
        folders: &[RelPath],
    ) {
        let fits = walked.entries.len() <= ENTRIES && folders.len() <= FOLDERS;
        if walked.capped || walked.stopped || !fits || !root.keeps_times() {
            return;
        }
        let Some(stamps) = begun.stamps(root, folders) else {
            return;
        };
        let memo = Memo {
            key: begun.key,
            walked: Arc::clone(walked),
            stamps: stamps.into(),
        };
        let mut memos = self.lock();
        memos.retain(|other| other.key != memo.key);
        memos.insert(0, memo);
        memos.truncate(KEPT);
        let mut n_entries = 0;
        memos.retain(|memo| {
            n_entries += memo.walked.entries.len();
            n_entries <= ENTRIES
        });
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Memo>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Begun {
    /// How everything is that the walk depends on; `None` when some of it changed lately.
    fn stamps(&self, root: &Root, folders: &[RelPath]) -> Option<Vec<Stamp>> {
        let mut stamps = Vec::with_capacity(folders.len() + 8);
        let above = std::iter::successors(self.key.start.parent(), RelPath::parent);
        let above: Vec<RelPath> = if self.key.include_ignored {
            Vec::new()
        } else {
            above.collect()
        };
        for folder in above.iter().chain(folders) {
            stamps.push(self.stamp(root, folder.clone())?);
            if self.key.include_ignored {
                continue;
            }
            for rules in [IGNORE, GITIGNORE] {
                let path = folder.join(rules);
                // A file that is made later changes its folder.
                if Seen::at(root, &path).is_some() {
                    stamps.push(self.stamp(root, path)?);
                }
            }
        }
        Some(stamps)
    }

    fn stamp(&self, root: &Root, path: RelPath) -> Option<Stamp> {
        let seen = Seen::at(root, &path)?;
        let is_settled = seen.mtime_ns.max(seen.ctime_ns) < self.started_ns;
        let is_local = seen.id.dev == root.dev;
        (is_settled && is_local).then_some(Stamp { path, seen })
    }
}

impl Stamp {
    fn holds(&self, root: &Root) -> bool {
        Seen::at(root, &self.path).as_ref() == Some(&self.seen)
    }
}

impl Seen {
    /// Looks at a path as it is now. Nothing is opened, and where a link on the way leads elsewhere
    /// the identity found is another one.
    fn at(root: &Root, path: &RelPath) -> Option<Self> {
        let found = match path.as_bytes() {
            b"" => platform::stat_dir(&root.handle),
            bytes => platform::stat(&root.handle, bytes),
        };
        let Meta {
            id,
            len,
            mtime_ns,
            ctime_ns,
            ..
        } = found.ok()?;
        Some(Self {
            id,
            len,
            mtime_ns,
            ctime_ns,
        })
    }
}
