//! Changing notes: adding to one, writing, editing and moving one.

use rooted::{ErrorKind, File, Kind, Place, RelPath, Root};

use super::fault::Fault;
use super::{Vault, path, permit_through};
use crate::cancel::Cancel;
use crate::change;
use crate::edit::{self, Edit, EditFault};
use crate::error::Error;
use crate::limits;
use crate::read::{sha256, sha256_of};
use crate::text::Form;
use crate::transaction::{self, ChangeSet, Old, Outcome, TreeChange, What};
use crate::writer::Writer;

/// Bytes at the end of a note that tell how its lines end.
const TAIL_BYTES: u64 = 4096;

/// What became of a note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// Where it is, how large, and how it was written.
    pub outcome: Outcome,
    /// The SHA-256 of it in hexadecimal, where that is known without reading it again.
    pub sha256: Option<String>,
    /// Whether the new text took the line ends of its place.
    pub adapted: bool,
    /// Whether the last line had a line end and now has none.
    pub lost_last_newline: bool,
}

impl Written {
    fn new(outcome: Outcome, sha256: Option<String>) -> Self {
        Self {
            outcome,
            sha256,
            adapted: false,
            lost_last_newline: false,
        }
    }
}

/// A note that has another path now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moved {
    /// The old path.
    pub from: RelPath,
    /// The new path.
    pub path: RelPath,
}

/// Does something under the lock, again as long as another program changes the note in between.
pub(super) fn exclusively<T>(
    vault: &Vault,
    cancel: &Cancel,
    mut attempt: impl FnMut(&Writer<'_>) -> Result<T, Fault>,
) -> Result<T, Fault> {
    let writer = vault.workspace.writer(cancel)?;
    for _ in 1..limits::EDIT_ATTEMPTS {
        match attempt(&writer) {
            Err(Fault::Workspace(Error::KeepsChanging(_))) => cancel.check()?,
            done => return done,
        }
    }
    attempt(&writer)
}

/// Adds text as lines of its own to the end of a note, whatever its size; makes a missing one.
///
/// # Errors
/// The path faults; [`Fault::TooMuch`], [`Fault::Twin`]; what the transaction says.
pub fn append(vault: &Vault, cancel: &Cancel, note: &str, text: &str) -> Result<Written, Fault> {
    let note = path::note(note)?;
    vault.permit_size(text)?;
    exclusively(vault, cancel, |writer| {
        let place = target(writer, &note)?;
        let mut crlf = false;
        let mut shared = None;
        if place.meta.is_some() {
            let file = open(writer, &place)?;
            crlf = ends_lines_with_crlf(&file).map_err(|error| match error {
                None => Fault::NotUtf8(place.path.clone()),
                Some(source) => Fault::io(source, &place.path),
            })?;
            shared = (file.meta().nlink > 1).then_some(file);
        }
        let line_break = if crlf { "\r\n" } else { "\n" };
        let mut lines = if crlf {
            text.replace("\r\n", "\n").replace('\n', line_break)
        } else {
            text.to_owned()
        };
        if !lines.ends_with('\n') {
            lines.push_str(line_break);
        }
        let (lines, line_break) = (lines.as_bytes(), line_break.as_bytes());
        let done = match shared {
            Some(file) => change::append_apart(writer, place, file, lines, line_break),
            None => transaction::append(
                place,
                lines,
                line_break,
                writer.durability(),
                writer.guard(),
            ),
        }?;
        let outcome = Outcome {
            path: done.path,
            created: done.created,
            len: done.len,
            was_hard_linked: done.was_hard_linked,
            attributes_lost: false,
            written_in_place: false,
        };
        Ok(Written::new(outcome, None))
    })
}

/// Says whether the lines at the end of a file end in `\r\n`. A file in UTF-16 is an error without a
/// source.
fn ends_lines_with_crlf(file: &File) -> Result<bool, Option<std::io::Error>> {
    let mut head = [0; 4];
    let n = file.read_at(&mut head, 0).map_err(Some)?;
    if Form::of_head(head.get(..n).unwrap_or_default())
        .encoding
        .is_utf16()
    {
        return Err(None);
    }
    let mut tail = vec![0; usize::try_from(TAIL_BYTES).unwrap_or(0)];
    let start = file.meta().len.saturating_sub(TAIL_BYTES);
    let n = file.read_at(&mut tail, start).map_err(Some)?;
    let tail = tail.get(..n).unwrap_or_default();
    let last = memchr::memrchr(b'\n', tail);
    Ok(last.is_some_and(|at| tail.get(..at).is_some_and(|before| before.ends_with(b"\r"))))
}

/// Writes a note, whole.
///
/// # Errors
/// The path faults; [`Fault::NoteNotFound`], [`Fault::TooMuch`], [`Fault::NotReadInFull`], [`Fault::Changed`],
/// [`Fault::Twin`]; what the transaction says.
pub fn write(
    vault: &Vault,
    cancel: &Cancel,
    note: &str,
    content: &str,
    expected_sha256: Option<&str>,
) -> Result<Written, Fault> {
    let note = path::note(note)?;
    vault.permit_size(content)?;
    exclusively(vault, cancel, |writer| {
        let place = target(writer, &note)?;
        let mut set = ChangeSet::new(writer.durability());
        if place.meta.is_none() {
            if expected_sha256.is_some() {
                return Err(Fault::NoteNotFound(place.path));
            }
            set.create(place, content.as_bytes().to_vec());
        } else {
            let file = open(writer, &place)?;
            match expected_sha256 {
                Some(expected) => {
                    permit_through(&file)?;
                    let found = sha256_of(&file, cancel)?;
                    if !expected.trim().eq_ignore_ascii_case(&found) {
                        return Err(Fault::Changed(place.path));
                    }
                }
                None if file.meta().len > vault.limits.max_read_bytes => {
                    return Err(Fault::NotReadInFull);
                }
                None => {}
            }
            let old = Old {
                file,
                content: None,
            };
            set.replace(place, old, content.as_bytes().to_vec());
        }
        let done = set.commit(writer.guard())?.pop().ok_or(Error::Cancelled)?;
        Ok(Written::new(done, Some(sha256(content.as_bytes()))))
    })
}

/// Replaces the only place where a text occurs in a note.
///
/// # Errors
/// The path faults; [`Fault::TextNotFound`], [`Fault::TextAmbiguous`], [`Fault::TooMuch`]; what the
/// transaction says.
pub fn edit(
    vault: &Vault,
    cancel: &Cancel,
    note: &str,
    old: &str,
    new: &str,
) -> Result<Written, Fault> {
    let note = path::note(note)?;
    vault.permit_size(new)?;
    if old.is_empty() {
        let what = "oldString: expected the text to replace; notes_append adds to the end";
        return Err(Fault::Argument(what.to_owned()));
    }
    if old == new {
        let what = "newString: is the same as oldString, so there is nothing to change";
        return Err(Fault::Argument(what.to_owned()));
    }
    let edit = Edit {
        old,
        new,
        replace_all: false,
    };
    let (mut adapted, mut lost_last_newline) = (false, false);
    let mut written = change_existing(vault, cancel, &note, |path, content| {
        let edited = edit::apply(content, &edit).map_err(|fault| match fault {
            EditFault::NotFound { nearest } => Fault::TextNotFound {
                path: path.clone(),
                nearest,
            },
            EditFault::Ambiguous { count, lines } => Fault::TextAmbiguous {
                path: path.clone(),
                count,
                lines,
            },
            EditFault::NotUtf8 => Fault::NotUtf8(path.clone()),
            EditFault::ResultTooLarge(size) => Fault::Workspace(Error::ResultTooLarge {
                path: path.clone(),
                size,
            }),
        })?;
        (adapted, lost_last_newline) = (edited.adapted, edited.lost_last_newline);
        Ok(edited.bytes)
    })?;
    (written.adapted, written.lost_last_newline) = (adapted, lost_last_newline);
    Ok(written)
}

/// Makes new content of that of an existing note, and writes it.
pub(super) fn change_existing(
    vault: &Vault,
    cancel: &Cancel,
    note: &RelPath,
    mut change: impl FnMut(&RelPath, &[u8]) -> Result<Vec<u8>, Fault>,
) -> Result<Written, Fault> {
    exclusively(vault, cancel, |writer| {
        let place = existing(writer, note)?;
        let mut file = open(writer, &place)?;
        let content = change::read_whole(&mut file, &place.path)?;
        if std::str::from_utf8(&content).is_err() {
            return Err(Fault::NotUtf8(place.path));
        }
        let new = change(&place.path, &content)?;
        let hash = sha256(&new);
        let mut outcome = Outcome {
            path: place.path.clone(),
            created: false,
            len: new.len() as u64,
            was_hard_linked: false,
            attributes_lost: false,
            written_in_place: false,
        };
        if new != content {
            let mut set = ChangeSet::new(writer.durability());
            let old = Old {
                file,
                content: Some(content),
            };
            set.replace(place, old, new);
            outcome = set.commit(writer.guard())?.pop().unwrap_or(outcome);
        }
        Ok(Written::new(outcome, Some(hash)))
    })
}

/// Gives a note another path, which must be free.
///
/// # Errors
/// The path faults; [`Fault::Taken`], [`Fault::Twin`], [`Fault::Link`]; what the transaction says.
pub fn relocate(vault: &Vault, cancel: &Cancel, from: &str, to: &str) -> Result<Moved, Fault> {
    let (from, to) = (path::note(from)?, path::note(to)?);
    exclusively(vault, cancel, |writer| {
        let old = existing(writer, &from)?;
        let mut new = locate(writer.reader().root(), &to)?;
        if is_link(writer, &from, &old) {
            // Moving would take away what the link leads to.
            return Err(Fault::Link(old.path));
        }
        if let Some(name) = other_letters(writer.reader().root(), &old, &new, &to) {
            new.path = new.dir.path().join(name);
        } else if new.meta.is_some() {
            return Err(Fault::Taken(new.path));
        }
        refuse_twin(writer.reader().root(), &new, Some(&old))?;
        let (from, path) = (old.path.clone(), new.path.clone());
        let Some(meta) = old.meta else {
            return Err(Fault::NoteNotFound(from));
        };
        let mut change = TreeChange::new(writer.durability());
        let mut folder = new.dir.path().clone();
        for name in &new.missing {
            folder = folder.join(name);
            change.make_folder(folder.clone());
        }
        change.rename(from.clone(), path.clone(), What::There(meta));
        let root = writer.reader().root();
        let made = change.commit(root, writer.guard(), &mut |_| Ok(Vec::new()));
        made.map_err(|failed| failed.cause)?.finish();
        Ok(Moved { from, path })
    })
}

/// The name to give a note that is to have its own name in other letters, where the file system
/// takes both for one.
fn other_letters<'a>(root: &Root, old: &Place, new: &Place, to: &'a RelPath) -> Option<&'a [u8]> {
    let name = to.file_name()?;
    let form = |name| std::str::from_utf8(name).ok().map(path::common_form);
    let is_same = new.meta.is_some() && new.path == old.path && form(name) == form(&new.name);
    (is_same && name != &*new.name && root.folds_case()).then_some(name)
}

/// Says whether a path leads to its note by a link in place of the note.
fn is_link(writer: &Writer<'_>, path: &RelPath, found: &Place) -> bool {
    let twin = writer.reader().twin(path);
    let path = twin.as_ref().unwrap_or(path);
    let folder = writer
        .reader()
        .root()
        .find(&path.parent().unwrap_or_default());
    let (Ok((_, folder)), Some(name)) = (folder, path.file_name()) else {
        return true;
    };
    common_path(&folder.join(name)) != common_path(&found.path)
}

fn common_path(path: &RelPath) -> String {
    path::common_form(path.as_str().unwrap_or_default())
}

/// The place of a note that is there, also by another Unicode form of its path.
pub(super) fn existing(writer: &Writer<'_>, note: &RelPath) -> Result<Place, Fault> {
    let reader = writer.reader();
    let place = locate(reader.root(), note)?;
    if place.meta.is_some() {
        return Ok(place);
    }
    let twin = reader.twin(note);
    let place = twin.map(|twin| locate(reader.root(), &twin)).transpose()?;
    match place {
        Some(place) if place.meta.is_some() => Ok(place),
        _ => Err(Fault::NoteNotFound(note.clone())),
    }
}

/// The place of a note that is there or can be made.
fn target(writer: &Writer<'_>, note: &RelPath) -> Result<Place, Fault> {
    let root = writer.reader().root();
    let place = locate(root, note)?;
    if place.meta.is_none() {
        refuse_twin(root, &place, None)?;
    }
    Ok(place)
}

/// Where a path leads: to a regular file or nothing, by a name that a note may have.
fn locate(root: &Root, note: &RelPath) -> Result<Place, Fault> {
    let place = root.locate(note).map_err(|error| match error.kind {
        ErrorKind::NotADirectory => Error::from(error).into(),
        _ => Fault::reaching(error, note),
    })?;
    path::check_note(&place.path)?;
    match place.meta.map(|meta| meta.kind) {
        None | Some(Kind::File) => Ok(place),
        Some(Kind::Dir) => Err(Error::IsADirectory(place.path).into()),
        Some(Kind::Link | Kind::Special) => Err(Error::NotRegular(place.path).into()),
    }
}

/// Opens the note at a place, as the version that a change is made from.
pub(super) fn open(_writer: &Writer<'_>, place: &Place) -> Result<File, Fault> {
    match place.dir.open_file(&place.name) {
        Err(error) if matches!(error.kind, ErrorKind::NotFound | ErrorKind::LinkRefused) => {
            Err(Error::KeepsChanging(place.path.clone()).into())
        }
        opened => opened.map_err(|error| Fault::reaching(error, &place.path)),
    }
}

/// Refuses a new name that some file system takes for one that is there. The name of the note that
/// is moved does not count in its own folder.
fn refuse_twin(root: &Root, place: &Place, moved: Option<&Place>) -> Result<(), Fault> {
    let new = place.missing.first().unwrap_or(&place.name);
    let Ok(text) = std::str::from_utf8(new) else {
        return Ok(());
    };
    let form = path::common_form(text);
    let names = root
        .open_dir(place.dir.path())
        .and_then(|dir| dir.list())
        .map_err(|error| Fault::reaching(error, &place.path))?;
    let own = moved
        .filter(|moved| moved.dir.path() == place.dir.path() && place.missing.is_empty())
        .map(|moved| &moved.name);
    let twin = names.iter().map(|(name, _)| name).find(|name| {
        Some(*name) != own
            && *name != new
            && std::str::from_utf8(name).is_ok_and(|name| path::common_form(name) == form)
    });
    match twin {
        Some(twin) => Err(Fault::Twin(String::from_utf8_lossy(twin).into_owned())),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
