//! Removing a name.

use std::fs;
use std::io;
use std::path::Path;

use cap_fs_ext::OpenOptionsExt as _;

use super::patience::{Held, patiently};
use super::{
    DirHandle, FILE_ATTRIBUTE_DIRECTORY, FILE_ATTRIBUTE_READONLY, FILE_ATTRIBUTE_REPARSE_POINT,
    attributes, code, look, no_follow, open, place_of, stat, stat_file,
};
use crate::meta::Kind;

/// The right to change what [`attributes()`] tells.
const FILE_WRITE_ATTRIBUTES: u32 = 0x100;

/// Removes a file or link; a link to a folder is a folder to the system.
pub(crate) fn remove_file(dir: &DirHandle, name: &[u8]) -> io::Result<()> {
    let attributes = attributes(&look(dir, name)?)?;
    let path = place_of(dir, name)?;
    match attributes & (FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_REPARSE_POINT) {
        FILE_ATTRIBUTE_DIRECTORY => Err(io::ErrorKind::IsADirectory.into()),
        both if both & FILE_ATTRIBUTE_DIRECTORY != 0 => {
            patiently(Held::Open, || fs::remove_dir(&path))
        }
        0 if attributes & FILE_ATTRIBUTE_READONLY != 0 => remove_read_only(dir, name, &path),
        _ => patiently(Held::Open, || fs::remove_file(&path)),
    }
}

/// Removes a file that is marked as read-only, which not every file system does for the asking.
fn remove_read_only(dir: &DirHandle, name: &[u8], path: &Path) -> io::Result<()> {
    let Err(error) = fs::remove_file(path) else {
        return Ok(());
    };
    let mut options = no_follow();
    options.access_mode(FILE_WRITE_ATTRIBUTES);
    let Ok(file) = open(dir, name, &options) else {
        return Err(error);
    };
    let n_names = stat_file(&file)?.nlink;
    let mark = file.metadata()?.permissions();
    let mut plain = mark.clone();
    #[expect(
        clippy::permissions_set_readonly_false,
        reason = "what that does on Unix does not matter here"
    )]
    plain.set_readonly(false);
    file.set_permissions(plain)?;
    let removed = patiently(Held::Open, || fs::remove_file(path));
    if removed.is_err() || n_names > 1 {
        // The mark is that of the file, which is still there.
        let marked = file.set_permissions(mark);
        return removed.and(marked);
    }
    removed
}

pub(crate) fn remove_dir(dir: &DirHandle, name: &[u8]) -> io::Result<()> {
    if stat(dir, name)?.kind != Kind::Dir {
        return Err(code(code::DIRECTORY));
    }
    let path = place_of(dir, name)?;
    patiently(Held::Open, || fs::remove_dir(&path))
}
