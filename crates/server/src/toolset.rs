//! What the protocol serves: some tools under one name. Each toolset of the program is one of these;
//! how it finds and runs a tool is its own.

use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Map, Value};
use workspace::Cancel;

use crate::args;
use crate::log::Log;
use crate::progress::Progress;
use crate::reply::Reply;
use crate::tool::{Hints, Tool};

/// Tools that are served together.
pub trait Toolset: Send + Sync + 'static {
    /// Who clients are told they speak with.
    fn identity(&self) -> Identity<'_>;

    /// What a client is told about the whole.
    fn instructions(&self) -> &str;

    /// How the protocol is spoken.
    fn terms(&self) -> Terms {
        Terms::default()
    }

    /// The tools that exist, in the order clients see them. Asked for once.
    fn tools(&self) -> Vec<Listed>;

    /// Whether a call of the tool of that name mostly waits, for a program that it started. Such calls
    /// take no place from those that keep the machine busy.
    fn waits(&self, _name: &str) -> bool {
        false
    }

    /// Runs one call and blocks until the tool is done; `None` when there is no such tool. Bad
    /// arguments, failures and panics are answers.
    fn call(&self, name: &str, arguments: Map<String, Value>, caller: Caller) -> Option<Answer>;

    /// Where log lines go.
    fn log(&self) -> &Log;

    /// Told of each line that is JSON and no message.
    fn note_no_message(&self) {}
}

/// Name and version of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity<'a> {
    /// The name.
    pub name: &'a str,
    /// The version; may be empty.
    pub version: &'a str,
}

impl Identity<'_> {
    /// This program.
    pub const PROGRAM: Identity<'static> = Identity {
        name: "workspace-mcp",
        version: env!("CARGO_PKG_VERSION"),
    };
}

/// How the protocol is spoken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// The revisions that are served.
    pub eras: Eras,
    /// Milliseconds that a client of 2026-07-28 may take the list of tools for fresh.
    pub list_fresh_ms: u64,
    /// Whether that list may be shared between users.
    pub list_is_public: bool,
    /// Milliseconds that it may take what it learnt of the server for fresh.
    pub server_fresh_ms: u64,
    /// Whether the server says that it could tell of changes to its list.
    pub list_changes: bool,
}

/// Revisions of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Eras {
    /// Those with `initialize`, and 2026-07-28.
    Both,
    /// 2026-07-28 only.
    Modern,
}

/// How long a client may take what it was told for fresh. It changes with a restart only, but a
/// client may keep it beyond one.
const FRESH_MS: u64 = 300_000;

impl Default for Terms {
    fn default() -> Self {
        Self {
            eras: Eras::Both,
            list_fresh_ms: FRESH_MS,
            list_is_public: true,
            server_fresh_ms: FRESH_MS,
            list_changes: false,
        }
    }
}

/// What clients are told of a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct Listed {
    /// The name clients call.
    pub name: Cow<'static, str>,
    /// The name for people.
    pub title: Cow<'static, str>,
    /// What it does, for a model.
    pub description: Cow<'static, str>,
    /// The schema of its arguments.
    pub input: Map<String, Value>,
    /// The schema of [`Reply::structured`], when it has that.
    pub output: Option<Map<String, Value>>,
    /// What it does to the world.
    pub hints: Hints,
    /// What else is said under `_meta`.
    pub meta: Option<Map<String, Value>>,
}

impl<F> From<&Tool<F>> for Listed {
    fn from(tool: &Tool<F>) -> Self {
        Self {
            name: tool.name.into(),
            title: tool.title.into(),
            description: tool.description.into(),
            input: args::schema(tool.args),
            output: None,
            hints: tool.hints,
            meta: None,
        }
    }
}

/// What a call knows of whoever made it.
#[derive(Clone, Debug, Default)]
pub struct Caller {
    /// Raised when the caller gives up.
    pub cancel: Cancel,
    /// Tells the caller how far the call is.
    pub progress: Progress,
    /// Whether halves of characters in the message were replaced by U+FFFD.
    pub is_mended: bool,
}

/// The answer to a call of a tool that exists.
#[derive(Debug)]
pub struct Answer {
    /// What the tool says.
    pub reply: Reply,
    /// Whether that is a failure.
    pub is_error: bool,
}

impl Answer {
    /// An answer that is a failure.
    #[must_use]
    pub fn failure(reply: Reply) -> Self {
        Self {
            reply,
            is_error: true,
        }
    }
}

/// Numbers the calls of a server, so that a line in the log and an answer can be brought together.
#[derive(Debug, Default)]
pub struct Calls(AtomicU64);

impl Calls {
    /// Runs one call. A panic is an answer that names the number of the call only; the rest is for
    /// the log.
    pub fn run(&self, log: &Log, tool: &str, call: impl FnOnce() -> Answer) -> Answer {
        let id = self.0.fetch_add(1, Ordering::Relaxed) + 1;
        let answer = catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|_| {
            log.error(&format!("call {id} of {tool} panicked"));
            Answer::failure(Reply::text(format!("internal error (call {id})")))
        });
        if answer.is_error {
            log.debug(&format!("call {id} of {tool} failed"));
        }
        answer
    }
}
