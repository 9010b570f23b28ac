//! `InPlace`: a file that is written where it is, since nothing can be put in its place or since it only grows.
//!
//! A reader may see such a write half done; who uses this keeps the old content elsewhere first.

use std::io::{self, Read, Seek as _, SeekFrom, Write as _};

use crate::dir::Dir;
use crate::error::{Error, Result};
use crate::file;
use crate::meta::Meta;
use crate::platform;
use crate::record::RecordFile;
use crate::rel_path::RelPath;
use crate::replace::Durability;

/// Bytes that are copied at a time.
const CHUNK: usize = 64 * 1024;

/// A regular file open for reading and writing, as it was when it was opened.
#[derive(Debug)]
pub struct InPlace {
    file: std::fs::File,
    meta: Meta,
    path: RelPath,
}

impl Dir {
    /// Opens a file to write anew what it holds; a link is refused.
    ///
    /// # Errors
    /// As [`Dir::open_for_writing`].
    pub fn open_in_place(&self, name: &[u8]) -> Result<InPlace> {
        InPlace::new(self.open_for_writing(name)?, self.path.join(name))
    }

    /// Opens a file to write behind its end; a link is refused.
    ///
    /// # Errors
    /// As [`Dir::open_for_appending`].
    pub fn open_end(&self, name: &[u8]) -> Result<InPlace> {
        InPlace::new(self.open_for_appending(name)?, self.path.join(name))
    }
}

impl InPlace {
    fn new(file: std::fs::File, path: RelPath) -> Result<Self> {
        let meta = platform::stat_file(&file).map_err(|error| Error::io(error, &path))?;
        Ok(Self { file, meta, path })
    }

    /// What the descriptor told when the file was opened.
    #[must_use]
    pub fn meta(&self) -> &Meta {
        &self.meta
    }

    /// Asks the descriptor again.
    ///
    /// # Errors
    /// Whatever the operating system says.
    pub fn stat(&self) -> Result<Meta> {
        platform::stat_file(&self.file).map_err(|error| self.fault(error))
    }

    /// Copies the whole content into a record.
    ///
    /// # Errors
    /// Whatever the operating system says of either file.
    pub fn save(&mut self, to: &mut RecordFile, durability: Durability) -> Result<()> {
        self.rewind()?;
        let mut chunk = vec![0; CHUNK];
        loop {
            let n = match self.file.read(&mut chunk) {
                Ok(0) => return to.write(&[], durability),
                Ok(n) => n,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(self.fault(error)),
            };
            to.write(chunk.get(..n).unwrap_or_default(), Durability::Kill)?;
        }
    }

    /// Writes the whole content anew. What it held is lost, also when this fails.
    ///
    /// # Errors
    /// Whatever the operating system says.
    pub fn fill(&mut self, content: &mut impl Read, durability: Durability) -> Result<()> {
        self.rewind()?;
        // The old bytes are overwritten before any are cut off, so that a full disk can only refuse
        // what goes beyond the old length.
        let written = io::copy(content, &mut self.file).map_err(|error| self.fault(error))?;
        self.cut(written)?;
        self.flush(durability)
    }

    /// The bytes from an offset on, at most `limit` of them.
    ///
    /// # Errors
    /// Whatever the operating system says.
    pub fn read_from(&self, offset: u64, limit: usize) -> Result<Vec<u8>> {
        let mut found = vec![0; limit];
        let mut n = 0;
        while let Some(rest) = found.get_mut(n..).filter(|rest| !rest.is_empty()) {
            match platform::read_at(&self.file, rest, offset.saturating_add(n as u64)) {
                Ok(0) => break,
                Ok(more) => n += more,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.fault(error)),
            }
        }
        found.truncate(n);
        Ok(found)
    }

    /// Says whether the file holds exactly these bytes.
    ///
    /// # Errors
    /// Whatever the operating system says.
    pub fn holds(&self, content: &[u8]) -> Result<bool> {
        file::holds(&self.file, content).map_err(|error| self.fault(error))
    }

    /// Writes behind the end of a file opened by [`Dir::open_end`]; a part that was written is cut off
    /// again when the rest is refused.
    ///
    /// # Errors
    /// Whatever the operating system says.
    pub fn append(&mut self, content: &[u8], durability: Durability) -> Result<()> {
        let before = self.stat()?.len;
        if let Err(error) = self.file.write_all(content) {
            let error = self.fault(error);
            // Cutting more than our own bytes would take what somebody else wrote behind them.
            let tail = self.read_from(before, content.len().saturating_add(1))?;
            if content.starts_with(&tail) {
                self.cut(before)?;
            }
            return Err(error);
        }
        self.flush(durability)
    }

    /// Cuts the file to a length in bytes.
    ///
    /// # Errors
    /// Whatever the operating system says.
    pub fn cut(&self, len: u64) -> Result<()> {
        self.file.set_len(len).map_err(|error| self.fault(error))
    }

    fn flush(&self, durability: Durability) -> Result<()> {
        match durability {
            Durability::Kill => Ok(()),
            Durability::Power => self.file.sync_all().map_err(|error| self.fault(error)),
        }
    }

    fn rewind(&mut self) -> Result<()> {
        self.file
            .seek(SeekFrom::Start(0))
            .map(drop)
            .map_err(|error| self.fault(error))
    }

    fn fault(&self, error: io::Error) -> Error {
        Error::io(error, &self.path)
    }
}
