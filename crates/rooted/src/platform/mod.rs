//! What differs between operating systems, behind the same names on each.
//!
//! Each function takes a directory handle and one component; none follows a link.

#[cfg(unix)]
#[path = "unix/mod.rs"]
mod os;

#[cfg(windows)]
#[path = "windows/mod.rs"]
mod os;

pub(crate) use self::os::{
    DirHandle, KEEPS_EXECUTABLE_BITS, RESOLVES, as_path, below, check_name, copy_attributes,
    create_dir, create_file, dir_beneath, exchange, file_beneath, hard_link, is_absolute,
    is_kernel_dir, is_kernel_file, is_link_error, is_not_a_link, is_removed, keeps_times,
    link_components, list, list_readable, make_dirs, may_change_names, may_write, mount_id,
    mount_id_at, name_bytes, open_dir, open_file, open_for_appending, open_for_writing, open_root,
    open_root_without_links, plain_path, read_at, read_link, readable, readable_beneath,
    remove_dir, remove_file, rename, rename_new, reopen, same_name, set_executable, sort_error,
    stat, stat_dir, stat_file, symlink, sync_all, sync_dir, true_name, volume_name,
};

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
