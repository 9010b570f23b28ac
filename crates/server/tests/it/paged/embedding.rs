//! The server within another program, and as a host starts it.

use std::path::Path;

use serde_json::{Value, json};
use workspace_mcp::paged::{Async, ServeError, ServeOptions, serve};

use super::data;
use crate::client::{Client, folder};

#[path = "../../../examples/embed.rs"]
#[allow(
    dead_code,
    clippy::disallowed_macros,
    reason = "an example is a program of its own"
)]
mod embed;

#[test]
fn the_example_writes_reads_and_finds() {
    let folder = folder(&[]);
    let told = embed::run(folder.path()).unwrap();
    assert_eq!(told.len(), 3);
    assert!(
        told[0].starts_with(r#"{"path":"hello.md","bytes":35,"#),
        "{}",
        told[0]
    );
    assert!(told[1].contains(r##""text":"# Hello\n\nNobody left this process.\n""##));
    assert!(told[2].contains(r#"{"path":"hello.md","line":3,"text":"Nobody left this process."}"#));
}

#[test]
fn an_async_stream_in_memory_will_do() {
    let folder = folder(&[("a.txt", "needle\n")]);
    let root = folder.path().to_owned();
    let (theirs, ours) = tokio::io::duplex(64);
    let server =
        std::thread::spawn(move || serve(&root, ServeOptions::new(&["**"]), Async(theirs)));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let answer = runtime.block_on(async {
        use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
        let (read, mut write) = tokio::io::split(ours);
        let request = json!({
            "jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {
                "name": "search_text", "arguments": {"query": "needle"},
                "_meta": crate::client::modern_meta(),
            },
        });
        write
            .write_all(format!("{request}\n").as_bytes())
            .await
            .unwrap();
        let mut line = String::new();
        BufReader::new(read).read_line(&mut line).await.unwrap();
        serde_json::from_str::<Value>(&line).unwrap()
    });
    assert_eq!(
        answer["result"]["structuredContent"]["items"][0]["path"],
        "a.txt"
    );
    server.join().unwrap().unwrap();
}

#[test]
fn bad_options_are_told() {
    let folder = folder(&[]);
    let refused = serve(
        folder.path(),
        ServeOptions::new(&[]),
        (std::io::empty(), std::io::sink()),
    );
    let text = "at least one --include pattern is required";
    assert!(matches!(refused, Err(ServeError::Options(told)) if told == text));
    let missing = folder.path().join("missing");
    let refused = serve(
        &missing,
        ServeOptions::new(&["**"]),
        (std::io::empty(), std::io::sink()),
    );
    assert_eq!(refused.unwrap_err().to_string(), "root does not exist");
}

#[test]
fn a_host_starts_a_reader_and_a_writer_without_an_environment() {
    let host = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/paged/host.json");
    let host: Value = serde_json::from_str(&std::fs::read_to_string(host).unwrap()).unwrap();
    let folder = folder(&[
        ("project/src/main.rs", "fn main() {}\n"),
        ("reports/old.md", ""),
    ]);
    let start = |name: &str| {
        let installed = &host["installations"][name];
        let transport = &installed["transport"];
        assert_eq!(
            (&transport["inherit_environment"], &transport["env"]),
            (&json!(false), &json!({}))
        );
        let served = |word: &str| match word.strip_prefix("/srv/") {
            Some(rest) => folder.path().join(rest).to_str().unwrap().to_owned(),
            None => word.to_owned(),
        };
        let words = transport["args"].as_array().unwrap().iter();
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_workspace-mcp"));
        command.args(words.map(|word| served(word.as_str().unwrap())));
        command.current_dir("/").env_clear();
        let client = Client::start_with(&mut command).modern();
        (client, installed["tools"].clone())
    };
    let (mut reader, tools) = start("project_reader");
    assert!(
        !tools
            .as_array()
            .unwrap()
            .contains(&json!("write_text_file"))
    );
    let found = data(&mut reader, "search_text", json!({"query": "main"}));
    assert_eq!(found["items"][0]["path"], "src/main.rs");
    let refused = reader.call("write_text_file", json!({"path": "x.md", "content": ""}));
    assert!(
        refused.starts_with("error: no --include pattern of this root matches a file"),
        "{refused}"
    );
    let (mut writer, tools) = start("report_writer");
    assert_eq!(tools, json!(["write_text_file"]));
    let written = data(
        &mut writer,
        "write_text_file",
        json!({"path": "new.md", "content": "# New\n"}),
    );
    assert_eq!(written["bytes"], 6);
    let report = std::fs::read_to_string(folder.path().join("reports/new.md"));
    assert_eq!(report.unwrap(), "# New\n");
}
