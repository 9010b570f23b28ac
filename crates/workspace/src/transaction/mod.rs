//! `ChangeSet`: the only way content reaches a workspace. All of it, or none.
//!
//! The order is what makes it so, whenever the process ends:
//!
//! 1. A record in the state folder says what is about to happen and under which temporary names.
//! 2. Every new version is written to a temporary sibling of its file; the record gets a second line.
//! 3. Each is swapped with its file, and what comes out is compared with what the change was made from.
//! 4. For several files the record is renamed: now the change is committed. For one the swap did that.
//! 5. The old versions, now under the temporary names, are removed, and then the record.
//!
//! Before the commit point everything is taken back on any failure, and by [`recover`] after a crash.
//! In a folder that allows no new names the file is written where it is, after its content was saved.

mod append;
mod intent;
mod recovery;
mod step;
mod tree;

use std::cell::RefCell;

use rooted::{Durability, File, Meta, Place, RelPath};

pub use self::append::{Appended, append};
pub use self::recovery::{Recovered, enter, recover, recover_if_idle};
pub use self::tree::{
    Content, Failed, Fetch, Made, Noted, StepId, TreeChange, What, forget, noted,
};

use self::intent::{Intent, Name, Record, StagedLine};
use self::step::{Fault, Step};
use crate::error::Error;
use crate::lock::Guard;

/// Attempts with other temporary names, or with files found to need writing in place.
const ATTEMPTS: usize = 8;

/// Changes that happen together or not at all.
#[derive(Debug)]
pub struct ChangeSet {
    changes: Vec<Change>,
    durability: Durability,
}

/// The new content of one file.
#[derive(Debug)]
struct Change {
    place: Place,
    content: Vec<u8>,
    old: Option<Based>,
    /// Whether a new file is for its owner only.
    is_private: bool,
}

/// What is kept of an [`Old`].
#[derive(Debug)]
struct Based {
    /// Given up once its attributes are copied: some systems do not replace a file that is open.
    file: RefCell<Option<File>>,
    meta: Meta,
    content: Option<Vec<u8>>,
}

impl From<Old> for Based {
    fn from(old: Old) -> Self {
        Self {
            meta: *old.file.meta(),
            file: RefCell::new(Some(old.file)),
            content: old.content,
        }
    }
}

/// The version of a file that a change was made from.
#[derive(Debug)]
pub struct Old {
    /// The file, still open.
    pub file: File,
    /// What was read of it; `None` when the change does not depend on it.
    pub content: Option<Vec<u8>>,
}

/// What became of one file of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Where the file is, after links.
    pub path: RelPath,
    /// Whether there was none before.
    pub created: bool,
    /// Its size in bytes now.
    pub len: u64,
    /// Whether the old version had other names, which keep the old content.
    pub was_hard_linked: bool,
    /// Whether owner, mode or an extended attribute could not be kept.
    pub attributes_lost: bool,
    /// Whether it was written where it is, since its folder allows no new names.
    pub written_in_place: bool,
}

impl ChangeSet {
    /// An empty set whose changes are to survive what `durability` says.
    #[must_use]
    pub fn new(durability: Durability) -> Self {
        Self {
            changes: Vec::new(),
            durability,
        }
    }

    /// Says whether there is nothing to do.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// Adds a file that must not exist; folders that are missing on the way are made.
    pub fn create(&mut self, place: Place, content: Vec<u8>) {
        self.changes.push(Change {
            place,
            content,
            old: None,
            is_private: false,
        });
    }

    /// [`ChangeSet::create`], of a file that only its owner may open.
    pub fn create_private(&mut self, place: Place, content: Vec<u8>) {
        self.changes.push(Change {
            place,
            content,
            old: None,
            is_private: true,
        });
    }

    /// Adds new content for a file, which must still be the version `old` when its turn comes.
    pub fn replace(&mut self, place: Place, old: Old, content: Vec<u8>) {
        self.changes.push(Change {
            place,
            content,
            old: Some(old.into()),
            is_private: false,
        });
    }

    /// Makes the changes, in order; tells what became of each.
    ///
    /// # Errors
    /// [`Error::KeepsChanging`] when a file is not the version the change was made from, or exists
    /// and should not: read again and try again. [`Error::ConflictCopy`] when moreover a version of
    /// another process had to be kept under another name. Otherwise what stopped it. Whatever the
    /// error, it names the file at fault, and no file is changed.
    pub fn commit(self, guard: &Guard) -> Result<Vec<Outcome>, Error> {
        let mut forms = Vec::with_capacity(self.changes.len());
        for change in &self.changes {
            forms.push(step::form(change)?);
        }
        let mut last = Fault::NamesTaken;
        for _ in 0..ATTEMPTS {
            let id = rooted::random();
            let steps = self
                .changes
                .iter()
                .zip(&forms)
                .enumerate()
                .map(|(index, (change, &form))| Step::new(change, form, id, index));
            match run(steps.collect(), id, guard, self.durability) {
                Ok(outcomes) => return Ok(outcomes),
                Err(Fault::Error(error)) => return Err(error),
                Err(Fault::NoNewNames { index, error }) => {
                    // Seen only when it was tried: a sticky folder, a file that is a mount by itself.
                    match forms.get_mut(index) {
                        Some(form @ intent::Form::Over) => *form = intent::Form::InPlace,
                        _ => return Err(error),
                    }
                    last = Fault::Error(error);
                }
                Err(fault @ Fault::NamesTaken) => last = fault,
            }
        }
        Err(match last {
            Fault::Error(error) | Fault::NoNewNames { error, .. } => error,
            Fault::NamesTaken => Error::Busy,
        })
    }
}

/// One attempt: to the end, or back to where it began.
fn run(
    mut steps: Vec<Step<'_>>,
    id: u64,
    guard: &Guard,
    durability: Durability,
) -> Result<Vec<Outcome>, Fault> {
    let Some(first) = steps.first() else {
        return Ok(Vec::new());
    };
    let first = first.path().clone();
    let folders = folders(&steps);
    let entries = steps.iter().map(Step::entry).collect();
    let intent = Intent::new(folders.iter().map(Name::from).collect(), entries);
    let tx = &guard.state().tx;
    let mut record =
        Record::create(tx, id, &intent, &[], durability).map_err(intent::at(&first))?;
    let mut made = Vec::new();
    let done = put_all(&mut steps, &mut made, &mut record, durability).and_then(|()| {
        if intent.needs_mark() {
            record.commit().map_err(intent::at(&first))?;
        }
        Ok(())
    });
    if let Err(fault) = done {
        return Err(take_back(steps, made, record, fault));
    }
    let mut clean = true;
    for step in &steps {
        clean &= step.clear(&record);
    }
    if clean {
        record.remove();
    }
    Ok(steps.into_iter().map(Step::outcome).collect())
}

/// Everything up to the commit point.
fn put_all(
    steps: &mut [Step<'_>],
    made: &mut Vec<step::MadeFolder>,
    record: &mut Record<'_>,
    durability: Durability,
) -> Result<(), Fault> {
    for step in &mut *steps {
        step.make_folders(made, durability)?;
        step.stage(record, durability)?;
    }
    let staged = steps.iter().map(Step::print).collect();
    if let Some(step) = steps.first() {
        let fault = intent::at(step.path());
        record.add(&StagedLine { staged }).map_err(fault)?;
    }
    for step in &mut *steps {
        step.put(record, durability)?;
    }
    Ok(())
}

/// Takes back what an attempt did, last things first.
fn take_back(
    steps: Vec<Step<'_>>,
    made: Vec<step::MadeFolder>,
    record: Record<'_>,
    fault: Fault,
) -> Fault {
    let mut fault = fault;
    let mut clean = true;
    for step in steps.into_iter().rev() {
        match step.take_back(&record) {
            Ok(None) => {}
            Ok(Some(copy)) => fault = Fault::Error(copy),
            // Tried again by the next recovery.
            Err(_) => clean = false,
        }
    }
    for folder in made.into_iter().rev() {
        // One that is not empty holds what somebody else put there meanwhile.
        let _ = folder.parent.remove_dir(&folder.name);
    }
    if clean {
        record.remove();
    }
    fault
}

/// The folders that are missing, outermost first, each once.
fn folders(steps: &[Step<'_>]) -> Vec<RelPath> {
    let mut folders: Vec<RelPath> = Vec::new();
    for step in steps {
        let mut path = step.change.place.dir.path().clone();
        for name in &step.change.place.missing {
            path = path.join(name);
            if !folders.contains(&path) {
                folders.push(path.clone());
            }
        }
    }
    folders
}

#[cfg(test)]
mod tests;
