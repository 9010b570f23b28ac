//! What goes back for a request: an answer in one piece, or events that end with it.
//!
//! A client that takes both gets one piece, unless its call has something to tell on the way or
//! makes it wait so long that whatever stands between the two might take the connection for dead.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use http_body_util::Full;
use hyper::Response;
use hyper::body::{Body, Bytes, Frame, SizeHint};
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderName, HeaderValue};
use tokio::sync::mpsc;
use tokio::time::{Instant, Interval};

use super::calls::CancelOnDrop;

/// Says nothing, and shows that the connection lives.
const BEAT: &[u8] = b":\n\n";
/// Keeps proxies from gathering events before they pass them on.
const BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");
/// What a call has told and its client has not taken yet; beyond that it tells in vain.
const NOTES: usize = 16;

/// What goes back for a request.
pub(super) type Reply = Response<Content>;

/// The body of what goes back.
pub(super) enum Content {
    /// All of it.
    Whole(Full<Bytes>),
    /// Piece by piece.
    Events(Box<Events>),
}

/// The answer to a call in the making, as JSON.
pub(super) type Pending = Pin<Box<dyn Future<Output = Bytes> + Send>>;

/// Events of a call, with its answer as the last.
pub(super) struct Events {
    first: Option<Bytes>,
    notes: Notes,
    /// Gone once it was given out.
    answer: Option<Pending>,
    beat: Interval,
    /// Cancels the call when the client is gone, if that is the rule.
    _guard: Option<CancelOnDrop>,
}

/// What a call tells on its way, as JSON.
#[derive(Debug)]
pub(super) struct Notes(Option<mpsc::Receiver<Vec<u8>>>);

impl Notes {
    /// Of a call that has nobody to tell.
    pub(super) fn none() -> Self {
        Self(None)
    }

    /// With the function by which a call tells.
    pub(super) fn new() -> (Self, impl Fn(Vec<u8>) + Send + Sync + 'static) {
        let (sender, notes) = mpsc::channel(NOTES);
        let tell = move |note| {
            // How far a call was is not worth waiting for.
            let _ = sender.try_send(note);
        };
        (Self(Some(notes)), tell)
    }

    /// Waits until there is one; for ever if there will be none.
    pub(super) async fn next(&mut self) -> Vec<u8> {
        std::future::poll_fn(|cx| self.poll_next(cx)).await
    }

    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Vec<u8>> {
        match &mut self.0 {
            Some(notes) => match notes.poll_recv(cx) {
                Poll::Ready(Some(note)) => Poll::Ready(note),
                Poll::Ready(None) | Poll::Pending => Poll::Pending,
            },
            None => Poll::Pending,
        }
    }

    fn take(&mut self) -> Option<Vec<u8>> {
        self.0.as_mut()?.try_recv().ok()
    }
}

/// Begins with the events of a call, of which the first may be there already.
pub(super) fn events(
    first: Option<Vec<u8>>,
    notes: Notes,
    answer: Pending,
    quiet: Duration,
    guard: Option<CancelOnDrop>,
) -> Reply {
    let first = first.map_or_else(|| Bytes::from_static(BEAT), |note| event(&note).into());
    let events = Events {
        first: Some(first),
        notes,
        answer: Some(answer),
        beat: tokio::time::interval_at(Instant::now() + quiet, quiet),
        _guard: guard,
    };
    let mut reply = Response::new(Content::Events(Box::new(events)));
    let headers = reply.headers_mut();
    for (name, value) in [
        (CONTENT_TYPE, "text/event-stream"),
        (CACHE_CONTROL, "no-cache"),
        (BUFFERING, "no"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    reply
}

/// A message as one event.
fn event(message: &[u8]) -> Vec<u8> {
    [b"event: message\ndata: ", message, b"\n\n"].concat()
}

impl Events {
    fn poll_piece(&mut self, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        if let Some(first) = self.first.take() {
            return Poll::Ready(Some(first));
        }
        if let Poll::Ready(note) = self.notes.poll_next(cx) {
            return Poll::Ready(Some(event(&note).into()));
        }
        let Some(answer) = &mut self.answer else {
            return Poll::Ready(None);
        };
        if let Poll::Ready(answer) = answer.as_mut().poll(cx) {
            self.answer = None;
            // What the call told before it ended comes before its answer.
            let mut pieces = Vec::new();
            while let Some(note) = self.notes.take() {
                pieces.extend(event(&note));
            }
            pieces.extend(event(&answer));
            return Poll::Ready(Some(pieces.into()));
        }
        self.beat
            .poll_tick(cx)
            .map(|_| Some(Bytes::from_static(BEAT)))
    }
}

impl Body for Content {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match self.get_mut() {
            Self::Whole(whole) => Pin::new(whole).poll_frame(cx),
            Self::Events(events) => {
                let piece = events.poll_piece(cx);
                piece.map(|piece| piece.map(|piece| Ok(Frame::data(piece))))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Whole(whole) => whole.is_end_stream(),
            Self::Events(events) => events.answer.is_none(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(whole) => whole.size_hint(),
            Self::Events(_) => SizeHint::default(),
        }
    }
}
