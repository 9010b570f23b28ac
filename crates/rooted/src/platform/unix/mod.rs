//! Unix on `rustix`: every call takes a directory handle and one name, and never follows a link.

mod attributes;
#[cfg(target_os = "linux")]
mod kernel;
#[cfg(not(target_os = "linux"))]
mod no_kernel;
#[cfg(target_os = "linux")]
mod watch;

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::FileExt as _;
use std::path::{Component, Path, PathBuf, Prefix};

use rustix::fs::{self, AtFlags, CWD, FileType, Mode, OFlags, RenameFlags};
use rustix::io::Errno;

use crate::error::ErrorKind;
use crate::meta::{FileId, Kind, Meta};

pub(crate) use attributes::{copy_attributes, hand_down_owner, set_executable};
#[cfg(target_os = "linux")]
pub(crate) use kernel::{
    dir_beneath, file_beneath, is_kernel_dir, is_kernel_file, keeps_times, list_readable, mount_id,
    mount_id_at, readable_beneath, sync_all, true_name,
};
#[cfg(not(target_os = "linux"))]
pub(crate) use no_kernel::{
    dir_beneath, file_beneath, is_kernel_dir, is_kernel_file, keeps_times, list_readable, mount_id,
    mount_id_at, readable_beneath, sync_all, true_name,
};

#[cfg(target_os = "linux")]
pub(crate) use watch::Watch;

/// Says whether a call flushes a whole file system.
pub(crate) const FLUSHES_AT_ONCE: bool = cfg!(target_os = "linux");

/// Says whether the permission bits of a file tell that it is a program.
pub(crate) const KEEPS_EXECUTABLE_BITS: bool = true;

/// Says whether a call of the kernel resolves whole paths.
pub(crate) const RESOLVES: bool = cfg!(target_os = "linux");

/// An open directory.
pub(crate) type DirHandle = OwnedFd;

/// Lets a program be started in the folder, whatever its path is by then.
impl AsFd for crate::Dir {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.handle.as_fd()
    }
}

/// A handle that only stands for a place: needs no right to read the folder where the system allows that.
#[cfg(target_os = "linux")]
const PLACE: OFlags = OFlags::PATH;
#[cfg(not(target_os = "linux"))]
const PLACE: OFlags = OFlags::RDONLY;

const DIR: OFlags = PLACE.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
const READ_DIR: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::CLOEXEC);
const READ: OFlags = OFlags::RDONLY
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY)
    .union(OFlags::CLOEXEC);

pub(crate) fn open_root(path: &Path) -> io::Result<DirHandle> {
    Ok(fs::openat(CWD, path, DIR, Mode::empty())?)
}

/// [`open_root`] for an absolute path on which no link may be.
pub(crate) fn open_root_without_links(path: &Path) -> io::Result<DirHandle> {
    let mut dir = open_root(Path::new("/"))?;
    for component in path.components() {
        if let Component::Normal(name) = component {
            dir = open_dir(&dir, name.as_bytes())?;
        }
    }
    Ok(dir)
}

/// Makes a directory of the host and those above it, closed to other users.
pub(crate) fn make_dirs(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path)
}

pub(crate) fn reopen(dir: &DirHandle) -> io::Result<DirHandle> {
    dir.try_clone()
}

pub(crate) fn open_dir(dir: &DirHandle, name: &[u8]) -> io::Result<DirHandle> {
    Ok(fs::openat(
        dir,
        name,
        DIR.union(OFlags::NOFOLLOW),
        Mode::empty(),
    )?)
}

/// Opens for reading; a pipe or device does not block, and its kind is for the caller to look at.
pub(crate) fn open_file(dir: &DirHandle, name: &[u8]) -> io::Result<File> {
    Ok(fs::openat(dir, name, READ.union(OFlags::NOFOLLOW), Mode::empty())?.into())
}

/// Opens for writing without emptying it.
pub(crate) fn open_for_writing(dir: &DirHandle, name: &[u8]) -> io::Result<File> {
    let flags =
        OFlags::RDWR | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    Ok(fs::openat(dir, name, flags, Mode::empty())?.into())
}

pub(crate) fn open_for_appending(dir: &DirHandle, name: &[u8]) -> io::Result<File> {
    let flags =
        OFlags::RDWR | OFlags::APPEND | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    Ok(fs::openat(dir, name, flags, Mode::empty())?.into())
}

/// Makes a file that must not exist; `mode` is cut by the process's umask.
pub(crate) fn create_file(dir: &DirHandle, name: &[u8], mode: u32) -> io::Result<File> {
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(fs::openat(dir, name, flags, Mode::from_raw_mode(mode as _))?.into())
}

pub(crate) fn create_dir(dir: &DirHandle, name: &[u8], mode: u32) -> io::Result<()> {
    Ok(fs::mkdirat(dir, name, Mode::from_raw_mode(mode as _))?)
}

pub(crate) fn remove_file(dir: &DirHandle, name: &[u8]) -> io::Result<()> {
    Ok(fs::unlinkat(dir, name, AtFlags::empty())?)
}

pub(crate) fn remove_dir(dir: &DirHandle, name: &[u8]) -> io::Result<()> {
    Ok(fs::unlinkat(dir, name, AtFlags::REMOVEDIR)?)
}

pub(crate) fn rename(from: &DirHandle, name: &[u8], to: &DirHandle, new: &[u8]) -> io::Result<()> {
    Ok(fs::renameat(from, name, to, new)?)
}

/// Renames to a name that must not exist; `Unsupported` where the file system cannot promise that.
pub(crate) fn rename_new(
    from: &DirHandle,
    name: &[u8],
    to: &DirHandle,
    new: &[u8],
) -> io::Result<()> {
    rename_with(from, name, to, new, RenameFlags::NOREPLACE)
}

/// Swaps two names in one step; `Unsupported` where the file system cannot.
pub(crate) fn exchange(
    from: &DirHandle,
    name: &[u8],
    to: &DirHandle,
    new: &[u8],
) -> io::Result<()> {
    rename_with(from, name, to, new, RenameFlags::EXCHANGE)
}

fn rename_with(
    from: &DirHandle,
    name: &[u8],
    to: &DirHandle,
    new: &[u8],
    flags: RenameFlags,
) -> io::Result<()> {
    match fs::renameat_with(from, name, to, new, flags) {
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
            Err(io::Error::from(io::ErrorKind::Unsupported))
        }
        done => Ok(done?),
    }
}

pub(crate) fn hard_link(
    from: &DirHandle,
    name: &[u8],
    to: &DirHandle,
    new: &[u8],
) -> io::Result<()> {
    Ok(fs::linkat(from, name, to, new, AtFlags::empty())?)
}

pub(crate) fn read_link(dir: &DirHandle, name: &[u8]) -> io::Result<Vec<u8>> {
    Ok(fs::readlinkat(dir, name, Vec::new())?.into_bytes())
}

pub(crate) fn symlink(dir: &DirHandle, name: &[u8], target: &[u8]) -> io::Result<()> {
    Ok(fs::symlinkat(target, dir, name)?)
}

/// What a name stands for; a link is not followed.
pub(crate) fn stat(dir: &DirHandle, name: &[u8]) -> io::Result<Meta> {
    Ok(meta(&fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW)?))
}

pub(crate) fn stat_dir(dir: &DirHandle) -> io::Result<Meta> {
    Ok(meta(&fs::fstat(dir)?))
}

pub(crate) fn stat_file(file: &File) -> io::Result<Meta> {
    Ok(meta(&fs::fstat(file)?))
}

#[expect(
    clippy::unnecessary_cast,
    reason = "the widths of these fields differ between Unix systems"
)]
fn meta(stat: &fs::Stat) -> Meta {
    let kind = match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => Kind::File,
        FileType::Directory => Kind::Dir,
        FileType::Symlink => Kind::Link,
        _ => Kind::Special,
    };
    let time = |secs: i64, nanos: i64| i128::from(secs) * 1_000_000_000 + i128::from(nanos);
    Meta {
        kind,
        len: u64::try_from(stat.st_size).unwrap_or(0),
        mode: (stat.st_mode as u32) & 0o7777,
        uid: stat.st_uid,
        gid: stat.st_gid,
        nlink: stat.st_nlink as u64,
        id: FileId {
            dev: stat.st_dev as u64,
            ino: stat.st_ino as u64,
        },
        mtime_ns: time(stat.st_mtime as i64, stat.st_mtime_nsec as i64),
        ctime_ns: time(stat.st_ctime as i64, stat.st_ctime_nsec as i64),
    }
}

/// Says whether an open directory has lost its last name.
pub(crate) fn is_removed(dir: &DirHandle, path: &Path) -> bool {
    let Ok(here) = fs::fstat(dir) else {
        return false;
    };
    let is_elsewhere = match fs::stat(path) {
        Ok(there) => (here.st_dev, here.st_ino) != (there.st_dev, there.st_ino),
        Err(error) => matches!(error, Errno::NOENT | Errno::NOTDIR | Errno::LOOP),
    };
    here.st_nlink == 0 || is_elsewhere
}

/// Says whether this process may write to what a name stands for.
pub(crate) fn may_write(dir: &DirHandle, name: &[u8]) -> bool {
    fs::accessat(dir, name, fs::Access::WRITE_OK, AtFlags::EACCESS).is_ok()
}

/// Says whether this process may make and remove names in a folder.
pub(crate) fn may_change_names(dir: &DirHandle) -> bool {
    let access = fs::Access::WRITE_OK | fs::Access::EXEC_OK;
    fs::accessat(dir, ".", access, AtFlags::EACCESS).is_ok()
}

/// Gives each name in a folder, and its kind where the folder itself tells it.
pub(crate) fn list(
    dir: &DirHandle,
    each: impl FnMut(&[u8], Option<Kind>) -> io::Result<()>,
) -> io::Result<()> {
    list_readable(&readable(dir)?, &mut Vec::new(), each)
}

/// The same folder through a handle that [`list_readable`] takes.
pub(crate) fn readable(dir: &DirHandle) -> io::Result<DirHandle> {
    Ok(fs::openat(dir, ".", READ_DIR, Mode::empty())?)
}

/// What `d_type` tells; `None` when the file system leaves it to `stat`.
fn kind_of(entry: FileType) -> Option<Kind> {
    match entry {
        FileType::RegularFile => Some(Kind::File),
        FileType::Directory => Some(Kind::Dir),
        FileType::Symlink => Some(Kind::Link),
        FileType::Unknown => None,
        _ => Some(Kind::Special),
    }
}

pub(crate) fn sync_dir(dir: &DirHandle) -> io::Result<()> {
    Ok(fs::fsync(readable(dir)?)?)
}

pub(crate) fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    file.read_at(buffer, offset)
}

/// The path that bytes of a [`crate::RelPath`] spell; `None` when the system has no such name.
#[expect(
    clippy::unnecessary_wraps,
    reason = "names on Windows need not be UTF-8"
)]
pub(crate) fn as_path(bytes: &[u8]) -> Option<&Path> {
    Some(Path::new(OsStr::from_bytes(bytes)))
}

/// The bytes of a name.
#[expect(
    clippy::unnecessary_wraps,
    reason = "names on Windows need not be UTF-8"
)]
pub(crate) fn name_bytes(name: &OsStr) -> Option<Vec<u8>> {
    Some(name.as_bytes().to_vec())
}

/// Refuses what is not the name of one entry of a folder.
pub(crate) fn check_name(name: &[u8]) -> io::Result<()> {
    if matches!(name, b"" | b"." | b"..") || name.iter().any(|byte| matches!(byte, b'/' | 0)) {
        return Err(Errno::INVAL.into());
    }
    Ok(())
}

/// There are no volumes in paths.
pub(crate) fn volume_name(_prefix: Prefix<'_>) -> Option<Vec<u8>> {
    None
}

/// A canonical path as people write it.
pub(crate) fn plain_path(path: PathBuf) -> PathBuf {
    path
}

/// Says whether two components of a root's own path name the same folder.
pub(crate) fn same_name(a: &[u8], b: &[u8]) -> bool {
    a == b
}

/// Says whether a link's text starts at the root of the host.
pub(crate) fn is_absolute(target: &[u8]) -> bool {
    target.first() == Some(&b'/')
}

/// What is left of an absolute link below `base`; `None` when it does not lead there.
pub(crate) fn below(base: &Path, target: &[u8]) -> Option<Vec<u8>> {
    let mut rest = target;
    for part in base.components() {
        if let Component::Normal(name) = part {
            rest = trim(rest).strip_prefix(name.as_bytes())?;
            if !matches!(rest, [] | [b'/', ..]) {
                return None;
            }
        }
    }
    Some(trim(rest).to_vec())
}

/// Drops slashes and `.` components at the front.
fn trim(mut path: &[u8]) -> &[u8] {
    loop {
        match path {
            [b'/', rest @ ..] | [b'.', b'/', rest @ ..] => path = rest,
            [b'.'] => return &[],
            _ => return path,
        }
    }
}

/// The components of a link's text, without empty ones and `.`.
pub(crate) fn link_components(target: &[u8]) -> impl DoubleEndedIterator<Item = &[u8]> {
    target
        .split(|&b| b == b'/')
        .filter(|part| !part.is_empty() && *part != b".")
}

/// Says whether an error means that the name is a link after all.
pub(crate) fn is_link_error(error: &io::Error) -> bool {
    matches!(
        Errno::from_io_error(error),
        Some(Errno::LOOP | Errno::NOTDIR | Errno::MLINK)
    )
}

/// Says whether `read_link` failed since the name is something else.
pub(crate) fn is_not_a_link(error: &io::Error) -> bool {
    Errno::from_io_error(error) == Some(Errno::INVAL)
}

/// Sorts an error of the operating system by what a caller would do about it.
pub(crate) fn sort_error(error: io::Error) -> ErrorKind {
    match Errno::from_io_error(&error) {
        Some(Errno::NOENT) => ErrorKind::NotFound,
        Some(Errno::NOTDIR) => ErrorKind::NotADirectory,
        Some(Errno::ISDIR) => ErrorKind::IsADirectory,
        Some(Errno::NXIO | Errno::NODEV) => ErrorKind::NotRegular,
        Some(Errno::ACCESS | Errno::PERM) => ErrorKind::PermissionDenied,
        Some(Errno::TXTBSY) => ErrorKind::InUse,
        Some(Errno::LOOP) => ErrorKind::LinkLoop,
        Some(Errno::NAMETOOLONG) => ErrorKind::NameTooLong,
        Some(Errno::NOSPC | Errno::DQUOT | Errno::FBIG) => ErrorKind::NoSpace,
        Some(Errno::ROFS) => ErrorKind::ReadOnlyFilesystem,
        Some(Errno::EXIST | Errno::NOTEMPTY) => ErrorKind::Exists,
        Some(Errno::NOSYS | Errno::NOTSUP) => ErrorKind::Unsupported,
        _ if error.kind() == io::ErrorKind::Unsupported => ErrorKind::Unsupported,
        _ => ErrorKind::Other(error),
    }
}
