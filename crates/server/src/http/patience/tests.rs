use std::io;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::{Patience, Patient};

/// How many times a client may wait so long for so many bytes, up to a bound.
fn rounds(wait: Duration, n_bytes: usize) -> usize {
    let mut patience = Patience::new(Duration::from_secs(30));
    (0..100_000)
        .take_while(|_| {
            let goes_on = wait < patience.left();
            patience.moved(wait, n_bytes);
            goes_on
        })
        .count()
}

#[test]
fn who_crawls_is_given_up_and_who_is_merely_slow_is_not() {
    let second = Duration::from_secs(1);
    for (wait, n_bytes, n_rounds) in [
        (second * 30, 1 << 20, 0),
        (second, 0, 29),
        (second * 5, 1, 6),
        (second, 3_000, 116),
        (second, 4_000, 100_000),
        (second * 29, 29 * 4_000, 100_000),
    ] {
        assert_eq!(rounds(wait, n_bytes), n_rounds, "{n_bytes} in {wait:?}");
    }
}

#[test]
fn what_came_fast_is_no_store_for_later() {
    let mut patience = Patience::new(Duration::from_secs(30));
    patience.moved(Duration::ZERO, usize::MAX);
    assert_eq!(patience.left(), Duration::from_secs(30));
    patience.moved(Duration::from_secs(40), 0);
    assert_eq!(patience.left(), Duration::ZERO);
}

#[test]
fn who_takes_an_answer_byte_by_byte_is_cut_off() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    runtime.block_on(async {
        let (here, mut there) = tokio::io::duplex(1);
        let mut patient = Patient::new(here, Duration::from_millis(200));
        let write = tokio::spawn(async move { patient.write_all(&[0; 1 << 20]).await });
        let mut n_read = 0;
        while !write.is_finished() {
            tokio::time::sleep(Duration::from_millis(5)).await;
            n_read += there.read(&mut [0]).await.unwrap();
            assert!(n_read < 10_000, "it may take for ever");
        }
        let error = write.await.unwrap().unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        assert!(n_read > 0, "it moved meanwhile");
    });
}
