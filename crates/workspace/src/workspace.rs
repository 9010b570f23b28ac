//! `Workspace`: one named root with its policy; `Workspaces`: all that a server serves.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use rooted::{Durability, Mode, Root};

use crate::cancel::Cancel;
use crate::clock::Clock;
use crate::error::Error;
use crate::lock::{Lock, Queue};
use crate::policy::Policy;
use crate::reader::Reader;
use crate::records::{Keep, Records};
use crate::state::State;
use crate::transaction::{self, Recovered};
use crate::writer::Writer;

/// How a workspace is to be opened.
#[derive(Clone, Debug)]
pub struct WorkspaceOptions {
    /// The name that the `workspace` argument takes.
    pub name: String,
    /// The folder on the host.
    pub path: PathBuf,
    /// What may be seen and what may be changed.
    pub policy: Policy,
    /// Whether anything in it may be changed at all.
    pub writable: bool,
    /// What a finished change survives.
    pub durability: Durability,
    /// Where state is kept, if not in the root.
    pub state_base: Option<Arc<Root>>,
    /// How long the journal and the notes are kept.
    pub keep: Keep,
    /// Tells the time.
    pub clock: Clock,
    /// What the root lets through.
    pub mode: Mode,
}

impl WorkspaceOptions {
    /// A writable workspace without further rules, whose changes survive the end of the process.
    #[must_use]
    pub fn new(name: &str, path: &Path) -> Self {
        Self {
            name: name.to_owned(),
            path: path.to_owned(),
            policy: Policy::default(),
            writable: true,
            durability: Durability::Kill,
            state_base: None,
            keep: Keep::default(),
            clock: Clock::System,
            mode: Mode::FOLLOW,
        }
    }
}

/// One named project folder.
#[derive(Debug)]
pub struct Workspace {
    /// The name that the `workspace` argument takes.
    pub name: String,
    /// What may be seen and what may be changed.
    pub policy: Policy,
    /// Whether anything in it may be changed at all.
    pub writable: bool,
    pub(crate) keep: Keep,
    pub(crate) clock: Clock,
    pub(crate) journal: Records,
    pub(crate) notes: Records,
    durability: Durability,
    root: RwLock<Arc<Root>>,
    host_path: PathBuf,
    lock: Lock,
    recovered: AtomicBool,
}

impl Workspace {
    /// Opens a folder as the only workspace.
    ///
    /// # Errors
    /// Whatever the operating system says of the folder.
    pub fn open(options: WorkspaceOptions) -> io::Result<Self> {
        let root = Root::open(&options.path, options.mode)?;
        Ok(Self::new(options, root, Arc::default()))
    }

    fn new(options: WorkspaceOptions, root: Root, queue: Arc<Queue>) -> Self {
        let host_path = root.host_path().to_owned();
        let state = match options.state_base {
            Some(base) => State::beneath(base, &host_path),
            None => State::inside(),
        };
        Self {
            name: options.name,
            policy: options.policy,
            writable: options.writable,
            keep: options.keep,
            clock: options.clock,
            journal: Records::new("journal"),
            notes: Records::new("notes"),
            durability: options.durability,
            root: RwLock::new(Arc::new(root)),
            host_path,
            lock: Lock::new(state, queue),
            recovered: AtomicBool::new(false),
        }
    }

    /// The root's canonical path on the host, for `workspace_list` and the start-up lines.
    #[must_use]
    pub fn host_path(&self) -> &Path {
        &self.host_path
    }

    /// The root as it is now: a folder that was removed or moved away and made again is opened anew.
    ///
    /// # Errors
    /// [`Error::RootGone`] when there is no folder any more, or only by way of a link.
    pub fn root(&self) -> Result<Arc<Root>, Error> {
        let root = Arc::clone(&self.root.read().unwrap_or_else(PoisonError::into_inner));
        if !root.is_gone() {
            return Ok(root);
        }
        let gone = |_| Error::RootGone(self.host_path.display().to_string());
        let anew = Arc::new(root.open_again().map_err(gone)?);
        *self.root.write().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&anew);
        Ok(anew)
    }

    /// Says whether anything was kept for this workspace yet.
    #[must_use]
    pub fn has_state(&self) -> bool {
        self.root()
            .and_then(|root| self.state().open(&root))
            .is_ok_and(|dir| dir.is_some())
    }

    /// Says whether state is kept in a directory of its own and not in the root: then the paths of
    /// its files are not paths of the root.
    #[must_use]
    pub fn keeps_state_apart(&self) -> bool {
        self.state().is_apart()
    }

    /// The change that everything done now belongs to.
    #[must_use]
    pub fn active_change(&self) -> Option<String> {
        self.state().active_change(&*self.root().ok()?)
    }

    pub(crate) fn state(&self) -> &State {
        self.lock.state()
    }

    pub(crate) fn lock(&self) -> &Lock {
        &self.lock
    }

    pub(crate) fn durability(&self) -> Durability {
        self.durability
    }

    /// Shared access for one call.
    ///
    /// # Errors
    /// [`Error::RootGone`].
    pub fn reader(&self, cancel: &Cancel) -> Result<Reader<'_>, Error> {
        // A read does not depend on it; the next change tries again, and tells when it fails.
        let _ = self.recover();
        Ok(Reader::new(self, self.root()?, cancel.clone()))
    }

    /// Exclusive access for one call: waits for the lock, and finishes what a process that ended left.
    ///
    /// # Errors
    /// [`Error::ReadOnlyWorkspace`], [`Error::RootGone`], [`Error::Busy`], [`Error::NotWritable`],
    /// [`Error::Cancelled`].
    pub fn writer(&self, cancel: &Cancel) -> Result<Writer<'_>, Error> {
        if !self.writable {
            return Err(Error::ReadOnlyWorkspace(self.name.clone()));
        }
        let root = self.root()?;
        let guard = transaction::enter(&root, &self.lock, cancel)?;
        self.recovered.store(true, Ordering::Relaxed);
        Ok(Writer::new(
            Reader::new(self, root, cancel.clone()),
            guard,
            self.durability,
        ))
    }

    /// Finishes or takes back, once, what a process that ended left under way; does nothing where
    /// nothing may be changed.
    ///
    /// # Errors
    /// When the state folder cannot be read.
    pub fn recover(&self) -> Result<Recovered, Error> {
        if !self.writable || self.recovered.load(Ordering::Relaxed) {
            return Ok(Recovered::default());
        }
        let recovered = transaction::recover_if_idle(&*self.root()?, &self.lock)?;
        self.recovered.store(true, Ordering::Relaxed);
        Ok(recovered)
    }
}

/// The workspaces of a server, in the order they were given.
#[derive(Debug)]
pub struct Workspaces {
    all: Vec<Arc<Workspace>>,
    primary: usize,
}

impl Workspaces {
    /// Opens all folders; the workspace named `default`, else the first, is primary.
    ///
    /// Roots that nest share one lock in this process.
    ///
    /// # Errors
    /// The position of the first folder that cannot be opened, and what the operating system says.
    ///
    /// # Panics
    /// When there are none.
    pub fn open(options: Vec<WorkspaceOptions>) -> Result<Self, (usize, io::Error)> {
        assert!(
            !options.is_empty(),
            "a server serves at least one workspace"
        );
        let mut opened = Vec::with_capacity(options.len());
        for (index, options) in options.into_iter().enumerate() {
            let root = Root::open(&options.path, options.mode).map_err(|error| (index, error))?;
            opened.push((options, root));
        }
        let host_paths: Vec<&Path> = opened.iter().map(|(_, root)| root.host_path()).collect();
        let queues = Queue::for_roots(&host_paths);
        let all: Vec<_> = opened
            .into_iter()
            .zip(queues)
            .map(|((options, root), queue)| Arc::new(Workspace::new(options, root, queue)))
            .collect();
        let primary = all
            .iter()
            .position(|workspace| workspace.name == "default")
            .unwrap_or(0);
        Ok(Self { all, primary })
    }

    /// The workspace of that name, or the primary one.
    ///
    /// # Errors
    /// [`Error::UnknownWorkspace`].
    pub fn get(&self, name: Option<&str>) -> Result<&Arc<Workspace>, Error> {
        let Some(name) = name else {
            return Ok(self.primary());
        };
        self.all
            .iter()
            .find(|workspace| workspace.name == name)
            .ok_or_else(|| Error::UnknownWorkspace {
                name: name.to_owned(),
                available: self
                    .all
                    .iter()
                    .map(|workspace| workspace.name.clone())
                    .collect(),
            })
    }

    /// The workspace that calls without a `workspace` argument mean.
    #[must_use]
    pub fn primary(&self) -> &Arc<Workspace> {
        self.all
            .get(self.primary)
            .expect("the list was checked to hold the primary one")
    }

    /// All workspaces in the order they were given.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Arc<Workspace>> {
        self.all.iter()
    }
}
