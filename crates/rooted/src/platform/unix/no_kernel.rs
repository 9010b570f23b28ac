//! Unix without `openat2`: the walk does it all.

use std::fs::File;

use super::DirHandle;
use crate::meta::Meta;
use crate::platform::Beneath;

pub(crate) fn file_beneath(_dir: &DirHandle, _path: &[u8], _one_filesystem: bool) -> Beneath<File> {
    Beneath::Unknown
}

pub(crate) fn dir_beneath(
    _dir: &DirHandle,
    _path: &[u8],
    _one_filesystem: bool,
) -> Beneath<DirHandle> {
    Beneath::Unknown
}

/// The device stands in for the mount.
#[expect(
    clippy::unnecessary_cast,
    clippy::cast_lossless,
    reason = "its width differs between systems"
)]
pub(crate) fn mount_id(dir: &DirHandle) -> Option<u64> {
    rustix::fs::fstat(dir).ok().map(|stat| stat.st_dev as u64)
}

/// The device stands in for the mount.
pub(crate) fn mount_id_at(dir: &DirHandle, name: &[u8]) -> Option<u64> {
    super::stat(dir, name).ok().map(|meta| meta.id.dev)
}

/// There is no kernel file system with regular files on these systems.
pub(crate) fn is_kernel_file(_file: &File, _meta: &Meta) -> bool {
    false
}

/// There is no kernel file system with regular files on these systems.
pub(crate) fn is_kernel_dir(_dir: &DirHandle) -> bool {
    false
}
