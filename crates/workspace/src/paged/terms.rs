//! What is searched for: one or several literal texts, perhaps in either case.

use aho_corasick::AhoCorasick;
use memchr::memmem;

use super::cursor::quote;
use super::fault::Fault;

/// Bytes of one text at most.
const BYTES: usize = 256;

/// The texts of a search as they were asked for.
#[derive(Clone, Debug)]
pub(super) struct Terms<'a> {
    values: Vec<&'a str>,
    folds: bool,
}

impl<'a> Terms<'a> {
    /// Takes one text or several.
    pub(super) fn new(
        query: Option<&'a str>,
        any_of: Option<&'a [String]>,
        folds: bool,
    ) -> Result<Self, Fault> {
        let values = match (query, any_of) {
            (Some(_), Some(_)) => return Err(Fault::BOTH),
            (Some(query), None) => vec![query],
            (None, Some(several)) => several.iter().map(String::as_str).collect(),
            (None, None) => Vec::new(),
        };
        if values.is_empty() {
            return Err(Fault::EMPTY_QUERY);
        }
        for value in &values {
            if value.is_empty() {
                return Err(Fault::EMPTY_QUERY);
            }
            if value.len() > BYTES || value.contains(['\n', '\r']) {
                return Err(Fault::QUERY_LINE);
            }
        }
        Ok(Self { values, folds })
    }

    /// The part of a scope that they are.
    pub(super) fn scope(&self) -> String {
        let quoted: Vec<String> = self.values.iter().map(|value| quote(value)).collect();
        let (terms, folds) = (quoted.join(","), self.folds);
        format!("\"terms\":[{terms}],\"caseInsensitive\":{folds}")
    }

    pub(super) fn finder(&self) -> Finder {
        let longest = self.values.iter().map(|value| value.len()).max();
        let engine = match self.values.as_slice() {
            [one] if !self.folds => Engine::One(Box::new(memmem::Finder::new(one).into_owned())),
            several => {
                let built = AhoCorasick::builder()
                    .ascii_case_insensitive(self.folds)
                    .build(several);
                Engine::Several(built.expect("a few short texts always make an automaton"))
            }
        };
        Finder {
            engine,
            longest: longest.unwrap_or(1),
        }
    }
}

/// Finds the texts of a search in bytes. Only letters of ASCII are the same in either case.
#[derive(Debug)]
pub(super) struct Finder {
    engine: Engine,
    /// Bytes of the longest text.
    pub(super) longest: usize,
}

#[derive(Debug)]
enum Engine {
    One(Box<memmem::Finder<'static>>),
    Several(AhoCorasick),
}

impl Finder {
    /// Where the first text that is met begins and ends.
    pub(super) fn find(&self, hay: &[u8]) -> Option<(usize, usize)> {
        match &self.engine {
            Engine::One(finder) => {
                let at = finder.find(hay)?;
                Some((at, at + finder.needle().len()))
            }
            Engine::Several(automaton) => {
                let found = automaton.find(hay)?;
                Some((found.start(), found.end()))
            }
        }
    }
}
