//! Waiting for others to close what they have open.
//!
//! Windows refuses to rename, replace or remove what somebody has open in a way that does not allow
//! it: another thread that reads, a virus scanner, an indexer. Mostly that is over in a moment.

use std::io;
use std::thread;
use std::time::{Duration, Instant};

use super::errors::{code, is_in_use};

/// How long is waited, from the first refusal.
const PATIENCE: Duration = Duration::from_secs(1);
/// The first and the longest pause between two attempts.
const PAUSES: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(32));

/// Which refusals may be over in a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Held {
    /// Those that say that somebody has it open.
    Shared,
    /// Those that say no more than that it is denied, too: the system says so of a file in whose
    /// place another one is to go, and of one that is about to vanish.
    Open,
}

/// Calls again while somebody else has something open, for a second at most.
pub(super) fn patiently<T>(held: Held, mut call: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    let mut until = None;
    let mut pause = PAUSES.0;
    loop {
        let done = call();
        let passes = done.as_ref().is_err_and(|error| passes(held, error));
        if !passes || Instant::now() >= *until.get_or_insert_with(|| Instant::now() + PATIENCE) {
            return done;
        }
        thread::park_timeout(pause);
        pause = (pause * 2).min(PAUSES.1);
    }
}

fn passes(held: Held, error: &io::Error) -> bool {
    match error.raw_os_error() {
        Some(code::ACCESS_DENIED) => held == Held::Open,
        Some(number) => is_in_use(number),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::super::errors::code;
    use super::{Held, patiently};

    /// Fails so many times with this code; tells how often it was called.
    fn calls(held: Held, number: i32, n_failures: usize) -> (usize, io::Result<()>) {
        let mut n_calls = 0;
        let done = patiently(held, || {
            n_calls += 1;
            if n_calls <= n_failures {
                return Err(io::Error::from_raw_os_error(number));
            }
            Ok(())
        });
        (n_calls, done)
    }

    #[test]
    fn what_is_open_elsewhere_is_waited_for() {
        for number in [code::SHARING_VIOLATION, code::LOCK_VIOLATION] {
            let (n_calls, done) = calls(Held::Shared, number, 3);
            done.expect("it was let go of");
            assert_eq!(n_calls, 4);
        }
        let (n_calls, done) = calls(Held::Open, code::ACCESS_DENIED, 1);
        done.expect("it was let go of");
        assert_eq!(n_calls, 2);
    }

    #[test]
    fn what_will_not_pass_is_told_at_once() {
        for (held, number) in [
            (Held::Shared, code::ACCESS_DENIED),
            (Held::Open, code::FILE_NOT_FOUND),
            (Held::Open, code::FILE_EXISTS),
        ] {
            let (n_calls, done) = calls(held, number, usize::MAX);
            assert_eq!(done.expect_err("refused").raw_os_error(), Some(number));
            assert_eq!(n_calls, 1);
        }
    }

    #[test]
    fn patience_ends() {
        let (n_calls, done) = calls(Held::Open, code::SHARING_VIOLATION, usize::MAX);
        let error = done.expect_err("nobody lets go of it");
        assert_eq!(error.raw_os_error(), Some(code::SHARING_VIOLATION));
        assert!(n_calls > 1);
    }
}
