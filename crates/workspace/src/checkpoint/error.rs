//! What can go wrong with checkpoints, told apart where a caller answers differently.

use std::fmt;

use rooted::RelPath;

/// A failed operation on the checkpoints. `Display` is one short sentence without paths of the host.
#[derive(Debug)]
pub enum Error {
    /// What is at `.git` is no repository of this server; holds what gave it away.
    Foreign(&'static str),
    /// No checkpoint has this id; holds the text as given.
    Unknown(String),
    /// More than one checkpoint has an id that starts like this.
    Ambiguous,
    /// An object or a file of the repository is missing or cannot be read; holds what.
    Damaged(String),
    /// Anything that is not about the repository as such: the disk, a path, the lock, the caller's end.
    Workspace(crate::Error),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Foreign(why) => write!(f, "existing git repository is not supported: {why}"),
            Self::Unknown(id) => {
                write!(f, "unknown checkpoint: {}", rooted::show(id.as_bytes()))
            }
            Self::Ambiguous => f.write_str("ambiguous checkpoint id"),
            Self::Damaged(what) => write!(f, "the checkpoints are damaged: {what}"),
            Self::Workspace(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Workspace(error) => Some(error),
            Self::Foreign(_) | Self::Unknown(_) | Self::Ambiguous | Self::Damaged(_) => None,
        }
    }
}

impl From<crate::Error> for Error {
    fn from(error: crate::Error) -> Self {
        Self::Workspace(error)
    }
}

impl From<rooted::Error> for Error {
    fn from(error: rooted::Error) -> Self {
        Self::Workspace(error.into())
    }
}

/// What the system said about a file that is open already.
pub(super) fn io(source: std::io::Error, path: &RelPath) -> Error {
    Error::Workspace(crate::Error::Io {
        path: path.clone(),
        source,
    })
}

pub(super) fn damaged(what: impl fmt::Display) -> Error {
    Error::Damaged(what.to_string())
}

/// The folder of the repository was taken away while it was in use.
pub(super) fn gone() -> Error {
    damaged("`.git` is gone; put it back, or start anew for a new history")
}
