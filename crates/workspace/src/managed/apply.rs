//! `apply_changes`: all operations or none, with a checkpoint before and after.

use super::draft::Draft;
use super::error::{Code, Error};
use super::operation::{Applied, Done, Operation};
use super::session::{Note, Session, follow};
use super::{Managed, plan};
use crate::cancel::Cancel;
use crate::checkpoint::{Id, POST_CHANGE, PRE_CHANGE};
use crate::limits::EDIT_ATTEMPTS;
use crate::transaction::{Fetch, TreeChange};

/// A change with the checkpoint before it.
pub(super) struct Change {
    pub(super) steps: TreeChange,
    /// That checkpoint.
    pub(super) before: Id,
    /// The message of the one after it.
    pub(super) message: String,
}

/// Why a change was not made.
pub(super) enum Refusal {
    /// Another program changed something of it meanwhile.
    Changed(Error),
    /// Anything else.
    Other(Error),
}

impl Managed {
    /// Does operations in order: all of them or none, with a checkpoint before and after.
    ///
    /// # Errors
    /// Whatever one of them breaks. Then no file was touched, and, but for
    /// [`Code::TransactionFailed`] and [`Code::RollbackFailed`], no checkpoint made.
    pub fn apply_changes(
        &self,
        operations: &[Operation],
        cancel: &Cancel,
    ) -> Result<Applied, Error> {
        plan::check(operations, self.options.max_transaction_bytes)?;
        let session = self.enter(cancel)?;
        let mut attempt = 1;
        loop {
            let (steps, applied) = self.draft(&session, operations, cancel)?;
            let before = self.repository.commit(PRE_CHANGE, &session.guard, cancel)?;
            let change = Change {
                steps,
                before,
                message: POST_CHANGE.to_owned(),
            };
            let nothing: Fetch<'_> = &mut |_| Err(crate::Error::Cancelled);
            match self.make(&session, change, nothing) {
                Ok(after) => {
                    return Ok(Applied {
                        applied,
                        checkpoint: after.to_string(),
                        pre_checkpoint: before.to_string(),
                    });
                }
                // Judged anew: most often the hash tells by then.
                Err(Refusal::Changed(_)) if attempt < EDIT_ATTEMPTS => attempt += 1,
                Err(Refusal::Changed(error) | Refusal::Other(error)) => return Err(error),
            }
        }
    }

    fn draft(
        &self,
        session: &Session,
        operations: &[Operation],
        cancel: &Cancel,
    ) -> Result<(TreeChange, Vec<Done>), Error> {
        let mut draft = Draft::new(&session.root, &self.options, &self.rules, cancel)?;
        let mut applied = Vec::with_capacity(operations.len());
        for (index, operation) in operations.iter().enumerate() {
            cancel.check()?;
            let done = draft.operation(operation);
            applied.push(done.map_err(|error| error.of_operation(index))?);
        }
        Ok((draft.change, applied))
    }

    /// Makes a change, and the checkpoint after it; when that fails, takes the change back.
    pub(super) fn make(
        &self,
        session: &Session,
        change: Change,
        fetch: Fetch<'_>,
    ) -> Result<Id, Refusal> {
        let before = change.before.to_string();
        let note = Note {
            before: before.clone(),
            message: change.message,
        };
        let paths = change.steps.paths();
        let guard = &session.guard;
        let made = change
            .steps
            .with_note(note.text())
            .commit(&session.root, guard, fetch)
            .map_err(|failed| {
                let changed = matches!(failed.cause, crate::Error::KeepsChanging(_));
                if !failed.taken_back {
                    return Refusal::Other(stuck(&before, &failed.cause));
                }
                let message = format!("transaction failed: {}", failed.cause);
                let error = Error::new(Code::TransactionFailed, message);
                if changed {
                    Refusal::Changed(error)
                } else {
                    Refusal::Other(error)
                }
            })?;
        match follow(&self.repository, guard, &note.message, &paths) {
            Ok(after) => {
                made.finish();
                Ok(after)
            }
            Err(error) => Err(Refusal::Other(match made.undo() {
                Ok(()) => error,
                Err(cause) => stuck(&before, &cause),
            })),
        }
    }
}

fn stuck(before: &str, cause: &crate::Error) -> Error {
    let message =
        format!("ROLLBACK FAILED - recover manually via git_restore('{before}'): {cause}");
    Error::new(Code::RollbackFailed, message)
}
