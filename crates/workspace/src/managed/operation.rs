//! The operations of one call, as they were asked for, and what became of them.

/// One operation. Paths are as the caller spelled them, hashes 64 hexadecimal digits in any case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Makes a file, and the folders above it; with a hash also writes over a file of that version.
    CreateFile {
        /// The file.
        path: String,
        /// What it holds then.
        content: String,
        /// How that becomes bytes.
        encoding: Encoding,
        /// The version that may be written over.
        expected_sha256: Option<String>,
    },
    /// Gives a file new content.
    ReplaceFile {
        /// The file.
        path: String,
        /// What it holds then.
        content: String,
        /// How that becomes bytes.
        encoding: Encoding,
        /// The version it must be.
        expected_sha256: String,
    },
    /// Replaces a text that occurs once in a file.
    ReplaceText {
        /// The file.
        path: String,
        /// The version it must be.
        expected_sha256: String,
        /// The text; not empty.
        old_text: String,
        /// What takes its place.
        new_text: String,
    },
    /// Makes a folder, and those above it.
    CreateDirectory {
        /// The folder.
        path: String,
    },
    /// Gives a file or folder another path, at which nothing is; makes the folders above it.
    Move {
        /// Where it is.
        source: String,
        /// Where it is then.
        destination: String,
    },
    /// Deletes a file.
    DeleteFile {
        /// The file.
        path: String,
        /// The version it must be.
        expected_sha256: String,
    },
    /// Deletes a folder in which nothing is.
    DeleteEmptyDirectory {
        /// The folder.
        path: String,
    },
}

/// How text becomes bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8.
    #[default]
    Utf8,
    /// UTF-8 behind a byte order mark.
    Utf8Sig,
}

/// What became of one operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Done {
    /// The kind of operation: see [`Operation::name`].
    pub op: &'static str,
    /// Its path as given; of a move, the destination.
    pub path: String,
    /// The SHA-256 of the file it wrote.
    pub sha256: Option<String>,
}

/// What one call did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Applied {
    /// The operations, in order.
    pub applied: Vec<Done>,
    /// The checkpoint of the state after them.
    pub checkpoint: String,
    /// The checkpoint of the state before them.
    pub pre_checkpoint: String,
}

impl Operation {
    /// The kind of operation, as callers name it.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::CreateFile { .. } => "create_file",
            Self::ReplaceFile { .. } => "replace_file",
            Self::ReplaceText { .. } => "replace_text",
            Self::CreateDirectory { .. } => "create_directory",
            Self::Move { .. } => "move",
            Self::DeleteFile { .. } => "delete_file",
            Self::DeleteEmptyDirectory { .. } => "delete_empty_directory",
        }
    }

    /// The version that its file must be, if it names one.
    #[must_use]
    pub fn expected_sha256(&self) -> Option<&str> {
        match self {
            Self::CreateFile {
                expected_sha256, ..
            } => expected_sha256.as_deref(),
            Self::ReplaceFile {
                expected_sha256, ..
            }
            | Self::ReplaceText {
                expected_sha256, ..
            }
            | Self::DeleteFile {
                expected_sha256, ..
            } => Some(expected_sha256),
            Self::CreateDirectory { .. }
            | Self::Move { .. }
            | Self::DeleteEmptyDirectory { .. } => None,
        }
    }

    /// The path that an answer names: of a move, the destination.
    #[must_use]
    pub fn path(&self) -> &str {
        match self {
            Self::CreateFile { path, .. }
            | Self::ReplaceFile { path, .. }
            | Self::ReplaceText { path, .. }
            | Self::CreateDirectory { path }
            | Self::DeleteFile { path, .. }
            | Self::DeleteEmptyDirectory { path }
            | Self::Move {
                destination: path, ..
            } => path,
        }
    }
}
