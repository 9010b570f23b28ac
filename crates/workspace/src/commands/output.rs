//! From what a command writes to text for a reader who has no terminal.
//!
//! Escape sequences go, a line that was written over shows its last state, and what cannot be shown
//! as it is, is marked. Memory is bounded whatever comes.

use std::fmt::Write as _;

use crate::limits::OUTPUT_LINE_BYTES;
use crate::process::Ends;

/// Takes bytes as they come, in pieces of any size, and hands on clean text.
#[derive(Debug, Default)]
pub struct Cleaner {
    state: State,
    /// Bytes of a character that is not whole yet.
    partial: Vec<u8>,
    /// The line so far, since a `\r` may take it back.
    line: String,
    /// The line is longer than what is kept; what was handed on cannot be taken back.
    line_went_on: bool,
    /// A `\r` came; what follows decides what it means.
    returned: bool,
    n_invalid: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Text,
    /// After an ESC.
    Escape,
    /// After an ESC and characters between space and `/`.
    Charset,
    /// In a control sequence, which a letter ends.
    Control,
    /// In a string for the terminal.
    Command {
        /// A window title and the like, which a BEL or the end of the line ends too.
        short: bool,
        /// An ESC came, which may begin the end.
        ending: bool,
    },
}

impl Cleaner {
    /// Takes the next bytes.
    pub fn push(&mut self, bytes: &[u8], sink: &mut dyn FnMut(&str)) {
        let mut joined;
        let mut rest = if self.partial.is_empty() {
            bytes
        } else {
            joined = std::mem::take(&mut self.partial);
            joined.extend_from_slice(bytes);
            joined.as_slice()
        };
        loop {
            match std::str::from_utf8(rest) {
                Ok(text) => return self.text(text, sink),
                Err(error) => {
                    let (valid, invalid) = rest.split_at(error.valid_up_to());
                    self.text(std::str::from_utf8(valid).unwrap_or_default(), sink);
                    let Some(n) = error.error_len() else {
                        self.partial = invalid.to_vec();
                        return;
                    };
                    self.invalid(n, sink);
                    rest = invalid.get(n..).unwrap_or_default();
                }
            }
        }
    }

    /// There is nothing more. Gives the number of bytes that were no text.
    pub fn finish(&mut self, sink: &mut dyn FnMut(&str)) -> u64 {
        let n = self.partial.len();
        if n > 0 {
            self.partial.clear();
            self.invalid(n, sink);
        }
        sink(&self.line);
        self.line.clear();
        self.n_invalid
    }

    /// The line that is being written, as it stands.
    #[must_use]
    pub fn line(&self) -> &str {
        &self.line
    }

    fn invalid(&mut self, n_bytes: usize, sink: &mut dyn FnMut(&str)) {
        self.n_invalid += n_bytes as u64;
        if matches!(self.state, State::Text) {
            self.plain("\u{fffd}", sink);
        }
    }

    fn text(&mut self, text: &str, sink: &mut dyn FnMut(&str)) {
        let mut special = Special::default();
        let mut at = 0;
        while at < text.len() {
            if self.state == State::Text {
                let end = special.next(text.as_bytes(), at);
                // What was found begins a character.
                self.lines(text.get(at..end).unwrap_or_default(), sink);
                at = end;
            }
            let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) else {
                return;
            };
            if self.one(c, sink) {
                at += c.len_utf8();
            }
        }
    }

    /// Takes text with nothing special in it but the ends of lines.
    fn lines(&mut self, text: &str, sink: &mut dyn FnMut(&str)) {
        let bytes = text.as_bytes();
        let ends = memchr::memchr(b'\n', bytes).zip(memchr::memrchr(b'\n', bytes));
        let Some((first, last)) = ends else {
            return self.plain(text, sink);
        };
        self.plain(text.get(..first).unwrap_or_default(), sink);
        self.special('\n', sink);
        if let Some(whole) = text.get(first + 1..=last)
            && !whole.is_empty()
        {
            sink(whole);
        }
        self.plain(text.get(last + 1..).unwrap_or_default(), sink);
    }

    /// Takes a character; says whether it is done with.
    fn one(&mut self, c: char, sink: &mut dyn FnMut(&str)) -> bool {
        // CAN and SUB break off anything.
        if self.state != State::Text && matches!(c, '\x18' | '\x1a') {
            self.state = State::Text;
            return true;
        }
        self.state = match (self.state, c) {
            (State::Text, '\x1b') => State::Escape,
            (State::Text, _) => {
                self.special(c, sink);
                State::Text
            }
            (State::Escape, '[') => State::Control,
            (State::Escape, ']') => State::Command {
                short: true,
                ending: false,
            },
            (State::Escape, 'P' | 'X' | '^' | '_') => State::Command {
                short: false,
                ending: false,
            },
            (State::Escape | State::Charset, ' '..='/') => State::Charset,
            (State::Escape | State::Charset, '0'..='~') => State::Text,
            (State::Control, ' '..='?') => State::Control,
            (State::Control, '@'..='~') => State::Text,
            (State::Escape, '\x1b') => State::Escape,
            (State::Escape | State::Charset | State::Control, _) => {
                // It was no sequence, or a broken one.
                self.state = State::Text;
                return false;
            }
            (State::Command { short, ending }, _) => match c {
                '\\' if ending => State::Text,
                '\x07' if short => State::Text,
                '\u{9c}' => State::Text,
                '\n' if short => {
                    self.state = State::Text;
                    return false;
                }
                '\x1b' => State::Command {
                    short,
                    ending: true,
                },
                _ if ending => {
                    // Another sequence began within: the string is over.
                    self.state = State::Escape;
                    return false;
                }
                _ => State::Command {
                    short,
                    ending: false,
                },
            },
        };
        true
    }

    fn special(&mut self, c: char, sink: &mut dyn FnMut(&str)) {
        match c {
            '\n' => {
                self.returned = false;
                self.line.push('\n');
                self.hand_on(sink);
                self.line_went_on = false;
            }
            '\r' => self.returned = true,
            '\x08' => {
                self.line.pop();
            }
            c if is_hidden(c) => {
                let mut shown = String::new();
                // A String takes every write.
                let _ = write!(shown, "{}", c.escape_unicode());
                self.plain(&shown, sink);
            }
            c => self.plain(c.encode_utf8(&mut [0; 4]), sink),
        }
    }

    fn plain(&mut self, text: &str, sink: &mut dyn FnMut(&str)) {
        if text.is_empty() {
            return;
        }
        if std::mem::take(&mut self.returned) {
            if self.line_went_on {
                self.line.push('\n');
                self.hand_on(sink);
                self.line_went_on = false;
            }
            self.line.clear();
        }
        self.line.push_str(text);
        if self.line.len() > OUTPUT_LINE_BYTES {
            self.hand_on(sink);
            self.line_went_on = true;
        }
    }

    fn hand_on(&mut self, sink: &mut dyn FnMut(&str)) {
        sink(&self.line);
        self.line.clear();
    }
}

/// Finds the bytes that may begin a character that is not shown as it is. Each kind is looked for
/// once only, however often the other comes.
#[derive(Debug, Default)]
struct Special {
    control: Option<usize>,
    wide: Option<usize>,
}

impl Special {
    /// The next one at `at` or behind, else the end.
    fn next(&mut self, bytes: &[u8], at: usize) -> usize {
        let rest = bytes.get(at..).unwrap_or_default();
        let found = |place: Option<usize>| place.map_or(bytes.len(), |place| at + place);
        let control = self.control.filter(|&place| place >= at);
        let control = control.unwrap_or_else(|| found(memchr::memchr3(0x1b, b'\r', 0x08, rest)));
        let wide = self.wide.filter(|&place| place >= at);
        let wide = wide.unwrap_or_else(|| found(memchr::memchr3(0xc2, 0xd8, 0xe2, rest)));
        (self.control, self.wide) = (Some(control), Some(wide));
        control.min(wide)
    }
}

/// Says whether a character could change how others are shown.
fn is_hidden(c: char) -> bool {
    matches!(
        c,
        '\u{80}'..='\u{9f}'
            | '\u{61c}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}'
    )
}

/// The text of an output: whole, or both its ends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text {
    /// The text, or its beginning.
    pub head: String,
    /// What is between the beginning and the end, in bytes, and the end.
    pub cut: Option<(u64, String)>,
    /// Bytes that were no text.
    pub n_invalid: u64,
}

/// Keeps a bounded part of an output.
#[derive(Debug)]
pub struct Capture {
    cleaner: Cleaner,
    kept: Ends,
    max_end: usize,
}

impl Capture {
    /// Keeps up to `max_whole` bytes; of more than that, `max_end` from each end.
    #[must_use]
    pub fn new(max_whole: usize, max_end: usize) -> Self {
        Self {
            cleaner: Cleaner::default(),
            kept: Ends::new(max_whole, max_end),
            max_end,
        }
    }

    /// Takes the next bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        let Self { cleaner, kept, .. } = self;
        cleaner.push(bytes, &mut |text| kept.push(text.as_bytes()));
    }

    /// The line that is being written, as it stands.
    #[must_use]
    pub fn line(&self) -> &str {
        self.cleaner.line()
    }

    /// What was kept.
    #[must_use]
    pub fn finish(self) -> Text {
        let Self {
            mut cleaner,
            mut kept,
            max_end,
        } = self;
        let n_invalid = cleaner.finish(&mut |text| kept.push(text.as_bytes()));
        let total = kept.n_total();
        if kept.tail.is_empty() && kept.n_dropped == 0 {
            let text = String::from_utf8_lossy(&kept.head);
            return Text {
                head: text.trim_end_matches('\n').to_owned(),
                cut: None,
                n_invalid,
            };
        }
        let head = whole_chars(kept.head.get(..max_end).unwrap_or(&kept.head));
        let mut end: Vec<u8> = Vec::new();
        if kept.tail.len() < max_end {
            let n_more = max_end - kept.tail.len();
            let from = kept.head.len().saturating_sub(n_more).max(head.len());
            end.extend(kept.head.get(from..).unwrap_or_default());
        }
        end.extend(&kept.tail);
        let tail = from_char(&end);
        let n_cut = total - (head.len() + tail.len()) as u64;
        let tail = tail.trim_end_matches('\n').to_owned();
        Text {
            head: head.to_owned(),
            cut: Some((n_cut, tail)),
            n_invalid,
        }
    }
}

/// The characters at the beginning that are whole.
fn whole_chars(bytes: &[u8]) -> &str {
    match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let valid = bytes.get(..error.valid_up_to()).unwrap_or_default();
            std::str::from_utf8(valid).unwrap_or_default()
        }
    }
}

/// The text from the first byte that begins a character.
fn from_char(bytes: &[u8]) -> &str {
    let begins = |byte: &u8| byte & 0xc0 != 0x80;
    let start = bytes.iter().position(begins).unwrap_or(bytes.len());
    whole_chars(bytes.get(start..).unwrap_or_default())
}

/// Cleans a piece of an output that was kept as it was.
#[must_use]
pub fn clean(bytes: &[u8]) -> Text {
    let mut capture = Capture::new(usize::MAX, 0);
    capture.push(bytes);
    capture.finish()
}

#[cfg(test)]
mod tests;
