//! `read_text_file`: a file, piece by piece.

use serde_json::json;
use workspace::paged::{Fault, ReadRequest};

use super::{CURSOR, Spec, pages};
use crate::paged::server::{Ctx, page};
use crate::paged::shape::{Field, Given, Kind};
use crate::reply::Reply;
use crate::tool::Hints;

pub(super) const TOOL: Spec = Spec {
    name: "read_text_file",
    title: "Read text file",
    description: "Reads a UTF-8 file in pieces of at most 2048 bytes, exactly as it is: the texts of \
                  all pieces, one behind the other, are the file. start_line begins at that line, \
                  counted from 1. Go on with next_cursor until it is null.",
    hints: Hints::READ,
    fields: |paged| {
        let max = Some(paged.max_chunks());
        vec![
            Field::required("path", Kind::SomeText),
            Field::new("start_line", Kind::Whole { max: None }),
            CURSOR,
            Field::new("limit", Kind::Whole { max }),
        ]
    },
    exact: &[],
    output: || {
        pages(&json!({
            "byte_offset": {"type": "integer"},
            "text": {"type": "string"},
        }))
    },
    call,
};

fn call(ctx: &Ctx<'_>, given: &Given) -> Result<Reply, Fault> {
    let request = ReadRequest {
        path: given.text("path").unwrap_or_default(),
        start_line: given.whole("start_line"),
        cursor: given.text("cursor"),
        limit: given.whole("limit"),
    };
    page(&ctx.paged.read_text_file(&ctx.cancel, &request)?)
}
