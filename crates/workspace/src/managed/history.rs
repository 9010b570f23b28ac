//! The history, as the toolset tells it.

use super::Managed;
use super::answer::{Checkpoint, Diff, DiffRequest, DiffStat, Pruned, Status};
use super::error::Error;
use crate::cancel::Cancel;
use crate::checkpoint;

impl Managed {
    /// Tells what differs from the newest checkpoint.
    ///
    /// # Errors
    /// [`super::Code::GitError`].
    pub fn status(&self, cancel: &Cancel) -> Result<Status, Error> {
        // With the lock no change of another call is seen half made.
        let _session = self.enter(cancel)?;
        let found = self.repository.status(cancel)?;
        let shown = |paths: &[rooted::RelPath]| paths.iter().map(ToString::to_string).collect();
        Ok(Status {
            modified: shown(&found.modified),
            added: shown(&found.added),
            removed: shown(&found.removed),
            checkpoint: found.checkpoint.to_string(),
        })
    }

    /// Shows what differs from a checkpoint.
    ///
    /// # Errors
    /// [`super::Code::CheckpointNotFound`], [`super::Code::GitError`], those of paths.
    pub fn diff(&self, request: &DiffRequest<'_>, cancel: &Cancel) -> Result<Diff, Error> {
        let path = match request.path {
            Some(path) => Some(self.rules.parse(path)?),
            None => None,
        };
        let _session = self.enter(cancel)?;
        let checkpoint = match request.checkpoint {
            Some(id) => Some(self.repository.find(id)?),
            None => None,
        };
        let wanted = checkpoint::DiffRequest {
            checkpoint,
            path: path.as_ref(),
            counts: request.stat,
        };
        let found = self.repository.diff(&wanted, cancel)?;
        let mut omitted: Vec<String> = found.omitted.iter().map(ToString::to_string).collect();
        omitted.sort_unstable();
        let counts = found.counts.into_iter();
        Ok(Diff {
            diff: found.text,
            stat: counts
                .map(|count| DiffStat {
                    path: count.path.to_string(),
                    added: count.added,
                    removed: count.removed,
                })
                .collect(),
            truncated: !omitted.is_empty(),
            omitted,
        })
    }

    /// The newest checkpoints, newest first.
    ///
    /// # Errors
    /// [`super::Code::GitError`].
    pub fn history(&self, limit: usize, cancel: &Cancel) -> Result<Vec<Checkpoint>, Error> {
        cancel.check()?;
        let found = self.repository.history(limit)?;
        Ok(found
            .into_iter()
            .map(|checkpoint| Checkpoint {
                id: checkpoint.id.to_string(),
                message: checkpoint.message,
                timestamp: checkpoint.timestamp,
            })
            .collect())
    }

    /// Forgets all but the newest checkpoints, and packs the history.
    ///
    /// # Errors
    /// [`super::Code::GitError`].
    pub fn prune(&self, keep: usize, cancel: &Cancel) -> Result<Pruned, Error> {
        let session = self.enter(cancel)?;
        let pruned = self.repository.prune(Some(keep), &session.guard, cancel)?;
        Ok(Pruned {
            n_kept: pruned.n_kept,
            n_removed: pruned.n_dropped,
        })
    }
}
