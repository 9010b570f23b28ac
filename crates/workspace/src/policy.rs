//! `Policy`: what may be seen and what may be changed.

use rooted::RelPath;

/// What may be seen and what may be changed in a workspace.
#[derive(Debug, Default)]
pub struct Policy {}

impl Policy {
    /// Says whether a path is hidden.
    #[must_use]
    pub fn is_denied(&self, _path: &RelPath) -> bool {
        false
    }

    /// Says whether a path is closed to writing.
    #[must_use]
    pub fn is_read_only(&self, _path: &RelPath) -> bool {
        false
    }

    /// Says whether no writing tool may touch a path.
    #[must_use]
    pub fn protected(&self, _path: &RelPath) -> bool {
        false
    }
}
