//! A managed folder and its configuration, and clients that hold every answer against its schema.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{MAIN_SEPARATOR_STR, Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

use crate::client::{self, Client, program};
use crate::conforms;

/// A folder with a configuration file beside it.
pub struct World {
    base: TempDir,
}

impl World {
    /// A workspace with these files and the default configuration.
    pub fn new(files: &[(&str, &str)]) -> Self {
        Self::with(files, "")
    }

    /// The same with more lines of configuration; they go on in the section `workspace`.
    pub fn with(files: &[(&str, &str)], more: &str) -> Self {
        let world = Self {
            base: client::folder(&[("w/.keep", "")]),
        };
        fs::remove_file(world.path(".keep")).unwrap();
        for (name, content) in files {
            world.write(name, content);
        }
        world.configure(more);
        world
    }

    /// Writes the configuration anew.
    pub fn configure(&self, more: &str) {
        let root = self.root().display().to_string();
        let text = format!("[workspace]\nroot = {}\n{more}", json!(root));
        fs::write(self.config(), text).unwrap();
    }

    /// The folder that is served.
    pub fn root(&self) -> PathBuf {
        self.base.path().join("w")
    }

    /// The folder around it.
    pub fn base(&self) -> &Path {
        self.base.path()
    }

    /// The configuration file.
    pub fn config(&self) -> PathBuf {
        self.base.path().join("config.toml")
    }

    /// A path in the folder that is served.
    pub fn path(&self, name: &str) -> PathBuf {
        self.root().join(name)
    }

    /// Writes a file past the server.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    /// Reads a file past the server.
    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// Every file with its content, but for the server's own state; `/` parts the names.
    pub fn snapshot(&self) -> BTreeMap<String, Vec<u8>> {
        let mut found = BTreeMap::new();
        let mut folders = vec![self.root()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let entry = entry.unwrap();
                if entry.file_name() == ".workspace-mcp" {
                    continue;
                }
                let path = entry.path();
                if entry.file_type().unwrap().is_dir() {
                    folders.push(path);
                } else {
                    let name = path
                        .strip_prefix(self.root())
                        .unwrap()
                        .display()
                        .to_string()
                        .replace(MAIN_SEPARATOR_STR, "/");
                    found.insert(name, fs::read(&path).unwrap_or_default());
                }
            }
        }
        found
    }

    /// The same without the repository.
    pub fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let mut files = self.snapshot();
        files.retain(|name, _| !name.starts_with(".git/"));
        files
    }

    /// Whether anything is there.
    pub fn has(&self, name: &str) -> bool {
        fs::symlink_metadata(self.path(name)).is_ok()
    }

    /// The program with these options.
    pub fn program(&self, options: &[&str]) -> Command {
        let config = self.config().display().to_string();
        program(
            self.base.path(),
            &[&["managed", config.as_str()], options].concat(),
        )
    }

    /// Runs it with an empty stdin until it ends.
    pub fn run(&self, options: &[&str]) -> Output {
        self.program(options)
            .stdin(std::process::Stdio::null())
            .output()
            .unwrap()
    }

    /// Starts a server that answers.
    pub fn start(&self) -> Talk {
        Talk::new(Client::start_with(&mut self.program(&[])))
    }
}

/// A client that knows the schemas of the tools.
pub struct Talk {
    /// The client.
    pub client: Client,
    schemas: HashMap<String, Value>,
}

impl Talk {
    /// Asks for the schemas first.
    pub fn new(mut client: Client) -> Self {
        let list = client.request("tools/list", json!({}));
        let tools = list["result"]["tools"].as_array().unwrap();
        let schema = |tool: &Value| {
            let name = tool["name"].as_str().unwrap().to_owned();
            (name, tool["outputSchema"].clone())
        };
        let schemas = tools.iter().map(schema).collect();
        Self { client, schemas }
    }

    /// Calls a tool that does what it is asked; gives the answer as data.
    pub fn ok(&mut self, tool: &str, arguments: impl Into<Value>) -> Value {
        let id = self.client.send_call(tool, arguments);
        let answer = self.client.recv(id);
        self.data(tool, &answer)
    }

    /// The data of an answer that is no failure.
    pub fn data(&self, tool: &str, answer: &Value) -> Value {
        let result = &answer["result"];
        let text = result["content"][0]["text"].as_str();
        let text = text.unwrap_or_else(|| panic!("no text in {answer}"));
        assert!(result.get("isError").is_none(), "{text}");
        let data = &result["structuredContent"];
        assert_eq!(text, format!("{data:#}"), "the text holds the same");
        assert_eq!(result["content"].as_array().unwrap().len(), 1);
        let faults = conforms::faults(&self.schemas[tool], data);
        assert!(faults.is_empty(), "{tool}: {faults:#?}");
        data.clone()
    }

    /// Calls a tool that fails; gives its text without what is before it in every failure.
    pub fn fault(&mut self, tool: &str, arguments: impl Into<Value>) -> String {
        let id = self.client.send_call(tool, arguments);
        let answer = self.client.recv(id);
        let result = &answer["result"];
        assert_eq!(result["isError"], true, "{answer}");
        assert!(result.get("structuredContent").is_none(), "{answer}");
        let text = result["content"][0]["text"].as_str().unwrap();
        let start = format!("Error executing tool {tool}: ");
        let rest = text.strip_prefix(&start);
        rest.unwrap_or_else(|| panic!("{text}")).to_owned()
    }

    /// Does operations.
    pub fn apply(&mut self, operations: &[Value]) -> Value {
        self.ok("apply_changes", json!({"operations": operations}))
    }

    /// The fault of operations, without the line that says which one it is about and what is left.
    pub fn apply_fault(&mut self, operations: &[Value]) -> String {
        let fault = self.fault("apply_changes", json!({"operations": operations}));
        let Some((fault, hint)) = fault.split_once('\n') else {
            return fault;
        };
        assert!(hint.contains("nothing was changed"), "{hint}");
        fault.to_owned()
    }

    /// The checkpoints, newest first: their messages.
    pub fn messages(&mut self) -> Vec<String> {
        let history = self.ok("git_history", json!({"limit": 100}));
        let checkpoints = history["checkpoints"].as_array().unwrap();
        let message = |one: &Value| one["message"].as_str().unwrap().to_owned();
        checkpoints.iter().map(message).collect()
    }

    /// The newest checkpoint.
    pub fn head(&mut self) -> String {
        let status = self.ok("git_status", json!({}));
        status["checkpoint"].as_str().unwrap().to_owned()
    }
}

/// The hash of a content.
pub fn hash(content: impl AsRef<[u8]>) -> String {
    let digest = Sha256::digest(content.as_ref());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// An operation that makes a file.
pub fn create(path: &str, content: &str) -> Value {
    json!({"op": "create_file", "path": path, "content": content})
}
