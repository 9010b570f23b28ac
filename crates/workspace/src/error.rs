//! What can go wrong, as values: the sentence for the caller and the hint that follows it.

#[cfg(test)]
mod tests;

use std::fmt;

use rooted::{ErrorKind, RelPath};

use crate::commands::Fault;

/// A failure that a caller can act on. `Display` is one short sentence; [`Error::hint`] the next step.
#[derive(Debug)]
pub enum Error {
    /// The path argument is empty or blank.
    EmptyPath,
    /// The path argument holds a NUL byte.
    NulInPath,
    /// A name about to be made holds a control character.
    ControlInPath,
    /// The path leads out of the workspace; holds the argument as given.
    Outside(String),
    /// A component that should be a folder is not; holds the argument as given.
    ComponentNotADirectory(String),
    /// No file there.
    FileNotFound(RelPath),
    /// Nothing there.
    PathNotFound(RelPath),
    /// A folder where a file is needed.
    IsADirectory(RelPath),
    /// A file where a folder is needed.
    NotADirectory(RelPath),
    /// A pipe, socket or device, or a file of a kernel file system.
    NotRegular(RelPath),
    /// The operating system refused.
    PermissionDenied(RelPath),
    /// Another program has it open in a way that does not go with this.
    InUse(RelPath),
    /// Links that lead in a circle.
    LinkLoop(RelPath),
    /// A name longer than the file system takes.
    NameTooLong(RelPath),
    /// The disk or a quota is full.
    NoSpace(RelPath),
    /// The file system is mounted read-only.
    ReadOnlyFilesystem(RelPath),
    /// Binary content where text is needed.
    Binary(RelPath),
    /// Too large to edit: size and limit in bytes.
    TooLarge {
        /// The file.
        path: RelPath,
        /// Its size in bytes.
        size: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// The text to replace does not occur; the hint tells the nearest place.
    TextNotFound {
        /// The file.
        path: RelPath,
        /// Where the text nearly occurs, and what differs.
        nearest: Option<String>,
    },
    /// The text to replace occurs more than once.
    TextAmbiguous {
        /// The file.
        path: RelPath,
        /// How often it occurs.
        count: usize,
        /// The line numbers of the first occurrences.
        lines: Vec<u64>,
    },
    /// The file would grow beyond what an edit makes: size and limit in bytes.
    ResultTooLarge {
        /// The file.
        path: RelPath,
        /// The size it would have.
        size: u64,
    },
    /// An edit with text outside ASCII in a file that is not valid UTF-8.
    NotUtf8(RelPath),
    /// The content is not what the caller expected.
    ChangedSinceRead(RelPath),
    /// Another process kept changing the file while it was edited.
    KeepsChanging(RelPath),
    /// As [`Error::KeepsChanging`], and a version of it that could not be put back is kept beside it.
    ConflictCopy {
        /// The file.
        path: RelPath,
        /// The name that the other version has now.
        copy: RelPath,
    },
    /// A component no writing tool may touch.
    Protected(RelPath),
    /// Hidden by the path policy.
    Denied(RelPath),
    /// Closed to writing by the path policy.
    ReadOnlyPath(RelPath),
    /// The whole workspace is closed to writing.
    ReadOnlyWorkspace(String),
    /// Another name for the same text (Unicode forms, spaces) is already there.
    EquivalentName(RelPath),
    /// No workspace has that name; holds the name and the ones there are.
    UnknownWorkspace {
        /// The name asked for.
        name: String,
        /// The names there are, in order.
        available: Vec<String>,
    },
    /// The root folder is gone; holds its configured path.
    RootGone(String),
    /// Another process holds the workspace lock.
    Busy,
    /// There is no place for recovery data.
    NotWritable,
    /// A note of more bytes than one may have.
    NoteTooLarge(usize),
    /// A note that is not on disk; holds what stood in the way.
    NoteNotStored(Box<Error>),
    /// No change has that id.
    ChangeNotFound(String),
    /// No change was named, and none is active.
    NoActiveChange,
    /// The change has no tasks of these ids.
    UnknownTasks(Vec<String>),
    /// The record of a change, or one of its documents, would have too many bytes.
    RecordTooLarge {
        /// The file.
        path: RelPath,
        /// The bytes it would have.
        size: u64,
    },
    /// The pattern does not compile; holds the pattern and the reason.
    BadPattern {
        /// The pattern as given.
        pattern: String,
        /// Why it does not compile.
        reason: String,
    },
    /// One edit of a patch failed.
    Edit {
        /// The edit, counted from 0.
        index: usize,
        /// Why.
        cause: Box<Error>,
        /// The file at fault as it should be shown, for causes that do not name it.
        path: String,
    },
    /// No git program where programs are looked for.
    GitNotFound,
    /// Git took too long; holds its command.
    GitTimedOut(&'static str),
    /// The folder belongs to no repository; holds the configured path of the root.
    NotARepository(String),
    /// Git, or what it needs, failed; holds the sentence that says why.
    GitFailed(String),
    /// A command was not run, or a job not found.
    Command(Box<Fault>),
    /// The caller gave up or time ran out.
    Cancelled,
    /// Anything else the operating system says; the source goes to the log only.
    Io {
        /// The file at fault.
        path: RelPath,
        /// What the operating system said.
        source: std::io::Error,
    },
}

impl Error {
    /// The file at fault, when the failure is about one.
    #[must_use]
    pub fn path(&self) -> Option<&RelPath> {
        match self {
            Self::FileNotFound(path)
            | Self::PathNotFound(path)
            | Self::IsADirectory(path)
            | Self::NotADirectory(path)
            | Self::NotRegular(path)
            | Self::PermissionDenied(path)
            | Self::InUse(path)
            | Self::LinkLoop(path)
            | Self::NameTooLong(path)
            | Self::NoSpace(path)
            | Self::ReadOnlyFilesystem(path)
            | Self::Binary(path)
            | Self::TooLarge { path, .. }
            | Self::TextNotFound { path, .. }
            | Self::TextAmbiguous { path, .. }
            | Self::ResultTooLarge { path, .. }
            | Self::RecordTooLarge { path, .. }
            | Self::NotUtf8(path)
            | Self::ChangedSinceRead(path)
            | Self::KeepsChanging(path)
            | Self::ConflictCopy { path, .. }
            | Self::Protected(path)
            | Self::Denied(path)
            | Self::ReadOnlyPath(path)
            | Self::EquivalentName(path)
            | Self::Io { path, .. } => Some(path),
            Self::Edit { cause, .. } | Self::NoteNotStored(cause) => cause.path(),
            Self::EmptyPath
            | Self::NulInPath
            | Self::ControlInPath
            | Self::Outside(_)
            | Self::ComponentNotADirectory(_)
            | Self::ReadOnlyWorkspace(_)
            | Self::UnknownWorkspace { .. }
            | Self::RootGone(_)
            | Self::Busy
            | Self::NotWritable
            | Self::NoteTooLarge(_)
            | Self::ChangeNotFound(_)
            | Self::NoActiveChange
            | Self::UnknownTasks(_)
            | Self::BadPattern { .. }
            | Self::GitNotFound
            | Self::GitTimedOut(_)
            | Self::NotARepository(_)
            | Self::GitFailed(_)
            | Self::Command(_)
            | Self::Cancelled => None,
        }
    }

    /// The next step for the caller, when there is one worth saying.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::TextNotFound { nearest, .. } => nearest.clone(),
            Self::TextAmbiguous { lines, .. } if !lines.is_empty() => {
                let shown: Vec<String> = lines.iter().map(u64::to_string).collect();
                Some(format!("it is at lines {}", shown.join(", ")))
            }
            Self::ConflictCopy { copy, .. } => Some(format!(
                "a version of it that could not be put back is in `{copy}`"
            )),
            Self::BadPattern { .. } => {
                Some("pass literal=true to search for the text as it is".to_owned())
            }
            Self::Edit { cause, .. } => cause.hint(),
            Self::Command(fault) => fault.hint(),
            _ => None,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::EmptyPath => f.write_str("path must be a non-empty string"),
            Self::NulInPath => f.write_str("path contains a NUL byte"),
            Self::ControlInPath => f.write_str("path contains a control character"),
            Self::Outside(input) => write!(
                f,
                "path outside workspace root: {}",
                rooted::show(input.as_bytes())
            ),
            Self::ComponentNotADirectory(input) => write!(
                f,
                "invalid path (a path component is not a directory): {}",
                rooted::show(input.as_bytes())
            ),
            Self::FileNotFound(path) => write!(f, "file not found: {path}"),
            Self::PathNotFound(path) => write!(f, "path not found: {path}"),
            Self::IsADirectory(path) => write!(f, "path is a directory, not a file: {path}"),
            Self::NotADirectory(path) => write!(f, "not a directory: {path}"),
            Self::NotRegular(path) => write!(f, "not a regular file: {path}"),
            Self::PermissionDenied(path) => write!(f, "permission denied: {path}"),
            Self::InUse(path) => write!(
                f,
                "open in another program; close it there and try again: {path}"
            ),
            Self::LinkLoop(path) => write!(f, "too many symbolic links: {path}"),
            Self::NameTooLong(path) => write!(f, "name too long: {path}"),
            Self::NoSpace(path) => write!(f, "no space left on device: {path}"),
            Self::ReadOnlyFilesystem(path) => write!(f, "read-only file system: {path}"),
            Self::Binary(path) => write!(f, "binary file cannot be read as text: {path}"),
            Self::TooLarge { path, size, limit } => {
                write!(
                    f,
                    "file too large to open ({size} bytes; limit {limit}): {path}"
                )
            }
            Self::TextNotFound { path, .. } => write!(f, "oldString not found in {path}"),
            Self::TextAmbiguous { path, count, .. } => write!(
                f,
                "oldString appears {count} times in {path}; add more surrounding context or set replaceAll=true"
            ),
            Self::ResultTooLarge { path, size } => write!(
                f,
                "file would become too large ({size} bytes; limit {}): {path}",
                crate::edit::RESULT_BYTES
            ),
            Self::NotUtf8(path) => {
                write!(f, "not valid UTF-8; only ASCII text can be edited: {path}")
            }
            Self::ChangedSinceRead(path) => write!(f, "file changed since it was read: {path}"),
            Self::KeepsChanging(path) | Self::ConflictCopy { path, .. } => {
                write!(f, "file is being changed by another process: {path}")
            }
            Self::Protected(path) => write!(f, "protected path: {path}"),
            Self::Denied(path) => write!(f, "path denied by policy: {path}"),
            Self::ReadOnlyPath(path) => write!(f, "path is read-only: {path}"),
            Self::ReadOnlyWorkspace(name) => write!(f, "workspace \"{name}\" is read-only"),
            Self::EquivalentName(path) => {
                write!(f, "a file with an equivalent name exists: {path}")
            }
            Self::UnknownWorkspace { name, available } => write!(
                f,
                "unknown workspace \"{}\". Available: {}",
                rooted::show(name.as_bytes()),
                available.join(", ")
            ),
            Self::RootGone(root) => write!(f, "workspace root does not exist: {root}"),
            Self::Busy => f.write_str("workspace is busy: another process is writing"),
            Self::NotWritable => f.write_str(
                "workspace is not writable: no place for recovery data; start with --state-dir",
            ),
            Self::NoteTooLarge(len) => write!(
                f,
                "note too large ({len} bytes; limit {})",
                crate::limits::NOTE_BYTES
            ),
            Self::NoteNotStored(cause) => write!(f, "note was not stored: {cause}"),
            Self::ChangeNotFound(id) => {
                write!(f, "change not found: {}", rooted::show(id.as_bytes()))
            }
            Self::NoActiveChange => {
                f.write_str("no active change: pass changeId or create one with change_create")
            }
            Self::UnknownTasks(ids) => write!(
                f,
                "unknown task id(s): {}",
                rooted::show(ids.join(", ").as_bytes())
            ),
            Self::RecordTooLarge { path, size } => write!(
                f,
                "file would become too large ({size} bytes; limit {}): {path}",
                crate::limits::CHANGE_BYTES
            ),
            Self::BadPattern { pattern, reason } => {
                write!(
                    f,
                    "invalid regex: Invalid regular expression: /{}/: {reason}",
                    rooted::show(pattern.as_bytes())
                )
            }
            Self::Edit { index, cause, path } => {
                let text = cause.to_string();
                if path.is_empty() || text.ends_with(&format!(": {path}")) {
                    write!(f, "edit[{index}] failed: {text}")
                } else {
                    write!(f, "edit[{index}] failed: {text}: {path}")
                }
            }
            Self::GitNotFound => f.write_str("git not found in PATH"),
            Self::GitTimedOut(command) => write!(f, "git {command} timed out"),
            Self::NotARepository(root) => write!(f, "not a git repository: {root}"),
            Self::GitFailed(reason) => f.write_str(reason),
            Self::Command(fault) => write!(f, "{fault}"),
            Self::Cancelled => f.write_str("cancelled before it was done"),
            Self::Io { path, source } => {
                f.write_str("unexpected internal error: ")?;
                // What the system says names no paths; anything else may.
                if source.raw_os_error().is_some() {
                    write!(f, "{source}: ")?;
                }
                write!(f, "{path}")
            }
        }
    }
}

impl From<rooted::Error> for Error {
    fn from(error: rooted::Error) -> Self {
        let path = error.path;
        match error.kind {
            ErrorKind::NotFound => Self::PathNotFound(path),
            ErrorKind::Outside => Self::Outside(path.to_string()),
            ErrorKind::NotADirectory => Self::ComponentNotADirectory(path.to_string()),
            ErrorKind::IsADirectory => Self::IsADirectory(path),
            ErrorKind::NotRegular => Self::NotRegular(path),
            ErrorKind::PermissionDenied => Self::PermissionDenied(path),
            ErrorKind::InUse => Self::InUse(path),
            ErrorKind::LinkLoop | ErrorKind::LinkRefused => Self::LinkLoop(path),
            ErrorKind::NameTooLong => Self::NameTooLong(path),
            ErrorKind::NoSpace => Self::NoSpace(path),
            ErrorKind::ReadOnlyFilesystem => Self::ReadOnlyFilesystem(path),
            ErrorKind::Changed => Self::KeepsChanging(path),
            ErrorKind::Exists
            | ErrorKind::HardLinked
            | ErrorKind::OtherFilesystem
            | ErrorKind::Unsupported => {
                let source = std::io::Error::other(rooted::Error {
                    kind: error.kind,
                    path: path.clone(),
                });
                Self::Io { path, source }
            }
            ErrorKind::Other(source) => Self::Io { path, source },
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { source, .. } => Some(source),
            Self::Edit { cause, .. } | Self::NoteNotStored(cause) => Some(cause),
            _ => None,
        }
    }
}
