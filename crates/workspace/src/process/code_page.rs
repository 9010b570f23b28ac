//! Code pages: what bytes mean that a program writes to a console which is not UTF-8.

use encoding_rs::{BIG5, EUC_KR, Encoding, GB18030, GBK, SHIFT_JIS};

use super::os;

/// A code page.
#[derive(Clone, Debug)]
pub(crate) enum CodePage {
    /// One that the web knows too.
    Encoding(&'static Encoding),
    /// One byte a character: those above ASCII.
    Single(Vec<char>),
}

impl CodePage {
    /// The one that consoles of this system have, unless that is UTF-8 or not known.
    pub(crate) fn of_consoles() -> Option<Self> {
        os::console_page().and_then(Self::numbered)
    }

    /// The code page of that number.
    pub(crate) fn numbered(number: u32) -> Option<Self> {
        Some(Self::Encoding(match number {
            932 => SHIFT_JIS,
            936 => GBK,
            949 => EUC_KR,
            950 => BIG5,
            54936 => GB18030,
            other => return os::upper_half(other).map(Self::Single),
        }))
    }

    /// Bytes as text; what is none becomes U+FFFD.
    pub(crate) fn decode(&self, bytes: &[u8]) -> String {
        match self {
            Self::Encoding(encoding) => encoding.decode_without_bom_handling(bytes).0.into_owned(),
            Self::Single(upper) => {
                let character = |&byte: &u8| match byte.checked_sub(0x80) {
                    None => char::from(byte),
                    Some(place) => upper
                        .get(usize::from(place))
                        .copied()
                        .unwrap_or(char::REPLACEMENT_CHARACTER),
                };
                bytes.iter().map(character).collect()
            }
        }
    }
}
