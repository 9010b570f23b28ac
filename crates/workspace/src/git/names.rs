//! Names as git writes them: plain, or in quotes with C escapes.

/// Which names go in quotes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Quoting {
    /// Escape bytes outside ASCII (`core.quotePath`).
    pub high_bytes: bool,
}

impl Quoting {
    /// A name as `git status` writes it: names with a space go in quotes too.
    pub(super) fn quote(self, name: &[u8]) -> String {
        let needs = |&byte: &u8| {
            byte < 0x20
                || byte == 0x7f
                || matches!(byte, b'"' | b'\\')
                || byte >= 0x80 && self.high_bytes
        };
        let text = std::str::from_utf8(name).ok();
        // A name that would hide in the line is escaped, whatever the setting.
        let hides = text.is_none_or(|text| text.chars().any(rooted::is_hidden));
        if let Some(text) = text
            && !hides
            && !name.iter().any(needs)
        {
            return if name.contains(&b' ') {
                format!("\"{text}\"")
            } else {
                text.to_owned()
            };
        }
        let quoting = Self {
            high_bytes: self.high_bytes || hides,
        };
        format!("\"{}\"", quoting.escape(name))
    }

    pub(super) fn escape(self, name: &[u8]) -> String {
        let mut out = Vec::with_capacity(name.len() + 8);
        for &byte in name {
            let letter = match byte {
                0x07 => b'a',
                0x08 => b'b',
                b'\t' => b't',
                b'\n' => b'n',
                0x0b => b'v',
                0x0c => b'f',
                b'\r' => b'r',
                b'"' | b'\\' => byte,
                _ if byte < 0x20 || byte == 0x7f || byte >= 0x80 && self.high_bytes => {
                    out.extend_from_slice(format!("\\{byte:03o}").as_bytes());
                    continue;
                }
                _ => {
                    out.push(byte);
                    continue;
                }
            };
            out.extend_from_slice(&[b'\\', letter]);
        }
        String::from_utf8_lossy(&out).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::Quoting;

    #[test]
    fn names_are_quoted_as_git_does() {
        let quoting = Quoting { high_bytes: true };
        let quote = |name: &str| quoting.quote(name.as_bytes());
        assert_eq!(quote("plain-1.txt"), "plain-1.txt");
        assert_eq!(quote("a b"), "\"a b\"");
        assert_eq!(quote("a\"b\\c"), "\"a\\\"b\\\\c\"");
        assert_eq!(quote("a\nb\x01"), "\"a\\nb\\001\"");
        assert_eq!(quote("é"), "\"\\303\\251\"");
        assert_eq!(quoting.quote(b"\xff"), "\"\\377\"");
    }

    #[test]
    fn names_in_other_scripts_stay_when_asked_for_and_when_they_do_not_hide() {
        let quoting = Quoting { high_bytes: false };
        assert_eq!(quoting.quote("é".as_bytes()), "é");
        assert_eq!(quoting.quote("é x".as_bytes()), "\"é x\"");
        let hidden = "a\u{202e}b";
        assert_eq!(quoting.quote(hidden.as_bytes()), "\"a\\342\\200\\256b\"");
    }
}
