//! Stopping work early: a flag another thread may raise, and a deadline.
//!
//! Owns nothing but the two; whoever loops over outside data asks it often.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::error::Error;

/// Tells a loop to stop: because the caller went away, or because time is up.
///
/// Clones share the flag, so raising one raises all.
#[derive(Clone, Debug, Default)]
pub struct Cancel {
    flag: Arc<AtomicBool>,
    deadline: Option<Instant>,
}

impl Cancel {
    /// A token that nobody has raised and that has no deadline.
    #[must_use]
    pub fn never() -> Self {
        Self::default()
    }

    /// The same flag, with a deadline `after` from now. An earlier deadline stays.
    #[must_use]
    pub fn with_deadline(&self, after: Duration) -> Self {
        let asked = Instant::now() + after;
        let deadline = self.deadline.map_or(asked, |set| set.min(asked));
        Self {
            flag: Arc::clone(&self.flag),
            deadline: Some(deadline),
        }
    }

    /// Raises the flag for this token and all its clones.
    pub fn cancel(&self) {
        self.flag.store(true, Ordering::Relaxed);
    }

    /// Says whether the caller gave up; does not look at the deadline.
    #[must_use]
    pub fn is_raised(&self) -> bool {
        self.flag.load(Ordering::Relaxed)
    }

    /// Says whether the deadline has passed.
    #[must_use]
    pub fn is_late(&self) -> bool {
        self.deadline
            .is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Says whether work should stop, for either reason.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.is_raised() || self.is_late()
    }

    /// Stops the work with [`Error::Cancelled`] when the flag is up or the deadline passed.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub fn check(&self) -> Result<(), Error> {
        if self.is_cancelled() {
            Err(Error::Cancelled)
        } else {
            Ok(())
        }
    }
}
