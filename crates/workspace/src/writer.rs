//! `Writer`: what one call may change in a workspace. It exists only while the lock is held.

use rooted::{Durability, ErrorKind, File, Kind, Place, RelPath};

use crate::error::Error;
use crate::lock::Guard;
use crate::reader::{Reader, fold, twin_name};

/// Exclusive access to a workspace for one call.
#[derive(Debug)]
pub struct Writer<'a> {
    reader: Reader<'a>,
    guard: Guard,
    durability: Durability,
}

/// The place that a path argument names, cleared for writing.
#[derive(Debug)]
pub struct Target {
    /// Where it is; what is there is nothing or a regular file.
    pub place: Place,
    /// The name it was found under, when that differs from the one asked for in Unicode form or spaces only.
    pub found_as: Option<String>,
}

/// What a path argument names.
enum Spelled {
    /// A file that is there.
    There(Place),
    /// Nothing yet: the path as it is written, and its place.
    Free(RelPath, Place),
}

impl Target {
    fn plain(place: Place) -> Self {
        Self {
            place,
            found_as: None,
        }
    }
}

impl<'a> Writer<'a> {
    pub(crate) fn new(reader: Reader<'a>, guard: Guard, durability: Durability) -> Self {
        Self {
            reader,
            guard,
            durability,
        }
    }

    /// The same workspace, for reading.
    #[must_use]
    pub fn reader(&self) -> &Reader<'a> {
        &self.reader
    }

    /// The lock that is held.
    #[must_use]
    pub fn guard(&self) -> &Guard {
        &self.guard
    }

    /// What a finished change is to survive.
    #[must_use]
    pub fn durability(&self) -> Durability {
        self.durability
    }

    /// Opens the file at a place, as the version that a change is made from.
    ///
    /// # Errors
    /// The path errors, and [`Error::KeepsChanging`] when it is gone or became a link meanwhile.
    pub fn open(&self, place: &Place, input: &str) -> Result<File, Error> {
        match place.dir.open_file(&place.name) {
            Ok(file) => {
                self.reader.permit_file(&file, input)?;
                Ok(file)
            }
            Err(error) if matches!(error.kind, ErrorKind::NotFound | ErrorKind::LinkRefused) => {
                Err(Error::KeepsChanging(place.path.clone()))
            }
            Err(error) => Err(self.reader.explain(error, input)),
        }
    }
}

impl Reader<'_> {
    /// Says whether a path argument may be written to, before anything is locked for it.
    ///
    /// # Errors
    /// [`Error::Protected`], [`Error::ReadOnlyPath`], [`Error::Denied`] and the path errors.
    pub fn permit_writing(&self, input: &str) -> Result<(), Error> {
        let path = self.parse(input)?;
        self.permit_change(&path)
    }

    /// Finds the existing file that an edit of a path argument means.
    ///
    /// # Errors
    /// [`Error::FileNotFound`], [`Error::IsADirectory`], [`Error::NotRegular`], and those of
    /// [`Reader::permit_writing`].
    pub fn existing_target(&self, input: &str) -> Result<Target, Error> {
        let path = match self.spelled(input)? {
            Spelled::There(place) => return Ok(Target::plain(place)),
            Spelled::Free(path, _) => path,
        };
        if let Some(twin) = self.twin(&path) {
            let place = self.locate(&twin, input)?;
            if place.meta.is_some() {
                let name = twin_name(&path, &twin);
                return Ok(Target {
                    place,
                    found_as: Some(name),
                });
            }
        }
        Err(Error::FileNotFound(path))
    }

    /// Finds the place that writing to a path argument means: a file, or where one can be made.
    ///
    /// # Errors
    /// As [`Reader::existing_target`]; for a new name also [`Error::ControlInPath`] and
    /// [`Error::EquivalentName`].
    pub fn target(&self, input: &str) -> Result<Target, Error> {
        let place = match self.spelled(input)? {
            Spelled::There(place) => return Ok(Target::plain(place)),
            Spelled::Free(_, place) => place,
        };
        let made = place.missing.iter().chain([&place.name]);
        if made.into_iter().any(|name| name_has_control(name)) {
            return Err(Error::ControlInPath);
        }
        self.refuse_twin(&place)?;
        Ok(Target::plain(place))
    }

    /// What a path argument names as it is written, or else read as an escaped name.
    fn spelled(&self, input: &str) -> Result<Spelled, Error> {
        let path = self.parse(input)?;
        self.permit_change(&path)?;
        let place = self.locate(&path, input)?;
        if place.meta.is_some() {
            return Ok(Spelled::There(place));
        }
        if let Some(literal) = self.unshown(input)? {
            let other = self.locate(&literal, input)?;
            if other.meta.is_some() {
                return Ok(Spelled::There(other));
            }
            // The folder that a listing shows so, and not a new one of that literal name.
            if other.missing.is_empty() && !place.missing.is_empty() {
                return Ok(Spelled::Free(literal, other));
            }
        }
        Ok(Spelled::Free(path, place))
    }

    /// Where a path leads, if that may be changed and is nothing or a regular file.
    fn locate(&self, path: &RelPath, input: &str) -> Result<Place, Error> {
        let place = self
            .root()
            .locate(path)
            .map_err(|error| self.explain(error, input))?;
        if self.policy().is_denied(&place.path) {
            return Err(Error::Denied(path.clone()));
        }
        self.permit_change(&place.path)?;
        match place.meta.map(|meta| meta.kind) {
            None | Some(Kind::File) => Ok(place),
            Some(Kind::Dir) => Err(Error::IsADirectory(place.path)),
            Some(Kind::Link | Kind::Special) => Err(Error::NotRegular(place.path)),
        }
    }

    fn permit_change(&self, path: &RelPath) -> Result<(), Error> {
        if self.policy().protected(path) {
            return Err(Error::Protected(path.clone()));
        }
        if self.policy().is_read_only(path) {
            return Err(Error::ReadOnlyPath(path.clone()));
        }
        Ok(())
    }

    /// Refuses a new name that some people and file systems take for one that is already there.
    fn refuse_twin(&self, place: &Place) -> Result<(), Error> {
        let new = place.missing.first().unwrap_or(&place.name);
        let Ok(text) = std::str::from_utf8(new) else {
            return Ok(());
        };
        // Plain names are their own only form; most new files are spared the listing.
        if text.is_ascii() && !text.contains(' ') {
            return Ok(());
        }
        let wanted = fold(text);
        let same =
            |other: &[u8]| std::str::from_utf8(other).is_ok_and(|other| fold(other) == wanted);
        let names = self
            .root()
            .open_dir(place.dir.path())
            .and_then(|dir| dir.list())?;
        match names
            .iter()
            .find(|(other, _)| same(other) && *other != *new)
        {
            Some((other, _)) => Err(Error::EquivalentName(place.dir.path().join(other))),
            None => Ok(()),
        }
    }
}

fn name_has_control(name: &[u8]) -> bool {
    name.utf8_chunks()
        .any(|chunk| chunk.valid().chars().any(char::is_control))
}
