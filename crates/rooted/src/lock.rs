//! `LockFile`: a file that one process holds at a time. The system lets go of it when the holder ends.

use std::fs::TryLockError;
use std::io;

use crate::dir::Dir;
use crate::error::{Error, ErrorKind, Result};
use crate::meta::{FileId, Kind};
use crate::platform;

/// An open lock file. Dropping it lets go of the lock.
#[derive(Debug)]
pub struct LockFile {
    file: std::fs::File,
    id: FileId,
}

impl LockFile {
    /// Which file it is, to find out whether its name still stands for it.
    #[must_use]
    pub fn id(&self) -> FileId {
        self.id
    }

    /// Takes the lock if nobody holds it; says whether it did.
    ///
    /// # Errors
    /// Whatever the operating system says.
    pub fn try_lock(&self) -> io::Result<bool> {
        match self.file.try_lock() {
            Ok(()) => Ok(true),
            Err(TryLockError::WouldBlock) => Ok(false),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    /// Lets go of the lock.
    ///
    /// # Errors
    /// Whatever the operating system says.
    pub fn unlock(&self) -> io::Result<()> {
        self.file.unlock()
    }
}

impl Dir {
    /// Opens a lock file, and makes it where there is none; a link is refused.
    ///
    /// # Errors
    /// [`ErrorKind::NotRegular`] when the name stands for something that is no file.
    pub fn open_lock(&self, name: &[u8]) -> Result<LockFile> {
        let path = self.path.join(name);
        let file = match self.create_file(name, 0o600) {
            Ok(file) => file,
            Err(error) if matches!(error.kind, ErrorKind::Exists) => self.open_for_writing(name)?,
            Err(error) => return Err(error),
        };
        let meta = platform::stat_file(&file).map_err(|error| Error::io(error, &path))?;
        if meta.kind != Kind::File {
            return Err(Error::new(ErrorKind::NotRegular, &path));
        }
        Ok(LockFile { file, id: meta.id })
    }
}
