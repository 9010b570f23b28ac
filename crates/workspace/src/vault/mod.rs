//! A person's notes and tasks: Markdown files beneath one root, and one file of tasks.
//!
//! Stricter than the rest of the crate: a path is relative, ends in `.md` and means the same on every
//! system ([`path`]), also after links; no other file is read or written, but the one that holds the
//! tasks. All writing goes through the transaction, under the lock of the root.
//!
//! There is no index: each call looks at the notes as they are now, with as many threads as help.

pub mod fault;
pub mod front_matter;
pub mod links;
pub mod list;
mod markdown;
pub mod notes;
pub mod path;
pub mod read;
pub mod search;
mod sweep;
pub mod tasks;
#[cfg(test)]
mod world;
pub mod write;

use rooted::{File, RelPath};

use self::fault::Fault;
use crate::cancel::Cancel;
use crate::clock::Time;
use crate::limits;
use crate::reader::Reader;
use crate::workspace::Workspace;

/// A folder of notes, and how much of it goes into one answer.
#[derive(Debug)]
pub struct Vault {
    /// The folder.
    pub workspace: Workspace,
    /// How much is read, written and told at once.
    pub limits: Limits,
    /// Whether check boxes in notes are tasks, too.
    pub markdown_tasks: bool,
}

/// How much is read, written and told at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a note that are told, searched, or looked through for links and tasks; and bytes
    /// that the file of tasks may have.
    pub max_read_bytes: u64,
    /// Bytes that one call may write.
    pub max_write_bytes: u64,
    /// Results of one call.
    pub max_results: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_read_bytes: 262_144,
            max_write_bytes: 65_536,
            max_results: 100,
        }
    }
}

/// What an answer leaves out of what it is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// Notes whose names are against the rules of paths, so that no tool can name them.
    pub n_unnamable: usize,
    /// Notes and folders that cannot be read.
    pub n_unreadable: usize,
    /// Notes of which only the first bytes were looked at.
    pub n_partial: usize,
}

impl Vault {
    /// Shared access for one call.
    ///
    /// # Errors
    /// [`crate::Error::RootGone`].
    pub(crate) fn reader(&self, cancel: &Cancel) -> Result<Reader<'_>, Fault> {
        Ok(self.workspace.reader(cancel)?)
    }

    /// Results to tell: as many as asked for, as far as that is allowed.
    pub(crate) fn n_results(&self, limit: Option<usize>) -> usize {
        let most = self.limits.max_results;
        limit.map_or(most, |limit| limit.clamp(1, most))
    }

    /// Refuses more text than one call may write.
    pub(crate) fn permit_size(&self, text: &str) -> Result<(), Fault> {
        let limit = self.limits.max_write_bytes;
        if text.len() as u64 > limit {
            let size = text.len();
            return Err(Fault::TooMuch { size, limit });
        }
        Ok(())
    }
}

/// Opens a note: by its path, or else by the same path in another Unicode form.
pub(crate) fn open(reader: &Reader<'_>, path: &RelPath) -> Result<File, Fault> {
    let opened = match reader.root().open_file(path) {
        Err(error) if matches!(error.kind, rooted::ErrorKind::NotFound) => {
            match reader.twin(path) {
                Some(twin) => reader.root().open_file(&twin),
                None => Err(error),
            }
        }
        opened => opened,
    };
    let file = opened.map_err(|error| Fault::reaching(error, path))?;
    path::check_note(file.path())?;
    Ok(file)
}

/// Refuses a note that would take long to read through; only a mistake or malice makes one.
pub(crate) fn permit_through(file: &File) -> Result<(), Fault> {
    let (size, limit) = (file.meta().len, limits::NOTE_FILE_BYTES);
    if size > limit {
        let path = file.path().clone();
        return Err(crate::Error::TooLarge { path, size, limit }.into());
    }
    Ok(())
}

/// Reads up to so many bytes from the beginning of a file into `buffer`, which is emptied first.
pub(crate) fn read_start(file: &File, most: u64, buffer: &mut Vec<u8>) -> std::io::Result<()> {
    // A file that grows meanwhile is cut where it ended when it was opened.
    let wanted = usize::try_from(file.meta().len.min(most)).unwrap_or(usize::MAX);
    buffer.clear();
    buffer.resize(wanted, 0);
    let mut n = 0;
    while let Some(room) = buffer.get_mut(n..).filter(|room| !room.is_empty()) {
        match file.read_at(room, n as u64) {
            Ok(0) => break,
            Ok(more) => n += more,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    buffer.truncate(n);
    Ok(())
}

/// When the content of a file was changed last.
pub(crate) fn modified(file: &File) -> Time {
    let ms = file.meta().mtime_ns.div_euclid(1_000_000);
    Time::from_ms(i64::try_from(ms).unwrap_or(0))
}
