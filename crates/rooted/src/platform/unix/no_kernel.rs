//! Unix without `openat2`: the walk does it all.

use std::fs::File;
use std::io;

use rustix::fs::Dir as Entries;

use super::DirHandle;
use crate::meta::{Kind, Meta};
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

pub(crate) fn readable_beneath(
    _dir: &DirHandle,
    _path: &[u8],
    _one_filesystem: bool,
) -> Beneath<DirHandle> {
    Beneath::Unknown
}

/// Gives each name in a folder opened for reading.
pub(crate) fn list_readable(
    dir: &DirHandle,
    _buffer: &mut Vec<u8>,
    mut each: impl FnMut(&[u8], Option<Kind>) -> io::Result<()>,
) -> io::Result<()> {
    for entry in Entries::read_from(dir)? {
        let entry = entry?;
        let name = entry.file_name().to_bytes();
        if name != b"." && name != b".." {
            each(name, super::kind_of(entry.file_type()))?;
        }
    }
    Ok(())
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
