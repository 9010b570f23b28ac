use serde_json::{Value, json};

use super::Server;
use crate::args::{Arg, Args};
use crate::cli;
use crate::config::Config;
use crate::context::Ctx;
use crate::failure::Failure;
use crate::log::{Level, Log};
use crate::registry::{Registry, ToolFilter};
use crate::reply::Reply;
use crate::tool::{Hints, Tool};
use crate::toolset::{Caller, Toolset as _};

const TOOLS: &[Tool] = &[Tool {
    name: "say",
    title: "Say",
    description: "",
    args: &[Arg::text("text", ""), Arg::flag("panic", "")],
    hints: Hints::READ,
    call: |_: &Ctx<'_>, args: &Args| {
        assert!(!args.flag("panic"), "a secret: {:?}", args.text("text"));
        match args.text("text") {
            Some(text) => Ok(Reply::text(text)),
            None => Err(Failure::Workspace(workspace::Error::Busy)),
        }
    },
}];

fn said(max_bytes: &str, sent: impl Into<Value>) -> (String, bool) {
    let folder = tempfile::tempdir().unwrap();
    let words = ["--max-answer-bytes", max_bytes].map(str::to_owned);
    let line = cli::parse(words).unwrap();
    let config = Config::from_options(&line.options, folder.path()).unwrap();
    let registry = Registry::new(TOOLS, &ToolFilter::default()).unwrap();
    let log = Log::to_stderr(Level::Off);
    let server = Server::new(registry, config.open().unwrap(), None, config.room, log);
    let Value::Object(sent) = sent.into() else {
        panic!("arguments are an object");
    };
    let answer = server.call("say", sent, Caller::default()).unwrap();
    (answer.reply.text, answer.is_error)
}

#[test]
fn answers_and_failures_end_with_the_ignored_arguments() {
    assert_eq!(
        said("2000", json!({"text": "a", "b": 1})),
        ("a\n(ignored argument: b)".to_owned(), false)
    );
    assert_eq!(
        said("2000", json!({"b": 1, "c": 2})),
        (
            "workspace is busy: another process is writing\n(ignored arguments: b, c)".to_owned(),
            true
        )
    );
    assert_eq!(
        said("2000", json!({"text": 5, "panic": "maybe"})),
        (
            "invalid arguments for say: text: expected text, got 5; \
             panic: expected true or false, got \"maybe\""
                .to_owned(),
            true
        )
    );
}

#[test]
fn a_panic_is_answered_with_the_number_of_the_call_only() {
    assert_eq!(
        said("2000", json!({"text": "password", "panic": true})),
        ("internal error (call 1)".to_owned(), true)
    );
}

#[test]
fn the_cut_leaves_room_for_the_ignored_arguments() {
    let (text, _) = said("1024", json!({"text": "line\n".repeat(500), "b": 1}));
    assert!(text.len() <= 1024, "{} bytes", text.len());
    assert!(
        text.ends_with("to see the rest)\n(ignored argument: b)"),
        "{text}"
    );
    // A name as long as the room is cut with the rest.
    let (text, _) = said("1024", json!({"text": "a", "b".repeat(5000): 1}));
    assert!(text.len() <= 1024, "{} bytes", text.len());
}

#[test]
fn many_or_long_ignored_arguments_make_a_short_line() {
    let (text, _) = said("2000000", json!({"text": "a", "b".repeat(5000): 1}));
    let told = format!("a\n(ignored argument: {}…)", "b".repeat(100));
    assert_eq!(text, told);
    let mut sent = json!({"text": "a"});
    for n in 0..1000 {
        sent[format!("x{n}")] = json!(1);
    }
    let (text, _) = said("2000000", sent);
    assert!(text.ends_with(", x19, and 980 more)"), "{text}");
}
