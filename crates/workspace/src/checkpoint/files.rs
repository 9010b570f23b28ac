//! Small files of the repository itself: read whole, replaced whole.

use rooted::{Dir, Durability, ErrorKind};

use super::error::{Error, io};

/// Reads a file of at most `limit` bytes; `None` when there is none.
pub(super) fn read(dir: &Dir, name: &[u8], limit: u64) -> Result<Option<Vec<u8>>, Error> {
    let mut file = match dir.open_file(name) {
        Ok(file) => file,
        Err(error) if matches!(error.kind, ErrorKind::NotFound) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let path = file.path().clone();
    let bytes = file.read_all(limit).map_err(|error| io(error, &path))?;
    if bytes.len() as u64 > limit {
        return Err(super::error::damaged(format_args!("{path} is too large")));
    }
    Ok(Some(bytes))
}

/// Puts a new version of a file in its place.
pub(super) fn write(
    dir: &Dir,
    name: &[u8],
    content: &[u8],
    durability: Durability,
) -> Result<(), Error> {
    let temp = rooted::temp_name();
    dir.stage_new(&temp, content, durability)?;
    dir.rename(&temp, dir, name).inspect_err(|_| {
        let _ = dir.remove_file(&temp);
    })?;
    if durability == Durability::Power {
        dir.sync()?;
    }
    Ok(())
}

/// Opens a folder by its way from `dir`; `None` when a part of the way is missing.
pub(super) fn open(dir: &Dir, way: &[&[u8]]) -> Result<Option<Dir>, Error> {
    let mut at = dir.try_clone()?;
    for name in way {
        at = match at.open_dir(name) {
            Ok(next) => next,
            Err(error) if matches!(error.kind, ErrorKind::NotFound) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
    }
    Ok(Some(at))
}

/// Opens a folder by its way from `dir`, and makes what is missing.
pub(super) fn make(dir: &Dir, way: &[&[u8]]) -> Result<Dir, Error> {
    let mut at = dir.try_clone()?;
    for name in way {
        match at.create_dir(name, 0o777) {
            Ok(()) => {}
            Err(error) if matches!(error.kind, ErrorKind::Exists) => {}
            Err(error) => return Err(error.into()),
        }
        at = at.open_dir(name)?;
    }
    Ok(at)
}

/// Removes a folder and all in it, as far as that goes.
pub(super) fn remove_all(parent: &Dir, name: &[u8]) {
    if let Ok(dir) = parent.open_dir(name) {
        for (inner, kind) in dir.list().unwrap_or_default() {
            if kind == rooted::Kind::Dir {
                remove_all(&dir, &inner);
            } else {
                let _ = dir.remove_file(&inner);
            }
        }
    }
    let _ = parent.remove_dir(name);
}
