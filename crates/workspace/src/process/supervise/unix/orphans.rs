//! The server's side of a supervisor that was killed: what it looked after is the server's then.
//!
//! A command can kill its own supervisor, as any process of the same user can. On Linux the server
//! is the next parent of orphans, so that they come to it; whatever it has for a child that it did
//! not start itself is ended.

use std::collections::HashSet;
use std::io;
use std::process::Child;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::sweep;

/// How long killing goes on before it is given up.
const PATIENCE: Duration = Duration::from_secs(5);

/// The supervisors that run, and what dead ones left.
#[derive(Clone, Debug)]
pub(super) struct Orphans {
    // Held while a supervisor is started and while orphans are ended, so that the one is never
    // taken for the other.
    supervisors: Arc<Mutex<HashSet<u32>>>,
}

impl Orphans {
    /// Makes this process the parent of orphans, where the system has that.
    pub(super) fn adopted_by_this_process() -> Self {
        sweep::adopt_orphans();
        Self {
            supervisors: Arc::default(),
        }
    }

    /// Starts a supervisor.
    pub(super) fn born(&self, start: impl FnOnce() -> io::Result<Child>) -> io::Result<Child> {
        let mut supervisors = self.supervisors();
        let child = start()?;
        supervisors.insert(child.id());
        Ok(child)
    }

    /// Takes leave of a supervisor, and ends what it left unless it was done.
    pub(super) fn died(&self, supervisor: u32, was_done: bool) {
        let mut supervisors = self.supervisors();
        if supervisors.remove(&supervisor) && !was_done {
            sweep::end_strangers(&supervisors, PATIENCE);
        }
    }

    fn supervisors(&self) -> MutexGuard<'_, HashSet<u32>> {
        // Every change is one call.
        self.supervisors
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
