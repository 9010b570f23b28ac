//! Sets of characters as JavaScript means them, and how they are written for the Rust engines.
//!
//! Sets are closed under case here, by JavaScript's rule, so that no engine flag is needed: its
//! folding keeps ASCII and the rest apart (`k` never meets the Kelvin sign).

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::OnceLock;

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

/// What U+FFFD stands for in text that is not valid UTF-8.
pub(super) const REPLACEMENT: char = char::REPLACEMENT_CHARACTER;

/// A set of characters. Code units that are surrogates stand for the characters they are part of.
#[derive(Clone, Debug)]
pub(super) struct CharSet(ClassUnicode);

impl CharSet {
    pub(super) fn empty() -> Self {
        Self(ClassUnicode::empty())
    }

    fn of(ranges: &[(char, char)]) -> Self {
        let ranges = ranges
            .iter()
            .map(|&(from, to)| ClassUnicodeRange::new(from, to));
        Self(ClassUnicode::new(ranges))
    }

    /// `\d`
    pub(super) fn digits() -> Self {
        Self::of(&[('0', '9')])
    }

    /// `\w`
    pub(super) fn word() -> Self {
        Self::of(&[('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')])
    }

    /// `\s`: white space and line ends of ECMAScript, the byte order mark among them.
    pub(super) fn space() -> Self {
        Self::of(&[
            ('\t', '\r'),
            (' ', ' '),
            ('\u{a0}', '\u{a0}'),
            ('\u{1680}', '\u{1680}'),
            ('\u{2000}', '\u{200a}'),
            ('\u{2028}', '\u{2029}'),
            ('\u{202f}', '\u{202f}'),
            ('\u{205f}', '\u{205f}'),
            ('\u{3000}', '\u{3000}'),
            ('\u{feff}', '\u{feff}'),
        ])
    }

    /// `.`
    pub(super) fn dot() -> Self {
        Self::of(&[('\n', '\n'), ('\r', '\r'), ('\u{2028}', '\u{2029}')]).negated()
    }

    pub(super) fn single(c: char) -> Self {
        Self::of(&[(c, c)])
    }

    pub(super) fn negated(mut self) -> Self {
        self.0.negate();
        self
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.0.union(&other.0);
    }

    /// Adds the code points from `from` to `to`, both included.
    pub(super) fn add_range(&mut self, from: u32, to: u32) {
        let parts = [(from, to.min(0xd7ff)), (from.max(0xe000), to)];
        for (from, to) in parts {
            if let (true, Some(from), Some(to)) =
                (from <= to, char::from_u32(from), char::from_u32(to))
            {
                self.0.push(ClassUnicodeRange::new(from, to));
            }
        }
        // A range of first halves takes the characters that begin so, one of all second halves
        // takes every character written with two code units.
        let halves = (from.max(0xd800), to.min(0xdbff));
        let (first, last) = if from <= 0xdc00 && to >= 0xdfff {
            (0xd800, 0xdbff)
        } else {
            halves
        };
        if first <= last {
            let start = char::from_u32(0x1_0000 + (first - 0xd800) * 0x400);
            let end = char::from_u32(0x1_03ff + (last - 0xd800) * 0x400);
            if let (Some(start), Some(end)) = (start, end) {
                self.0.push(ClassUnicodeRange::new(start, end));
            }
        }
    }

    pub(super) fn contains(&self, c: char) -> bool {
        let ranges = self.0.ranges();
        let at = ranges.partition_point(|range| range.end() < c);
        ranges.get(at).is_some_and(|range| range.start() <= c)
    }

    /// Adds every character that differs only in case from one in the set.
    pub(super) fn fold_case(&mut self) {
        let mut twins = Vec::new();
        for upper in 'A'..='Z' {
            let lower = upper.to_ascii_lowercase();
            if self.contains(upper) != self.contains(lower) {
                twins.extend([upper, lower]);
            }
        }
        let only_ascii = self
            .0
            .ranges()
            .last()
            .is_none_or(|range| range.end().is_ascii());
        if !only_ascii {
            for group in case_groups() {
                if group.iter().any(|&c| self.contains(c)) {
                    twins.extend(group);
                }
            }
        }
        for c in twins {
            self.0.push(ClassUnicodeRange::new(c, c));
        }
    }

    /// Takes the line feed out: a line never holds one, and a whole file may be searched at once.
    pub(super) fn without_line_feed(mut self) -> Self {
        self.0
            .difference(&ClassUnicode::new([ClassUnicodeRange::new('\n', '\n')]));
        self
    }

    /// The only character of the set, when there is just one.
    pub(super) fn only(&self) -> Option<char> {
        match self.0.ranges() {
            [range] if range.start() == range.end() => Some(range.start()),
            _ => None,
        }
    }

    /// Writes the set as a bracketed class that both engines read alike.
    pub(super) fn write(&self, out: &mut String) {
        if self.0.ranges().is_empty() {
            out.push_str("[^\\x{0}-\\x{10FFFF}]");
            return;
        }
        out.push('[');
        for range in self.0.ranges() {
            write_member(out, range.start());
            if range.start() != range.end() {
                out.push('-');
                write_member(out, range.end());
            }
        }
        out.push(']');
    }
}

fn write_member(out: &mut String, c: char) {
    if c.is_ascii_alphanumeric() {
        out.push(c);
    } else {
        // Writing to a string cannot fail.
        let _ = write!(out, "\\x{{{:X}}}", u32::from(c));
    }
}

/// Writes one character outside a class.
pub(super) fn write_literal(out: &mut String, c: char) {
    if c.is_ascii_alphanumeric() || c == ' ' || (!c.is_ascii() && !c.is_control()) {
        out.push(c);
    } else {
        write_member(out, c);
    }
}

/// JavaScript's `Canonicalize` without the `u` flag, by characters instead of code units.
fn canonical(c: char) -> char {
    let mut upper = c.to_uppercase();
    match (upper.next(), upper.next()) {
        (Some(up), None) if c.is_ascii() || !up.is_ascii() => up,
        _ => c,
    }
}

/// The groups of characters beyond ASCII that are one to a search that ignores case.
fn case_groups() -> &'static [Vec<char>] {
    static GROUPS: OnceLock<Vec<Vec<char>>> = OnceLock::new();
    GROUPS.get_or_init(|| {
        let mut groups: BTreeMap<char, Vec<char>> = BTreeMap::new();
        // No script with letter case lies beyond Adlam, at U+1E900.
        for c in '\u{80}'..='\u{1e97f}' {
            let key = canonical(c);
            if key != c {
                groups.entry(key).or_insert_with(|| vec![key]).push(c);
            }
        }
        groups.into_values().collect()
    })
}
