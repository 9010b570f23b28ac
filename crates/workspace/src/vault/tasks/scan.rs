//! Where the values of a JSON text are.
//!
//! Goes over text that is known to be valid JSON, and is total all the same: on any other text it
//! gives up. Nothing is decoded and nothing recurses.

use std::ops::Range;

/// A place in a JSON text.
#[derive(Debug)]
pub(super) struct Scanner<'a> {
    text: &'a [u8],
    at: usize,
}

/// A member of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Member {
    /// Where its key is, with the quotes.
    pub(super) key: Range<usize>,
    /// Where its value is.
    pub(super) value: Range<usize>,
}

impl<'a> Scanner<'a> {
    /// Begins at an offset in bytes.
    pub(super) fn new(text: &'a str, at: usize) -> Self {
        let text = text.as_bytes();
        Self { text, at }
    }

    /// The next byte that is no blank.
    pub(super) fn peek(&mut self) -> Option<u8> {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.text.get(self.at) {
            self.at += 1;
        }
        self.text.get(self.at).copied()
    }

    /// Where the value that begins next is.
    pub(super) fn value(&mut self) -> Option<Range<usize>> {
        let first = self.peek()?;
        let start = self.at;
        match first {
            b'"' => self.string()?,
            b'{' | b'[' => self.nested()?,
            _ => {
                while let Some(byte) = self.text.get(self.at) {
                    if matches!(byte, b',' | b'}' | b']' | b' ' | b'\t' | b'\n' | b'\r') {
                        break;
                    }
                    self.at += 1;
                }
            }
        }
        (self.at > start).then_some(start..self.at)
    }

    /// The values of the list that begins next.
    pub(super) fn list(&mut self) -> Option<Vec<Range<usize>>> {
        self.take(b'[')?;
        let mut items = Vec::new();
        while self.peek()? != b']' {
            items.push(self.value()?);
            if self.peek()? == b',' {
                self.at += 1;
            }
        }
        self.at += 1;
        Some(items)
    }

    /// The members of the object that begins next.
    pub(super) fn object(&mut self) -> Option<Vec<Member>> {
        self.take(b'{')?;
        let mut members = Vec::new();
        while self.peek()? != b'}' {
            let key = self.value()?;
            self.take(b':')?;
            let value = self.value()?;
            members.push(Member { key, value });
            if self.peek()? == b',' {
                self.at += 1;
            }
        }
        self.at += 1;
        Some(members)
    }

    fn take(&mut self, wanted: u8) -> Option<()> {
        (self.peek()? == wanted).then(|| self.at += 1)
    }

    fn string(&mut self) -> Option<()> {
        self.at += 1;
        loop {
            match self.text.get(self.at)? {
                b'"' => {
                    self.at += 1;
                    return Some(());
                }
                b'\\' => self.at += 2,
                _ => self.at += 1,
            }
        }
    }

    fn nested(&mut self) -> Option<()> {
        let mut depth = 0_usize;
        loop {
            match self.text.get(self.at)? {
                b'"' => {
                    self.string()?;
                    continue;
                }
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth = depth.checked_sub(1)?,
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                return Some(());
            }
        }
    }
}
