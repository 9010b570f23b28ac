//! Windows on `cap-std`: opens are relative to a directory handle and never follow a reparse point.
//!
//! Opening, making and looking at files goes through `NtCreateFile` with the folder's handle. Making
//! and removing folders, renaming, linking and listing know only paths there; they use the path that
//! the handle has at that moment. A folder's handle does not share deletion, so neither the folder
//! nor one above it can be renamed or removed while it is held.

mod errors;
mod names;
mod patience;
mod remove;

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Seek as _, SeekFrom};
use std::os::windows::fs::{FileExt as _, MetadataExt as _, OpenOptionsExt as ByPath};
use std::path::{Component, Path, PathBuf, Prefix};

use cap_fs_ext::{FollowSymlinks, MetadataExt as _, OpenOptionsFollowExt as _};
use cap_fs_ext::{OpenOptionsExt as _, OpenOptionsMaybeDirExt as _};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, Metadata, OpenOptions};
use cap_std::io_lifetimes::AsFilelike as _;

use self::errors::code;
use self::names::single;
use self::patience::{Held, patiently};
use crate::meta::{FileId, Kind, Meta};
use crate::platform::Beneath;

pub(crate) use self::errors::{is_link_error, is_not_a_link, sort_error};
pub(crate) use self::names::{
    below, check_name, is_absolute, link_components, same_name, volume_name,
};
pub(crate) use self::remove::{remove_dir, remove_file};

const FILE_ATTRIBUTE_READONLY: u32 = 0x1;
const FILE_ATTRIBUTE_DIRECTORY: u32 = 0x10;
const FILE_ATTRIBUTE_REPARSE_POINT: u32 = 0x400;
const FILE_FLAG_BACKUP_SEMANTICS: u32 = 0x0200_0000;
const FILE_FLAG_OPEN_REPARSE_POINT: u32 = 0x0020_0000;
/// `cap-std` asks for names without regard to case when this is set; Windows does so anyway.
const FILE_FLAG_POSIX_SEMANTICS: u32 = 0x0100_0000;
/// The right to make a file in a folder.
const FILE_ADD_FILE: u32 = 0x2;

/// Where the count of 100 nanoseconds since 1601 stands at the start of 1970.
const EPOCH: i128 = 116_444_736_000_000_000;

/// Says whether a call flushes a whole file system.
pub(crate) const FLUSHES_AT_ONCE: bool = false;

/// Says whether the permission bits of a file tell that it is a program.
pub(crate) const KEEPS_EXECUTABLE_BITS: bool = false;

/// No call resolves a whole path beneath a handle: always walk.
pub(crate) const RESOLVES: bool = false;

/// An open directory.
pub(crate) type DirHandle = Dir;

pub(crate) fn open_root(path: &Path) -> io::Result<DirHandle> {
    Dir::open_ambient_dir(path, ambient_authority())
}

/// [`open_root`] for a canonical path on which no link may be.
pub(crate) fn open_root_without_links(path: &Path) -> io::Result<DirHandle> {
    let dir = open_root(path)?;
    // What is open cannot be renamed, so the name still leads here.
    if plain_path(fs::canonicalize(path)?) == path {
        Ok(dir)
    } else {
        Err(io::ErrorKind::NotFound.into())
    }
}

/// Makes a directory of the host and those above it.
pub(crate) fn make_dirs(path: &Path) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).create(path)
}

pub(crate) fn reopen(dir: &DirHandle) -> io::Result<DirHandle> {
    dir.try_clone()
}

/// Options that open what has the name itself, never what it points to.
fn no_follow() -> OpenOptions {
    let mut options = OpenOptions::new();
    options
        .follow(FollowSymlinks::No)
        .custom_flags(FILE_FLAG_POSIX_SEMANTICS);
    options
}

fn open(dir: &DirHandle, name: &[u8], options: &OpenOptions) -> io::Result<File> {
    let file = dir.open_with(single(name)?, options)?.into_std();
    if attributes(&file)? & FILE_ATTRIBUTE_REPARSE_POINT != 0 {
        return Err(code(code::STOPPED_ON_LINK));
    }
    Ok(file)
}

/// [`open`] of a file, where a folder is told as such.
fn open_plain(dir: &DirHandle, name: &[u8], options: &OpenOptions) -> io::Result<File> {
    match open(dir, name, options) {
        Err(error) if error.raw_os_error() == Some(code::ACCESS_DENIED) => {
            match stat(dir, name).map(|meta| meta.kind) {
                Ok(Kind::Dir) => Err(io::ErrorKind::IsADirectory.into()),
                Ok(Kind::Link) => Err(code(code::STOPPED_ON_LINK)),
                _ => Err(error),
            }
        }
        opened => opened,
    }
}

/// Opens whatever has the name to look at it, without any right to its content.
fn look(dir: &DirHandle, name: &[u8]) -> io::Result<File> {
    let mut options = no_follow();
    options.access_mode(0).custom_flags(
        FILE_FLAG_POSIX_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT | FILE_FLAG_BACKUP_SEMANTICS,
    );
    Ok(dir.open_with(single(name)?, &options)?.into_std())
}

fn code(number: i32) -> io::Error {
    io::Error::from_raw_os_error(number)
}

fn attributes(file: &File) -> io::Result<u32> {
    Ok(file.metadata()?.file_attributes())
}

pub(crate) fn open_dir(dir: &DirHandle, name: &[u8]) -> io::Result<DirHandle> {
    // Somebody who renames or removes it at this moment has it open in a way that goes with no other.
    let file = patiently(Held::Shared, || {
        open(dir, name, no_follow().read(true).maybe_dir(true))
    })?;
    if attributes(&file)? & FILE_ATTRIBUTE_DIRECTORY == 0 {
        return Err(code(code::DIRECTORY));
    }
    Ok(Dir::from_std_file(file))
}

pub(crate) fn open_file(dir: &DirHandle, name: &[u8]) -> io::Result<File> {
    open_plain(dir, name, no_follow().read(true))
}

/// Opens for writing without emptying it.
pub(crate) fn open_for_writing(dir: &DirHandle, name: &[u8]) -> io::Result<File> {
    open_plain(dir, name, no_follow().read(true).write(true))
}

pub(crate) fn open_for_appending(dir: &DirHandle, name: &[u8]) -> io::Result<File> {
    patiently(Held::Shared, || {
        open_plain(dir, name, no_follow().read(true).append(true))
    })
}

/// Makes a file that must not exist; it gets the rights that the folder hands down.
pub(crate) fn create_file(dir: &DirHandle, name: &[u8], _mode: u32) -> io::Result<File> {
    let mut options = no_follow();
    options.read(true).write(true).create_new(true);
    Ok(dir.open_with(single(name)?, &options)?.into_std())
}

pub(crate) fn create_dir(dir: &DirHandle, name: &[u8], _mode: u32) -> io::Result<()> {
    fs::create_dir(place_of(dir, name)?)
}

/// Whatever is made here belongs to whom the folder's rights say.
pub(crate) fn hand_down_owner(_dir: &DirHandle, _name: &[u8]) -> io::Result<()> {
    Ok(())
}

pub(crate) fn rename(from: &DirHandle, name: &[u8], to: &DirHandle, new: &[u8]) -> io::Result<()> {
    // A folder is never replaced: that is refused for good.
    let held = match stat(to, new) {
        Ok(there) if there.kind == Kind::Dir => Held::Shared,
        _ => Held::Open,
    };
    let (from, to) = (place_of(from, name)?, place_of(to, new)?);
    patiently(held, || fs::rename(&from, &to))
}

/// Renames to a name that must not exist, by a second name; `Unsupported` for folders and where a
/// file system has no second names. For a moment, or after a kill, the file has both.
pub(crate) fn rename_new(
    from: &DirHandle,
    name: &[u8],
    to: &DirHandle,
    new: &[u8],
) -> io::Result<()> {
    let file = stat(from, name)?;
    if file.kind != Kind::File {
        return Err(io::ErrorKind::Unsupported.into());
    }
    let is_here = |new| stat(to, new).is_ok_and(|there| there.id == file.id);
    if file.nlink == 1 && name != new && same_name(name, new) && is_here(new) {
        // The name in other letters, which is taken by nothing but the file itself.
        return rename(from, name, to, new);
    }
    hard_link(from, name, to, new)?;
    remove_file(from, name)
}

/// No call swaps two names on Windows.
pub(crate) fn exchange(
    _from: &DirHandle,
    _name: &[u8],
    _to: &DirHandle,
    _new: &[u8],
) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

pub(crate) fn hard_link(
    from: &DirHandle,
    name: &[u8],
    to: &DirHandle,
    new: &[u8],
) -> io::Result<()> {
    fs::hard_link(place_of(from, name)?, place_of(to, new)?)
}

/// Links need a right there that few users have.
pub(crate) fn symlink(_dir: &DirHandle, _name: &[u8], _target: &[u8]) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

pub(crate) fn read_link(dir: &DirHandle, name: &[u8]) -> io::Result<Vec<u8>> {
    let file = look(dir, name)?;
    let found = file.metadata()?;
    if found.file_attributes() & FILE_ATTRIBUTE_REPARSE_POINT == 0 {
        return Err(code(code::NOT_A_REPARSE_POINT));
    }
    // Other reparse points lead to what only a filter of the system knows.
    if !found.is_symlink() {
        return Err(code(code::STOPPED_ON_LINK));
    }
    let target = winx::file::read_link(&file).map_err(|_| code(code::STOPPED_ON_LINK))?;
    let target = target.to_str().ok_or_else(|| code(code::STOPPED_ON_LINK))?;
    Ok(target.as_bytes().to_vec())
}

/// What a name stands for; a link is not followed.
pub(crate) fn stat(dir: &DirHandle, name: &[u8]) -> io::Result<Meta> {
    stat_file(&look(dir, name)?)
}

pub(crate) fn stat_dir(dir: &DirHandle) -> io::Result<Meta> {
    stat_file(&dir.as_filelike_view::<File>())
}

pub(crate) fn stat_file(file: &File) -> io::Result<Meta> {
    let found = file.metadata()?;
    let identity = Metadata::from_file(file)?;
    let attributes = found.file_attributes();
    let kind = if attributes & FILE_ATTRIBUTE_REPARSE_POINT != 0 {
        Kind::Link
    } else if attributes & FILE_ATTRIBUTE_DIRECTORY != 0 {
        Kind::Dir
    } else {
        Kind::File
    };
    let read_only = attributes & FILE_ATTRIBUTE_READONLY != 0;
    let mtime_ns = (i128::from(found.last_write_time()) - EPOCH) * 100;
    Ok(Meta {
        kind,
        len: found.file_size(),
        mode: if read_only { 0o444 } else { 0o666 },
        uid: 0,
        gid: 0,
        nlink: identity.nlink(),
        id: FileId {
            dev: identity.dev(),
            ino: identity.ino(),
        },
        mtime_ns,
        ctime_ns: mtime_ns,
    })
}

/// Says whether an open directory has lost its name.
pub(crate) fn is_removed(_dir: &DirHandle, path: &Path) -> bool {
    fs::symlink_metadata(path).is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
}

/// Says whether this process may write to what a name stands for.
pub(crate) fn may_write(dir: &DirHandle, name: &[u8]) -> bool {
    open_for_writing(dir, name).is_ok()
}

/// Says whether this process may make names in a folder.
pub(crate) fn may_change_names(dir: &DirHandle) -> bool {
    let mut options = fs::OpenOptions::new();
    ByPath::access_mode(&mut options, FILE_ADD_FILE);
    ByPath::custom_flags(&mut options, FILE_FLAG_BACKUP_SEMANTICS);
    path(dir).is_ok_and(|path| options.open(path).is_ok())
}

/// Gives each name in a folder, and its kind.
pub(crate) fn list(
    dir: &DirHandle,
    mut each: impl FnMut(&[u8], Option<Kind>) -> io::Result<()>,
) -> io::Result<()> {
    for entry in fs::read_dir(path(dir)?)? {
        let entry = entry?;
        let attributes = entry.metadata()?.file_attributes();
        let kind = if attributes & FILE_ATTRIBUTE_REPARSE_POINT != 0 {
            Kind::Link
        } else if attributes & FILE_ATTRIBUTE_DIRECTORY != 0 {
            Kind::Dir
        } else {
            Kind::File
        };
        // Half a surrogate pair in a name shows as U+FFFD; no path can name such a file.
        each(entry.file_name().to_string_lossy().as_bytes(), Some(kind))?;
    }
    Ok(())
}

/// The same folder through a handle that [`list_readable`] takes.
pub(crate) fn readable(dir: &DirHandle) -> io::Result<DirHandle> {
    reopen(dir)
}

/// Gives each name in a folder, and its kind.
pub(crate) fn list_readable(
    dir: &DirHandle,
    _buffer: &mut Vec<u8>,
    each: impl FnMut(&[u8], Option<Kind>) -> io::Result<()>,
) -> io::Result<()> {
    list(dir, each)
}

/// The path that bytes of a [`crate::RelPath`] spell; `None` when the system has no such name.
pub(crate) fn as_path(bytes: &[u8]) -> Option<&Path> {
    std::str::from_utf8(bytes).ok().map(Path::new)
}

/// The file system logs names by itself, and a folder cannot be flushed without the right to write to it.
#[expect(clippy::unnecessary_wraps, reason = "it can fail on Unix")]
pub(crate) fn sync_dir(_dir: &DirHandle) -> io::Result<()> {
    Ok(())
}

/// There is no call that flushes one file system.
#[expect(clippy::unnecessary_wraps, reason = "it can fail on Linux")]
pub(crate) fn sync_all(_dir: &DirHandle) -> io::Result<()> {
    Ok(())
}

/// Files are not marked as programs here.
#[expect(clippy::unnecessary_wraps, reason = "it can fail on Unix")]
pub(crate) fn set_executable(_file: &File, _executable: bool) -> io::Result<()> {
    Ok(())
}

/// Reads at an offset; the position, which the call moves here, is put back.
pub(crate) fn read_at(mut file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    let before = file.stream_position()?;
    let read = file.seek_read(buffer, offset);
    file.seek(SeekFrom::Start(before))?;
    match read {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(0),
        read => read,
    }
}

/// Keeps whether the file is read-only; its access list is that which the folder hands down.
pub(crate) fn copy_attributes(_from: &File, from_meta: &Meta, to: &File) -> io::Result<bool> {
    set_mode(to, from_meta.mode)?;
    Ok(true)
}

/// Makes the file read-only when nobody may write to it.
fn set_mode(file: &File, mode: u32) -> io::Result<()> {
    if mode & 0o222 != 0 {
        return Ok(());
    }
    let mut permissions = file.metadata()?.permissions();
    permissions.set_readonly(true);
    file.set_permissions(permissions)
}

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

/// The volume stands in for the mount; a volume mounted in a folder is a reparse point anyway.
pub(crate) fn mount_id(dir: &DirHandle) -> Option<u64> {
    stat_dir(dir).ok().map(|meta| meta.id.dev)
}

/// The volume stands in for the mount.
pub(crate) fn mount_id_at(dir: &DirHandle, name: &[u8]) -> Option<u64> {
    stat(dir, name).ok().map(|meta| meta.id.dev)
}

/// There are no files of the kernel below a folder.
pub(crate) fn is_kernel_file(_file: &File, _meta: &Meta) -> bool {
    false
}

/// There are no folders of the kernel.
pub(crate) fn is_kernel_dir(_dir: &DirHandle) -> bool {
    false
}

/// The name as the folder has it: its case, and the long form of a short name (`PROGRA~1`).
pub(crate) fn true_name(dir: &DirHandle, name: &[u8]) -> Option<Box<[u8]>> {
    let path = winx::file::get_file_path(&look(dir, name).ok()?).ok()?;
    Some(path.file_name()?.to_str()?.as_bytes().into())
}

/// The path that an open folder has now, in the long form (`\\?\`).
fn path(dir: &DirHandle) -> io::Result<PathBuf> {
    winx::file::get_file_path(&dir.as_filelike_view::<File>())
}

fn place_of(dir: &DirHandle, name: &[u8]) -> io::Result<PathBuf> {
    Ok(path(dir)?.join(single(name)?))
}

/// The bytes of a name; `None` when it is not Unicode.
pub(crate) fn name_bytes(name: &OsStr) -> Option<Vec<u8>> {
    name.to_str().map(|name| name.as_bytes().to_vec())
}

/// A canonical path as people write it, without the long form's prefix where it means the same.
pub(crate) fn plain_path(path: PathBuf) -> PathBuf {
    /// Longer paths need the long form.
    const LONGEST: usize = 247;
    let mut parts = path.components();
    let Some(Component::Prefix(prefix)) = parts.next() else {
        return path;
    };
    let start = match prefix.kind() {
        Prefix::VerbatimDisk(letter) => format!("{}:", char::from(letter)),
        Prefix::VerbatimUNC(host, share) => match (host.to_str(), share.to_str()) {
            (Some(host), Some(share)) => format!(r"\\{host}\{share}"),
            _ => return path,
        },
        _ => return path,
    };
    let usual = parts.clone().all(|part| match part {
        Component::Normal(name) => single(name.as_encoded_bytes()).is_ok(),
        _ => true,
    });
    let plain = Path::new(&start).join(parts.as_path());
    if usual && plain.as_os_str().len() <= LONGEST {
        plain
    } else {
        path
    }
}

/// Not known of any file system here.
pub(crate) fn keeps_times(_dir: &DirHandle) -> bool {
    false
}
