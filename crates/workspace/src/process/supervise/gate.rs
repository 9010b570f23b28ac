//! Keeps many starts at once from taking the processors from everything else.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long one waits for its turn: a start that hangs must not hold up the others for good.
const PATIENCE: Duration = Duration::from_secs(1);

/// Lets in so many at once.
#[derive(Debug)]
pub(super) struct Gate {
    // A condition variable is what threads that may block wait at.
    free: Mutex<usize>,
    left: Condvar,
}

impl Gate {
    pub(super) fn new(places: usize) -> Self {
        Self {
            free: Mutex::new(places),
            left: Condvar::new(),
        }
    }

    /// Does this when it is its turn, or when waiting takes too long.
    pub(super) fn pass<T>(&self, work: impl FnOnce() -> T) -> T {
        let _turn = self.turn();
        work()
    }

    fn turn(&self) -> Option<Turn<'_>> {
        let by = Instant::now() + PATIENCE;
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        while *free == 0 {
            let wait = by.saturating_duration_since(Instant::now());
            if wait.is_zero() {
                return None;
            }
            (free, _) = self
                .left
                .wait_timeout(free, wait)
                .unwrap_or_else(PoisonError::into_inner);
        }
        *free -= 1;
        Some(Turn(self))
    }
}

struct Turn<'a>(&'a Gate);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        *self.0.free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.0.left.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::Gate;

    #[test]
    fn no_more_pass_at_once_than_there_are_places() {
        let gate = Gate::new(2);
        let (inside, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let all = Barrier::new(8);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    all.wait();
                    gate.pass(|| {
                        let n = inside.fetch_add(1, Ordering::SeqCst) + 1;
                        most.fetch_max(n, Ordering::SeqCst);
                        std::thread::yield_now();
                        inside.fetch_sub(1, Ordering::SeqCst);
                    });
                });
            }
        });
        assert!((1..=2).contains(&most.into_inner()));
    }

    #[test]
    fn one_that_hangs_holds_up_nobody_for_good() {
        let gate = Gate::new(1);
        gate.pass(|| assert_eq!(gate.pass(|| 7), 7));
        assert_eq!(gate.pass(|| 8), 8);
    }
}
