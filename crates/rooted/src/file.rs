//! `File`: an open regular file, and where it really is.

use std::io::{self, Read, Seek, SeekFrom};

use crate::meta::Meta;
use crate::platform;
use crate::rel_path::RelPath;

/// Bytes that are compared at a time.
const CHUNK: usize = 64 * 1024;

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

    /// Says whether the file holds exactly these bytes.
    ///
    /// # Errors
    /// Whatever the operating system says.
    pub fn holds(&self, content: &[u8]) -> io::Result<bool> {
        holds(&self.inner, content)
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

/// Says whether a file holds exactly these bytes, without reading more of it than that at a time.
pub(crate) fn holds(file: &std::fs::File, content: &[u8]) -> io::Result<bool> {
    let mut chunk = vec![0; CHUNK.min(content.len().saturating_add(1))];
    let mut rest = content;
    let mut offset = 0_u64;
    loop {
        let n = match platform::read_at(file, &mut chunk, offset) {
            Ok(0) => return Ok(rest.is_empty()),
            Ok(n) => n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let read = chunk.get(..n).unwrap_or_default();
        let Some(behind) = rest.strip_prefix(read) else {
            return Ok(false);
        };
        rest = behind;
        offset = offset.saturating_add(n as u64);
    }
}
