//! Line ends taken for equal, and a new text fitted to those of its place.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memmem;

use super::places::{Doubts, Places};

/// A text and what is looked for in it, both with `\n` for every `\r\n`.
pub(super) struct Folded<'a> {
    pub(super) text: Cow<'a, [u8]>,
    pub(super) old: Cow<'a, [u8]>,
    /// Where in the folded text a line end lost its `\r`.
    ends: Vec<usize>,
}

impl<'a> Folded<'a> {
    /// `None` when folding changes nothing that matters.
    pub(super) fn new(text: &'a [u8], old: &'a [u8]) -> Option<Self> {
        if !old.contains(&b'\n') {
            return None;
        }
        let (text, ends) = fold(text);
        let (old, old_ends) = fold(old);
        if ends.is_empty() && old_ends.is_empty() {
            return None;
        }
        Some(Self { text, old, ends })
    }

    /// Turns places in the folded text into places in the text itself.
    pub(super) fn unfold<'p>(&'p self, places: Places<'p>) -> Unfold<'p> {
        Unfold {
            places,
            ends: &self.ends,
            n_passed: 0,
        }
    }
}

/// See [`Folded::unfold`].
pub(super) struct Unfold<'a> {
    places: Places<'a>,
    ends: &'a [usize],
    n_passed: usize,
}

impl Unfold<'_> {
    /// An offset in front of a line end is in front of its `\r`. Must not be less than the one before.
    fn offset(&mut self, folded: usize) -> usize {
        while self
            .ends
            .get(self.n_passed)
            .is_some_and(|&end| end < folded)
        {
            self.n_passed += 1;
        }
        folded + self.n_passed
    }
}

impl Iterator for Unfold<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        let place = self.places.next()?;
        let start = self.offset(place.start);
        Some(start..self.offset(place.end))
    }
}

impl Doubts for Unfold<'_> {
    fn doubts(&self) -> (usize, Option<usize>) {
        let (n_doubtful, at) = self.places.doubts();
        let at = at.map(|at| at + self.ends.partition_point(|&end| end < at));
        (n_doubtful, at)
    }
}

/// The text with `\n` for every `\r\n`, and where those `\n` are.
fn fold(text: &[u8]) -> (Cow<'_, [u8]>, Vec<usize>) {
    let mut folded = Vec::new();
    let mut ends = Vec::new();
    let mut kept_to = 0;
    for cr in memmem::find_iter(text, b"\r\n") {
        folded.extend_from_slice(text.get(kept_to..cr).unwrap_or_default());
        ends.push(folded.len());
        kept_to = cr + 1;
    }
    if ends.is_empty() {
        return (Cow::Borrowed(text), ends);
    }
    folded.extend_from_slice(text.get(kept_to..).unwrap_or_default());
    (Cow::Owned(folded), ends)
}

/// The text with `\n` for every `\r\n`.
pub(super) fn with_lf(text: &[u8]) -> Cow<'_, [u8]> {
    fold(text).0
}

/// A new text whose line ends are yet to be chosen.
pub(super) struct Adapter {
    /// The lines between line ends; one more than `sources`.
    lines: Vec<Vec<u8>>,
    /// For each line end, which line end of the replaced text it takes after.
    sources: Vec<usize>,
}

impl Adapter {
    /// `old` is folded and has a line end.
    ///
    /// Lines that old and new text share at their beginning and end keep their own line ends; those
    /// between go by position, and where the new text is longer, by the line end before.
    pub(super) fn new(old: &[u8], new: &str) -> Self {
        let new = with_lf(new.as_bytes());
        let lines: Vec<Vec<u8>> = new.split(|&b| b == b'\n').map(<[u8]>::to_vec).collect();
        let old_lines: Vec<&[u8]> = old.split(|&b| b == b'\n').collect();
        let ended = lines.iter().take(lines.len() - 1);
        let old_ended = old_lines.iter().take(old_lines.len() - 1);
        let (n_ends, n_old_ends) = (ended.len(), old_ended.len());
        let same = |(a, b): &(&Vec<u8>, &&[u8])| a.as_slice() == **b;
        let n_head = ended
            .clone()
            .zip(old_ended.clone())
            .take_while(same)
            .count();
        let n_tail = ended.rev().zip(old_ended.rev()).take_while(same).count();
        let n_tail = n_tail.min(n_ends.min(n_old_ends) - n_head);
        let sources = (0..n_ends)
            .map(|end| {
                if end >= n_ends - n_tail {
                    n_old_ends - (n_ends - end)
                } else {
                    let last = (n_old_ends - n_tail).max(1) - 1;
                    end.min(last)
                }
            })
            .collect();
        Self { lines, sources }
    }

    /// The longest the text can get.
    pub(super) fn longest(&self) -> usize {
        self.lines.iter().map(|line| line.len() + 2).sum()
    }

    /// The text for a place that holds `replaced`.
    pub(super) fn adapt(&self, replaced: &[u8]) -> Vec<u8> {
        let has_cr: Vec<bool> = memchr::memchr_iter(b'\n', replaced)
            .map(|lf| {
                replaced
                    .get(..lf)
                    .is_some_and(|before| before.ends_with(b"\r"))
            })
            .collect();
        let mut text = Vec::with_capacity(self.longest());
        let mut sources = self.sources.iter();
        for line in &self.lines {
            text.extend_from_slice(line);
            if let Some(&source) = sources.next() {
                if has_cr.get(source).copied().unwrap_or(false) {
                    text.push(b'\r');
                }
                text.push(b'\n');
            }
        }
        text
    }
}
