//! How the bytes of a file are read as text: encoding, byte order mark, binary or not, cutting lines.
//!
//! Works on bytes that somebody else read. A byte order mark is never part of the text. Inside the
//! program text is "nearly UTF-8": what cannot be decoded stays a byte that is not UTF-8, so that
//! one place, [`lossy`], replaces and counts it.

use std::borrow::Cow;
use std::io::{self, Read};
use std::ops::Range;

use memchr::memchr;

use crate::limits::SNIFF_BYTES;

#[cfg(test)]
mod tests;

const UTF8_BOM: &[u8] = b"\xef\xbb\xbf";

/// Stands for what UTF-16 cannot decode; no UTF-8 text holds this byte, so no pattern matches it.
const UNDECODABLE: u8 = 0xff;

/// Bytes one read asks of the source of a [`Utf8Stream`].
const CHUNK_BYTES: usize = 64 * 1024;

/// How the characters of a file are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8, ASCII included.
    Utf8,
    /// UTF-16 with a little-endian byte order mark.
    Utf16Le,
    /// UTF-16 with a big-endian byte order mark.
    Utf16Be,
    /// Something that holds ASCII as ASCII but is not valid UTF-8: Latin-1, GBK, a damaged file.
    Bytes,
}

/// The encoding of a file and the length of its byte order mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    /// How characters are stored.
    pub encoding: Encoding,
    /// Bytes of the byte order mark; 0 when there is none.
    pub bom_len: usize,
}

impl Form {
    /// What the first bytes tell: UTF-16 by its mark, otherwise UTF-8 until proven wrong.
    #[must_use]
    pub fn of_head(head: &[u8]) -> Self {
        let (encoding, bom_len) = match head {
            // The mark of UTF-32 begins like that of UTF-16; its NUL bytes make it binary.
            [0xff, 0xfe, 0, 0, ..] => (Encoding::Utf8, 0),
            [0xff, 0xfe, ..] => (Encoding::Utf16Le, 2),
            [0xfe, 0xff, ..] => (Encoding::Utf16Be, 2),
            _ if head.starts_with(UTF8_BOM) => (Encoding::Utf8, UTF8_BOM.len()),
            _ => (Encoding::Utf8, 0),
        };
        Self { encoding, bom_len }
    }

    /// What the whole content tells; [`Encoding::Bytes`] when it is not valid UTF-8.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        let form = Self::of_head(bytes);
        if form.encoding == Encoding::Utf8 && std::str::from_utf8(bytes).is_err() {
            Self {
                encoding: Encoding::Bytes,
                ..form
            }
        } else {
            form
        }
    }
}

impl Encoding {
    /// Says whether characters are stored in units of two bytes.
    #[must_use]
    pub fn is_utf16(self) -> bool {
        match self {
            Self::Utf16Le | Self::Utf16Be => true,
            Self::Utf8 | Self::Bytes => false,
        }
    }
}

/// Says whether content that begins with `head` is binary: a NUL within the first 8192 bytes.
///
/// UTF-16 with a byte order mark is text as long as no whole character is NUL.
#[must_use]
pub fn is_binary(head: &[u8]) -> bool {
    let head = head.get(..SNIFF_BYTES).unwrap_or(head);
    let form = Form::of_head(head);
    if form.encoding.is_utf16() {
        let body = head.get(form.bom_len..).unwrap_or_default();
        body.chunks_exact(2).any(|unit| unit == [0, 0])
    } else {
        memchr(0, head).is_some()
    }
}

/// The body of a file (behind its byte order mark) as nearly UTF-8 bytes.
#[must_use]
pub fn body_to_utf8(encoding: Encoding, body: &[u8]) -> Cow<'_, [u8]> {
    match Utf16::new(encoding) {
        None => Cow::Borrowed(body),
        Some(mut decoder) => {
            let mut text = Vec::with_capacity(body.len() / 2 + body.len() / 8);
            decoder.push(body, &mut text);
            decoder.finish(&mut text);
            Cow::Owned(text)
        }
    }
}

/// Appends `text` (nearly UTF-8) to `out` in the given encoding.
///
/// Bytes that are not UTF-8 are only taken over where the encoding is no UTF-16.
pub fn encode(encoding: Encoding, text: &[u8], out: &mut Vec<u8>) {
    let bytes_of: fn(u16) -> [u8; 2] = match encoding {
        Encoding::Utf8 | Encoding::Bytes => {
            out.extend_from_slice(text);
            return;
        }
        Encoding::Utf16Le => u16::to_le_bytes,
        Encoding::Utf16Be => u16::to_be_bytes,
    };
    for unit in String::from_utf8_lossy(text).encode_utf16() {
        out.extend_from_slice(&bytes_of(unit));
    }
}

/// Text to show, and how much of it could not be decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decoded<'a> {
    /// The text; what could not be decoded is U+FFFD.
    pub text: Cow<'a, str>,
    /// Bytes that could not be decoded.
    pub n_invalid: u64,
}

/// Decodes nearly UTF-8 bytes, such as one line, counting the bytes that are not UTF-8.
#[must_use]
pub fn lossy(bytes: &[u8]) -> Decoded<'_> {
    // Checking is many times faster than decoding, and nearly all text passes.
    if let Ok(text) = std::str::from_utf8(bytes) {
        let text = Cow::Borrowed(text);
        return Decoded { text, n_invalid: 0 };
    }
    let invalid = bytes
        .utf8_chunks()
        .map(|chunk| chunk.invalid().len() as u64);
    Decoded {
        n_invalid: invalid.sum(),
        text: String::from_utf8_lossy(bytes),
    }
}

/// Reads a file of any encoding as nearly UTF-8, a chunk at a time.
///
/// The source must stand behind the byte order mark. What cannot be decoded in UTF-16 comes out as
/// one byte that is not UTF-8, which [`lossy`] counts.
#[derive(Debug)]
pub struct Utf8Stream<R> {
    source: R,
    decoder: Option<Utf16>,
    raw: Vec<u8>,
    text: Vec<u8>,
    at: usize,
    ended: bool,
}

impl<R: Read> Utf8Stream<R> {
    /// Wraps a source that stands behind the byte order mark.
    pub fn new(source: R, encoding: Encoding) -> Self {
        Self {
            source,
            decoder: Utf16::new(encoding),
            raw: Vec::new(),
            text: Vec::new(),
            at: 0,
            ended: false,
        }
    }
}

impl<R: Read> Read for Utf8Stream<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let Some(decoder) = &mut self.decoder else {
            return self.source.read(out);
        };
        while self.at == self.text.len() && !self.ended {
            self.raw.resize(CHUNK_BYTES, 0);
            self.text.clear();
            self.at = 0;
            let n_read = self.source.read(&mut self.raw)?;
            if n_read == 0 {
                self.ended = true;
                decoder.finish(&mut self.text);
            }
            decoder.push(self.raw.get(..n_read).unwrap_or_default(), &mut self.text);
        }
        let ready = self.text.get(self.at..).unwrap_or_default();
        let n_copied = ready.len().min(out.len());
        for (to, from) in out.iter_mut().zip(ready) {
            *to = *from;
        }
        self.at += n_copied;
        Ok(n_copied)
    }
}

/// Decodes UTF-16 that comes in pieces cut anywhere.
#[derive(Debug)]
struct Utf16 {
    unit_of: fn([u8; 2]) -> u16,
    half_unit: Option<u8>,
    high: Option<u16>,
}

impl Utf16 {
    /// A decoder, when the encoding is UTF-16.
    fn new(encoding: Encoding) -> Option<Self> {
        let unit_of: fn([u8; 2]) -> u16 = match encoding {
            Encoding::Utf8 | Encoding::Bytes => return None,
            Encoding::Utf16Le => u16::from_le_bytes,
            Encoding::Utf16Be => u16::from_be_bytes,
        };
        Some(Self {
            unit_of,
            half_unit: None,
            high: None,
        })
    }

    fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        let mut bytes = bytes;
        if let (Some(first), [second, rest @ ..]) = (self.half_unit, bytes) {
            self.half_unit = None;
            self.unit([first, *second], out);
            bytes = rest;
        }
        let mut pairs = bytes.chunks_exact(2);
        for pair in &mut pairs {
            if let [first, second] = *pair {
                self.unit([first, second], out);
            }
        }
        if let [half] = *pairs.remainder() {
            self.half_unit = Some(half);
        }
    }

    fn unit(&mut self, bytes: [u8; 2], out: &mut Vec<u8>) {
        let unit = (self.unit_of)(bytes);
        if let Some(high) = self.high.take() {
            if let Some(Ok(c)) = char::decode_utf16([high, unit]).next() {
                push_char(c, out);
                return;
            }
            out.push(UNDECODABLE);
        }
        match unit {
            0xd800..=0xdbff => self.high = Some(unit),
            0xdc00..=0xdfff => out.push(UNDECODABLE),
            0..=0x7f => out.extend(u8::try_from(unit).ok()),
            _ => match char::from_u32(u32::from(unit)) {
                Some(c) => push_char(c, out),
                None => out.push(UNDECODABLE),
            },
        }
    }

    /// Accounts for what the end of the file left incomplete.
    fn finish(&mut self, out: &mut Vec<u8>) {
        if self.high.take().is_some() {
            out.push(UNDECODABLE);
        }
        if self.half_unit.take().is_some() {
            out.push(UNDECODABLE);
        }
    }
}

fn push_char(c: char, out: &mut Vec<u8>) {
    out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
}

/// The first `max` characters of a line that is longer; `None` when the line fits.
#[must_use]
pub fn cut_chars(line: &str, max: usize) -> Option<&str> {
    // A line of no more bytes than that cannot have more characters.
    if line.len() <= max {
        return None;
    }
    let (end, _) = line.char_indices().nth(max)?;
    line.get(..end)
}

/// A part of a long line, as shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CutLine {
    /// The part, with `…` at each side where text was left out.
    pub text: String,
    /// Characters of the whole line.
    pub n_chars: usize,
}

/// Cuts a line longer than `max` characters to the part around a match; `None` when the line fits.
///
/// The match is shown whole and in the middle where there is room; of a match longer than `max` the
/// beginning is shown. `found` are byte offsets, moved back to character borders if need be.
#[must_use]
pub fn cut_around(line: &str, found: Range<usize>, max: usize) -> Option<CutLine> {
    if line.len() <= max {
        return None;
    }
    let n_chars = line.chars().count();
    if n_chars <= max {
        return None;
    }
    let start = border_before(line, found.start);
    let end = border_before(line, found.end.max(start));
    let (before, rest) = line.split_at(start);
    let n_found = line.get(start..end).unwrap_or_default().chars().take(max);
    let room = max - n_found.count();
    let n_before = before.chars().rev().take(max).count();
    let n_rest = rest.chars().take(max).count();
    // Half of the room goes in front; what one side does not need goes to the other.
    let n_front = n_before.min((room / 2).max(max - n_rest));
    let from = match n_front.checked_sub(1) {
        None => start,
        Some(last) => before.char_indices().rev().nth(last).map_or(0, |(i, _)| i),
    };
    let to = rest
        .char_indices()
        .nth(max - n_front)
        .map_or(line.len(), |(i, _)| start + i);
    let mut text = String::with_capacity(to - from + 8);
    if from > 0 {
        text.push('…');
    }
    text.push_str(line.get(from..to).unwrap_or_default());
    if to < line.len() {
        text.push('…');
    }
    Some(CutLine { text, n_chars })
}

/// The nearest character border at or before `at`.
fn border_before(line: &str, at: usize) -> usize {
    let mut border = at.min(line.len());
    while !line.is_char_boundary(border) {
        border -= 1;
    }
    border
}
