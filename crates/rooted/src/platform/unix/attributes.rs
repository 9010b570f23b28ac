//! What a replacement keeps of the file it replaces: owner, mode, extended attributes (ACLs are such).

use std::fs::File;
use std::io;

use rustix::fs::{self, AtFlags, Gid, Mode, Uid, XattrFlags};
use rustix::io::Errno;

use super::DirHandle;
use crate::meta::Meta;

/// Signatures over the old content, which the kernel makes anew, and the rights that a program file
/// has by itself, which the kernel takes away whenever the content changes.
const NOT_COPIED: [&[u8]; 3] = [b"security.ima", b"security.evm", b"security.capability"];

/// Bytes of names or of one value that are asked for at first.
const XATTR_ROOM: usize = 256;
/// Bytes of names or of one value beyond which no file system goes.
const XATTR_BYTES: usize = 1024 * 1024;

/// Gives `to` the owner, mode and extended attributes of `from`; says whether all of them were taken.
///
/// The owner goes first, since changing it clears the set-user bits of the mode. What this process
/// has no right to give, or the file system cannot hold, is left out and reported. Bits that would
/// mean other people than before are left out as well.
pub(crate) fn copy_attributes(from: &File, from_meta: &Meta, to: &File) -> io::Result<bool> {
    let made = super::stat_file(to)?;
    let owner = if (made.uid, made.gid) == (from_meta.uid, from_meta.gid) {
        Owner::Same
    } else {
        give_owner(to, &made, from_meta)?
    };
    let mut all = owner == Owner::Same;
    all &= copy_xattrs(from, to)?;
    if let Err(error) = set_mode(to, owner.fitting(from_meta.mode)) {
        match Errno::from_io_error(&error) {
            Some(Errno::PERM | Errno::NOTSUP | Errno::NOSYS | Errno::ACCESS) => all = false,
            _ => return Err(error),
        }
    }
    Ok(all)
}

/// How much of the old owner a new version got.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Owner {
    /// User and group.
    Same,
    /// The group only.
    Group,
    /// Not even the group.
    Neither,
}

impl Owner {
    /// The part of `mode` that gives nobody more than they had.
    fn fitting(self, mode: u32) -> u32 {
        match self {
            Self::Same => mode,
            Self::Group => mode & !0o4000,
            // Another group gets what everybody has.
            Self::Neither => mode & !0o6070 | (mode & 0o070 & (mode & 0o007) << 3),
        }
    }
}

fn give_owner(to: &File, made: &Meta, meta: &Meta) -> io::Result<Owner> {
    let (uid, gid) = (Uid::from_raw(meta.uid), Gid::from_raw(meta.gid));
    let refused = |error: Errno| {
        matches!(
            error,
            Errno::PERM | Errno::NOTSUP | Errno::NOSYS | Errno::INVAL
        )
    };
    match fs::fchown(to, Some(uid), Some(gid)) {
        Ok(()) => return Ok(Owner::Same),
        Err(error) if refused(error) => {}
        Err(error) => return Err(error.into()),
    }
    if made.gid == meta.gid {
        return Ok(Owner::Group);
    }
    // The group alone may be one of this process's own.
    match fs::fchown(to, None, Some(gid)) {
        Ok(()) if made.uid == meta.uid => Ok(Owner::Same),
        Ok(()) => Ok(Owner::Group),
        Err(error) if refused(error) => Ok(Owner::Neither),
        Err(error) => Err(error.into()),
    }
}

/// Gives what has this name the owner and group of its folder, where that is somebody else and this
/// process may.
pub(crate) fn hand_down_owner(dir: &DirHandle, name: &[u8]) -> io::Result<()> {
    let folder = fs::fstat(dir)?;
    let made = fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW)?;
    if made.st_uid == folder.st_uid {
        return Ok(());
    }
    let (uid, gid) = (Uid::from_raw(folder.st_uid), Gid::from_raw(folder.st_gid));
    match fs::chownat(dir, name, Some(uid), Some(gid), AtFlags::SYMLINK_NOFOLLOW) {
        Err(Errno::PERM | Errno::NOTSUP | Errno::NOSYS | Errno::INVAL) => Ok(()),
        done => Ok(done?),
    }
}

/// Lets everybody who may read the file run it, or nobody.
pub(crate) fn set_executable(file: &File, executable: bool) -> io::Result<()> {
    let mode = super::stat_file(file)?.mode;
    let wanted = if executable {
        mode | (mode & 0o444) >> 2
    } else {
        mode & !0o111
    };
    if wanted == mode {
        return Ok(());
    }
    set_mode(file, wanted)
}

/// Sets the permission bits.
fn set_mode(file: &File, mode: u32) -> io::Result<()> {
    Ok(fs::fchmod(file, Mode::from_raw_mode(mode as _))?)
}

fn copy_xattrs(from: &File, to: &File) -> io::Result<bool> {
    let mut names = Vec::new();
    match read_growing(&mut names, |buffer| fs::flistxattr(from, buffer)) {
        Ok(()) => {}
        Err(Errno::NOTSUP | Errno::NOSYS | Errno::PERM) => return Ok(true),
        Err(error) => return Err(error.into()),
    }
    let mut all = true;
    let mut value = Vec::new();
    for name in names.split(|&b| b == 0).filter(|name| !name.is_empty()) {
        if NOT_COPIED.contains(&name) {
            continue;
        }
        match read_growing(&mut value, |buffer| fs::fgetxattr(from, name, buffer)) {
            Ok(()) => {}
            Err(Errno::NODATA | Errno::PERM | Errno::ACCESS | Errno::NOTSUP) => continue,
            Err(error) => return Err(error.into()),
        }
        match fs::fsetxattr(to, name, &value, XattrFlags::empty()) {
            Ok(()) => {}
            // A label the policy set by itself, or one only a privileged process may set.
            Err(Errno::PERM | Errno::ACCESS | Errno::NOTSUP | Errno::INVAL) => all = false,
            Err(error) => return Err(error.into()),
        }
    }
    Ok(all)
}

/// Fills `buffer` with what `read` gives, making room until it fits.
fn read_growing(
    buffer: &mut Vec<u8>,
    read: impl Fn(&mut [u8]) -> Result<usize, Errno>,
) -> Result<(), Errno> {
    // An empty buffer would ask for the size only, and a binding may answer that by itself.
    let mut room = XATTR_ROOM;
    loop {
        buffer.resize(room, 0);
        match read(buffer) {
            Ok(n) => {
                buffer.truncate(n);
                return Ok(());
            }
            Err(Errno::RANGE) if room < XATTR_BYTES => room *= 2,
            Err(error) => return Err(error),
        }
    }
}
