//! `RelPath`: a path beneath a root, parsed once.
//!
//! It never holds `.`, `..`, an empty component or a NUL byte, so joining it to a directory handle
//! can only go down. It says nothing about whether anything is there.

use std::fmt;
use std::path::{Component, Path};

use crate::show::Shown;

/// A path relative to a root: components parted by `/`, as bytes, since names need not be UTF-8 on Unix.
///
/// The empty path is the root itself and is shown as `.`. Ordering is by bytes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct RelPath(Box<[u8]>);

/// Why a text is not a path beneath the root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathFault {
    /// Empty or only white space.
    Empty,
    /// Holds a NUL byte.
    Nul,
    /// Leads out of the root.
    Outside,
}

impl RelPath {
    /// The root itself.
    #[must_use]
    pub fn root() -> Self {
        Self::default()
    }

    /// Reads a path as the `project` tools take it: relative to the root, or absolute.
    ///
    /// `roots` are the absolute spellings of the root that count as inside, the canonical one
    /// first. `.`, `..` and doubled or trailing slashes are folded by text before any link is
    /// followed, so `dir/../x` is `x` whatever `dir` is.
    ///
    /// # Errors
    /// [`PathFault`] when the text is blank, holds a NUL byte, or leads out of the root.
    pub fn parse(input: &str, roots: &[&Path]) -> Result<Self, PathFault> {
        if input.trim().is_empty() {
            return Err(PathFault::Empty);
        }
        if input.contains('\0') {
            return Err(PathFault::Nul);
        }
        let input = Path::new(input);
        for root in roots {
            let Some(base) = components(root) else {
                continue;
            };
            let Some(joined) = components(&root.join(input)) else {
                continue;
            };
            if let Some(inside) = strip(&joined, &base) {
                return Ok(inside);
            }
        }
        Err(PathFault::Outside)
    }

    /// Takes bytes that already are components parted by `/`, folding `.` and empty ones.
    ///
    /// # Errors
    /// [`PathFault::Outside`] for `..`, [`PathFault::Nul`] for a NUL byte.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, PathFault> {
        if bytes.contains(&0) {
            return Err(PathFault::Nul);
        }
        let mut path = Vec::with_capacity(bytes.len());
        for part in bytes.split(|&b| b == b'/') {
            match part {
                b"" | b"." => {}
                b".." => return Err(PathFault::Outside),
                name => push(&mut path, name),
            }
        }
        Ok(Self(path.into()))
    }

    /// Takes components that came from the system, parted by `/`.
    pub(crate) fn from_names(names: impl Into<Box<[u8]>>) -> Self {
        Self(names.into())
    }

    /// The path as bytes; empty for the root.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The path as text, when it is UTF-8; empty for the root.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        std::str::from_utf8(&self.0).ok()
    }

    /// Says whether this is the root itself.
    #[must_use]
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// The components from the root down.
    pub fn components(&self) -> impl DoubleEndedIterator<Item = &[u8]> {
        self.0.split(|&b| b == b'/').filter(|part| !part.is_empty())
    }

    /// Number of components; 0 for the root.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.components().count()
    }

    /// The last component; `None` for the root.
    #[must_use]
    pub fn file_name(&self) -> Option<&[u8]> {
        self.components().next_back()
    }

    /// The path without its last component; `None` for the root.
    #[must_use]
    pub fn parent(&self) -> Option<Self> {
        if self.is_root() {
            return None;
        }
        let end = self.0.iter().rposition(|&b| b == b'/').unwrap_or(0);
        Some(Self(self.0.get(..end).unwrap_or_default().into()))
    }

    /// The path one component down. `name` must be a single component.
    #[must_use]
    pub fn join(&self, name: impl AsRef<[u8]>) -> Self {
        let mut path = Vec::with_capacity(self.0.len() + 1 + name.as_ref().len());
        path.extend_from_slice(&self.0);
        push(&mut path, name.as_ref());
        Self(path.into())
    }

    /// Says whether `self` is `base` or lies beneath it.
    #[must_use]
    pub fn starts_with(&self, base: &Self) -> bool {
        base.is_root()
            || self
                .0
                .strip_prefix(&*base.0)
                .is_some_and(|rest| matches!(rest, [] | [b'/', ..]))
    }
}

fn push(path: &mut Vec<u8>, name: &[u8]) {
    if !path.is_empty() {
        path.push(b'/');
    }
    path.extend_from_slice(name);
}

/// The components of an absolute path with `..` folded by text; `None` when a name cannot be held.
fn components(path: &Path) -> Option<Vec<Vec<u8>>> {
    // On Windows `C:x` depends on a current folder.
    if !path.has_root() {
        return None;
    }
    let mut parts: Vec<Vec<u8>> = Vec::new();
    let mut fixed = 0;
    for part in path.components() {
        match part {
            Component::Prefix(prefix) => {
                parts.push(crate::platform::volume_name(prefix.kind())?);
                fixed = parts.len();
            }
            Component::RootDir => {}
            Component::CurDir => {}
            Component::ParentDir => {
                if parts.len() > fixed {
                    parts.pop();
                }
            }
            Component::Normal(name) => {
                let name = crate::platform::name_bytes(name)?;
                // In the long form of Windows (`\\?\`) a slash parts nothing.
                if name.contains(&b'/') {
                    return None;
                }
                parts.push(name);
            }
        }
    }
    Some(parts)
}

/// What is left of `path` below `base`.
fn strip(path: &[Vec<u8>], base: &[Vec<u8>]) -> Option<RelPath> {
    let inside = path.get(base.len()..)?;
    let same = path
        .iter()
        .zip(base)
        .all(|(a, b)| crate::platform::same_name(a, b));
    same.then(|| {
        let mut bytes = Vec::new();
        for name in inside {
            push(&mut bytes, name);
        }
        RelPath(bytes.into())
    })
}

impl fmt::Display for RelPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_root() {
            f.write_str(".")
        } else {
            Shown(&self.0).fmt(f)
        }
    }
}

impl fmt::Debug for RelPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RelPath({self})")
    }
}

#[cfg(all(test, unix))]
mod tests;
