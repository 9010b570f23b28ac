//! Bringing several files to the disk at once: what waits for it together goes there together, where
//! one after the other would wait as often as there are files.

use crate::checkpoint::error::Error;
use crate::checkpoint::parallel;

/// Files that are waited for at once.
const AT_ONCE: usize = 8;

/// Does something that waits for the disk with each of these, in no order.
///
/// # Errors
/// One of those met; some of the others may not have been begun then.
pub(super) fn each<T: Sync>(
    items: &[T],
    flush: impl Fn(&T) -> Result<(), Error> + Sync,
) -> Result<(), Error> {
    let one = |at| items.get(at).map_or(Ok(()), &flush);
    parallel::each(items.len(), AT_ONCE, || one)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::each;
    use crate::checkpoint::error::damaged;

    #[test]
    fn each_is_done_once() {
        for n in [0, 1, 2, 7, 8, 9, 100] {
            let done: Vec<AtomicUsize> = (0..n).map(|_| AtomicUsize::new(0)).collect();
            each(&done, |item| {
                item.fetch_add(1, Ordering::Relaxed);
                Ok(())
            })
            .unwrap();
            let counts: Vec<usize> = done.into_iter().map(AtomicUsize::into_inner).collect();
            assert_eq!(counts, vec![1; n]);
        }
    }

    #[test]
    fn a_fault_is_told() {
        for n in [1, 2, 100] {
            let items: Vec<usize> = (0..n).collect();
            let told = each(&items, |&item| match item {
                0 => Err(damaged("nought")),
                _ => Ok(()),
            });
            assert_eq!(
                told.unwrap_err().to_string(),
                "the checkpoints are damaged: nought"
            );
        }
    }
}
