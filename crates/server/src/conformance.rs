//! The tools by which the official conformance suite looks at what a server can do, beside those of
//! a toolset. No program that is shipped has them.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::log::Log;
use crate::progress::Progress;
use crate::registry::{Registry, ToolFilter};
use crate::reply::{Image, Reply};
use crate::tool::{Hints, Tool};
use crate::toolset::{Answer, Caller, Identity, Listed, Terms, Toolset};

type Call = fn(&Progress) -> Answer;

const TOOLS: &[Tool<Call>] = &[
    fixture("test_simple_text", |_| text("a text")),
    fixture("test_image_content", |_| picture()),
    fixture("test_error_handling", |_| {
        Answer::failure(Reply::text("error: as it should be"))
    }),
    fixture("test_tool_with_progress", steps),
    // The suite looks for what a server must not send while these run.
    fixture("test_streaming_elicitation", steps),
    fixture("test_logging_tool", steps),
    fixture(WITH_SCHEMA, |_| text("a schema")),
];
/// The tool whose schema is more than a table of arguments can say.
const WITH_SCHEMA: &str = "json_schema_2020_12_tool";
/// A picture of one pixel.
const PIXEL: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1f\x15\xc4\x89\
                       \0\0\0\rIDATx\x9cc\xf8\xcf\xc0\xf0\x1f\0\x05\0\x01\xff\x89\x99=\x1d\0\0\0\0IEND\
                       \xaeB`\x82";

const fn fixture(name: &'static str, call: Call) -> Tool<Call> {
    Tool {
        name,
        title: name,
        description: "For the conformance suite.",
        args: &[],
        hints: Hints::READ,
        call,
    }
}

fn text(text: &str) -> Answer {
    Answer {
        reply: Reply::text(text),
        is_error: false,
    }
}

fn picture() -> Answer {
    let mut answer = text("a picture");
    answer.reply.image = Some(Image {
        mime: "image/png",
        bytes: PIXEL.to_vec(),
    });
    answer
}

fn steps(progress: &Progress) -> Answer {
    if let Some(tell) = progress.tell() {
        for step in ["one", "two", "three"] {
            tell(step);
        }
    }
    text("three steps")
}

fn schema() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
            },
        },
        "properties": {
            "name": {"type": "string"},
            "address": {"$ref": "#/$defs/address"},
            "contactMethod": {"type": "string", "enum": ["phone", "email"]},
            "phone": {"type": "string"},
            "email": {"type": "string"},
        },
        "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
        "if": {
            "properties": {"contactMethod": {"const": "phone"}},
            "required": ["contactMethod"],
        },
        "then": {"required": ["phone"]},
        "else": {"required": ["email"]},
        "additionalProperties": false,
    })
}

/// A toolset with the suite's tools behind its own.
struct Beside {
    toolset: Arc<dyn Toolset>,
    fixtures: Registry<Call>,
}

/// The same toolset with the suite's tools behind its own.
#[must_use]
pub fn beside(toolset: Arc<dyn Toolset>) -> Arc<dyn Toolset> {
    let fixtures = Registry::new(TOOLS, &ToolFilter::default());
    let fixtures = fixtures.expect("a filter that names no tool names no unknown one");
    Arc::new(Beside { toolset, fixtures })
}

impl Toolset for Beside {
    fn identity(&self) -> Identity<'_> {
        self.toolset.identity()
    }

    fn instructions(&self) -> &str {
        self.toolset.instructions()
    }

    fn terms(&self) -> Terms {
        self.toolset.terms()
    }

    fn tools(&self) -> Vec<Listed> {
        let mut tools = self.toolset.tools();
        tools.extend(self.fixtures.iter().map(|tool| {
            let mut listed = Listed::from(tool);
            if let (WITH_SCHEMA, Value::Object(schema)) = (tool.name, schema()) {
                listed.input = schema;
            }
            listed
        }));
        tools
    }

    fn waits(&self, name: &str) -> bool {
        self.toolset.waits(name)
    }

    fn call(&self, name: &str, arguments: Map<String, Value>, caller: Caller) -> Option<Answer> {
        match self.fixtures.get(name) {
            Some(tool) => Some((tool.call)(&caller.progress)),
            None => self.toolset.call(name, arguments, caller),
        }
    }

    fn log(&self) -> &Log {
        self.toolset.log()
    }
}
