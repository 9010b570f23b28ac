//! Reading one file in pieces that end between characters.

use rooted::{ErrorKind, File, Kind, Root};

use super::Limits;
use super::cursor::LARGEST;
use super::fault::Fault;
use super::page::{Candidate, Chunk};
use super::path::{self, Path, is_ours};
use super::scan::{fill, valid_prefix};
use super::selector::Selector;
use super::walk::Identity;
use crate::cancel::Cancel;

/// Bytes of one piece at most.
pub(super) const CHUNK: u64 = 2048;
/// Bytes that are read at a time to count lines.
const COUNTED: u64 = 256 * 1024;

/// Pieces of a file.
#[derive(Debug)]
pub(super) struct Chunks {
    pub(super) candidates: Vec<Candidate<Chunk, u64>>,
    /// Where the next one begins; `None` at the end.
    pub(super) next: Option<u64>,
}

/// A file that is open for reading.
#[derive(Debug)]
pub(super) struct Open {
    pub(super) file: File,
    pub(super) identity: Identity,
}

/// Opens a served file.
pub(super) fn open(
    root: &Root,
    selector: &Selector,
    limits: &Limits,
    path: &Path,
) -> Result<Open, Fault> {
    let text = path.as_str();
    if text.split('/').any(|name| is_ours(name.as_bytes())) {
        return Err(Fault::NOT_SERVED);
    }
    if selector.excludes(text) {
        return Err(Fault::EXCLUDED);
    }
    if !selector.includes(text) {
        return Err(Fault::NOT_SERVED);
    }
    let (parent, name) = text.rsplit_once('/').unwrap_or(("", text));
    let dir = root
        .open_dir(&path::rel(parent))
        .map_err(|_| Fault::NOT_SERVED)?;
    // Asked before, since a pipe or device is not even to be opened.
    match dir.stat(name.as_bytes()) {
        Ok(meta) if meta.kind == Kind::File => {}
        _ => return Err(Fault::NOT_READABLE),
    }
    let file = dir
        .open_file(name.as_bytes())
        .map_err(|error| match error.kind {
            ErrorKind::InUse | ErrorKind::Other(_) => Fault::READ_FAILED,
            _ => Fault::NOT_READABLE,
        })?;
    if file.meta().len > limits.max_file_bytes {
        return Err(Fault::TOO_LARGE);
    }
    Ok(Open {
        identity: Identity::of(file.meta()),
        file,
    })
}

impl Open {
    /// Says that the file was not changed since it was opened.
    pub(super) fn check(&self) -> Result<(), Fault> {
        match self.file.stat() {
            Ok(meta) if Identity::of(&meta) == self.identity => Ok(()),
            _ => Err(Fault::MOVING),
        }
    }

    /// Where a line begins, or the end of the file when it has fewer.
    pub(super) fn line(&self, number: u64, budget: u64, cancel: &Cancel) -> Result<u64, Fault> {
        if number > LARGEST {
            return Err(Fault::START_LINE);
        }
        let len = self.identity.len;
        let mut n_left = number.saturating_sub(1);
        let mut at = 0;
        let mut buffer = Vec::new();
        while n_left > 0 && at < len {
            if cancel.is_cancelled() {
                return Err(Fault::Cancelled);
            }
            if at >= budget {
                return Err(Fault::LINE_TOO_FAR);
            }
            let n_wanted = COUNTED.min(len - at).min(budget - at);
            buffer.resize(usize::try_from(n_wanted).unwrap_or(0), 0);
            fill(&self.file, &mut buffer, at)?;
            for end in memchr::memchr_iter(b'\n', &buffer) {
                n_left -= 1;
                if n_left == 0 {
                    return Ok(at + end as u64 + 1);
                }
            }
            at += n_wanted;
        }
        Ok(at)
    }

    /// The pieces of one page, and where the next one begins.
    pub(super) fn chunks(
        &self,
        start: u64,
        limit: u64,
        max_read_bytes: u64,
    ) -> Result<Chunks, Fault> {
        let len = self.identity.len;
        if start > len {
            return Err(Fault::CURSOR_POSITION);
        }
        let n_bytes = max_read_bytes
            .min(len - start)
            .min(limit.saturating_mul(CHUNK));
        let mut page = vec![0; usize::try_from(n_bytes).map_err(|_| Fault::READ_FAILED)?];
        fill(&self.file, &mut page, start)?;
        let mut chunks: Vec<Candidate<Chunk, u64>> = Vec::new();
        let mut n_done = 0;
        while n_done < page.len() && (chunks.len() as u64) < limit {
            let rest = page.get(n_done..).unwrap_or_default();
            let bytes = rest.get(..CHUNK as usize).unwrap_or(rest);
            let at = start + n_done as u64;
            let is_last = at + bytes.len() as u64 == len;
            let n_valid = valid_prefix(bytes);
            if n_valid == 0 && !is_last && !chunks.is_empty() {
                break;
            }
            if n_valid == 0 || is_last && n_valid != bytes.len() {
                return Err(Fault::NOT_UTF8);
            }
            let text = std::str::from_utf8(bytes.get(..n_valid).unwrap_or_default());
            let text = text.map_err(|_| Fault::NOT_UTF8)?.to_owned();
            n_done += n_valid;
            chunks.push(Candidate {
                item: Chunk {
                    byte_offset: at,
                    text,
                },
                position: at + n_valid as u64,
            });
        }
        let end = start + n_done as u64;
        Ok(Chunks {
            next: (end < len).then_some(end),
            candidates: chunks,
        })
    }
}
