//! Reading a note, whole or some of its lines.

use memchr::memchr_iter;
use rooted::{File, RelPath};
use sha2::{Digest as _, Sha256};

use super::fault::Fault;
use super::{Vault, open, path, permit_through};
use crate::cancel::Cancel;

/// Bytes read at a time.
const CHUNK_BYTES: usize = 128 * 1024;
const BOM: &[u8] = b"\xef\xbb\xbf";

/// What to read.
#[derive(Clone, Copy, Debug)]
pub struct ReadRequest<'a> {
    /// The path of the note.
    pub path: &'a str,
    /// The first line, from 1.
    pub offset: u64,
    /// How many lines, at most.
    pub limit: Option<u64>,
}

/// A note, or a part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadAnswer {
    /// Where the note really is.
    pub path: RelPath,
    /// The lines, as they are, without a byte order mark.
    pub content: String,
    /// The size of the whole note in bytes.
    pub size: u64,
    /// The SHA-256 of the whole note in hexadecimal.
    pub sha256: String,
    /// The lines of the whole note.
    pub n_lines: u64,
    /// Where to go on, when there is more behind `content`.
    pub next_offset: Option<u64>,
    /// Whether the last line of `content` is longer than fits, and the rest of it is left out.
    pub is_line_cut: bool,
}

impl ReadAnswer {
    /// Says whether anything behind `content` was left out.
    #[must_use]
    pub fn truncated(&self) -> bool {
        self.next_offset.is_some() || self.is_line_cut
    }
}

/// Reads a note, up to the limit of bytes, and hashes all of it.
///
/// # Errors
/// The path faults; [`Fault::NoteNotFound`], [`Fault::NotUtf8`]; [`crate::Error::TooLarge`] for a note
/// that would take long to read through.
pub fn read(
    vault: &Vault,
    cancel: &Cancel,
    request: &ReadRequest<'_>,
) -> Result<ReadAnswer, Fault> {
    let path = path::note(request.path)?;
    let reader = vault.reader(cancel)?;
    let file = open(&reader, &path)?;
    permit_through(&file)?;
    let room = usize::try_from(vault.limits.max_read_bytes).unwrap_or(usize::MAX);
    let mut pass = Pass::new(request, room);
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        cancel.check()?;
        let n = fill(&file, &mut chunk, pass.size).map_err(|source| Fault::io(source, &path))?;
        let bytes = chunk.get(..n).unwrap_or_default();
        if bytes.is_empty() {
            break;
        }
        pass.feed(bytes)
            .map_err(|NotUtf8| Fault::NotUtf8(file.path().clone()))?;
    }
    pass.finish(&file)
}

fn fill(file: &File, chunk: &mut [u8], offset: u64) -> std::io::Result<usize> {
    loop {
        match file.read_at(chunk, offset) {
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            done => return done,
        }
    }
}

struct NotUtf8;

/// One pass over a note: hashes and counts everything, keeps what was asked for.
struct Pass {
    first: u64,
    /// The line behind the last one that is wanted.
    end: u64,
    room: usize,
    hasher: Sha256,
    size: u64,
    /// Line breaks so far.
    n_breaks: u64,
    last_byte: Option<u8>,
    /// The bytes of a character that a chunk ended in.
    partial: Vec<u8>,
    kept: Vec<u8>,
    /// Whether a line that was wanted did not fit.
    is_full: bool,
}

impl Pass {
    fn new(request: &ReadRequest<'_>, room: usize) -> Self {
        let first = request.offset.max(1);
        Self {
            first,
            end: request
                .limit
                .map_or(u64::MAX, |limit| first.saturating_add(limit.max(1))),
            room,
            hasher: Sha256::new(),
            size: 0,
            n_breaks: 0,
            last_byte: None,
            partial: Vec::new(),
            kept: Vec::new(),
            is_full: false,
        }
    }

    fn feed(&mut self, bytes: &[u8]) -> Result<(), NotUtf8> {
        self.hasher.update(bytes);
        self.check(bytes)?;
        let text = if self.size == 0 {
            bytes.strip_prefix(BOM).unwrap_or(bytes)
        } else {
            bytes
        };
        self.size += bytes.len() as u64;
        self.last_byte = bytes.last().copied();
        let mut start = 0;
        for at in memchr_iter(b'\n', text) {
            self.keep(text.get(start..=at).unwrap_or_default());
            self.n_breaks += 1;
            start = at + 1;
        }
        self.keep(text.get(start..).unwrap_or_default());
        Ok(())
    }

    /// Keeps a piece of the line at hand, if that is wanted and there is room.
    fn keep(&mut self, piece: &[u8]) {
        let line = self.n_breaks + 1;
        if piece.is_empty() || self.is_full || line < self.first || line >= self.end {
            return;
        }
        let room = self.room.saturating_sub(self.kept.len());
        self.is_full = piece.len() > room;
        self.kept
            .extend_from_slice(piece.get(..room).unwrap_or(piece));
    }

    /// Goes on checking that everything is UTF-8.
    fn check(&mut self, bytes: &[u8]) -> Result<(), NotUtf8> {
        let joined;
        let bytes = if self.partial.is_empty() {
            bytes
        } else {
            joined = [&self.partial, bytes].concat();
            &joined
        };
        let left = match std::str::from_utf8(bytes) {
            Ok(_) => &[],
            Err(error) if error.error_len().is_none() => {
                bytes.get(error.valid_up_to()..).unwrap_or_default()
            }
            Err(_) => return Err(NotUtf8),
        };
        self.partial = left.to_vec();
        Ok(())
    }

    fn finish(mut self, file: &File) -> Result<ReadAnswer, Fault> {
        if !self.partial.is_empty() {
            return Err(Fault::NotUtf8(file.path().clone()));
        }
        let has_open_line = self.last_byte.is_some_and(|byte| byte != b'\n');
        let n_lines = self.n_breaks + u64::from(has_open_line);
        let mut is_line_cut = false;
        if self.is_full {
            // Whole lines where there is one, so that the next part begins with a line.
            match memchr::memrchr(b'\n', &self.kept) {
                Some(last) => self.kept.truncate(last + 1),
                None => {
                    is_line_cut = true;
                    let valid = match std::str::from_utf8(&self.kept) {
                        Ok(text) => text.len(),
                        Err(error) => error.valid_up_to(),
                    };
                    self.kept.truncate(valid);
                }
            }
        }
        let n_kept = memchr_iter(b'\n', &self.kept).count() as u64;
        let has_open_end = self.kept.last().is_some_and(|&byte| byte != b'\n');
        let next = self.first.saturating_add(n_kept + u64::from(has_open_end));
        let content =
            String::from_utf8(self.kept).map_err(|_| Fault::NotUtf8(file.path().clone()))?;
        Ok(ReadAnswer {
            path: file.path().clone(),
            content,
            size: self.size,
            sha256: crate::read::hex(&self.hasher.finalize()),
            n_lines,
            next_offset: (next <= n_lines).then_some(next),
            is_line_cut,
        })
    }
}

#[cfg(test)]
mod tests;
