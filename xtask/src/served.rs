//! A running server for the tests that need one.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;

use crate::Result;

/// A server that listens on a free port; it ends with this value.
pub struct Served {
    child: Child,
    /// Where it takes requests.
    pub address: String,
}

impl Served {
    /// Serves a folder over HTTP, with this token if any.
    pub fn start(
        server: &Path,
        root: &Path,
        token: Option<&str>,
        options: &[&str],
    ) -> Result<Self> {
        let mut command = Command::new(server);
        command
            .args(["--http", "--port", "0", "--root"])
            .arg(root)
            .args(options)
            .env_remove("MCP_TOKEN")
            .envs(token.map(|token| ("MCP_TOKEN", token)))
            .current_dir(root)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        let mut child = command
            .spawn()
            .map_err(|error| format!("cannot start the server: {error}"))?;
        let stderr = child.stderr.take().expect("stderr was asked to be a pipe");
        let mut lines = BufReader::new(stderr)
            .lines()
            .map_while(std::io::Result::ok);
        let mut served = Self {
            child,
            address: String::new(),
        };
        for line in lines.by_ref() {
            if let Some(rest) = line.split("ready on ").nth(1) {
                let address = rest.split(' ').next().unwrap_or_default();
                address.clone_into(&mut served.address);
                // Nobody reads on, but the server must not wait for that.
                thread::spawn(move || lines.for_each(drop));
                return Ok(served);
            }
        }
        Err("the server does not start".to_owned())
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
