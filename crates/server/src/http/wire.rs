//! What goes over a connection. What the HTTP library answers on its own, when it could not read a
//! request, has no body; here it gets one, since every refusal is an error of the protocol too.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use hyper::StatusCode;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::refusal::Refusal;
use super::stream::Stream;

/// A connection.
pub(super) struct Wire {
    stream: Box<dyn Stream>,
    /// What is written in place of an answer of the library.
    instead: Vec<u8>,
}

impl Wire {
    pub(super) fn new(stream: Box<dyn Stream>) -> Self {
        Self {
            stream,
            instead: Vec::new(),
        }
    }

    /// Writes what stands in for something else.
    fn poll_instead(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.instead.is_empty() {
            let n = ready!(Pin::new(&mut self.stream).poll_write(cx, &self.instead))?;
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
        Pin::new(&mut self.stream).poll_write(cx, bytes)
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
