//! `RecordFile`: a file of our own state that only grows, one whole record a write.

use std::io::{self, Seek as _, SeekFrom, Write as _};

use crate::dir::Dir;
use crate::error::{Error, Result};
use crate::platform;
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

    /// Writes over bytes that are there already; what is written next goes behind the end again.
    ///
    /// # Errors
    /// Whatever the operating system says.
    pub fn write_at(&mut self, bytes: &[u8], offset: u64) -> Result<()> {
        self.file
            .seek(SeekFrom::Start(offset))
            .and_then(|_| self.file.write_all(bytes))
            .and_then(|()| self.file.seek(SeekFrom::End(0)))
            .map(drop)
            .map_err(|error| Error::io(error, &self.path))
    }

    /// Reads at an offset in bytes; fewer bytes than asked mean the end or a short read.
    ///
    /// # Errors
    /// Whatever the operating system says.
    pub fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize> {
        loop {
            match platform::read_at(&self.file, buffer, offset) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                done => return done.map_err(|error| Error::io(error, &self.path)),
            }
        }
    }
}

impl Dir {
    /// Makes a file for records, which only its owner can read; the name must be free.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Exists`] when it is not.
    pub fn create_record(&self, name: &[u8]) -> Result<RecordFile> {
        self.create_record_with(name, 0o600)
    }

    /// [`Dir::create_record`] with the given permission bits (cut by the umask).
    ///
    /// # Errors
    /// As [`Dir::create_record`].
    pub fn create_record_with(&self, name: &[u8], mode: u32) -> Result<RecordFile> {
        let file = self.create_file(name, mode)?;
        let path = self.path.join(name);
        Ok(RecordFile { file, path })
    }
}
