//! A connection's bytes. A client that does not read what it asked for is cut off in time. What the HTTP library answers on its own, when it could not read a
//! request, has no body; here it gets one, since every refusal is an error of the protocol too.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use hyper::StatusCode;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::Sleep;

use super::refusal::Refusal;

/// A connection.
pub(super) struct Wire {
    stream: TcpStream,
    /// What is written in place of an answer of the library.
    instead: Vec<u8>,
    /// How long a write may make no headway.
    patience: Duration,
    /// Runs while one makes none.
    stalled: Option<Pin<Box<Sleep>>>,
}

impl Wire {
    pub(super) fn new(stream: TcpStream, patience: Duration) -> Self {
        Self {
            stream,
            instead: Vec::new(),
            patience,
            stalled: None,
        }
    }

    /// Writes some of it, as long as the other side takes any.
    fn poll_some(&mut self, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        if let Poll::Ready(written) = Pin::new(&mut self.stream).poll_write(cx, bytes) {
            self.stalled = None;
            return Poll::Ready(written);
        }
        let patience = self.patience;
        let stalled = self
            .stalled
            .get_or_insert_with(|| Box::pin(tokio::time::sleep(patience)));
        ready!(stalled.as_mut().poll(cx));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }

    /// Writes what stands in for something else.
    fn poll_instead(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.instead.is_empty() {
            let instead = std::mem::take(&mut self.instead);
            let written = self.poll_some(cx, &instead);
            self.instead = instead;
            let n = ready!(written)?;
            if n == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.instead.drain(..n);
        }
        Poll::Ready(Ok(()))
    }
}

/// The refusal for an answer that the library made up: none of ours with such a status is without
/// a body.
fn own_refusal(head: &[u8]) -> Option<Refusal> {
    let status = head.get(b"HTTP/1.1 ".len()..)?.get(..3)?;
    let status = StatusCode::from_bytes(status).ok()?;
    let head = head.to_ascii_lowercase();
    let bare = memchr::memmem::find(&head, b"content-length: 0\r\n").is_some();
    (status.is_client_error() && bare).then(|| Refusal::of_status(status))
}

impl AsyncRead for Wire {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl AsyncWrite for Wire {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        ready!(self.poll_instead(cx))?;
        // An answer without a body is short and comes in one piece.
        if bytes.starts_with(b"HTTP/1.")
            && bytes.ends_with(b"\r\n\r\n")
            && let Some(refusal) = own_refusal(bytes)
        {
            self.instead = refusal.wire();
            return Poll::Ready(Ok(bytes.len()));
        }
        self.poll_some(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_instead(cx))?;
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_instead(cx))?;
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
