//! What finished commands left running: kept until it ends, or until the server does.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::process::supervise::Supervised;

/// How often it is looked whether something has ended.
const TICK: Duration = Duration::from_millis(500);

/// What runs on. When the last clone is dropped, all of it is ended.
#[derive(Clone, Debug, Default)]
pub(super) struct Lingering {
    // Held for a look at the list only.
    inner: Arc<Mutex<Inner>>,
}

#[derive(Debug, Default)]
struct Inner {
    all: Vec<Supervised>,
    is_watched: bool,
}

impl Lingering {
    /// Keeps what a finished command left running, if it left anything.
    pub(super) fn keep(&self, mut supervised: Supervised) {
        if supervised.is_over() {
            return;
        }
        let mut inner = self.lock();
        inner.all.push(supervised);
        if !inner.is_watched {
            let watched = Arc::downgrade(&self.inner);
            let look = move || watched.upgrade().is_some_and(|inner| Self { inner }.look());
            let watch = move || {
                while look() {
                    std::thread::sleep(TICK);
                }
            };
            // Without the thread it is kept all the same, and the next one tries again.
            inner.is_watched = std::thread::Builder::new().spawn(watch).is_ok();
        }
    }

    /// Takes leave of what has ended. A supervisor that was killed is noticed here, and what it
    /// left is ended. Says whether there is more to look at.
    fn look(&self) -> bool {
        let mut inner = self.lock();
        inner.all.retain_mut(|supervised| !supervised.is_over());
        inner.is_watched = !inner.all.is_empty();
        inner.is_watched
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
