//! The history, as the toolset tells it.

use rooted::{ErrorKind, Mode, RelPath};

use super::Managed;
use super::answer::{Checkpoint, Diff, DiffRequest, DiffStat, Pruned, Status};
use super::draft::not_found;
use super::error::Error;
use super::session::Session;
use crate::cancel::Cancel;
use crate::checkpoint::{self, Id};

impl Managed {
    /// Tells what differs from the newest checkpoint.
    ///
    /// # Errors
    /// [`super::Code::GitError`].
    pub fn status(&self, cancel: &Cancel) -> Result<Status, Error> {
        // With the lock no change of another call is seen half made.
        let _session = self.enter(cancel)?;
        let found = self.repository.status(cancel)?;
        let shown = |paths: &[RelPath]| paths.iter().map(ToString::to_string).collect();
        Ok(Status {
            modified: shown(&found.modified),
            added: shown(&found.added),
            removed: shown(&found.removed),
            unreadable: shown(&found.unreadable),
            checkpoint: found.checkpoint.to_string(),
        })
    }

    /// Shows what differs from a checkpoint.
    ///
    /// # Errors
    /// [`super::Code::CheckpointNotFound`], [`super::Code::GitError`], those of paths;
    /// [`super::Code::FileNotFound`] when neither the files nor the checkpoint have the path.
    pub fn diff(&self, request: &DiffRequest<'_>, cancel: &Cancel) -> Result<Diff, Error> {
        let path = match request.path {
            Some(path) => Some(self.rules.parse(path)?),
            None => None,
        };
        let session = self.enter(cancel)?;
        let checkpoint = match request.checkpoint {
            Some(id) => Some(self.repository.find(id)?),
            None => None,
        };
        let wanted = checkpoint::DiffRequest {
            checkpoint,
            path: path.as_ref(),
            counts: request.stat,
        };
        if let (Some(path), Some(given)) = (&path, request.path) {
            let checkpoint = match checkpoint {
                Some(id) => id,
                None => self.repository.head()?,
            };
            self.refuse_unknown(&session, checkpoint, path, given)?;
        }
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

    /// Refuses a path at which neither the files nor a checkpoint have anything: a slip would look
    /// like no difference.
    pub(super) fn refuse_unknown(
        &self,
        session: &Session,
        checkpoint: Id,
        path: &RelPath,
        given: &str,
    ) -> Result<(), Error> {
        let strict = session.root.with_mode(Mode::NO_LINKS);
        let there = strict.map(|root| root.meta(path));
        let is_missing = matches!(&there, Ok(Err(error)) if matches!(
            error.kind,
            ErrorKind::NotFound | ErrorKind::NotADirectory
        ));
        if is_missing {
            let saved = self.repository.files(checkpoint)?;
            if !saved.iter().any(|file| file.path.starts_with(path)) {
                return Err(not_found(given));
            }
        }
        Ok(())
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
