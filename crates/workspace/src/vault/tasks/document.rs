//! The text of the tasks file, and where in it each task is.

use std::collections::HashSet;
use std::ops::Range;

use serde::de::IgnoredAny;
use serde_json::error::Category;

use super::scan::{Member, Scanner};
use super::{Status, Task};
use crate::vault::fault::Fault;

const BOM: &str = "\u{feff}";

/// The text of the tasks file, and where in it each task is.
#[derive(Debug)]
pub(super) struct Document<'a> {
    pub(super) text: &'a str,
    /// The members of the whole, unless it is a list.
    pub(super) members: Vec<Member>,
    /// Where the list is, with the brackets.
    pub(super) list: Range<usize>,
    pub(super) items: Vec<Item>,
}

/// A task, and where it is.
#[derive(Debug)]
pub(super) struct Item {
    pub(super) span: Range<usize>,
    pub(super) members: Vec<Member>,
    pub(super) task: Task,
}

impl<'a> Document<'a> {
    /// Reads the text of a tasks file.
    pub(super) fn parse(text: &'a str) -> Result<Self, Fault> {
        let start = text.len() - text.strip_prefix(BOM).unwrap_or(text).len();
        let json = text.get(start..).unwrap_or_default();
        if let Err(error) = serde_json::from_str::<IgnoredAny>(json) {
            let what = error.to_string();
            let what = what.split(" at line ").next().unwrap_or_default();
            let what = what.replace("EOF while parsing", "the file ends in the middle of");
            let offset = match error.classify() {
                Category::Eof => json.len(),
                _ => offset_of(json, error.line(), error.column()),
            };
            return Err(fault(text, start + offset, &what));
        }
        let mut document = Self {
            text,
            members: Vec::new(),
            list: 0..0,
            items: Vec::new(),
        };
        let mut scanner = Scanner::new(text, start);
        match scanner.peek() {
            Some(b'[') => {
                let whole = scanner.value();
                document.list = whole.ok_or_else(|| fault(text, start, "not a list"))?;
            }
            Some(b'{') => {
                let members = scanner.object();
                document.members = members.ok_or_else(|| fault(text, start, "not an object"))?;
                let tasks = document.member(&document.members, "tasks")?;
                let tasks =
                    tasks.ok_or_else(|| fault(text, start, "there is no \"tasks\" list"))?;
                document.list = tasks.value.clone();
            }
            _ => {
                return Err(fault(
                    text,
                    start,
                    "expected an object with a \"tasks\" list",
                ));
            }
        }
        document.read_items()?;
        Ok(document)
    }

    fn read_items(&mut self) -> Result<(), Fault> {
        let (text, at) = (self.text, self.list.start);
        let items = Scanner::new(text, at).list();
        let items = items.ok_or_else(|| fault(text, at, "\"tasks\" is not a list"))?;
        let mut ids = HashSet::with_capacity(items.len());
        for span in items {
            let item = self.item_at(span)?;
            if !ids.insert(item.task.id.clone()) {
                let id: String = item.task.id.chars().take(100).collect();
                let what = format!("the id \"{}\" is there twice", rooted::show(id.as_bytes()));
                return Err(fault(text, item.span.start, &what));
            }
            self.items.push(item);
        }
        Ok(())
    }

    fn item_at(&self, span: Range<usize>) -> Result<Item, Fault> {
        let at = |what: &str| fault(self.text, span.start, what);
        let members = Scanner::new(self.text, span.start).object();
        let members = members.ok_or_else(|| at("a task is not an object"))?;
        let needed = |key: &str| {
            let found = self.string(&members, key)?;
            found
                .filter(|text| !text.is_empty())
                .ok_or_else(|| at(&format!("a task has no \"{key}\"")))
        };
        let (id, title) = (needed("id")?, needed("title")?);
        let done = self.string(&members, "done")?;
        let status = match self.string(&members, "status")? {
            Some(word) => Status::of(&word).ok_or_else(|| {
                let member = self.member(&members, "status").ok().flatten();
                let offset = member.map_or(span.start, |member| member.value.start);
                fault(
                    self.text,
                    offset,
                    "the status is neither \"open\" nor \"done\"",
                )
            })?,
            None if done.is_some() => Status::Done,
            None => Status::Open,
        };
        let task = Task {
            id,
            title,
            status,
            created: self.string(&members, "created")?,
            due: self.string(&members, "due")?,
            done,
            place: None,
        };
        Ok(Item {
            span,
            members,
            task,
        })
    }

    /// The text of a member; `None` when it is missing or `null`.
    fn string(&self, members: &[Member], key: &str) -> Result<Option<String>, Fault> {
        let Some(member) = self.member(members, key)? else {
            return Ok(None);
        };
        let value = self.text.get(member.value.clone()).unwrap_or_default();
        serde_json::from_str(value).map_err(|_| {
            let what = format!("\"{key}\" is not a text");
            fault(self.text, member.value.start, &what)
        })
    }

    /// The member of that key; two of them are a fault.
    pub(super) fn member<'m>(
        &self,
        members: &'m [Member],
        key: &str,
    ) -> Result<Option<&'m Member>, Fault> {
        let has_key = |member: &&Member| {
            let text = self.text.get(member.key.clone()).unwrap_or_default();
            text.get(1..text.len().saturating_sub(1)) == Some(key)
                || text.contains('\\')
                    && serde_json::from_str::<String>(text).is_ok_and(|text| text == key)
        };
        let mut found = members.iter().filter(has_key);
        let first = found.next();
        match found.next() {
            Some(second) => {
                let what = format!("\"{key}\" is there twice");
                Err(fault(self.text, second.key.start, &what))
            }
            None => Ok(first),
        }
    }

    /// The tasks in their order.
    pub(super) fn tasks(&self) -> impl Iterator<Item = &Task> {
        self.items.iter().map(|item| &item.task)
    }

    /// The task of that id.
    pub(super) fn item(&self, id: &str) -> Result<&Item, Fault> {
        let found = self.items.iter().find(|item| item.task.id == id);
        found.ok_or_else(|| Fault::TaskNotFound(id.to_owned()))
    }

    /// An id for a new task: the highest number and one.
    pub(super) fn free_id(&self) -> String {
        let numbers = self.tasks().filter_map(|task| {
            let digits = task.id.strip_prefix('t')?;
            let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
            is_number.then(|| digits.parse::<u64>().ok())?
        });
        let highest = numbers.max().unwrap_or(0);
        // A number as high as that was not counted up to; then the lowest that is free will do.
        let next = highest.checked_add(1).unwrap_or(1);
        let candidates = (next..=u64::MAX).map(|number| format!("t{number}"));
        let is_free = |id: &String| self.tasks().all(|task| task.id != *id);
        candidates
            .into_iter()
            .find(is_free)
            .unwrap_or_else(|| "t1".to_owned())
    }
}

/// What is wrong at an offset in bytes.
pub(super) fn fault(text: &str, offset: usize, what: &str) -> Fault {
    let before = text.as_bytes().get(..offset).unwrap_or(text.as_bytes());
    let line_start = memchr::memrchr(b'\n', before).map_or(0, |at| at + 1);
    let within = before.get(line_start..).unwrap_or_default();
    let within = within.strip_prefix(BOM.as_bytes()).unwrap_or(within);
    Fault::Tasks {
        line: memchr::memchr_iter(b'\n', before).count() + 1,
        column: String::from_utf8_lossy(within).chars().count() + 1,
        what: what.to_owned(),
    }
}

/// The offset of what the JSON reader calls a column of a line: a number of bytes, the byte at fault
/// included.
fn offset_of(text: &str, line: usize, column: usize) -> usize {
    let starts = memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1);
    let start = std::iter::once(0).chain(starts).nth(line.saturating_sub(1));
    let offset = start.unwrap_or(0) + column.saturating_sub(1);
    offset.min(text.len())
}

#[cfg(test)]
mod tests;
