//! What can go wrong beneath a root. Holds `RelPath`s only, so no host path can reach a message.

use std::fmt;
use std::io;

use crate::rel_path::RelPath;

/// A failed operation beneath a root: what went wrong, and at which path.
#[derive(Debug)]
pub struct Error {
    /// What went wrong.
    pub kind: ErrorKind,
    /// The path as it was asked for.
    pub path: RelPath,
}

/// What went wrong, told apart where a caller would act differently.
#[derive(Debug)]
pub enum ErrorKind {
    /// Nothing there, or a link whose target inside the root is missing.
    NotFound,
    /// The path, or a link on its way, leads out of the root.
    Outside,
    /// A component before the last is no folder.
    NotADirectory,
    /// A folder where a file is needed.
    IsADirectory,
    /// A pipe, socket, device, or a file of a kernel file system.
    NotRegular,
    /// The operating system refused.
    PermissionDenied,
    /// Another program has it open in a way that does not go with this: mostly on Windows.
    InUse,
    /// Links that lead in a circle, or more than 40 of them.
    LinkLoop,
    /// A link, where the mode allows none.
    LinkRefused,
    /// A file with several names, where the mode allows one.
    HardLinked,
    /// Another file system, where the mode stays on one.
    OtherFilesystem,
    /// A component longer than the file system takes.
    NameTooLong,
    /// The disk or a quota is full, or a file-size limit is reached.
    NoSpace,
    /// The file system is mounted read-only.
    ReadOnlyFilesystem,
    /// Something is there that should not be.
    Exists,
    /// The file is not the one it was.
    Changed,
    /// The file system or platform cannot do this.
    Unsupported,
    /// Anything else the operating system said.
    Other(io::Error),
}

/// The result of an operation beneath a root.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    pub(crate) fn new(kind: ErrorKind, path: &RelPath) -> Self {
        Self {
            kind,
            path: path.clone(),
        }
    }

    /// Sorts what the operating system said about `path`.
    pub(crate) fn io(error: io::Error, path: &RelPath) -> Self {
        Self::new(crate::platform::sort_error(error), path)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match &self.kind {
            ErrorKind::NotFound => "not found",
            ErrorKind::Outside => "leads out of the root",
            ErrorKind::NotADirectory => "a component is not a directory",
            ErrorKind::IsADirectory => "is a directory",
            ErrorKind::NotRegular => "not a regular file",
            ErrorKind::PermissionDenied => "permission denied",
            ErrorKind::InUse => "open in another program",
            ErrorKind::LinkLoop => "too many symbolic links",
            ErrorKind::LinkRefused => "symbolic link refused",
            ErrorKind::HardLinked => "has more than one name",
            ErrorKind::OtherFilesystem => "on another file system",
            ErrorKind::NameTooLong => "name too long",
            ErrorKind::NoSpace => "no space left on device",
            ErrorKind::ReadOnlyFilesystem => "read-only file system",
            ErrorKind::Exists => "already exists",
            ErrorKind::Changed => "changed meanwhile",
            ErrorKind::Unsupported => "not supported here",
            ErrorKind::Other(error) => return write!(f, "{error}: {}", self.path),
        };
        write!(f, "{what}: {}", self.path)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.kind {
            ErrorKind::Other(error) => Some(error),
            _ => None,
        }
    }
}
