//! What the answers of several tools have in common: their fields and their lines for people.

use std::fmt::Write as _;

use rooted::RelPath;
use serde_json::{Map, Value};
use workspace::vault::LeftOut;
use workspace::vault::tasks::{Changed, Status, Task};
use workspace::vault::write::Written;

use crate::args::Args;
use crate::output::{Field, Shape};
use crate::remarks;
use crate::reply::Reply;

/// Fields for what was left out; part of every answer that looks at many notes.
pub(super) const UNNAMABLE: Field = Field::optional(
    "unnamable",
    Shape::Integer,
    "Notes left out since their names are not allowed here",
);
pub(super) const UNREADABLE: Field = Field::optional(
    "unreadable",
    Shape::Integer,
    "Notes or folders that could not be read",
);
pub(super) const PARTIAL: Field = Field::optional(
    "partial",
    Shape::Integer,
    "Notes of which only the first --max-read-bytes were looked at",
);

/// A task.
pub(super) const TASK: &[Field] = &[
    Field::new("id", Shape::Text, ""),
    Field::new("title", Shape::Text, ""),
    Field::new("status", Shape::Word(&["open", "done"]), ""),
    Field::optional("created", Shape::Text, "Time"),
    Field::optional("due", Shape::Text, "Day, YYYY-MM-DD"),
    Field::optional("done", Shape::Text, "Time it was completed"),
    Field::optional("path", Shape::Text, "Note that it is a check box of"),
    Field::optional("line", Shape::Integer, "Its line there"),
];

/// An object that is filled field by field.
#[derive(Default)]
pub(super) struct Object(Map<String, Value>);

impl Object {
    pub(super) fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.0.insert(name.to_owned(), value.into());
        self
    }

    /// A field that is left out when there is nothing to say.
    pub(super) fn with_some(self, name: &str, value: Option<impl Into<Value>>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    /// The fields for what was left out.
    pub(super) fn with_left_out(self, left_out: &LeftOut) -> Self {
        let told = |n: usize| (n > 0).then_some(n);
        self.with_some("unnamable", told(left_out.n_unnamable))
            .with_some("unreadable", told(left_out.n_unreadable))
            .with_some("partial", told(left_out.n_partial))
    }

    /// The answer: a text for people, and the object.
    pub(super) fn reply(self, text: impl Into<String>) -> Reply {
        Reply {
            text: text.into(),
            structured: Some(self.into()),
            ..Reply::default()
        }
    }
}

impl From<Object> for Value {
    fn from(object: Object) -> Self {
        Self::Object(object.0)
    }
}

/// A path as data: as it is, so that it can be given back.
pub(super) fn path(path: &RelPath) -> Value {
    match path.as_str() {
        Some(text) => text.into(),
        None => path.to_string().into(),
    }
}

/// A number that was read as one of at least 1.
pub(super) fn count(args: &Args, name: &str) -> Option<usize> {
    // More than there can be is as good as all.
    args.count(name)
        .map(|number| usize::try_from(number).unwrap_or(usize::MAX))
}

/// The lines for people about what was left out; each begins with a line break.
pub(super) fn left_out_lines(left_out: &LeftOut) -> String {
    let mut text = String::new();
    let mut tell = |n: usize, of_one: &str, of_more: &str| {
        let what = if n == 1 { of_one } else { of_more };
        if n > 0 {
            // A String takes every write.
            let _ = write!(text, "\n... ({n} {what})");
        }
    };
    tell(
        left_out.n_unnamable,
        "left out: its name is not allowed here",
        "left out: their names are not allowed here",
    );
    tell(
        left_out.n_unreadable,
        "left out: it could not be read",
        "left out: they could not be read",
    );
    let partial = "looked at only up to --max-read-bytes";
    tell(left_out.n_partial, partial, partial);
    text
}

/// So many of something, in the right number.
pub(super) fn n_of(n: impl Into<u64>, one: &str) -> String {
    match n.into() {
        1 => format!("1 {one}"),
        n => format!("{n} {one}s"),
    }
}

/// How many of all there are are shown, at the end of a list of them.
pub(super) fn shown_of(n: usize, total: usize, one: &str) -> String {
    let all = match total {
        0 => return format!("no {one}s"),
        total => n_of(total as u64, one),
    };
    if n < total {
        format!("{n} of {all}")
    } else {
        all
    }
}

/// A text from outside in one line.
pub(super) fn line(text: &str) -> String {
    rooted::show(text.as_bytes())
}

pub(super) fn task(task: &Task) -> Object {
    let place = task.place.as_ref();
    Object::default()
        .with("id", task.id.as_str())
        .with("title", task.title.as_str())
        .with("status", task.status.word())
        .with_some("created", task.created.as_deref())
        .with_some("due", task.due.as_deref())
        .with_some("done", task.done.as_deref())
        .with_some("path", place.map(|(note, _)| path(note)))
        .with_some("line", place.map(|(_, line)| *line))
}

/// A task in one line.
pub(super) fn task_line(task: &Task) -> String {
    let mark = match task.status {
        Status::Open => ' ',
        Status::Done => 'x',
    };
    let mut text = format!("- [{mark}] {} (id {}", line(&task.title), line(&task.id));
    if let Some(due) = &task.due {
        let _ = write!(text, ", due {}", line(due));
    }
    if let Some(done) = &task.done {
        let _ = write!(text, ", done {}", line(done));
    }
    text.push(')');
    text
}

/// The answer to a change of a task.
pub(super) fn changed(changed: &Changed, verb: &str) -> Reply {
    let verb = if changed.changed { verb } else { "Unchanged" };
    Object::default()
        .with("task", task(&changed.task))
        .with("changed", changed.changed)
        .reply(format!("{verb}: {}", task_line(&changed.task)))
}

/// The answer to a change of a note.
pub(super) fn written(written: &Written, verb: &str) -> Reply {
    let outcome = &written.outcome;
    let verb = if outcome.created { "Created" } else { verb };
    Object::default()
        .with("path", path(&outcome.path))
        .with("size", outcome.len)
        .with_some("sha256", written.sha256.as_deref())
        .with("created", outcome.created)
        .reply(written_line(written, verb))
}

/// A change of a note in one line.
pub(super) fn written_line(written: &Written, verb: &str) -> String {
    let Written {
        outcome,
        adapted,
        lost_last_newline,
        ..
    } = written;
    let mut text = format!("{verb} {} ({})", outcome.path, n_of(outcome.len, "byte"));
    text.push_str(&remarks::of_edit(*adapted, *lost_last_newline));
    text.push_str(&remarks::of_file(outcome));
    text
}
