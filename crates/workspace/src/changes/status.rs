//! `View`: all there is to know of a change at once. `Overview`: one line of each change.
//!
//! Reading only; no lock is taken, since records are replaced whole.

use std::cmp::Reverse;

use super::record::{Change, Counts, Status, Task};
use super::stage::{Document, Stage};
use super::store::Store;
use crate::cancel::Cancel;
use crate::error::Error;
use crate::journal::{self, Logged, Query};
use crate::limits::CHANGE_ENTRIES;
use crate::slug::Slug;
use crate::workspace::Workspace;

/// All there is to know of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// The change.
    pub change: Change,
    /// Whether it is the active one.
    pub is_active: bool,
    /// Its documents.
    pub documents: [Document; 4],
    /// The last things that were done for it, newest first.
    pub recent: Vec<Logged>,
}

/// A change in a list of all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overview {
    /// Its id.
    pub id: Slug,
    /// Its title.
    pub title: String,
    /// How many of its tasks are how far.
    pub counts: Counts,
    /// When it was changed last.
    pub updated_at: String,
    /// Whether it is the active one.
    pub is_active: bool,
}

/// What to do next for a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextStep<'a> {
    /// There is nothing yet.
    Propose,
    /// All tasks are done.
    Finish,
    /// This task waits for something.
    Unblock(&'a Task),
    /// This task was begun.
    Continue(&'a Task),
    /// This task can be begun.
    Start(&'a Task),
    /// There is a proposal but no tasks.
    Plan,
}

impl View {
    /// What to do next: the first thing that fits.
    #[must_use]
    pub fn next_step(&self) -> NextStep<'_> {
        let counts = self.change.counts();
        let has_proposal = self
            .documents
            .iter()
            .any(|document| document.stage == Stage::Proposal && document.len.is_some());
        if counts.total == 0 && !has_proposal {
            NextStep::Propose
        } else if counts.total > 0 && counts.done == counts.total {
            NextStep::Finish
        } else if let Some(task) = self.change.first(Status::Blocked) {
            NextStep::Unblock(task)
        } else if let Some(task) = self.change.first(Status::InProgress) {
            NextStep::Continue(task)
        } else if let Some(task) = self.change.first(Status::Pending) {
            NextStep::Start(task)
        } else {
            NextStep::Plan
        }
    }
}

/// Shows a change; `None` when none is named and none is active.
///
/// # Errors
/// [`Error::ChangeNotFound`], also when the active one has no record any more; what stands in the
/// way of reading.
pub fn view(
    workspace: &Workspace,
    cancel: &Cancel,
    id: Option<&str>,
) -> Result<Option<View>, Error> {
    let id = match super::named(workspace, id) {
        Err(Error::NoActiveChange) => return Ok(None),
        named => named?,
    };
    let Some(store) = Store::open(workspace)? else {
        return Err(Error::ChangeNotFound(id.to_string()));
    };
    let change = store.get(&id)?;
    let query = Query {
        limit: CHANGE_ENTRIES,
        since: None,
        path: None,
        change: Some(id.as_str()),
        max_bytes: usize::MAX,
    };
    Ok(Some(View {
        change,
        is_active: active(workspace).as_ref() == Some(&id),
        documents: store.documents(&id)?,
        recent: journal::read(workspace, cancel, &query)?.entries,
    }))
}

/// Lists all changes, the one that was changed last first. Files that are no records are left out.
///
/// # Errors
/// [`Error::Cancelled`], and what stands in the way of reading the folder.
pub fn overview(workspace: &Workspace, cancel: &Cancel) -> Result<Vec<Overview>, Error> {
    let Some(store) = Store::open(workspace)? else {
        return Ok(Vec::new());
    };
    let active = active(workspace);
    let mut all = Vec::new();
    for id in store.ids()? {
        cancel.check()?;
        // One bad file must not hide the good ones.
        let Ok(Some(change)) = store.find(&id) else {
            continue;
        };
        all.push(Overview {
            counts: change.counts(),
            title: change.title,
            updated_at: change.updated_at,
            is_active: active.as_ref() == Some(&id),
            id,
        });
    }
    // The ids are sorted, and a stable sort keeps them so among equals.
    all.sort_by(|a, b| Reverse(&a.updated_at).cmp(&Reverse(&b.updated_at)));
    Ok(all)
}

fn active(workspace: &Workspace) -> Option<Slug> {
    Slug::parse(&workspace.active_change()?)
}
