//! `Backward`: the lines of a file from its end to its start, in bounded memory.

use rooted::File;

use crate::error::Error;

/// Bytes that are read at a time, at least.
const BLOCK: usize = 64 * 1024;
/// Bytes of the longest line that is looked at; a longer one is passed over.
pub(super) const LINE_BYTES: usize = 8 * 1024 * 1024;

/// A file that is read line by line from its end.
pub(super) struct Backward {
    file: File,
    /// Bytes in front of what is held.
    unread: u64,
    /// What is held of the file; the first `end` bytes have not been given out.
    held: Vec<u8>,
    end: usize,
    /// The first so many bytes have not been searched for a line break.
    unsearched: usize,
    /// The line that was found last.
    line: (usize, usize),
    /// Whether the line under way is too long, and what was held of it is gone.
    too_long: bool,
    done: bool,
}

impl Backward {
    pub(super) fn new(file: File) -> Self {
        Self {
            unread: file.meta().len,
            file,
            held: Vec::new(),
            end: 0,
            unsearched: 0,
            line: (0, 0),
            too_long: false,
            done: false,
        }
    }

    /// The line that was found last, without its line break.
    pub(super) fn line(&self) -> &[u8] {
        self.held.get(self.line.0..self.line.1).unwrap_or_default()
    }

    /// Finds the next line that is not empty; says whether there is one.
    pub(super) fn find_line(&mut self) -> Result<bool, Error> {
        while !self.done {
            let unsearched = self.held.get(..self.unsearched).unwrap_or_default();
            if let Some(at) = memchr::memrchr(b'\n', unsearched) {
                self.line = (at + 1, self.end);
                self.end = at;
                self.unsearched = at;
            } else if self.unread > 0 {
                self.read_block()?;
                continue;
            } else {
                self.line = (0, self.end);
                self.done = true;
            }
            let is_whole = !std::mem::take(&mut self.too_long);
            let n = self.line.1 - self.line.0;
            if is_whole && n > 0 && n <= LINE_BYTES {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Puts the block before in front of what is held.
    fn read_block(&mut self) -> Result<(), Error> {
        if self.end > LINE_BYTES {
            self.too_long = true;
            self.end = 0;
        }
        // The more is held of a line, the more is read at once, so that it is not moved too often.
        let n = BLOCK.max(self.end);
        let n = usize::try_from(self.unread).map_or(n, |unread| n.min(unread));
        let start = self.unread - n as u64;
        let mut held = vec![0; n + self.end];
        let (block, rest) = held.split_at_mut(n);
        let n_read = self.fill(block, start)?;
        rest.copy_from_slice(self.held.get(..self.end).unwrap_or_default());
        if n_read < n {
            // The file was cut meanwhile; what lay behind is no longer part of a line.
            held.truncate(n_read);
        }
        self.end = held.len();
        self.unsearched = n_read;
        self.held = held;
        self.unread = start;
        Ok(())
    }

    fn fill(&self, block: &mut [u8], start: u64) -> Result<usize, Error> {
        let mut n = 0;
        while let Some(rest) = block.get_mut(n..).filter(|rest| !rest.is_empty()) {
            match self.file.read_at(rest, start + n as u64) {
                Ok(0) => break,
                Ok(more) => n += more,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(source) => {
                    return Err(Error::Io {
                        path: self.file.path().clone(),
                        source,
                    });
                }
            }
        }
        Ok(n)
    }
}
