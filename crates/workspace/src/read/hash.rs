//! Identity of content: its SHA-256, size and lines.

use rooted::File;
use sha2::{Digest as _, Sha256};

use super::decoded::{Counter, decode};
use super::{CHUNK_BYTES, Fault, check, fill};
use crate::cancel::Cancel;
use crate::error::Error;
use crate::limits;
use crate::text::Form;

/// Identity of a file's content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContentHash {
    /// SHA-256 in hexadecimal.
    pub sha256: String,
    /// Size in bytes.
    pub n_bytes: u64,
    /// Lines; a line break at the end makes no further one.
    pub n_lines: u64,
}

/// Hashes the whole content and counts its lines.
pub(super) fn hash(file: &File, cancel: &Cancel) -> Result<ContentHash, Fault> {
    let mut hasher = Sha256::new();
    let mut counter = Counter::default();
    let mut head = vec![0; limits::SNIFF_BYTES];
    let n_head = fill(file, &mut head, 0)?;
    let form = Form::of_head(head.get(..n_head).unwrap_or_default());
    let mut n_bytes = 0;
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        check(cancel)?;
        let n = fill(file, &mut chunk, n_bytes)?;
        let read = chunk.get(..n).unwrap_or_default();
        if read.is_empty() {
            break;
        }
        hasher.update(read);
        if !form.encoding.is_utf16() {
            counter.feed(read);
        }
        n_bytes += n as u64;
    }
    if form.encoding.is_utf16() {
        decode(file, form, cancel, |chunk| {
            counter.feed(chunk);
            true
        })?;
    } else if n_bytes <= form.bom_len as u64 {
        counter = Counter::default();
    }
    let sha256 = hex(&hasher.finalize());
    Ok(ContentHash {
        sha256,
        n_bytes,
        n_lines: counter.lines(),
    })
}

/// The SHA-256 of some content in hexadecimal, as `expectedSha256` takes it.
#[must_use]
pub fn sha256(content: &[u8]) -> String {
    hex(&Sha256::digest(content))
}

/// The SHA-256 of a whole file in hexadecimal.
///
/// # Errors
/// [`Error::Cancelled`], [`Error::Io`].
pub fn sha256_of(file: &File, cancel: &Cancel) -> Result<String, Error> {
    hash(file, cancel)
        .map(|hash| hash.sha256)
        .map_err(|fault| fault.at(file.path()))
}

pub(crate) fn hex(digest: &[u8]) -> String {
    use std::fmt::Write as _;
    digest
        .iter()
        .fold(String::with_capacity(64), |mut text, byte| {
            write!(text, "{byte:02x}").expect("a string takes what is written to it");
            text
        })
}
