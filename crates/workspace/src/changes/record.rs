//! `Change`: the record of a change, as it is kept on disk and as it is read, whoever wrote it.
//!
//! Other programs and people write these files, too. So reading leaves out what it does not
//! understand, and a record lacks nothing afterwards; writing is exact to the byte.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::slug::Slug;

/// The date of what has none.
const NO_DATE: &str = "1970-01-01T00:00:00.000Z";

/// A unit of work: what it is about, its tasks, and the rules it has to respect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Change {
    /// The name of its file, without the ending.
    pub id: Slug,
    /// What it is about, for people.
    pub title: String,
    /// The rules it has to respect.
    pub constraints: Vec<String>,
    /// Its steps, in the order they were added.
    pub tasks: Vec<Task>,
    /// When it was made.
    pub created_at: String,
    /// When it or one of its documents was changed last.
    pub updated_at: String,
    /// What is to come of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goal: Option<String>,
}

/// A step of a change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Task {
    /// `T` and a number, within its change.
    pub id: String,
    /// What is to be done.
    pub text: String,
    /// How far it is.
    pub status: Status,
    /// What was said of it, oldest first.
    pub notes: Vec<String>,
    /// When it was added.
    pub created_at: String,
    /// When its status was set last.
    pub updated_at: String,
}

/// How far a task is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Not begun.
    #[default]
    Pending,
    /// Begun.
    InProgress,
    /// Finished.
    Done,
    /// Waits for something else.
    Blocked,
}

/// How many tasks are how far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// All tasks.
    pub total: usize,
    /// Those that are finished.
    pub done: usize,
    /// Those that are not begun.
    pub pending: usize,
    /// Those that are begun.
    pub in_progress: usize,
    /// Those that wait.
    pub blocked: usize,
}

impl Status {
    /// All of them, in the order their tasks are shown.
    pub const ALL: [Self; 4] = [Self::Pending, Self::InProgress, Self::Done, Self::Blocked];
    /// Their names, in order.
    pub const NAMES: [&str; 4] = ["pending", "in_progress", "done", "blocked"];

    /// The name, as callers say it and records keep it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::InProgress => "in_progress",
            Self::Done => "done",
            Self::Blocked => "blocked",
        }
    }

    /// The status of that name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == name)
    }
}

impl Change {
    /// A change without tasks.
    pub(super) fn new(id: Slug, title: &str, goal: Option<&str>, now: String) -> Self {
        Self {
            id,
            title: title.to_owned(),
            constraints: Vec::new(),
            tasks: Vec::new(),
            created_at: now.clone(),
            updated_at: now,
            goal: goal.map(str::to_owned),
        }
    }

    /// Reads the record in the file of `id`; `None` when it is none.
    pub(super) fn parse(id: &Slug, bytes: &[u8]) -> Option<Self> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let record: Map<String, Value> = serde_json::from_slice(bytes).ok()?;
        // The id inside proves that it is a record. Which one it is the name of the file decides:
        // nothing that is made from an id may lead to another file.
        text(&record, "id")?;
        Some(Self {
            id: id.clone(),
            title: text(&record, "title")?,
            constraints: texts(&record, "constraints"),
            tasks: items(&record, "tasks").filter_map(Task::parse).collect(),
            created_at: date(&record, "createdAt"),
            updated_at: date(&record, "updatedAt"),
            goal: text(&record, "goal").filter(|goal| !goal.trim().is_empty()),
        })
    }

    /// The record as it is kept.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = serde_json::to_vec_pretty(self).expect("texts and lists become JSON");
        bytes.push(b'\n');
        bytes
    }

    /// How many tasks are how far.
    #[must_use]
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for task in &self.tasks {
            counts.total += 1;
            match task.status {
                Status::Pending => counts.pending += 1,
                Status::InProgress => counts.in_progress += 1,
                Status::Done => counts.done += 1,
                Status::Blocked => counts.blocked += 1,
            }
        }
        counts
    }

    /// The first task that is so far.
    #[must_use]
    pub fn first(&self, status: Status) -> Option<&Task> {
        self.tasks.iter().find(|task| task.status == status)
    }

    /// The id of the next task: greater than all numbers there are.
    pub(super) fn next_task_id(&self) -> String {
        let number = |task: &Task| task.id.strip_prefix('T').and_then(digits);
        let last = self.tasks.iter().filter_map(number).max().unwrap_or(0);
        format!("T{}", last + 1)
    }
}

/// A number that nothing but digits is written with, and that another may follow.
fn digits(text: &str) -> Option<u64> {
    let all = text.bytes().all(|byte| byte.is_ascii_digit());
    all.then(|| text.parse().ok())?
        .filter(|&number| number < u64::MAX)
}

impl Task {
    fn parse(value: &Value) -> Option<Self> {
        let task = value.as_object()?;
        let status = text(task, "status").and_then(|name| Status::parse(&name));
        Some(Self {
            id: text(task, "id")?,
            text: text(task, "text")?,
            status: status.unwrap_or_default(),
            notes: texts(task, "notes"),
            created_at: date(task, "createdAt"),
            updated_at: date(task, "updatedAt"),
        })
    }
}

fn text(object: &Map<String, Value>, key: &str) -> Option<String> {
    object.get(key)?.as_str().map(str::to_owned)
}

fn date(object: &Map<String, Value>, key: &str) -> String {
    text(object, key).unwrap_or_else(|| NO_DATE.to_owned())
}

fn items<'a>(object: &'a Map<String, Value>, key: &str) -> impl Iterator<Item = &'a Value> {
    let list = object.get(key).and_then(Value::as_array);
    list.into_iter().flatten()
}

fn texts(object: &Map<String, Value>, key: &str) -> Vec<String> {
    items(object, key)
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests;
