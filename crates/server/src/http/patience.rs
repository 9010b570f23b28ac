//! How long clients are waited for.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep};

/// The time that each byte of a client earns it: 4,000 bytes a second keep it going for ever.
const BYTE_TIME: Duration = Duration::from_micros(250);

/// The time that a client has. What it waits is taken from it, and what moves adds to it, so that
/// neither a client that stops nor one that crawls keeps its place.
#[derive(Debug)]
pub(super) struct Patience {
    most: Duration,
    left: Duration,
}

impl Patience {
    /// So much at the start, and never more.
    pub(super) fn new(most: Duration) -> Self {
        Self { most, left: most }
    }

    /// How long to wait at most for what comes next.
    pub(super) fn left(&self) -> Duration {
        self.left
    }

    /// So many bytes moved after a wait.
    pub(super) fn moved(&mut self, waited: Duration, n_bytes: usize) {
        let earned = BYTE_TIME.saturating_mul(n_bytes.try_into().unwrap_or(u32::MAX));
        let left = self.left.saturating_sub(waited);
        self.left = left.saturating_add(earned).min(self.most);
    }
}

/// A connection that fails when its client takes too little of what is written.
pub(super) struct Patient<S> {
    stream: S,
    patience: Patience,
    /// Since when a write makes no headway, and what ends that.
    stalled: Option<(Instant, Pin<Box<Sleep>>)>,
}

impl<S> Patient<S> {
    pub(super) fn new(stream: S, most: Duration) -> Self {
        Self {
            stream,
            patience: Patience::new(most),
            stalled: None,
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Patient<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Patient<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = &mut *self;
        if let Poll::Ready(written) = Pin::new(&mut this.stream).poll_write(cx, bytes) {
            let waited = match this.stalled.take() {
                Some((since, _)) => since.elapsed(),
                None => Duration::ZERO,
            };
            let n_bytes = *written.as_ref().unwrap_or(&0);
            this.patience.moved(waited, n_bytes);
            return Poll::Ready(written);
        }
        let left = this.patience.left();
        let (_, end) = this
            .stalled
            .get_or_insert_with(|| (Instant::now(), Box::pin(tokio::time::sleep(left))));
        ready!(end.as_mut().poll(cx));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

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
}
