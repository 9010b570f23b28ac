//! A pattern ready for use: finds lines in a text, and the match within a line.
//!
//! A text is searched as one piece by a linear-time engine. Where that alone cannot tell (look-around,
//! back-references, a carriage return at the line end), each line it finds is looked at once more.
//! Reading files and counting lines are `search`'s.

use std::ops::Range;
use std::sync::OnceLock;

use fancy_regex::CompileError;
use grep_matcher::{LineMatchKind, Matcher as _};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use memchr::memmem;

use crate::error::Error;
use crate::pattern::{self, Translated};

/// Bytes a compiled pattern may take. Patterns that need more are refused in a few milliseconds.
const SIZE_BYTES: usize = 2 * 1024 * 1024;
/// Bytes the lazily built automaton may take in each thread before it starts anew.
const CACHE_BYTES: usize = 2 * 1024 * 1024;
/// Bytes of a line, and the steps the backtracking engine may take in one up to that long. One step
/// may run through the whole line, so this bounds the time for any line to about a second.
const STEPS: [(usize, usize); 3] = [
    (LONG_LINE_BYTES, 250_000),
    (64 * 1024, 15_000),
    (usize::MAX, 500),
];
/// Bytes of a line in which the linear engine first looks where a match could begin.
const LONG_LINE_BYTES: usize = 4096;

/// A compiled search pattern. Clones share nothing that threads would wait for.
#[derive(Clone, Debug)]
pub struct Matcher {
    finder: Finder,
    exact: Exact,
    sees_line_ends: bool,
    sees_replacement: bool,
}

/// Finds lines that may match, never missing one.
#[derive(Clone, Debug)]
enum Finder {
    Text(memmem::Finder<'static>),
    Regex(RegexMatcher),
}

/// Decides about one line.
#[derive(Clone, Debug)]
enum Exact {
    /// As the finder does.
    Finder,
    /// With `^` and `$` at the ends of the line, whatever carriage returns it holds.
    Linear(regex::bytes::Regex),
    /// With look-around and back-references, in a bounded number of steps.
    Backtracking(Box<Backtracking>),
}

/// The same pattern with a step limit for each length of line, compiled when first needed.
#[derive(Clone, Debug)]
struct Backtracking {
    pattern: String,
    regexes: [OnceLock<fancy_regex::Regex>; STEPS.len()],
}

/// A place in a text whose line may match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// A byte offset in the line, its end included.
    pub offset: usize,
    /// Says whether the line matches for sure, unless a carriage return in it has a say.
    pub sure: bool,
}

/// The pattern took more steps on a line than it is allowed, so the outcome is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepLimit;

impl Matcher {
    /// Compiles `pattern`: as text when `literal`, else as a JavaScript regular expression.
    ///
    /// # Errors
    /// [`Error::BadPattern`] with V8's reason, or `Regular expression too large`.
    pub fn new(pattern: &str, literal: bool, ignore_case: bool) -> Result<Self, Error> {
        let translated = if literal {
            Ok(pattern::literal(pattern, ignore_case))
        } else {
            pattern::translate(pattern, ignore_case)
        };
        translated
            .map_err(str::to_owned)
            .and_then(|translated| Self::compile(&translated))
            .map_err(|reason| Error::BadPattern {
                pattern: pattern.to_owned(),
                reason,
            })
    }

    fn compile(translated: &Translated) -> Result<Self, String> {
        let finder = match &translated.plain {
            Some(text) if !text.is_empty() => Finder::Text(memmem::Finder::new(text).into_owned()),
            Some(_) | None => Finder::Regex(
                RegexMatcherBuilder::new()
                    .line_terminator(Some(b'\n'))
                    .size_limit(SIZE_BYTES)
                    .dfa_size_limit(CACHE_BYTES)
                    .build(&format!("(?mR:{})", translated.filter))
                    .map_err(|_| too_large())?,
            ),
        };
        let exact = if translated.needs_backtracking {
            let regex = Backtracking::new(&translated.regex).map_err(|fault| refusal(&fault))?;
            Exact::Backtracking(Box::new(regex))
        } else if translated.sees_line_ends && translated.plain.is_none() {
            let regex = regex::bytes::RegexBuilder::new(&translated.regex)
                .size_limit(SIZE_BYTES)
                .dfa_size_limit(CACHE_BYTES)
                .build()
                .map_err(|_| too_large())?;
            Exact::Linear(regex)
        } else {
            Exact::Finder
        };
        Ok(Self {
            finder,
            exact,
            sees_line_ends: translated.sees_line_ends,
            sees_replacement: translated.sees_replacement,
        })
    }

    /// Says whether bytes that are not UTF-8 must be replaced by U+FFFD before the search,
    /// because the pattern might match those.
    #[must_use]
    pub fn sees_replacement(&self) -> bool {
        self.sees_replacement
    }

    /// Says whether deciding about one line may take long, so that long texts go line by line.
    #[must_use]
    pub fn is_backtracking(&self) -> bool {
        matches!(self.exact, Exact::Backtracking(_))
    }

    /// Says whether it looks for one text, case and all.
    #[must_use]
    pub fn is_text(&self) -> bool {
        matches!(self.finder, Finder::Text(_))
    }

    /// The first place in `text` whose line may match. `text` begins at the start of a line.
    #[must_use]
    pub fn candidate(&self, text: &[u8]) -> Option<Candidate> {
        let (offset, sure) = match &self.finder {
            Finder::Text(finder) => (finder.find(text)?, true),
            // The error type has no values.
            Finder::Regex(regex) => match regex.find_candidate_line(text).ok().flatten()? {
                LineMatchKind::Confirmed(offset) => (offset, true),
                LineMatchKind::Candidate(offset) => (offset, false),
            },
        };
        Some(Candidate {
            offset,
            sure: sure && !self.is_backtracking(),
        })
    }

    /// Decides about the line `found` lies in; `line` is that line without its line end.
    ///
    /// # Errors
    /// [`StepLimit`] when the engine gave up.
    pub fn confirm(
        &self,
        found: Candidate,
        line: &[u8],
        had_return: bool,
    ) -> Result<bool, StepLimit> {
        let settled =
            !self.sees_line_ends || (!had_return && memchr::memchr(b'\r', line).is_none());
        if found.sure && settled {
            return Ok(true);
        }
        self.is_match(line)
    }

    /// Says whether `line`, given without its line end, matches.
    ///
    /// # Errors
    /// [`StepLimit`] when the engine gave up.
    pub fn is_match(&self, line: &[u8]) -> Result<bool, StepLimit> {
        Ok(match &self.exact {
            Exact::Linear(regex) => regex.is_match(line),
            Exact::Backtracking(regex) => {
                let line = String::from_utf8_lossy(line);
                let Some(from) = self.head_start(line.as_bytes()) else {
                    return Ok(false);
                };
                regex.find_from(&line, from)?.is_some()
            }
            Exact::Finder => match &self.finder {
                Finder::Text(finder) => finder.find(line).is_some(),
                Finder::Regex(regex) => regex.is_match(line).unwrap_or_default(),
            },
        })
    }

    /// The place of the first match in `line`, which is given without its line end.
    #[must_use]
    pub fn find(&self, line: &[u8]) -> Option<Range<usize>> {
        self.find_from(line, 0)
    }

    /// The place of the first match in `line` that begins at `from` or later.
    #[must_use]
    pub fn find_from(&self, line: &[u8], from: usize) -> Option<Range<usize>> {
        if from > line.len() {
            return None;
        }
        match &self.exact {
            Exact::Linear(regex) => regex.find_at(line, from).map(|found| found.range()),
            Exact::Backtracking(regex) => {
                let line = str::from_utf8(line).ok()?;
                let from = from.max(self.head_start(line.as_bytes())?);
                regex.find_from(line, from).ok().flatten()
            }
            Exact::Finder => match &self.finder {
                Finder::Text(finder) => {
                    let at = finder.find(line.get(from..)?)? + from;
                    Some(at..at + finder.needle().len())
                }
                Finder::Regex(regex) => {
                    let found = regex.find_at(line, from).ok().flatten()?;
                    Some(found.start()..found.end())
                }
            },
        }
    }
}

impl Backtracking {
    fn new(pattern: &str) -> Result<Self, Box<fancy_regex::Error>> {
        let new = Self {
            pattern: pattern.to_owned(),
            regexes: Default::default(),
        };
        new.regex(0).map_err(Box::new)?;
        Ok(new)
    }

    fn find_from(&self, line: &str, from: usize) -> Result<Option<Range<usize>>, StepLimit> {
        let tier = STEPS.partition_point(|&(n_bytes, _)| n_bytes < line.len());
        let regex = self.regex(tier).map_err(|_| StepLimit)?;
        let found = regex.find_from_pos(line, from).map_err(|_| StepLimit)?;
        Ok(found.map(|found| found.start()..found.end()))
    }

    fn regex(&self, tier: usize) -> Result<&fancy_regex::Regex, fancy_regex::Error> {
        let cell = self.regexes.get(tier).unwrap_or(&self.regexes[0]);
        if let Some(regex) = cell.get() {
            return Ok(regex);
        }
        let n_steps = STEPS.get(tier).map_or(1, |&(_, n_steps)| n_steps);
        let regex = fancy_regex::RegexBuilder::new(&self.pattern)
            .backtrack_limit(n_steps)
            .delegate_size_limit(SIZE_BYTES)
            .delegate_dfa_size_limit(CACHE_BYTES)
            .build()?;
        Ok(cell.get_or_init(|| regex))
    }
}

impl Matcher {
    /// Where the first match in `line` begins at the earliest, or `None` when there is none.
    ///
    /// The backtracking engine counts each start it tries as a step, so in a long line it would run
    /// out of them before it comes to the match. A match always begins where the finder matches too.
    fn head_start(&self, line: &[u8]) -> Option<usize> {
        if line.len() < LONG_LINE_BYTES {
            return Some(0);
        }
        match &self.finder {
            Finder::Text(finder) => finder.find(line),
            Finder::Regex(regex) => Some(regex.find(line).ok().flatten()?.start()),
        }
    }
}

fn too_large() -> String {
    "Regular expression too large".to_owned()
}

/// Why the backtracking engine refused a pattern that JavaScript takes.
fn refusal(fault: &fancy_regex::Error) -> String {
    let reason = match fault {
        fancy_regex::Error::CompileError(inner) => match **inner {
            CompileError::InnerError(_)
            | CompileError::DfaBuildError(..)
            | CompileError::PatternTooComplex => return too_large(),
            CompileError::LookBehindNotConst => {
                "look-behind of varying length does not go with a back-reference inside"
            }
            _ => "look-around or back-reference of a kind that is not supported",
        },
        _ => "look-around or back-reference of a kind that is not supported",
    };
    reason.to_owned()
}

#[cfg(test)]
mod tests;
