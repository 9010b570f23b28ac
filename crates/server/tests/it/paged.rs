//! The toolset `paged`, as programs drive it.

#[cfg(target_os = "linux")]
mod cost;
mod embedding;
#[cfg(unix)]
mod fence;
mod line;
mod protocol;
mod session;

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::client::{Client, program};

/// The program, to serve a folder in pages.
fn paged(folder: &Path, options: &[&str]) -> Command {
    let mut command = program(folder, &["paged"]);
    command.args(options);
    command
}

/// A running server of everything in a folder, for a client of 2026-07-28.
fn start(folder: &Path, options: &[&str]) -> Client {
    let options = [&["--root", ".", "--include", "**"], options].concat();
    Client::start_with(&mut paged(folder, &options)).modern()
}

/// What a call answers with: its data, which its text says too.
fn data(client: &mut Client, tool: &str, arguments: impl Into<Value>) -> Value {
    let id = client.send_call(tool, arguments);
    let answer = client.recv(id);
    let result = &answer["result"];
    assert_ne!(result["isError"], json!(true), "{result}");
    let text = result["content"][0]["text"].as_str().unwrap();
    assert_eq!(text, result["structuredContent"].to_string());
    result["structuredContent"].clone()
}

/// All items of a traversal, page by page.
fn all(client: &mut Client, tool: &str, arguments: &Value) -> Vec<Value> {
    let mut items = Vec::new();
    let mut arguments = arguments.clone();
    loop {
        let page = data(client, tool, arguments.clone());
        items.extend(page["items"].as_array().unwrap().iter().cloned());
        match &page["next_cursor"] {
            Value::Null => return items,
            cursor => arguments["cursor"] = cursor.clone(),
        }
    }
}
