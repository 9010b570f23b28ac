//! Writing one file of the root, whole or not at all.

use rooted::{File, Kind, Place, Root};

use super::Limits;
use super::fault::Fault;
use super::page::content_hash;
use super::path;
use super::selector::Selector;
use crate::cancel::Cancel;
use crate::error::Error;
use crate::limits::EDIT_ATTEMPTS;
use crate::read;
use crate::transaction::{ChangeSet, Old};
use crate::workspace::Workspace;
use crate::writer::Writer;

/// Characters of a name at most.
const NAME_CHARS: usize = 255;

/// New content for a file of the root.
#[derive(Clone, Copy, Debug)]
pub struct WriteRequest<'a> {
    /// The name.
    pub path: &'a str,
    /// The content.
    pub content: &'a str,
    /// Refuse unless the file holds what this hash was told for.
    pub expected_hash: Option<&'a str>,
}

/// What was written.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Written {
    /// The name.
    pub path: String,
    /// The size of the file now, in bytes.
    pub bytes: u64,
    /// Stands for the bytes that were written.
    pub content_hash: String,
}

/// Refuses what is not to be written, before anything is opened.
pub(super) fn permit(
    selector: &Selector,
    limits: &Limits,
    request: &WriteRequest<'_>,
) -> Result<(), Fault> {
    if !is_name(request.path) {
        return Err(Fault::NAME);
    }
    if request.content.len() as u64 > limits.max_write_bytes {
        let max = limits.max_write_bytes;
        return Err(Fault::Told(
            format!("content exceeds the {max}-byte write limit").into(),
        ));
    }
    if selector.excludes(request.path) {
        return Err(Fault::EXCLUDED);
    }
    if !selector.includes(request.path) {
        return Err(if selector.reaches_root {
            Fault::NOT_INCLUDED
        } else {
            Fault::NO_ROOT_LEVEL
        });
    }
    Ok(())
}

/// Writes a file that [`permit`] let through.
pub(super) fn write(
    workspace: &Workspace,
    cancel: &Cancel,
    request: &WriteRequest<'_>,
) -> Result<Written, Fault> {
    // Asked before there is a lock, so that a refusal leaves nothing behind.
    let root = workspace.root().map_err(|_| Fault::ROOT_GONE)?;
    examine(&root, cancel, request)?;
    let writer = workspace.writer(cancel).map_err(|error| match error {
        Error::Cancelled => Fault::Cancelled,
        Error::RootGone(_) => Fault::ROOT_GONE,
        _ => Fault::DESTINATION,
    })?;
    for _ in 1..EDIT_ATTEMPTS {
        match attempt(&writer, cancel, request) {
            Err(Failed::Moving) => {}
            Err(Failed::Fault(fault)) => return Err(fault),
            Ok(written) => return Ok(written),
        }
    }
    attempt(&writer, cancel, request).map_err(|failed| match failed {
        Failed::Moving => Fault::WRITE_FAILED,
        Failed::Fault(fault) => fault,
    })
}

enum Failed {
    /// Another program changed the file meanwhile.
    Moving,
    Fault(Fault),
}

impl From<Fault> for Failed {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

fn attempt(
    writer: &Writer<'_>,
    cancel: &Cancel,
    request: &WriteRequest<'_>,
) -> Result<Written, Failed> {
    let (place, file) = examine(writer.reader().root(), cancel, request)?;
    let content = request.content.as_bytes().to_vec();
    let mut set = ChangeSet::new(writer.durability());
    match file {
        Some(file) => {
            let old = Old {
                file,
                content: None,
            };
            set.replace(place, old, content);
        }
        None => set.create_private(place, content),
    }
    match set.commit(writer.guard()) {
        Ok(_) => Ok(Written {
            path: request.path.to_owned(),
            bytes: request.content.len() as u64,
            content_hash: content_hash(request.content.as_bytes()),
        }),
        Err(Error::KeepsChanging(_)) => Err(Failed::Moving),
        Err(Error::Cancelled) => Err(Fault::Cancelled.into()),
        Err(Error::PermissionDenied(_) | Error::NotRegular(_) | Error::IsADirectory(_)) => {
            Err(Fault::DESTINATION.into())
        }
        Err(_) => Err(Fault::WRITE_FAILED.into()),
    }
}

/// The place of a file that may be written, with the file if there is one and it is the expected one.
fn examine(
    root: &Root,
    cancel: &Cancel,
    request: &WriteRequest<'_>,
) -> Result<(Place, Option<File>), Fault> {
    let place = place(root, request.path)?;
    if place.meta.is_none() {
        return match request.expected_hash {
            Some(_) => Err(Fault::CHANGED_SINCE_READ),
            None => Ok((place, None)),
        };
    }
    let file = place.dir.open_file(&place.name);
    let file = file.map_err(|_| Fault::DESTINATION)?;
    if file.meta().nlink > 1 {
        return Err(Fault::DESTINATION);
    }
    if let Some(expected) = request.expected_hash {
        let found = read::sha256_of(&file, cancel).map_err(|error| match error {
            Error::Cancelled => Fault::Cancelled,
            _ => Fault::DESTINATION,
        })?;
        if expected != format!("sha256:{found}") {
            return Err(Fault::CHANGED_SINCE_READ);
        }
    }
    Ok((place, Some(file)))
}

/// The place of a file in the root that is nothing yet, or a file that may be written.
fn place(root: &Root, name: &str) -> Result<Place, Fault> {
    let place = root
        .locate(&path::rel(name))
        .map_err(|_| Fault::DESTINATION)?;
    match place.meta {
        None if place.dir.may_change_names() => Ok(place),
        Some(meta) if meta.kind == Kind::File && place.dir.may_write(&place.name) => Ok(place),
        _ => Err(Fault::DESTINATION),
    }
}

fn is_name(name: &str) -> bool {
    let is_start = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let is_letter = |byte: u8| is_start(byte) || matches!(byte, b'.' | b'_' | b'-');
    name.len() <= NAME_CHARS
        && name.bytes().next().is_some_and(is_start)
        && name.bytes().all(is_letter)
}
