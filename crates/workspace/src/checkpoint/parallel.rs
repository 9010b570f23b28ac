//! Doing the same with many things, on a few threads.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::error::Error;

/// Does something with each number below `n_items`, on `n_threads` at most and in no order. Every thread
/// makes a worker of its own for that.
///
/// # Errors
/// The first one met; some numbers may not have been begun then.
pub(super) fn each<W: FnMut(usize) -> Result<(), Error>>(
    n_items: usize,
    n_threads: usize,
    worker: impl Fn() -> W + Sync,
) -> Result<(), Error> {
    let next = AtomicUsize::new(0);
    let fault: Mutex<Option<Error>> = Mutex::default();
    let work = || {
        let mut worker = worker();
        loop {
            let item = next.fetch_add(1, Ordering::Relaxed);
            if item >= n_items {
                return;
            }
            if let Err(error) = worker(item) {
                next.store(n_items, Ordering::Relaxed);
                let mut fault = fault.lock().unwrap_or_else(PoisonError::into_inner);
                fault.get_or_insert(error);
            }
        }
    };
    thread::scope(|scope| {
        for _ in 1..n_threads.min(n_items) {
            // Whoever cannot be had is not needed: those that are there do all of it.
            let _ = thread::Builder::new().spawn_scoped(scope, work);
        }
        work();
    });
    let fault = fault.into_inner().unwrap_or_else(PoisonError::into_inner);
    fault.map_or(Ok(()), Err)
}
