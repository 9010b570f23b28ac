//! The glob dialect of this toolset, compiled once.
//!
//! `**/` is any number of whole names with their slashes, `**` elsewhere anything, `*` anything
//! without a slash, `?` one UTF-16 unit that is no slash; every other character stands for itself, and
//! the whole path has to fit. All places in the pattern that fit so far are followed at once, so no
//! pattern takes more steps than its length for each unit of a path.

use std::borrow::Cow;

const SLASH: u16 = b'/' as u16;

/// A compiled pattern.
#[derive(Clone, Debug)]
pub(super) struct Glob {
    tokens: Box<[Token]>,
    folds: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token {
    /// This unit.
    Unit(u16),
    /// One unit that is no slash.
    One,
    /// Any number of units that are no slash.
    Star,
    /// Any number of units.
    All,
    /// Any number of whole names with their slashes: before a name, and within it. Always both.
    Names,
    WithinName,
}

impl Glob {
    /// Compiles a pattern that tells letter case apart.
    pub(super) fn new(pattern: &str) -> Self {
        Self::compile(pattern, false)
    }

    /// Compiles a pattern for which letters in either case are the same.
    pub(super) fn folding(pattern: &str) -> Self {
        Self::compile(&crate::glob::fold(pattern), true)
    }

    fn compile(pattern: &str, folds: bool) -> Self {
        let units: Vec<u16> = pattern.encode_utf16().collect();
        let mut tokens = Vec::with_capacity(units.len());
        let mut rest = units.as_slice();
        const STAR: u16 = b'*' as u16;
        const ANY: u16 = b'?' as u16;
        while let Some((&unit, behind)) = rest.split_first() {
            rest = match rest {
                [STAR, STAR, SLASH, behind @ ..] => {
                    tokens.extend([Token::Names, Token::WithinName]);
                    behind
                }
                [STAR, STAR, behind @ ..] => {
                    tokens.push(Token::All);
                    behind
                }
                [STAR, ..] => {
                    tokens.push(Token::Star);
                    behind
                }
                [ANY, ..] => {
                    tokens.push(Token::One);
                    behind
                }
                _ => {
                    tokens.push(Token::Unit(unit));
                    behind
                }
            };
        }
        Self {
            tokens: tokens.into(),
            folds,
        }
    }

    /// Says whether the whole path fits.
    pub(super) fn matches(&self, path: &str) -> bool {
        if *self.tokens == [Token::All] {
            return true;
        }
        let path = if self.folds {
            Cow::Owned(crate::glob::fold(path))
        } else {
            Cow::Borrowed(path)
        };
        let mut places = Places::new(self.tokens.len());
        let mut next = Places::new(self.tokens.len());
        self.enter(0, &mut places);
        for unit in path.encode_utf16() {
            if places.is_empty() {
                return false;
            }
            next.clear();
            places.each(|place| self.step(place, unit, &mut next));
            std::mem::swap(&mut places, &mut next);
        }
        places.has(self.tokens.len())
    }

    /// Comes to a place, and to those that need no further unit.
    fn enter(&self, place: usize, places: &mut Places) {
        if !places.add(place) {
            return;
        }
        match self.tokens.get(place) {
            Some(Token::Star | Token::All) => self.enter(place + 1, places),
            Some(Token::Names) => self.enter(place + 2, places),
            Some(Token::Unit(_) | Token::One | Token::WithinName) | None => {}
        }
    }

    fn step(&self, place: usize, unit: u16, next: &mut Places) {
        let is_slash = unit == SLASH;
        match self.tokens.get(place) {
            Some(Token::Unit(wanted)) if *wanted == unit => self.enter(place + 1, next),
            Some(Token::One) if !is_slash => self.enter(place + 1, next),
            Some(Token::Star) if !is_slash => self.enter(place, next),
            Some(Token::All) => self.enter(place, next),
            Some(Token::Names) if !is_slash => self.enter(place + 1, next),
            Some(Token::WithinName) if is_slash => self.enter(place - 1, next),
            Some(Token::WithinName) => self.enter(place, next),
            Some(Token::Unit(_) | Token::One | Token::Star | Token::Names) | None => {}
        }
    }
}

/// Says whether a pattern can take a file in the root itself.
pub(super) fn reaches_root(pattern: &str) -> bool {
    !pattern.replace("**/", "").contains('/')
}

/// A set of places in a pattern.
struct Places {
    first: u64,
    rest: Vec<u64>,
}

impl Places {
    fn new(n_tokens: usize) -> Self {
        Self {
            first: 0,
            rest: vec![0; n_tokens / 64],
        }
    }

    fn word(&mut self, place: usize) -> &mut u64 {
        match place / 64 {
            0 => &mut self.first,
            n => self.rest.get_mut(n - 1).expect("made for all places"),
        }
    }

    /// Adds a place; false when it was there.
    fn add(&mut self, place: usize) -> bool {
        let bit = 1 << (place % 64);
        let word = self.word(place);
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    fn has(&mut self, place: usize) -> bool {
        *self.word(place) & (1 << (place % 64)) != 0
    }

    fn clear(&mut self) {
        self.first = 0;
        self.rest.fill(0);
    }

    fn is_empty(&self) -> bool {
        self.first == 0 && self.rest.iter().all(|&word| word == 0)
    }

    fn each(&self, mut f: impl FnMut(usize)) {
        for (n, &word) in [self.first].iter().chain(&self.rest).enumerate() {
            let mut left = word;
            while left != 0 {
                f(n * 64 + left.trailing_zeros() as usize);
                left &= left - 1;
            }
        }
    }
}

#[cfg(test)]
mod tests;
