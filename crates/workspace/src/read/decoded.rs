//! The text of a file of any encoding, a chunk at a time, and its lines counted.

use std::io::{self, Read as _};

use rooted::File;

use super::{CHUNK_BYTES, Fault, check, index};
use crate::cancel::Cancel;
use crate::text::{Form, Utf8Stream};

/// Gives the text of a file, decoded, until `each` says that it has enough.
pub(super) fn decode(
    file: &File,
    form: Form,
    cancel: &Cancel,
    mut each: impl FnMut(&[u8]) -> bool,
) -> Result<(), Fault> {
    let mut source = At {
        file,
        offset: form.bom_len as u64,
    };
    let mut stream = Utf8Stream::new(&mut source, form.encoding);
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        check(cancel)?;
        let n = stream.read(&mut chunk)?;
        if n == 0 || !each(chunk.get(..n).unwrap_or_default()) {
            return Ok(());
        }
    }
}

/// Counts lines of a text that comes in chunks.
#[derive(Default)]
pub(super) struct Counter {
    n_breaks: u64,
    pub(super) n_bytes: u64,
    last: Option<u8>,
}

impl Counter {
    pub(super) fn feed(&mut self, chunk: &[u8]) {
        self.n_breaks += index::count(chunk);
        self.n_bytes += chunk.len() as u64;
        self.last = chunk.last().copied().or(self.last);
    }

    pub(super) fn lines(&self) -> u64 {
        self.n_breaks + u64::from(self.last.is_some_and(|last| last != b'\n'))
    }
}

/// Reads a file from an offset on, without moving its position.
pub(super) struct At<'a> {
    pub(super) file: &'a File,
    pub(super) offset: u64,
}

impl io::Read for At<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.file.read_at(buffer, self.offset)?;
        self.offset += n as u64;
        Ok(n)
    }
}
