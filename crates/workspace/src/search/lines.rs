//! The lines kept of one file: hits and their context, cut to what is shown.

use std::collections::VecDeque;
use std::ops::Range;

use memchr::{memchr, memrchr};

use super::scan::bare;
use crate::limits::LINE_CHARS;
use crate::matcher::Matcher;
use crate::text;

/// A line to show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Its number, from 1.
    pub number: u64,
    /// Its text without the line end; a long line is cut, with `…` at each cut side.
    pub text: String,
    /// Characters of the whole line, when `text` is only a part of it.
    pub n_chars: Option<usize>,
    /// Says whether it matches; otherwise it is context.
    pub is_match: bool,
    /// Says whether lines are left out between it and the line before, or it is the first.
    pub starts_group: bool,
}

/// Which lines around a hit are wanted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Context {
    /// Lines on each side.
    pub(super) n_lines: u64,
    /// Lines up to this one are not shown.
    pub(super) behind: u64,
}

/// Collects the lines of one file, in order, from one text after another.
#[derive(Debug)]
pub(super) struct Lines {
    context: Context,
    kept: Vec<Line>,
    n_bytes: usize,
    /// The number of the last line kept, and how many lines behind it are still wanted.
    last: u64,
    n_trailing: u64,
    /// Where in the current text the line behind the last one kept begins.
    next: usize,
    /// The last lines of the text before, for the context of a hit at the start of the next.
    earlier: VecDeque<Line>,
}

impl Lines {
    pub(super) fn new(context: Context) -> Self {
        Self {
            context,
            kept: Vec::new(),
            n_bytes: 0,
            last: 0,
            n_trailing: 0,
            next: 0,
            earlier: VecDeque::new(),
        }
    }

    pub(super) fn n_bytes(&self) -> usize {
        self.n_bytes
    }

    pub(super) fn finish(self) -> (Vec<Line>, usize) {
        (self.kept, self.n_bytes)
    }

    /// Begins with a text whose first line has this number.
    pub(super) fn begin(&mut self, number: u64) {
        self.next = 0;
        if self.last + 1 != number {
            self.n_trailing = 0;
        }
    }

    /// Keeps the line that begins at `begin`, and its context.
    pub(super) fn hit(&mut self, text: &[u8], begin: usize, number: u64, matcher: &Matcher) {
        self.trail(text, begin);
        self.lead(text, begin, number);
        let (line, next) = line_at(text, begin);
        self.keep(hit_line(number, line, matcher));
        self.next = next;
        self.n_trailing = self.context.n_lines;
    }

    /// Keeps a line that was cut when it was found.
    pub(super) fn long_hit(&mut self, number: u64, text: String, n_chars: usize) {
        self.keep(Line {
            number,
            text,
            n_chars: Some(n_chars),
            is_match: true,
            starts_group: false,
        });
        self.earlier.clear();
        self.n_trailing = self.context.n_lines;
    }

    /// Keeps the context behind the last hit that begins before `until`.
    pub(super) fn trail(&mut self, text: &[u8], until: usize) {
        while self.n_trailing > 0 && self.next < until.min(text.len()) {
            let (line, next) = line_at(text, self.next);
            self.keep(context_line(self.last + 1, line));
            self.next = next;
            self.n_trailing -= 1;
        }
    }

    /// Remembers the end of a text; `number` is that of the line that follows it.
    pub(super) fn end(&mut self, text: &[u8], number: u64) {
        if self.context.n_lines == 0 {
            return;
        }
        let mut begin = text.len();
        let mut added = Vec::new();
        while begin > 0 && (added.len() as u64) < self.context.n_lines {
            begin = line_before(text, begin);
            let (line, _) = line_at(text, begin);
            added.push(context_line(number - 1 - added.len() as u64, line));
        }
        self.earlier.extend(added.into_iter().rev());
        while self.earlier.len() as u64 > self.context.n_lines {
            self.earlier.pop_front();
        }
    }

    /// Keeps the context in front of the hit that begins at `begin`.
    fn lead(&mut self, text: &[u8], begin: usize, number: u64) {
        let least = self.last.max(self.context.behind) + 1;
        let least = least.max(number.saturating_sub(self.context.n_lines));
        let mut first = number;
        let mut at = begin;
        while first > least && at > 0 {
            at = line_before(text, at);
            first -= 1;
        }
        if first > least {
            let earlier = std::mem::take(&mut self.earlier);
            for line in earlier {
                if line.number >= least && line.number < first {
                    self.keep(line);
                }
            }
        }
        for number in first..number {
            let (line, next) = line_at(text, at);
            self.keep(context_line(number, line));
            at = next;
        }
    }

    fn keep(&mut self, mut line: Line) {
        line.starts_group = self.kept.is_empty() || self.last + 1 != line.number;
        self.last = line.number;
        self.n_bytes += line.text.len();
        self.kept.push(line);
    }
}

/// The line that begins at `begin`, without its line end, and where the next one begins.
fn line_at(text: &[u8], begin: usize) -> (&[u8], usize) {
    let rest = text.get(begin..).unwrap_or_default();
    let len = memchr(b'\n', rest).unwrap_or(rest.len());
    (bare(rest.get(..len).unwrap_or_default()), begin + len + 1)
}

/// Where the line in front of the one that begins at `begin` begins.
fn line_before(text: &[u8], begin: usize) -> usize {
    let before = text.get(..begin - 1).unwrap_or_default();
    memrchr(b'\n', before).map_or(0, |at| at + 1)
}

fn hit_line(number: u64, line: &[u8], matcher: &Matcher) -> Line {
    let decoded = String::from_utf8_lossy(line);
    let cut = if decoded.len() > LINE_CHARS {
        let found = matcher.find(decoded.as_bytes()).unwrap_or_default();
        cut(&decoded, found)
    } else {
        None
    };
    shown(number, &decoded, cut, true)
}

fn context_line(number: u64, line: &[u8]) -> Line {
    let decoded = String::from_utf8_lossy(line);
    let cut = cut(&decoded, 0..0);
    shown(number, &decoded, cut, false)
}

fn cut(line: &str, found: Range<usize>) -> Option<text::CutLine> {
    text::cut_around(line, found, LINE_CHARS)
}

fn shown(number: u64, line: &str, cut: Option<text::CutLine>, is_match: bool) -> Line {
    let (text, n_chars) = match cut {
        Some(cut) => (cut.text, Some(cut.n_chars)),
        None => (line.to_owned(), None),
    };
    Line {
        number,
        text,
        n_chars,
        is_match,
        starts_group: false,
    }
}
