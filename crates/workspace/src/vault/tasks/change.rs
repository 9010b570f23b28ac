//! New texts of the tasks file: the change, in the style of what is there, and every other byte as it was.

use std::ops::Range;

use super::document::{Document, Item};
use super::{Status, Task};

/// The text that a missing file is taken to have before its first task.
pub(super) const EMPTY: &str = "{\n  \"version\": 1,\n  \"tasks\": []\n}\n";

/// How an object is laid out.
struct Style<'a> {
    /// Between `{` and the first key.
    open: &'a str,
    /// Between the key and the value.
    colon: &'a str,
    /// Between a value and the next key.
    gap: &'a str,
    /// Between the last value and `}`.
    close: &'a str,
}

impl<'a> Style<'a> {
    /// The style of a task. One with a single member takes the blanks in front of that for all.
    fn of(document: &Document<'a>, item: &Item) -> Option<Self> {
        let text = document.text;
        let (first, last) = (item.members.first()?, item.members.last()?);
        let open = text.get(item.span.start + 1..first.key.start)?;
        let gap = match item.members.get(1) {
            Some(second) => text.get(first.value.end..second.key.start)?,
            None => ", ",
        };
        Some(Self {
            open,
            colon: text.get(first.key.end..first.value.start)?,
            gap,
            close: text.get(last.value.end..item.span.end.checked_sub(1)?)?,
        })
    }
}

/// A task that is to be added.
pub(super) struct New<'t>(pub(super) &'t Task);

impl New<'_> {
    /// The text with the task behind the last one.
    pub(super) fn into(self, document: &Document<'_>) -> String {
        let text = document.text;
        let last = document.items.last();
        let style = last.and_then(|last| Some((last, Style::of(document, last)?)));
        let Some((last, style)) = style else {
            return self.into_empty(document);
        };
        let before = match document.items.len().checked_sub(2) {
            Some(index) => document.items.get(index).map_or(0, |item| item.span.end),
            None => document.list.start + 1,
        };
        let between = text.get(before..last.span.start).unwrap_or_default();
        let between = match document.items.len() {
            1 if between.is_empty() && !style.gap.contains('\n') => style.gap.to_owned(),
            1 => format!(",{between}"),
            _ => between.to_owned(),
        };
        let task = self.render(&style);
        let at = last.span.end;
        splice(text, &[(at..at, format!("{between}{task}"))])
    }

    /// The text with the task as the only one.
    fn into_empty(self, document: &Document<'_>) -> String {
        let text = document.text;
        let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let first = document.members.first();
        let above = first.and_then(|first| {
            let before = text.get(..first.key.start)?;
            let blanks = before.get(before.rfind('{')? + 1..)?;
            Some(blanks.rsplit_once('\n').map(|(_, indent)| indent))
        });
        let (unit, indent) = match above {
            // The whole file is one line.
            Some(None) => {
                let task = self.render(&Style {
                    open: "",
                    colon: ": ",
                    gap: ", ",
                    close: "",
                });
                return splice(text, &[(document.list.clone(), format!("[{task}]"))]);
            }
            Some(Some(indent)) => (indent, indent),
            None => ("  ", ""),
        };
        let item = format!("{line_end}{indent}{unit}");
        let member = format!("{item}{unit}");
        let task = self.render(&Style {
            open: &member,
            colon: ": ",
            gap: &format!(",{member}"),
            close: &item,
        });
        let list = format!("[{item}{task}{line_end}{indent}]");
        splice(text, &[(document.list.clone(), list)])
    }

    fn render(&self, style: &Style<'_>) -> String {
        let task = self.0;
        let members = [
            ("id", json(Some(&task.id))),
            ("title", json(Some(&task.title))),
            ("status", json(Some(task.status.word()))),
            ("created", json(task.created.as_deref())),
            ("due", json(task.due.as_deref())),
            ("done", json(task.done.as_deref())),
        ];
        let members = members.map(|(key, value)| format!("\"{key}\"{}{value}", style.colon));
        format!(
            "{{{}{}{}}}",
            style.open,
            members.join(style.gap),
            style.close
        )
    }
}

/// The text with a task changed to what it should be; `None` when it is that already.
pub(super) fn set(document: &Document<'_>, item: &Item, task: &Task) -> Option<String> {
    let old = &item.task;
    let mut edits = Vec::new();
    let mut added = String::new();
    let mut put = |key: &str, value: String| {
        // Only one that is there once was read.
        let member = document.member(&item.members, key).ok().flatten();
        match (member, Style::of(document, item)) {
            (Some(member), _) => edits.push((member.value.clone(), value)),
            (None, Some(style)) => {
                added.push_str(&format!("{}\"{key}\"{}{value}", style.gap, style.colon));
            }
            (None, None) => {}
        }
    };
    if old.title != task.title {
        put("title", json(Some(&task.title)));
    }
    if old.status != task.status {
        put("status", json(Some(task.status.word())));
    }
    if old.due != task.due {
        put("due", json(task.due.as_deref()));
    }
    let is_done_anew = task.status == Status::Done || old.done.is_some();
    if old.done != task.done && is_done_anew {
        put("done", json(task.done.as_deref()));
    }
    if let Some(last) = item.members.last().filter(|_| !added.is_empty()) {
        edits.push((last.value.end..last.value.end, added));
    }
    if edits.is_empty() {
        return None;
    }
    edits.sort_by_key(|(span, _)| (span.start, span.end));
    Some(splice(document.text, &edits))
}

/// The text without a task.
pub(super) fn without(document: &Document<'_>, item: &Item) -> String {
    let index = document
        .items
        .iter()
        .position(|other| other.span == item.span);
    let index = index.unwrap_or(0);
    let before = index
        .checked_sub(1)
        .and_then(|index| document.items.get(index));
    let span = match (before, document.items.get(index + 1)) {
        (_, Some(next)) => item.span.start..next.span.start,
        (Some(before), None) => before.span.end..item.span.end,
        (None, None) => document.list.start + 1..document.list.end.saturating_sub(1),
    };
    splice(document.text, &[(span, String::new())])
}

fn json(text: Option<&str>) -> String {
    text.map_or_else(
        || "null".to_owned(),
        |text| serde_json::Value::from(text).to_string(),
    )
}

/// The text with some stretches replaced, which are in order and apart.
fn splice(text: &str, edits: &[(Range<usize>, String)]) -> String {
    let mut new = String::with_capacity(text.len() + 256);
    let mut at = 0;
    for (span, with) in edits {
        new.push_str(text.get(at..span.start).unwrap_or_default());
        new.push_str(with);
        at = span.end;
    }
    new.push_str(text.get(at..).unwrap_or_default());
    new
}

#[cfg(test)]
mod tests;
