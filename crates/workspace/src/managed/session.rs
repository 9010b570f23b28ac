//! One call that may change something: the lock, and first what a process that ended left to do.

use std::sync::Arc;

use rooted::{RelPath, Root};
use serde::{Deserialize, Serialize};

use super::Managed;
use super::error::{Code, Error};
use crate::cancel::Cancel;
use crate::checkpoint::{self, Id, Repository};
use crate::lock::Guard;
use crate::transaction::{self, Recovered};

/// The lock of the workspace, with everything settled.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) root: Arc<Root>,
    pub(super) guard: Guard,
}

/// What a change tells whoever finds it finished, but without its checkpoint.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Note {
    /// The checkpoint before the change.
    pub(super) before: String,
    /// The message of the one after it.
    pub(super) message: String,
}

impl Note {
    pub(super) fn text(&self) -> String {
        serde_json::to_string(self).expect("two texts")
    }
}

impl Managed {
    /// Waits for the lock, and finishes or takes back what a process that ended left.
    ///
    /// # Errors
    /// [`Code::RollbackFailed`] when something refuses that; what the disk says.
    pub(super) fn enter(&self, cancel: &Cancel) -> Result<Session, Error> {
        let root = self.root()?;
        let guard = self.lock.acquire(&root, cancel)?;
        let (recovered, _) = settle(&root, &guard, &self.repository)?;
        if recovered.n_pending > 0 {
            return Err(Error::new(
                Code::RollbackFailed,
                "an earlier change is neither finished nor taken back, since something in its \
                 folders refuses; see to their permissions and try again",
            ));
        }
        Ok(Session { root, guard })
    }
}

/// Finishes or takes back what processes left, in the files and in the history; tells also how many
/// changes only lacked their checkpoint.
///
/// # Errors
/// What the disk says.
pub(super) fn settle(
    root: &Root,
    guard: &Guard,
    repository: &Repository,
) -> Result<(Recovered, usize), Error> {
    let recovered = transaction::recover(root, guard)?;
    let mut n_noted = 0;
    for noted in transaction::noted(guard)? {
        let note: Option<Note> = serde_json::from_str(&noted.note).ok();
        if let Some(note) = note
            && repository.head()?.to_string() == note.before
        {
            follow(repository, guard, &note.message, &noted.paths)?;
            n_noted += 1;
        }
        transaction::forget(guard, &noted)?;
    }
    Ok((recovered, n_noted))
}

/// Makes the checkpoint that follows a change of some paths.
///
/// # Errors
/// What the disk says; the history is as before then.
pub(super) fn follow(
    repository: &Repository,
    guard: &Guard,
    message: &str,
    paths: &[RelPath],
) -> Result<Id, Error> {
    // The change has happened: whoever asked for it gets it whole, also when he has given up since.
    Ok(repository.commit_paths(message, paths, guard, &Cancel::never())?)
}

impl From<checkpoint::Error> for Error {
    fn from(error: checkpoint::Error) -> Self {
        let code = match error {
            checkpoint::Error::Foreign(_) => Code::ExistingGitRepositoryNotSupported,
            checkpoint::Error::Unknown(_) | checkpoint::Error::Ambiguous => {
                Code::CheckpointNotFound
            }
            checkpoint::Error::Damaged(_) => Code::GitError,
            checkpoint::Error::Workspace(
                error @ (crate::Error::Cancelled | crate::Error::RootGone(_)),
            ) => return error.into(),
            checkpoint::Error::Workspace(_) => Code::GitError,
        };
        Self::new(code, error.to_string())
    }
}
