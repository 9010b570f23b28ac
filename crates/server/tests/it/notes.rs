//! The toolset `notes`: a person's notes and tasks.

mod answers;
mod calls;
mod edits;
#[cfg(target_os = "linux")]
mod fence;
mod files;
mod options;
mod reading;
#[cfg(target_os = "linux")]
mod sentences;
#[cfg(target_os = "linux")]
mod size;
#[cfg(target_os = "linux")]
mod together;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::{Client, folder};

/// All tools that write.
const WRITES: [&str; 8] = [
    "notes_append",
    "notes_write",
    "notes_edit",
    "notes_move",
    "tasks_add",
    "tasks_complete",
    "tasks_update",
    "tasks_remove",
];

/// The tools that are always there.
const READS: [&str; 5] = [
    "notes_list",
    "notes_read",
    "notes_search",
    "notes_links",
    "tasks_list",
];

/// A folder with a folder `notes` in it.
fn vault(files: &[(&str, &str)]) -> TempDir {
    let files: Vec<(String, &str)> = files
        .iter()
        .map(|(path, text)| (format!("notes/{path}"), *text))
        .collect();
    let mut all: Vec<(&str, &str)> = files
        .iter()
        .map(|(path, text)| (path.as_str(), *text))
        .collect();
    all.push(("outside.md", "secret"));
    let folder = folder(&all);
    std::fs::create_dir_all(folder.path().join("notes")).unwrap();
    folder
}

/// A server of the folder `notes` in a folder.
fn serve(folder: &TempDir, options: &[&str]) -> Client {
    let options = [&["notes", "--root", "notes"], options].concat();
    Client::start(folder.path(), &options)
}

/// The same with all tools that write.
fn serve_writing(folder: &TempDir, options: &[&str]) -> Client {
    let writes = WRITES.join(",");
    serve(folder, &[&["--allow-write", &writes], options].concat())
}

/// The result of a call.
fn result(client: &mut Client, tool: &str, arguments: Value) -> Value {
    let id = client.send_call(tool, arguments);
    client.recv(id)["result"].clone()
}

/// The answer to a call as data.
fn data(client: &mut Client, tool: &str, arguments: Value) -> Value {
    let result = result(client, tool, arguments);
    assert_ne!(result["isError"], true, "{tool}: {result}");
    result["structuredContent"].clone()
}

fn tools(client: &mut Client) -> Vec<Value> {
    let list = client.request("tools/list", json!({}));
    list["result"]["tools"].as_array().unwrap().clone()
}

fn names(client: &mut Client) -> Vec<String> {
    let name = |tool: &Value| tool["name"].as_str().unwrap().to_owned();
    tools(client).iter().map(name).collect()
}
