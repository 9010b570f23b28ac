//! Opening a managed workspace.

use std::io;
use std::sync::{Arc, RwLock};

use rooted::{Durability, Mode, Root};

use super::answer::Started;
use super::error::{Code, Error};
use super::options::Options;
use super::rules::Rules;
use super::{Managed, session};
use crate::cancel::Cancel;
use crate::checkpoint::{self, Repository};
use crate::clock::Clock;
use crate::lock::{Lock, Queue};
use crate::state::State;
use crate::transaction;

impl Managed {
    /// Opens the workspace: finishes or takes back what a process that ended left, and begins the
    /// history where there is none.
    ///
    /// # Errors
    /// [`Code::PathOutsideWorkspace`] for a root that is no good;
    /// [`Code::ExistingGitRepositoryNotSupported`]; what the disk says.
    pub fn start(options: Options, cancel: &Cancel) -> Result<(Self, Started), Error> {
        let root = open(&options)?;
        let rules = Rules::new(&options.excluded);
        let lock = Lock::new(State::inside(), Arc::<Queue>::default());
        let guard = lock.acquire(&root, cancel)?;
        // Changes whose files are all there, and that only lack their checkpoint.
        let n_noted = transaction::noted(&guard)?.len();
        // Files first: the first checkpoint of a new history is not to hold half a change.
        let recovered = transaction::recover(&root, &guard)?;
        let mut tracked = checkpoint::Rules::new(options.max_file_bytes, rules.excluded());
        tracked.one_filesystem = options.require_same_filesystem;
        let how = checkpoint::Options {
            author_name: options.author_name.clone(),
            author_email: options.author_email.clone(),
            rules: tracked,
            durability: Durability::Power,
            clock: Clock::System,
        };
        let opened = Repository::open_or_init(&root, how, &guard, cancel)?;
        let repository = opened.repository;
        session::settle(&root, &guard, &repository)?;
        let started = Started {
            created: opened.initial.is_some(),
            n_undone: recovered.n_undone,
            n_finished: recovered.n_finished + n_noted,
            n_pending: recovered.n_pending,
        };
        drop(guard);
        let managed = Self {
            options,
            rules,
            root: RwLock::new(Arc::new(root)),
            lock,
            repository,
        };
        Ok((managed, started))
    }
}

fn open(options: &Options) -> Result<Root, Error> {
    let bad = |message: String| Error::new(Code::PathOutsideWorkspace, message);
    let mode = Mode {
        follow_links: !options.reject_reparse_points,
        one_filesystem: options.require_same_filesystem,
        refuse_hard_links: options.reject_hardlinks,
    };
    let path = &options.root;
    let root = Root::open(path, mode).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => {
            bad(format!("workspace root does not exist: {}", path.display()))
        }
        io::ErrorKind::NotADirectory => bad("workspace root must be a directory".to_owned()),
        _ => bad(format!("workspace root cannot be opened: {error}")),
    })?;
    if root.host_path().parent().is_none() {
        let message = "workspace root must not be a filesystem root";
        return Err(bad(message.to_owned()));
    }
    Ok(root)
}
