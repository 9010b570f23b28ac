//! The notes beneath a folder, in the order of their paths.

use std::sync::Arc;

use rooted::{ErrorKind, Kind, RelPath, WalkOptions, Walked};

use super::LeftOut;
use super::fault::Fault;
use super::path;
use crate::reader::Reader;

/// The notes beneath a folder, sorted by the bytes of their paths.
#[derive(Debug)]
pub(super) struct Notes {
    walked: Arc<Walked>,
    /// Places in the walk; `None` for all of it.
    chosen: Option<Vec<usize>>,
    n_unnamable: usize,
}

impl Notes {
    /// Walks a folder. Hidden names and other files are passed over, and no link is followed.
    pub(super) fn beneath(reader: &Reader<'_>, folder: &RelPath) -> Result<Self, Fault> {
        let folder = real_folder(reader, folder)?;
        let stop = || reader.cancel().is_cancelled();
        let hidden = |path: &RelPath, kind: Kind| {
            let name = path.file_name().unwrap_or_default();
            name.starts_with(b".") || kind == Kind::File && !path::is_note_name(name)
        };
        let options = WalkOptions {
            files_only: true,
            include_ignored: true,
            hidden: Some(&hidden),
            stop: &stop,
            ..WalkOptions::new(&folder)
        };
        let walked = rooted::walk(reader.root(), &options)
            .map_err(|error| Fault::reaching(error, &folder))?;
        reader.cancel().check()?;
        let mut buffer = Vec::new();
        let n_walked = walked.entries.len();
        let mut chosen = Vec::with_capacity(n_walked);
        chosen.extend((0..n_walked).filter(|&place| {
            let path = walked.entries.path_bytes(place, &mut buffer);
            path.and_then(|path| std::str::from_utf8(path).ok())
                .is_some_and(|path| path::note(path).is_ok())
        }));
        let n_unnamable = n_walked - chosen.len();
        Ok(Self {
            chosen: (n_unnamable > 0).then_some(chosen),
            walked,
            n_unnamable,
        })
    }

    pub(super) fn len(&self) -> usize {
        let all = self.walked.entries.len();
        self.chosen.as_ref().map_or(all, Vec::len)
    }

    /// The path at a place below [`Notes::len`].
    pub(super) fn path(&self, place: usize) -> RelPath {
        let place = match &self.chosen {
            Some(chosen) => chosen.get(place).copied(),
            None => Some(place),
        };
        let entry = place.and_then(|place| self.walked.entries.get(place));
        entry.map(|entry| entry.path).unwrap_or_default()
    }

    /// The place of the first note that is not before `path`, which need not exist.
    pub(super) fn place_of(&self, path: &[u8]) -> usize {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if self.path(middle).as_bytes() < path {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// The place of the first note behind `path`, which need not exist.
    pub(super) fn behind(&self, path: &str) -> usize {
        let place = self.place_of(path.as_bytes());
        let is_there = place < self.len() && self.path(place).as_bytes() == path.as_bytes();
        place + usize::from(is_there)
    }

    /// What the walk left out.
    pub(super) fn left_out(&self) -> LeftOut {
        LeftOut {
            n_unnamable: self.n_unnamable,
            n_unreadable: usize::try_from(self.walked.unreadable).unwrap_or(usize::MAX),
            n_partial: 0,
        }
    }
}

/// Where a folder really is.
fn real_folder(reader: &Reader<'_>, folder: &RelPath) -> Result<RelPath, Fault> {
    let found = match reader.root().find(folder) {
        Err(error) if matches!(error.kind, ErrorKind::NotFound) => match reader.twin(folder) {
            Some(twin) => reader.root().find(&twin),
            None => Err(error),
        },
        found => found,
    };
    let (meta, real) = found.map_err(|error| match error.kind {
        ErrorKind::NotFound | ErrorKind::NotADirectory => Fault::FolderNotFound(folder.clone()),
        _ => Fault::reaching(error, folder),
    })?;
    path::check_folder(&real)?;
    if meta.kind == Kind::Dir {
        Ok(real)
    } else {
        Err(Fault::FolderNotFound(folder.clone()))
    }
}
