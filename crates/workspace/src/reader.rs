//! `Reader`: what one call may see of a workspace, by path arguments as callers write them.
//!
//! Every tool reaches files through here, so the path policy is asked in one place: of the path as
//! it was asked for, and of where it really leads.

use std::collections::HashSet;
use std::sync::{Arc, OnceLock};

use rooted::{
    Dir, ErrorKind, File, FileId, Kind, Meta, PathFault, RelPath, Root, WalkOptions, Walked,
};
use unicode_normalization::UnicodeNormalization as _;

use crate::cancel::Cancel;
use crate::error::Error;
use crate::limits::FIXED_SKIPS;
use crate::policy::Policy;
use crate::workspace::Workspace;

/// Shared access to a workspace for one call.
#[derive(Debug)]
pub struct Reader<'a> {
    workspace: &'a Workspace,
    root: Arc<Root>,
    cancel: Cancel,
    hidden_files: OnceLock<HashSet<FileId>>,
}

/// What a path argument leads to.
#[derive(Debug)]
pub struct Found {
    /// Where it really is, after links.
    pub path: RelPath,
    /// What is there.
    pub meta: Meta,
    /// The name it was found under, when that differs from the one asked for in Unicode form or spaces only.
    pub found_as: Option<String>,
}

/// A file that a path argument leads to, open for reading.
#[derive(Debug)]
pub struct Opened {
    /// The file; its `path()` is where it really is.
    pub file: File,
    /// As in [`Found`].
    pub found_as: Option<String>,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(workspace: &'a Workspace, root: Arc<Root>, cancel: Cancel) -> Self {
        Self {
            workspace,
            root,
            cancel,
            hidden_files: OnceLock::new(),
        }
    }

    /// The workspace this reads.
    #[must_use]
    pub fn workspace(&self) -> &'a Workspace {
        self.workspace
    }

    /// The root. What is opened through it directly has passed no policy.
    #[must_use]
    pub fn root(&self) -> &Root {
        &self.root
    }

    /// What may be seen.
    #[must_use]
    pub fn policy(&self) -> &'a Policy {
        &self.workspace.policy
    }

    /// Tells loops to stop.
    #[must_use]
    pub fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    /// Opens the file that a path argument names.
    ///
    /// # Errors
    /// [`Error::FileNotFound`] and the other path errors; [`Error::Denied`] by the policy.
    pub fn open_file(&self, input: &str) -> Result<Opened, Error> {
        let (file, found_as) = self.reach(input, Root::open_file)?;
        self.permit_file(&file, input)?;
        Ok(Opened { file, found_as })
    }

    /// Opens the folder that a path argument names.
    ///
    /// # Errors
    /// [`Error::NotADirectory`], [`Error::PathNotFound`] and the other path errors.
    pub fn open_dir(&self, input: &str) -> Result<(Dir, Option<String>), Error> {
        let found = self.find(input)?;
        if found.meta.kind != Kind::Dir {
            return Err(Error::NotADirectory(found.path));
        }
        Ok((self.root.open_dir(&found.path)?, found.found_as))
    }

    /// Looks up what a path argument names.
    ///
    /// # Errors
    /// [`Error::PathNotFound`] and the other path errors; [`Error::Denied`] by the policy.
    pub fn find(&self, input: &str) -> Result<Found, Error> {
        let look = |root: &Root, path: &RelPath| root.find(path);
        let ((meta, path), found_as) = self.reach(input, look).map_err(|error| match error {
            Error::FileNotFound(path) => Error::PathNotFound(path),
            other => other,
        })?;
        if self.policy().is_denied(&path) {
            // The name asked for is the caller's own; where a link leads is not told.
            return Err(Error::Denied(self.parse(input)?));
        }
        Ok(Found {
            path,
            meta,
            found_as,
        })
    }

    /// Reads a path argument: relative to the root or absolute, inside it, and not denied.
    ///
    /// # Errors
    /// [`Error::EmptyPath`], [`Error::NulInPath`], [`Error::Outside`], [`Error::Denied`].
    pub fn parse(&self, input: &str) -> Result<RelPath, Error> {
        let path = RelPath::parse(input, &self.root.spellings()).map_err(|fault| match fault {
            PathFault::Empty => Error::EmptyPath,
            PathFault::Nul => Error::NulInPath,
            PathFault::Outside => Error::Outside(input.to_owned()),
        })?;
        self.permit(&path)?;
        Ok(path)
    }

    /// Refuses a path that the policy hides.
    ///
    /// # Errors
    /// [`Error::Denied`].
    pub fn permit(&self, path: &RelPath) -> Result<(), Error> {
        if self.policy().is_denied(path) {
            Err(Error::Denied(path.clone()))
        } else {
            Ok(())
        }
    }

    /// Refuses an open file that the policy hides, also when it is reached by another of its names.
    pub(crate) fn permit_file(&self, file: &File, input: &str) -> Result<(), Error> {
        if self.policy().is_denied(file.path()) {
            // The name asked for is the caller's own; where a link leads is not told.
            return Err(Error::Denied(self.parse(input)?));
        }
        if self.is_hidden_twin(file) {
            return Err(Error::Denied(self.parse(input)?));
        }
        Ok(())
    }

    /// Walks a folder without what the policy hides, and without the folders that no walk enters.
    ///
    /// # Errors
    /// The path errors of the start.
    pub fn walk(&self, options: &WalkOptions<'_>) -> Result<Arc<Walked>, Error> {
        let hidden = |path: &RelPath, _: Kind| self.policy().is_denied_entry(path);
        let options = WalkOptions {
            skip: &FIXED_SKIPS,
            hidden: self.policy().hides().then_some(&hidden),
            ..*options
        };
        Ok(rooted::walk(&self.root, &options)?)
    }

    /// Says whether an open file has a further name that the policy hides.
    ///
    /// Which files those are is found out at most once for each call, and only when a file with
    /// several names is met under a policy that hides something.
    #[must_use]
    pub fn is_hidden_twin(&self, file: &File) -> bool {
        file.meta().nlink > 1
            && self.policy().hides()
            && self
                .hidden_files
                .get_or_init(|| self.find_hidden_files())
                .contains(&file.meta().id)
    }

    /// The files with several names of which at least one is hidden.
    fn find_hidden_files(&self) -> HashSet<FileId> {
        let start = RelPath::root();
        let stop = || self.cancel.is_cancelled();
        let options = WalkOptions {
            files_only: true,
            include_ignored: true,
            stop: &stop,
            ..WalkOptions::new(&start)
        };
        let Ok(walked) = rooted::walk(&self.root, &options) else {
            return HashSet::new();
        };
        let denied = walked
            .entries
            .iter()
            .filter(|entry| self.policy().is_denied(&entry.path));
        let metas = denied.filter_map(|entry| self.root.meta(&entry.path).ok());
        metas
            .filter(|meta| meta.nlink > 1)
            .map(|meta| meta.id)
            .collect()
    }

    /// Runs `look` on the path that `input` names: as written, else read as an escaped name, else
    /// by the one sibling that is the same name in another Unicode form.
    fn reach<T>(
        &self,
        input: &str,
        look: impl Fn(&Root, &RelPath) -> rooted::Result<T>,
    ) -> Result<(T, Option<String>), Error> {
        let path = self.parse(input)?;
        let missing = match look(&self.root, &path) {
            Ok(found) => return Ok((found, None)),
            Err(error) if matches!(error.kind, ErrorKind::NotFound) => error,
            Err(error) => return Err(self.explain(error, input)),
        };
        if let Some(literal) = self.unshown(input)? {
            match look(&self.root, &literal) {
                Ok(found) => return Ok((found, None)),
                Err(error) if matches!(error.kind, ErrorKind::NotFound) => {}
                Err(error) => return Err(self.explain(error, input)),
            }
        }
        if let Some(twin) = self.twin(&path) {
            self.permit(&twin)?;
            let name = twin_name(&path, &twin);
            return match look(&self.root, &twin) {
                Ok(found) => Ok((found, Some(name))),
                Err(error) => Err(self.explain(error, input)),
            };
        }
        Err(self.explain(missing, input))
    }

    /// The path that an escaped name stands for, when it is one.
    pub(crate) fn unshown(&self, input: &str) -> Result<Option<RelPath>, Error> {
        let Some(bytes) = rooted::unshow(input) else {
            return Ok(None);
        };
        let Ok(path) = RelPath::from_bytes(&bytes) else {
            return Ok(None);
        };
        self.permit(&path)?;
        Ok(Some(path))
    }

    /// The path whose components equal those asked for after NFC and space folding, when exactly one fits.
    pub(crate) fn twin(&self, path: &RelPath) -> Option<RelPath> {
        if path.as_str().is_none_or(str::is_empty) {
            return None;
        }
        let mut real = RelPath::root();
        let mut differs = false;
        for name in path.components() {
            let next = real.join(name);
            if self.root.meta(&next).is_ok() {
                real = next;
                continue;
            }
            let wanted = fold(std::str::from_utf8(name).ok()?);
            let names = self.root.open_dir(&real).and_then(|dir| dir.list()).ok()?;
            // The name itself may be there all the same: a link that leads nowhere.
            let mut same = names.iter().filter(|(other, _)| {
                **other != *name
                    && std::str::from_utf8(other).is_ok_and(|other| fold(other) == wanted)
            });
            let (only, _) = same.next()?;
            if same.next().is_some() {
                return None;
            }
            real = real.join(only);
            differs = true;
        }
        differs.then_some(real)
    }

    /// Says what went wrong with a path argument, in the caller's own spelling where that is the point.
    pub(crate) fn explain(&self, error: rooted::Error, input: &str) -> Error {
        // What is there, and whether anything is, is not told of a hidden place either.
        if self.leads_to_hidden(&error.path) {
            return Error::Denied(error.path);
        }
        match error.kind {
            ErrorKind::NotFound => Error::FileNotFound(error.path),
            ErrorKind::Outside => Error::Outside(input.to_owned()),
            ErrorKind::NotADirectory => Error::ComponentNotADirectory(input.to_owned()),
            ErrorKind::IsADirectory => Error::IsADirectory(self.real(error.path)),
            ErrorKind::NotRegular => Error::NotRegular(self.real(error.path)),
            _ => Error::from(error),
        }
    }

    /// Says whether a path, or the beginning of one that cannot be reached, leads to what the policy
    /// hides.
    fn leads_to_hidden(&self, path: &RelPath) -> bool {
        if !self.policy().hides() {
            return false;
        }
        let mut start = RelPath::root();
        for name in path.components() {
            start = start.join(name);
            match self.root.locate(&start) {
                Ok(place) if self.policy().is_denied(&place.path) => return true,
                Ok(_) => {}
                Err(_) => return false,
            }
        }
        false
    }

    /// Where a path really leads, for messages; the path itself when that cannot be told.
    fn real(&self, path: RelPath) -> RelPath {
        match self.root.find(&path) {
            Ok((_, real)) if !self.policy().is_denied(&real) => real,
            _ => path,
        }
    }
}

/// The name that makes a twin differ from the path that was asked for: its own, or that of the
/// deepest folder that differs.
pub(crate) fn twin_name(path: &RelPath, twin: &RelPath) -> String {
    let pairs = path.components().zip(twin.components());
    let differing = pairs.filter(|(asked, found)| asked != found).last();
    rooted::show(differing.map_or(&[], |(_, found)| found))
}

/// Composes a name (NFC) and makes every kind of space a plain one.
pub(crate) fn fold(name: &str) -> String {
    name.nfc()
        .map(|c| {
            if c.is_whitespace() && c != '\n' {
                ' '
            } else {
                c
            }
        })
        .collect()
}

#[cfg(test)]
mod tests;
