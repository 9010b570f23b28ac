//! One request of HTTP, from its head to the answer.

use std::sync::Arc;
use std::time::{Duration, Instant};

use http_body_util::BodyExt as _;
use hyper::body::{Body as _, Bytes, Incoming};
use hyper::header::EXPECT;
use hyper::http::request::Parts;
use hyper::{Request, StatusCode};
use rmcp::model::{ErrorCode, JsonRpcError, JsonRpcMessage, ServerJsonRpcMessage};
use serde_json::Value;
use workspace::Cancel;

use super::calls::{CancelOnDrop, Room};
use super::events::{self, Notes, Pending, Reply};
use super::gate::{self, Pass};
use super::message::{self, Asked};
use super::patience::Patience;
use super::refusal::{Refusal, empty, json};
use super::{Http, message::Request as Asking};
use crate::mcp::{self, Connection};
use crate::progress::Progress;
use crate::stdio;
use crate::stdio::values::{self, VALUES};
use crate::toolset::Caller;

/// Bodies of more bytes are read as JSON on a thread of their own.
const LONG: usize = 256 * 1024;
/// What is still taken of the body of a request that was refused, so that whoever sends it gets
/// to see why; more where bodies may be longer.
const REST_BYTES: usize = 1024 * 1024;
/// How long that may take.
const REST_TIME: Duration = Duration::from_secs(5);
/// After so long without a piece, the client waits for its answer.
const REST_PAUSE: Duration = Duration::from_millis(500);

/// Answers a request.
pub(super) async fn answer(http: &Arc<Http>, request: Request<Incoming>) -> Reply {
    let (head, mut body) = request.into_parts();
    let (outcome, origin) = match gate::admit(&http.access, &head) {
        Ok(origin) => match gate::pass(&http.access, &head) {
            Ok(Pass::Done(reply)) => (Ok(reply), origin),
            Ok(Pass::Post) => (post(http, &head, &mut body).await, origin),
            Err(refusal) => (Err(refusal), origin),
        },
        Err(refusal) => (Err(refusal), None),
    };
    let mut reply = match outcome {
        Ok(reply) => reply,
        Err(refusal) => {
            http.toolset.log().debug(&refusal.reason());
            let slow = refusal.status == StatusCode::REQUEST_TIMEOUT;
            if !slow && !head.headers.contains_key(EXPECT) {
                let most = REST_BYTES.max(http.limits.body_bytes);
                let _ = tokio::time::timeout(REST_TIME, discard(&mut body, most)).await;
            }
            refusal.reply()
        }
    };
    gate::share(&mut reply, origin);
    reply
}

async fn post(http: &Arc<Http>, head: &Parts, body: &mut Incoming) -> Result<Reply, Refusal> {
    let mut room = http.calls.room();
    let bytes = read_body(http, body, &mut room).await?;
    let is_long = bytes.len() > LONG;
    let read = move || read_message(&bytes, &mut room).map(|parsed| (parsed, room));
    let (parsed, room) = if is_long {
        let read = tokio::task::spawn_blocking(read).await;
        read.map_err(|_| Refusal::internal())??
    } else {
        read()?
    };
    if let Some(fault) = message::refuse_revision(http.toolset.terms().eras, &parsed) {
        return Ok(fault.reply());
    }
    match message::read(&head.headers, parsed) {
        Err(message::Fault::Refused(refusal)) => Err(refusal),
        Err(fault) => Ok(fault.reply()),
        Ok(Asked::Nothing) => Ok(empty(StatusCode::ACCEPTED)),
        Ok(Asked::One { request, modern }) => one(http, head, request, modern, room).await,
        Ok(Asked::Batch(batch)) => several(http, batch, room).await,
    }
}

async fn one(
    http: &Arc<Http>,
    head: &Parts,
    asked: Asking,
    modern: bool,
    room: Room,
) -> Result<Reply, Refusal> {
    let lacks_meta = modern && asked.lacks_meta();
    let is_call = asked.is_call();
    let is_command = asked.waits(&*http.toolset);
    let takes_events = is_call && gate::accepts_events(&head.headers);
    let (notes, progress) = match asked.progress_token() {
        Some(token) if takes_events => {
            let (notes, tell) = Notes::new();
            (notes, mcp::progress(token, tell))
        }
        _ => (Notes::none(), Progress::default()),
    };
    let id = asked.id.clone();
    let connection = Arc::clone(http);
    let work = move |cancel: Cancel| {
        let caller = Caller {
            cancel,
            progress,
            is_mended: false,
        };
        let answer = connection
            .connection
            .reply(asked.id, *asked.request, caller);
        drop(room);
        let status = status(&answer, modern, lacks_meta);
        serde_json::to_vec(&answer).map(|body| (status, body)).ok()
    };
    if !is_call {
        let (status, body) = work(Cancel::never()).ok_or_else(Refusal::internal)?;
        return Ok(json(status, body));
    }
    let open = http.calls.open()?;
    // From 2026-07-28 on, who hangs up has changed their mind; before, they may have lost the
    // connection.
    let guard = modern.then(|| CancelOnDrop(open.cancel.clone()));
    let done = Arc::clone(&http.calls).run(open, is_command, work);
    let done = async move {
        let fault = || {
            let body = Connection::fault(Some(id));
            (StatusCode::INTERNAL_SERVER_ERROR, body)
        };
        done.await.flatten().unwrap_or_else(fault)
    };
    if takes_events {
        return Ok(soon(done, notes, http.limits.quiet, guard).await);
    }
    let (status, body) = done.await;
    Ok(json(status, body))
}

/// The answer to a call if it comes before anything else does; events if not.
async fn soon(
    done: impl Future<Output = (StatusCode, Vec<u8>)> + Send + 'static,
    mut notes: Notes,
    quiet: Duration,
    guard: Option<CancelOnDrop>,
) -> Reply {
    let mut done = Box::pin(done);
    let first = tokio::select! {
        biased;
        note = notes.next() => Some(note),
        (status, body) = &mut done => return json(status, body),
        () = tokio::time::sleep(quiet) => None,
    };
    let answer: Pending = Box::pin(async move { done.await.1.into() });
    events::events(first, notes, answer, quiet, guard)
}

/// The status of an answer: before 2026-07-28 errors came with 200 too. A revision that is not known
/// may be older than that; whoever asks for it in the new way gets the new status.
fn status(answer: &ServerJsonRpcMessage, modern: bool, lacks_meta: bool) -> StatusCode {
    let JsonRpcMessage::Error(error) = answer else {
        return StatusCode::OK;
    };
    match error.error.code {
        ErrorCode::UNSUPPORTED_PROTOCOL_VERSION => StatusCode::BAD_REQUEST,
        _ if !modern => StatusCode::OK,
        ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY | ErrorCode::HEADER_MISMATCH => {
            StatusCode::BAD_REQUEST
        }
        ErrorCode::INVALID_PARAMS if lacks_meta => StatusCode::BAD_REQUEST,
        ErrorCode::METHOD_NOT_FOUND => StatusCode::NOT_FOUND,
        _ => StatusCode::OK,
    }
}

async fn several(
    http: &Arc<Http>,
    batch: Vec<Result<Asking, JsonRpcError>>,
    room: Room,
) -> Result<Reply, Refusal> {
    let open = http.calls.open()?;
    let connection = Arc::clone(http);
    let mut whole = batch.iter().flatten();
    let has_command = whole.any(|asked| asked.waits(&*http.toolset));
    let work = move |cancel: Cancel| {
        let mut body = vec![b'['];
        for asked in batch {
            if body.len() > 1 {
                body.push(b',');
            }
            let line = match asked {
                Ok(asked) => {
                    let cancel = cancel.clone();
                    Ok(connection
                        .connection
                        .answer(asked.id, *asked.request, cancel, |_| {}))
                }
                Err(error) => serde_json::to_vec(&error),
            };
            let Ok(line) = line else {
                return None;
            };
            body.extend_from_slice(&line);
        }
        drop(room);
        body.push(b']');
        Some(body)
    };
    match Arc::clone(&http.calls).run(open, has_command, work).await {
        Some(Some(body)) => Ok(json(StatusCode::OK, body)),
        Some(None) | None => Err(Refusal::internal()),
    }
}

async fn read_body(http: &Http, body: &mut Incoming, room: &mut Room) -> Result<Vec<u8>, Refusal> {
    let most = http.limits.body_bytes;
    let too_large = || Refusal::too_large(most);
    if body.size_hint().lower() > most as u64 {
        return Err(too_large());
    }
    let mut whole = Vec::new();
    let mut patience = Patience::new(http.limits.body_time);
    loop {
        let since = Instant::now();
        let frame = tokio::time::timeout(patience.left(), body.frame()).await;
        let data = match frame {
            Err(_) => return Err(Refusal::too_slow()),
            Ok(None) => return Ok(whole),
            Ok(Some(Err(_))) => return Err(Refusal::malformed("the body cannot be read")),
            Ok(Some(Ok(frame))) => frame.into_data().unwrap_or_else(|_| Bytes::new()),
        };
        if whole.len() + data.len() > most {
            return Err(too_large());
        }
        patience.moved(since.elapsed(), data.len());
        room.grow(data.len())?;
        whole.extend_from_slice(&data);
    }
}

/// Reads a body as JSON, if what it becomes has room in memory.
fn read_message(body: &[u8], room: &mut Room) -> Result<Value, Refusal> {
    let n_values = values::count(body);
    if n_values > VALUES {
        return Err(Refusal::too_many(VALUES));
    }
    room.hold(n_values)?;
    stdio::parse(body).ok_or_else(Refusal::json)
}

/// Takes what is left of a body, up to so many bytes.
async fn discard(body: &mut Incoming, most: usize) {
    let mut n = 0;
    while n <= most
        && let Ok(Some(Ok(frame))) = tokio::time::timeout(REST_PAUSE, body.frame()).await
    {
        n += frame.data_ref().map_or(0, Bytes::len);
    }
}
