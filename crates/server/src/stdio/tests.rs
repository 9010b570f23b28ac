//! Calls that take long, driven over pipes of our own.

use std::io::{BufRead as _, BufReader, Lines, PipeReader, PipeWriter, Write as _, pipe};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use serde_json::{Value, json};

use super::Pipe;
use super::state::CALLS_AT_ONCE;
use crate::stage::{self, Stage};

struct Peer {
    name: &'static str,
    stage: Arc<Stage>,
    input: Option<PipeWriter>,
    output: Lines<BufReader<PipeReader>>,
    served: JoinHandle<()>,
}

impl Peer {
    fn start(name: &'static str, drain: Duration) -> Self {
        let (server_input, input) = pipe().unwrap();
        let (output, server_output) = pipe().unwrap();
        let served = thread::spawn(move || {
            let pipe = Pipe::start(stage::toolset(), server_input, server_output).unwrap();
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_time()
                .build()
                .unwrap();
            runtime.block_on(pipe.until_done(std::future::pending(), drain));
        });
        Self {
            name,
            stage: Stage::named(name),
            input: Some(input),
            output: BufReader::new(output).lines(),
            served,
        }
    }

    fn send(&mut self, message: &Value) {
        let line = format!("{message}\n");
        let input = self.input.as_mut().unwrap();
        input.write_all(line.as_bytes()).unwrap();
    }

    fn send_wait(&mut self, id: usize) {
        let params = json!({"name": "wait", "arguments": {"stage": self.name}});
        let method = "tools/call";
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
    }

    fn recv(&mut self) -> Option<Value> {
        let line = self.output.next()?.unwrap();
        Some(serde_json::from_str(&line).unwrap())
    }

    fn recv_done(&mut self) {
        let answer = self.recv().unwrap();
        assert_eq!(answer["result"]["content"][0]["text"], "done");
    }

    fn until(&self, holds: impl Fn(&Stage) -> bool) {
        while !holds(&self.stage) {
            thread::yield_now();
        }
    }

    fn until_running(&self, n: usize) {
        self.until(|stage| stage.running() == n);
    }
}

const LONG: Duration = Duration::from_secs(60);

#[test]
fn cancelling_stops_the_tool_and_its_answer() {
    let mut peer = Peer::start("cancelling", LONG);
    peer.send_wait(1);
    peer.until_running(1);
    let params = json!({"requestId": 1});
    peer.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}));
    peer.until(|stage| stage.cancelled() == 1);
    peer.send(&json!({"jsonrpc": "2.0", "id": 2, "method": "ping"}));
    assert_eq!(peer.recv().unwrap()["id"], 2);
    peer.input = None;
    assert_eq!(peer.recv(), None);
    peer.served.join().unwrap();
}

#[test]
fn an_id_is_refused_while_it_is_open_and_free_after_a_cancellation() {
    let mut peer = Peer::start("reused", LONG);
    peer.send_wait(1);
    peer.until_running(1);
    peer.send_wait(1);
    let refused = peer.recv().unwrap();
    assert_eq!(refused["id"], 1);
    assert_eq!(refused["error"]["code"], -32600);
    let params = json!({"requestId": 1});
    peer.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}));
    peer.until(|stage| stage.cancelled() == 1);
    peer.send_wait(1);
    peer.until_running(1);
    peer.stage.let_end(1);
    peer.recv_done();
    peer.input = None;
    assert_eq!(peer.recv(), None);
}

#[test]
fn calls_under_way_are_answered_after_the_end_of_input() {
    let mut peer = Peer::start("draining", LONG);
    // More than may run at once, so that some are still waiting for their turn.
    let n_calls = CALLS_AT_ONCE + 3;
    for id in 0..n_calls {
        peer.send_wait(id);
    }
    peer.until_running(CALLS_AT_ONCE);
    peer.input = None;
    peer.stage.let_end(n_calls);
    for _ in 0..n_calls {
        peer.recv_done();
    }
    assert_eq!(peer.recv(), None);
    peer.served.join().unwrap();
}

#[test]
fn a_call_that_never_ends_is_given_up_after_a_while() {
    let mut peer = Peer::start("endless", Duration::from_millis(20));
    peer.send_wait(1);
    peer.until_running(1);
    peer.input = None;
    peer.until(|stage| stage.cancelled() == 1);
    assert_eq!(peer.recv(), None);
    peer.served.join().unwrap();
}

#[test]
fn only_so_many_calls_run_at_once() {
    let mut peer = Peer::start("crowded", LONG);
    let n_calls = CALLS_AT_ONCE * 3;
    for id in 0..n_calls {
        peer.send_wait(id);
    }
    peer.until_running(CALLS_AT_ONCE);
    // Others are answered meanwhile.
    peer.send(&json!({"jsonrpc": "2.0", "id": "ping", "method": "ping"}));
    assert_eq!(peer.recv().unwrap()["id"], "ping");
    peer.stage.let_end(n_calls);
    for _ in 0..n_calls {
        peer.recv_done();
    }
    assert_eq!(peer.stage.most(), CALLS_AT_ONCE);
}

#[test]
fn an_output_nobody_reads_ends_the_service() {
    let mut peer = Peer::start("unread", LONG);
    let (closed, _) = pipe().unwrap();
    drop(std::mem::replace(
        &mut peer.output,
        BufReader::new(closed).lines(),
    ));
    peer.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}));
    peer.served.join().unwrap();
}
