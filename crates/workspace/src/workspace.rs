//! `Workspace`: one named root with its policy; `Workspaces`: all that a server serves.

use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};

use rooted::{Mode, Root};

use crate::cancel::Cancel;
use crate::error::Error;
use crate::policy::Policy;
use crate::reader::Reader;

/// One named project folder.
#[derive(Debug)]
pub struct Workspace {
    /// The name that the `workspace` argument takes.
    pub name: String,
    /// What may be seen and what may be changed.
    pub policy: Policy,
    /// Whether anything in it may be changed at all.
    pub writable: bool,
    root: RwLock<Arc<Root>>,
    host_path: PathBuf,
}

impl Workspace {
    /// Opens a folder as a workspace.
    ///
    /// # Errors
    /// Whatever the operating system says of the folder.
    pub fn open(
        name: String,
        path: &std::path::Path,
        policy: Policy,
        writable: bool,
    ) -> std::io::Result<Self> {
        let root = Root::open(path, Mode::FOLLOW)?;
        let host_path = root.host_path().to_owned();
        Ok(Self {
            name,
            policy,
            writable,
            root: RwLock::new(Arc::new(root)),
            host_path,
        })
    }

    /// The root's canonical path on the host, for `workspace_list` and the start-up lines.
    #[must_use]
    pub fn host_path(&self) -> &std::path::Path {
        &self.host_path
    }

    /// The root as it is now: a folder that was removed and made again is opened anew.
    ///
    /// # Errors
    /// [`Error::RootGone`] when there is no folder any more.
    pub fn root(&self) -> Result<Arc<Root>, Error> {
        let root = Arc::clone(&self.root.read().unwrap_or_else(PoisonError::into_inner));
        if !root.is_gone() {
            return Ok(root);
        }
        let gone = |_| Error::RootGone(self.host_path.display().to_string());
        let anew = Arc::new(Root::open(&self.host_path, Mode::FOLLOW).map_err(gone)?);
        *self.root.write().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&anew);
        Ok(anew)
    }

    /// Shared access for one call.
    ///
    /// # Errors
    /// [`Error::RootGone`].
    pub fn reader(&self, cancel: &Cancel) -> Result<Reader<'_>, Error> {
        Ok(Reader::new(self, self.root()?, cancel.clone()))
    }
}

/// The workspaces of a server, in the order they were given.
#[derive(Debug)]
pub struct Workspaces {
    all: Vec<Arc<Workspace>>,
    primary: usize,
}

impl Workspaces {
    /// Takes at least one workspace; the one named `default`, else the first, is primary.
    ///
    /// Returns `None` for an empty list.
    #[must_use]
    pub fn new(all: Vec<Arc<Workspace>>) -> Option<Self> {
        if all.is_empty() {
            return None;
        }
        let primary = all
            .iter()
            .position(|workspace| workspace.name == "default")
            .unwrap_or(0);
        Some(Self { all, primary })
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
