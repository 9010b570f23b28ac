//! Windows: names are UTF-16 and compare without regard to case.

use std::ffi::OsStr;

/// The bytes of a name; `None` when it is not Unicode.
pub(crate) fn name_bytes(name: &OsStr) -> Option<Vec<u8>> {
    name.to_str().map(|name| name.as_bytes().to_vec())
}

/// Says whether two components of a root's own path name the same folder.
pub(crate) fn same_name(a: &[u8], b: &[u8]) -> bool {
    match (std::str::from_utf8(a), std::str::from_utf8(b)) {
        (Ok(a), Ok(b)) => a.to_lowercase() == b.to_lowercase(),
        _ => a == b,
    }
}
