//! Adding to the end of a file without reading it: whole, or not at all.

use rooted::{Durability, ErrorKind, Place, RelPath};

use super::ChangeSet;
use super::intent::{self, Entry, Form, Intent, Name, Print, Record};
use crate::error::Error;
use crate::lock::Guard;

/// What an append did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Appended {
    /// Where the file is, after links.
    pub path: RelPath,
    /// Whether there was none before.
    pub created: bool,
    /// Bytes that were added, a line break in front included.
    pub added: u64,
    /// The size in bytes now.
    pub len: u64,
    /// Whether other names of the file keep the old content.
    pub was_hard_linked: bool,
}

/// Adds `content` to a file, behind a line break if the last line has none; a missing file is made.
///
/// `line_break` is a line break in the file's own encoding. The file grows by what other programs
/// append at the same time as well; nothing of that is lost.
///
/// # Errors
/// What stopped it; the file is as long as before then.
pub fn append(
    place: Place,
    content: &[u8],
    line_break: &[u8],
    durability: Durability,
    guard: &Guard,
) -> Result<Appended, Error> {
    if place.meta.is_none() {
        let path = place.path.clone();
        let len = content.len() as u64;
        let mut set = ChangeSet::new(durability);
        set.create(place, content.to_vec());
        set.commit(guard)?;
        return Ok(Appended {
            path,
            created: true,
            added: len,
            len,
            was_hard_linked: false,
        });
    }
    let path = place.path;
    let fault = intent::at(&path);
    let mut file = match place.dir.open_end(&place.name) {
        Err(error) if matches!(error.kind, ErrorKind::NotFound | ErrorKind::LinkRefused) => {
            return Err(Error::KeepsChanging(path.clone()));
        }
        opened => opened.map_err(&fault)?,
    };
    let old = *file.meta();
    let n = line_break.len() as u64;
    let last = file
        .read_from(old.len.saturating_sub(n), line_break.len())
        .map_err(&fault)?;
    let bytes = if old.len == 0 || last == line_break {
        content.to_vec()
    } else {
        [line_break, content].concat()
    };
    let mut intent = Intent::new(
        Vec::new(),
        vec![Entry {
            path: Name::from(&path),
            form: Form::Append,
            old: Some(Print::of(&old)),
        }],
    );
    let added = bytes.len() as u64;
    intent.append = Some(added);
    let tx = &guard.state().tx;
    let id = rooted::random();
    let record = Record::create(tx, id, &intent, &bytes, durability).map_err(&fault)?;
    let done = file.append(&bytes, durability).and_then(|()| file.stat());
    let now = match done {
        Ok(now) => now,
        Err(error) => {
            // When cutting failed as well the record stays, for the next recovery.
            if file.stat().is_ok_and(|now| now.len <= old.len) {
                record.remove();
            }
            return Err(fault(error));
        }
    };
    record.remove();
    Ok(Appended {
        path: path.clone(),
        created: false,
        added,
        len: now.len,
        was_hard_linked: false,
    })
}
