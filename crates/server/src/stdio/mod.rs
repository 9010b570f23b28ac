//! The protocol on stdin and stdout: one message a line.
//!
//! Threads take turns at reading: whoever has read a request answers it, while the next one reads
//! on. So a short call costs no more than itself, a long one holds up nobody, and a cancellation is
//! always read. The framing is our own so that everything is answered: what is no JSON, no message,
//! too long, or sent twice. Nothing else in the program writes to stdout while it serves.

mod lines;
mod state;
pub(crate) mod values;

use std::io::{self, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use rmcp::model::{ErrorCode, JsonRpcError};
use serde_json::Value;
use tokio::sync::Notify;
use workspace::Cancel;

use crate::mcp::Connection;
use crate::mcp::gate::Gate;
use crate::mcp::message::{self, Incoming};
use crate::platform;
use crate::toolset::Toolset;
use lines::{Line, Lines};
use state::{CALLS_AT_ONCE, COMMANDS_AT_ONCE, Job, REST_AT_ONCE, Slot, State, Task};
use values::VALUES;

/// The longest message that is read.
pub const MESSAGE_BYTES: usize = 64 * 1024 * 1024;
/// How long calls under way may take once the input has ended.
const DRAIN: Duration = Duration::from_secs(5);
/// Threads: one for each job that may run, and one that reads.
const THREADS: usize = CALLS_AT_ONCE + COMMANDS_AT_ONCE + REST_AT_ONCE + 1;
/// Threads that are kept to wait for their turn.
const THREADS_KEPT: usize = 3;

/// Serves one client on stdin and stdout until either ends or the process is told to stop. Calls
/// under way are finished and answered, for a few seconds. `ready` is called once that is how it
/// ends.
///
/// # Errors
/// What the operating system says when the threads cannot be started.
#[expect(
    clippy::disallowed_methods,
    reason = "this is where the protocol gets its stdout"
)]
pub fn serve(toolset: Arc<dyn Toolset>, ready: impl FnOnce()) -> io::Result<()> {
    platform::make_stdio_block();
    platform::widen_output();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let context = runtime.enter();
    let stop = platform::stop_signal();
    drop(context);
    ready();
    let pipe = Pipe::start(toolset, io::stdin(), io::stdout())?;
    runtime.block_on(pipe.until_done(stop, DRAIN));
    // The thread that reads may still be at it; it ends with the process.
    Ok(())
}

/// Serves one client on two streams until either ends. Calls under way are finished and answered,
/// for a few seconds. Blocks meanwhile; not to be called where an async runtime runs tasks.
///
/// # Errors
/// What the operating system says when the threads cannot be started.
pub fn serve_streams(
    toolset: Arc<dyn Toolset>,
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()?;
    let pipe = Pipe::start(toolset, input, output)?;
    runtime.block_on(pipe.until_done(std::future::pending(), DRAIN));
    Ok(())
}

/// A connection over two streams, with the threads that serve it.
struct Pipe<R, W> {
    toolset: Arc<dyn Toolset>,
    connection: Connection,
    gate: Gate,
    input: Mutex<Input<R>>,
    output: Mutex<W>,
    state: Mutex<State>,
    /// Signalled when a job that waits for its turn is taken.
    room: Condvar,
    /// Signalled when there will be no more input or no more output.
    ended: Notify,
    /// Signalled after the end when the last job is done.
    settled: Notify,
    /// Threads that read or wait for their turn to.
    n_free: AtomicUsize,
    n_threads: AtomicUsize,
}

struct Input<R> {
    stream: R,
    lines: Lines,
    ended: bool,
}

impl<R, W> Pipe<R, W>
where
    R: Read + Send + 'static,
    W: Write + Send + 'static,
{
    /// Starts to serve.
    fn start(toolset: Arc<dyn Toolset>, input: R, output: W) -> io::Result<Arc<Self>> {
        let pipe = Arc::new(Self {
            connection: Connection::new(Arc::clone(&toolset))?,
            gate: Gate::new(toolset.terms().eras),
            toolset,
            input: Mutex::new(Input {
                stream: input,
                lines: Lines::new(MESSAGE_BYTES),
                ended: false,
            }),
            output: Mutex::new(output),
            state: Mutex::default(),
            room: Condvar::new(),
            ended: Notify::new(),
            settled: Notify::new(),
            n_free: AtomicUsize::new(0),
            n_threads: AtomicUsize::new(0),
        });
        pipe.add_thread()?;
        Ok(pipe)
    }

    /// Says that there is nothing more to read, or nobody to write to.
    fn end(&self) {
        self.state().ended = true;
        self.room.notify_all();
        self.ended.notify_one();
    }

    /// Waits for the end, or for `stop`; then until all jobs are done, but no longer than `drain`.
    async fn until_done(&self, stop: impl Future<Output = ()>, drain: Duration) {
        tokio::select! {
            () = stop => self.end(),
            () = self.ended.notified() => {}
        }
        let settled = async {
            while !self.state().is_settled() {
                self.settled.notified().await;
            }
        };
        let _ = tokio::time::timeout(drain, settled).await;
        self.state().give_up();
    }

    fn add_thread(self: &Arc<Self>) -> io::Result<()> {
        let pipe = Arc::clone(self);
        self.n_threads.fetch_add(1, Ordering::SeqCst);
        self.n_free.fetch_add(1, Ordering::SeqCst);
        let thread = thread::Builder::new().spawn(move || pipe.work());
        if let Err(error) = thread {
            self.n_threads.fetch_sub(1, Ordering::SeqCst);
            self.n_free.fetch_sub(1, Ordering::SeqCst);
            return Err(error);
        }
        Ok(())
    }

    /// What a thread does: its turn at reading, then the job it has read. It comes free.
    fn work(self: Arc<Self>) {
        while let Some(job) = self.next_job() {
            let others = self.n_free.fetch_sub(1, Ordering::SeqCst) - 1;
            if others == 0 && self.n_threads.load(Ordering::SeqCst) < THREADS {
                // Without one more thread there is none to read until this job is done.
                let _ = self.add_thread();
            }
            let mut next = Some(job);
            while let Some(job) = next {
                next = self.run(job);
            }
            if self.n_free.fetch_add(1, Ordering::SeqCst) >= THREADS_KEPT {
                break;
            }
        }
        self.n_free.fetch_sub(1, Ordering::SeqCst);
        self.n_threads.fetch_sub(1, Ordering::SeqCst);
    }

    /// Reads until there is something to do at once; `None` when the input has ended.
    fn next_job(&self) -> Option<Job> {
        let mut input = lock(&self.input);
        loop {
            self.wait_for_room();
            if self.state().ended {
                return None;
            }
            let Some(line) = input.next_line() else {
                self.end();
                return None;
            };
            if let Some(task) = self.read(&input.lines, line)
                && let Some(job) = self.state().admit(task)
            {
                return Some(job);
            }
        }
    }

    /// Waits while too much is waiting for its turn.
    fn wait_for_room(&self) {
        let mut state = self.state();
        while !state.has_room() {
            state = self
                .room
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Reads a line as a message. `None` when there is nothing to do for it.
    fn read(&self, lines: &Lines, line: Line) -> Option<Task> {
        let line = match line {
            Line::Whole(at) => lines.bytes(at),
            Line::TooLong(id) => {
                let text = format!("message too long (limit {MESSAGE_BYTES} bytes)");
                let error = message::refusal(id, ErrorCode::INVALID_REQUEST, text);
                return Some(self.refuse(error));
            }
        };
        let n_bytes = line.len();
        let line = without_mark(line);
        if line.is_empty() {
            return None;
        }
        if values::count(line) > VALUES {
            let id = lines::id_of_broken(line);
            let text = format!("message too large (limit {VALUES} values)");
            let error = message::refusal(id, ErrorCode::INVALID_REQUEST, text);
            return Some(self.refuse(error));
        }
        let Some(parsed) = parse(line) else {
            let id = lines::id_of_broken(line);
            let text = "Parse error: invalid JSON";
            let error = message::refusal(id, ErrorCode::PARSE_ERROR, text);
            return Some(self.refuse(error));
        };
        if let Some(error) = self.gate.refuse(&parsed) {
            return Some(self.refuse(error));
        }
        match message::read(parsed) {
            Incoming::Request(id, request) => match self.state().open(&id) {
                Some(opened) => Some(Task::Answer {
                    slot: Slot::of(&request, &*self.toolset),
                    opened,
                    request,
                    n_bytes,
                }),
                None => {
                    let text = "a request with this id is still open";
                    let error = message::refusal(Some(id), ErrorCode::INVALID_REQUEST, text);
                    Some(self.refuse(error))
                }
            },
            Incoming::Cancel(id) => {
                self.state().cancel(&id);
                None
            }
            Incoming::Nothing => None,
            Incoming::Refused(error) => {
                if error.error.code == ErrorCode::INVALID_REQUEST {
                    self.toolset.note_no_message();
                }
                Some(self.refuse(error))
            }
        }
    }

    fn refuse(&self, error: JsonRpcError) -> Task {
        let text = &error.error.message;
        self.toolset
            .log()
            .debug(&format!("refused a message: {text}"));
        Task::Refuse(Box::new(error))
    }

    /// Does a job; gives another that waited for this one to be done.
    fn run(self: &Arc<Self>, job: Job) -> Option<Job> {
        let slot = job.slot;
        let line = match job.task {
            Task::Refuse(error) => serde_json::to_vec(&error).ok(),
            Task::Answer {
                opened, request, ..
            } => {
                let (id, cancel) = (opened.id.clone(), opened.cancel.clone());
                let notify = self.notifier(cancel.clone());
                let answer = || self.connection.answer(id, *request, cancel, notify);
                // A call nobody waits for any more needs no work either.
                let answer = (!opened.cancel.is_raised()).then(|| {
                    catch_unwind(AssertUnwindSafe(answer))
                        .unwrap_or_else(|_| Connection::fault(Some(opened.id.clone())))
                });
                answer.filter(|_| self.state().close(&opened))
            }
        };
        if let Some(line) = line {
            self.write(line);
        }
        let mut state = self.state();
        let was_full = !state.has_room();
        let next = state.done(slot);
        if state.ended && state.is_settled() {
            self.settled.notify_one();
        }
        drop(state);
        if was_full {
            self.room.notify_all();
        }
        next
    }

    /// Sends what is told of a request, as long as somebody waits for its answer.
    fn notifier(self: &Arc<Self>, cancel: Cancel) -> impl Fn(Vec<u8>) + Send + Sync + 'static {
        let pipe = Arc::clone(self);
        move |line| {
            if !cancel.is_raised() {
                pipe.write(line);
            }
        }
    }

    fn write(&self, mut line: Vec<u8>) {
        line.push(b'\n');
        let mut output = lock(&self.output);
        let written = output.write_all(&line).and_then(|()| output.flush());
        drop(output);
        // Nobody reads any more: there is nobody to tell either.
        if written.is_err() && !self.state().ended {
            self.end();
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

impl<R: Read> Input<R> {
    /// The next line; waits for it.
    fn next_line(&mut self) -> Option<Line> {
        loop {
            if let Some(line) = self.lines.next_line() {
                return Some(line);
            }
            if self.ended {
                return self.lines.last_line();
            }
            self.ended = !matches!(self.lines.fill(&mut self.stream), Ok(n) if n > 0);
        }
    }
}

/// Reads the JSON of a message, kindly: a byte order mark and halves of characters are no fault.
pub(crate) fn parse(message: &[u8]) -> Option<Value> {
    let message = without_mark(message);
    serde_json::from_slice(message).ok().or_else(|| {
        let mended = lines::mend_surrogates(message)?;
        let mut message = serde_json::from_slice(&mended).ok()?;
        message::note_mended(&mut message);
        Some(message)
    })
}

fn without_mark(message: &[u8]) -> &[u8] {
    let bare = message.strip_prefix(b"\xEF\xBB\xBF");
    bare.unwrap_or(message).trim_ascii()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Whoever panicked left nothing half done: every change is one assignment or one call.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
