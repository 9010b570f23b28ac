//! Names of checkpoints: `HEAD`, the branch it stands for, their logs, and where history was cut off.

use std::collections::HashSet;

use rooted::{Dir, Durability, Kind};

use super::error::{Error, damaged};
use super::files;
use super::id::Id;

/// Bytes of a file that holds one name or id.
const REF_BYTES: u64 = 4096;
/// Bytes of a file that holds many.
const REFS_BYTES: u64 = 64 * 1024 * 1024;
/// Folders in folders below `refs`.
const DEPTH: usize = 16;

/// What `HEAD` stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Head {
    /// The branch; `None` when `HEAD` holds an id itself.
    branch: Option<Vec<u8>>,
    /// The newest checkpoint; `None` before the first one.
    pub(super) id: Option<Id>,
}

/// Reads `HEAD`.
pub(super) fn head(git: &Dir) -> Result<Head, Error> {
    let bad = || damaged("HEAD");
    let content = files::read(git, b"HEAD", REF_BYTES)?.ok_or_else(bad)?;
    let content = content.trim_ascii_end();
    match content.strip_prefix(b"ref:") {
        Some(name) => {
            let name = name.trim_ascii_start();
            if !name.starts_with(b"refs/") {
                return Err(bad());
            }
            Ok(Head {
                branch: Some(name.to_vec()),
                id: resolve(git, name)?,
            })
        }
        None => Ok(Head {
            branch: None,
            id: Some(Id::parse(content).ok_or_else(bad)?),
        }),
    }
}

/// The folders and the last part of a name.
fn way(name: &[u8]) -> Result<(Vec<&[u8]>, &[u8]), Error> {
    let mut parts: Vec<&[u8]> = name.split(|&byte| byte == b'/').collect();
    let last = parts.pop().unwrap_or_default();
    let is_name = |part: &[u8]| !matches!(part, b"" | b"." | b"..") && !part.contains(&0);
    if parts.len() <= DEPTH && parts.iter().all(|part| is_name(part)) && is_name(last) {
        Ok((parts, last))
    } else {
        Err(damaged("the name of a branch"))
    }
}

/// What a full name stands for, by its own file or in the packed list.
fn resolve(git: &Dir, name: &[u8]) -> Result<Option<Id>, Error> {
    let (folders, last) = way(name)?;
    if let Some(dir) = files::open(git, &folders)?
        && let Some(content) = files::read(&dir, last, REF_BYTES)?
    {
        let id = Id::parse(content.trim_ascii_end());
        return id
            .map(Some)
            .ok_or_else(|| damaged(format_args!("the branch {}", rooted::show(name))));
    }
    let packed = packed(git)?;
    let found = packed.into_iter().find(|(packed, _)| packed == name);
    Ok(found.map(|(_, id)| id))
}

fn packed(git: &Dir) -> Result<Vec<(Vec<u8>, Id)>, Error> {
    let content = files::read(git, b"packed-refs", REFS_BYTES)?.unwrap_or_default();
    let line = |line: &[u8]| {
        let (hex, name) = line.split_at_checked(40)?;
        Some((name.trim_ascii().to_vec(), Id::parse(hex)?))
    };
    Ok(content
        .split(|&byte| byte == b'\n')
        .filter_map(line)
        .collect())
}

/// Moves what `HEAD` stands for to a new checkpoint, if it still is where `head` says.
pub(super) fn advance(git: &Dir, old: &Head, new: Id, durability: Durability) -> Result<(), Error> {
    let content = format!("{new}\n").into_bytes();
    let (folders, last) = match &old.branch {
        Some(name) => way(name)?,
        None => (Vec::new(), &b"HEAD"[..]),
    };
    let dir = files::make(git, &folders)?;
    // Git itself moves a branch without asking for our lock; between this look and the write it
    // would have to be quick.
    if head(git)? != *old {
        return Err(crate::Error::Busy.into());
    }
    files::write(&dir, last, &content, durability)
}

/// Notes a move in the logs, which only people read.
pub(super) fn log(git: &Dir, head: &Head, new: Id, who: &str, message: &str) {
    let old = head.id.unwrap_or(Id::NONE);
    let message: String = message
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    let kind = if head.id.is_some() {
        "commit"
    } else {
        "commit (initial)"
    };
    let line = format!("{old} {new} {who}\t{kind}: {message}\n");
    // The checkpoint is made, whether or not it is noted.
    let _ = append(git, b"logs/HEAD", line.as_bytes());
    if let Some(branch) = &head.branch {
        let _ = append(git, &[b"logs/", &**branch].concat(), line.as_bytes());
    }
}

fn append(git: &Dir, name: &[u8], line: &[u8]) -> Result<(), Error> {
    let (folders, last) = way(name)?;
    let dir = files::make(git, &folders)?;
    match dir.open_end(last) {
        Ok(mut file) => file.append(line, Durability::Kill)?,
        Err(_) => dir
            .create_record_with(last, 0o666)?
            .write(line, Durability::Kill)?,
    }
    Ok(())
}

/// Takes out of the logs of `head` what is not kept.
pub(super) fn cut_logs(
    git: &Dir,
    head: &Head,
    kept: &HashSet<Id>,
    durability: Durability,
) -> Result<(), Error> {
    let names = head
        .branch
        .iter()
        .map(|branch| [b"logs/", &**branch].concat())
        .chain([b"logs/HEAD".to_vec()]);
    for name in names {
        let (folders, last) = way(&name)?;
        let Some(dir) = files::open(git, &folders)? else {
            continue;
        };
        let Some(content) = files::read(&dir, last, REFS_BYTES)? else {
            continue;
        };
        let mut cut = Vec::with_capacity(content.len());
        for line in content.split_inclusive(|&byte| byte == b'\n') {
            let Some((old, new)) = ids_of(line) else {
                continue;
            };
            if !kept.contains(&new) {
                continue;
            }
            let old = if kept.contains(&old) { old } else { Id::NONE };
            cut.extend_from_slice(old.to_string().as_bytes());
            cut.extend_from_slice(line.get(40..).unwrap_or_default());
        }
        if cut != content {
            files::write(&dir, last, &cut, durability)?;
        }
    }
    Ok(())
}

/// The old and the new id of a line of a log.
fn ids_of(line: &[u8]) -> Option<(Id, Id)> {
    Some((Id::parse(line.get(..40)?)?, Id::parse(line.get(41..81)?)?))
}

/// Every id that a name stands for, but for `HEAD` and its branch, and every id in the logs of others.
pub(super) fn others(git: &Dir, head: &Head) -> Result<HashSet<Id>, Error> {
    let mut found = HashSet::new();
    for (name, id) in packed(git)? {
        if head.branch.as_ref() != Some(&name) {
            found.insert(id);
        }
    }
    let mut each = |name: &[u8], content: &[u8]| {
        if head.branch.as_deref() != Some(name) {
            found.extend(Id::parse(content.trim_ascii_end()));
        }
    };
    collect(git, b"refs", b"refs", DEPTH, &mut each)?;
    for name in [&b"ORIG_HEAD"[..], b"MERGE_HEAD", b"FETCH_HEAD"] {
        if let Some(content) = files::read(git, name, REFS_BYTES)? {
            found.extend(content.get(..40).and_then(Id::parse));
        }
    }
    let mut each = |name: &[u8], content: &[u8]| {
        if head.branch.as_deref() != Some(name) && name != b"HEAD" {
            let lines = content.split(|&byte| byte == b'\n').filter_map(ids_of);
            found.extend(lines.flat_map(|(old, new)| [old, new]));
        }
    };
    collect(git, b"logs", b"", DEPTH, &mut each)?;
    found.remove(&Id::NONE);
    Ok(found)
}

/// Gives every file below a folder, named with `prefix`.
fn collect(
    parent: &Dir,
    folder: &[u8],
    prefix: &[u8],
    depth: usize,
    each: &mut dyn FnMut(&[u8], &[u8]),
) -> Result<(), Error> {
    let Some(dir) = files::open(parent, &[folder])? else {
        return Ok(());
    };
    for (name, kind) in dir.list()? {
        let full = if prefix.is_empty() {
            name.to_vec()
        } else {
            [prefix, b"/", &name].concat()
        };
        match kind {
            Kind::Dir if depth > 0 => collect(&dir, &name, &full, depth - 1, each)?,
            Kind::File => {
                if let Some(content) = files::read(&dir, &name, REFS_BYTES)? {
                    each(&full, &content);
                }
            }
            Kind::Dir | Kind::Link | Kind::Special => {}
        }
    }
    Ok(())
}

/// The checkpoints whose parents were dropped.
pub(super) fn shallow(git: &Dir) -> Result<HashSet<Id>, Error> {
    let content = files::read(git, b"shallow", REFS_BYTES)?.unwrap_or_default();
    Ok(content
        .split(|&byte| byte == b'\n')
        .filter_map(Id::parse)
        .collect())
}

/// Says which checkpoints have lost their parents.
pub(super) fn set_shallow(
    git: &Dir,
    ids: &HashSet<Id>,
    durability: Durability,
) -> Result<(), Error> {
    let mut lines: Vec<String> = ids.iter().map(|id| format!("{id}\n")).collect();
    lines.sort_unstable();
    files::write(git, b"shallow", lines.concat().as_bytes(), durability)
}
