//! Unix: names are bytes.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

/// The bytes of a name.
#[expect(
    clippy::unnecessary_wraps,
    reason = "names on Windows need not be UTF-8"
)]
pub(crate) fn name_bytes(name: &OsStr) -> Option<Vec<u8>> {
    Some(name.as_bytes().to_vec())
}

/// Says whether two components of a root's own path name the same folder.
pub(crate) fn same_name(a: &[u8], b: &[u8]) -> bool {
    a == b
}
