//! What differs between operating systems, behind the same names on each.
//!
//! Each function takes a directory handle and one component; none follows a link.

#[cfg(unix)]
#[path = "unix/mod.rs"]
mod os;

#[cfg(windows)]
#[path = "windows/mod.rs"]
mod os;

#[cfg(not(target_os = "linux"))]
pub(crate) use self::no_watch::Watch;
#[cfg(target_os = "linux")]
pub(crate) use self::os::Watch;
pub(crate) use self::os::{
    DirHandle, FLUSHES_AT_ONCE, KEEPS_EXECUTABLE_BITS, RESOLVES, as_path, below, check_name,
    copy_attributes, create_dir, create_file, dir_beneath, exchange, file_beneath, hand_down_owner,
    hard_link, is_absolute, is_kernel_dir, is_kernel_file, is_link_error, is_not_a_link,
    is_removed, keeps_times, link_components, list, list_readable, make_dirs, may_change_names,
    may_write, mount_id, mount_id_at, name_bytes, open_dir, open_file, open_for_appending,
    open_for_writing, open_root, open_root_without_links, plain_path, read_at, read_link, readable,
    readable_beneath, remove_dir, remove_file, rename, rename_new, reopen, same_name,
    set_executable, sort_error, stat, stat_dir, stat_file, symlink, sync_all, sync_dir, true_name,
    volume_name,
};

/// A watch where there is none: there never is one.
#[cfg(not(target_os = "linux"))]
mod no_watch {
    use super::DirHandle;

    #[derive(Debug)]
    pub(crate) struct Watch;

    impl Watch {
        pub(crate) fn new() -> Option<Self> {
            None
        }

        pub(crate) fn add(&self, _dir: &DirHandle) -> Option<i32> {
            None
        }

        pub(crate) fn remove(&self, _folder: i32) {}

        pub(crate) fn has_news(&self, _content: impl FnMut(i32, &[u8]) -> bool) -> bool {
            true
        }
    }
}

/// Says whether names usually are the same in either letter case.
pub(crate) const FOLDS_CASE: bool = cfg!(any(windows, target_vendor = "apple"));

/// What one call of the kernel made of a whole path.
#[cfg_attr(
    not(target_os = "linux"),
    expect(dead_code, reason = "only Linux has such a call")
)]
pub(crate) enum Beneath<T> {
    /// It is open, and no link was on the way.
    Opened(T),
    /// A link is on the way.
    Link,
    /// The kernel cannot tell; walk.
    Unknown,
    /// It cannot be opened.
    Failed(std::io::Error),
}

impl<T> Beneath<T> {
    #[cfg(target_os = "linux")]
    fn map<U>(self, f: impl FnOnce(T) -> U) -> Beneath<U> {
        match self {
            Self::Opened(opened) => Beneath::Opened(f(opened)),
            Self::Link => Beneath::Link,
            Self::Unknown => Beneath::Unknown,
            Self::Failed(error) => Beneath::Failed(error),
        }
    }
}
