//! `File`: an open regular file, and where it really is.

use std::io::{self, Read, Seek, SeekFrom};

use crate::meta::Meta;
use crate::platform;
use crate::rel_path::RelPath;

/// A regular file opened for reading beneath a root.
#[derive(Debug)]
pub struct File {
    pub(crate) inner: std::fs::File,
    pub(crate) meta: Meta,
    pub(crate) path: RelPath,
}

impl File {
    /// What the descriptor told when the file was opened.
    #[must_use]
    pub fn meta(&self) -> &Meta {
        &self.meta
    }

    /// Where the file is, after links.
    #[must_use]
    pub fn path(&self) -> &RelPath {
        &self.path
    }

    /// Reads at an offset in bytes without moving the position; fewer bytes than asked mean the end or a short read.
    ///
    /// # Errors
    /// Whatever the operating system says.
    pub fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        platform::read_at(&self.inner, buffer, offset)
    }

    /// Asks the descriptor again: size and times as they are now.
    ///
    /// # Errors
    /// Whatever the operating system says.
    pub fn stat(&self) -> io::Result<Meta> {
        platform::stat_file(&self.inner)
    }

    /// Reads the whole content, expecting about the size that the descriptor told; stops at `limit` bytes and one more.
    ///
    /// # Errors
    /// Whatever the operating system says.
    pub fn read_all(&mut self, limit: u64) -> io::Result<Vec<u8>> {
        let expected = self.meta.len.min(limit).saturating_add(1);
        let mut content = Vec::with_capacity(usize::try_from(expected).unwrap_or(0));
        (&mut self.inner)
            .take(limit.saturating_add(1))
            .read_to_end(&mut content)?;
        Ok(content)
    }
}

impl Read for File {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.inner.read(buffer)
    }

    fn read_to_end(&mut self, buffer: &mut Vec<u8>) -> io::Result<usize> {
        self.inner.read_to_end(buffer)
    }
}

impl Seek for File {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.inner.seek(to)
    }
}
