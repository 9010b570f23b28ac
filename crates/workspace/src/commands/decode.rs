//! Output that is not UTF-8, read by the code page of the console.
//!
//! Programs do not agree: old ones write in the code page, others in UTF-8, and one command can run
//! both. So each line is looked at by itself: one that is UTF-8 is taken for that.

use crate::limits::OUTPUT_LINE_BYTES;
use crate::process::code_page::CodePage;

/// Takes bytes as they come, in pieces of any size, and hands on UTF-8 where it can.
#[derive(Debug)]
pub(super) struct Decoder<'a> {
    page: Option<&'a CodePage>,
    /// A line from its first byte on that is not ASCII: what follows decides what it is.
    held: Vec<u8>,
}

impl<'a> Decoder<'a> {
    /// Without a page everything is handed on as it is.
    pub(super) fn new(page: Option<&'a CodePage>) -> Self {
        Self {
            page,
            held: Vec::new(),
        }
    }

    /// Takes the next bytes.
    pub(super) fn push(&mut self, bytes: &[u8], sink: &mut dyn FnMut(&[u8])) {
        if self.page.is_none() {
            return sink(bytes);
        }
        let mut rest = bytes;
        while !rest.is_empty() {
            if self.held.is_empty() {
                let is_wide = |byte: &u8| !byte.is_ascii();
                let plain = rest.iter().position(is_wide).unwrap_or(rest.len());
                let (now, later) = rest.split_at(plain);
                if !now.is_empty() {
                    sink(now);
                }
                rest = later;
            }
            // No second byte of a character is one of these.
            let end = memchr::memchr2(b'\n', b'\r', rest);
            let (line, later) = rest.split_at(end.unwrap_or(rest.len()));
            self.held.extend_from_slice(line);
            if end.is_some() || self.held.len() > OUTPUT_LINE_BYTES {
                self.finish(sink);
            }
            let (ends, later) = later.split_at(usize::from(end.is_some()));
            if !ends.is_empty() {
                sink(ends);
            }
            rest = later;
        }
    }

    /// Hands on what is held: there is nothing more of this line.
    pub(super) fn finish(&mut self, sink: &mut dyn FnMut(&[u8])) {
        let line = std::mem::take(&mut self.held);
        match self.page {
            _ if line.is_empty() => {}
            Some(page) if std::str::from_utf8(&line).is_err() => {
                sink(page.decode(&line).as_bytes());
            }
            Some(_) | None => sink(&line),
        }
    }
}

/// A piece of an output that was kept as it was.
pub(super) fn decode(page: Option<&CodePage>, bytes: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(bytes.len());
    let mut decoder = Decoder::new(page);
    let mut take = |piece: &[u8]| text.extend_from_slice(piece);
    decoder.push(bytes, &mut take);
    decoder.finish(&mut take);
    text
}

#[cfg(test)]
mod tests;
