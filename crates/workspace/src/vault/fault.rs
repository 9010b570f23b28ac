//! What can go wrong with notes and tasks: the sentence for the caller and the hint that follows it.

use std::fmt;

use rooted::{ErrorKind, RelPath};

use super::path::{PathFault, TASKS_FILE};
use crate::error::Error;

/// A failure that a caller can act on. `Display` is one short sentence; [`Fault::hint`] the next step.
#[derive(Debug)]
pub enum Fault {
    /// Not the path of a note or folder.
    Path(PathFault),
    /// No note there.
    NoteNotFound(RelPath),
    /// No folder there.
    FolderNotFound(RelPath),
    /// Not UTF-8.
    NotUtf8(RelPath),
    /// The note is larger than what is read in one piece, and no hash says that it is known.
    NotReadInFull,
    /// The note is not what the caller expected.
    Changed(RelPath),
    /// Some file system would take the new name for one that is there.
    Twin(String),
    /// Something has the name that a note is to get.
    Taken(RelPath),
    /// The note is reached by a link; holds where it really is.
    Link(RelPath),
    /// More text in one write than is allowed: bytes, and the limit.
    TooMuch {
        /// Bytes that were given.
        size: usize,
        /// The limit in bytes.
        limit: u64,
    },
    /// The text to replace does not occur.
    TextNotFound {
        /// The note.
        path: RelPath,
        /// Where the text nearly occurs, and what differs.
        nearest: Option<String>,
    },
    /// The text to replace occurs more than once.
    TextAmbiguous {
        /// The note.
        path: RelPath,
        /// How often it occurs.
        count: usize,
        /// The line numbers of the first occurrences.
        lines: Vec<u64>,
    },
    /// The tasks file is not what it should be, at this line and column.
    Tasks {
        /// The line, from 1.
        line: usize,
        /// The column in characters, from 1.
        column: usize,
        /// What is wrong.
        what: String,
    },
    /// The tasks file is, or would become, larger than what is read: bytes, and the limit.
    TasksTooLarge {
        /// The size in bytes.
        size: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// No task has that id; holds it.
    TaskNotFound(String),
    /// The task stands in a note, and what was asked is done with the tools for notes.
    TaskInNote(&'static str),
    /// An argument that does not fit; holds what is wrong.
    Argument(String),
    /// What the workspace says.
    Workspace(Error),
}

impl Fault {
    /// The next step for the caller, when there is one worth saying.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::NotReadInFull => Some(
                "read it in parts with notes_read offset and limit, then pass its sha256 as \
                 expected_sha256; or change a part with notes_edit"
                    .to_owned(),
            ),
            Self::Changed(_) => Some("read it again and pass the sha256 of that answer".to_owned()),
            Self::TextNotFound { nearest, .. } => nearest.clone(),
            Self::TextAmbiguous { lines, .. } if !lines.is_empty() => {
                let shown: Vec<String> = lines.iter().map(u64::to_string).collect();
                Some(format!("it is at lines {}", shown.join(", ")))
            }
            Self::Tasks { .. } | Self::TasksTooLarge { .. } => Some(
                "nothing was written; the file must be mended by hand before tasks can be used"
                    .to_owned(),
            ),
            Self::TaskNotFound(_) => Some("tasks_list shows the ids as they are now".to_owned()),
            Self::Workspace(Error::RootGone(_)) => {
                Some("it must be put back, or the server started with its new place".to_owned())
            }
            Self::Workspace(error) => error.hint(),
            _ => None,
        }
    }

    /// What a failure to reach the note or folder `path` means.
    pub(super) fn reaching(error: rooted::Error, path: &RelPath) -> Self {
        match error.kind {
            ErrorKind::NotFound | ErrorKind::NotADirectory => Self::NoteNotFound(path.clone()),
            ErrorKind::Outside => Self::Path(PathFault::Outside),
            _ => Self::Workspace(error.into()),
        }
    }

    /// An input or output error at a path.
    pub(super) fn io(source: std::io::Error, path: &RelPath) -> Self {
        let path = path.clone();
        Self::Workspace(Error::Io { path, source })
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path(fault) => write!(f, "{fault}"),
            Self::NoteNotFound(path) => write!(f, "note not found: {path}"),
            Self::FolderNotFound(path) => write!(f, "folder not found: {path}"),
            Self::NotUtf8(path) => write!(f, "note is not UTF-8 text: {path}"),
            Self::NotReadInFull => {
                f.write_str("note is larger than --max-read-bytes and was not read in full")
            }
            Self::Changed(path) => write!(f, "note changed since it was read: {path}"),
            Self::Twin(name) => {
                let name = rooted::show(name.as_bytes());
                write!(f, "a note or folder with an equivalent name exists: {name}")
            }
            Self::Taken(path) => write!(f, "there is a note or folder at the new path: {path}"),
            Self::Link(path) => write!(f, "path is a link; the note itself is {path}"),
            Self::TooMuch { size, limit } => write!(
                f,
                "text is larger than --max-write-bytes ({size} bytes; limit {limit})"
            ),
            Self::TextNotFound { path, .. } => write!(f, "oldString not found in {path}"),
            Self::TextAmbiguous { path, count, .. } => write!(
                f,
                "oldString appears {count} times in {path}; add text around it until it is unique"
            ),
            Self::Tasks { line, column, what } => {
                write!(
                    f,
                    "{TASKS_FILE} is invalid at line {line}, column {column}: {what}"
                )
            }
            Self::TasksTooLarge { size, limit } => write!(
                f,
                "{TASKS_FILE} is larger than --max-read-bytes ({size} bytes; limit {limit})"
            ),
            Self::TaskNotFound(id) => {
                let id: String = id.chars().take(200).collect();
                write!(f, "task not found: {}", rooted::show(id.as_bytes()))
            }
            Self::TaskInNote(how) => write!(f, "the task is a line of a note: {how}"),
            Self::Argument(what) => f.write_str(what),
            // Where the folder is on this machine is nobody's business, and there is no option to
            // keep recovery data elsewhere.
            Self::Workspace(Error::RootGone(_)) => f.write_str("the folder of notes is gone"),
            Self::Workspace(Error::NotWritable) => {
                f.write_str("the folder of notes is not writable for this server")
            }
            Self::Workspace(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for Fault {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Workspace(error) => Some(error),
            _ => None,
        }
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self::Workspace(error)
    }
}

impl From<PathFault> for Fault {
    fn from(fault: PathFault) -> Self {
        Self::Path(fault)
    }
}

#[cfg(test)]
mod tests {
    use super::{Error, Fault};

    #[test]
    fn neither_the_place_of_the_folder_nor_an_option_that_is_none_is_told() {
        for (error, told) in [
            (
                Error::RootGone("/home/ann/notes".to_owned()),
                "the folder of notes is gone",
            ),
            (
                Error::NotWritable,
                "the folder of notes is not writable for this server",
            ),
        ] {
            let fault = Fault::from(error);
            assert_eq!(fault.to_string(), told);
            let hint = fault.hint().unwrap_or_default();
            assert!(!hint.contains("/home") && !hint.contains("--"), "{hint}");
        }
    }
}
