//! What is kept of traversals between their pages: a few walks, for as long as they are asked for.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

use super::cursor::State as Told;
use super::listing::Listing;
use super::terms::Terms;
use super::walk::Inventory;

/// Walks that are kept at most.
const WALKS: usize = 4;
/// Bytes that they take together at most.
const BYTES: usize = 24 * 1024 * 1024;
/// Time after its last use at which a walk is dropped.
const IDLE: Duration = Duration::from_secs(60);
/// Results of one walk that are kept at most.
const RESULTS: usize = 4;

/// A walk that is kept.
#[derive(Clone, Debug)]
pub(super) enum Walk {
    /// Of all that is served beneath a scope.
    Files(Arc<Inventory>),
    /// Of one folder.
    Folder(Arc<Listing>),
}

#[derive(Debug)]
struct Kept {
    scope: Box<str>,
    walk: Walk,
    n_bytes: usize,
    last_used: Instant,
}

/// The walks that are kept, the last used first.
#[derive(Debug, Default)]
pub(super) struct Memory(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    /// Signalled when there is nothing left to wait for.
    dropped: Condvar,
}

#[derive(Debug, Default)]
struct State {
    walks: Vec<Kept>,
    /// Whether a thread waits to drop what is idle.
    is_swept: bool,
}

impl Memory {
    /// The walk of the files beneath a scope.
    pub(super) fn files(&self, scope: &str) -> Option<Arc<Inventory>> {
        self.use_one(scope, |walk| match walk {
            Walk::Files(inventory) => Some(Arc::clone(inventory)),
            Walk::Folder(_) => None,
        })
    }

    /// The walk of one folder.
    pub(super) fn folder(&self, scope: &str) -> Option<Arc<Listing>> {
        self.use_one(scope, |walk| match walk {
            Walk::Folder(listing) => Some(Arc::clone(listing)),
            Walk::Files(_) => None,
        })
    }

    fn use_one<T>(&self, scope: &str, take: impl Fn(&Walk) -> Option<Arc<T>>) -> Option<Arc<T>> {
        let mut state = self.0.lock();
        let place = state
            .walks
            .iter()
            .position(|kept| *kept.scope == *scope && take(&kept.walk).is_some())?;
        let mut kept = state.walks.remove(place);
        kept.last_used = Instant::now();
        let taken = take(&kept.walk);
        state.walks.insert(0, kept);
        taken
    }

    /// Keeps a walk, in place of one that it follows.
    pub(super) fn keep(&self, scope: &str, walk: Walk) {
        let n_bytes = match &walk {
            Walk::Files(inventory) => inventory.n_bytes(),
            Walk::Folder(listing) => listing.n_bytes(),
        };
        let mut dropped = self.take_out(|kept| *kept.scope == *scope && kept.walk.is_like(&walk));
        let mut state = self.0.lock();
        state.walks.insert(
            0,
            Kept {
                scope: scope.into(),
                walk,
                n_bytes,
                last_used: Instant::now(),
            },
        );
        let mut sum = 0;
        let fit = state.walks.iter().take(WALKS).take_while(|kept| {
            sum += kept.n_bytes;
            sum <= BYTES
        });
        let n_fit = fit.count();
        dropped.extend(state.walks.drain(n_fit..));
        let starts = !state.is_swept && !state.walks.is_empty();
        state.is_swept |= starts;
        drop(state);
        if starts {
            let shared = Arc::downgrade(&self.0);
            let thread = thread::Builder::new().spawn(move || sweep(&shared));
            if thread.is_err() {
                // Nobody would ever drop it.
                self.clear();
                self.0.lock().is_swept = false;
            }
        }
    }

    /// Drops a walk that is not true any more.
    pub(super) fn drop_files(&self, stale: &Arc<Inventory>) {
        drop(self.take_out(
            |kept| matches!(&kept.walk, Walk::Files(inventory) if Arc::ptr_eq(inventory, stale)),
        ));
    }

    /// Drops a walk that is not true any more.
    pub(super) fn drop_folder(&self, stale: &Arc<Listing>) {
        drop(self.take_out(
            |kept| matches!(&kept.walk, Walk::Folder(listing) if Arc::ptr_eq(listing, stale)),
        ));
    }

    /// Drops everything.
    pub(super) fn clear(&self) {
        drop(self.take_out(|_| true));
    }

    /// Takes walks out; they are dropped by the caller, outside the lock, since that takes the
    /// system some time.
    fn take_out(&self, which: impl Fn(&Kept) -> bool) -> Vec<Kept> {
        let mut state = self.0.lock();
        let (out, stay) = std::mem::take(&mut state.walks)
            .into_iter()
            .partition(which);
        state.walks = stay;
        out
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        self.0.lock().walks = Vec::new();
        self.0.dropped.notify_all();
    }
}

impl Walk {
    fn is_like(&self, other: &Self) -> bool {
        matches!(
            (self, other),
            (Self::Files(_), Self::Files(_)) | (Self::Folder(_), Self::Folder(_))
        )
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Drops walks when they have been idle for long enough, until there is none.
fn sweep(shared: &Weak<Shared>) {
    while let Some(shared) = shared.upgrade() {
        let mut state = shared.lock();
        let idle = state.take_idle(Instant::now());
        let wait = state.next_idle(Instant::now());
        state.is_swept = wait.is_some();
        match wait {
            Some(wait) if idle.is_empty() => {
                let _ = shared.dropped.wait_timeout(state, wait);
            }
            Some(_) => drop(state),
            None => {
                drop(state);
                return;
            }
        }
        // Outside the lock, as everywhere.
        drop(idle);
    }
}

impl State {
    fn take_idle(&mut self, now: Instant) -> Vec<Kept> {
        let is_idle = |kept: &Kept| now.saturating_duration_since(kept.last_used) >= IDLE;
        let (idle, walks) = std::mem::take(&mut self.walks)
            .into_iter()
            .partition(is_idle);
        self.walks = walks;
        idle
    }

    /// Time until the next one is idle; `None` when there is none.
    fn next_idle(&self, now: Instant) -> Option<Duration> {
        let ends = self.walks.iter().map(|kept| kept.last_used + IDLE);
        ends.min().map(|end| end.saturating_duration_since(now))
    }
}

/// Results worked out from one walk, the last used first.
#[derive(Debug, Default)]
pub(super) struct Found(Mutex<Vec<(String, Arc<Matches>)>>);

/// The files of a walk whose paths match, and the state that stands for them.
#[derive(Debug)]
pub(super) struct Matches {
    /// Their places in the walk, in order.
    pub(super) places: Vec<u32>,
    pub(super) state: String,
}

impl Matches {
    /// The files whose paths hold one of the texts.
    pub(super) fn of(inventory: &Inventory, terms: &Terms<'_>) -> Self {
        let finder = terms.finder();
        let mut places = Vec::new();
        let mut state = Told::default();
        for (place, row) in (0_u32..).zip(&inventory.files) {
            if finder.find(row.path.as_bytes()).is_some() {
                places.push(place);
                state.add(&[&row.path]);
            }
        }
        Self {
            places,
            state: state.finish(),
        }
    }
}

impl Found {
    /// The result under this key, worked out if it is not there.
    pub(super) fn get(&self, key: &str, work_out: impl FnOnce() -> Matches) -> Arc<Matches> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let place = known.iter().position(|(other, _)| other == key);
        let entry = match place {
            Some(place) => known.remove(place),
            None => (key.to_owned(), Arc::new(work_out())),
        };
        let found = Arc::clone(&entry.1);
        known.insert(0, entry);
        known.truncate(RESULTS);
        found
    }
}

#[cfg(test)]
mod tests;
