//! What is known of a file: kind, size, permissions, identity.

use std::time::{Duration, SystemTime};

/// What kind of thing a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// A regular file.
    File,
    /// A folder.
    Dir,
    /// A symbolic link (or, on Windows, another reparse point).
    Link,
    /// A pipe, socket or device.
    Special,
}

/// Which file it is, whatever its name: device and inode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId {
    /// The device, or volume.
    pub dev: u64,
    /// The inode, or file index.
    pub ino: u64,
}

/// What `stat` tells, taken from an open descriptor where there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meta {
    /// What kind of thing it is.
    pub kind: Kind,
    /// Size in bytes.
    pub len: u64,
    /// Permission bits, without the type; on Windows 0o444 or 0o666.
    pub mode: u32,
    /// Owner; 0 on Windows.
    pub uid: u32,
    /// Group; 0 on Windows.
    pub gid: u32,
    /// Number of names (hard links).
    pub nlink: u64,
    /// Which file it is.
    pub id: FileId,
    /// Last change of the content, in nanoseconds since 1970.
    pub mtime_ns: i128,
    /// Last change of content or attributes, in nanoseconds since 1970; equals `mtime_ns` on Windows.
    pub ctime_ns: i128,
}

/// How long ago the last change must lie for the next one to be told from it: longer than the coarsest
/// clock of a file system ticks.
pub(crate) const SETTLED: Duration = Duration::from_millis(2500);

impl Meta {
    /// Says whether a change from now on will show in the times.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let before = now.unwrap_or_default().saturating_sub(SETTLED).as_nanos();
        self.mtime_ns.max(self.ctime_ns) < i128::try_from(before).unwrap_or(0)
    }

    /// Says whether `other` is the same file with the same content, going by identity, size and time of change.
    ///
    /// Attributes may differ: the change time is not compared, since adding a name moves it.
    #[must_use]
    pub fn same_content(&self, other: &Self) -> bool {
        self.id == other.id && self.len == other.len && self.mtime_ns == other.mtime_ns
    }
}
