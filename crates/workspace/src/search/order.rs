//! Searching many files at once, with the outcome of searching them one by one.
//!
//! Threads take the next file in order; what they find is put in order again. As soon as the files
//! up to some place hold enough hits, nothing behind that place is searched any more.

use std::collections::BTreeMap;
use std::io::Read;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::lines::Line;
use super::scan::{Outcome, Rules, Scanned, Scanner};
use crate::cancel::Cancel;

/// Threads that search at most: more gain little on one disk and cost memory.
const MAX_THREADS: usize = 4;
/// Files for which one more thread is worth its start.
const FILES_PER_THREAD: usize = 16;

/// What was found in which files, in the order of the files.
#[derive(Debug, Default)]
pub(crate) struct Merged {
    /// Places in the list of files, and the lines kept of each.
    pub(crate) files: Vec<(usize, Vec<Line>)>,
    pub(crate) n_hits: usize,
    /// Says whether the limit of hits was reached, or that of bytes.
    pub(crate) full: Option<Limit>,
    pub(crate) n_binary: u64,
    pub(crate) n_unreadable: u64,
    /// Places of the files that could not be decided in full.
    pub(crate) gave_up: Vec<usize>,
    /// Says whether files were left out because the stop signal came.
    pub(crate) interrupted: bool,
}

/// What came of opening a file.
pub(crate) enum Opened<R> {
    /// Its content, and its expected size, 0 when not known.
    Content(R, u64),
    /// It could not be opened.
    Unreadable,
    /// It is no longer there, or no longer a file of its own.
    Gone,
}

/// The limit that ended a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Limit {
    Results,
    Bytes,
}

/// What the threads have found so far.
struct Board<'a> {
    rules: &'a Rules<'a>,
    /// Held for moments only: no file is read meanwhile.
    found: Mutex<Notes>,
    next: AtomicUsize,
    /// Files behind this place are of no interest.
    last: AtomicUsize,
    interrupted: AtomicBool,
}

#[derive(Default)]
struct Notes {
    hits: BTreeMap<usize, Scanned>,
    binary: Vec<usize>,
    unreadable: Vec<usize>,
    gave_up: Vec<usize>,
}

/// Searches the first `n_files` files that `open` knows, the very first only behind line `behind`.
pub(crate) fn search_files<R: Read>(
    n_files: usize,
    behind: u64,
    open: &(impl Fn(usize) -> Opened<R> + Sync),
    rules: &Rules<'_>,
    cancel: &Cancel,
) -> Merged {
    let board = Board {
        rules,
        found: Mutex::default(),
        next: AtomicUsize::new(0),
        last: AtomicUsize::new(usize::MAX),
        interrupted: AtomicBool::new(false),
    };
    let n_threads = crate::threads()
        .min(MAX_THREADS)
        .min(n_files.div_ceil(FILES_PER_THREAD));
    thread::scope(|scope| {
        for _ in 1..n_threads {
            scope.spawn(|| board.work(n_files, behind, open, cancel));
        }
        board.work(n_files, behind, open, cancel);
    });
    board.merge()
}

impl Board<'_> {
    fn work<R: Read>(
        &self,
        n_files: usize,
        behind: u64,
        open: &impl Fn(usize) -> Opened<R>,
        cancel: &Cancel,
    ) {
        let matcher = self.rules.matcher.clone();
        let rules = Rules {
            matcher: &matcher,
            ..*self.rules
        };
        let mut scanner = Scanner::default();
        loop {
            let place = self.next.fetch_add(1, Ordering::Relaxed);
            if place >= n_files || self.is_behind(place) {
                return;
            }
            if cancel.is_cancelled() {
                self.interrupted.store(true, Ordering::Relaxed);
                return;
            }
            let (mut source, len) = match open(place) {
                Opened::Content(source, len) => (source, len),
                Opened::Unreadable => {
                    self.note(|notes| notes.unreadable.push(place));
                    continue;
                }
                Opened::Gone => continue,
            };
            let stop = || cancel.is_cancelled() || self.is_behind(place);
            let behind = if place == 0 { behind } else { 0 };
            let scanned = scanner.scan(&mut source, len, behind, &rules, &stop);
            match scanned.outcome {
                Outcome::Binary => self.note(|notes| notes.binary.push(place)),
                Outcome::Unreadable => self.note(|notes| notes.unreadable.push(place)),
                Outcome::Text => self.keep(place, scanned),
            }
        }
    }

    fn is_behind(&self, place: usize) -> bool {
        place > self.last.load(Ordering::Relaxed)
    }

    fn note(&self, change: impl FnOnce(&mut Notes)) {
        change(&mut self.found.lock().unwrap_or_else(PoisonError::into_inner));
    }

    fn keep(&self, place: usize, scanned: Scanned) {
        if scanned.interrupted && !self.is_behind(place) {
            self.interrupted.store(true, Ordering::Relaxed);
        }
        if scanned.n_hits == 0 && !scanned.gave_up && !scanned.interrupted {
            return;
        }
        self.note(|notes| {
            if scanned.gave_up || scanned.interrupted {
                notes.gave_up.push(place);
            }
            if scanned.n_hits == 0 {
                return;
            }
            notes.hits.insert(place, scanned);
            let (mut n_hits, mut n_bytes) = (0, 0);
            let enough = notes.hits.iter().find(|(_, scanned)| {
                n_hits += scanned.n_hits;
                n_bytes += scanned.n_bytes;
                n_hits >= self.rules.max_results || n_bytes >= self.rules.max_bytes
            });
            if let Some((&last, _)) = enough {
                notes.hits.split_off(&(last + 1));
                self.last.fetch_min(last, Ordering::Relaxed);
            }
        });
    }

    /// Puts everything in order and cuts it to the limits.
    fn merge(self) -> Merged {
        let last = self.last.into_inner();
        let notes = self
            .found
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        let count = |places: &[usize]| places.iter().filter(|&&place| place <= last).count() as u64;
        let mut merged = Merged {
            n_binary: count(&notes.binary),
            n_unreadable: count(&notes.unreadable),
            gave_up: notes.gave_up,
            interrupted: self.interrupted.into_inner(),
            ..Merged::default()
        };
        merged.gave_up.retain(|&place| place <= last);
        merged.gave_up.sort_unstable();
        let mut room = Room {
            n_results: self.rules.max_results,
            n_bytes: self.rules.max_bytes,
        };
        for (place, scanned) in notes.hits {
            let mut lines = scanned.lines;
            if self.rules.files_only {
                room.n_results -= 1;
                merged.n_hits += 1;
            } else {
                let n_hits = room.cut(&mut lines, self.rules.context);
                merged.n_hits += n_hits;
            }
            merged.files.push((place, lines));
            if room.n_results == 0 || room.n_bytes == 0 {
                break;
            }
        }
        merged.full = match room {
            Room { n_results: 0, .. } => Some(Limit::Results),
            Room { n_bytes: 0, .. } => Some(Limit::Bytes),
            Room { .. } => None,
        };
        merged
    }
}

/// What may still be shown.
struct Room {
    n_results: usize,
    n_bytes: usize,
}

impl Room {
    /// Cuts the lines of one file to what fits, and tells how many hits those hold.
    fn cut(&mut self, lines: &mut Vec<Line>, context: u64) -> usize {
        let mut n_hits = 0;
        let mut last_hit = 0;
        let mut n_kept = 0;
        for line in lines.iter() {
            let is_full = self.n_results == 0 || self.n_bytes == 0;
            if is_full && (line.is_match || line.number > last_hit + context) {
                break;
            }
            if line.is_match {
                self.n_results -= 1;
                n_hits += 1;
                last_hit = line.number;
            }
            self.n_bytes = self.n_bytes.saturating_sub(line.text.len());
            n_kept += 1;
        }
        lines.truncate(n_kept);
        n_hits
    }
}
