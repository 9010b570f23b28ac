//! Calls that take long and clients that are slow, with limits that a test can reach.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde_json::json;
use tokio::sync::oneshot;

use super::access::Access;
use super::calls::Calls;
use super::stream::Tls;
use super::{Http, Limits, run};
use crate::mcp::Connection;
use crate::stage::{self, Stage};

#[path = "../../tests/it/http/certificate.rs"]
mod certificate;

struct Served {
    name: &'static str,
    stage: Arc<Stage>,
    address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Served {
    fn start(name: &'static str, change: impl FnOnce(&mut Limits)) -> Self {
        Self::start_with(name, None, change)
    }

    fn start_encrypted(name: &'static str, change: impl FnOnce(&mut Limits)) -> Self {
        let (certificate, key) = certificate::pair();
        let tls = Tls::new(certificate.as_bytes(), key.as_bytes()).unwrap();
        Self::start_with(name, Some(tls), change)
    }

    fn start_with(name: &'static str, tls: Option<Tls>, change: impl FnOnce(&mut Limits)) -> Self {
        let mut limits = Limits::with_body_bytes(1 << 20);
        change(&mut limits);
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        listener.set_nonblocking(true).unwrap();
        let (stop, stopped) = oneshot::channel();
        let thread = thread::spawn(move || {
            let toolset = stage::toolset();
            let http = Http {
                connection: Connection::stateless(Arc::clone(&toolset)).unwrap(),
                toolset,
                access: Access::default(),
                tls,
                calls: Arc::new(Calls::new(&limits)),
                limits,
            };
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .unwrap();
            runtime.block_on(async move {
                let listener = tokio::net::TcpListener::from_std(listener).unwrap();
                let stop = async {
                    let _ = stopped.await;
                };
                run(http, listener, stop).await;
            });
            runtime.shutdown_background();
        });
        Self {
            name,
            stage: Stage::named(name),
            address,
            stop: Some(stop),
            thread: Some(thread),
        }
    }

    fn send(&self, bytes: &[u8]) -> TcpStream {
        let mut stream = TcpStream::connect(self.address).unwrap();
        let patience = Some(Duration::from_secs(20));
        stream.set_read_timeout(patience).unwrap();
        stream.write_all(bytes).unwrap();
        stream
    }

    fn call(&self, modern: bool) -> TcpStream {
        self.call_with(modern, "", None)
    }

    /// A call that takes events, and may want to be told how far it is.
    fn call_for_events(&self, modern: bool, token: Option<&str>) -> TcpStream {
        let accept = "Accept: application/json, text/event-stream\r\n";
        self.call_with(modern, accept, token)
    }

    fn call_with(&self, modern: bool, headers: &str, token: Option<&str>) -> TcpStream {
        let mut params = json!({"name": "wait", "arguments": {"stage": self.name}, "_meta": {}});
        let mut headers = headers.to_owned();
        if modern {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {},
            });
            headers.push_str(
                "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: wait\r\n",
            );
        }
        if let Some(token) = token {
            params["_meta"]["progressToken"] = token.into();
        }
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        let body = body.to_string();
        let length = body.len();
        self.send(
            format!(
                "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
                 Connection: close\r\nContent-Length: {length}\r\n{headers}\r\n{body}"
            )
            .as_bytes(),
        )
    }

    /// Tells the server to stop, and waits for its end.
    fn finish(mut self) {
        self.stop.take().unwrap().send(()).unwrap();
        self.thread.take().unwrap().join().unwrap();
    }
}

fn until(mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !holds() {
        assert!(Instant::now() < deadline, "it does not come");
        thread::yield_now();
    }
}

/// What comes up to this.
fn up_to(stream: &mut TcpStream, end: &str) -> String {
    let mut seen = Vec::new();
    while !seen.ends_with(end.as_bytes()) {
        let mut byte = [0];
        assert_eq!(stream.read(&mut byte).unwrap(), 1, "it ends");
        seen.push(byte[0]);
    }
    String::from_utf8(seen).unwrap()
}

fn rest(mut stream: TcpStream) -> String {
    let mut text = String::new();
    let _ = stream.read_to_string(&mut text);
    text
}

#[test]
fn who_hangs_up_cancels_a_modern_call_and_no_older_one() {
    let served = Served::start("hang up", |_| {});
    let modern = served.call(true);
    let legacy = served.call(false);
    until(|| served.stage.running() == 2);
    drop(legacy);
    drop(modern);
    until(|| served.stage.cancelled() == 1);
    served.stage.let_end(1);
    until(|| served.stage.done() == 1);
    assert_eq!(served.stage.cancelled(), 1);
    served.finish();
}

#[test]
fn beyond_the_bounds_clients_are_told_to_come_again() {
    let served = Served::start("bounds", |limits| {
        limits.calls = 2;
        limits.open = 4;
        limits.connections = 5;
    });
    let (sender, answers) = std::sync::mpsc::channel();
    for _ in 0..5 {
        let (sender, call) = (sender.clone(), served.call(false));
        thread::spawn(move || sender.send(rest(call)));
    }
    // Whichever is read last finds no room.
    let refused = answers.recv().unwrap();
    let head = "HTTP/1.1 503 Service Unavailable\r\n";
    assert!(refused.starts_with(head), "{refused}");
    assert!(refused.contains("retry-after: 1\r\n"), "{refused}");
    assert!(refused.contains(r#""code":-32000"#), "{refused}");
    served.stage.let_end(4);
    for _ in 0..4 {
        assert!(answers.recv().unwrap().contains("done"));
    }
    assert_eq!(served.stage.done(), 4);
    served.finish();
}

#[test]
fn who_finds_no_place_is_told_to_come_again() {
    let served = Served::start("places", |limits| limits.connections = 2);
    let held = [served.send(b""), served.send(b"")];
    // It says so even to whom it does not read.
    let refused = rest(served.call(false));
    let head = "HTTP/1.1 503 Service Unavailable\r\n";
    assert!(refused.starts_with(head), "{refused}");
    assert!(refused.contains("retry-after: 1\r\n"), "{refused}");
    assert!(refused.contains(r#""code":-32000"#), "{refused}");
    drop(held);
    served.stage.let_end(1);
    until(|| rest(served.call(false)).contains("done"));
    served.finish();
}

#[test]
fn bodies_take_so_much_memory_together_and_no_more() {
    let served = Served::start("bodies", |limits| limits.body_bytes = 1000);
    let half = |n: usize| {
        let head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
        let body = " ".repeat(n);
        format!("{head}Content-Length: 1000\r\n\r\n{body}").into_bytes()
    };
    // Four times the greatest body has room; whichever comes last has none.
    let mut bodies: Vec<_> = (0..5).map(|_| served.send(&half(900))).collect();
    let mut refused = None;
    until(|| {
        for (n, body) in bodies.iter().enumerate() {
            body.set_read_timeout(Some(Duration::from_millis(1)))
                .unwrap();
            if body.peek(&mut [0]).is_ok() {
                refused = Some(n);
            }
        }
        refused.is_some()
    });
    let mut refused = bodies.swap_remove(refused.unwrap());
    let patience = Some(Duration::from_secs(20));
    refused.set_read_timeout(patience).unwrap();
    let head = up_to(&mut refused, "\r\n\r\n");
    assert!(head.starts_with("HTTP/1.1 503 "), "{head}");
    assert!(head.contains("retry-after: 1\r\n"), "{head}");
    for mut body in bodies {
        body.set_read_timeout(patience).unwrap();
        body.write_all(&[b' '; 100]).unwrap();
        let head = up_to(&mut body, "\r\n\r\n");
        assert!(head.starts_with("HTTP/1.1 400 "), "all read: {head}");
    }
    served.finish();
}

#[test]
fn values_take_so_much_memory_together_and_no_more() {
    let served = Served::start("values", |limits| limits.body_bytes = 4 << 20);
    let call = |n_values: usize| {
        let values = vec!["0"; n_values].join(",");
        let call = r#"{"name":"wait","arguments":{"stage":"values"},"more":["#;
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{call}{values}]}}}}"#
        );
        let head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
                    Connection: close\r\n";
        let length = body.len();
        served.send(format!("{head}Content-Length: {length}\r\n\r\n{body}").as_bytes())
    };
    let answer = rest(call(1_000_000));
    assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
    let text = "Payload Too Large: a request may have at most 1000000 values";
    assert!(answer.contains(text), "{answer}");
    // Four times as many have room, as long as their calls run.
    let held: Vec<_> = (0..4).map(|_| call(900_000)).collect();
    until(|| served.stage.running() == 4);
    let answer = rest(call(900_000));
    assert!(answer.starts_with("HTTP/1.1 503 "), "{answer}");
    served.stage.let_end(4);
    for call in held {
        assert!(rest(call).contains("done"));
    }
    served.finish();
}

#[test]
fn a_body_that_does_not_come_ends_in_a_time_out() {
    let served = Served::start("slow", |limits| {
        limits.body_time = Duration::from_millis(50);
        limits.head_time = Duration::from_millis(50);
    });
    let head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
    let body = served.send(format!("{head}Content-Length: 10\r\n\r\n{{").as_bytes());
    let answer = rest(body);
    assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
    assert!(answer.contains("Request Timeout: the rest of the request did not come"));
    assert_eq!(rest(served.send(head.as_bytes())), "");
    assert_eq!(rest(served.send(b"")), "");
    // The same holds between two requests.
    let answer = rest(served.send(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"));
    assert!(answer.ends_with(r#"{"status":"ok"}"#), "{answer}");
    served.finish();
}

#[test]
fn a_body_that_comes_byte_by_byte_ends_in_a_time_out() {
    let served = Served::start("drip", |limits| {
        limits.body_time = Duration::from_millis(200);
    });
    let head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
    let mut body = served.send(format!("{head}Content-Length: 1000000\r\n\r\n").as_bytes());
    let pause = Some(Duration::from_millis(5));
    body.set_read_timeout(pause).unwrap();
    let mut n_sent = 0;
    until(|| {
        n_sent += 1;
        body.write_all(b" ").is_err() || body.peek(&mut [0]).is_ok()
    });
    assert!(n_sent > 1, "it came meanwhile");
    body.set_read_timeout(Some(Duration::from_secs(20)))
        .unwrap();
    let answer = up_to(&mut body, "\r\n");
    assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
    served.finish();
}

/// The start of a handshake, which wants more.
const HELLO: &[u8] = &[0x16, 3, 1, 0x10, 0, 1, 0, 0x0f, 0xfc, 3, 3];

#[test]
fn a_handshake_that_does_not_come_ends_in_a_time_out() {
    let served = Served::start_encrypted("slow handshake", |limits| {
        limits.head_time = Duration::from_millis(50);
    });
    for bytes in [&[][..], &HELLO[..1], HELLO] {
        assert_eq!(rest(served.send(bytes)), "", "{bytes:?}");
    }
    served.finish();
}

#[test]
fn a_handshake_takes_the_place_of_a_connection() {
    let served = Served::start_encrypted("handshakes", |limits| limits.connections = 2);
    let held = [served.send(HELLO), served.send(b"")];
    // There is no way to say why before there are keys.
    assert_eq!(rest(served.send(b"")), "");
    drop(held);
    until(|| !rest(served.send(b"GET / HTTP/1.1\r\n\r\n")).is_empty());
    served.finish();
}

#[test]
fn who_does_not_read_is_cut_off() {
    let served = Served::start("unread", |limits| {
        limits.write_time = Duration::from_millis(50);
    });
    let list = r#"{"jsonrpc":"2.0","id":1,"method":"made/up"}"#;
    let request = format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n{list}",
        list.len()
    );
    let mut stream = served.send(b"");
    let many = request.repeat(1000);
    // What the system holds back for both sides is bounded; then it is the server's turn.
    let cut = (0..1000).any(|_| stream.write_all(many.as_bytes()).is_err());
    assert!(cut);
    served.finish();
}

#[test]
fn the_end_waits_for_calls_and_then_cancels_them() {
    let served = Served::start("drain", |_| {});
    let call = served.call(false);
    until(|| served.stage.running() == 1);
    let stage = Arc::clone(&served.stage);
    let end = thread::spawn(move || served.finish());
    stage.let_end(1);
    assert!(rest(call).contains("done"));
    end.join().unwrap();

    let served = Served::start("drain in vain", |limits| {
        limits.drain = Duration::from_millis(50);
    });
    let call = served.call(false);
    until(|| served.stage.running() == 1);
    let stage = Arc::clone(&served.stage);
    served.finish();
    until(|| stage.cancelled() == 1);
    drop(call);
}

/// The start of the events of a call that tells that it started.
fn started(call: &mut TcpStream) {
    let head = up_to(call, "\r\n\r\n");
    assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
    for header in [
        "content-type: text/event-stream\r\n",
        "cache-control: no-cache\r\n",
        "x-accel-buffering: no\r\n",
    ] {
        assert!(head.contains(header), "{head}");
    }
    let event = up_to(call, "\n\n\r\n");
    let note = r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":1,"message":"started"}}"#;
    let wanted = format!("event: message\ndata: {note}\n\n\r\n");
    assert!(event.ends_with(&wanted), "{event}");
}

#[test]
fn a_call_that_tells_something_is_answered_with_events() {
    let served = Served::start("events", |_| {});
    for modern in [false, true] {
        let mut call = served.call_for_events(modern, Some("p"));
        started(&mut call);
        served.stage.let_end(1);
        let rest = rest(call);
        let event = "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":";
        assert!(rest.contains(event) && rest.contains("done"), "{rest}");
        assert!(rest.ends_with("\n\n\r\n0\r\n\r\n"), "{rest}");
    }
    served.finish();
}

#[test]
fn a_call_that_tells_nothing_or_nobody_is_answered_in_json() {
    let served = Served::start("no events", |_| {});
    for modern in [false, true] {
        served.stage.let_end(4);
        for call in [
            served.call_for_events(modern, None),
            served.call_with(modern, "", Some("p")),
            served.call_with(modern, "Accept: */*\r\n", Some("p")),
            served.call_with(
                modern,
                "Accept: application/json, text/event-stream;q=0\r\n",
                Some("p"),
            ),
        ] {
            let answer = rest(call);
            let json = "content-type: application/json\r\n";
            assert!(answer.contains(json) && answer.contains("done"), "{answer}");
        }
    }
    served.finish();
}

#[test]
fn who_leaves_the_events_cancels_a_modern_call_and_no_older_one() {
    let served = Served::start("leave", |_| {});
    let mut modern = served.call_for_events(true, Some("p"));
    let mut legacy = served.call_for_events(false, Some("p"));
    started(&mut modern);
    started(&mut legacy);
    drop(legacy);
    drop(modern);
    until(|| served.stage.cancelled() == 1);
    served.stage.let_end(1);
    until(|| served.stage.done() == 1);
    assert_eq!(served.stage.cancelled(), 1);
    served.finish();
}

#[test]
fn a_quiet_call_shows_that_it_lives() {
    let served = Served::start("quiet", |limits| {
        limits.quiet = Duration::from_millis(20);
    });
    let mut call = served.call_for_events(false, None);
    let head = up_to(&mut call, "\r\n\r\n");
    assert!(
        head.contains("content-type: text/event-stream\r\n"),
        "{head}"
    );
    for _ in 0..3 {
        assert_eq!(up_to(&mut call, "\n\n\r\n"), "3\r\n:\n\n\r\n");
    }
    served.stage.let_end(1);
    assert!(rest(call).contains("done"));
    let call = served.call(false);
    until(|| served.stage.running() == 1);
    served.stage.let_end(1);
    assert!(rest(call).contains("content-type: application/json\r\n"));
    served.finish();
}

#[test]
fn events_end_with_their_answer_when_the_server_stops() {
    let served = Served::start("events drain", |_| {});
    let mut call = served.call_for_events(false, Some("p"));
    started(&mut call);
    let stage = Arc::clone(&served.stage);
    let end = thread::spawn(move || served.finish());
    stage.let_end(1);
    assert!(rest(call).contains("done"));
    end.join().unwrap();
}
