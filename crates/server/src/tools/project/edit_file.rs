//! `edit_file`: one exact text for another in one file.

use workspace::change::{EditRequest, edit_file};
use workspace::edit::Edit;
use workspace::journal::shown_path;

use super::changed::{edit_remarks, replacements};
use crate::args::{Arg, Args, Kind, WORKSPACE};
use crate::context::Ctx;
use crate::failure::Failure;
use crate::record::Record;
use crate::reply::Reply;
use crate::tool::{Hints, Tool};

pub(super) const TOOL: Tool = Tool {
    name: "edit_file",
    title: "Edit file",
    description: "Replace an exact text in a file. oldString must occur exactly once, unless \
                  replaceAll is set; copy it from read_file without the line numbers.",
    args: &[
        Arg::text("path", "File, relative to the workspace root").required(),
        Arg::new(
            "oldString",
            Kind::Text { min_chars: 1 },
            "The exact text to replace",
        )
        .required(),
        Arg::text("newString", "What takes its place, literally").required(),
        Arg::flag("replaceAll", "Replace every occurrence"),
        Arg::text(
            "expectedSha256",
            "Refuse if the file no longer has this hash",
        ),
        WORKSPACE,
    ],
    hints: Hints::EDIT,
    call,
};

fn call(ctx: &Ctx<'_>, args: &Args) -> Result<Reply, Failure> {
    let request = EditRequest {
        path: args.needed_text("path"),
        edit: Edit {
            old: args.needed_text("oldString"),
            new: args.needed_text("newString"),
            replace_all: args.flag("replaceAll"),
        },
        expected_sha256: args.text("expectedSha256"),
    };
    let workspace = ctx.workspace(args)?;
    let done = edit_file(workspace, &ctx.cancel, &request).map_err(|error| {
        let record = Record::failed_at(workspace, request.path, &error);
        Failure::journaled(error, record)
    })?;
    let (n, path) = (done.count, &done.outcome.path);
    let record = Record::done(vec![shown_path(path)], replacements(n));
    let occurrences = if n == 1 { "occurrence" } else { "occurrences" };
    let mut reply = Reply::text(format!(
        "Replaced {n} {occurrences} in {path}{}",
        edit_remarks(&done)
    ))
    .journaled(record);
    if let Some(name) = done.found_as {
        reply.push_line(&format!("... (found as {name})"));
    }
    Ok(reply)
}
