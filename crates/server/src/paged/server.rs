//! A folder in pages as a toolset of the protocol.

use serde::Serialize;
use serde_json::{Map, Value};
use workspace::Cancel;
use workspace::paged::{Fault, Page, Paged, Skipped};

use super::shape::{Given, faults, schema};
use crate::log::Log;
use crate::reply::Reply;
use crate::tools::paged::{Spec, TOOLS};
use crate::toolset::{Answer, Caller, Calls, Eras, Identity, Listed, Terms, Toolset};

/// What a client is told about the whole.
const INSTRUCTIONS: &str = "Reads, searches and writes the files of one folder. Paths are relative to it. An answer tells \
     what is on disk when it is asked for, so what was written is there for the next read. Answers \
     come in pages: go on with next_cursor until it is null. A cursor is refused when what its \
     answer rests on has changed; then start again without one.";

/// A server of one folder, without a transport.
#[derive(Debug)]
pub struct Server {
    paged: Paged,
    name: String,
    eras: Eras,
    calls: Calls,
    log: Log,
}

impl Server {
    /// A server of this folder that gives itself a name and speaks these revisions.
    #[must_use]
    pub fn new(paged: Paged, name: String, eras: Eras, log: Log) -> Self {
        Self {
            paged,
            name,
            eras,
            calls: Calls::default(),
            log,
        }
    }

    fn run(&self, spec: &Spec, arguments: Map<String, Value>, caller: Caller) -> Answer {
        let Spec { name, .. } = spec;
        let refuse = |fault: &str| {
            let text =
                format!("Input validation error: Invalid arguments for tool {name}: {fault}");
            Answer::failure(Reply::text(text))
        };
        if let Some(faults) = faults(&(spec.fields)(&self.paged), &arguments) {
            return refuse(&faults);
        }
        let given = Given(arguments);
        // Half a character cannot be stored, and what would stand in for it was not asked for.
        let is_torn = |name: &&str| {
            let text = given.text(name).unwrap_or_default();
            caller.is_mended && text.contains('\u{fffd}')
        };
        if let Some(torn) = spec.exact.iter().find(|name| is_torn(name)) {
            return refuse(&format!("data/{torn} must be well-formed Unicode"));
        }
        let ctx = Ctx {
            paged: &self.paged,
            cancel: caller.cancel,
        };
        match (spec.call)(&ctx, &given) {
            Ok(reply) => Answer {
                reply,
                is_error: false,
            },
            Err(fault) => Answer::failure(Reply::text(fault.to_string())),
        }
    }

    fn listed(&self, spec: &Spec) -> Listed {
        let mut meta = Map::new();
        let key = "io.modelcontextprotocol/cacheScope";
        meta.insert(key.to_owned(), "private".into());
        Listed {
            name: spec.name.into(),
            title: spec.title.into(),
            description: spec.description.into(),
            input: schema(&(spec.fields)(&self.paged)),
            output: Some((spec.output)()),
            hints: spec.hints,
            meta: Some(meta),
        }
    }
}

impl Toolset for Server {
    fn identity(&self) -> Identity<'_> {
        Identity {
            name: &self.name,
            version: Identity::PROGRAM.version,
        }
    }

    fn instructions(&self) -> &str {
        INSTRUCTIONS
    }

    fn terms(&self) -> Terms {
        Terms {
            eras: self.eras,
            list_fresh_ms: 0,
            list_is_public: false,
            server_fresh_ms: 0,
            list_changes: true,
        }
    }

    fn tools(&self) -> Vec<Listed> {
        TOOLS.iter().map(|spec| self.listed(spec)).collect()
    }

    fn call(&self, name: &str, arguments: Map<String, Value>, caller: Caller) -> Option<Answer> {
        let spec = TOOLS.iter().find(|spec| spec.name == name)?;
        let run = || self.run(spec, arguments, caller);
        Some(self.calls.run(&self.log, spec.name, run))
    }

    fn log(&self) -> &Log {
        &self.log
    }

    fn note_no_message(&self) {
        super::say(&self.name, " transport error");
    }
}

/// What a tool works with for one call.
pub(crate) struct Ctx<'a> {
    pub(crate) paged: &'a Paged,
    pub(crate) cancel: Cancel,
}

/// A page as an answer: the same as text and as data.
pub(crate) fn page<T: Serialize>(page: &Page<T>) -> Result<Reply, Fault> {
    let mut reply = whole(page)?;
    let Skipped {
        names,
        binary,
        lines,
    } = page.skipped;
    let counts = [("names", names), ("binary", binary), ("lines", lines)];
    let counts: Map<String, Value> = counts
        .into_iter()
        .filter(|&(_, count)| count > 0)
        .map(|(key, count)| (key.to_owned(), count.into()))
        .collect();
    if !counts.is_empty() {
        let mut meta = Map::new();
        meta.insert("workspace-mcp/skipped".to_owned(), counts.into());
        reply.meta = Some(meta);
    }
    Ok(reply)
}

/// Data as an answer.
pub(crate) fn whole(answer: &impl Serialize) -> Result<Reply, Fault> {
    let fault = |_| Fault::Told("internal error".into());
    let mut reply = Reply::text(serde_json::to_string(answer).map_err(fault)?);
    reply.structured = Some(serde_json::to_value(answer).map_err(fault)?);
    Ok(reply)
}
