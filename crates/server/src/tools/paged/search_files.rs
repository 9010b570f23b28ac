//! `search_files`: files by their paths.

use serde_json::json;
use workspace::paged::{Fault, SearchRequest};

use super::{CURSOR, LIMIT, Spec, TERM_FIELDS, pages};
use crate::paged::server::{Ctx, page};
use crate::paged::shape::Given;
use crate::reply::Reply;
use crate::tool::Hints;

pub(super) const TOOL: Spec = Spec {
    name: "search_files",
    title: "Search files",
    description: "Finds files whose path holds a text, sorted by path. query is one text, any_of \
                  several of which one is enough; case_insensitive takes ASCII letters in either \
                  case for the same. Go on with next_cursor until it is null.",
    hints: Hints::READ,
    fields: |_| [TERM_FIELDS.as_slice(), &[CURSOR, LIMIT]].concat(),
    exact: &[],
    output: || pages(&json!({"path": {"type": "string"}})),
    call,
};

fn call(ctx: &Ctx<'_>, given: &Given) -> Result<Reply, Fault> {
    let any_of = given.texts("any_of");
    let request = SearchRequest {
        query: given.text("query"),
        any_of: any_of.as_deref(),
        case_insensitive: given.flag("case_insensitive"),
        path: None,
        cursor: given.text("cursor"),
        limit: given.whole("limit"),
    };
    page(&ctx.paged.search_files(&ctx.cancel, &request)?)
}
