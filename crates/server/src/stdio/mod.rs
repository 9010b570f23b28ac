//! The protocol on stdin and stdout: one message a line.
//!
//! The framing is our own so that everything is answered: what is no JSON, no message, too long, or
//! sent twice. Nothing else in the program writes to stdout while it serves.

mod calls;
mod lines;

use std::convert::Infallible;
use std::io;
use std::sync::Arc;

use rmcp::model::{
    CancelledNotification, CancelledNotificationParam, ClientJsonRpcMessage, ErrorCode,
    JsonRpcError, JsonRpcMessage, ServerJsonRpcMessage,
};
use rmcp::service::{RoleServer, serve_directly};
use rmcp::transport::Transport;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::sync::{Mutex, watch};
use tokio::task::JoinSet;

use crate::dispatch::Server;
use crate::mcp::message::{self, Incoming};
use crate::mcp::{self, Handler};
use crate::platform;
use calls::Calls;
use lines::{Line, Lines};

/// The longest message that is read.
pub const MESSAGE_BYTES: usize = 64 * 1024 * 1024;

/// Serves one client on stdin and stdout until either ends or the process is told to stop. Calls
/// under way are finished and answered, for a few seconds.
///
/// # Errors
/// What the operating system says when the threads cannot be started.
pub fn serve(server: Arc<Server>) -> io::Result<()> {
    // One thread for messages: a call hops to another and back, and nothing else is shared.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(mcp::CALLS_AT_ONCE + 4)
        .build()?;
    runtime.block_on(async {
        let (stop, stopped) = watch::channel(false);
        let signal = tokio::spawn({
            let stop = stop.clone();
            async move {
                platform::stop_signal().await;
                stop.send_replace(true);
            }
        });
        let (input, output) = standard_streams();
        serve_stream(server, input, output, stop, stopped).await;
        signal.abort();
    });
    // A read of stdin or a call that ignores its end may still block a thread.
    runtime.shutdown_background();
    Ok(())
}

/// Stdin and stdout, if possible without a thread for every read and write.
///
/// Boxed, so that the service is compiled once.
fn standard_streams() -> (
    Box<dyn AsyncRead + Send + Unpin>,
    Box<dyn AsyncWrite + Send + Unpin>,
) {
    match platform::stdio_sockets() {
        Some((input, output)) => (Box::new(input), Box::new(output)),
        None => {
            let (input, output) = rmcp::transport::stdio_pipes();
            (Box::new(input), Box::new(output))
        }
    }
}

async fn serve_stream<R, W>(
    server: Arc<Server>,
    input: R,
    output: W,
    stop: watch::Sender<bool>,
    stopped: watch::Receiver<bool>,
) where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let calls = Arc::new(Calls::default());
    let pipe = Pipe {
        server: Arc::clone(&server),
        input,
        lines: Lines::new(MESSAGE_BYTES),
        ended: false,
        output: Arc::new(Mutex::new(output)),
        calls: Arc::clone(&calls),
        refusals: JoinSet::new(),
        stop: Arc::new(stop),
        stopped,
    };
    let handler = Handler::new(server, Some(calls));
    let service = serve_directly(handler, pipe, Some(mcp::unknown_client()));
    // However the service ends, the process is done.
    let _ = service.waiting().await;
}

/// Messages over two streams.
struct Pipe<R, W> {
    server: Arc<Server>,
    input: R,
    lines: Lines,
    ended: bool,
    // The async kind of mutex: a message is written whole before the next one.
    output: Arc<Mutex<W>>,
    calls: Arc<Calls>,
    refusals: JoinSet<()>,
    stop: Arc<watch::Sender<bool>>,
    stopped: watch::Receiver<bool>,
}

impl<R, W> Pipe<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    /// The next line, with its number of bytes. Loses nothing when dropped before it is done.
    async fn next_line(&mut self) -> Option<Line> {
        loop {
            if let Some(line) = self.lines.next_line() {
                return Some(line);
            }
            if self.ended {
                return self.lines.last_line();
            }
            tokio::select! {
                read = self.input.read_buf(self.lines.space()) => {
                    self.ended = !matches!(read, Ok(bytes) if bytes > 0);
                }
                // The sender is a field, so waiting ends only with the value.
                _ = self.stopped.wait_for(|stopped| *stopped) => return None,
            }
        }
    }

    /// Reads a line as a message. `None` when there is nothing to do for it.
    fn read(&mut self, line: Line) -> Option<ClientJsonRpcMessage> {
        let at = match line {
            Line::Whole(at) => at,
            Line::TooLong(id) => {
                let text = "message too long";
                self.refuse(&message::refusal(id, ErrorCode::INVALID_REQUEST, text));
                return None;
            }
        };
        let line = self.lines.bytes(at);
        let bytes = line.len();
        let line = line
            .strip_prefix(b"\xEF\xBB\xBF")
            .unwrap_or(line)
            .trim_ascii();
        if line.is_empty() {
            return None;
        }
        let parsed = serde_json::from_slice(line).or_else(|error| {
            let mended = lines::mend_surrogates(line).ok_or(error)?;
            serde_json::from_slice(&mended)
        });
        let Ok(parsed) = parsed else {
            let id = lines::id_of_broken(line);
            self.refuse(&message::refusal(
                id,
                ErrorCode::PARSE_ERROR,
                "Parse error: invalid JSON",
            ));
            return None;
        };
        match message::read(parsed) {
            Incoming::Request(id, request) => {
                if let Some(number) = self.calls.open(&id, bytes) {
                    return Some(JsonRpcMessage::request(*request, number));
                }
                let text = "a request with this id is still open";
                self.refuse(&message::refusal(
                    Some(id),
                    ErrorCode::INVALID_REQUEST,
                    text,
                ));
                None
            }
            Incoming::Cancel(id) => {
                let number = self.calls.cancel(&id)?;
                let params = CancelledNotificationParam::new(Some(number), None);
                let cancelled = CancelledNotification::new(params);
                Some(JsonRpcMessage::notification(cancelled.into()))
            }
            Incoming::Nothing => None,
            Incoming::Refused(error) => {
                self.refuse(&error);
                None
            }
        }
    }

    /// Answers what never gets to the service.
    fn refuse(&mut self, error: &JsonRpcError) {
        while self.refusals.try_join_next().is_some() {}
        let text = &error.error.message;
        self.server.log.debug(&format!("refused a message: {text}"));
        if let Ok(line) = serde_json::to_vec(error) {
            self.refusals.spawn(self.write(line, ()));
        }
    }

    /// Writes a line; holds on to `until` meanwhile.
    fn write<T: Send + 'static>(
        &self,
        mut line: Vec<u8>,
        until: T,
    ) -> impl Future<Output = ()> + Send + 'static {
        line.push(b'\n');
        let output = Arc::clone(&self.output);
        let stop = Arc::clone(&self.stop);
        async move {
            let mut output = output.lock().await;
            let written = match output.write_all(&line).await {
                Ok(()) => output.flush().await,
                Err(error) => Err(error),
            };
            // Nobody reads any more: there is nobody to tell either.
            if written.is_err() {
                stop.send_replace(true);
            }
            drop(until);
        }
    }
}

impl<R, W> Transport<RoleServer> for Pipe<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = Infallible;

    fn send(
        &mut self,
        mut message: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Infallible>> + Send + 'static {
        let number = match &mut message {
            JsonRpcMessage::Response(response) => Some(&mut response.id),
            JsonRpcMessage::Error(error) => error.id.as_mut(),
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
        };
        let call = number.and_then(|number| {
            let call = self.calls.close(number)?;
            number.clone_from(&call.id);
            Some(call)
        });
        let line = serde_json::to_vec(&message).unwrap_or_else(|_| unsayable(call.as_ref()));
        let write = self.write(line, call);
        async move {
            write.await;
            Ok(())
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            let calls = Arc::clone(&self.calls);
            tokio::select! {
                () = calls.room() => {}
                _ = self.stopped.wait_for(|stopped| *stopped) => return None,
            }
            let line = self.next_line().await?;
            if let Some(message) = self.read(line) {
                return Some(message);
            }
        }
    }

    async fn close(&mut self) -> Result<(), Infallible> {
        // A reader that is gone or stuck must not keep the process.
        let refusals = async { while self.refusals.join_next().await.is_some() {} };
        let _ = tokio::time::timeout(std::time::Duration::from_secs(1), refusals).await;
        Ok(())
    }
}

/// An answer in place of one that cannot be written as JSON.
fn unsayable(call: Option<&calls::Call>) -> Vec<u8> {
    let id = call.map(|call| call.id.clone());
    let error = message::refusal(id, ErrorCode::INTERNAL_ERROR, "internal error");
    serde_json::to_vec(&error).unwrap_or_default()
}

#[cfg(test)]
mod tests;
