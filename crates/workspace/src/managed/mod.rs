//! A managed workspace: one folder that is changed by checked transactions, each with a checkpoint
//! before and after it.
//!
//! Everything is validated, under the workspace's lock, before anything is touched; then the
//! transaction makes the changes together, and the history follows. What a process that ended left
//! in the middle is finished or taken back at the next start, in the files and in the history:
//!
//! - Before the transaction's record is renamed, everything is taken back. The newest checkpoint, the
//!   one before the change, holds just that.
//! - From then on the change stays. The record keeps a note that names the checkpoint before it; as
//!   long as that is the newest one, the checkpoint after the change is still to be made.

mod answer;
mod apply;
mod draft;
mod error;
mod history;
mod lines;
mod look;
mod operation;
mod options;
mod plan;
mod restore;
mod rules;
mod search;
mod session;
mod start;
mod untracked;

use std::sync::{Arc, PoisonError, RwLock};

use rooted::Root;

pub use self::answer::{
    Checkpoint, Diff, DiffRequest, DiffStat, Found, Hit, Listed, Pruned, ReadAnswer, ReadRequest,
    RestoreRequest, Restored, SearchRequest, Started, Status, WouldChange,
};
pub use self::error::{Code, Error};
pub use self::operation::{Applied, Done, Encoding, Operation};
pub use self::options::{Allow, EXCLUDED, Options};
pub use self::rules::Rules;
pub use self::search::expression_fault;

use crate::checkpoint::Repository;
use crate::lock::Lock;

/// A managed workspace, ready for calls from any number of threads.
#[derive(Debug)]
pub struct Managed {
    options: Options,
    rules: Rules,
    root: RwLock<Arc<Root>>,
    lock: Lock,
    repository: Repository,
}

impl Managed {
    /// How the workspace is set up.
    #[must_use]
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Which paths there may be.
    #[must_use]
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// The last component of the root's path.
    #[must_use]
    pub fn name(&self) -> String {
        let root = self.root.read().unwrap_or_else(PoisonError::into_inner);
        let name = root.host_path().file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }

    /// Says whether the folder is still there.
    #[must_use]
    pub fn root_exists(&self) -> bool {
        self.root().is_ok()
    }

    /// The root as it is now: a folder that was removed or moved away and made again is opened anew.
    fn root(&self) -> Result<Arc<Root>, Error> {
        let root = Arc::clone(&self.root.read().unwrap_or_else(PoisonError::into_inner));
        if !root.is_gone() {
            return Ok(root);
        }
        let gone = |_| {
            let message = "the workspace folder is gone; put it back or start anew";
            Error::new(Code::InternalError, message)
        };
        let anew = Arc::new(root.open_again().map_err(gone)?);
        *self.root.write().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&anew);
        Ok(anew)
    }
}
