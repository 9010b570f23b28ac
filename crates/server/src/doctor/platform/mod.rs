//! What differs between systems: what a file system tells of itself, and what the kernel has.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub(super) use unix::{system, volume};
#[cfg(windows)]
pub(super) use windows::{system, volume};

/// What a file system tells of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Volume {
    /// Bytes that this user can still write.
    pub(super) free_bytes: u64,
    /// Files that can still be made, where that is limited.
    pub(super) free_files: Option<u64>,
    /// Whether it is mounted read-only.
    pub(super) read_only: bool,
    /// What people call its kind, where it is known.
    pub(super) kind: Option<String>,
}
