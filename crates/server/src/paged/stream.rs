//! Streams of this process, for programs that embed the server.

use std::io::{self, Read, Write};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// What a client is reached by: something to read from, and something to write to.
pub trait Streams {
    /// The two.
    fn split(self) -> (Box<dyn Read + Send>, Box<dyn Write + Send>);
}

impl<R, W> Streams for (R, W)
where
    R: Read + Send + 'static,
    W: Write + Send + 'static,
{
    fn split(self) -> (Box<dyn Read + Send>, Box<dyn Write + Send>) {
        (Box::new(self.0), Box::new(self.1))
    }
}

/// An async stream in both directions, such as one half of `tokio::io::duplex`. It is waited for by
/// threads, so it may belong to any runtime or to none.
#[derive(Debug)]
pub struct Async<S>(pub S);

impl<S> Streams for Async<S>
where
    S: AsyncRead + AsyncWrite + Send + 'static,
{
    fn split(self) -> (Box<dyn Read + Send>, Box<dyn Write + Send>) {
        let shared = Half(Arc::new(Mutex::new(Box::pin(self.0))));
        (Box::new(shared.clone()), Box::new(shared))
    }
}

/// One direction of an async stream; the lock is held for one try only.
struct Half<S>(Arc<Mutex<Pin<Box<S>>>>);

impl<S> Clone for Half<S> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<S> Half<S> {
    fn lock(&self) -> MutexGuard<'_, Pin<Box<S>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tries until it is done, and sleeps in between until the stream says to try again.
    fn wait<T>(
        &self,
        mut attempt: impl FnMut(Pin<&mut S>, &mut Context<'_>) -> Poll<io::Result<T>>,
    ) -> io::Result<T> {
        let waker = Waker::from(Arc::new(Unpark(thread::current())));
        let mut context = Context::from_waker(&waker);
        loop {
            let done = attempt(self.lock().as_mut(), &mut context);
            match done {
                Poll::Ready(done) => return done,
                Poll::Pending => thread::park(),
            }
        }
    }
}

impl<S: AsyncRead> Read for Half<S> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut buffer = ReadBuf::new(buffer);
        self.wait(|stream, context| stream.poll_read(context, &mut buffer))?;
        Ok(buffer.filled().len())
    }
}

impl<S: AsyncWrite> Write for Half<S> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.wait(|stream, context| stream.poll_write(context, bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.wait(AsyncWrite::poll_flush)
    }
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}
