//! Recovery: what is left to do after a process ended in the middle of a transaction.
//!
//! Works from the records alone; no folder is searched for leftovers. A file that is neither the old
//! version nor the one that was staged belongs to somebody else by now and is left as it is.

use rooted::{Dir, Durability, ErrorKind, Kind, Meta, Mode, Put, RelPath, Root};

use super::intent::{self, DONE, Entry, Form, NOTED, OPEN, Print, Read, UNREADABLE};
use super::tree;
use crate::cancel::Cancel;
use crate::error::Error;
use crate::lock::{Guard, Lock};
use crate::state::StateDir;

/// Bytes of a record that are read at most: an append holds its content.
const RECORD_BYTES: u64 = 256 * 1024 * 1024;

/// What a recovery did.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Recovered {
    /// Transactions that were taken back.
    pub n_undone: usize,
    /// Transactions whose leftovers were removed.
    pub n_finished: usize,
    /// Records that stay for the next time, since something refused.
    pub n_pending: usize,
    /// Records that nobody can read, which were put aside.
    pub n_unreadable: usize,
}

/// Finishes or takes back what other processes left under way. Whoever takes the lock does this first.
///
/// # Errors
/// When the state folder cannot be read.
pub fn recover(root: &Root, guard: &Guard) -> Result<Recovered, Error> {
    let tx = &guard.state().tx;
    let mut recovered = Recovered::default();
    let names = tx.list()?;
    if names.is_empty() {
        return Ok(recovered);
    }
    let root = root.with_mode(Mode::NO_LINKS).map_err(|source| Error::Io {
        path: RelPath::root(),
        source,
    })?;
    for (name, kind) in &names {
        if *kind != Kind::File {
            continue;
        }
        if rooted::is_temp_name(name) {
            // A version of a state file that was never put in its place.
            remove(tx, name);
            continue;
        }
        let (id, done) = match (intent::id_of(name, OPEN), intent::id_of(name, DONE)) {
            (Some(id), _) => (id, false),
            (None, Some(id)) => (id, true),
            (None, None) => continue,
        };
        let Ok(bytes) = tx.open_file(name).and_then(|mut file| {
            file.read_all(RECORD_BYTES)
                .map_err(|error| other(error, tx))
        }) else {
            recovered.n_pending += 1;
            continue;
        };
        if let Some(tree) = tree::parse(&bytes) {
            match tree.settle(&root, id, done) {
                Ok(()) => {
                    if done && tree.is_noted() {
                        let noted = intent::file_name(id, NOTED);
                        let _ = tx.rename(name, tx, &noted);
                    } else {
                        remove(tx, name);
                    }
                    let count = if done {
                        &mut recovered.n_finished
                    } else {
                        &mut recovered.n_undone
                    };
                    *count += 1;
                }
                Err(_) => recovered.n_pending += 1,
            }
            continue;
        }
        match intent::parse(&bytes) {
            Err(_) => {
                let aside = intent::file_name(id, UNREADABLE);
                let _ = tx.rename(name, tx, &aside);
                recovered.n_unreadable += 1;
            }
            // It ended before it did anything.
            Ok(None) => remove(tx, name),
            Ok(Some(read)) => {
                let undo = !done && read.intent.needs_mark();
                let unfinished = Unfinished {
                    root: &root,
                    tx,
                    id,
                    read,
                    undo,
                    done,
                };
                match unfinished.settle() {
                    Ok(()) => {
                        remove(tx, name);
                        let count = if undo {
                            &mut recovered.n_undone
                        } else {
                            &mut recovered.n_finished
                        };
                        *count += 1;
                    }
                    Err(_) => recovered.n_pending += 1,
                }
            }
        }
    }
    Ok(recovered)
}

/// Waits for the lock and recovers: the way to a guard for whoever changes something.
///
/// # Errors
/// As [`Lock::acquire`] and [`recover`].
pub fn enter(root: &Root, lock: &Lock, cancel: &Cancel) -> Result<Guard, Error> {
    let guard = lock.acquire(root, cancel)?;
    recover(root, &guard)?;
    Ok(guard)
}

/// [`recover`] where there is something to recover and nobody is at work; makes nothing otherwise.
///
/// # Errors
/// As [`recover`] and [`Lock::try_acquire`].
pub fn recover_if_idle(root: &Root, lock: &Lock) -> Result<Recovered, Error> {
    let Some(state) = lock.state().open(root)? else {
        return Ok(Recovered::default());
    };
    let pending = match StateDir::open_tx(&state)? {
        Some(tx) => tx.list()?.iter().any(|(name, _)| {
            intent::id_of(name, OPEN).is_some() || intent::id_of(name, DONE).is_some()
        }),
        None => false,
    };
    if !pending {
        return Ok(Recovered::default());
    }
    // Whoever holds the lock is alive, and has recovered before it began.
    match lock.try_acquire(root)? {
        Some(guard) => recover(root, &guard),
        None => Ok(Recovered::default()),
    }
}

/// A transaction whose process ended.
struct Unfinished<'a> {
    root: &'a Root,
    tx: &'a Dir,
    id: u64,
    read: Read,
    /// Whether what was put in place is taken out again.
    undo: bool,
    /// Whether it was committed by a mark.
    done: bool,
}

impl Unfinished<'_> {
    fn settle(&self) -> rooted::Result<()> {
        for (index, entry) in self.read.intent.files.iter().enumerate().rev() {
            let Some(path) = entry.path.path() else {
                continue;
            };
            let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
                continue;
            };
            let dir = match self.root.open_dir(&parent) {
                Ok(dir) => dir,
                // The folder is gone, or something else is in its place.
                Err(error)
                    if matches!(
                        error.kind,
                        ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::LinkRefused
                    ) =>
                {
                    continue;
                }
                Err(error) => return Err(error),
            };
            let staged = self.read.staged.get(index).copied().flatten();
            match entry.form {
                Form::New => {
                    let temp = intent::temp_name(self.id, index);
                    settle_new(&dir, &temp, name, staged, self.undo)?;
                }
                Form::Over => {
                    let temp = intent::temp_name(self.id, index);
                    let ends = Ends {
                        undo: self.undo,
                        done: self.done,
                    };
                    settle_over(&dir, &temp, name, staged, entry.old, ends)?;
                }
                Form::InPlace => self.settle_in_place(&dir, index, name, entry)?,
                Form::Append => self.settle_append(&dir, name, entry)?,
            }
        }
        if !self.done {
            self.remove_folders();
        }
        Ok(())
    }

    fn settle_in_place(
        &self,
        dir: &Dir,
        index: usize,
        name: &[u8],
        entry: &Entry,
    ) -> rooted::Result<()> {
        let saved = intent::saved_name(self.id, index);
        // Without the second line of the record the copy may be incomplete, and the file is untouched.
        if self.undo && !self.read.staged.is_empty() {
            match dir.open_in_place(name) {
                Ok(mut file) => {
                    let old = entry.old;
                    let torn = old
                        .is_some_and(|old| old.ino == file.meta().id.ino && !old.is(file.meta()));
                    if torn {
                        let mut content = self.tx.open_file(&saved)?;
                        file.fill(&mut content, Durability::Power)?;
                    }
                }
                Err(error) if matches!(error.kind, ErrorKind::NotFound) => {}
                Err(error) => return Err(error),
            }
        }
        gone(self.tx.remove_file(&saved))
    }

    /// An append that was cut short ends where it began; a complete one stays.
    fn settle_append(&self, dir: &Dir, name: &[u8], entry: &Entry) -> rooted::Result<()> {
        let (Some(old), content) = (entry.old, &self.read.append) else {
            return Ok(());
        };
        let file = match dir.open_end(name) {
            Ok(file) => file,
            Err(error) if matches!(error.kind, ErrorKind::NotFound) => return Ok(()),
            Err(error) => return Err(error),
        };
        let grown = file.meta().len.saturating_sub(old.len);
        if file.meta().id.ino != old.ino || grown == 0 || grown >= content.len() as u64 {
            return Ok(());
        }
        // Only a part of ours may be cut off, never what somebody else wrote.
        if content.starts_with(&file.read_from(old.len, content.len())?) {
            file.cut(old.len)?;
        }
        Ok(())
    }

    fn remove_folders(&self) {
        for folder in self.read.intent.folders.iter().rev() {
            let Some(path) = folder.path() else { continue };
            let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
                continue;
            };
            // One that is not empty holds what somebody else put there.
            let _ = self
                .root
                .open_dir(&parent)
                .and_then(|dir| dir.remove_dir(name));
        }
    }
}

/// How a transaction that was cut off is to end.
#[derive(Clone, Copy)]
pub(super) struct Ends {
    /// Whether what was put in place is taken out again.
    pub(super) undo: bool,
    /// Whether it was committed by a mark.
    pub(super) done: bool,
}

/// Settles a file that got a name that was free.
pub(super) fn settle_new(
    dir: &Dir,
    temp: &[u8],
    name: &[u8],
    staged: Option<Print>,
    undo: bool,
) -> rooted::Result<()> {
    if let (true, Some(ours)) = (undo, there(dir, name, staged)?)
        && dir.take_out(temp, name, &ours)? == Put::Copy
    {
        return Ok(());
    }
    gone(dir.remove_file(temp))
}

/// Settles a file that was put in the place of another one.
pub(super) fn settle_over(
    dir: &Dir,
    temp: &[u8],
    name: &[u8],
    staged: Option<Print>,
    old: Option<Print>,
    ends: Ends,
) -> rooted::Result<()> {
    let aside = rooted::aside_name(temp);
    // Where names cannot be swapped the old version may be on its way.
    match dir.stat(temp) {
        Err(error) if matches!(error.kind, ErrorKind::NotFound) => {
            match dir.rename_new(&aside, dir, temp) {
                Err(error) if matches!(error.kind, ErrorKind::Unsupported) => {
                    gone(dir.rename(&aside, dir, temp))?;
                }
                renamed => gone(renamed)?,
            }
        }
        Err(error) => return Err(error),
        Ok(_) => gone(dir.remove_file(&aside))?,
    }
    let out = match dir.stat(temp) {
        Ok(out) => out,
        Err(error) if matches!(error.kind, ErrorKind::NotFound) => return Ok(()),
        Err(error) => return Err(error),
    };
    // Without the second line of the record nothing was swapped yet.
    let swapped = staged.is_some_and(|staged| !staged.is(&out));
    let is_old = old.is_some_and(|old| old.is(&out));
    if swapped && (ends.undo || !(is_old || ends.done)) {
        if let Some(ours) = there(dir, name, staged)? {
            if dir.put_back(temp, name, &ours)? == Put::Copy {
                return Ok(());
            }
        } else if !is_old {
            // Somebody's version that came out, and somebody's in the place: both stay.
            return Ok(());
        }
    }
    gone(dir.remove_file(temp))
}

/// What a name stands for, if that is what was staged.
fn there(dir: &Dir, name: &[u8], staged: Option<Print>) -> rooted::Result<Option<Meta>> {
    let Some(staged) = staged else {
        return Ok(None);
    };
    match dir.stat(name) {
        Ok(meta) => Ok(staged.is(&meta).then_some(meta)),
        Err(error) if matches!(error.kind, ErrorKind::NotFound) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Takes "nothing there" as done.
pub(super) fn gone(result: rooted::Result<()>) -> rooted::Result<()> {
    match result {
        Err(error) if matches!(error.kind, ErrorKind::NotFound) => Ok(()),
        result => result,
    }
}

fn remove(tx: &Dir, name: &[u8]) {
    // One that stays is found again, and has nothing left to do.
    let _ = tx.remove_file(name);
}

fn other(error: std::io::Error, dir: &Dir) -> rooted::Error {
    rooted::Error {
        kind: ErrorKind::Other(error),
        path: dir.path().clone(),
    }
}
