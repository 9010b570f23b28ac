//! Configuration files of git, read as git reads them: sections, keys and values, in order.
//!
//! Takes bytes and gives entries; it opens nothing and follows no include.

/// One setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// The section, lower case.
    pub section: String,
    /// The subsection as it is written; branch and remote names are bytes.
    pub subsection: Option<Vec<u8>>,
    /// The key, lower case.
    pub key: String,
    /// The value; `None` for a key alone, which means true.
    pub value: Option<Vec<u8>>,
}

impl Entry {
    /// Says whether this is the setting `section.key` (no subsection).
    pub(crate) fn is(&self, section: &str, key: &str) -> bool {
        self.section == section && self.key == key && self.subsection.is_none()
    }

    /// The value as a text, when it is one.
    pub(crate) fn text(&self) -> Option<&str> {
        std::str::from_utf8(self.value.as_deref()?).ok()
    }

    /// The value as git reads truth; `None` when it is neither.
    pub(crate) fn truth(&self) -> Option<bool> {
        let Some(value) = &self.value else {
            return Some(true);
        };
        match &*value.to_ascii_lowercase() {
            b"true" | b"yes" | b"on" | b"1" => Some(true),
            b"" | b"false" | b"no" | b"off" | b"0" => Some(false),
            _ => None,
        }
    }

    /// Writes the setting so that git reads back just this.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        out.push(b'[');
        out.extend_from_slice(self.section.as_bytes());
        if let Some(subsection) = &self.subsection {
            out.extend_from_slice(b" \"");
            for &byte in subsection {
                if matches!(byte, b'"' | b'\\') {
                    out.push(b'\\');
                }
                out.push(byte);
            }
            out.push(b'"');
        }
        out.extend_from_slice(b"]\n\t");
        out.extend_from_slice(self.key.as_bytes());
        if let Some(value) = &self.value {
            out.extend_from_slice(b" = \"");
            for &byte in value {
                match byte {
                    b'"' => out.extend_from_slice(b"\\\""),
                    b'\\' => out.extend_from_slice(b"\\\\"),
                    b'\n' => out.extend_from_slice(b"\\n"),
                    b'\t' => out.extend_from_slice(b"\\t"),
                    b'\x08' => out.extend_from_slice(b"\\b"),
                    other => out.push(other),
                }
            }
            out.push(b'"');
        }
        out.push(b'\n');
    }
}

/// Reads a configuration file.
///
/// # Errors
/// The number of the line that git would refuse.
pub(crate) fn parse(bytes: &[u8]) -> Result<Vec<Entry>, usize> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut cursor = Cursor {
        bytes,
        at: 0,
        line: 1,
    };
    let mut entries = Vec::new();
    let mut header: Option<(String, Option<Vec<u8>>)> = None;
    loop {
        match cursor.next() {
            None => return Ok(entries),
            Some(b'\n' | b' ' | b'\t' | b'\r' | b'\x0b' | b'\x0c') => {}
            Some(b'#' | b';') => cursor.skip_line(),
            Some(b'[') => header = Some(cursor.header().ok_or(cursor.line)?),
            Some(byte) if byte.is_ascii_alphabetic() => {
                let line = cursor.line;
                let (section, subsection) = header.clone().ok_or(line)?;
                let key = cursor.key(byte);
                let value = cursor.value().ok_or(line)?;
                entries.push(Entry {
                    section,
                    subsection,
                    key,
                    value,
                });
            }
            Some(_) => return Err(cursor.line),
        }
    }
}

struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
    line: usize,
}

impl Cursor<'_> {
    /// The next byte; a line ended by CR LF ends in LF.
    fn next(&mut self) -> Option<u8> {
        let mut byte = *self.bytes.get(self.at)?;
        self.at += 1;
        if byte == b'\r' && self.bytes.get(self.at) == Some(&b'\n') {
            self.at += 1;
            byte = b'\n';
        }
        if byte == b'\n' {
            self.line += 1;
        }
        Some(byte)
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip_line(&mut self) {
        while let Some(byte) = self.next() {
            if byte == b'\n' {
                return;
            }
        }
    }

    /// What follows `[`: `section]`, `section "subsection"]`, or the old `section.subsection]`.
    fn header(&mut self) -> Option<(String, Option<Vec<u8>>)> {
        let mut name = String::new();
        loop {
            match self.next()? {
                b']' => break,
                b' ' | b'\t' => return Some((name, Some(self.subsection()?))),
                byte if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.') => {
                    name.push(char::from(byte.to_ascii_lowercase()));
                }
                _ => return None,
            }
        }
        match name.split_once('.') {
            Some((section, rest)) => Some((section.to_owned(), Some(rest.as_bytes().to_vec()))),
            None => Some((name, None)),
        }
    }

    fn subsection(&mut self) -> Option<Vec<u8>> {
        loop {
            match self.next()? {
                b' ' | b'\t' => {}
                b'"' => break,
                _ => return None,
            }
        }
        let mut name = Vec::new();
        loop {
            match self.next()? {
                b'\n' => return None,
                b'"' => break,
                b'\\' => match self.next()? {
                    b'\n' => return None,
                    byte => name.push(byte),
                },
                byte => name.push(byte),
            }
        }
        (self.next()? == b']').then_some(name)
    }

    fn key(&mut self, first: u8) -> String {
        let mut key = String::from(char::from(first.to_ascii_lowercase()));
        while let Some(byte) = self.peek() {
            if !byte.is_ascii_alphanumeric() && byte != b'-' {
                break;
            }
            key.push(char::from(byte.to_ascii_lowercase()));
            self.at += 1;
        }
        key
    }

    /// What follows a key. The outer `None` is a fault, the inner one a key alone.
    fn value(&mut self) -> Option<Option<Vec<u8>>> {
        loop {
            match self.next() {
                None | Some(b'\n') => return Some(None),
                Some(b' ' | b'\t') => {}
                Some(b'=') => break,
                Some(b'#' | b';') => {
                    self.skip_line();
                    return Some(None);
                }
                Some(_) => return None,
            }
        }
        let mut value = Vec::new();
        // The length up to the last byte that is not blank, or was in quotes.
        let mut solid = 0;
        let mut quoted = false;
        loop {
            match self.next() {
                None | Some(b'\n') if quoted => return None,
                None | Some(b'\n') => break,
                Some(b' ' | b'\t' | b'\r' | b'\x0b' | b'\x0c') if !quoted && value.is_empty() => {}
                Some(byte @ (b' ' | b'\t' | b'\r' | b'\x0b' | b'\x0c')) if !quoted => {
                    value.push(byte);
                }
                Some(b'#' | b';') if !quoted => {
                    self.skip_line();
                    break;
                }
                Some(b'"') => {
                    quoted = !quoted;
                    solid = value.len();
                }
                Some(b'\\') => {
                    match self.next()? {
                        b'\n' => continue,
                        b'n' => value.push(b'\n'),
                        b't' => value.push(b'\t'),
                        b'b' => value.push(b'\x08'),
                        byte @ (b'"' | b'\\') => value.push(byte),
                        _ => return None,
                    }
                    solid = value.len();
                }
                Some(byte) => {
                    value.push(byte);
                    solid = value.len();
                }
            }
        }
        value.truncate(solid);
        Some(Some(value))
    }
}
