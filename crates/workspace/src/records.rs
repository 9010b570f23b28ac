//! `Records`: a file of the state folder that only grows, one JSON record a line.
//!
//! Several processes add to it at once: each record is one write to the end of the file, under no
//! lock. When the file is full it becomes `<stem>.1.jsonl`, that one `.2`, and so on. What the
//! records mean is for the modules that use this.

mod backward;
mod loose;

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rooted::{Dir, Durability, ErrorKind, FileId, InPlace, Meta};

use self::backward::Backward;
use crate::cancel::Cancel;
use crate::error::Error;
use crate::limits;
use crate::state::refused;
use crate::workspace::Workspace;

pub(crate) use self::loose::{Loose, object};

/// Attempts to find a file that is not being moved away.
const ATTEMPTS: usize = 8;
/// Numbers in a row that may be missing among the full files: a process that ended while it moved
/// them left one out, and a person may have removed some.
const GAP: u64 = 16;

/// When record files are moved on, and how many are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keep {
    /// Bytes that a file may have before another record goes to a new one.
    pub max_bytes: u64,
    /// Full files that are kept; `None` keeps all.
    pub max_files: Option<u64>,
}

impl Default for Keep {
    fn default() -> Self {
        Self {
            max_bytes: limits::JOURNAL_BYTES,
            max_files: Some(limits::JOURNAL_FILES),
        }
    }
}

/// One kind of record, in all its files.
#[derive(Debug)]
pub(crate) struct Records {
    stem: &'static str,
    // Open between records; a plain mutex, held for one write and never across anything that waits.
    open: Mutex<Option<InPlace>>,
}

impl Records {
    pub(crate) fn new(stem: &'static str) -> Self {
        Self {
            stem,
            open: Mutex::new(None),
        }
    }

    /// Adds a record, which is one line and ends with a line break.
    pub(crate) fn append(
        &self,
        workspace: &Workspace,
        keep: Keep,
        durability: Durability,
        line: &[u8],
    ) -> Result<(), Error> {
        let root = workspace.root()?;
        let state = workspace.state().make(&root)?;
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        for attempt in 0..ATTEMPTS {
            let file = self.current(&mut open, &state.dir, durability)?;
            let meta = file.stat()?;
            if is_full(&meta, keep)
                && attempt < ATTEMPTS - 1
                && self.rotate(workspace, keep).unwrap_or(false)
            {
                *open = None;
                continue;
            }
            // A full file that cannot be moved on goes on growing: the record matters more. One that
            // has another name, perhaps outside the root, is never written to.
            if meta.nlink > 1 {
                return Err(Error::NotRegular(state.dir.path().join(self.name(0))));
            }
            write(file, &meta, line, durability)?;
            if file.stat()?.nlink > 0 {
                return Ok(());
            }
            // It was removed in between, and the record with it.
            *open = None;
        }
        Err(Error::Busy)
    }

    /// The file that records go to, made if there is none; a link in its place is refused.
    fn current<'a>(
        &self,
        open: &'a mut Option<InPlace>,
        dir: &Dir,
        durability: Durability,
    ) -> Result<&'a mut InPlace, Error> {
        let name = self.name(0);
        let is_current =
            |file: &InPlace| dir.stat(&name).is_ok_and(|meta| meta.id == file.meta().id);
        let file = match open.take().filter(is_current) {
            Some(file) => file,
            None => self.open(dir, durability)?,
        };
        Ok(open.insert(file))
    }

    fn open(&self, dir: &Dir, durability: Durability) -> Result<InPlace, Error> {
        let name = self.name(0);
        for _ in 1..ATTEMPTS {
            match dir.open_end(&name) {
                Err(error) if matches!(error.kind, ErrorKind::NotFound) => {}
                opened => return opened.map_err(refused),
            }
            match dir.create_record(&name) {
                Ok(_) if durability == Durability::Power => dir.sync()?,
                Ok(_) => {}
                Err(error) if matches!(error.kind, ErrorKind::Exists) => {}
                Err(error) => return Err(refused(error)),
            }
        }
        dir.open_end(&name).map_err(refused)
    }

    /// Moves a full file on, under the workspace lock; says whether the name is free for a new one.
    /// While somebody else has the lock the file stays: the next record tries again.
    fn rotate(&self, workspace: &Workspace, keep: Keep) -> Result<bool, Error> {
        let root = workspace.root()?;
        let Some(guard) = workspace.lock().try_acquire(&root)? else {
            return Ok(false);
        };
        let dir = &guard.state().dir;
        match dir.stat(&self.name(0)) {
            Ok(meta) if is_full(&meta, keep) => {}
            // Somebody else was faster.
            Ok(_) => return Ok(true),
            Err(error) if matches!(error.kind, ErrorKind::NotFound) => return Ok(true),
            Err(error) => return Err(error.into()),
        }
        let mut free = 1;
        while self.is_taken(dir, free)? {
            free += 1;
        }
        let top = keep.max_files.map_or(free, |max| free.min(max.max(1)));
        for number in (0..top).rev() {
            dir.rename(&self.name(number), dir, &self.name(number + 1))?;
        }
        if let Some(max) = keep.max_files {
            let mut number = max.max(1) + 1;
            while dir.remove_file(&self.name(number)).is_ok() {
                number += 1;
            }
        }
        Ok(true)
    }

    fn is_taken(&self, dir: &Dir, number: u64) -> Result<bool, Error> {
        match dir.stat(&self.name(number)) {
            Ok(_) => Ok(true),
            Err(error) if matches!(error.kind, ErrorKind::NotFound) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// All records, the last one first, for as long as somebody asks.
    pub(crate) fn newest_first(&self, workspace: &Workspace) -> Result<NewestFirst<'_>, Error> {
        let dir = workspace.state().open(&*workspace.root()?)?;
        Ok(NewestFirst {
            records: self,
            dir,
            next: 0,
            n_missing: 0,
            seen: Vec::new(),
            file: None,
        })
    }

    fn name(&self, number: u64) -> Vec<u8> {
        match number {
            0 => format!("{}.jsonl", self.stem),
            number => format!("{}.{number}.jsonl", self.stem),
        }
        .into_bytes()
    }
}

/// A file with more than one name is done with, too: writing to it would write to the other name.
fn is_full(meta: &Meta, keep: Keep) -> bool {
    meta.len > keep.max_bytes || meta.nlink > 1
}

/// Looks at a last line without an end before it counts as cut, and the pause between two of them.
const LOOKS: usize = 20;
const PAUSE: Duration = Duration::from_millis(1);

/// Adds a line in one write. A last line that was cut short is ended first, so that it spoils no other.
///
/// The system shows a write that another process is in the midst of page by page. So a line without
/// its end is looked at again for a while: one that is being written gets it, one that was cut does not.
fn write(
    file: &mut InPlace,
    meta: &Meta,
    line: &[u8],
    durability: Durability,
) -> Result<(), Error> {
    let mut len = meta.len;
    for _ in 0..LOOKS {
        let last = file.read_from(len.saturating_sub(1), 1)?;
        if last.is_empty() || last == b"\n" {
            file.append(line, durability)?;
            return Ok(());
        }
        std::thread::park_timeout(PAUSE);
        len = file.stat()?.len;
    }
    file.append(&[b"\n", line].concat(), durability)?;
    Ok(())
}

/// The lines of all files of a kind, the last one first. Holds one file open at a time.
pub(crate) struct NewestFirst<'a> {
    records: &'a Records,
    dir: Option<Dir>,
    next: u64,
    /// Numbers without a file since the last that had one.
    n_missing: u64,
    seen: Vec<FileId>,
    file: Option<Backward>,
}

impl NewestFirst<'_> {
    /// The next line, without its line break.
    pub(crate) fn next_line(&mut self, cancel: &Cancel) -> Result<Option<&[u8]>, Error> {
        cancel.check()?;
        loop {
            if let Some(file) = &mut self.file
                && file.find_line()?
            {
                break;
            }
            if !self.open_next()? {
                return Ok(None);
            }
        }
        Ok(self.file.as_ref().map(Backward::line))
    }

    /// Goes on to the next older file. Files only ever move to greater numbers, so one that is moved
    /// meanwhile is met again, and passed over, but never missed.
    fn open_next(&mut self) -> Result<bool, Error> {
        let Some(dir) = &self.dir else {
            return Ok(false);
        };
        while self.n_missing <= GAP {
            let name = self.records.name(self.next);
            self.next += 1;
            let file = match dir.open_file(&name) {
                Ok(file) => file,
                Err(error) if matches!(error.kind, ErrorKind::NotFound) => {
                    self.n_missing += 1;
                    continue;
                }
                Err(error) => return Err(refused(error)),
            };
            self.n_missing = 0;
            if !self.seen.contains(&file.meta().id) {
                self.seen.push(file.meta().id);
                self.file = Some(Backward::new(file));
                return Ok(true);
            }
        }
        Ok(false)
    }
}
