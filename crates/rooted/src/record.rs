//! `RecordFile`: a file of our own state that only grows, one whole record a write.

use std::io::Write as _;

use crate::dir::Dir;
use crate::error::{Error, Result};
use crate::rel_path::RelPath;
use crate::replace::Durability;

/// A file that was made just now and is written record by record.
#[derive(Debug)]
pub struct RecordFile {
    file: std::fs::File,
    path: RelPath,
}

impl RecordFile {
    /// Adds a record in one write.
    ///
    /// # Errors
    /// Whatever the operating system says; part of the record may be there then.
    pub fn write(&mut self, record: &[u8], durability: Durability) -> Result<()> {
        let fault = |error| Error::io(error, &self.path);
        self.file.write_all(record).map_err(fault)?;
        match durability {
            Durability::Kill => Ok(()),
            Durability::Power => self.file.sync_all().map_err(fault),
        }
    }
}

impl Dir {
    /// Makes a file for records, which only its owner can read; the name must be free.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Exists`] when it is not.
    pub fn create_record(&self, name: &[u8]) -> Result<RecordFile> {
        let file = self.create_file(name, 0o600)?;
        let path = self.path.join(name);
        Ok(RecordFile { file, path })
    }
}
