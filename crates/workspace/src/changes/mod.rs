//! Changes: units of work with documents, tasks and rules, kept in the state folder.
//!
//! Whatever changes one holds the workspace lock from reading to writing, so that nothing of two
//! callers is lost, in one process or in two. What may fail is tried before anything is renamed.

mod record;
mod stage;
mod status;
mod store;

pub use self::record::{Change, Counts, Status, Task};
pub use self::stage::{Document, Stage};
pub use self::status::{NextStep, Overview, View, overview, view};

use rooted::RelPath;

use self::store::{Session, Store};
use crate::cancel::Cancel;
use crate::error::Error;
use crate::notes::trim;
use crate::slug::Slug;
use crate::workspace::Workspace;

/// A change that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Created {
    /// The change.
    pub change: Change,
    /// Where its documents go, relative to the root or to the state directory.
    pub folder: RelPath,
}

/// What is to be written into a document.
#[derive(Clone, Copy, Debug)]
pub struct DocumentRequest<'a> {
    /// The change; the active one if there is none.
    pub id: Option<&'a str>,
    /// Which document.
    pub stage: Stage,
    /// The text.
    pub content: &'a str,
    /// Whether the text goes behind what is there.
    pub append: bool,
}

/// A document that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The change it belongs to.
    pub id: Slug,
    /// Where it is, relative to the root or to the state directory.
    pub path: RelPath,
    /// Its size in bytes now.
    pub len: u64,
    /// All documents of the change.
    pub documents: [Document; 4],
}

/// A new status for a task, and perhaps a word about it.
#[derive(Clone, Copy, Debug)]
pub struct TaskUpdate<'a> {
    /// The task.
    pub task_id: &'a str,
    /// How far it is now.
    pub status: Status,
    /// What to keep with it.
    pub note: Option<&'a str>,
}

/// A task whose status was set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moved {
    /// The task.
    pub task_id: String,
    /// How far it was.
    pub from: Status,
    /// How far it is.
    pub to: Status,
}

/// Makes a change, which becomes the active one.
///
/// # Errors
/// Those of [`Workspace::writer`]; what stands in the way of writing. Nothing is kept then.
pub fn create(
    workspace: &Workspace,
    cancel: &Cancel,
    title: &str,
    goal: Option<&str>,
) -> Result<Created, Error> {
    let title = trim(title);
    let goal = goal.map(trim).filter(|goal| !goal.is_empty());
    let session = Session::enter(workspace, cancel)?;
    let id = session.free_id(&Slug::make(title), cancel)?;
    let folder = session.store.folder_path(&id);
    let change = Change::new(id, title, goal, now(workspace));
    session.create(&change)?;
    Ok(Created { change, folder })
}

/// Makes a change the active one.
///
/// # Errors
/// [`Error::ChangeNotFound`], and those of [`create`].
pub fn activate(workspace: &Workspace, cancel: &Cancel, id: &str) -> Result<Change, Error> {
    let (session, change) = enter(workspace, cancel, Some(id))?;
    session.activate(&change.id)?;
    Ok(change)
}

/// Writes a document of a change, or adds to it behind an empty line.
///
/// # Errors
/// [`Error::ChangeNotFound`], [`Error::NoActiveChange`], [`Error::RecordTooLarge`], and those of
/// [`create`].
pub fn write_document(
    workspace: &Workspace,
    cancel: &Cancel,
    request: &DocumentRequest<'_>,
) -> Result<Written, Error> {
    let stage = request.stage;
    let (session, mut change) = enter(workspace, cancel, request.id)?;
    let old = if request.append {
        session.read_document(&change.id, stage)?
    } else {
        None
    };
    let content = stage::content(old.as_deref(), request.content);
    change.updated_at = now(workspace);
    let path = session.save_document(&change, stage, &content)?;
    let documents = session.store.documents(&change.id)?;
    Ok(Written {
        id: change.id,
        path,
        len: content.len() as u64,
        documents,
    })
}

/// Adds a task to a change; gives the change, with the task as its last.
///
/// # Errors
/// As [`write_document`].
pub fn add_task(
    workspace: &Workspace,
    cancel: &Cancel,
    id: Option<&str>,
    text: &str,
    status: Status,
) -> Result<(Change, Task), Error> {
    let (session, mut change) = enter(workspace, cancel, id)?;
    let now = now(workspace);
    let task = Task {
        id: change.next_task_id(),
        text: trim(text).to_owned(),
        status,
        notes: Vec::new(),
        created_at: now.clone(),
        updated_at: now.clone(),
    };
    change.tasks.push(task.clone());
    change.updated_at = now;
    session.save(&change)?;
    Ok((change, task))
}

/// Sets the status of tasks, in order; all of them or, if one does not exist, none.
///
/// # Errors
/// [`Error::UnknownTasks`] with all of those, and as [`write_document`].
pub fn update_tasks(
    workspace: &Workspace,
    cancel: &Cancel,
    id: Option<&str>,
    updates: &[TaskUpdate<'_>],
) -> Result<(Change, Vec<Moved>), Error> {
    let (session, mut change) = enter(workspace, cancel, id)?;
    let now = now(workspace);
    let mut moved = Vec::with_capacity(updates.len());
    let mut unknown: Vec<String> = Vec::new();
    for update in updates {
        let tasks = &mut change.tasks;
        let Some(task) = tasks.iter_mut().find(|task| task.id == update.task_id) else {
            if !unknown.iter().any(|id| id == update.task_id) {
                unknown.push(update.task_id.to_owned());
            }
            continue;
        };
        moved.push(Moved {
            task_id: task.id.clone(),
            from: task.status,
            to: update.status,
        });
        task.status = update.status;
        task.updated_at.clone_from(&now);
        if let Some(note) = update.note.map(trim).filter(|note| !note.is_empty()) {
            task.notes.push(note.to_owned());
        }
    }
    if !unknown.is_empty() {
        return Err(Error::UnknownTasks(unknown));
    }
    change.updated_at = now;
    session.save(&change)?;
    Ok((change, moved))
}

/// Adds a rule that a change has to respect; gives the change, with the rule as its last.
///
/// # Errors
/// As [`write_document`].
pub fn add_constraint(
    workspace: &Workspace,
    cancel: &Cancel,
    id: Option<&str>,
    text: &str,
) -> Result<Change, Error> {
    let (session, mut change) = enter(workspace, cancel, id)?;
    change.constraints.push(trim(text).to_owned());
    change.updated_at = now(workspace);
    session.save(&change)?;
    Ok(change)
}

/// Takes the lock for a change that exists. One that does not is found out before anything is made.
fn enter<'a>(
    workspace: &'a Workspace,
    cancel: &Cancel,
    id: Option<&str>,
) -> Result<(Session<'a>, Change), Error> {
    if !workspace.writable {
        return Err(Error::ReadOnlyWorkspace(workspace.name.clone()));
    }
    let id = named(workspace, id)?;
    let not_found = || Error::ChangeNotFound(id.to_string());
    Store::open(workspace)?.ok_or_else(not_found)?.get(&id)?;
    let session = Session::enter(workspace, cancel)?;
    let change = session.store.get(&id)?;
    Ok((session, change))
}

/// The id that a caller means: the one given, or the active one.
fn named(workspace: &Workspace, id: Option<&str>) -> Result<Slug, Error> {
    let id = match id {
        Some(id) => id.to_owned(),
        None => workspace.active_change().ok_or(Error::NoActiveChange)?,
    };
    Slug::parse(&id).ok_or(Error::ChangeNotFound(id))
}

fn now(workspace: &Workspace) -> String {
    workspace.clock.now().to_string()
}
