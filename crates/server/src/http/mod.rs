//! The protocol over HTTP: one address that takes requests, each for itself.
//!
//! There are no sessions: a request is a message or a few, and its answer is JSON, or events for a
//! call that has something to tell on its way.
//! One thread moves the bytes of all connections, and tools run on others, so a slow client holds
//! up nobody. In the order a request takes: `gate` looks at its head, `exchange` reads its body,
//! `message` says what it asks, and `calls` says when.

pub mod access;
mod calls;
mod events;
mod exchange;
mod gate;
mod message;
mod patience;
mod places;
mod refusal;
pub mod stream;
mod wire;

use std::convert::Infallible;
use std::io;
use std::net::TcpListener;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpStream;
use tokio::sync::{Semaphore, watch};

use self::access::Access;
use self::calls::Calls;
use self::places::Places;
use self::refusal::Refusal;
use self::stream::Tls;
use self::wire::Wire;
use crate::mcp::Connection;
use crate::platform;
use crate::toolset::Toolset;

/// The body that is read at most, unless the configuration says otherwise.
pub const BODY_BYTES: usize = 64 * 1024 * 1024;
/// Bytes of the head of a request, at most.
const HEAD_BYTES: usize = 64 * 1024;
/// Connections beyond the bound that are told so at the same time; more are just closed.
const FAREWELLS: usize = 64;
/// How long that may take.
const FAREWELL_TIME: Duration = Duration::from_secs(2);
/// Threads that may block: those of calls, and some that read long bodies.
const READERS: usize = 2;
/// How long to wait when a connection cannot be taken, for want of files for example.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// How much is served at once, and for how long.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Bytes of a body.
    pub body_bytes: usize,
    /// Connections; one client other than this machine may hold an eighth of them.
    pub connections: usize,
    /// Calls that run.
    pub calls: usize,
    /// Calls that run beside them and wait for programs.
    pub commands: usize,
    /// Calls that run or wait.
    pub open: usize,
    /// Time for the head of a request, and between two requests of a connection.
    pub head_time: Duration,
    /// Time that a body may be waited for; what comes of it adds some.
    pub body_time: Duration,
    /// The same for a client that takes its answer.
    pub write_time: Duration,
    /// Time after which a call that is not done shows its client that the connection lives.
    pub quiet: Duration,
    /// Time that calls get once the server is told to stop.
    pub drain: Duration,
}

impl Limits {
    /// The usual, with this bound on bodies.
    #[must_use]
    pub fn with_body_bytes(body_bytes: usize) -> Self {
        Self {
            body_bytes,
            connections: 2048,
            calls: 16,
            commands: 64,
            open: 512,
            head_time: Duration::from_secs(30),
            body_time: Duration::from_secs(30),
            write_time: Duration::from_secs(30),
            quiet: Duration::from_secs(15),
            drain: Duration::from_secs(5),
        }
    }
}

/// What every connection shares.
struct Http {
    toolset: Arc<dyn Toolset>,
    connection: Connection,
    access: Access,
    tls: Option<Tls>,
    limits: Limits,
    calls: Arc<Calls>,
}

/// Serves on a listener until the process is told to stop. Calls under way are finished and
/// answered, for a few seconds. `ready` is called once that is how it ends.
///
/// # Errors
/// What the operating system says when there is nothing to start with.
pub fn serve(
    toolset: Arc<dyn Toolset>,
    listener: TcpListener,
    access: Access,
    tls: Option<Tls>,
    mut limits: Limits,
    ready: impl FnOnce(),
) -> io::Result<()> {
    // Calls need files too.
    limits.connections = limits.connections.min(platform::allow_many_files() / 2);
    let connection = Connection::stateless(Arc::clone(&toolset))?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(limits.calls + limits.commands + READERS)
        .build()?;
    let context = runtime.enter();
    let stop = platform::stop_signal();
    listener.set_nonblocking(true)?;
    let listener = tokio::net::TcpListener::from_std(listener)?;
    drop(context);
    ready();
    let calls = Arc::new(Calls::new(&limits));
    let http = Http {
        toolset,
        connection,
        access,
        tls,
        limits,
        calls,
    };
    runtime.block_on(run(http, listener, stop));
    // A call that does not end must not hold up the end of the process.
    runtime.shutdown_background();
    Ok(())
}

async fn run(http: Http, listener: tokio::net::TcpListener, stop: impl Future<Output = ()>) {
    let http = Arc::new(http);
    let stopping = Arc::clone(&http.calls.stopping);
    tokio::select! {
        () = stop => {}
        () = accept(&http, &listener, &stopping) => {}
    }
    drop(listener);
    stopping.send_replace(true);
    let calls = Arc::clone(&http.calls);
    let drain = http.limits.drain;
    let _ = tokio::time::timeout(drain, stopping.closed()).await;
    calls.give_up();
}

async fn accept(
    http: &Arc<Http>,
    listener: &tokio::net::TcpListener,
    stopping: &watch::Sender<bool>,
) {
    let places = Arc::new(Places::new(http.limits.connections));
    let farewells = Arc::new(Semaphore::new(FAREWELLS));
    loop {
        let (stream, client) = match listener.accept().await {
            Ok(accepted) => accepted,
            Err(error) => {
                http.toolset
                    .log()
                    .debug(&format!("cannot take a connection: {error}"));
                tokio::time::sleep(ACCEPT_PAUSE).await;
                continue;
            }
        };
        let Some(place) = places.take(client.ip()) else {
            http.toolset.log().debug("too many connections");
            // There is no way to say why before there are keys.
            if http.tls.is_none()
                && let Ok(seat) = Arc::clone(&farewells).try_acquire_owned()
            {
                tokio::spawn(async move {
                    let busy = Refusal::busy();
                    let said = stream::turn_away(stream, &busy, FAREWELL_TIME);
                    let _ = tokio::time::timeout(FAREWELL_TIME, said).await;
                    drop(seat);
                });
            }
            continue;
        };
        let (http, stop) = (Arc::clone(http), stopping.subscribe());
        tokio::spawn(async move {
            converse(http, stream, stop).await;
            drop(place);
        });
    }
}

/// Serves one connection to its end.
async fn converse(http: Arc<Http>, stream: TcpStream, mut stop: watch::Receiver<bool>) {
    // An answer is written in one go, and must not wait for the next one.
    let _ = stream.set_nodelay(true);
    let (head_time, write_time) = (http.limits.head_time, http.limits.write_time);
    let opened = tokio::select! {
        biased;
        opened = stream::open(stream, http.tls.as_ref(), head_time, write_time) => opened,
        _ = stop.wait_for(|stopping| *stopping) => return,
    };
    let wire = match opened {
        Ok(stream) => Wire::new(stream),
        Err(error) => {
            let text = format!("no encrypted connection: {error}");
            return http.toolset.log().debug(&text);
        }
    };
    let service = service_fn(move |request| {
        let http = Arc::clone(&http);
        async move { Ok::<_, Infallible>(exchange::answer(&http, request).await) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(head_time)
        .max_buf_size(HEAD_BYTES)
        .writev(false)
        .serve_connection(TokioIo::new(wire), service);
    let mut connection = pin!(connection);
    // How a connection ends is its client's business.
    tokio::select! {
        _ = connection.as_mut() => return,
        _ = stop.wait_for(|stopping| *stopping) => connection.as_mut().graceful_shutdown(),
    }
    let _ = connection.await;
}

#[cfg(test)]
mod tests;
