//! Paths as callers write them, and the order of paths.

use std::cmp::Ordering;

use rooted::RelPath;

use super::fault::Fault;
use crate::limits::STATE_DIR;

/// UTF-16 units of a path at most.
const UNITS: usize = 1024;

/// A path beneath the root, in its one spelling; empty for the root.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Path(Box<str>);

impl Path {
    pub(super) fn root() -> Self {
        Self(Box::default())
    }

    /// Reads a path argument.
    pub(super) fn parse(input: &str) -> Result<Self, Fault> {
        normal(input).map(Self).ok_or(Fault::BAD_PATH)
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    pub(super) fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// Says whether `path` is this one or lies beneath it.
    pub(super) fn holds(&self, path: &str) -> bool {
        self.is_root() || starts_with(path, &self.0)
    }

    /// Says whether this one lies beneath `path`, or is it.
    pub(super) fn is_beneath(&self, path: &str) -> bool {
        path.is_empty() || starts_with(&self.0, path)
    }
}

fn starts_with(path: &str, base: &str) -> bool {
    path.strip_prefix(base)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// A path that was read or built here, for `rooted`.
pub(super) fn rel(path: &str) -> RelPath {
    RelPath::from_bytes(path.as_bytes()).expect("it has no `..` and no NUL")
}

/// The one spelling of a path argument; `None` when it is none.
fn normal(input: &str) -> Option<Box<str>> {
    if input.is_empty() || input == "." {
        return Some(Box::default());
    }
    if !is_plain(input) || input.starts_with('/') {
        return None;
    }
    let names = || input.split('/').filter(|name| !name.is_empty());
    if names().any(|name| matches!(name, "." | "..")) {
        return None;
    }
    let mut path = String::with_capacity(input.len());
    for name in names() {
        if !path.is_empty() {
            path.push('/');
        }
        path.push_str(name);
    }
    Some(path.into())
}

/// Says whether a path of names met on disk can be written as an argument.
pub(super) fn is_plain(path: &str) -> bool {
    let has_drive = matches!(path.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic());
    let is_short = path.len() <= UNITS || path.encode_utf16().take(UNITS + 1).count() <= UNITS;
    !has_drive && is_short && !path.bytes().any(|byte| matches!(byte, 0 | b'\\'))
}

/// Says whether a name is of this program: its state, or a file that is being written.
pub(super) fn is_ours(name: &[u8]) -> bool {
    name.eq_ignore_ascii_case(STATE_DIR.as_bytes()) || rooted::is_temp_name(name)
}

/// Compares by UTF-16 units: beyond the basic plane they sort before its last few thousand characters.
pub(super) fn order(a: &str, b: &str) -> Ordering {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let Some((x, y)) = a.iter().zip(b).find(|(x, y)| x != y) else {
        return a.len().cmp(&b.len());
    };
    // Leading bytes: those of U+E000 to U+FFFF, and those that stand for a pair of surrogates.
    let (is_last, is_pair) = (
        |byte: u8| matches!(byte, 0xEE | 0xEF),
        |byte: u8| byte >= 0xF0,
    );
    if is_pair(*x) && is_last(*y) {
        Ordering::Less
    } else if is_last(*x) && is_pair(*y) {
        Ordering::Greater
    } else {
        x.cmp(y)
    }
}

#[cfg(test)]
mod tests;
