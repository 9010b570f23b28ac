//! Why a call failed, in the words that callers know.

use std::borrow::Cow;
use std::fmt;

/// A call that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The sentence that says why.
    Told(Cow<'static, str>),
    /// The caller gave up.
    Cancelled,
}

impl Fault {
    pub(super) const BAD_PATH: Self = told("path is not a relative path inside the root");
    pub(super) const BOTH: Self = told("pass either query or any_of, not both");
    pub(super) const CHANGED_SINCE_READ: Self = told("file changed since it was read");
    pub(super) const CURSOR: Self = told("cursor is not valid");
    pub(super) const CURSOR_POSITION: Self = told("cursor position is not valid");
    pub(super) const DEPTH: Self = told("directory depth limit exceeded");
    pub(super) const DESTINATION: Self = told("destination is not a writable regular file");
    pub(super) const DIRECTORIES: Self = told("directory limit exceeded");
    pub(super) const EMPTY_QUERY: Self = told("query must be a non-empty string");
    pub(super) const ENTRIES: Self = told("directory entry limit exceeded");
    pub(super) const EXCLUDED: Self = told("path matches an --exclude pattern of this root");
    pub(super) const FILES: Self = told("file limit exceeded");
    pub(super) const HASHING: Self =
        told("deterministic cursor hashing exceeds the configured byte ceiling");
    pub(super) const ITEM_TOO_LARGE: Self = told("one result item exceeds the result ceiling");
    pub(super) const LIMIT: Self = told("limit must be a positive integer");
    pub(super) const LINE_TOO_FAR: Self =
        told("start_line is further into the file than one page may scan");
    pub(super) const MOVING: Self = told("filesystem changed while reading");
    pub(super) const NAME: Self = told(
        "path must be one lowercase basename of letters, digits, dots, underscores, or hyphens",
    );
    pub(super) const NOT_A_FILE: Self = told("path must name a file");
    pub(super) const NOT_INCLUDED: Self = told("path matches no --include pattern of this root");
    pub(super) const NOT_READABLE: Self = told("path is not a readable regular file");
    pub(super) const NOT_SERVED: Self = told("path is not served by this root");
    pub(super) const NOT_UTF8: Self = told("file is not valid UTF-8");
    pub(super) const NO_ROOT_LEVEL: Self = told(
        "no --include pattern of this root matches a file in the root itself, so no write can be \
         accepted; a write names one basename and lands in the root, so add an --include pattern \
         without a directory prefix, such as '**'",
    );
    pub(super) const OTHER_TRAVERSAL: Self = told("cursor was issued for a different traversal");
    pub(super) const QUERY_LINE: Self = told("query must be one line of at most 256 UTF-8 bytes");
    pub(super) const READ_FAILED: Self = told("read failed");
    pub(super) const RESULT_CEILING: Self = told("result ceiling is too small");
    pub(super) const ROOT_GONE: Self = told("root does not exist");
    pub(super) const SINCE_CURSOR: Self =
        told("the filesystem changed since this cursor was issued; start the traversal again");
    pub(super) const START_LINE: Self = told("start_line must be a positive integer");
    pub(super) const TOO_LARGE: Self = told("file exceeds the configured size limit");
    pub(super) const WRITE_FAILED: Self = told("write failed");
}

const fn told(text: &'static str) -> Fault {
    Fault::Told(Cow::Borrowed(text))
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Told(text) => f.write_str(text),
            Self::Cancelled => f.write_str("cancelled before it was done"),
        }
    }
}

impl std::error::Error for Fault {}
