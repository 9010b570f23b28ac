//! Objects in files of their own: `objects/xx/` and the other 38 digits of the id.

use std::collections::BTreeSet;

use rooted::{Dir, Durability, ErrorKind, Kind as FileKind};

use super::flush;
use super::zlib::{self, Deflater};
use crate::checkpoint::error::{Error, damaged, io};
use crate::checkpoint::id::Id;
use crate::checkpoint::object::Kind;

/// What the names of our unfinished objects start with; git clears those away as well, in time.
const TEMP: &str = "tmp_obj_wmcp_";
/// Bytes before the content: the kind, and the size in digits.
const HEADER: usize = 32;

/// Folder and file name of an object.
fn names(id: Id) -> (Vec<u8>, Vec<u8>) {
    let mut folder = id.to_string().into_bytes();
    let file = folder.split_off(2);
    (folder, file)
}

/// Reads an object; `None` when there is no such file.
pub(super) fn read(objects: &Dir, id: Id, limit: u64) -> Result<Option<(Kind, Vec<u8>)>, Error> {
    let (folder, name) = names(id);
    let file = objects
        .open_dir(&folder)
        .and_then(|dir| dir.open_file(&name));
    let mut file = match file {
        Ok(file) => file,
        Err(error) if matches!(error.kind, ErrorKind::NotFound) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let path = file.path().clone();
    let packed = file.read_all(limit).map_err(|error| io(error, &path))?;
    let bad = || damaged(format_args!("object {id}"));
    let mut start = [0; HEADER];
    let start = start_of(&packed, &mut start).ok_or_else(bad)?;
    let end = memchr::memchr(0, start).ok_or_else(bad)?;
    let header = start.get(..end).unwrap_or_default();
    let (kind, len) = parse_header(header).ok_or_else(bad)?;
    if len > limit {
        return Err(damaged(format_args!("object {id} is too large")));
    }
    let skip = end + 1;
    let all = zlib::unpack(packed.as_slice(), len.saturating_add(skip as u64));
    let mut all = all.map_err(|_| bad())?;
    all.drain(..skip);
    Ok(Some((kind, all)))
}

/// The first bytes of a packed object.
fn start_of<'b>(packed: &[u8], buffer: &'b mut [u8; HEADER]) -> Option<&'b [u8]> {
    use std::io::Read as _;
    let mut reader = flate2::read::ZlibDecoder::new(packed);
    let mut n = 0;
    while n < HEADER {
        match reader.read(buffer.get_mut(n..)?).ok()? {
            0 => break,
            more => n += more,
        }
    }
    buffer.get(..n)
}

fn parse_header(header: &[u8]) -> Option<(Kind, u64)> {
    let space = memchr::memchr(b' ', header)?;
    let len = std::str::from_utf8(header.get(space + 1..)?).ok()?;
    Some((Kind::from_name(header.get(..space)?)?, len.parse().ok()?))
}

/// Says whether there is such a file.
pub(super) fn has(objects: &Dir, id: Id) -> bool {
    let (folder, name) = names(id);
    let found = objects.open_dir(&folder).and_then(|dir| dir.stat(&name));
    // One without content is what a loss of power may leave of it.
    found.is_ok_and(|meta| meta.kind == FileKind::File && meta.len > 0)
}

/// Writes an object that is not there yet. Its folder is to be flushed by [`sync`] afterwards.
pub(super) fn write(
    objects: &Dir,
    id: Id,
    kind: Kind,
    content: &[u8],
    durability: Durability,
) -> Result<(), Error> {
    let mut packed = Vec::with_capacity(content.len() / 2 + 64);
    let header = kind.header(content.len());
    Deflater::default()
        .pack(&[&header, content], &mut packed)
        .map_err(|error| io(error, objects.path()))?;
    let (folder, name) = names(id);
    match objects.create_dir(&folder, 0o777) {
        Ok(()) => {}
        Err(error) if matches!(error.kind, ErrorKind::Exists) => {}
        Err(error) => return Err(error.into()),
    }
    let folder = objects.open_dir(&folder)?;
    let temp = format!("{TEMP}{:016x}", rooted::random()).into_bytes();
    objects.stage_new(&temp, &packed, durability)?;
    // Another object of that name is the same object.
    objects.rename(&temp, &folder, &name).inspect_err(|_| {
        let _ = objects.remove_file(&temp);
    })?;
    Ok(())
}

/// Makes the names of these objects survive a loss of power.
pub(super) fn sync(objects: &Dir, ids: &[Id]) -> Result<(), Error> {
    let folders: BTreeSet<Vec<u8>> = ids.iter().map(|&id| names(id).0).collect();
    let mut dirs = vec![objects.try_clone()?];
    for folder in folders {
        dirs.push(objects.open_dir(&folder)?);
    }
    flush::each(&dirs, |dir| Ok(dir.sync()?))
}

/// All objects with files of their own.
pub(super) fn list(objects: &Dir) -> Result<Vec<Id>, Error> {
    let mut ids = Vec::new();
    for folder in 0..=u8::MAX {
        let folder = format!("{folder:02x}");
        let dir = match objects.open_dir(folder.as_bytes()) {
            Ok(dir) => dir,
            Err(error) if matches!(error.kind, ErrorKind::NotFound) => continue,
            Err(error) => return Err(error.into()),
        };
        for (name, kind) in dir.list()? {
            let id = Id::parse(&[folder.as_bytes(), &name].concat());
            ids.extend(id.filter(|_| kind == FileKind::File));
        }
    }
    Ok(ids)
}

/// Moves an object to another folder of objects.
pub(super) fn move_to(from: &Dir, to: &Dir, id: Id) -> Result<(), Error> {
    let (folder, name) = names(id);
    let target = crate::checkpoint::files::make(to, &[&folder])?;
    Ok(from.open_dir(&folder)?.rename(&name, &target, &name)?)
}

/// Removes the files of objects that are elsewhere by now, or needed no more.
pub(super) fn remove(objects: &Dir, ids: &[Id]) {
    for id in ids {
        let (folder, name) = names(*id);
        // One that stays does no harm.
        if let Ok(dir) = objects.open_dir(&folder) {
            let _ = dir.remove_file(&name);
        }
    }
}

/// Removes what was being written when a process ended.
pub(super) fn sweep(objects: &Dir) -> Result<(), Error> {
    for (name, kind) in objects.list()? {
        if kind == FileKind::File && name.starts_with(TEMP.as_bytes()) {
            let _ = objects.remove_file(&name);
        }
    }
    Ok(())
}
