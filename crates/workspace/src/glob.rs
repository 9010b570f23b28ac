//! The glob dialect of `include`, `pattern` and the path policy.
//!
//! - White space around the pattern, one leading `./` and trailing slashes don't count; what is left
//!   empty, or `**`, matches everything.
//! - A pattern without `/` is tried on the whole path and on the last name; one with `/` on the whole
//!   path only, so that a leading `/` never matches.
//! - `*` is any run without `/`, `?` one character but `/`, `**/` any number of whole components, `**`
//!   elsewhere any run; more stars are as good as two.
//! - `{a,b}` are alternatives: they nest, may hold `/`, may be empty. `[a-z]`, `[!a]` and `[^a]` are
//!   one character but `/`; a `]` right behind the opening stands for itself.
//! - An unclosed `{` or `[` stands for itself, and so does a backslash: nothing is escaped. Since a
//!   backslash in a name counts as `/`, a backslash in a pattern matches nothing.
//! - A range that runs backwards holds no character: `[z-a]` matches nothing, `[!z-a]` any character.
//! - One character is one of UTF-8, or one byte that is not UTF-8. Dots at the start of a name are
//!   nothing special.
//!
//! A match takes time in proportion to pattern times path, whatever they are.

mod parse;
mod run;

#[cfg(test)]
mod tests;

use std::fmt;

use unicode_normalization::UnicodeNormalization;

use self::parse::Program;
use self::run::Symbol;

/// A compiled pattern.
#[derive(Clone)]
pub struct Glob {
    pattern: String,
    exact: Matcher,
    folded: Matcher,
    tail: Tail,
}

/// What every match ends in, so that most paths need no closer look.
#[derive(Clone)]
struct Tail {
    text: Box<[u8]>,
    /// The pattern is one `*` and this text, tried on names too: the end of the name is all there is to it.
    is_all: bool,
}

#[derive(Clone)]
enum Matcher {
    Everything,
    Some { program: Program, on_names: bool },
}

impl Glob {
    /// Compiles a pattern. Every text is one.
    #[must_use]
    pub fn new(pattern: &str) -> Self {
        let folded: String = normal(pattern).collect();
        Self {
            pattern: pattern.to_owned(),
            exact: Matcher::new(pattern, Program::exact),
            folded: Matcher::new(&folded, Program::folded),
            tail: Tail::of(bare(pattern)),
        }
    }

    /// The pattern as given.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.pattern
    }

    /// Compiles a pattern that holds for the whole path only, whether it has a `/` or not.
    #[must_use]
    pub(crate) fn anchored(pattern: &str) -> Self {
        let mut glob = Self::new(pattern);
        glob.tail.is_all = false;
        for matcher in [&mut glob.exact, &mut glob.folded] {
            if let Matcher::Some { on_names, .. } = matcher {
                *on_names = false;
            }
        }
        glob
    }

    /// Says whether a root-relative path, parted by `/`, matches; the root is the empty path.
    #[must_use]
    pub fn matches(&self, path: &[u8]) -> bool {
        // A backslash in a name counts as a slash; such names are rare.
        let is_plain = !path.contains(&b'\\');
        if is_plain && !path.ends_with(&self.tail.text) {
            return false;
        }
        is_plain && self.tail.is_all || self.exact.matches(&run::symbols(path))
    }

    /// Like [`Glob::matches`], but names that some file system takes for the same are the same:
    /// letter case, Unicode forms and invisible characters do not count.
    #[must_use]
    pub fn matches_folded(&self, path: &[u8]) -> bool {
        self.folded.matches(&folded_symbols(path))
    }

    /// Says whether the pattern takes everything beneath the folder `path`, without needing a name
    /// there: `secrets/**` does so for `secrets`, but `secrets/*` does not.
    ///
    /// Folds like [`Glob::matches_folded`].
    #[must_use]
    pub fn covers_folder_folded(&self, path: &[u8]) -> bool {
        let mut symbols = folded_symbols(path);
        symbols.push(Symbol::Below);
        self.folded.matches(&symbols)
    }
}

impl fmt::Debug for Glob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Glob({:?})", self.pattern)
    }
}

impl Tail {
    fn of(pattern: &str) -> Self {
        const SPECIAL: [char; 9] = ['/', '*', '?', '[', ']', '{', '}', ',', '\\'];
        let text = match pattern.rfind(SPECIAL) {
            Some(at) => pattern
                .get(at..)
                .map(|rest| rest.trim_start_matches(SPECIAL)),
            None => Some(pattern),
        };
        let text = text.unwrap_or_default();
        let is_all = pattern.strip_prefix('*') == Some(text) && !text.is_empty();
        Self {
            text: text.as_bytes().into(),
            is_all,
        }
    }
}

impl Matcher {
    fn new(pattern: &str, compile: fn(&[char]) -> Program) -> Self {
        let pattern = bare(pattern);
        if pattern.is_empty() || pattern == "**" {
            return Self::Everything;
        }
        let chars: Vec<char> = pattern.chars().collect();
        Self::Some {
            program: compile(&chars),
            on_names: !pattern.contains('/'),
        }
    }

    fn matches(&self, path: &[Symbol]) -> bool {
        match self {
            Self::Everything => true,
            Self::Some { program, on_names } => {
                program.matches(path)
                    || *on_names
                        && path
                            .iter()
                            .rposition(|&symbol| symbol == Symbol::Char('/'))
                            .and_then(|slash| path.get(slash + 1..))
                            .is_some_and(|name| program.matches(name))
            }
        }
    }
}

/// The pattern without what does not count at its ends.
fn bare(pattern: &str) -> &str {
    // White space as JavaScript trims it.
    let blank = |c: char| (c.is_whitespace() && c != '\u{85}') || c == '\u{feff}';
    let pattern = pattern.trim_matches(blank);
    let pattern = match pattern.strip_prefix("./") {
        Some(rest) => rest.trim_start_matches('/'),
        None => pattern,
    };
    pattern.trim_end_matches('/')
}

/// The text as every file system that folds names would see it, at least.
///
/// Upper and then lower case, since `ſ` and `s` only meet in upper case. The characters dropped are
/// those that HFS+ ignores in names. Patterns and names go through the same steps character by
/// character, so the result need not be normal again.
pub(crate) fn fold(text: &str) -> String {
    normal(text).flat_map(fold_char).collect()
}

/// The text in one Unicode form, without the characters some file system ignores.
fn normal(text: &str) -> impl Iterator<Item = char> {
    text.chars().filter(|&c| !is_ignored(c)).nfc()
}

/// One character in the common case of all its spellings.
fn fold_char(c: char) -> impl Iterator<Item = char> {
    c.to_uppercase().flat_map(char::to_lowercase)
}

fn is_ignored(c: char) -> bool {
    matches!(
        c,
        '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}'
    )
}

fn folded_symbols(path: &[u8]) -> Vec<Symbol> {
    if path.is_ascii() {
        return run::symbols(&path.to_ascii_lowercase());
    }
    let mut symbols = Vec::with_capacity(path.len());
    for chunk in path.utf8_chunks() {
        symbols.extend(run::symbols(fold(chunk.valid()).as_bytes()));
        symbols.extend(run::symbols(chunk.invalid()));
    }
    symbols
}
