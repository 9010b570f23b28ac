//! Calls that take long, driven over streams in memory.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines, duplex};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::args::{Arg, Args};
use crate::config::Config;
use crate::context::Ctx;
use crate::dispatch::Server;
use crate::failure::Failure;
use crate::log::{Level, Log};
use crate::mcp::CALLS_AT_ONCE;
use crate::registry::{Registry, ToolFilter};
use crate::reply::Reply;
use crate::tool::{Hints, Tool};

/// What the tools of one test share, under the name of the test.
static STAGES: Mutex<BTreeMap<String, Arc<Stage>>> = Mutex::new(BTreeMap::new());

#[derive(Debug, Default)]
struct Stage {
    running: AtomicUsize,
    most: AtomicUsize,
    cancelled: AtomicUsize,
    /// Calls of `wait` that may end.
    tickets: AtomicUsize,
}

fn stage(name: &str) -> Arc<Stage> {
    let mut stages = STAGES.lock().unwrap();
    Arc::clone(stages.entry(name.to_owned()).or_default())
}

const TOOLS: &[Tool] = &[Tool {
    name: "wait",
    title: "Wait",
    description: "",
    args: &[Arg::text("stage", "").required()],
    hints: Hints::READ,
    call: wait,
}];

/// Runs until there is a ticket for it or its caller gave up.
fn wait(ctx: &Ctx<'_>, args: &Args) -> Result<Reply, Failure> {
    let stage = stage(args.needed_text("stage"));
    let running = stage.running.fetch_add(1, Ordering::SeqCst) + 1;
    stage.most.fetch_max(running, Ordering::SeqCst);
    loop {
        if ctx.cancel.is_cancelled() {
            stage.running.fetch_sub(1, Ordering::SeqCst);
            stage.cancelled.fetch_add(1, Ordering::SeqCst);
            return Err(workspace::Error::Cancelled.into());
        }
        let take = |tickets: usize| tickets.checked_sub(1);
        if stage
            .tickets
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, take)
            .is_ok()
        {
            stage.running.fetch_sub(1, Ordering::SeqCst);
            return Ok(Reply::text("done"));
        }
        std::thread::yield_now();
    }
}

struct Peer {
    name: &'static str,
    stage: Arc<Stage>,
    input: Option<DuplexStream>,
    output: Lines<BufReader<DuplexStream>>,
    served: JoinHandle<()>,
}

impl Peer {
    fn start(name: &'static str) -> Self {
        let config = Config::from_options(&[], &std::env::temp_dir()).unwrap();
        let registry = Registry::new(TOOLS, &ToolFilter::default()).unwrap();
        let log = Log::to_stderr(Level::Off);
        let server = Server::new(registry, config.open().unwrap(), config.room, log);
        let (input, server_input) = duplex(1 << 16);
        let (server_output, output) = duplex(1 << 16);
        let (stop, stopped) = watch::channel(false);
        let serve =
            super::serve_stream(Arc::new(server), server_input, server_output, stop, stopped);
        Self {
            name,
            stage: stage(name),
            input: Some(input),
            output: BufReader::new(output).lines(),
            served: tokio::spawn(serve),
        }
    }

    async fn send(&mut self, message: &Value) {
        let line = format!("{message}\n");
        let input = self.input.as_mut().unwrap();
        input.write_all(line.as_bytes()).await.unwrap();
    }

    async fn send_wait(&mut self, id: i64) {
        let params = json!({"name": "wait", "arguments": {"stage": self.name}});
        let method = "tools/call";
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
            .await;
    }

    async fn recv(&mut self) -> Option<Value> {
        let line = self.output.next_line().await.unwrap()?;
        Some(serde_json::from_str(&line).unwrap())
    }

    async fn until(&self, holds: impl Fn(&Stage) -> bool) {
        while !holds(&self.stage) {
            tokio::task::yield_now().await;
        }
    }
}

#[tokio::test]
async fn cancelling_stops_the_tool_and_its_answer() {
    let mut peer = Peer::start("cancelling");
    peer.send_wait(1).await;
    peer.until(|stage| stage.running.load(Ordering::SeqCst) == 1)
        .await;
    let params = json!({"requestId": 1});
    peer.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}))
        .await;
    peer.until(|stage| stage.cancelled.load(Ordering::SeqCst) == 1)
        .await;
    peer.send(&json!({"jsonrpc": "2.0", "id": 2, "method": "ping"}))
        .await;
    assert_eq!(peer.recv().await.unwrap()["id"], 2);
    peer.input = None;
    assert_eq!(peer.recv().await, None);
    peer.served.await.unwrap();
}

#[tokio::test]
async fn calls_under_way_are_answered_after_the_end_of_input() {
    let mut peer = Peer::start("draining");
    peer.send_wait(1).await;
    peer.send_wait(2).await;
    peer.until(|stage| stage.running.load(Ordering::SeqCst) == 2)
        .await;
    peer.input = None;
    // The server knows of the end before the calls are done.
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    peer.stage.tickets.store(2, Ordering::SeqCst);
    for _ in 0..2 {
        let answer = peer.recv().await.unwrap();
        assert_eq!(answer["result"]["content"][0]["text"], "done");
    }
    assert_eq!(peer.recv().await, None);
    peer.served.await.unwrap();
}

#[tokio::test]
async fn a_call_that_never_ends_is_given_up_after_a_while() {
    let mut peer = Peer::start("endless");
    peer.send_wait(1).await;
    peer.until(|stage| stage.running.load(Ordering::SeqCst) == 1)
        .await;
    peer.input = None;
    tokio::time::pause();
    let before = tokio::time::Instant::now();
    while !peer.served.is_finished() {
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
        tokio::time::advance(Duration::from_secs(1)).await;
        assert!(
            before.elapsed() < Duration::from_secs(60),
            "it is never given up"
        );
    }
    assert_eq!(peer.recv().await, None);
    peer.until(|stage| stage.cancelled.load(Ordering::SeqCst) == 1)
        .await;
}

#[tokio::test]
async fn only_so_many_calls_run_at_once() {
    let mut peer = Peer::start("crowded");
    let n_calls = CALLS_AT_ONCE * 3;
    for id in 0..n_calls {
        peer.send_wait(i64::try_from(id).unwrap()).await;
    }
    peer.until(|stage| stage.running.load(Ordering::SeqCst) == CALLS_AT_ONCE)
        .await;
    // Others are answered meanwhile.
    peer.send(&json!({"jsonrpc": "2.0", "id": "ping", "method": "ping"}))
        .await;
    assert_eq!(peer.recv().await.unwrap()["id"], "ping");
    peer.stage.tickets.store(n_calls, Ordering::SeqCst);
    for _ in 0..n_calls {
        let answer = peer.recv().await.unwrap();
        assert_eq!(answer["result"]["content"][0]["text"], "done");
    }
    assert_eq!(peer.stage.most.load(Ordering::SeqCst), CALLS_AT_ONCE);
}
