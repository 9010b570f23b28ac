//! `Skipped`: what a listing or a search passed over.

/// What a listing or a search passed over, as far as it went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Skipped {
    /// Files and folders that an ignore rule leaves out; a folder counts once.
    pub ignored: u64,
    /// Files that are not text.
    pub binary: u64,
    /// Files and folders that cannot be read.
    pub unreadable: u64,
}
