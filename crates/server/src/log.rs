//! The log: lines for people, on stderr or in a file. Stdout belongs to the protocol.
//!
//! Our own rather than a subscriber of `tracing`: the SDK's events carry whole messages, and what a
//! client sends or gets must not land in a log.

#![expect(
    clippy::disallowed_types,
    reason = "the log lies where its owner says, outside of what is served"
)]

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use std::sync::Mutex;

/// How much is logged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Nothing.
    Off,
    /// What went wrong in the server itself.
    Error,
    /// What a person should look at.
    Warn,
    /// Start, stop, and what is served.
    Info,
    /// Refused requests too.
    Debug,
}

impl Level {
    /// The names of all levels.
    pub(crate) const NAMES: &[&str] = &["off", "error", "warn", "info", "debug"];

    /// Reads the name of a level.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "off" => Some(Self::Off),
            "error" => Some(Self::Error),
            "warn" => Some(Self::Warn),
            "info" => Some(Self::Info),
            "debug" => Some(Self::Debug),
            _ => None,
        }
    }
}

/// Where log lines go.
#[derive(Debug)]
pub struct Log {
    level: Level,
    // A plain mutex: held for one write, never across an await.
    file: Option<Mutex<File>>,
}

impl Log {
    /// A log on stderr.
    #[must_use]
    pub fn to_stderr(level: Level) -> Self {
        Self { level, file: None }
    }

    /// A log at the end of a file, which is created if it isn't there.
    ///
    /// # Errors
    /// What the operating system says.
    pub fn to_file(level: Level, path: &Path) -> std::io::Result<Self> {
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        Ok(Self {
            level,
            file: Some(Mutex::new(file)),
        })
    }

    /// Logs what went wrong in the server itself.
    pub fn error(&self, line: &str) {
        self.write(Level::Error, line);
    }

    /// Logs what a person should look at.
    pub fn warn(&self, line: &str) {
        self.write(Level::Warn, line);
    }

    /// Logs start, stop, and what is served.
    pub fn info(&self, line: &str) {
        self.write(Level::Info, line);
    }

    /// Logs a refused request.
    pub fn debug(&self, line: &str) {
        self.write(Level::Debug, line);
    }

    fn write(&self, level: Level, line: &str) {
        if level > self.level {
            return;
        }
        let line = format!("[workspace-mcp] {line}\n");
        // A log that cannot be written has nobody to complain to.
        let _ = match &self.file {
            Some(file) => match file.lock() {
                Ok(mut file) => file.write_all(line.as_bytes()),
                Err(poisoned) => poisoned.into_inner().write_all(line.as_bytes()),
            },
            None => std::io::stderr().lock().write_all(line.as_bytes()),
        };
    }
}
