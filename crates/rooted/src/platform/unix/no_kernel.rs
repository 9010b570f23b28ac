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

/// There is no call that flushes one file system.
#[expect(
    clippy::unnecessary_wraps,
    reason = "the call can fail where there is one"
)]
pub(crate) fn sync_all(_dir: &DirHandle) -> io::Result<()> {
    Ok(())
}

/// The device stands in for the mount.
#[allow(
    clippy::unnecessary_cast,
    clippy::cast_lossless,
    clippy::cast_sign_loss,
    reason = "what it is differs between systems"
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

/// The name as the folder has it, where that may differ from what was asked for: the file systems
/// of macOS ignore case and the composition of accents, so rules must be held against this one.
pub(crate) fn true_name(dir: &DirHandle, name: &[u8]) -> Option<Box<[u8]>> {
    let meta = super::stat(dir, name).ok()?;
    if let Some(told) = told_name(dir, name, &meta) {
        let same = || super::stat(dir, &told).is_ok_and(|found| found.id == meta.id);
        if *told == *name {
            return None;
        }
        if same() {
            return Some(told);
        }
    }
    listed_name(dir, name, &meta)
}

/// The last name of the path that the system tells of an open file or folder.
///
/// A file with several names may be told by another one, and devices are not opened for this.
#[cfg(target_vendor = "apple")]
fn told_name(dir: &DirHandle, name: &[u8], meta: &Meta) -> Option<Box<[u8]>> {
    let opened: rustix::fd::OwnedFd = match meta.kind {
        Kind::Dir => super::open_dir(dir, name).ok()?,
        Kind::File if meta.nlink == 1 => super::open_file(dir, name).ok()?.into(),
        Kind::File | Kind::Link | Kind::Special => return None,
    };
    let path = rustix::fs::getpath(&opened).ok()?.into_bytes();
    path.rsplit(|&b| b == b'/').next().map(Box::from)
}

/// Other systems tell no paths.
#[cfg(not(target_vendor = "apple"))]
fn told_name(_dir: &DirHandle, _name: &[u8], _meta: &Meta) -> Option<Box<[u8]>> {
    None
}

/// The name in the folder's list that stands for the same file, one that differs in case first.
fn listed_name(dir: &DirHandle, name: &[u8], meta: &Meta) -> Option<Box<[u8]>> {
    if cfg!(not(target_vendor = "apple")) {
        return None;
    }
    let folded = |name: &[u8]| String::from_utf8_lossy(name).to_lowercase();
    let find = |wanted: &dyn Fn(&[u8]) -> bool| {
        let mut name: Option<Box<[u8]>> = None;
        let each = |found: &[u8], _| {
            if name.is_none() && wanted(found) {
                name = Some(Box::from(found));
            }
            Ok(())
        };
        super::list(dir, each).ok().and(name)
    };
    let asked = folded(name);
    find(&|found| found == name)
        .or_else(|| find(&|found| folded(found) == asked))
        .or_else(|| find(&|found| super::stat(dir, found).is_ok_and(|it| it.id == meta.id)))
        .filter(|found| **found != *name)
}

/// Not known of any file system here.
pub(crate) fn keeps_times(_dir: &DirHandle) -> bool {
    false
}
