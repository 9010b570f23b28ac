//! Tasks: those of the tasks file, and check boxes in notes when these count as tasks.

mod boxes;
mod change;
mod document;
mod scan;

use rooted::{ErrorKind, File, RelPath, Root};

use self::change::New;
use self::document::Document;
use super::fault::Fault;
use super::path::{PathFault, TASKS_FILE};
use super::write::exclusively;
use super::{LeftOut, Vault};
use crate::cancel::Cancel;
use crate::clock::Time;
use crate::error::Error;
use crate::text::cut_chars;
use crate::transaction::{ChangeSet, Old};
use crate::writer::Writer;

/// Characters that a title may have.
pub const TITLE_CHARS: usize = 500;

/// A task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// Its id: unique in the file, or `path:line#hash` of a check box.
    pub id: String,
    /// What is to be done.
    pub title: String,
    /// How far it is.
    pub status: Status,
    /// When it was made, as it is written.
    pub created: Option<String>,
    /// When it is due, as it is written.
    pub due: Option<String>,
    /// When it was done, as it is written.
    pub done: Option<String>,
    /// The note and the line of a check box.
    pub place: Option<(RelPath, u64)>,
}

/// How far a task is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Still to be done.
    Open,
    /// Done.
    Done,
}

impl Status {
    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Done => "done",
        }
    }

    /// The status that a word stands for.
    #[must_use]
    pub fn of(word: &str) -> Option<Self> {
        match word {
            "open" => Some(Self::Open),
            "done" => Some(Self::Done),
            _ => None,
        }
    }
}

/// Some tasks.
#[derive(Clone, Debug, Default)]
pub struct Tasks {
    /// The tasks: those of the file in its order, then check boxes by path and line.
    pub tasks: Vec<Task>,
    /// How many there are in all.
    pub n_total: usize,
    /// Whether there are more behind the last one.
    pub truncated: bool,
    /// Notes that were not looked through for check boxes, or not to the end.
    pub left_out: LeftOut,
}

/// A task after a change of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changed {
    /// The task as it is now; as it was, if it was removed.
    pub task: Task,
    /// Whether anything had to be changed.
    pub changed: bool,
}

/// What to change about a task; what is `None` stays.
#[derive(Clone, Copy, Debug, Default)]
pub struct Update<'a> {
    /// Another title.
    pub title: Option<&'a str>,
    /// Another day, or none if empty.
    pub due: Option<&'a str>,
    /// Another status.
    pub status: Option<Status>,
}

/// Which tasks to list.
#[derive(Clone, Copy, Debug, Default)]
pub struct ListRequest<'a> {
    /// Only those of this status.
    pub status: Option<Status>,
    /// Goes on behind the task of this id.
    pub after: Option<&'a str>,
    /// How many, at most.
    pub limit: Option<usize>,
}

/// Lists tasks.
///
/// # Errors
/// [`Fault::Tasks`] and [`Fault::TasksTooLarge`] when the file is not what it should be;
/// [`Fault::TaskNotFound`] when there is none to go on behind.
pub fn list(vault: &Vault, cancel: &Cancel, request: &ListRequest<'_>) -> Result<Tasks, Fault> {
    let reader = vault.reader(cancel)?;
    let mut found = Found {
        status: request.status,
        limit: vault.n_results(request.limit),
        skipping: request.after,
        tasks: Tasks::default(),
    };
    if let Some(file) = open(reader.root())? {
        let text = read(vault, file)?.1;
        for item in Document::parse(&text)?.items {
            found.take(item.task);
        }
    }
    if vault.markdown_tasks {
        let after = found.skipping.and_then(|id| boxes::Id::of(vault, id));
        if after.is_some() {
            found.skipping = None;
        }
        boxes::list(vault, &reader, after.as_ref(), &mut found)?;
    }
    if let Some(id) = found.skipping {
        return Err(Fault::TaskNotFound(id.to_owned()));
    }
    Ok(found.tasks)
}

/// Tasks as they are found, in order.
struct Found<'a> {
    status: Option<Status>,
    limit: usize,
    /// Nothing up to this id is told.
    skipping: Option<&'a str>,
    tasks: Tasks,
}

impl Found<'_> {
    fn wants(&self, status: Status) -> bool {
        self.status.is_none_or(|wanted| wanted == status)
    }

    fn is_full(&self) -> bool {
        self.tasks.tasks.len() >= self.limit
    }

    /// Takes the next task, if it is wanted and there is room.
    fn take(&mut self, task: Task) {
        let is_last_skipped = self.skipping == Some(task.id.as_str());
        let is_skipped = self.skipping.is_some();
        if is_last_skipped {
            self.skipping = None;
        }
        if !self.wants(task.status) {
            return;
        }
        self.tasks.n_total += 1;
        if is_skipped {
            return;
        }
        if self.is_full() {
            self.tasks.truncated = true;
        } else {
            self.tasks.tasks.push(task);
        }
    }
}

/// Adds a task to the file, which is made if it is missing.
///
/// # Errors
/// [`Fault::Argument`]; those of [`list`]; what the transaction says.
pub fn add(vault: &Vault, cancel: &Cancel, title: &str, due: Option<&str>) -> Result<Task, Fault> {
    let title = check_title(title)?;
    vault.permit_size(title)?;
    let due = due.map(check_due).transpose()?.flatten();
    change_file(vault, cancel, true, |document| {
        let task = Task {
            id: document.free_id(),
            title: title.to_owned(),
            status: Status::Open,
            created: Some(now(vault)),
            due: due.map(str::to_owned),
            done: None,
            place: None,
        };
        let text = New(&task).into(document);
        Ok((Some(text), task))
    })
}

/// Changes a task.
///
/// # Errors
/// [`Fault::Argument`], [`Fault::TaskNotFound`], [`Fault::TaskInNote`]; those of [`list`]; what the
/// transaction says.
pub fn update(
    vault: &Vault,
    cancel: &Cancel,
    id: &str,
    update: &Update<'_>,
) -> Result<Changed, Fault> {
    let title = update.title.map(check_title).transpose()?;
    let due = update.due.map(check_due).transpose()?;
    if title.is_none() && due.is_none() && update.status.is_none() {
        let what = "title, due or status: expected at least one of them";
        return Err(Fault::Argument(what.to_owned()));
    }
    if let Some(title) = title {
        vault.permit_size(title)?;
    }
    if let Some(at) = boxes::Id::of(vault, id)
        && !has_task(vault, cancel, id)?
    {
        return match update.status {
            Some(status) if title.is_none() && due.is_none() => {
                boxes::set(vault, cancel, &at, status)
            }
            _ => Err(Fault::TaskInNote("change its text with notes_edit")),
        };
    }
    change_file(vault, cancel, false, |document| {
        let item = document.item(id)?;
        let mut task = item.task.clone();
        if let Some(title) = title {
            task.title = title.to_owned();
        }
        if let Some(due) = due {
            task.due = due.map(str::to_owned);
        }
        if let Some(status) = update.status.filter(|status| *status != task.status) {
            task.status = status;
            task.done = (status == Status::Done).then(|| now(vault));
        }
        let text = change::set(document, item, &task);
        let changed = text.is_some();
        Ok((text, Changed { task, changed }))
    })
}

/// Marks a task as done; one that is done already stays as it is.
///
/// # Errors
/// As [`update`].
pub fn complete(vault: &Vault, cancel: &Cancel, id: &str) -> Result<Changed, Fault> {
    let done = Update {
        status: Some(Status::Done),
        ..Update::default()
    };
    update(vault, cancel, id, &done)
}

/// Removes a task from the file.
///
/// # Errors
/// [`Fault::TaskNotFound`], [`Fault::TaskInNote`]; those of [`list`]; what the transaction says.
pub fn remove(vault: &Vault, cancel: &Cancel, id: &str) -> Result<Task, Fault> {
    if boxes::Id::of(vault, id).is_some() && !has_task(vault, cancel, id)? {
        return Err(Fault::TaskInNote("remove it with notes_edit"));
    }
    change_file(vault, cancel, false, |document| {
        let item = document.item(id)?;
        let text = change::without(document, item);
        Ok((Some(text), item.task.clone()))
    })
}

/// Says whether the file has a task of that id; an invalid file is a failure here, too.
fn has_task(vault: &Vault, cancel: &Cancel, id: &str) -> Result<bool, Fault> {
    let reader = vault.reader(cancel)?;
    let Some(file) = open(reader.root())? else {
        return Ok(false);
    };
    let text = read(vault, file)?.1;
    Ok(Document::parse(&text)?.tasks().any(|task| task.id == id))
}

/// Works out a new text of the file under the lock, and writes it.
fn change_file<T>(
    vault: &Vault,
    cancel: &Cancel,
    may_make: bool,
    mut change: impl FnMut(&Document<'_>) -> Result<(Option<String>, T), Fault>,
) -> Result<T, Fault> {
    exclusively(vault, cancel, |writer| {
        let (old, text) = match open_to_change(writer)? {
            Some(file) => {
                let (file, text) = read(vault, file)?;
                (Some(file), text)
            }
            None if may_make => (None, change::EMPTY.to_owned()),
            None => (None, "[]".to_owned()),
        };
        let (new, done) = change(&Document::parse(&text)?)?;
        let Some(new) = new else {
            return Ok(done);
        };
        // What would not be read again must not be written.
        Document::parse(&new)?;
        let limit = vault.limits.max_read_bytes;
        if new.len() as u64 > limit {
            let size = new.len() as u64;
            return Err(Fault::TasksTooLarge { size, limit });
        }
        let place = writer
            .reader()
            .root()
            .locate(&tasks_path())
            .map_err(reaching)?;
        let mut set = ChangeSet::new(writer.durability());
        match old {
            Some(file) => {
                let content = Some(text.into_bytes());
                set.replace(place, Old { file, content }, new.into_bytes());
            }
            None => set.create(place, new.into_bytes()),
        }
        set.commit(writer.guard())?;
        Ok(done)
    })
}

fn tasks_path() -> RelPath {
    RelPath::root().join(TASKS_FILE)
}

fn reaching(error: rooted::Error) -> Fault {
    match error.kind {
        ErrorKind::Outside => PathFault::Outside.into(),
        _ => Error::from(error).into(),
    }
}

/// Opens the file; `None` when there is none. One that is a link is refused, since it could lead to
/// a note or a hidden file.
fn open(root: &Root) -> Result<Option<File>, Fault> {
    let path = tasks_path();
    match root.open_file(&path) {
        Ok(file) if is_tasks_path(file.path()) => Ok(Some(file)),
        Ok(file) => Err(Fault::Link(file.path().clone())),
        Err(error) if matches!(error.kind, ErrorKind::NotFound) => match root.locate(&path) {
            Ok(place) if !is_tasks_path(&place.path) => Err(Fault::Link(place.path)),
            _ => Ok(None),
        },
        Err(error) => Err(reaching(error)),
    }
}

fn is_tasks_path(path: &RelPath) -> bool {
    path.as_bytes().eq_ignore_ascii_case(TASKS_FILE.as_bytes())
}

fn open_to_change(writer: &Writer<'_>) -> Result<Option<File>, Fault> {
    open(writer.reader().root())
}

/// Reads the file, if it is not larger than what is read.
fn read(vault: &Vault, mut file: File) -> Result<(File, String), Fault> {
    let limit = vault.limits.max_read_bytes;
    let path = tasks_path();
    let content = file
        .read_all(limit)
        .map_err(|source| Fault::io(source, &path))?;
    if content.len() as u64 > limit {
        let size = file.meta().len.max(content.len() as u64);
        return Err(Fault::TasksTooLarge { size, limit });
    }
    match String::from_utf8(content) {
        Ok(text) => Ok((file, text)),
        Err(error) => {
            let valid = error.utf8_error().valid_up_to();
            let start = error.as_bytes().get(..valid).unwrap_or_default();
            let start = String::from_utf8_lossy(start);
            Err(document::fault(&start, valid, "not valid UTF-8"))
        }
    }
}

fn check_title(title: &str) -> Result<&str, Fault> {
    let is_fine = !title.trim().is_empty()
        && cut_chars(title, TITLE_CHARS).is_none()
        && !title.contains(char::is_control);
    if is_fine {
        return Ok(title);
    }
    let what = format!("title: expected 1 to {TITLE_CHARS} characters in one line");
    Err(Fault::Argument(what))
}

/// A day; nothing for an empty text.
fn check_due(due: &str) -> Result<Option<&str>, Fault> {
    if due.is_empty() {
        return Ok(None);
    }
    let is_date = due.len() == 10 && Time::parse(&format!("{due}T00:00:00Z")).is_some();
    if is_date {
        return Ok(Some(due));
    }
    let what = "due: expected a day of the calendar as YYYY-MM-DD";
    Err(Fault::Argument(what.to_owned()))
}

/// The time as it stands in the file, to the second.
fn now(vault: &Vault) -> String {
    let time = vault.workspace.clock.now().to_string();
    match time.split_once('.') {
        Some((seconds, _)) => format!("{seconds}Z"),
        None => time,
    }
}

#[cfg(test)]
mod tests;
