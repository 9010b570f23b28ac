//! `change_doc`: the documents of a change.

use workspace::changes::{DocumentRequest, Stage, write_document};

use super::change_text::{CHANGE_ID, document, state_path};
use crate::args::{Arg, Args, Kind, WORKSPACE};
use crate::context::Ctx;
use crate::failure::Failure;
use crate::record::Record;
use crate::reply::Reply;
use crate::tool::{Hints, Tool};

pub(super) const TOOL: Tool = Tool {
    name: "change_doc",
    title: "Write change document",
    description: "Write a Markdown document of a change, whole; earlier content is replaced.",
    args: &[
        Arg::new("stage", Kind::Word(&Stage::NAMES), "").required(),
        Arg::new("content", Kind::Text { min_chars: 1 }, "").required(),
        Arg::flag("append", "Add behind an empty line instead"),
        CHANGE_ID,
        WORKSPACE,
    ],
    hints: Hints::ADD,
    call,
};

fn call(ctx: &Ctx<'_>, args: &Args) -> Result<Reply, Failure> {
    let append = args.flag("append");
    let request = DocumentRequest {
        id: args.text("changeId"),
        stage: Stage::parse(args.needed_text("stage")).expect("other words were refused"),
        content: args.needed_text("content"),
        append,
    };
    let workspace = ctx.workspace(args)?;
    let done = write_document(workspace, &ctx.cancel, &request)?;
    let (path, len) = (state_path(workspace, &done.path), done.len);
    let verb = if append { "appended" } else { "wrote" };
    let present = done.documents.iter().filter(|one| one.len.is_some());
    let present: Vec<String> = present.map(document).collect();
    let text = format!(
        "{verb} {path} ({len} bytes)\ndocs present: {}",
        present.join(", ")
    );
    let detail = format!("{} ({len} bytes)", request.stage.file_name());
    Ok(Reply::text(text).journaled(Record::of_change(&done.id, detail, "ok")))
}
