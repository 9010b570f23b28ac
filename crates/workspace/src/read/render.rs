//! Lines as they are shown: numbered, cut, and no more of them than fit.

use memchr::memchr;

use crate::limits::LINE_CHARS;
use crate::text::{cut_chars, lossy};

/// Stands at the end of a line that was cut.
const CUT: &str = "... (line truncated)";

/// Bytes of an unfinished line that are kept: more than the characters that are shown can take.
const KEPT_BYTES: usize = LINE_CHARS * 4 + 64;

/// Whether more lines are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fed {
    /// Yes.
    More,
    /// No; there is at least one further line.
    Full,
}

/// Takes text in chunks and makes numbered lines of it.
pub(super) struct Render {
    out: String,
    /// The number of the line that comes next.
    next: u64,
    shown: u64,
    limit: u64,
    max_bytes: usize,
    n_bytes: usize,
    n_invalid: u64,
    /// The beginning of a line whose end has not come yet.
    partial: Vec<u8>,
    /// Whether that line was longer than what is kept of it.
    overlong: bool,
    full: bool,
}

impl Render {
    pub(super) fn new(limit: u64, max_bytes: usize) -> Self {
        Self {
            out: String::new(),
            next: 1,
            shown: 0,
            limit,
            max_bytes,
            n_bytes: 0,
            n_invalid: 0,
            partial: Vec::new(),
            overlong: false,
            full: false,
        }
    }

    /// Sets the number of the first line that will be fed.
    pub(super) fn start(&mut self, first: u64) {
        self.next = first;
    }

    /// The number of the last line shown.
    pub(super) fn last(&self) -> u64 {
        self.next - 1
    }

    /// The text, and how many bytes of it could not be decoded.
    pub(super) fn finish(self) -> (String, u64) {
        (self.out, self.n_invalid)
    }

    /// Takes the next chunk of text.
    pub(super) fn feed(&mut self, chunk: &[u8]) -> Fed {
        let mut rest = chunk;
        while !rest.is_empty() {
            if self.full || self.shown == self.limit {
                return Fed::Full;
            }
            let Some(end) = memchr(b'\n', rest) else {
                self.keep(rest);
                break;
            };
            let (line, behind) = rest.split_at(end);
            rest = behind.get(1..).unwrap_or_default();
            if self.partial.is_empty() && !self.overlong {
                self.line(line);
            } else {
                self.keep(line);
                self.flush();
            }
        }
        if self.full { Fed::Full } else { Fed::More }
    }

    /// Says that the text is over.
    pub(super) fn end(&mut self) {
        if !self.partial.is_empty() && !self.full && self.shown < self.limit {
            self.flush();
        }
    }

    fn keep(&mut self, bytes: &[u8]) {
        let room = KEPT_BYTES.saturating_sub(self.partial.len());
        let kept = bytes.get(..room).unwrap_or(bytes);
        self.overlong |= kept.len() < bytes.len();
        self.partial.extend_from_slice(kept);
    }

    fn flush(&mut self) {
        let line = std::mem::take(&mut self.partial);
        self.line(&line);
        self.partial = line;
        self.partial.clear();
        self.overlong = false;
    }

    /// Takes the whole text at once, when it is known to be valid: checking it line by line costs
    /// more than all the rest.
    pub(super) fn feed_text(&mut self, text: &str) {
        self.out.reserve(
            text.len()
                .saturating_add(text.len() / 8)
                .min(self.max_bytes),
        );
        let mut rest = text;
        while !rest.is_empty() && !self.full && self.shown < self.limit {
            let end = memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len());
            // A line break is a character of its own, so both sides are text.
            let (line, behind) = rest.split_at(end);
            rest = behind.get(1..).unwrap_or_default();
            self.show(line.strip_suffix('\r').unwrap_or(line), 0);
        }
    }

    fn line(&mut self, line: &[u8]) {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        // Only the characters that are shown are decoded, whatever the length of the line.
        let decoded = lossy(line.get(..KEPT_BYTES).unwrap_or(line));
        self.show(&decoded.text, decoded.n_invalid);
    }

    /// Shows a line, or its beginning, of which so many bytes could not be decoded.
    fn show(&mut self, line: &str, n_invalid: u64) {
        let (text, cut) = match cut_chars(line, LINE_CHARS) {
            Some(text) => (text, true),
            None => (line, false),
        };
        let before = self.out.len();
        if self.shown > 0 {
            self.out.push('\n');
        }
        push_number(&mut self.out, self.next);
        self.out.push_str(": ");
        self.out.push_str(text);
        if cut {
            self.out.push_str(CUT);
        }
        // One byte for the line break, whether it goes in front or behind.
        let n_bytes = self.out.len() - before + usize::from(self.shown == 0);
        if self.shown > 0 && self.n_bytes + n_bytes > self.max_bytes {
            self.out.truncate(before);
            self.full = true;
            return;
        }
        self.n_invalid += match n_invalid {
            // Of a line that was cut only what is shown counts.
            1.. if cut => text.matches('\u{fffd}').count() as u64,
            n => n,
        };
        self.n_bytes += n_bytes;
        self.next += 1;
        self.shown += 1;
    }
}

/// Adds a number in decimal. There is one on each line, and the formatting machinery costs more than
/// the line does.
fn push_number(out: &mut String, number: u64) {
    let mut digits = [b'0'; 20];
    let mut at = digits.len();
    let mut rest = number;
    for digit in digits.iter_mut().rev() {
        // A remainder of ten fits a byte.
        *digit = b'0' + u8::try_from(rest % 10).unwrap_or(0);
        rest /= 10;
        at -= 1;
        if rest == 0 {
            break;
        }
    }
    out.extend(digits.iter().skip(at).map(|&digit| char::from(digit)));
}
