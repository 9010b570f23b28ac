//! The little of Markdown that notes are looked through for: lines, fenced code, headings, check boxes.
//!
//! Works on bytes, never fails, and takes one pass. Where CommonMark needs the whole structure to
//! decide (indented code, lists that end), the simple reading is taken.

use std::collections::HashMap;
use std::ops::Range;

use memchr::memchr;

use super::front_matter::{self, Block};

/// Characters of a heading that are kept.
const HEADING_CHARS: usize = 200;

/// One line of a note.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Line<'a> {
    /// Its number, from 1.
    pub(super) number: u64,
    /// Where it begins, in bytes.
    pub(super) start: usize,
    /// Its text, without the line end.
    pub(super) text: &'a [u8],
    /// What it is part of.
    pub(super) part: Part,
}

/// What a line is part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// Front matter, if that is valid.
    FrontMatter,
    /// Fenced code, with the fences.
    Code,
    /// The text.
    Text,
}

/// A note taken apart into lines.
#[derive(Debug)]
pub(super) struct Note<'a> {
    content: &'a [u8],
    block: Option<Block>,
    is_valid: std::cell::OnceCell<bool>,
}

impl<'a> Note<'a> {
    pub(super) fn new(content: &'a [u8]) -> Self {
        Self {
            content,
            block: front_matter::block(content),
            is_valid: std::cell::OnceCell::new(),
        }
    }

    /// The lines from the first to the last. A line break at the end makes no further line.
    pub(super) fn lines(&self) -> Lines<'a> {
        Lines {
            content: self.content,
            front_end: self.block.as_ref().map_or(0, |block| block.end),
            at: 0,
            number: 0,
            fence: None,
        }
    }

    /// Says whether a line is text: front matter that is no YAML is. That is only found out when a
    /// line of it is asked for, since reading YAML takes far longer than all the rest.
    pub(super) fn is_text(&self, line: &Line<'_>) -> bool {
        match line.part {
            Part::Text => true,
            Part::Code => false,
            Part::FrontMatter => !*self.is_valid.get_or_init(|| {
                let yaml = self.block.as_ref().and_then(|block| {
                    let yaml = self.content.get(block.yaml.clone())?;
                    front_matter::parse(std::str::from_utf8(yaml).ok()?)
                });
                yaml.is_some()
            }),
        }
    }
}

/// The lines of a note.
#[derive(Debug)]
pub(super) struct Lines<'a> {
    content: &'a [u8],
    front_end: usize,
    at: usize,
    number: u64,
    fence: Option<Fence>,
}

/// Fenced code that has begun.
#[derive(Clone, Copy, Debug)]
struct Fence {
    mark: u8,
    len: usize,
    /// The quotes it stands in.
    n_quotes: usize,
}

impl<'a> Iterator for Lines<'a> {
    type Item = Line<'a>;

    fn next(&mut self) -> Option<Line<'a>> {
        let rest = self.content.get(self.at..)?;
        if rest.is_empty() {
            return None;
        }
        let start = self.at;
        let end = memchr(b'\n', rest);
        self.at += end.map_or(rest.len(), |end| end + 1);
        let text = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        self.number += 1;
        let part = if start < self.front_end {
            Part::FrontMatter
        } else {
            self.part(text)
        };
        Some(Line {
            number: self.number,
            start,
            text,
            part,
        })
    }
}

impl Lines<'_> {
    fn part(&mut self, text: &[u8]) -> Part {
        if let Some(fence) = self.fence {
            if let Some(inner) = strip_quotes(text, fence.n_quotes) {
                if closes(inner, fence) {
                    self.fence = None;
                }
                return Part::Code;
            }
            self.fence = None;
        }
        // Most lines begin with a letter, and no fence does.
        if text.first().is_none_or(u8::is_ascii_alphabetic) {
            return Part::Text;
        }
        let (inner, n_quotes) = quotes(text);
        let inner = strip_items(inner);
        let Some(&mark @ (b'`' | b'~')) = inner.first() else {
            return Part::Text;
        };
        let len = run(inner, mark);
        let info = inner.get(len..).unwrap_or_default();
        if len < 3 || mark == b'`' && memchr(b'`', info).is_some() {
            return Part::Text;
        }
        self.fence = Some(Fence {
            mark,
            len,
            n_quotes,
        });
        Part::Code
    }
}

fn closes(inner: &[u8], fence: Fence) -> bool {
    let inner = inner.trim_ascii();
    let len = run(inner, fence.mark);
    len >= fence.len && len == inner.len()
}

fn run(text: &[u8], mark: u8) -> usize {
    text.iter().take_while(|&&byte| byte == mark).count()
}

/// The text behind the marks of quotes in front of it, and how many there are.
fn quotes(text: &[u8]) -> (&[u8], usize) {
    let mut rest = text;
    let mut n = 0;
    while let Some(inner) = rest.trim_ascii_start().strip_prefix(b">") {
        rest = inner;
        n += 1;
    }
    (rest, n)
}

/// The text behind so many marks of quotes; `None` when there are fewer.
fn strip_quotes(text: &[u8], n: usize) -> Option<&[u8]> {
    let mut rest = text;
    for _ in 0..n {
        rest = rest.trim_ascii_start().strip_prefix(b">")?;
    }
    Some(rest)
}

/// The text behind the marks of list items in front of it, and behind blanks.
fn strip_items(text: &[u8]) -> &[u8] {
    let mut rest = text.trim_ascii_start();
    while let Some(inner) = item(rest) {
        rest = inner.trim_ascii_start();
    }
    rest
}

/// The text behind the mark of a list item and one blank.
fn item(text: &[u8]) -> Option<&[u8]> {
    let behind = match text {
        [b'-' | b'*' | b'+', rest @ ..] => rest,
        [b'0'..=b'9', ..] => {
            let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
            match text.get(digits..)? {
                [b'.' | b')', rest @ ..] if digits <= 9 => rest,
                _ => return None,
            }
        }
        _ => return None,
    };
    match behind {
        [b' ' | b'\t', rest @ ..] => Some(rest),
        _ => None,
    }
}

/// A check box in a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CheckBox<'a> {
    /// Where in the line its state stands: a blank, `x` or `X`.
    pub(super) at: usize,
    /// Whether it is checked.
    pub(super) done: bool,
    /// The text behind it; not empty.
    pub(super) title: &'a [u8],
}

/// The check box of a line that is a list item with one.
pub(super) fn check_box(text: &[u8]) -> Option<CheckBox<'_>> {
    let (inner, _) = quotes(text);
    let inner = item(inner.trim_ascii_start())?.trim_ascii_start();
    let [
        b'[',
        state @ (b' ' | b'x' | b'X'),
        b']',
        b' ' | b'\t',
        title @ ..,
    ] = inner
    else {
        return None;
    };
    let title = title.trim_ascii();
    (!title.is_empty()).then_some(CheckBox {
        at: text.len() - inner.len() + 1,
        done: *state != b' ',
        title,
    })
}

/// The headings that a place stands under.
#[derive(Debug, Default)]
pub(super) struct Outline {
    headings: Vec<(usize, String)>,
    /// The line before, if it could become a heading by being underlined.
    before: Option<String>,
}

impl Outline {
    /// Takes the next line; says whether it is a heading, or makes one of the line before.
    pub(super) fn feed(&mut self, line: &Line<'_>) -> bool {
        let before = self.before.take();
        if line.part != Part::Text {
            return false;
        }
        if let Some((level, text)) = heading(line.text) {
            self.enter(level, text_of(text));
            return true;
        }
        if let (Some(before), Some(level)) = (before, underline(line.text)) {
            self.enter(level, before);
            return true;
        }
        self.before = paragraph(line.text);
        false
    }

    /// The headings, the topmost first.
    pub(super) fn path(&self) -> Vec<String> {
        let texts = self.headings.iter();
        texts.map(|(_, text)| text.clone()).collect()
    }

    /// The innermost heading.
    pub(super) fn last(&self) -> Option<&str> {
        self.headings.last().map(|(_, text)| text.as_str())
    }

    fn enter(&mut self, level: usize, text: String) {
        self.headings.retain(|(above, _)| *above < level);
        self.headings.push((level, text));
    }
}

/// Level and text of a heading that begins with `#`.
fn heading(text: &[u8]) -> Option<(usize, &[u8])> {
    let inner = text.trim_ascii_start();
    let level = run(inner, b'#');
    if text.len() - inner.len() > 3 || !(1..=6).contains(&level) {
        return None;
    }
    let rest = inner.get(level..)?;
    if !matches!(rest, [] | [b' ' | b'\t', ..]) {
        return None;
    }
    let rest = rest.trim_ascii();
    let end = rest
        .iter()
        .rposition(|&byte| byte != b'#')
        .map_or(0, |at| at + 1);
    match rest.get(..end) {
        Some([]) => Some((level, &[])),
        Some(closed @ [.., b' ' | b'\t']) => Some((level, closed.trim_ascii_end())),
        _ => Some((level, rest)),
    }
}

/// The level of the heading that a line of `=` or `-` makes of the line before.
fn underline(text: &[u8]) -> Option<usize> {
    let inner = text.trim_ascii();
    let level = match inner.first()? {
        b'=' => 1,
        b'-' => 2,
        _ => return None,
    };
    let mark = inner.first()?;
    inner.iter().all(|byte| byte == mark).then_some(level)
}

/// The text of a line that is part of a paragraph for sure.
fn paragraph(text: &[u8]) -> Option<String> {
    let inner = text.trim_ascii();
    let is_other = matches!(inner, [] | [b'>' | b'|' | b'<' | b'`' | b'~', ..])
        || item(inner).is_some()
        || underline(inner).is_some()
        || text.starts_with(b"    ");
    (!is_other).then(|| text_of(inner))
}

fn text_of(bytes: &[u8]) -> String {
    let start = bytes.get(..HEADING_CHARS * 4).unwrap_or(bytes);
    String::from_utf8_lossy(start)
        .chars()
        .take(HEADING_CHARS)
        .collect()
}

/// Where code spans are in a line: links do not count there.
pub(super) fn code_spans(text: &[u8]) -> Vec<Range<usize>> {
    let mut runs = Vec::new();
    let mut at = 0;
    while let Some(found) = text.get(at..).and_then(|rest| memchr(b'`', rest)) {
        let start = at + found;
        at = start + run(text.get(start..).unwrap_or_default(), b'`');
        runs.push(start..at);
    }
    // The next run as long as each, found from the end: one pass, however many do not close.
    let mut ahead = HashMap::new();
    let mut closing: Vec<Option<usize>> = Vec::with_capacity(runs.len());
    for (index, run) in runs.iter().enumerate().rev() {
        closing.push(ahead.insert(run.len(), index));
    }
    closing.reverse();
    let mut spans = Vec::new();
    let mut index = 0;
    while let Some(open) = runs.get(index) {
        let close = closing.get(index).copied().flatten();
        if let Some(end) = close.and_then(|close| runs.get(close)) {
            spans.push(open.start..end.end);
        }
        index = close.unwrap_or(index) + 1;
    }
    spans
}

#[cfg(test)]
mod tests;
