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
mod tests;
