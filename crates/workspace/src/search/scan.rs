//! Searching one file: reads it in pieces, finds the lines, cuts and numbers them.
//!
//! Memory is bounded by the buffer, whatever the file: a line longer than the buffer is searched in
//! overlapping pieces. Which files are searched, and in what order, is `order`'s.

use std::io::{self, Cursor, Read};

use memchr::{memchr, memchr_iter, memrchr};

use super::lines::{Context, Line, Lines};
use crate::limits::{LINE_CHARS, SNIFF_BYTES};
use crate::matcher::Matcher;
use crate::text::{self, Encoding, Form, Utf8Stream};

/// Bytes read at first: most files are smaller, and binary ones are known by their beginning.
const FIRST_BYTES: usize = 64 * 1024;
/// Bytes of a large file held at a time.
const PIECE_BYTES: usize = 1024 * 1024;
/// Bytes of a line that is searched as a whole.
const WHOLE_LINE_BYTES: usize = 2 * 1024 * 1024;
/// Bytes that two pieces of a longer line have in common, so that no shorter match is missed.
const OVERLAP_BYTES: usize = 64 * 1024;

/// What to look for in each file, and how much to keep of it.
#[derive(Debug)]
pub(crate) struct Rules<'a> {
    pub(crate) matcher: &'a Matcher,
    pub(crate) context: u64,
    pub(crate) files_only: bool,
    pub(crate) max_results: usize,
    pub(crate) max_bytes: usize,
}

/// What a file turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// Text, searched.
    Text,
    /// Binary, not searched.
    Binary,
    /// Could not be read.
    Unreadable,
}

/// What was found in one file.
#[derive(Debug)]
pub(super) struct Scanned {
    pub(super) outcome: Outcome,
    pub(super) lines: Vec<Line>,
    pub(super) n_hits: usize,
    /// Bytes of text kept.
    pub(super) n_bytes: usize,
    /// Says whether parts of the file could not be decided: the pattern took too many steps on a
    /// line, or a line is too long for it.
    pub(super) gave_up: bool,
    /// Says whether the search ended before the file did, by the stop signal.
    pub(super) interrupted: bool,
}

/// How a scan goes on.
enum Flow {
    More,
    /// Enough was found.
    Full,
    /// The stop signal came.
    Stopped,
}

/// Searches files one after another with the same buffer.
#[derive(Debug, Default)]
pub(super) struct Scanner {
    buffer: Vec<u8>,
    /// The bytes of the buffer not looked at yet.
    start: usize,
    end: usize,
    /// Says whether the source has given all it has.
    ended: bool,
}

impl Scanner {
    /// Searches one file behind line `behind`; `len` is its expected size, 0 when not known.
    pub(super) fn scan(
        &mut self,
        source: &mut dyn Read,
        len: u64,
        behind: u64,
        rules: &Rules<'_>,
        stop: &dyn Fn() -> bool,
    ) -> Scanned {
        let mut scan = Scan {
            rules,
            stop,
            behind,
            lines: Lines::new(Context {
                n_lines: rules.context,
                behind,
            }),
            number: 1,
            n_hits: 0,
            gave_up: false,
        };
        let flow = self.run(source, len, &mut scan);
        let (outcome, interrupted) = match flow {
            Ok(Some(flow)) => (Outcome::Text, matches!(flow, Flow::Stopped)),
            Ok(None) => (Outcome::Binary, false),
            Err(_) => (Outcome::Unreadable, false),
        };
        let (lines, n_bytes) = scan.lines.finish();
        Scanned {
            outcome,
            lines,
            n_hits: scan.n_hits,
            n_bytes,
            gave_up: scan.gave_up,
            interrupted,
        }
    }

    /// Looks at the beginning, then searches; `None` for a binary file.
    fn run(
        &mut self,
        source: &mut dyn Read,
        len: u64,
        scan: &mut Scan<'_>,
    ) -> io::Result<Option<Flow>> {
        if self.buffer.len() < FIRST_BYTES {
            self.buffer.resize(FIRST_BYTES, 0);
        }
        (self.start, self.end, self.ended) = (0, 0, false);
        self.fill(source, FIRST_BYTES, len)?;
        let head = self.unread();
        if text::is_binary(head.get(..SNIFF_BYTES).unwrap_or(head)) {
            return Ok(None);
        }
        let form = Form::of_head(head);
        self.start = form.bom_len.min(self.end);
        match form.encoding {
            Encoding::Utf8 | Encoding::Bytes => self.search(source, scan).map(Some),
            Encoding::Utf16Le | Encoding::Utf16Be => {
                let head = Cursor::new(self.unread().to_vec());
                let mut decoded = Utf8Stream::new(head.chain(source), form.encoding);
                (self.start, self.end, self.ended) = (0, 0, false);
                self.search(&mut decoded, scan).map(Some)
            }
        }
    }

    fn search(&mut self, source: &mut dyn Read, scan: &mut Scan<'_>) -> io::Result<Flow> {
        loop {
            let unread = self.unread();
            let whole = if self.ended {
                Some(unread.len())
            } else {
                memrchr(b'\n', unread).map(|at| at + 1)
            };
            if let Some(n_whole) = whole {
                let region = unread.get(..n_whole).unwrap_or_default();
                match scan.region(region, self.ended) {
                    Flow::More if !self.ended => {}
                    flow => return Ok(flow),
                }
                self.start += n_whole;
            } else if unread.len() >= WHOLE_LINE_BYTES {
                match self.long_line(source, scan)? {
                    Flow::More => continue,
                    flow => return Ok(flow),
                }
            }
            if (scan.stop)() {
                return Ok(Flow::Stopped);
            }
            self.make_room();
            self.fill(source, usize::MAX, 0)?;
        }
    }

    fn unread(&self) -> &[u8] {
        self.buffer.get(self.start..self.end).unwrap_or_default()
    }

    /// Moves what is left to the front, and grows the buffer when a line fills it.
    fn make_room(&mut self) {
        self.buffer.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        let n_wanted = if self.end < PIECE_BYTES / 2 {
            PIECE_BYTES
        } else {
            WHOLE_LINE_BYTES
        };
        if self.buffer.len() < n_wanted {
            self.buffer.resize(n_wanted, 0);
        }
    }

    /// Reads until the buffer holds `most` bytes or is full, or the source ends; `len` bytes are
    /// all there is, if not 0.
    fn fill(&mut self, source: &mut dyn Read, most: usize, len: u64) -> io::Result<()> {
        while !self.ended {
            let most = most.min(self.buffer.len());
            let Some(room) = self
                .buffer
                .get_mut(self.end..most)
                .filter(|room| !room.is_empty())
            else {
                return Ok(());
            };
            match source.read(room) {
                Ok(0) => self.ended = true,
                Ok(n_read) => {
                    self.end += n_read;
                    self.ended = len > 0 && self.end as u64 == len;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Searches a line that fills the buffer, piece by piece, and reads on to its end.
    fn long_line(&mut self, source: &mut dyn Read, scan: &mut Scan<'_>) -> io::Result<Flow> {
        let matcher = scan.rules.matcher;
        let mut shown: Option<String> = None;
        let mut n_chars = 0;
        let mut first = true;
        // Bytes at the start of the buffer that the piece before has counted.
        let mut n_known = 0;
        let decidable = !matcher.is_backtracking();
        loop {
            let unread = self.unread();
            let fresh = unread.get(n_known..).unwrap_or_default();
            let line_end = memchr(b'\n', fresh).map(|at| n_known + at);
            let is_last = line_end.is_some() || self.ended;
            let piece = unread
                .get(..line_end.unwrap_or(unread.len()))
                .unwrap_or_default();
            n_chars += count_chars(piece.get(n_known..).unwrap_or_default());
            if shown.is_none() && decidable && scan.number > scan.behind {
                let piece = if is_last { bare(piece) } else { piece };
                let found = matcher
                    .find_from(piece, usize::from(!first))
                    .filter(|found| is_last || found.end < piece.len());
                shown = found.map(|found| {
                    let from = found.start.saturating_sub(4 * LINE_CHARS);
                    let to = piece.len().min(found.start + 4 * LINE_CHARS);
                    let near = String::from_utf8_lossy(piece.get(from..to).unwrap_or_default());
                    let place = found.start - from..found.end - from;
                    let cut = text::cut_around(&near, place, LINE_CHARS);
                    cut.map_or_else(|| near.into_owned(), |cut| cut.text)
                });
            }
            if is_last || (scan.stop)() {
                self.start += line_end.map_or(unread.len(), |end| end + 1);
                scan.long_line(shown, n_chars, decidable);
                return Ok(if !is_last {
                    Flow::Stopped
                } else if scan.is_full() || (line_end.is_none() && self.ended) {
                    Flow::Full
                } else {
                    Flow::More
                });
            }
            self.start = self.end - OVERLAP_BYTES.min(self.end - self.start);
            self.make_room();
            n_known = self.end;
            first = false;
            self.fill(source, usize::MAX, 0)?;
        }
    }
}

/// The search of one file, as far as it has come.
struct Scan<'a> {
    rules: &'a Rules<'a>,
    stop: &'a dyn Fn() -> bool,
    /// Lines up to this one are passed over.
    behind: u64,
    lines: Lines,
    /// The number of the next line to be looked at.
    number: u64,
    n_hits: usize,
    gave_up: bool,
}

impl Scan<'_> {
    fn is_full(&self) -> bool {
        (self.rules.files_only && self.n_hits > 0)
            || self.n_hits >= self.rules.max_results
            || self.lines.n_bytes() >= self.rules.max_bytes
    }

    /// Searches whole lines. `is_last` says that the file ends here, so what follows the last line
    /// feed, even if nothing, is a line too.
    fn region(&mut self, region: &[u8], is_last: bool) -> Flow {
        if self.rules.matcher.sees_replacement() && std::str::from_utf8(region).is_err() {
            let replaced = String::from_utf8_lossy(region);
            return self.text(replaced.as_bytes(), is_last);
        }
        self.text(region, is_last)
    }

    fn text(&mut self, text: &[u8], is_last: bool) -> Flow {
        let matcher = self.rules.matcher;
        self.lines.begin(self.number);
        let mut from = 0;
        // Where the line `self.number` begins.
        let mut numbered = 0;
        if self.number <= self.behind {
            let n_passed = usize::try_from(self.behind - self.number).unwrap_or(usize::MAX);
            if let Some(at) = memchr_iter(b'\n', text).nth(n_passed) {
                from = at + 1;
                numbered = from;
                self.number = self.behind + 1;
            } else {
                from = text.len() + 1;
            }
        }
        while let Some(mut found) = text.get(from..).and_then(|rest| matcher.candidate(rest)) {
            if (self.stop)() {
                return Flow::Stopped;
            }
            found.offset += from;
            let (before, behind) = text.split_at(found.offset);
            let begin = memrchr(b'\n', before).map_or(0, |at| at + 1);
            let end = memchr(b'\n', behind).map_or(text.len(), |at| found.offset + at);
            if begin == text.len() && !is_last {
                break;
            }
            from = end + 1;
            let whole = text.get(begin..end).unwrap_or_default();
            let line = bare(whole);
            match matcher.confirm(found, line, line.len() < whole.len()) {
                Ok(false) => continue,
                Ok(true) => {}
                Err(_) => {
                    self.gave_up = true;
                    continue;
                }
            }
            self.n_hits += 1;
            if self.rules.files_only {
                return Flow::Full;
            }
            let passed = text.get(numbered..begin).unwrap_or_default();
            self.number += memchr_iter(b'\n', passed).count() as u64;
            numbered = begin;
            self.lines.hit(text, begin, self.number, matcher);
            if self.is_full() {
                self.lines.trail(text, text.len());
                return Flow::Full;
            }
        }
        if !is_last {
            self.lines.trail(text, text.len());
            let passed = text.get(numbered..).unwrap_or_default();
            self.number += memchr_iter(b'\n', passed).count() as u64;
            self.lines.end(text, self.number);
        } else {
            self.lines.trail(text, text.len());
        }
        Flow::More
    }

    /// Takes note of a line that was searched in pieces.
    fn long_line(&mut self, shown: Option<String>, n_chars: usize, decidable: bool) {
        if let Some(text) = shown {
            self.n_hits += 1;
            if !self.rules.files_only {
                self.lines.long_hit(self.number, text, n_chars);
            }
        } else if self.number > self.behind && !(decidable && self.rules.matcher.is_text()) {
            self.gave_up = true;
        }
        self.number += 1;
    }
}

/// A line without the carriage return of its line end.
pub(super) fn bare(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// Counts the bytes that begin a character.
fn count_chars(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte & 0xc0 != 0x80).count()
}
