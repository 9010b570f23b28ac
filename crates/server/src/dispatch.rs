//! The toolset `project` as a whole, and one call of it, from a name and arguments to an answer.

use serde_json::{Map, Value};
use workspace::git::Git;
use workspace::process::Environment;
use workspace::{Error, Workspace, Workspaces, journal};

use crate::args;
use crate::config::Room;
use crate::context::Ctx;
use crate::failure::Failure;
use crate::log::Log;
use crate::record::Record;
use crate::registry::Registry;
use crate::shell::Shell;
use crate::tool::Tool;
use crate::tools::project::{instructions, shell};
use crate::toolset::{Answer, Caller, Calls, Identity, Listed, Toolset};

/// A server without a transport: the tools and what they work on.
#[derive(Debug)]
pub struct Server {
    /// The tools that exist.
    pub registry: Registry,
    /// What the tools work on.
    pub workspaces: Workspaces,
    /// Asks git.
    git: Git,
    /// Runs commands, when that is turned on.
    shell: Option<Shell>,
    /// How long answers may get.
    room: Room,
    /// Where log lines go.
    pub log: Log,
    instructions: String,
    calls: Calls,
}

impl Toolset for Server {
    fn identity(&self) -> Identity<'_> {
        Identity::PROGRAM
    }

    fn instructions(&self) -> &str {
        &self.instructions
    }

    fn tools(&self) -> Vec<Listed> {
        let tools = self.registry.iter().map(|tool| {
            let mut listed = Listed::from(tool);
            if let Some(remark) = self.remark(tool) {
                listed.description.to_mut().push_str(&remark);
            }
            listed
        });
        tools.collect()
    }

    fn waits(&self, name: &str) -> bool {
        shell::is_one(name)
    }

    fn call(&self, name: &str, arguments: Map<String, Value>, caller: Caller) -> Option<Answer> {
        let tool = self.registry.get(name)?;
        let run = || self.run(tool, arguments, caller);
        Some(self.calls.run(&self.log, tool.name, run))
    }

    fn log(&self) -> &Log {
        &self.log
    }
}

impl Server {
    /// A server of these tools.
    #[must_use]
    pub fn new(
        registry: Registry,
        workspaces: Workspaces,
        shell: Option<Shell>,
        room: Room,
        log: Log,
    ) -> Self {
        let instructions = instructions(&registry, &workspaces, shell.as_ref());
        Self {
            registry,
            workspaces,
            git: Git::new(Environment::inherited()),
            shell,
            room,
            log,
            instructions,
            calls: Calls::default(),
        }
    }

    /// What is added to the description of a tool where the configuration changes what it does.
    fn remark(&self, tool: &Tool) -> Option<String> {
        let times = self.shell.as_ref()?.times;
        let (name, time) = match tool.name {
            "run_command" => ("timeoutMs", times.command),
            "start_job" => ("maxRuntimeMs", times.job),
            _ => return None,
        };
        Some(format!(" Default {name}: {}.", time.as_millis()))
    }

    fn run(&self, tool: &Tool, sent: Map<String, Value>, caller: Caller) -> Answer {
        let ctx = Ctx {
            workspaces: &self.workspaces,
            git: &self.git,
            shell: self.shell.as_ref(),
            body_bytes: self.room.body,
            cancel: caller.cancel,
            progress: caller.progress,
        };
        let args = match args::read(tool.args, sent) {
            Ok(args) => args,
            Err(faults) => {
                return Answer::failure(Failure::Arguments(faults).into_reply(tool.name));
            }
        };
        let outcome = (tool.call)(&ctx, &args);
        let record = match &outcome {
            Ok(reply) => reply.record.as_ref(),
            Err(failure) => failure.record(),
        };
        if let Some(record) = record {
            let own = record.workspace.as_deref();
            let workspace = match own {
                Some(_) => self.workspaces.get(own).map(|workspace| &**workspace),
                None => ctx.workspace(&args),
            };
            if let Ok(workspace) = workspace {
                self.journal(workspace, tool, record);
            }
        }
        let (mut reply, is_error) = match outcome {
            Ok(reply) => (reply, false),
            Err(failure) => (failure.into_reply(tool.name), true),
        };
        let notice = ignored(args.ignored());
        let room = self.room.whole;
        reply.cut(room.saturating_sub(notice.len() + 1));
        if !notice.is_empty() {
            reply.push_line(&notice);
            reply.cut(room);
        }
        Answer { reply, is_error }
    }

    /// Tells the journal of a call. What was done stays done when that fails; only the log says so.
    fn journal(&self, workspace: &Workspace, tool: &Tool, record: &Record) {
        let entry = journal::Entry {
            tool: tool.name.to_owned(),
            paths: record.paths.clone(),
            detail: record.detail.clone(),
            result: record.result.clone(),
            change: record.change.clone(),
        };
        if let Err(error) = journal::append(workspace, &entry) {
            let why = match &error {
                Error::Io { source, .. } => source.to_string(),
                known => known.to_string(),
            };
            let file = journal::FILE;
            self.log
                .error(&format!("state write failed ({file}): {why}"));
        }
    }
}

/// Names of ignored arguments that are told, and characters of each.
const IGNORED_NAMES: usize = 20;
const IGNORED_CHARS: usize = 100;

/// The line that tells of ignored arguments; empty when there are none.
fn ignored(names: &[String]) -> String {
    let arguments = match names.len() {
        0 => return String::new(),
        1 => "argument",
        _ => "arguments",
    };
    let mut told: Vec<String> = names
        .iter()
        .take(IGNORED_NAMES)
        .map(|name| match name.char_indices().nth(IGNORED_CHARS) {
            Some((end, _)) => format!("{}…", name.get(..end).unwrap_or_default()),
            None => name.clone(),
        })
        .collect();
    if let Some(more @ 1..) = names.len().checked_sub(IGNORED_NAMES) {
        told.push(format!("and {more} more"));
    }
    format!("(ignored {arguments}: {})", told.join(", "))
}

#[cfg(test)]
mod tests;
