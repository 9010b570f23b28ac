//! Check boxes in notes as tasks.

use rooted::RelPath;

use super::{Changed, Found, Status, Task};
use crate::cancel::Cancel;
use crate::read::sha256;
use crate::reader::Reader;
use crate::vault::fault::Fault;
use crate::vault::markdown::{CheckBox, Line, Note, check_box};
use crate::vault::notes::Notes;
use crate::vault::sweep::{self, sweep};
use crate::vault::write::change_existing;
use crate::vault::{Vault, path, read_start};

/// Digits of a hash that an id holds.
const HASH_DIGITS: usize = 8;
/// Characters of a title.
const TITLE_CHARS: usize = 500;

/// The id of a check box: the note, the line, and a hash of the line whatever its state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Id {
    path: RelPath,
    line: u64,
    hash: String,
}

impl Id {
    /// Reads an id; `None` when it is none, or check boxes are no tasks.
    pub(super) fn of(vault: &Vault, id: &str) -> Option<Self> {
        if !vault.markdown_tasks {
            return None;
        }
        let (place, hash) = id.rsplit_once('#')?;
        let (path, line) = place.rsplit_once(':')?;
        Some(Self {
            path: path::note(path).ok()?,
            line: line.parse().ok()?,
            hash: hash.to_ascii_lowercase(),
        })
    }

    fn not_found(&self) -> Fault {
        let Self { path, line, hash } = self;
        let path = path.as_str().unwrap_or_default();
        Fault::TaskNotFound(format!("{path}:{line}#{hash}"))
    }
}

/// Takes the check boxes of all notes, those behind `after` if one is named.
pub(super) fn list(
    vault: &Vault,
    reader: &Reader<'_>,
    after: Option<&Id>,
    found: &mut Found<'_>,
) -> Result<(), Fault> {
    let notes = Notes::beneath(reader, &RelPath::root())?;
    let most = vault.limits.max_read_bytes;
    // Counted first: the tasks of all notes could be more than fits in memory.
    let swept = sweep(reader, &notes, most, |seen| {
        let mut n = 0_usize;
        each_box(seen.content, |_, check| {
            n += usize::from(found.wants(status_of(check)));
        });
        (n > 0).then_some(n)
    })?;
    found.tasks.left_out = swept.left_out;
    let mut content = Vec::new();
    for (place, n) in swept.found {
        let path = notes.path(place);
        found.tasks.n_total += n;
        if after.is_some_and(|after| path < after.path) {
            continue;
        }
        if found.is_full() {
            found.tasks.truncated = true;
            continue;
        }
        reader.cancel().check()?;
        let Ok(Some(file)) = sweep::open(reader, &path) else {
            continue;
        };
        if read_start(&file, most, &mut content).is_err() {
            continue;
        }
        let behind = after.filter(|after| path == after.path);
        each_box(&content, |line, check| {
            let is_behind = behind.is_none_or(|after| line.number > after.line);
            if !is_behind || !found.wants(status_of(check)) {
                return;
            }
            if found.is_full() {
                found.tasks.truncated = true;
            } else {
                found.tasks.tasks.push(task(&path, line, check));
            }
        });
    }
    Ok(())
}

/// Checks or clears a box: one character changes, or none.
pub(super) fn set(
    vault: &Vault,
    cancel: &Cancel,
    id: &Id,
    status: Status,
) -> Result<Changed, Fault> {
    let mut done = None;
    let wrote = change_existing(vault, cancel, &id.path, |path, content| {
        let found = locate(content, id);
        let (at, mut task) = found
            .map(|(line, check)| (line.start + check.at, task(path, &line, &check)))
            .ok_or_else(|| id.not_found())?;
        let changed = task.status != status;
        let mut new = content.to_vec();
        if changed && let Some(state) = new.get_mut(at) {
            *state = if status == Status::Done { b'x' } else { b' ' };
        }
        task.status = status;
        done = Some(Changed { task, changed });
        Ok(new)
    });
    wrote.map_err(|fault| match fault {
        Fault::NoteNotFound(_) => id.not_found(),
        fault => fault,
    })?;
    done.ok_or_else(|| id.not_found())
}

/// The box that an id means: at its line, or if that is another one by now, the only one like it.
fn locate<'a>(content: &'a [u8], id: &Id) -> Option<(Line<'a>, CheckBox<'a>)> {
    let mut at_line = None;
    let mut elsewhere = None;
    let mut n_elsewhere = 0;
    each_box(content, |line, check| {
        if hash(line, check) != id.hash {
            return;
        }
        if line.number == id.line {
            at_line = Some((*line, *check));
        } else {
            elsewhere = Some((*line, *check));
            n_elsewhere += 1;
        }
    });
    at_line.or(elsewhere.filter(|_| n_elsewhere == 1))
}

/// Calls `each` for every check box of a note that is no code.
fn each_box<'a>(content: &'a [u8], mut each: impl FnMut(&Line<'a>, &CheckBox<'a>)) {
    if memchr::memchr(b'[', content).is_none() {
        return;
    }
    let note = Note::new(content);
    for line in note.lines() {
        if let Some(found) = check_box(line.text)
            && note.is_text(&line)
        {
            each(&line, &found);
        }
    }
}

fn status_of(check: &CheckBox<'_>) -> Status {
    if check.done {
        Status::Done
    } else {
        Status::Open
    }
}

fn task(path: &RelPath, line: &Line<'_>, check: &CheckBox<'_>) -> Task {
    let text = path.as_str().unwrap_or_default();
    let title = String::from_utf8_lossy(check.title);
    Task {
        id: format!("{text}:{}#{}", line.number, hash(line, check)),
        title: title.chars().take(TITLE_CHARS).collect(),
        status: status_of(check),
        created: None,
        due: None,
        done: None,
        place: Some((path.clone(), line.number)),
    }
}

/// A hash of the line whatever its state, so that an id stays good when the box is checked.
fn hash(line: &Line<'_>, check: &CheckBox<'_>) -> String {
    let mut text = line.text.to_vec();
    if let Some(state) = text.get_mut(check.at) {
        *state = b' ';
    }
    let mut hash = sha256(&text);
    hash.truncate(HASH_DIGITS);
    hash
}

#[cfg(test)]
mod tests;
