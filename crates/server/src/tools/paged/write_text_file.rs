//! `write_text_file`: a file of the root, whole.

use serde_json::json;
use workspace::paged::{Fault, WriteRequest};

use super::{Spec, object};
use crate::paged::server::{Ctx, whole};
use crate::paged::shape::{Field, Given, Kind};
use crate::reply::Reply;
use crate::tool::Hints;

pub(super) const TOOL: Spec = Spec {
    name: "write_text_file",
    title: "Write text file",
    description: "Puts content in the place of one regular file in the root, or makes it; whoever \
                  reads sees the old file or the new one. With expected_hash, the content_hash of \
                  the whole file as it was read or written, it is refused when the file has changed.",
    hints: Hints::REPLACE,
    fields: |_| {
        let name = Field {
            about: Some("A basename of lowercase letters, digits, dots, underscores, or hyphens."),
            ..Field::required("path", Kind::SomeText)
        };
        vec![
            name,
            Field::required("content", Kind::Text),
            Field::new("expected_hash", Kind::Text),
        ]
    },
    exact: &["content"],
    output: || {
        object(json!({
            "type": "object",
            "properties": {
                "path": {"type": "string"},
                "bytes": {"type": "integer", "minimum": 0},
                "content_hash": {"type": "string"},
            },
            "required": ["path", "bytes", "content_hash"],
            "additionalProperties": false,
        }))
    },
    call,
};

fn call(ctx: &Ctx<'_>, given: &Given) -> Result<Reply, Fault> {
    let request = WriteRequest {
        path: given.text("path").unwrap_or_default(),
        content: given.text("content").unwrap_or_default(),
        expected_hash: given.text("expected_hash"),
    };
    whole(&ctx.paged.write_text_file(&ctx.cancel, &request)?)
}
