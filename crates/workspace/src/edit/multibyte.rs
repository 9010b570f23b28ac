//! Older East Asian encodings, in which an ASCII byte may be the second half of a character.

use encoding_rs::{BIG5, EUC_KR, Encoding, GB18030, SHIFT_JIS};

/// Tells whether a place begins inside a character, in any encoding the whole text could be of.
pub(super) struct Guard<'a> {
    text: &'a [u8],
    /// Found out when first needed, since most edits never come near.
    walkers: Option<Vec<Walker>>,
}

impl<'a> Guard<'a> {
    pub(super) fn new(text: &'a [u8]) -> Self {
        Self {
            text,
            walkers: None,
        }
    }

    /// Says whether a character of some likely encoding reaches over `at`, where an ASCII byte is.
    /// Must not be asked for less than before.
    pub(super) fn splits(&mut self, at: usize) -> bool {
        let is_high = |byte: Option<&u8>| byte.is_some_and(|byte| !byte.is_ascii());
        let before = at.checked_sub(1).and_then(|before| self.text.get(before));
        // Second halves are digits, letters and some signs from 0x40 on, behind a byte above 0x7f.
        let second_half = matches!(self.text.get(at), Some(b'0'..=b'9' | 0x40..=0x7e));
        if !is_high(before) || !second_half {
            return false;
        }
        let text = self.text;
        let walkers = self.walkers.get_or_insert_with(|| likely(text));
        walkers.iter_mut().any(|walker| walker.splits(text, at))
    }
}

/// The encodings in which the whole text decodes.
fn likely(text: &[u8]) -> Vec<Walker> {
    let decodes = |encoding: &'static Encoding| {
        encoding
            .decode_without_bom_handling_and_without_replacement(text)
            .is_some()
    };
    let all: [(&'static Encoding, Length); 4] = [
        (SHIFT_JIS, shift_jis),
        (GB18030, gb18030),
        (BIG5, two_bytes),
        (EUC_KR, two_bytes),
    ];
    all.into_iter()
        .filter(|&(encoding, _)| decodes(encoding))
        .map(|(_, length)| Walker { length, at: 0 })
        .collect()
}

/// The length of the character that begins with these two bytes.
type Length = fn(u8, u8) -> usize;

fn shift_jis(first: u8, _: u8) -> usize {
    match first {
        0x81..=0x9f | 0xe0..=0xfc => 2,
        _ => 1,
    }
}

fn gb18030(first: u8, second: u8) -> usize {
    match (first, second) {
        (0x81..=0xfe, b'0'..=b'9') => 4,
        (0x81..=0xfe, _) => 2,
        _ => 1,
    }
}

fn two_bytes(first: u8, _: u8) -> usize {
    match first {
        0x81..=0xfe => 2,
        _ => 1,
    }
}

/// Steps from character to character through a text that decodes.
struct Walker {
    length: Length,
    at: usize,
}

impl Walker {
    fn splits(&mut self, text: &[u8], at: usize) -> bool {
        while self.at < at {
            let byte = |at: usize| text.get(at).copied().unwrap_or(0);
            self.at += (self.length)(byte(self.at), byte(self.at + 1));
        }
        self.at > at
    }
}
