//! Looking through many notes at once, with the outcome of doing it one by one.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use rooted::{ErrorKind, File, RelPath};

use super::LeftOut;
use super::fault::Fault;
use super::notes::Notes;
use super::read_start;
use crate::reader::Reader;

/// Notes that a thread takes at a time.
const BATCH: usize = 16;
/// Notes for which one more thread is worth its start.
const NOTES_PER_THREAD: usize = 64;
/// Threads at most: each holds a note in memory.
const MAX_THREADS: usize = 4;

/// A note that is looked at.
pub(super) struct Seen<'a> {
    /// Where it is.
    pub(super) path: &'a RelPath,
    /// Its beginning: all of it, if it isn't larger than what was asked for.
    pub(super) content: &'a [u8],
    /// The file.
    pub(super) file: &'a File,
}

/// What was found, by the places of the notes.
pub(super) struct Swept<T> {
    pub(super) found: Vec<(usize, T)>,
    pub(super) left_out: LeftOut,
}

/// Reads up to so many bytes of each note and asks `look` what to keep of it.
///
/// # Errors
/// [`crate::Error::Cancelled`].
pub(super) fn sweep<T: Send>(
    reader: &Reader<'_>,
    notes: &Notes,
    max_bytes: u64,
    look: impl Fn(&Seen<'_>) -> Option<T> + Sync,
) -> Result<Swept<T>, Fault> {
    let next = AtomicUsize::new(0);
    let stopped = AtomicBool::new(false);
    let swept = Mutex::new(Swept {
        found: Vec::new(),
        left_out: notes.left_out(),
    });
    let work = || {
        let mut found = Vec::new();
        let mut left_out = LeftOut::default();
        let mut buffer = Vec::new();
        loop {
            let first = next.fetch_add(BATCH, Ordering::Relaxed);
            if first >= notes.len() {
                break;
            }
            if reader.cancel().is_cancelled() {
                stopped.store(true, Ordering::Relaxed);
                break;
            }
            for place in first..notes.len().min(first + BATCH) {
                let path = notes.path(place);
                match open(reader, &path).map(|file| {
                    let file = file?;
                    read_start(&file, max_bytes, &mut buffer).ok()?;
                    Some(file)
                }) {
                    Ok(Some(file)) => {
                        left_out.n_partial += usize::from(file.meta().len > max_bytes);
                        let seen = Seen {
                            path: &path,
                            content: &buffer,
                            file: &file,
                        };
                        found.extend(look(&seen).map(|kept| (place, kept)));
                    }
                    Ok(None) => left_out.n_unreadable += 1,
                    Err(Gone) => {}
                }
            }
        }
        // Held for a moment at the end of each thread only.
        let mut swept = swept.lock().unwrap_or_else(PoisonError::into_inner);
        swept.found.append(&mut found);
        swept.left_out.n_partial += left_out.n_partial;
        swept.left_out.n_unreadable += left_out.n_unreadable;
    };
    let n_threads = crate::threads()
        .min(MAX_THREADS)
        .min(notes.len().div_ceil(NOTES_PER_THREAD));
    thread::scope(|scope| {
        for _ in 1..n_threads {
            scope.spawn(work);
        }
        work();
    });
    if stopped.into_inner() {
        return Err(crate::Error::Cancelled.into());
    }
    let mut swept = swept.into_inner().unwrap_or_else(PoisonError::into_inner);
    swept.found.sort_unstable_by_key(|(place, _)| *place);
    Ok(swept)
}

/// The note is no longer there, or no longer a file of its own.
pub(super) struct Gone;

/// Opens a note that a walk has found; `None` when it cannot be read.
pub(super) fn open(reader: &Reader<'_>, path: &RelPath) -> Result<Option<File>, Gone> {
    match reader.root().open_file(path) {
        Ok(file) if file.path() == path => Ok(Some(file)),
        Ok(_) => Err(Gone),
        Err(error) => match error.kind {
            ErrorKind::NotFound
            | ErrorKind::NotADirectory
            | ErrorKind::IsADirectory
            | ErrorKind::NotRegular
            | ErrorKind::Outside => Err(Gone),
            _ => Ok(None),
        },
    }
}
