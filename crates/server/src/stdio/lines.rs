//! Bytes to lines, with a limit that an endless line cannot pass.

use std::io::{self, Read};
use std::ops::Range;

use rmcp::model::RequestId;

use crate::mcp::message::read_id;

/// Bytes kept ready for reading; also what the buffer shrinks to after a large message.
const CHUNK: usize = 32 * 1024;

/// Splits what is read into lines.
#[derive(Debug)]
pub(super) struct Lines {
    /// All of it may be read into; what was read ends at `filled`.
    buffer: Vec<u8>,
    filled: usize,
    /// Where the line under way starts.
    start: usize,
    /// Up to where it was searched for its end.
    searched: usize,
    max: usize,
    /// A line that is too long, of which only the id is looked for.
    skipping: Option<IdScan>,
}

/// What was split off.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// A line; its bytes are at this place of [`Lines::bytes`].
    Whole(Range<usize>),
    /// A line that was too long to keep, with its id if it could be read.
    TooLong(Option<RequestId>),
}

impl Lines {
    pub(super) fn new(max: usize) -> Self {
        Self {
            buffer: vec![0; CHUNK],
            filled: 0,
            start: 0,
            searched: 0,
            max,
            skipping: None,
        }
    }

    /// Reads once. Lines split off before are gone.
    pub(super) fn fill(&mut self, input: &mut impl Read) -> io::Result<usize> {
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.filled, 0);
            self.filled -= self.start;
            self.searched -= self.start;
            self.start = 0;
        }
        if self.filled == 0 && self.buffer.len() > 4 * CHUNK {
            self.buffer = vec![0; CHUNK];
        }
        if self.buffer.len() - self.filled < CHUNK / 4 {
            self.buffer.resize(self.buffer.len() * 2, 0);
        }
        loop {
            let space = self.buffer.get_mut(self.filled..).unwrap_or_default();
            match input.read(space) {
                Ok(n) => {
                    self.filled += n;
                    return Ok(n);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// The bytes of a whole line.
    pub(super) fn bytes(&self, line: Range<usize>) -> &[u8] {
        self.buffer.get(line).unwrap_or_default()
    }

    /// Splits off the next line that is complete.
    pub(super) fn next_line(&mut self) -> Option<Line> {
        let rest = self.bytes(self.searched..self.filled);
        match memchr::memchr(b'\n', rest) {
            Some(at) => {
                let line = self.start..self.searched + at;
                self.start = line.end + 1;
                self.searched = self.start;
                Some(self.end_line(line))
            }
            None => {
                self.searched = self.filled;
                if self.skipping.is_some() || self.searched - self.start > self.max {
                    let mut scan = self.skipping.take().unwrap_or_default();
                    scan.feed(self.bytes(self.start..self.filled));
                    self.skipping = Some(scan);
                    self.start = self.searched;
                }
                None
            }
        }
    }

    /// Takes what is left when there will be no more bytes.
    pub(super) fn last_line(&mut self) -> Option<Line> {
        let line = self.start..self.filled;
        if line.is_empty() && self.skipping.is_none() {
            return None;
        }
        self.start = line.end;
        self.searched = line.end;
        Some(self.end_line(line))
    }

    fn end_line(&mut self, line: Range<usize>) -> Line {
        if self.skipping.is_none() && line.len() <= self.max {
            return Line::Whole(line);
        }
        let mut scan = self.skipping.take().unwrap_or_default();
        scan.feed(self.bytes(line));
        Line::TooLong(scan.id)
    }
}

/// Finds the `id` of a message without keeping or understanding the rest, so that the sender of
/// one that is broken or too long learns which it was.
#[derive(Debug, Default)]
struct IdScan {
    depth: u32,
    in_string: bool,
    escaped: bool,
    /// The key or value under way at the top level.
    token: Vec<u8>,
    is_id: bool,
    id: Option<RequestId>,
}

impl IdScan {
    /// The longest id that is looked for.
    const TOKEN_BYTES: usize = 256;

    fn feed(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.step(byte);
        }
    }

    fn step(&mut self, byte: u8) {
        if self.in_string {
            self.keep(byte);
            if self.escaped {
                self.escaped = false;
            } else if byte == b'\\' {
                self.escaped = true;
            } else if byte == b'"' {
                self.in_string = false;
            }
            return;
        }
        match byte {
            b'"' => {
                self.in_string = true;
                self.keep(byte);
            }
            b'{' | b'[' => {
                self.keep(byte);
                self.depth = self.depth.saturating_add(1);
            }
            b'}' | b']' => {
                if self.depth == 1 {
                    self.end_value();
                }
                self.depth = self.depth.saturating_sub(1);
            }
            b':' if self.depth == 1 => {
                self.is_id = self.token == b"\"id\"";
                self.token.clear();
            }
            b',' if self.depth == 1 => self.end_value(),
            _ if byte.is_ascii_whitespace() => {}
            _ => self.keep(byte),
        }
    }

    fn keep(&mut self, byte: u8) {
        if self.depth == 1 && self.token.len() <= Self::TOKEN_BYTES {
            self.token.push(byte);
        }
    }

    fn end_value(&mut self) {
        if self.is_id && self.token.len() <= Self::TOKEN_BYTES {
            let value = serde_json::from_slice(&self.token).ok();
            self.id = value.as_ref().and_then(read_id);
        }
        self.is_id = false;
        self.token.clear();
    }
}

/// The id of a message that is not valid JSON, if it can be made out.
pub(super) fn id_of_broken(line: &[u8]) -> Option<RequestId> {
    let mut scan = IdScan::default();
    scan.feed(line);
    scan.id
}

/// The line with each half of a surrogate pair that stands alone replaced by U+FFFD, if there is
/// one: JavaScript clients write them when they cut text in the middle of a character.
pub(super) fn mend_surrogates(line: &[u8]) -> Option<Vec<u8>> {
    let mut mended = Vec::new();
    let mut done = 0;
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'\\', line.get(at..)?) {
        at += found;
        match unit(line, at) {
            Some(0xD800..=0xDBFF) if matches!(unit(line, at + 6), Some(0xDC00..=0xDFFF)) => {
                at += 12;
            }
            Some(0xD800..=0xDFFF) => {
                mended.extend_from_slice(line.get(done..at)?);
                mended.extend_from_slice(b"\\ufffd");
                at += 6;
                done = at;
            }
            Some(_) => at += 6,
            None => at += 2,
        }
    }
    mended.extend_from_slice(line.get(done..)?);
    (done > 0).then_some(mended)
}

/// The value of a `\uXXXX` escape at a place.
fn unit(line: &[u8], at: usize) -> Option<u32> {
    let digits = line.get(at..at + 6)?.strip_prefix(b"\\u")?;
    u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests;
