//! Search patterns: JavaScript `RegExp` sources, turned into what the Rust engines read.
//!
//! The patterns callers write are JavaScript's, without the `u` flag: much that is special to the
//! Rust engines is plain text there, and the other way round. Matching is by characters, not by
//! UTF-16 code units, and against single lines, so nothing here ever matches a line feed.
//! Compiling and searching are `matcher`'s.

mod class;
mod escape;
mod translate;

/// A pattern in the syntax of the Rust engines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Translated {
    /// The pattern, to be matched against one line; `^` and `$` are the ends of the text.
    pub regex: String,
    /// Says whether it looks around or refers back, which only a backtracking engine can do.
    pub needs_backtracking: bool,
    /// A pattern without look-around and back-references that matches at least every line that
    /// `regex` matches. The same as `regex` when that needs no backtracking.
    pub filter: String,
    /// The text to look for, when the pattern is nothing but text.
    pub plain: Option<String>,
    /// Says whether a carriage return in the line may change the outcome.
    pub sees_line_ends: bool,
    /// Says whether U+FFFD can match, so bytes that are not UTF-8 have to be replaced first.
    pub sees_replacement: bool,
}

/// Translates a JavaScript regular expression without flags, or with `i` alone.
///
/// # Errors
/// The reason, in the words of V8, when JavaScript would refuse the pattern.
pub fn translate(source: &str, ignore_case: bool) -> Result<Translated, &'static str> {
    translate::Translator::new(source, ignore_case).translate()
}

/// Takes the text as it is.
#[must_use]
pub fn literal(text: &str, ignore_case: bool) -> Translated {
    translate::Translator::new("", ignore_case).literal_text(text)
}
