//! How names are shown: one line, nothing invisible, and back again.

use std::fmt::{self, Write as _};

/// Says whether a character would hide in, or break out of, a line of text.
///
/// Controls, line separators, and the invisible ones of Unicode: direction marks, zero-width
/// characters and tags (Unicode Technical Report 36, section 3, lists why they mislead).
#[must_use]
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{ad}'
                | '\u{61c}'
                | '\u{180e}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e007f}'
        )
}

/// Shows a name or command line in one line: `\n`, `\t`, `\r`, `\u{1b}`, and `\xff` for a byte that is not UTF-8.
///
/// A backslash that is part of the name stays as it is; [`unshow`] is tried only where the literal
/// reading names nothing.
#[must_use]
pub fn show(bytes: &[u8]) -> String {
    Shown(bytes).to_string()
}

/// Displays bytes as [`show`] does, without making a string.
pub(crate) struct Shown<'a>(pub &'a [u8]);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Nearly all names are plain, and long listings are made of them.
        if self.0.iter().all(|byte| matches!(byte, b' '..=b'~'))
            && let Ok(plain) = std::str::from_utf8(self.0)
        {
            return f.write_str(plain);
        }
        for chunk in self.0.utf8_chunks() {
            for c in chunk.valid().chars() {
                match c {
                    '\n' => f.write_str("\\n")?,
                    '\r' => f.write_str("\\r")?,
                    '\t' => f.write_str("\\t")?,
                    c if is_hidden(c) => write!(f, "\\u{{{:x}}}", u32::from(c))?,
                    c => f.write_char(c)?,
                }
            }
            for byte in chunk.invalid() {
                write!(f, "\\x{byte:02x}")?;
            }
        }
        Ok(())
    }
}

/// Reads a name as [`show`] writes it; `None` when nothing in it is escaped.
#[must_use]
pub fn unshow(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    let mut escaped = false;
    while let Some(at) = rest.find('\\') {
        let (before, from) = rest.split_at(at);
        bytes.extend_from_slice(before.as_bytes());
        let (decoded, used) = escape(from)?;
        match decoded {
            Some(Escape::Char(c)) => {
                bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                escaped = true;
            }
            Some(Escape::Byte(byte)) => {
                bytes.push(byte);
                escaped = true;
            }
            None => bytes.push(b'\\'),
        }
        rest = from.split_at(used).1;
    }
    bytes.extend_from_slice(rest.as_bytes());
    escaped.then_some(bytes)
}

enum Escape {
    Char(char),
    Byte(u8),
}

/// Decodes one escape at the start of `from` (which begins with a backslash) and tells its length.
fn escape(from: &str) -> Option<(Option<Escape>, usize)> {
    let simple = |c| Some((Some(Escape::Char(c)), 2));
    let mut chars = from.chars();
    chars.next()?;
    match chars.next() {
        Some('n') => simple('\n'),
        Some('r') => simple('\r'),
        Some('t') => simple('\t'),
        Some('x') => {
            let digits = from
                .get(2..4)
                .and_then(|hex| u8::from_str_radix(hex, 16).ok());
            Some(match digits {
                Some(byte) if byte >= 0x80 => (Some(Escape::Byte(byte)), 4),
                _ => (None, 1),
            })
        }
        Some('u') => {
            let body = from.get(2..).and_then(|rest| rest.strip_prefix('{'));
            let hex = body
                .and_then(|body| body.split_once('}'))
                .map(|(hex, _)| hex);
            let c = hex
                .and_then(|hex| u32::from_str_radix(hex, 16).ok())
                .and_then(char::from_u32);
            Some(match (hex, c) {
                (Some(hex), Some(c)) if is_hidden(c) => (Some(Escape::Char(c)), hex.len() + 4),
                _ => (None, 1),
            })
        }
        _ => Some((None, 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::{show, unshow};

    #[test]
    fn shows_hidden_characters_and_bad_bytes_as_escapes() {
        assert_eq!(show(b"a\tb\nc\x1b\xff"), "a\\tb\\nc\\u{1b}\\xff");
        assert_eq!(
            show("x\u{202e}y\u{200b}".as_bytes()),
            "x\\u{202e}y\\u{200b}"
        );
        assert_eq!(show("Café 🙂 \\n".as_bytes()), "Café 🙂 \\n");
    }

    #[test]
    fn reads_back_what_it_showed() {
        for name in [
            &b"new\nline"[..],
            b"\xffx",
            "a\u{202e}b".as_bytes(),
            b"tab\there",
        ] {
            assert_eq!(unshow(&show(name)).as_deref(), Some(name));
        }
        assert_eq!(unshow("plain"), None);
        assert_eq!(unshow("a\\b\\u{41}\\x41"), None);
    }
}
