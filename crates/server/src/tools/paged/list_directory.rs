//! `list_directory`: what is directly in a folder.

use serde_json::json;
use workspace::paged::{Fault, ListRequest};

use super::{CURSOR, LIMIT, Spec, pages};
use crate::paged::server::{Ctx, page};
use crate::paged::shape::{Field, Given, Kind};
use crate::reply::Reply;
use crate::tool::Hints;

pub(super) const TOOL: Spec = Spec {
    name: "list_directory",
    title: "List directory",
    description: "Lists what is directly in a folder, sorted: files, and folders that hold a served \
                  file somewhere. An unknown folder is an empty page. Go on with next_cursor until it \
                  is null.",
    hints: Hints::READ,
    fields: |_| vec![Field::new("path", Kind::Text), CURSOR, LIMIT],
    exact: &[],
    output: || {
        pages(&json!({
            "name": {"type": "string"},
            "kind": {"type": "string"},
            "path": {"type": "string"},
        }))
    },
    call,
};

fn call(ctx: &Ctx<'_>, given: &Given) -> Result<Reply, Fault> {
    let request = ListRequest {
        path: given.text("path"),
        cursor: given.text("cursor"),
        limit: given.whole("limit"),
    };
    page(&ctx.paged.list_directory(&ctx.cancel, &request)?)
}
