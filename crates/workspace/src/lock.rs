//! `Lock`: one writer at a time for each root, in this process and across processes.
//!
//! In the process callers queue, first come, first served; roots that nest share one queue. Between
//! processes it is a lock on a file in the state folder, which the system lets go of when its holder
//! ends, however it ends.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rooted::Root;

use crate::cancel::Cancel;
use crate::error::Error;
use crate::limits::LOCK_WAIT;
use crate::state::{State, StateDir};

/// How long a caller in the queue waits before it looks whether it was cancelled.
const LOOK: Duration = Duration::from_millis(20);
/// The first and the longest pause between two looks at a lock that another process holds.
const PAUSES: (Duration, Duration) = (Duration::from_micros(200), Duration::from_millis(5));

/// The lock of one root.
#[derive(Debug)]
pub struct Lock {
    state: State,
    queue: Arc<Queue>,
    wait: Duration,
}

/// The right to write, until it is dropped.
#[derive(Debug)]
pub struct Guard {
    // Fields are dropped in this order: other processes may go on before others in this one do.
    held: Held,
    _turn: Turn,
}

impl Lock {
    /// The lock of a root that keeps its state in `state` and waits in `queue`.
    #[must_use]
    pub fn new(state: State, queue: Arc<Queue>) -> Self {
        Self {
            state,
            queue,
            wait: LOCK_WAIT,
        }
    }

    /// The same lock, giving up on another process after `wait`.
    #[must_use]
    pub fn waiting(self, wait: Duration) -> Self {
        Self { wait, ..self }
    }

    /// Where the root's state is.
    #[must_use]
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Waits for the lock.
    ///
    /// A thread that holds a guard of this root, or of one that nests with it, must not ask again.
    ///
    /// # Errors
    /// [`Error::Busy`] when another process holds it for ten seconds; [`Error::Cancelled`]; the
    /// errors of [`State::make`].
    pub fn acquire(&self, root: &Root, cancel: &Cancel) -> Result<Guard, Error> {
        // Time in the queue counts: those behind one that waited in vain need not wait as long again.
        let deadline = Instant::now() + self.wait;
        let turn = Queue::enter(&self.queue, cancel)?;
        let mut pause = PAUSES.0;
        loop {
            if let Some(held) = self.try_hold(root)? {
                return Ok(Guard { held, _turn: turn });
            }
            cancel.check()?;
            if Instant::now() >= deadline {
                return Err(Error::Busy);
            }
            std::thread::park_timeout(pause);
            pause = (pause * 2).min(PAUSES.1);
        }
    }

    /// Takes the lock if nobody holds it or waits for it.
    ///
    /// # Errors
    /// The errors of [`State::make`].
    pub fn try_acquire(&self, root: &Root) -> Result<Option<Guard>, Error> {
        let Some(turn) = Queue::try_enter(&self.queue) else {
            return Ok(None);
        };
        let held = self.try_hold(root)?;
        Ok(held.map(|held| Guard { held, _turn: turn }))
    }

    /// Takes the lock file's lock. One that was removed meanwhile protects nothing: then it is made anew.
    fn try_hold(&self, root: &Root) -> Result<Option<Held>, Error> {
        let state = self.state.make(root)?;
        let locked = state.lock.try_lock().map_err(|source| Error::Io {
            path: state.dir.path().join("lock"),
            source,
        })?;
        if !locked {
            return Ok(None);
        }
        let held = Held(state);
        Ok(self.state.is_current(root, &held.0).then_some(held))
    }
}

impl Guard {
    /// The state folder, open.
    #[must_use]
    pub fn state(&self) -> &StateDir {
        &self.held.0
    }
}

/// A state folder whose lock file is locked.
#[derive(Debug)]
struct Held(Arc<StateDir>);

impl Drop for Held {
    fn drop(&mut self) {
        // The system lets go of it at the latest when the process ends.
        let _ = self.0.lock.unlock();
    }
}

/// Callers of this process in the order they came.
#[derive(Debug, Default)]
pub struct Queue {
    line: Mutex<Line>,
    moved: Condvar,
}

#[derive(Debug, Default)]
struct Line {
    next: u64,
    /// The first one holds the lock.
    tickets: VecDeque<u64>,
}

impl Queue {
    /// A queue for each root, in order; those that nest share one.
    #[must_use]
    pub fn for_roots(host_paths: &[&Path]) -> Vec<Arc<Self>> {
        let mut queues: Vec<Option<Arc<Self>>> = vec![None; host_paths.len()];
        let outermost = |path: &Path| {
            host_paths
                .iter()
                .enumerate()
                .filter(|(_, other)| path.starts_with(other))
                .min_by_key(|(_, other)| other.components().count())
                .map_or(0, |(index, _)| index)
        };
        host_paths
            .iter()
            .map(|path| {
                let slot = queues.get_mut(outermost(path));
                slot.map_or_else(Arc::default, |slot| {
                    Arc::clone(slot.get_or_insert_with(Arc::default))
                })
            })
            .collect()
    }

    fn enter(queue: &Arc<Self>, cancel: &Cancel) -> Result<Turn, Error> {
        let mut line = queue.line();
        let turn = Turn::new(queue, &mut line);
        while line.tickets.front() != Some(&turn.ticket) {
            if cancel.is_cancelled() {
                // The ticket is given back when `turn` is dropped, which takes the mutex.
                drop(line);
                return Err(Error::Cancelled);
            }
            line = queue
                .moved
                .wait_timeout(line, LOOK)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
        drop(line);
        Ok(turn)
    }

    fn try_enter(queue: &Arc<Self>) -> Option<Turn> {
        let mut line = queue.line();
        line.tickets.is_empty().then(|| Turn::new(queue, &mut line))
    }

    fn line(&self) -> MutexGuard<'_, Line> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A place in the queue.
#[derive(Debug)]
struct Turn {
    queue: Arc<Queue>,
    ticket: u64,
}

impl Turn {
    fn new(queue: &Arc<Queue>, line: &mut Line) -> Self {
        let ticket = line.next;
        line.next = line.next.wrapping_add(1);
        line.tickets.push_back(ticket);
        Self {
            queue: Arc::clone(queue),
            ticket,
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut line = self.queue.line();
        line.tickets.retain(|&ticket| ticket != self.ticket);
        drop(line);
        self.queue.moved.notify_all();
    }
}
