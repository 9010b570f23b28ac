//! `search_text`: lines by what they say.

use serde_json::json;
use workspace::paged::{Fault, SearchRequest};

use super::{CURSOR, LIMIT, Spec, TERM_FIELDS, pages};
use crate::paged::server::{Ctx, page};
use crate::paged::shape::{Field, Given, Kind};
use crate::reply::Reply;
use crate::tool::Hints;

pub(super) const TOOL: Spec = Spec {
    name: "search_text",
    title: "Search text",
    description: "Finds lines that hold a text, with path and line number; path narrows it to a \
                  folder or file. query is one text, any_of several of which one is enough; \
                  case_insensitive takes ASCII letters in either case for the same. A line is shown \
                  up to 1024 bytes. A page may be empty and still have a next_cursor: go on until it \
                  is null.",
    hints: Hints::READ,
    fields: |_| {
        let own = [Field::new("path", Kind::Text), CURSOR, LIMIT];
        [TERM_FIELDS.as_slice(), &own].concat()
    },
    exact: &[],
    output: || {
        pages(&json!({
            "path": {"type": "string"},
            "line": {"type": "integer"},
            "text": {"type": "string"},
        }))
    },
    call,
};

fn call(ctx: &Ctx<'_>, given: &Given) -> Result<Reply, Fault> {
    let any_of = given.texts("any_of");
    let request = SearchRequest {
        query: given.text("query"),
        any_of: any_of.as_deref(),
        case_insensitive: given.flag("case_insensitive"),
        path: given.text("path"),
        cursor: given.text("cursor"),
        limit: given.whole("limit"),
    };
    page(&ctx.paged.search_text(&ctx.cancel, &request)?)
}
