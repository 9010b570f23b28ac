//! The files a search goes through, in the order of their paths.

use std::cmp::Ordering;
use std::sync::Arc;

use rooted::{RelPath, Walked};

use crate::glob::Glob;

/// Files in the order of their paths; most are only made into paths when they are opened.
#[derive(Debug)]
pub(super) enum Files {
    /// The file that was asked for.
    One(RelPath),
    /// All that a walk found.
    Walked(Arc<Walked>),
    /// Those at these places of a walk.
    Chosen(Arc<Walked>, Vec<usize>),
    /// No file at all.
    None,
}

impl Files {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::One(_) => 1,
            Self::Walked(walked) => walked.entries.len(),
            Self::Chosen(_, places) => places.len(),
            Self::None => 0,
        }
    }

    /// The path at a place below [`Files::len`].
    pub(super) fn path(&self, place: usize) -> RelPath {
        let entry = match self {
            Self::One(path) => return path.clone(),
            Self::Walked(walked) => walked.entries.get(place),
            Self::Chosen(walked, places) => {
                places.get(place).and_then(|&at| walked.entries.get(at))
            }
            Self::None => None,
        };
        entry.map(|entry| entry.path).unwrap_or_default()
    }

    /// Those whose paths a glob matches.
    pub(super) fn only(self, glob: &Glob) -> Self {
        match self {
            Self::One(ref path) if !glob.matches(path.as_bytes()) => Self::None,
            Self::Walked(walked) => {
                let entries = &walked.entries;
                let mut buffer = Vec::new();
                let places = (0..entries.len())
                    .filter(|&at| {
                        let path = entries.path_bytes(at, &mut buffer);
                        path.is_some_and(|path| glob.matches(path))
                    })
                    .collect();
                Self::Chosen(walked, places)
            }
            Self::One(_) | Self::Chosen(..) | Self::None => self,
        }
    }

    /// Where to go on behind `path:LINE` or `path`: the first file, and the line it starts behind.
    ///
    /// A name that itself ends like a line number is taken as it is when there is such a file. With
    /// `whole_files`, a line number means the end of its file.
    pub(super) fn behind(&self, after: &str, whole_files: bool) -> (usize, u64) {
        let unshown = rooted::unshow(after);
        let spellings = [Some(after.as_bytes()), unshown.as_deref()];
        for path in spellings.into_iter().flatten() {
            if let Ok(at) = self.place(path) {
                return (at + 1, 0);
            }
        }
        for text in spellings.into_iter().flatten() {
            if let Some((path, line)) = split_line(text)
                && let Ok(at) = self.place(path)
            {
                return if whole_files { (at + 1, 0) } else { (at, line) };
            }
        }
        // The file is gone meanwhile: go on with the one that would have followed it.
        let path = split_line(after.as_bytes()).map_or(after.as_bytes(), |(path, _)| path);
        (self.place(path).unwrap_or_else(|at| at), 0)
    }

    /// The place of a path, or where it would be.
    fn place(&self, path: &[u8]) -> Result<usize, usize> {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low.midpoint(high);
            match self.path(middle).as_bytes().cmp(path) {
                Ordering::Less => low = middle + 1,
                Ordering::Equal => return Ok(middle),
                Ordering::Greater => high = middle,
            }
        }
        Err(low)
    }
}

/// Splits `path:LINE`.
fn split_line(text: &[u8]) -> Option<(&[u8], u64)> {
    let colon = memchr::memrchr(b':', text)?;
    let (path, line) = text.split_at(colon);
    let line = std::str::from_utf8(line.get(1..)?).ok()?;
    Some((path, line.parse().ok()?))
}
