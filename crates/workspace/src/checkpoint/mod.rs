//! Checkpoints: the history of a folder in an ordinary git repository, kept without git.
//!
//! The repository is `.git` in the root, made and read in this process. Everything in it is opened
//! beneath the root's handle, so whatever is put in the place of `.git` leads nowhere else. Blobs are
//! the bytes on the disk: no filter, hook, attribute, ignore rule or setting has a say. Only the
//! marker in its configuration makes a repository one of ours; any other is refused.
//!
//! A checkpoint is on the disk, flushed, before the branch moves to it, and what a checkpoint needs
//! is never removed before its copy is flushed. So a process that ends at any instant leaves the old
//! history or the new one.
//!
//! What this does not do: change files of the root, or take the lock. Who asks for a change holds it.

mod commit;
mod diff;
mod error;
mod files;
mod history;
mod id;
mod index;
mod layout;
mod object;
mod open;
mod parallel;
mod patch;
mod prune;
mod refs;
mod restore;
mod rules;
mod scan;
mod status;
mod store;
mod tree;

use std::sync::{Mutex, MutexGuard, PoisonError};

use rooted::{Dir, Durability, FileId, RelPath, Root};

pub use self::diff::{Diff, DiffRequest, LineCount};
pub use self::error::Error;
pub use self::history::{Checkpoint, Saved};
pub use self::id::Id;
pub use self::open::Opened;
pub use self::prune::Pruned;
pub use self::restore::{Plan, RestoreRequest, Write};
pub use self::rules::Rules;
pub use self::status::Status;

use self::index::{Entry, Seen};
use self::refs::Head;
use self::store::Store;
use crate::clock::Clock;

/// The message of the first checkpoint of a folder.
pub const INITIAL: &str = "initial snapshot";
/// The message of the checkpoint before a change.
pub const PRE_CHANGE: &str = "pre-change checkpoint";
/// The message of the checkpoint after a change.
pub const POST_CHANGE: &str = "post-change checkpoint";
/// The message of the checkpoint before a restore.
pub const PRE_RESTORE: &str = "pre-restore checkpoint";
/// What the message of the checkpoint after a restore starts with; the first 12 characters of the id as given follow.
pub const RESTORED: &str = "restored to ";

/// How checkpoints are made.
#[derive(Clone, Debug)]
pub struct Options {
    /// The name of the author of every checkpoint.
    pub author_name: String,
    /// The address of the author of every checkpoint.
    pub author_email: String,
    /// Which files are tracked.
    pub rules: Rules,
    /// What a finished checkpoint is to survive.
    pub durability: Durability,
    /// Tells when a checkpoint is made.
    pub clock: Clock,
}

/// The checkpoints of one folder.
///
/// One call works at a time. Another process may add checkpoints between calls; that is noticed.
#[derive(Debug)]
pub struct Repository {
    options: Options,
    // A plain mutex: calls are synchronous and wait for each other.
    inner: Mutex<Inner>,
}

/// What is held of an open repository.
#[derive(Debug)]
struct Inner {
    root: Root,
    git: Dir,
    git_id: FileId,
    store: Store,
    trusts_modes: bool,
    head: Head,
    /// The folder of the newest checkpoint.
    tree: Id,
    /// All that is in it, by path.
    entries: Vec<Entry>,
    /// The version of the index file that says what `entries` does; `None` when it is to be written.
    index: Option<Seen>,
    /// Files that are known to be unchanged, but not by that file.
    n_unwritten: usize,
    /// The newest checkpoints down from one of them.
    line: Option<history::Line>,
}

impl Repository {
    /// The rules by which files are tracked.
    #[must_use]
    pub fn rules(&self) -> &Rules {
        &self.options.rules
    }

    /// The newest checkpoint.
    ///
    /// # Errors
    /// [`Error::Damaged`] when there is none.
    pub fn head(&self) -> Result<Id, Error> {
        let inner = self.enter()?;
        inner.head_id()
    }

    /// The repository as it is now, for one call.
    fn enter(&self) -> Result<MutexGuard<'_, Inner>, Error> {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        inner.follow(&self.options)?;
        Ok(inner)
    }
}

impl Inner {
    /// Opens what is held anew where another one has its place by now.
    fn follow(&mut self, options: &Options) -> Result<(), Error> {
        if self.root.is_gone() {
            let gone = |_| crate::Error::RootGone(self.root.host_path().display().to_string());
            self.root = self.root.open_again().map_err(gone)?;
        }
        let root = self.root.open_dir(&RelPath::root())?;
        let is_same = root
            .stat(layout::GIT)
            .is_ok_and(|meta| meta.kind == rooted::Kind::Dir && meta.id == self.git_id);
        if !is_same {
            let layout = match layout::find(&root)? {
                layout::Found::Ours(layout) => layout,
                layout::Found::Nothing => return Err(error::gone()),
            };
            let root = self
                .root
                .with_mode(open::mode(options))
                .map_err(|source| error::io(source, &RelPath::root()))?;
            *self = Self::load(root, layout, options)?;
            return Ok(());
        }
        if !self.store.is_current() {
            self.store.look_again()?;
            self.line = None;
        }
        let head = refs::head(&self.git)?;
        if head != self.head {
            self.move_to(head)?;
        }
        Ok(())
    }

    /// Takes another checkpoint for the newest one.
    fn move_to(&mut self, head: Head) -> Result<(), Error> {
        let tree = match head.id {
            Some(id) => self.store.commit(id)?.tree,
            None => Id::EMPTY_TREE,
        };
        let mut sets = Vec::new();
        let compared = tree::compare(
            &self.store,
            Some(self.tree),
            Some(tree),
            &mut |path, _, new| {
                let path: Box<[u8]> = path.into();
                sets.push(tree::Set { path, leaf: new });
                Ok(())
            },
        );
        match compared {
            Ok(()) => index::set(&mut self.entries, &sets, |_| None),
            // The checkpoint that was the newest one is gone by now.
            Err(Error::Damaged(_)) => self.entries = tree::flatten(&self.store, tree)?,
            Err(error) => return Err(error),
        }
        self.index = index::overlay(&self.git, &mut self.entries)?;
        self.head = head;
        self.tree = tree;
        Ok(())
    }

    fn head_id(&self) -> Result<Id, Error> {
        self.head
            .id
            .ok_or_else(|| error::damaged("there is no checkpoint"))
    }

    fn load(root: Root, layout: layout::Layout, options: &Options) -> Result<Self, Error> {
        let git = layout.git;
        let store = Store::open(&git, options.durability)?;
        let head = refs::head(&git)?;
        let tree = match head.id {
            Some(id) => store.commit(id)?.tree,
            None => Id::EMPTY_TREE,
        };
        let mut entries = tree::flatten(&store, tree)?;
        let index = index::overlay(&git, &mut entries)?;
        Ok(Self {
            git_id: git.meta()?.id,
            root,
            git,
            store,
            trusts_modes: layout.trusts_modes,
            head,
            tree,
            entries,
            index,
            n_unwritten: 0,
            line: None,
        })
    }

    fn scan<'a>(
        &'a self,
        options: &'a Options,
        batch: Option<&'a store::batch::Batch<'a>>,
        cancel: &'a crate::Cancel,
    ) -> scan::Scan<'a> {
        scan::Scan {
            root: &self.root,
            rules: &options.rules,
            trusts_modes: self.trusts_modes,
            entries: &self.entries,
            batch,
            cancel,
        }
    }
}
