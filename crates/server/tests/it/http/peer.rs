//! A server over HTTP, and connections to it that send whatever a test wants.

use std::io::{BufRead as _, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::client::{modern_meta, program};

/// How long an answer may take before the test gives up.
const PATIENCE: Duration = Duration::from_secs(20);

/// A running server.
pub struct Served {
    child: Child,
    stderr: BufReader<std::process::ChildStderr>,
    /// Where it listens.
    pub port: u16,
    /// What it said on its way up.
    pub log: Vec<String>,
}

impl Served {
    /// Serves a folder on a free port.
    pub fn start(folder: &Path, options: &[&str]) -> Self {
        let options = [&["--http", "--port", "0"], options].concat();
        Self::start_with(&mut program(folder, &options))
    }

    /// Starts a program that was set up otherwise.
    pub fn start_with(program: &mut Command) -> Self {
        let mut child = program
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let mut log = Vec::new();
        let port = loop {
            let mut line = String::new();
            assert!(
                stderr.read_line(&mut line).unwrap() > 0,
                "no start: {log:?}"
            );
            log.push(line.trim_end().to_owned());
            let address = line.split_once("ready on ");
            if let Some((address, _)) = address.and_then(|(_, rest)| rest.split_once("/mcp")) {
                let port = address.rsplit(':').next().unwrap();
                break port.parse().unwrap();
            }
        };
        Self {
            child,
            stderr,
            port,
            log,
        }
    }

    /// A connection.
    pub fn connect(&self) -> Conn {
        Conn::over(self.stream())
    }

    /// The same, for what is not said in HTTP.
    pub fn stream(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_nodelay(true).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// Sends a request on a connection of its own.
    pub fn send(&self, request: &Request) -> Reply {
        let mut conn = self.connect();
        conn.send(request);
        conn.recv()
    }

    /// Sends bytes on a connection of their own.
    pub fn send_bytes(&self, bytes: &[u8]) -> Reply {
        let mut conn = self.connect();
        conn.send_bytes(bytes);
        conn.recv()
    }

    /// Sends a message on a connection of its own; gives the answer.
    pub fn post(&self, message: &Value) -> Reply {
        self.send(&Request::post(message))
    }

    /// The process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Tells the server to stop.
    #[cfg(unix)]
    pub fn terminate(&self) {
        let pid = self.pid().to_string();
        let sent = Command::new("kill").args(["-TERM", &pid]).status().unwrap();
        assert!(sent.success());
    }

    /// Waits for the end: the exit code, and what it said meanwhile.
    pub fn wait(&mut self) -> (Option<i32>, String) {
        let mut rest = String::new();
        self.stderr.read_to_string(&mut rest).unwrap();
        (self.child.wait().unwrap().code(), rest)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // A test that failed must not leave a server behind.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What bytes go over.
pub trait Stream: Read + Write {}

impl<T: Read + Write> Stream for T {}

/// A connection that stays open.
pub struct Conn {
    stream: BufReader<Box<dyn Stream>>,
}

impl Conn {
    /// HTTP over these bytes.
    pub fn over(stream: impl Stream + 'static) -> Self {
        Self {
            stream: BufReader::new(Box::new(stream)),
        }
    }

    /// Sends bytes as they are.
    pub fn send_bytes(&mut self, bytes: &[u8]) {
        self.stream.get_mut().write_all(bytes).unwrap();
    }

    /// Sends a request.
    pub fn send(&mut self, request: &Request) {
        self.send_bytes(&request.bytes());
    }

    /// Sends a message and gives the answer.
    pub fn post(&mut self, message: &Value) -> Reply {
        self.send(&Request::post(message));
        self.recv()
    }

    /// The next answer.
    pub fn recv(&mut self) -> Reply {
        let head = self.head();
        let mut reply = head.expect("an answer");
        // An answer to HEAD and a 204 have no body; tests of those read no further.
        let length = reply.header("content-length").map(str::to_owned);
        if let Some(length) = length {
            let mut body = vec![0; length.parse().unwrap()];
            self.stream.read_exact(&mut body).unwrap();
            reply.body = body;
        }
        reply
    }

    /// The head of the next answer; `None` when the connection has ended.
    pub fn head(&mut self) -> Option<Reply> {
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            if self.stream.read_line(&mut line).ok()? == 0 {
                return None;
            }
            let line = line.trim_end().to_owned();
            if line.is_empty() {
                break;
            }
            lines.push(line);
        }
        let mut lines = lines.into_iter();
        let status = lines.next().unwrap();
        let status = status.split_once(' ').expect("a status line").1;
        Some(Reply {
            status: status[..3].parse().unwrap(),
            headers: lines
                .map(|line| {
                    let (name, value) = line.split_once(':').unwrap();
                    (name.to_ascii_lowercase(), value.trim().to_owned())
                })
                .collect(),
            body: Vec::new(),
        })
    }

    /// The next piece of an answer that comes in pieces.
    pub fn chunk(&mut self) -> String {
        let mut line = String::new();
        self.stream.read_line(&mut line).unwrap();
        let length = usize::from_str_radix(line.trim_end(), 16).unwrap();
        let mut piece = vec![0; length + 2];
        self.stream.read_exact(&mut piece).unwrap();
        piece.truncate(length);
        String::from_utf8(piece).unwrap()
    }

    /// Whether the other side has closed the connection, waiting for it.
    pub fn is_closed(&mut self) -> bool {
        self.head().is_none()
    }
}

/// An answer.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Reply {
    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        let named = self.headers.iter().find(|(header, _)| header == name);
        named.map(|(_, value)| value.as_str())
    }

    /// The body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error} in {self:?}"))
    }

    /// Status and the body as text.
    pub fn outcome(&self) -> (u16, String) {
        (self.status, String::from_utf8(self.body.clone()).unwrap())
    }

    /// Status, code and message of an error.
    pub fn fault(&self) -> (u16, i64, String) {
        assert_eq!(self.header("content-type"), Some("application/json"));
        let error = self.json()["error"].take();
        let text = error["message"].as_str().unwrap().to_owned();
        (self.status, error["code"].as_i64().unwrap(), text)
    }
}

/// A request in the making.
#[derive(Clone)]
pub struct Request {
    line: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Request {
    /// A request with a line and nothing but a host.
    pub fn new(method: &str, target: &str) -> Self {
        Self {
            line: format!("{method} {target} HTTP/1.1"),
            headers: vec![("Host".to_owned(), "localhost".to_owned())],
            body: Vec::new(),
        }
    }

    /// A message for the endpoint, as a legacy client sends it.
    pub fn post(message: &Value) -> Self {
        Self::body(message.to_string().as_bytes())
    }

    /// A message for the endpoint, as a client of 2026-07-28 sends it.
    pub fn modern(method: &str, mut params: Value) -> Self {
        let name = params["name"].as_str().map(str::to_owned);
        params["_meta"] = modern_meta();
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let request = Self::post(&message)
            .with("MCP-Protocol-Version", "2026-07-28")
            .with("Mcp-Method", method);
        match name {
            Some(name) => request.with("Mcp-Name", &name),
            None => request,
        }
    }

    /// A body for the endpoint.
    pub fn body(body: &[u8]) -> Self {
        let mut request = Self::new("POST", "/mcp")
            .with("Accept", "application/json, text/event-stream")
            .with("Content-Type", "application/json")
            .with("Content-Length", &body.len().to_string());
        request.body = body.to_vec();
        request
    }

    /// The same with one header replaced or added.
    pub fn with(self, name: &str, value: &str) -> Self {
        let mut request = self.without(name);
        request.headers.push((name.to_owned(), value.to_owned()));
        request
    }

    /// The same with one more header.
    pub fn adding(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The same without a header.
    pub fn without(mut self, name: &str) -> Self {
        self.headers
            .retain(|(header, _)| !header.eq_ignore_ascii_case(name));
        self
    }

    /// The same with another request line.
    pub fn at(mut self, line: &str) -> Self {
        self.line = format!("{line} HTTP/1.1");
        self
    }

    /// Changes the message.
    pub fn edit(&mut self, change: impl FnOnce(&mut Value)) {
        let mut message = serde_json::from_slice(&self.body).unwrap();
        change(&mut message);
        self.body = message.to_string().into_bytes();
        *self = self
            .clone()
            .with("Content-Length", &self.body.len().to_string());
    }

    /// The same by another version of HTTP.
    pub fn version(mut self, version: &str) -> Self {
        let line = self.line.trim_end_matches("1.1").to_owned();
        self.line = line + version;
        self
    }

    /// What goes over the wire.
    pub fn bytes(&self) -> Vec<u8> {
        let mut text = format!("{}\r\n", self.line);
        for (name, value) in &self.headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        text.push_str("\r\n");
        [text.as_bytes(), &self.body].concat()
    }
}

/// A call of a tool as a legacy client sends it.
pub fn call(id: impl Into<Value>, tool: &str, arguments: impl Into<Value>) -> Value {
    let (id, arguments): (Value, Value) = (id.into(), arguments.into());
    let params = json!({"name": tool, "arguments": arguments});
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
}

/// A legacy request that needs no tool.
pub fn ping(id: impl Into<Value>) -> Value {
    let id: Value = id.into();
    json!({"jsonrpc": "2.0", "id": id, "method": "ping"})
}
