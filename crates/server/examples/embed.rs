//! Serves a folder to this very program over streams in memory: writes a file, reads it and finds it.
//!
//! ```console
//! cargo run --example embed
//! ```

use std::error::Error;
use std::io::{BufRead as _, BufReader, PipeReader, PipeWriter, Write as _, pipe};
use std::path::Path;
use std::thread;

use serde_json::{Value, json};
use workspace_mcp::paged::{ServeOptions, serve};

#[expect(
    clippy::disallowed_macros,
    reason = "this program is a client, and its stdout a person's"
)]
fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    for line in run(folder.path())? {
        println!("{line}");
    }
    Ok(())
}

/// Serves the folder and asks for a few things in it; gives what each answer says.
pub fn run(folder: &Path) -> Result<Vec<String>, Box<dyn Error>> {
    let (their_input, our_output) = pipe()?;
    let (our_input, their_output) = pipe()?;
    let root = folder.to_owned();
    let server = thread::spawn(move || {
        serve(
            &root,
            ServeOptions::new(&["**"]),
            (their_input, their_output),
        )
    });
    let mut client = Client {
        output: our_output,
        input: BufReader::new(our_input),
        last_id: 0,
    };
    let told = vec![
        client.call(
            "write_text_file",
            &json!({"path": "hello.md", "content": "# Hello\n\nNobody left this process.\n"}),
        )?,
        client.call("read_text_file", &json!({"path": "hello.md"}))?,
        client.call(
            "search_text",
            &json!({"query": "nobody", "case_insensitive": true}),
        )?,
    ];
    drop(client);
    server.join().map_err(|_| "the server panicked")??;
    Ok(told)
}

/// Just enough of a client.
struct Client {
    output: PipeWriter,
    input: BufReader<PipeReader>,
    last_id: u64,
}

impl Client {
    /// Calls a tool; gives the text of its answer.
    fn call(&mut self, tool: &str, arguments: &Value) -> Result<String, Box<dyn Error>> {
        self.last_id += 1;
        let request = json!({
            "jsonrpc": "2.0",
            "id": self.last_id,
            "method": "tools/call",
            "params": {
                "name": tool,
                "arguments": arguments,
                "_meta": {
                    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                    "io.modelcontextprotocol/clientCapabilities": {},
                },
            },
        });
        writeln!(self.output, "{request}")?;
        let mut line = String::new();
        self.input.read_line(&mut line)?;
        let answer: Value = serde_json::from_str(&line)?;
        let text = answer["result"]["content"][0]["text"].as_str();
        Ok(text
            .ok_or_else(|| format!("no answer but {answer}"))?
            .to_owned())
    }
}
