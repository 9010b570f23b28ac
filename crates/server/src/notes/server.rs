//! The toolset as a whole, and one call of it, from a name and arguments to an answer.

use serde_json::{Map, Value};
use workspace::Cancel;
use workspace::vault::Vault;
use workspace::vault::fault::Fault;

use crate::args;
use crate::failure::shorten;
use crate::log::Log;
use crate::output;
use crate::reply::Reply;
use crate::tools::notes::{Spec, TOOLS, instructions};
use crate::toolset::{Answer, Caller, Calls, Identity, Listed, Toolset};

/// Names of unknown arguments that are told.
const UNKNOWN_NAMES: usize = 5;

/// A server without a transport: the tools and the folder they work on.
#[derive(Debug)]
pub struct Server {
    vault: Vault,
    tools: Vec<&'static Spec>,
    instructions: String,
    log: Log,
    calls: Calls,
}

/// What a tool can reach while it runs one call.
#[derive(Debug)]
pub struct Ctx<'server> {
    /// The folder.
    pub vault: &'server Vault,
    /// Whether a note can be replaced, so that its hash is worth a line.
    pub tells_hash: bool,
    /// Raised when the caller gives up.
    pub cancel: Cancel,
}

/// Why a tool gave no result.
#[derive(Debug)]
pub enum Failure {
    /// Arguments that are missing or wrong; holds all of them in one text.
    Arguments(String),
    /// What the notes say.
    Vault(Fault),
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        Self::Vault(fault)
    }
}

impl Failure {
    /// The answer for the caller: one sentence, and what to do next as a second line.
    fn into_reply(self, tool: &str) -> Reply {
        match self {
            Self::Arguments(faults) | Self::Vault(Fault::Argument(faults)) => {
                Reply::text(shorten(format!("invalid arguments for {tool}: {faults}")))
            }
            Self::Vault(fault) => {
                let mut reply = Reply::text(shorten(fault.to_string()));
                if let Some(hint) = fault.hint() {
                    reply.push_line(&hint);
                }
                reply
            }
        }
    }
}

impl Server {
    /// A server of a folder, with the tools that read and these that write.
    #[must_use]
    pub fn new(vault: Vault, writes: &[&str], log: Log) -> Self {
        let is_there = |spec: &&Spec| spec.tool.hints.read_only || writes.contains(&spec.tool.name);
        let tools: Vec<&'static Spec> = TOOLS.iter().filter(is_there).collect();
        Self {
            instructions: instructions(&tools, vault.markdown_tasks),
            vault,
            tools,
            log,
            calls: Calls::default(),
        }
    }

    fn run(&self, spec: &Spec, sent: Map<String, Value>, caller: Caller) -> Answer {
        let ctx = Ctx {
            vault: &self.vault,
            tells_hash: self
                .tools
                .iter()
                .any(|spec| spec.tool.name == "notes_write"),
            cancel: caller.cancel,
        };
        match answer(&ctx, spec, sent, caller.is_mended) {
            Ok(reply) => Answer {
                reply,
                is_error: false,
            },
            Err(failure) => Answer::failure(failure.into_reply(spec.tool.name)),
        }
    }
}

fn answer(
    ctx: &Ctx<'_>,
    spec: &Spec,
    sent: Map<String, Value>,
    is_mended: bool,
) -> Result<Reply, Failure> {
    if is_mended && let Some(torn) = args::torn(&sent) {
        return Err(Failure::Arguments(torn));
    }
    let args = args::read(spec.tool.args, sent).map_err(Failure::Arguments)?;
    if !args.ignored().is_empty() {
        let unknown: Vec<String> = args.ignored_in_brief(UNKNOWN_NAMES).collect();
        let known: Vec<&str> = spec.tool.args.iter().map(|arg| arg.name).collect();
        return Err(Failure::Arguments(format!(
            "unknown argument {}; there is {}",
            unknown.join(", "),
            known.join(", ")
        )));
    }
    (spec.tool.call)(ctx, &args)
}

impl Toolset for Server {
    fn identity(&self) -> Identity<'_> {
        Identity::PROGRAM
    }

    fn instructions(&self) -> &str {
        &self.instructions
    }

    fn tools(&self) -> Vec<Listed> {
        let listed = |spec: &&Spec| {
            let mut listed = Listed::from(&spec.tool);
            listed
                .input
                .insert("additionalProperties".to_owned(), false.into());
            listed.output = Some(output::schema(spec.output));
            listed
        };
        self.tools.iter().map(listed).collect()
    }

    fn call(&self, name: &str, arguments: Map<String, Value>, caller: Caller) -> Option<Answer> {
        let spec = self.tools.iter().find(|spec| spec.tool.name == name)?;
        let run = || self.run(spec, arguments, caller);
        Some(self.calls.run(&self.log, spec.tool.name, run))
    }

    fn log(&self) -> &Log {
        &self.log
    }
}
