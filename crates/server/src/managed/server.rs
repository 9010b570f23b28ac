//! The toolset as a whole, and one call of it, from a name and arguments to an answer.

use serde_json::{Map, Value};
use workspace::Cancel;
use workspace::managed::{Error, Managed};

use crate::args;
use crate::failure::shorten;
use crate::log::Log;
use crate::managed::hints;
use crate::output;
use crate::reply::Reply;
use crate::tools::managed::{INSTRUCTIONS, Spec, TOOLS};
use crate::toolset::{Answer, Caller, Calls, Identity, Listed, Toolset};

/// Names of ignored arguments that are told.
const IGNORED_NAMES: usize = 20;

/// A server without a transport: the tools and the folder they work on.
#[derive(Debug)]
pub struct Server {
    workspace: Managed,
    name: String,
    log: Log,
    calls: Calls,
}

/// What a tool can reach while it runs one call.
#[derive(Debug)]
pub struct Ctx<'server> {
    /// The folder.
    pub workspace: &'server Managed,
    /// Raised when the caller gives up.
    pub cancel: Cancel,
}

/// Why a tool gave no result.
#[derive(Debug)]
pub enum Failure {
    /// Arguments that are missing or wrong; holds all of them in one text.
    Arguments(String),
    /// What the workspace says.
    Workspace(Error),
    /// The same, with a second line of its own.
    Hinted(Error, String),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Workspace(error)
    }
}

impl Failure {
    /// The answer for the caller.
    fn into_reply(self, tool: &str) -> Reply {
        let (text, hint) = match self {
            Self::Arguments(faults) => (format!("invalid arguments: {faults}"), None),
            Self::Workspace(error) => {
                let hint = hints::of(&error).map(str::to_owned);
                (error.to_string(), hint)
            }
            Self::Hinted(error, hint) => (error.to_string(), Some(hint)),
        };
        let mut reply = Reply::text(shorten(format!("Error executing tool {tool}: {text}")));
        if let Some(hint) = hint {
            reply.push_line(&shorten(hint));
        }
        reply
    }
}

impl Server {
    /// A server under a name.
    #[must_use]
    pub fn new(workspace: Managed, name: String, log: Log) -> Self {
        Self {
            workspace,
            name,
            log,
            calls: Calls::default(),
        }
    }

    fn run(&self, spec: &'static Spec, arguments: Map<String, Value>, caller: Caller) -> Answer {
        match self.answer(spec, arguments, caller) {
            Ok(answer) => Answer {
                reply: data(answer),
                is_error: false,
            },
            Err(failure) => Answer::failure(failure.into_reply(spec.tool.name)),
        }
    }

    fn answer(
        &self,
        spec: &'static Spec,
        arguments: Map<String, Value>,
        caller: Caller,
    ) -> Result<Map<String, Value>, Failure> {
        if caller.is_mended
            && let Some(torn) = args::torn(&arguments)
        {
            return Err(Failure::Arguments(torn));
        }
        let args = args::read(spec.tool.args, arguments).map_err(Failure::Arguments)?;
        let ctx = Ctx {
            workspace: &self.workspace,
            cancel: caller.cancel,
        };
        let mut answer = (spec.tool.call)(&ctx, &args)?;
        // They are passed over, and said.
        let ignored: Vec<String> = args.ignored_in_brief(IGNORED_NAMES).collect();
        if !ignored.is_empty() {
            answer.insert("ignored_arguments".to_owned(), ignored.into());
        }
        Ok(answer)
    }
}

/// An answer as data, and as the text that holds the same.
fn data(answer: Map<String, Value>) -> Reply {
    let answer = Value::Object(answer);
    Reply {
        text: format!("{answer:#}"),
        structured: Some(answer),
        ..Reply::default()
    }
}

impl Toolset for Server {
    fn identity(&self) -> Identity<'_> {
        Identity {
            name: &self.name,
            ..Identity::PROGRAM
        }
    }

    fn instructions(&self) -> &str {
        INSTRUCTIONS
    }

    fn tools(&self) -> Vec<Listed> {
        let listed = |spec: &Spec| Listed {
            output: Some(output::schema(spec.output)),
            ..Listed::from(&spec.tool)
        };
        TOOLS.iter().map(listed).collect()
    }

    fn call(&self, name: &str, arguments: Map<String, Value>, caller: Caller) -> Option<Answer> {
        let spec = TOOLS.iter().find(|spec| spec.tool.name == name)?;
        let run = || self.run(spec, arguments, caller);
        Some(self.calls.run(&self.log, spec.tool.name, run))
    }

    fn log(&self) -> &Log {
        &self.log
    }
}
