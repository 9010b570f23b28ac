//! `Proof`: what a walk has read, so that it can be told later whether all of it still is so.
//!
//! Two ways, and a third that is always open:
//!
//! - A watch on every folder, set before the folder was read: while it has nothing to tell, no name
//!   and no content was changed through these folders. Files with further names elsewhere are looked
//!   at one by one, since a change through those is not told.
//! - Looking: each folder has the identity and times that it had, and each file its identity. Only
//!   file systems of this machine are trusted to keep to that, and only folder times well before the
//!   walk, since two changes within one tick of the clock look alike.
//! - Otherwise nothing is proven, and whoever asks walks again.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use rooted::{Dir, FileId, Meta, RelPath, Root, Watch, WatchedFolder};

use super::path;

/// Folders that are watched for one walk at most; the system has a limit for all programs together.
const WATCHED: usize = 8192;
/// Watches that are kept for the next walk.
const SPARES: usize = 5;

/// The folders that a walk has read.
#[derive(Debug)]
pub(super) struct Proof {
    watch: Option<Lent>,
    folders: Vec<Folder>,
    /// Whether folder times can be relied on at all.
    is_timed: bool,
    /// Whether every folder's last change lay well before it was read.
    is_settled: bool,
    /// Whether something that was left out may come to count without its folder changing.
    pub(super) is_blind: bool,
    /// Takes times for far enough apart, however young they are; only tests know that they are.
    pub(super) is_hasty: bool,
    devices: HashSet<u64>,
    n_path_bytes: usize,
}

#[derive(Debug)]
struct Folder {
    path: Box<str>,
    /// How it was; `None` for one that could not be read.
    seen: Option<Seen>,
}

/// What is the same as long as no name in a folder changed.
#[derive(Debug, PartialEq, Eq)]
struct Seen {
    id: FileId,
    mtime_ns: i128,
    ctime_ns: i128,
}

impl Seen {
    fn of(meta: &Meta) -> Self {
        Self {
            id: meta.id,
            mtime_ns: meta.mtime_ns,
            ctime_ns: meta.ctime_ns,
        }
    }
}

impl Proof {
    /// A proof of nothing yet. Without `watches` it goes by looking.
    pub(super) fn new(watches: Option<&Arc<Spares>>) -> Self {
        Self {
            watch: watches.and_then(Spares::lend),
            folders: Vec::new(),
            is_timed: true,
            is_settled: true,
            is_blind: false,
            is_hasty: false,
            devices: HashSet::new(),
            n_path_bytes: 0,
        }
    }

    /// Takes in a folder that is about to be read; its number. `None` when it is gone already.
    pub(super) fn add(&mut self, path: &str, dir: &Dir) -> Option<u32> {
        let number = u32::try_from(self.folders.len()).ok()?;
        if let Some(watch) = &mut self.watch
            && !watch.add(dir, number)
        {
            self.watch = None;
        }
        let Ok(meta) = dir.meta() else {
            self.is_settled = false;
            return None;
        };
        self.is_settled &= meta.is_settled() || self.is_hasty;
        if self.devices.insert(meta.id.dev) {
            self.is_timed &= dir.keeps_times();
        }
        self.push(path, Some(Seen::of(&meta)));
        Some(number)
    }

    /// Takes in a folder that cannot be read. That it can be later shows in its own attributes, of
    /// which a watch of the folder above tells.
    pub(super) fn add_closed(&mut self, path: &str) {
        self.push(path, None);
    }

    fn push(&mut self, path: &str, seen: Option<Seen>) {
        self.n_path_bytes += path.len();
        self.folders.push(Folder {
            path: path.into(),
            seen,
        });
    }

    /// Turns a folder that was taken in as readable into one that is not.
    pub(super) fn close(&mut self, number: u32) {
        if let Some(folder) = self.folders.get_mut(number as usize) {
            folder.seen = None;
        }
    }

    /// The path of a folder.
    pub(super) fn path(&self, number: u32) -> &str {
        let folder = self.folders.get(number as usize);
        folder.map_or("", |folder| &folder.path)
    }

    /// Says whether it goes by a watch.
    pub(super) fn is_watched(&self) -> bool {
        self.watch.is_some() && self.is_timed
    }

    /// Says whether it can ever hold later.
    pub(super) fn is_worth_keeping(&self) -> bool {
        self.is_timed && (self.watch.is_some() || self.is_settled && !self.is_blind)
    }

    /// Says whether the watch has told of nothing. `counts` is asked of files whose content changed.
    pub(super) fn is_quiet(&self, counts: impl Fn(&str) -> bool) -> bool {
        let Some(lent) = &self.watch else {
            return false;
        };
        let Some(watch) = &lent.watch else {
            return false;
        };
        let content = |folder: WatchedFolder, name: &[u8]| {
            let (Some(&number), Ok(name)) = (lent.folders.get(&folder), std::str::from_utf8(name))
            else {
                return true;
            };
            counts(&join(self.path(number), name))
        };
        self.is_timed && !watch.has_news(content)
    }

    /// Says whether looking proves anything: without a watch that told of changes to names, only
    /// where times are far enough apart.
    pub(super) fn can_look(&self) -> bool {
        self.is_timed && !self.is_blind && (self.is_settled || self.watch.is_some())
    }

    /// Looks at every folder; says whether all are as they were, and whether `files` says so of each.
    pub(super) fn holds(&self, root: &Root, files: impl Fn(u32, &Dir) -> bool) -> bool {
        (0_u32..).zip(&self.folders).all(|(number, folder)| {
            let path = path::rel(&folder.path);
            match &folder.seen {
                None => is_closed(root, &path),
                Some(seen) => root.open_dir(&path).is_ok_and(|dir| {
                    dir.meta().is_ok_and(|meta| Seen::of(&meta) == *seen) && files(number, &dir)
                }),
            }
        })
    }

    /// Looks at every folder; says whether all are as they were, and so the names in them.
    pub(super) fn folders_hold(&self, root: &Root) -> bool {
        self.holds(root, |_, _| true)
    }

    /// Bytes it takes in memory, about.
    pub(super) fn n_bytes(&self) -> usize {
        self.folders.len() * (size_of::<Folder>() + 48) + self.n_path_bytes
    }
}

/// Watches that are not in use. To close one takes the system far longer than to make it watch others.
#[derive(Debug, Default)]
pub(super) struct Spares(Mutex<Vec<Watch>>);

/// A watch in use, with the folders that it watches by their numbers in the proof.
#[derive(Debug)]
struct Lent {
    /// There until it is given back.
    watch: Option<Watch>,
    folders: HashMap<WatchedFolder, u32>,
    spares: Weak<Spares>,
}

impl Spares {
    fn lend(self: &Arc<Self>) -> Option<Lent> {
        let spare = self.lock().pop();
        Some(Lent {
            watch: Some(spare.or_else(Watch::new)?),
            folders: HashMap::new(),
            spares: Arc::downgrade(self),
        })
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Watch>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Lent {
    /// Watches one more folder; false when that is not to be had.
    fn add(&mut self, dir: &Dir, number: u32) -> bool {
        if self.folders.len() >= WATCHED {
            return false;
        }
        let folder = self.watch.as_ref().and_then(|watch| watch.add(dir));
        folder.is_some_and(|folder| self.folders.insert(folder, number).is_none())
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        let Some(spares) = self.spares.upgrade() else {
            return;
        };
        let mut all = spares.lock();
        if all.len() < SPARES
            && let Some(watch) = self.watch.take()
        {
            watch.reset(self.folders.keys().copied());
            all.push(watch);
        }
    }
}

/// Says whether a folder cannot be read.
pub(super) fn is_closed(root: &Root, path: &RelPath) -> bool {
    match root.open_dir(path) {
        Ok(dir) => dir.visit(|_, _| false).is_err(),
        Err(_) => true,
    }
}

/// A path one name down.
pub(super) fn join(folder: &str, name: &str) -> String {
    let mut path = String::with_capacity(folder.len() + 1 + name.len());
    path.push_str(folder);
    if !folder.is_empty() {
        path.push('/');
    }
    path.push_str(name);
    path
}
