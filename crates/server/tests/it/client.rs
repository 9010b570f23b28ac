//! A small client: starts the program in a folder, sends lines, and waits for answers by id.

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Output, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

/// How long an answer may take before the test gives up.
const PATIENCE: Duration = Duration::from_secs(20);
/// The `_meta` of a request of 2026-07-28.
const MODERN: &str = "2026-07-28";

/// A folder that is served, and a running server.
pub struct Client {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    seen: HashMap<String, Value>,
    /// Every line of stdout so far.
    pub stdout: Vec<String>,
    last_id: i64,
    modern: bool,
}

/// How much more than usual is to be done.
pub fn soak() -> usize {
    let times = std::env::var("WORKSPACE_MCP_SOAK").ok();
    times.and_then(|times| times.parse().ok()).unwrap_or(1)
}

/// A temporary folder with files.
pub fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }
    folder
}

/// Where a file or folder is, as the program shows it: without links, as people write it.
pub fn shown(path: &Path) -> String {
    let real = path.canonicalize().unwrap().display().to_string();
    // Windows puts this before it, so that nothing is read into the rest.
    real.strip_prefix("\\\\?\\").unwrap_or(&real).to_owned()
}

/// The program with these options, in this folder.
pub fn program(folder: &Path, options: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_workspace-mcp"));
    command.current_dir(folder).args(options);
    // Whoever runs the tests may have a configuration of their own.
    for variable in ["XDG_CONFIG_HOME", "HOME", "APPDATA"] {
        command.env(variable, folder.join("nobody's home"));
    }
    for variable in ["WORKSPACE_MCP_JOURNAL_MAX_BYTES", "MCP_TOKEN"] {
        command.env_remove(variable);
    }
    command
}

/// Runs the program with an empty stdin until it ends.
pub fn run(folder: &Path, options: &[&str]) -> Output {
    program(folder, options)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

impl Client {
    /// Starts the server of a folder.
    pub fn start(folder: &Path, options: &[&str]) -> Self {
        Self::start_with(&mut program(folder, options))
    }

    /// Starts a program that was set up otherwise.
    pub fn start_with(program: &mut Command) -> Self {
        let mut child = program
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let stdin = child.stdin.take();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = channel();
        thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Self {
            child,
            stdin,
            lines,
            seen: HashMap::new(),
            stdout: Vec::new(),
            last_id: 0,
            modern: false,
        }
    }

    /// Sends requests by the rules of 2026-07-28 from now on.
    pub fn modern(mut self) -> Self {
        self.modern = true;
        self
    }

    /// The process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends bytes as they are.
    pub fn send_bytes(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().expect("stdin is open");
        stdin.write_all(bytes).unwrap();
        stdin.flush().unwrap();
    }

    /// Sends one line.
    pub fn send_line(&mut self, line: &str) {
        self.send_bytes(format!("{line}\n").as_bytes());
    }

    /// Sends one message.
    pub fn send(&mut self, message: &Value) {
        self.send_line(&message.to_string());
    }

    /// Sends a request; gives its id.
    pub fn send_request(&mut self, method: &str, mut params: Value) -> i64 {
        self.last_id += 1;
        if self.modern {
            params["_meta"] = modern_meta();
        }
        let id = self.last_id;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    /// The answer with an id.
    pub fn recv(&mut self, id: impl Into<Value>) -> Value {
        self.recv_within(id, PATIENCE)
    }

    /// The answer with an id that may take longer than others.
    pub fn recv_within(&mut self, id: impl Into<Value>, patience: Duration) -> Value {
        let id: Value = id.into();
        let key = id.to_string();
        let deadline = Instant::now() + patience;
        while !self.seen.contains_key(&key) {
            let Some(message) = self.next_message(deadline) else {
                panic!("no answer with id {id}; stdout was {:#?}", self.stdout);
            };
            self.seen.insert(message["id"].to_string(), message);
        }
        self.seen.remove(&key).unwrap()
    }

    /// Sends a request and waits for its answer.
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.send_request(method, params);
        self.recv(id)
    }

    /// Calls a tool; gives its text, with `error: ` before a failure.
    pub fn call(&mut self, tool: &str, arguments: impl Into<Value>) -> String {
        let id = self.send_call(tool, arguments);
        text_of(&self.recv(id))
    }

    /// Does the handshake of a legacy client.
    pub fn initialize(&mut self, version: &str) -> Value {
        let params = json!({
            "protocolVersion": version,
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        });
        let answer = self.request("initialize", params);
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        answer
    }

    /// Closes stdin.
    pub fn close(&mut self) {
        self.stdin = None;
    }

    /// Closes stdin and waits for the end: the exit code, and every message that was not asked for yet.
    pub fn finish(mut self) -> (Option<i32>, Vec<Value>) {
        self.close();
        let code = self.wait();
        let deadline = Instant::now() + PATIENCE;
        let mut rest: Vec<Value> = self.seen.drain().map(|(_, message)| message).collect();
        while let Some(message) = self.next_message(deadline) {
            rest.push(message);
        }
        (code, rest)
    }

    /// Waits for the end of the process: the exit code.
    pub fn wait(&mut self) -> Option<i32> {
        let deadline = Instant::now() + PATIENCE;
        // The end of stdout comes with the end of the process.
        while let Some(message) = self.next_message(deadline) {
            self.seen.insert(message["id"].to_string(), message);
        }
        assert!(Instant::now() < deadline, "the server does not end");
        self.child.wait().unwrap().code()
    }

    /// Ends the process at once, with no chance to clean up; gives every message that was not asked for yet.
    pub fn kill(mut self) -> Vec<Value> {
        self.child.kill().unwrap();
        self.finish().1
    }

    /// Sends a call of a tool; gives its id.
    pub fn send_call(&mut self, tool: &str, arguments: impl Into<Value>) -> i64 {
        let params = json!({"name": tool, "arguments": arguments.into()});
        self.send_request("tools/call", params)
    }

    fn next_message(&mut self, deadline: Instant) -> Option<Value> {
        let left = deadline.saturating_duration_since(Instant::now());
        match self.lines.recv_timeout(left) {
            Ok(line) => {
                let message = serde_json::from_str(&line)
                    .unwrap_or_else(|error| panic!("stdout has {line:?}: {error}"));
                self.stdout.push(line);
                Some(message)
            }
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => None,
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // A test that failed must not leave a server behind.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Waits until something holds.
#[cfg(any(target_os = "linux", windows))]
#[track_caller]
pub fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let by = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < by, "not in time: {what}");
        thread::yield_now();
    }
}

/// What follows this start on its line.
#[cfg(any(target_os = "linux", windows))]
#[track_caller]
pub fn line<'a>(text: &'a str, start: &str) -> &'a str {
    text.lines()
        .find_map(|line| line.strip_prefix(start))
        .unwrap_or_else(|| panic!("no {start:?} in {text}"))
}

/// The `_meta` that each request of 2026-07-28 carries.
pub fn modern_meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

/// The text of an answer of a tool, with `error: ` before a failure.
pub fn text_of(answer: &Value) -> String {
    let result = &answer["result"];
    let Some(text) = result["content"][0]["text"].as_str() else {
        panic!("no text in {answer}");
    };
    if result["isError"] == true {
        format!("error: {text}")
    } else {
        text.to_owned()
    }
}
