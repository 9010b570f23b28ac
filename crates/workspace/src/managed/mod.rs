//! A managed workspace: one folder that is changed by checked transactions, each with a checkpoint
//! before and after it.
//!
//! Everything is validated, under the workspace's lock, before anything is touched; then the
//! transaction makes the changes together, and the history follows. What a process that ended left
//! in the middle is finished or taken back at the next start, in the files and in the history.

mod answer;
mod error;
mod operation;
mod options;
mod rules;

pub use self::answer::{
    Checkpoint, Diff, DiffRequest, DiffStat, Found, Hit, Listed, Pruned, ReadAnswer, ReadRequest,
    RestoreRequest, Restored, SearchRequest, Started, Status, WouldChange,
};
pub use self::error::{Code, Error};
pub use self::operation::{Applied, Done, Encoding, Operation};
pub use self::options::{Allow, EXCLUDED, Options};
pub use self::rules::Rules;

use crate::cancel::Cancel;

/// A managed workspace, ready for calls from any number of threads.
#[derive(Debug)]
pub struct Managed {
    options: Options,
    rules: Rules,
}

impl Managed {
    /// Opens the workspace: finishes or takes back what a process that ended left, and begins the
    /// history where there is none.
    ///
    /// # Errors
    /// [`Code::PathOutsideWorkspace`] and [`Code::ConfigError`] for a root that is no good;
    /// [`Code::ExistingGitRepositoryNotSupported`]; what the disk says.
    pub fn start(options: Options, cancel: &Cancel) -> Result<(Self, Started), Error> {
        let _ = cancel;
        let rules = Rules::new(&options.excluded);
        Ok((Self { options, rules }, Started::default()))
    }

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
        String::new()
    }

    /// Lists a folder, sorted by name; the empty path is the root.
    ///
    /// # Errors
    /// Those of paths; [`Code::DirectoryExpected`].
    pub fn list_directory(&self, path: &str, cancel: &Cancel) -> Result<Vec<Listed>, Error> {
        let _ = (path, cancel);
        Err(unfinished())
    }

    /// Reads a text file, or some of its lines.
    ///
    /// # Errors
    /// Those of paths; [`Code::ReadTooLarge`], [`Code::BinaryFileUnsupported`].
    pub fn read_file(
        &self,
        request: &ReadRequest<'_>,
        cancel: &Cancel,
    ) -> Result<ReadAnswer, Error> {
        let _ = (request, cancel);
        Err(unfinished())
    }

    /// Searches text files.
    ///
    /// # Errors
    /// Those of paths; [`Code::DirectoryExpected`]; [`Code::InternalError`] for a bad expression.
    pub fn search_text(
        &self,
        request: &SearchRequest<'_>,
        cancel: &Cancel,
    ) -> Result<Found, Error> {
        let _ = (request, cancel);
        Err(unfinished())
    }

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
        let _ = (operations, cancel);
        Err(unfinished())
    }

    /// Tells what differs from the newest checkpoint.
    ///
    /// # Errors
    /// [`Code::GitError`].
    pub fn status(&self, cancel: &Cancel) -> Result<Status, Error> {
        let _ = cancel;
        Err(unfinished())
    }

    /// Shows what differs from a checkpoint.
    ///
    /// # Errors
    /// [`Code::CheckpointNotFound`], [`Code::GitError`], those of paths.
    pub fn diff(&self, request: &DiffRequest<'_>, cancel: &Cancel) -> Result<Diff, Error> {
        let _ = (request, cancel);
        Err(unfinished())
    }

    /// The newest checkpoints, newest first.
    ///
    /// # Errors
    /// [`Code::GitError`].
    pub fn history(&self, limit: usize, cancel: &Cancel) -> Result<Vec<Checkpoint>, Error> {
        let _ = (limit, cancel);
        Err(unfinished())
    }

    /// Makes the files as they were at a checkpoint.
    ///
    /// # Errors
    /// [`Code::CheckpointNotFound`], those of paths, and those of [`Managed::apply_changes`].
    pub fn restore(
        &self,
        request: &RestoreRequest<'_>,
        cancel: &Cancel,
    ) -> Result<Restored, Error> {
        let _ = (request, cancel);
        Err(unfinished())
    }

    /// Forgets all but the newest checkpoints, and packs the history.
    ///
    /// # Errors
    /// [`Code::GitError`].
    pub fn prune(&self, keep: usize, cancel: &Cancel) -> Result<Pruned, Error> {
        let _ = (keep, cancel);
        Err(unfinished())
    }
}

fn unfinished() -> Error {
    Error::new(Code::InternalError, "this is not there yet")
}
