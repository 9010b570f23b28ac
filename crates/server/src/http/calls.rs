//! The requests under way: how many there may be, and how they end early.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{Semaphore, watch};
use workspace::Cancel;

use super::Limits;
use super::refusal::Refusal;
use crate::stdio::values::VALUES;

/// The greatest bodies that have room in memory together.
const BODIES: usize = 4;

/// The requests under way.
#[derive(Debug)]
pub(super) struct Calls {
    /// Those that may run at the same time; the others wait.
    turns: Arc<Semaphore>,
    /// The same for those that wait for programs, so that they hold up no others.
    command_turns: Arc<Semaphore>,
    max_open: usize,
    /// Bytes of bodies in memory.
    bytes: Stock,
    /// Values that they were read as.
    values: Stock,
    open: Mutex<HashMap<u64, Cancel>>,
    last: AtomicU64,
    /// Says that the server stops; whoever still works holds a receiver.
    pub(super) stopping: Arc<watch::Sender<bool>>,
}

impl Calls {
    pub(super) fn new(limits: &Limits) -> Self {
        Self {
            turns: Arc::new(Semaphore::new(limits.calls)),
            command_turns: Arc::new(Semaphore::new(limits.commands)),
            max_open: limits.open,
            bytes: Stock::new(limits.body_bytes.saturating_mul(BODIES)),
            values: Stock::new(VALUES * BODIES),
            open: Mutex::default(),
            last: AtomicU64::new(0),
            stopping: Arc::new(watch::Sender::new(false)),
        }
    }

    /// Opens a request, unless too many are open.
    pub(super) fn open(self: &Arc<Self>) -> Result<Open, Refusal> {
        let number = self.last.fetch_add(1, Ordering::Relaxed);
        let cancel = Cancel::never();
        let mut open = self.all();
        if open.len() >= self.max_open {
            return Err(Refusal::busy());
        }
        open.insert(number, cancel.clone());
        drop(open);
        Ok(Open {
            calls: Arc::clone(self),
            number,
            cancel,
            _working: self.stopping.subscribe(),
        })
    }

    /// Does the work of a request when it is its turn, on a thread that may block. It is done even
    /// when nobody waits for it any more, unless it was cancelled. `None` when it was, or when it
    /// panicked.
    pub(super) async fn run<T: Send + 'static>(
        self: Arc<Self>,
        open: Open,
        is_command: bool,
        work: impl FnOnce(Cancel) -> T + Send + 'static,
    ) -> Option<T> {
        let turns = Arc::clone(if is_command {
            &self.command_turns
        } else {
            &self.turns
        });
        let whole = async move {
            let turn = turns.acquire_owned().await.ok()?;
            if open.cancel.is_raised() {
                return None;
            }
            let work = move || {
                let done = work(open.cancel.clone());
                drop((turn, open));
                done
            };
            tokio::task::spawn_blocking(work).await.ok()
        };
        tokio::spawn(whole).await.ok().flatten()
    }

    /// Cancels everything.
    pub(super) fn give_up(&self) {
        for cancel in self.all().values() {
            cancel.cancel();
        }
    }

    /// Room for the bytes of one body.
    pub(super) fn room(self: &Arc<Self>) -> Room {
        Room {
            calls: Arc::clone(self),
            n_bytes: 0,
            n_values: 0,
        }
    }

    fn all(&self) -> MutexGuard<'_, HashMap<u64, Cancel>> {
        // Whoever panicked left nothing half done: every change is one call.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A request that is open.
#[derive(Debug)]
pub(super) struct Open {
    calls: Arc<Calls>,
    number: u64,
    /// Raised when its caller or the server gives up.
    pub(super) cancel: Cancel,
    _working: watch::Receiver<bool>,
}

impl Drop for Open {
    fn drop(&mut self) {
        self.calls.all().remove(&self.number);
    }
}

/// Cancels a request when nobody waits for its answer any more.
pub(super) struct CancelOnDrop(pub(super) Cancel);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// How much of something is in use.
#[derive(Debug)]
struct Stock {
    most: usize,
    used: AtomicUsize,
}

impl Stock {
    fn new(most: usize) -> Self {
        let used = AtomicUsize::new(0);
        Self { most, used }
    }

    /// Takes so much more for who holds so much; it must be given back even when it was too much.
    fn take(&self, n: usize, held: &mut usize) -> Result<(), Refusal> {
        let before = self.used.fetch_add(n, Ordering::Relaxed);
        *held += n;
        // Whoever is alone always finds room.
        if before.saturating_add(n) > self.most && before > 0 {
            return Err(Refusal::busy());
        }
        Ok(())
    }

    fn give_back(&self, n: usize) {
        self.used.fetch_sub(n, Ordering::Relaxed);
    }
}

/// Memory that a body takes, counted against that of all bodies.
#[derive(Debug)]
pub(super) struct Room {
    calls: Arc<Calls>,
    n_bytes: usize,
    n_values: usize,
}

impl Room {
    /// Takes so many more bytes, unless all bodies together would take too many.
    pub(super) fn grow(&mut self, n_bytes: usize) -> Result<(), Refusal> {
        self.calls.bytes.take(n_bytes, &mut self.n_bytes)
    }

    /// The same for values.
    pub(super) fn hold(&mut self, n_values: usize) -> Result<(), Refusal> {
        self.calls.values.take(n_values, &mut self.n_values)
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        self.calls.bytes.give_back(self.n_bytes);
        self.calls.values.give_back(self.n_values);
    }
}
