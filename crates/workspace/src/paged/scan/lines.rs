//! Finding the lines of a piece of a file that match.

use super::Pause;
use super::sniff::valid_prefix;
use crate::paged::terms::Finder;

/// Bytes of a line that are shown at most.
pub(super) const EVIDENCE: usize = 1024;

/// What the end of a piece is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cut {
    /// The end of the file.
    AtEnd,
    /// More is to come.
    Midway,
}

/// Lines of one piece.
#[derive(Debug, Default)]
pub(super) struct Lines {
    pub(super) lines: Vec<Line>,
    /// Lines behind the last of these that match and cannot be shown.
    pub(super) n_lost: u64,
}

/// A line that matches.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) number: u64,
    pub(super) text: Text,
    /// Lines since the one before that match and cannot be shown.
    pub(super) n_lost_before: u64,
    /// Where the search goes on behind it.
    pub(super) resume: Pause,
    /// Whether it is the last of its file and has no line end.
    pub(super) is_last: bool,
}

/// What a line says.
#[derive(Debug)]
pub(super) enum Text {
    Known(Box<str>),
    /// It began in an earlier piece: here.
    At {
        start: u64,
        end: u64,
    },
}

/// Searches a piece of a file. `piece` begins at `base`, and what of it lies before `at` was searched
/// before. Moves `at` to where the search has come: the end, or behind the last line that is wanted.
pub(super) fn scan(
    piece: &[u8],
    base: u64,
    at: &mut Pause,
    finder: &Finder,
    limit: usize,
    cut: Cut,
) -> Lines {
    let mut found = Lines::default();
    let end = base + piece.len() as u64;
    while at.offset < end && found.lines.len() < limit {
        if !at.matched {
            // A text may reach back to before the pause, but not to the line before.
            let back = (finder.longest as u64 - 1).min(at.offset - at.line_start);
            let from = index(at.offset - back, base);
            let rest = piece.get(from..).unwrap_or_default();
            let Some((start, stop)) = finder.find(rest) else {
                pass(piece, base, at, piece.len());
                break;
            };
            let start = (from + start).max(index(at.offset, base));
            pass(piece, base, at, start);
            at.matched = true;
            at.offset = at.offset.max(base + (from + stop) as u64);
        }
        let from = index(at.offset, base);
        let rest = piece.get(from..).unwrap_or_default();
        let Some(line_end) = memchr::memchr(b'\n', rest) else {
            at.offset = end;
            break;
        };
        let line_end = from + line_end;
        let (number, text) = (at.line, text(piece, base, at.line_start, line_end));
        at.offset = base + line_end as u64 + 1;
        at.line_start = at.offset;
        at.line += 1;
        at.matched = false;
        found.add(number, text, *at, false);
    }
    let is_unended = at.matched && at.offset == end && at.offset > at.line_start;
    if cut == Cut::AtEnd && is_unended && found.lines.len() < limit {
        let text = text(piece, base, at.line_start, piece.len());
        found.add(at.line, text, *at, true);
    }
    found
}

impl Lines {
    fn add(&mut self, number: u64, text: Option<Text>, resume: Pause, is_last: bool) {
        match text {
            Some(text) => self.lines.push(Line {
                number,
                text,
                n_lost_before: std::mem::take(&mut self.n_lost),
                resume,
                is_last,
            }),
            None => self.n_lost += 1,
        }
    }
}

fn index(offset: u64, base: u64) -> usize {
    usize::try_from(offset.saturating_sub(base)).unwrap_or(usize::MAX)
}

/// Passes over bytes that hold no match.
fn pass(piece: &[u8], base: u64, at: &mut Pause, to: usize) {
    let from = index(at.offset, base);
    let passed = piece.get(from..to).unwrap_or_default();
    if let Some(last) = memchr::memrchr(b'\n', passed) {
        at.line += memchr::memchr_iter(b'\n', passed).count() as u64;
        at.line_start = base + (from + last) as u64 + 1;
    }
    at.offset = at.offset.max(base + to as u64);
}

/// What a line of the piece says; `None` when that is not UTF-8.
fn text(piece: &[u8], base: u64, start: u64, end: usize) -> Option<Text> {
    if start < base {
        let end = base + end as u64;
        return Some(Text::At { start, end });
    }
    let line = piece.get(index(start, base)..end).unwrap_or_default();
    let is_cut = line.len() > EVIDENCE;
    let shown = line.get(..EVIDENCE).unwrap_or(line);
    evidence(shown, is_cut).map(Text::Known)
}

/// What the bytes of a line, or its first bytes, say; `None` when they are not UTF-8.
pub(super) fn evidence(bytes: &[u8], is_cut: bool) -> Option<Box<str>> {
    let shown = if is_cut {
        let len = valid_prefix(bytes);
        bytes.get(..len).filter(|shown| !shown.is_empty())?
    } else {
        bytes
    };
    let text = std::str::from_utf8(shown).ok()?;
    // A mark of byte order is no part of a line.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    Some(text.strip_suffix('\r').unwrap_or(text).into())
}

#[cfg(test)]
mod tests;
