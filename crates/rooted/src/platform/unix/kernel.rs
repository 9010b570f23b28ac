//! Linux: `openat2` opens beneath a handle in one step, and mounts have ids.

use std::fs::File;
use std::io;

use rustix::fs::{self, AtFlags, Mode, OFlags, RawDir, ResolveFlags, StatxFlags};
use rustix::io::Errno;

use super::{DIR, DirHandle, READ, READ_DIR};
use crate::meta::{Kind, Meta};
use crate::platform::Beneath;

/// Times the kernel is asked again after a rename somewhere on the way (`EAGAIN`).
const ATTEMPTS: usize = 16;

/// Bytes of names taken from the kernel in one call.
const LIST_BYTES: usize = 64 * 1024;

/// File systems whose files are views of the kernel, not content (`man 2 statfs`).
const KERNEL_FILESYSTEMS: [u64; 11] = [
    0x9fa0,      // proc
    0x6265_6572, // sysfs
    0x6462_6720, // debugfs
    0x7472_6163, // tracefs
    0x0027_e0eb, // cgroup
    0x6367_7270, // cgroup2
    0x6165_676c, // pstore
    0x7363_6673, // securityfs
    0x6265_6570, // configfs
    0x4249_4e4d, // binfmt_misc
    0xcafe_4a11, // bpf
];

/// Local file systems that give a folder a new time whenever a name in it changes.
const TIMED_FILESYSTEMS: [u64; 8] = [
    0xef53,      // ext2, ext3, ext4
    0x5846_5342, // xfs
    0x9123_683e, // btrfs
    0x0102_1994, // tmpfs
    0xf2f5_2010, // f2fs
    0x2fc1_2fc1, // zfs
    0x794c_7630, // overlayfs
    0xca45_1a4e, // bcachefs
];

/// Says whether a directory is on one of those.
pub(crate) fn keeps_times(dir: &DirHandle) -> bool {
    is_on(&TIMED_FILESYSTEMS, fs::fstatfs(dir))
}

pub(crate) fn file_beneath(dir: &DirHandle, path: &[u8], one_filesystem: bool) -> Beneath<File> {
    beneath(dir, path, READ, one_filesystem).map(File::from)
}

pub(crate) fn dir_beneath(
    dir: &DirHandle,
    path: &[u8],
    one_filesystem: bool,
) -> Beneath<DirHandle> {
    beneath(dir, path, DIR, one_filesystem)
}

/// Opens a folder for [`list_readable`].
pub(crate) fn readable_beneath(
    dir: &DirHandle,
    path: &[u8],
    one_filesystem: bool,
) -> Beneath<DirHandle> {
    beneath(dir, path, READ_DIR, one_filesystem)
}

/// Gives each name in a folder opened for reading, from where its handle stands; `buffer` is only lent.
pub(crate) fn list_readable(
    dir: &DirHandle,
    buffer: &mut Vec<u8>,
    mut each: impl FnMut(&[u8], Option<Kind>) -> io::Result<()>,
) -> io::Result<()> {
    buffer.clear();
    buffer.reserve(LIST_BYTES);
    let mut entries = RawDir::new(dir, buffer.spare_capacity_mut());
    while let Some(entry) = entries.next() {
        let entry = entry?;
        let name = entry.file_name().to_bytes();
        if name != b"." && name != b".." {
            each(name, super::kind_of(entry.file_type()))?;
        }
    }
    Ok(())
}

/// One `openat2` that refuses links, since where a link leads is the walk's to find out.
fn beneath(
    dir: &DirHandle,
    path: &[u8],
    flags: OFlags,
    one_filesystem: bool,
) -> Beneath<DirHandle> {
    let mut resolve =
        ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS | ResolveFlags::NO_SYMLINKS;
    if one_filesystem {
        resolve |= ResolveFlags::NO_XDEV;
    }
    for _ in 0..ATTEMPTS {
        match fs::openat2(dir, path, flags, Mode::empty(), resolve) {
            Ok(opened) => return Beneath::Opened(opened),
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(Errno::LOOP) => return Beneath::Link,
            // `EPERM` may come from a seccomp profile that does not know the call; the walk finds
            // out. So may `ENOTDIR` of a folder wanted where a link is.
            Err(Errno::XDEV | Errno::NOSYS | Errno::PERM | Errno::NOTDIR) => {
                return Beneath::Unknown;
            }
            // The whole path is too long for one call, or a component is: the walk finds out.
            Err(Errno::NAMETOOLONG) => return Beneath::Unknown,
            Err(error) => return Beneath::Failed(error.into()),
        }
    }
    Beneath::Unknown
}

/// Flushes the whole file system that a directory is on.
pub(crate) fn sync_all(dir: &DirHandle) -> io::Result<()> {
    Ok(fs::syncfs(super::readable(dir)?)?)
}

/// The mount a directory is on; `None` when the kernel does not tell.
pub(crate) fn mount_id(dir: &DirHandle) -> Option<u64> {
    mount(fs::statx(dir, "", AtFlags::EMPTY_PATH, StatxFlags::MNT_ID).ok()?)
}

/// The mount that a name in a directory is on, without following a link.
pub(crate) fn mount_id_at(dir: &DirHandle, name: &[u8]) -> Option<u64> {
    mount(fs::statx(dir, name, AtFlags::SYMLINK_NOFOLLOW, StatxFlags::MNT_ID).ok()?)
}

fn mount(found: fs::Statx) -> Option<u64> {
    let told = found.stx_mask & StatxFlags::MNT_ID.bits() != 0;
    told.then_some(found.stx_mnt_id)
}

/// Names mean themselves; folders that fold case are rare here, and deny rules fold it anyway.
pub(crate) fn true_name(_dir: &DirHandle, _name: &[u8]) -> Option<Box<[u8]>> {
    None
}

/// Says whether a file is a view of the kernel: its size is not that of its content, and reading may block.
///
/// Only file systems without a device are asked, and those have major number 0.
pub(crate) fn is_kernel_file(file: &File, meta: &Meta) -> bool {
    fs::major(meta.id.dev) == 0 && is_kernel(fs::fstatfs(file))
}

/// Says whether a directory is on a file system of such files.
pub(crate) fn is_kernel_dir(dir: &DirHandle) -> bool {
    is_kernel(fs::fstatfs(dir))
}

fn is_kernel(found: Result<fs::StatFs, Errno>) -> bool {
    is_on(&KERNEL_FILESYSTEMS, found)
}

#[expect(clippy::cast_sign_loss, reason = "a magic number, compared bit by bit")]
fn is_on(kinds: &[u64], found: Result<fs::StatFs, Errno>) -> bool {
    found.is_ok_and(|found| kinds.contains(&(found.f_type as u64 & 0xffff_ffff)))
}
