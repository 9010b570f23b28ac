//! What the `managed` toolset fails with: a code that programs act on, and a sentence.

use std::fmt;

use crate::error::Error as Cause;

/// A failure: its code, and a sentence that names no path of the host.
///
/// `Display` is the line that callers see: `ERROR [CODE]: message`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// What kind of failure it is.
    pub code: Code,
    /// What is wrong.
    pub message: String,
    /// Which of several operations it is about, counted from 0.
    pub operation: Option<usize>,
}

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $text:literal,)*) => {
        /// The kinds of failures. Their texts never change.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Code {
            $($(#[$doc])* $name,)*
        }

        impl Code {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The code as callers see it.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)*
                }
            }
        }
    };
}

codes! {
    /// Anything that no other code fits.
    InternalError = "INTERNAL_ERROR",
    /// A path that leads out of the workspace.
    PathOutsideWorkspace = "PATH_OUTSIDE_WORKSPACE",
    /// An absolute path, or one with a drive.
    AbsolutePathForbidden = "ABSOLUTE_PATH_FORBIDDEN",
    /// A path with `..`.
    PathTraversalForbidden = "PATH_TRAVERSAL_FORBIDDEN",
    /// A path into the repository or the state folder.
    InternalPathForbidden = "INTERNAL_PATH_FORBIDDEN",
    /// A path with an excluded name.
    ExcludedPath = "EXCLUDED_PATH",
    /// A path that is no good name on some system.
    InvalidPath = "INVALID_PATH",
    /// A name that Windows keeps for a device.
    WindowsReservedName = "WINDOWS_RESERVED_NAME",
    /// A link, or another file system, on the way.
    ReparsePointForbidden = "REPARSE_POINT_FORBIDDEN",
    /// A file with several names.
    HardlinkForbidden = "HARDLINK_FORBIDDEN",
    /// Content beyond what is kept.
    FileTooLarge = "FILE_TOO_LARGE",
    /// A file beyond what is read.
    ReadTooLarge = "READ_TOO_LARGE",
    /// Content that is not text.
    BinaryFileUnsupported = "BINARY_FILE_UNSUPPORTED",
    /// A file that is not the version that was read.
    HashMismatch = "HASH_MISMATCH",
    /// A text that does not occur.
    TextNotFound = "TEXT_NOT_FOUND",
    /// A text that occurs more than once.
    TextNotUnique = "TEXT_NOT_UNIQUE",
    /// Operations that cannot be done together, or were taken back.
    TransactionFailed = "TRANSACTION_FAILED",
    /// Operations that could not even be taken back.
    RollbackFailed = "ROLLBACK_FAILED",
    /// A repository that somebody else made.
    ExistingGitRepositoryNotSupported = "EXISTING_GIT_REPOSITORY_NOT_SUPPORTED",
    /// An id that no checkpoint has, or more than one.
    CheckpointNotFound = "CHECKPOINT_NOT_FOUND",
    /// An operation that the configuration forbids.
    OperationNotAllowed = "OPERATION_NOT_ALLOWED",
    /// Nothing there.
    FileNotFound = "FILE_NOT_FOUND",
    /// Something there already.
    FileAlreadyExists = "FILE_ALREADY_EXISTS",
    /// A file in the place of a folder, or the other way round.
    DirectoryExpected = "DIRECTORY_EXPECTED",
    /// A folder with something in it.
    DirectoryNotEmpty = "DIRECTORY_NOT_EMPTY",
    /// Kept for those who know it; nothing raises it.
    NotUnderSameRoot = "NOT_UNDER_SAME_ROOT",
    /// The history could not be read or written.
    GitError = "GIT_ERROR",
    /// The configuration is wrong.
    ConfigError = "CONFIG_ERROR",
}

impl Error {
    /// A failure of a kind.
    #[must_use]
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            operation: None,
        }
    }

    /// The same, of one of several operations.
    #[must_use]
    pub(super) fn of_operation(mut self, index: usize) -> Self {
        self.operation = Some(index);
        self
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ERROR [{}]: {}", self.code, self.message)
    }
}

impl std::error::Error for Error {}

impl From<Cause> for Error {
    fn from(cause: Cause) -> Self {
        let code = match &cause {
            Cause::FileNotFound(path) | Cause::PathNotFound(path) => {
                return Self::new(Code::FileNotFound, format!("not found: {path}"));
            }
            Cause::Outside(_) => Code::PathOutsideWorkspace,
            Cause::LinkLoop(path) => {
                return Self::new(
                    Code::ReparsePointForbidden,
                    format!("reparse point in path: {path}"),
                );
            }
            Cause::ComponentNotADirectory(_)
            | Cause::NotADirectory(_)
            | Cause::IsADirectory(_)
            | Cause::NotRegular(_) => Code::DirectoryExpected,
            Cause::NameTooLong(_) => Code::InvalidPath,
            Cause::TooLarge { .. } | Cause::ResultTooLarge { .. } => Code::FileTooLarge,
            // The other toolsets may keep it elsewhere.
            Cause::NotWritable => {
                return Self::new(
                    Code::InternalError,
                    "the workspace folder is not writable; see to its permissions",
                );
            }
            Cause::RootGone(_) => {
                return Self::new(
                    Code::InternalError,
                    "the workspace folder is gone; put it back or start anew",
                );
            }
            _ => Code::InternalError,
        };
        Self::new(code, cause.to_string())
    }
}
