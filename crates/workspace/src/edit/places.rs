//! Where a text occurs, from left to right, and where that is in the file.

use std::ops::Range;

use memchr::memchr_iter;
use memchr::memmem::Finder;

use super::multibyte::Guard;
use crate::text::Encoding;

/// The places where a text occurs, none overlapping another.
pub(super) struct Places<'a> {
    text: &'a [u8],
    finder: Finder<'a>,
    at: usize,
    only_at_start: bool,
    guard: Option<Guard<'a>>,
    n_doubtful: usize,
    doubtful_at: Option<usize>,
}

/// Tells of places that were passed over.
pub(super) trait Doubts {
    /// How many there were, and where the first was.
    fn doubts(&self) -> (usize, Option<usize>);
}

impl<'a> Places<'a> {
    /// All places; `guarded` passes over those that may begin inside a character.
    pub(super) fn new(text: &'a [u8], old: &'a [u8], guarded: bool) -> Self {
        Self {
            text,
            finder: Finder::new(old),
            at: 0,
            only_at_start: false,
            guard: guarded.then(|| Guard::new(text)),
            n_doubtful: 0,
            doubtful_at: None,
        }
    }

    /// Only the place at the very start.
    pub(super) fn at_start(self) -> Self {
        Self {
            only_at_start: true,
            ..self
        }
    }
}

impl Iterator for Places<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        let len = self.finder.needle().len();
        if len == 0 || (self.only_at_start && self.at > 0) {
            return None;
        }
        loop {
            let rest = self.text.get(self.at..)?;
            let start = if self.only_at_start {
                rest.starts_with(self.finder.needle()).then_some(0)?
            } else {
                self.at + self.finder.find(rest)?
            };
            if self.guard.as_mut().is_some_and(|guard| guard.splits(start)) {
                self.n_doubtful += 1;
                self.doubtful_at.get_or_insert(start);
                self.at = start + 1;
                continue;
            }
            self.at = start + len;
            return Some(start..self.at);
        }
    }
}

impl Doubts for Places<'_> {
    fn doubts(&self) -> (usize, Option<usize>) {
        (self.n_doubtful, self.doubtful_at)
    }
}

/// Turns offsets in the nearly UTF-8 text into offsets in the body of the file; only ever forward.
pub(super) struct Offsets<'a> {
    text: &'a [u8],
    utf16: bool,
    text_at: usize,
    body_at: usize,
}

impl<'a> Offsets<'a> {
    pub(super) fn new(text: &'a [u8], encoding: Encoding) -> Self {
        Self {
            text,
            utf16: encoding.is_utf16(),
            text_at: 0,
            body_at: 0,
        }
    }

    /// The offset in the body. Must not be less than the one asked for before.
    pub(super) fn body_offset(&mut self, text_offset: usize) -> usize {
        if !self.utf16 {
            return text_offset;
        }
        for byte in self.text.get(self.text_at..text_offset).unwrap_or_default() {
            self.body_at += match byte {
                // Goes on with a character already counted.
                0x80..=0xbf => 0,
                0xf0..=0xf7 => 4,
                // One unit, also one that could not be decoded.
                _ => 2,
            };
        }
        self.text_at = text_offset;
        self.body_at
    }
}

/// The line an offset lies in, counted from 1.
pub(super) fn line_of(text: &[u8], at: usize) -> u64 {
    let before = text.get(..at).unwrap_or(text);
    memchr_iter(b'\n', before).count() as u64 + 1
}

/// The lines of ascending offsets, each line once.
pub(super) fn lines_of(text: &[u8], offsets: &[usize]) -> Vec<u64> {
    let mut lines: Vec<u64> = Vec::with_capacity(offsets.len());
    let mut line = 1;
    let mut from = 0;
    for &offset in offsets {
        let passed = text.get(from..offset).unwrap_or_default();
        line += memchr_iter(b'\n', passed).count() as u64;
        from = offset;
        if lines.last() != Some(&line) {
            lines.push(line);
        }
    }
    lines
}
