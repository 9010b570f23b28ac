//! `Slug`: the id of a change, made from its title, and safe as the name of a file.
//!
//! Whatever comes from outside as an id becomes a `Slug` or nothing, before any path is made of it.

use std::fmt;

use serde::Serialize;
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

use crate::limits::SLUG_CHARS;

/// What a title without letters and digits becomes.
const NAMELESS: &str = "change";
/// Bytes of an id that is looked for; a file name has room for them and an ending.
const MAX_BYTES: usize = 200;

/// The id of a change: letters and digits of any script in lower case, single dashes between them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Slug(String);

impl Slug {
    /// Reads an id in any Unicode form; `None` for a text that is no id.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        if text.is_empty() || text.len() > MAX_BYTES {
            return None;
        }
        let text: String = text.nfc().collect();
        let fits = text.len() <= MAX_BYTES && squeeze(&text) == text;
        fits.then_some(Self(text))
    }

    /// The id that a title asks for.
    #[must_use]
    pub fn make(title: &str) -> Self {
        let all = squeeze(title);
        let cut = match all.char_indices().nth(SLUG_CHARS) {
            Some((end, _)) => all.get(..end).unwrap_or(&all),
            None => &all,
        };
        match cut.trim_end_matches('-') {
            "" => Self(NAMELESS.to_owned()),
            text => Self(text.to_owned()),
        }
    }

    /// The id for the `n`th change of the same title.
    #[must_use]
    pub fn numbered(&self, n: u64) -> Self {
        Self(format!("{self}-{n}"))
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Slug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Letters and digits in lower case, each run of other characters as one dash, none at the ends.
fn squeeze(text: &str) -> String {
    let composed: String = text.nfc().collect();
    let mut slug = String::new();
    let mut after_dash = true;
    for c in composed.to_lowercase().nfc() {
        // Marks are part of the letter they stand on; many scripts cannot be read without them.
        let is_kept = if is_combining_mark(c) {
            !after_dash
        } else {
            c.is_alphanumeric()
        };
        if is_kept && !is_invisible(c) {
            slug.push(c);
            after_dash = false;
        } else if !after_dash {
            slug.push('-');
            after_dash = true;
        }
    }
    if slug.ends_with('-') {
        slug.pop();
    }
    slug
}

/// Letters and marks that show nothing: two ids that look the same must be the same.
fn is_invisible(c: char) -> bool {
    rooted::is_hidden(c)
        || matches!(
            c,
            '\u{34f}'
                | '\u{115f}'..='\u{1160}'
                | '\u{17b4}'..='\u{17b5}'
                | '\u{180b}'..='\u{180f}'
                | '\u{20d0}'..='\u{20ff}'
                | '\u{3164}'
                | '\u{fe00}'..='\u{fe0f}'
                | '\u{ffa0}'
                | '\u{e0100}'..='\u{e01ef}'
        )
}

#[cfg(test)]
mod tests;
