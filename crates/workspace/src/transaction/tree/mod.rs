//! `TreeChange`: files and folders that are made, written, moved and removed together, or not at all.
//!
//! It is kept like a change of files: a record first, then everything staged under temporary names,
//! then each step put in place and verified, and the renamed record as the commit. What differs:
//!
//! - Steps are done in order, and a later one may build on what an earlier one made or moved.
//! - What was there before stays under temporary names until [`Made::finish`], so that
//!   [`Made::undo`] can still take all of it back when what follows the change fails.
//! - Folders are found again by path at each step, beneath the root and without links, so the number
//!   of files is not bounded by the number of handles; contents may be fetched one at a time.
//! - With a note the record outlives a crash until somebody has taken note of the change.
//!
//! In a folder that allows no new names nothing is changed.

mod content;
mod entry;
mod run;
mod settle;

use std::collections::HashMap;

use rooted::{Durability, Meta, Mode, RelPath, Root};

pub use self::content::{Content, Fetch};
pub(super) use self::entry::parse;
use self::entry::{Act, Entry, Intent};
use self::run::Run;
use self::settle::Settle;
use super::intent::{self, NOTED, Name, Print, Record, StagedLine};
use crate::error::Error;
use crate::lock::Guard;

#[cfg(test)]
mod tests;

/// Bytes of a record that are read at most.
const RECORD_BYTES: u64 = 256 * 1024 * 1024;

/// Changes of a tree that happen together or not at all.
#[derive(Debug)]
pub struct TreeChange {
    id: u64,
    steps: Vec<Step>,
    /// Where things are before the first step that were made or moved since, by where they are now.
    placed: HashMap<RelPath, RelPath>,
    /// Whether a folder does not stay where it is.
    moves: bool,
    durability: Durability,
    note: Option<String>,
}

/// A step of a [`TreeChange`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepId(usize);

/// What a step finds at its path.
#[derive(Clone, Copy, Debug)]
pub enum What {
    /// A file or folder that was there before the change; a file with this very content.
    There(Meta),
    /// What an earlier step made.
    Of(StepId),
}

#[derive(Debug)]
struct Step {
    path: RelPath,
    /// The folder before the first step, when it is not the one of `path`.
    stage: Option<RelPath>,
    task: Task,
}

#[derive(Debug)]
enum Task {
    New {
        content: Content,
        executable: bool,
    },
    Over {
        old: Meta,
        sha256: Option<Box<str>>,
        /// Where the old version is before the first step, when that is not `path`.
        origin: Option<RelPath>,
        content: Content,
        executable: Option<bool>,
    },
    MakeFolder,
    Move {
        to: RelPath,
        what: What,
    },
    Remove {
        what: What,
        sha256: Option<Box<str>>,
    },
    RemoveFolder {
        what: What,
    },
}

/// Why a change did not happen.
#[derive(Debug)]
pub struct Failed {
    /// What stopped it.
    pub cause: Error,
    /// Whether everything is as it was; otherwise the next recovery tries again.
    pub taken_back: bool,
}

/// A change that happened, and that can still be taken back.
#[derive(Debug)]
pub struct Made<'a> {
    root: Root,
    id: u64,
    record: Record<'a>,
    entries: Vec<Entry>,
    staged: Vec<Option<Print>>,
}

/// A change that a process committed before it ended, and that nobody has taken note of yet.
#[derive(Debug)]
pub struct Noted {
    id: u64,
    /// What it was given to be told.
    pub note: String,
    /// Every path at which something is another thing than before.
    pub paths: Vec<RelPath>,
}

impl TreeChange {
    /// A change of nothing yet, that is to survive what `durability` says.
    #[must_use]
    pub fn new(durability: Durability) -> Self {
        Self {
            id: rooted::random(),
            steps: Vec::new(),
            placed: HashMap::new(),
            moves: false,
            durability,
            note: None,
        }
    }

    /// The same change, of which [`noted`] tells with this note when the process ends between the
    /// commit and [`Made::finish`].
    #[must_use]
    pub fn with_note(self, note: String) -> Self {
        Self {
            note: Some(note),
            ..self
        }
    }

    /// Says whether there is nothing to do.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Every path at which something is another thing than before.
    #[must_use]
    pub fn paths(&self) -> Vec<RelPath> {
        let mut paths = Vec::with_capacity(self.steps.len());
        for step in &self.steps {
            paths.push(step.path.clone());
            if let Task::Move { to, .. } = &step.task {
                paths.push(to.clone());
            }
        }
        paths
    }

    /// Makes a file, which must not exist; whoever may read it may run it if it is `executable`.
    pub fn create(&mut self, path: RelPath, content: Content, executable: bool) -> StepId {
        self.push(
            path,
            Task::New {
                content,
                executable,
            },
        )
    }

    /// Gives a file that was there before the change new content. It must be the version `old`, and
    /// have this SHA-256 where one is given; `executable` says so only if that is to change.
    pub fn replace(
        &mut self,
        path: RelPath,
        old: Meta,
        sha256: Option<&str>,
        content: Content,
        executable: Option<bool>,
    ) -> StepId {
        let origin = self.origin(&path);
        let task = Task::Over {
            old,
            sha256: sha256.map(Box::from),
            origin: (origin != path).then_some(origin),
            content,
            executable,
        };
        self.push(path, task)
    }

    /// Gives a file that an earlier step made or wrote other content, instead of what that step said.
    pub fn rewrite(&mut self, step: StepId, new: Vec<u8>) {
        if let Some(Step {
            task: Task::New { content, .. } | Task::Over { content, .. },
            ..
        }) = self.steps.get_mut(step.0)
        {
            *content = Content::Bytes(new);
        }
    }

    /// What a step is to write, where that is at hand.
    #[must_use]
    pub fn content(&self, step: StepId) -> Option<&[u8]> {
        match &self.steps.get(step.0)?.task {
            Task::New {
                content: Content::Bytes(content),
                ..
            }
            | Task::Over {
                content: Content::Bytes(content),
                ..
            } => Some(content),
            Task::New { .. }
            | Task::Over { .. }
            | Task::MakeFolder
            | Task::Move { .. }
            | Task::Remove { .. }
            | Task::RemoveFolder { .. } => None,
        }
    }

    /// Makes a folder, which must not exist, in one that does by then.
    pub fn make_folder(&mut self, path: RelPath) -> StepId {
        let step = self.push(path.clone(), Task::MakeFolder);
        if let Some(made) = self.steps.get(step.0) {
            let folder = made.stage.clone().or_else(|| path.parent());
            let temp = intent::temp_name(self.id, step.0);
            self.placed
                .insert(path, folder.unwrap_or_default().join(&temp));
        }
        step
    }

    /// Gives a file or folder another path, at which nothing must be, in a folder that exists by then.
    pub fn rename(&mut self, path: RelPath, to: RelPath, what: What) {
        let origin = self.origin(&path);
        let inside: Vec<RelPath> = self
            .placed
            .keys()
            .filter(|placed| placed.starts_with(&path))
            .cloned()
            .collect();
        for old in inside {
            if let (Some(place), Some(new)) = (self.placed.remove(&old), rebased(&old, &path, &to))
            {
                self.placed.insert(new, place);
            }
        }
        self.placed.insert(to.clone(), origin);
        self.moves = true;
        self.push(path, Task::Move { to, what });
    }

    /// Removes a file; it must have this SHA-256 where one is given.
    pub fn remove(&mut self, path: RelPath, what: What, sha256: Option<&str>) {
        let sha256 = sha256.map(Box::from);
        self.push(path, Task::Remove { what, sha256 });
    }

    /// Removes a folder in which nothing is by then.
    pub fn remove_folder(&mut self, path: RelPath, what: What) {
        // Until the end it is under a temporary name, with what was removed from it before.
        self.moves = true;
        self.push(path, Task::RemoveFolder { what });
    }

    fn push(&mut self, path: RelPath, task: Task) -> StepId {
        let parent = path.parent().unwrap_or_default();
        let stage = self.origin(&parent);
        self.steps.push(Step {
            path,
            stage: (stage != parent).then_some(stage),
            task,
        });
        StepId(self.steps.len() - 1)
    }

    /// Where what is at a path now is before the first step.
    fn origin(&self, path: &RelPath) -> RelPath {
        if self.placed.is_empty() {
            return path.clone();
        }
        let mut above = Some(path.clone());
        while let Some(at) = above {
            if let Some(place) = self.placed.get(&at)
                && let Some(origin) = rebased(path, &at, place)
            {
                return origin;
            }
            above = at.parent();
        }
        path.clone()
    }

    /// Where a folder is after the last step, by where it is before step number `from`.
    fn end(&self, folder: &RelPath, from: usize) -> RelPath {
        let mut at = folder.clone();
        for (index, step) in self.steps.iter().enumerate().skip(from) {
            let moved = match &step.task {
                Task::Move { to, .. } => rebased(&at, &step.path, to),
                Task::RemoveFolder { .. } => {
                    let parent = step.path.parent().unwrap_or_default();
                    let temp = parent.join(intent::temp_name(self.id, index));
                    rebased(&at, &step.path, &temp)
                }
                Task::New { .. } | Task::Over { .. } | Task::MakeFolder | Task::Remove { .. } => {
                    None
                }
            };
            at = moved.unwrap_or(at);
        }
        at
    }

    fn entries(&self) -> Vec<Entry> {
        let mut entries = Vec::with_capacity(self.steps.len());
        for (index, step) in self.steps.iter().enumerate() {
            let (act, to, was, of) = match &step.task {
                Task::New { .. } => (Act::New, None, None, None),
                Task::Over { old, .. } => (Act::Over, None, Some(Print::of(old)), None),
                Task::MakeFolder => (Act::MakeFolder, None, None, None),
                Task::Move { to, what } => (Act::Move, Some(to), what.was(), what.of()),
                Task::Remove { what, .. } => (Act::Remove, None, what.was(), what.of()),
                Task::RemoveFolder { what } => (Act::RemoveFolder, None, what.was(), what.of()),
            };
            let mut end = None;
            if self.moves {
                let parent = step.path.parent().unwrap_or_default();
                end = Some(self.end(&parent, index + 1)).filter(|end| *end != parent);
            }
            entries.push(Entry {
                act,
                path: Name::from(&step.path),
                to: to.map(Name::from),
                stage: step.stage.as_ref().map(Name::from),
                end: end.as_ref().map(Name::from),
                was,
                of,
            });
        }
        entries
    }

    /// Makes the changes.
    ///
    /// # Errors
    /// [`Error::KeepsChanging`] when something is not what the change was made from. Otherwise what
    /// stopped it.
    pub fn commit<'a>(
        self,
        root: &Root,
        guard: &'a Guard,
        fetch: Fetch<'_>,
    ) -> Result<Made<'a>, Failed> {
        let failed = |cause| Failed {
            cause,
            taken_back: true,
        };
        let root = root.with_mode(Mode::NO_LINKS).map_err(|source| {
            failed(Error::Io {
                path: RelPath::root(),
                source,
            })
        })?;
        let tx = &guard.state().tx;
        let intent = Intent {
            version: entry::VERSION,
            note: self.note.clone(),
            steps: self.entries(),
        };
        let mut line = serde_json::to_vec(&intent).expect("the fields are plain data");
        line.push(b'\n');
        let record = Record::create_of(tx, self.id, &line, self.durability);
        drop(line);
        let mut record = record.map_err(|error| failed(Error::from(error)))?;
        let entries = intent.steps;
        let mut run = Run::new(&root, self.id, &self.steps, &entries, self.durability);
        let mut staged = Vec::new();
        let done = run.stage(fetch).and_then(|()| {
            let line = StagedLine {
                staged: run.prints(),
            };
            record.add(&line)?;
            staged = line.staged;
            run.put()?;
            Ok(record.commit()?)
        });
        drop(run);
        let made = Made {
            root,
            id: self.id,
            record,
            entries,
            staged,
        };
        match done {
            Ok(()) => Ok(made),
            Err(cause) => Err(Failed {
                cause,
                taken_back: made.undo().is_ok(),
            }),
        }
    }
}

impl Made<'_> {
    /// Removes what was there before: from here on the change stays.
    pub fn finish(self) {
        // What cannot be removed now is tried again by the next recovery.
        if self.settle().clear().is_ok() {
            self.record.remove();
        }
    }

    /// Takes the change back.
    ///
    /// # Errors
    /// What stopped that; the next recovery tries again.
    pub fn undo(mut self) -> Result<(), Error> {
        self.record.reopen()?;
        self.settle().undo()?;
        self.record.remove();
        Ok(())
    }

    fn settle(&self) -> Settle<'_> {
        Settle {
            root: &self.root,
            id: self.id,
            steps: &self.entries,
            staged: &self.staged,
        }
    }
}

/// The changes that processes committed before they ended, and that nobody has taken note of yet;
/// [`super::recover`] comes first.
///
/// # Errors
/// When the state folder cannot be read.
pub fn noted(guard: &Guard) -> Result<Vec<Noted>, Error> {
    let tx = &guard.state().tx;
    let mut found = Vec::new();
    for (name, _) in tx.list()? {
        let Some(id) = intent::id_of(&name, NOTED) else {
            continue;
        };
        let mut file = tx.open_file(&name)?;
        let bytes = file.read_all(RECORD_BYTES).map_err(|source| Error::Io {
            path: tx.path().join(&name),
            source,
        })?;
        if let Some(read) = parse(&bytes) {
            found.push(Noted {
                id,
                paths: read.paths(),
                note: read.intent.note.unwrap_or_default(),
            });
        }
    }
    Ok(found)
}

/// Says that a change was taken note of.
///
/// # Errors
/// When the state folder cannot be written.
pub fn forget(guard: &Guard, noted: &Noted) -> Result<(), Error> {
    let name = intent::file_name(noted.id, NOTED);
    Ok(super::recovery::gone(guard.state().tx.remove_file(&name))?)
}

/// A path that lies in, or is, `from`, as one that lies in, or is, `to`.
fn rebased(path: &RelPath, from: &RelPath, to: &RelPath) -> Option<RelPath> {
    if !path.starts_with(from) {
        return None;
    }
    let below = path.components().skip(from.depth());
    Some(below.fold(to.clone(), |path, name| path.join(name)))
}

impl Task {
    /// Says whether a file is written.
    fn writes(&self) -> bool {
        match self {
            Self::New { .. } | Self::Over { .. } => true,
            Self::MakeFolder
            | Self::Move { .. }
            | Self::Remove { .. }
            | Self::RemoveFolder { .. } => false,
        }
    }
}

impl What {
    fn was(&self) -> Option<Print> {
        match self {
            Self::There(meta) => Some(Print::of(meta)),
            Self::Of(_) => None,
        }
    }

    fn of(&self) -> Option<usize> {
        match self {
            Self::There(_) => None,
            Self::Of(step) => Some(step.0),
        }
    }
}
