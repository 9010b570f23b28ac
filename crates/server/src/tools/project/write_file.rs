//! `write_file`: a file's whole content, or more at its end.

use workspace::change::{WriteRequest, append_file, write_file};
use workspace::journal::shown_path;

use crate::args::{Arg, Args, WORKSPACE};
use crate::context::Ctx;
use crate::failure::Failure;
use crate::record::Record;
use crate::remarks;
use crate::reply::Reply;
use crate::tool::{Hints, Tool};

pub(super) const TOOL: Tool = Tool {
    name: "write_file",
    title: "Write file",
    description: "Create a file or replace its whole content; missing folders are made. To change \
                  part of a file use edit_file.",
    args: &[
        Arg::text("path", "File, relative to the workspace root").required(),
        Arg::text("content", "The whole new content").required(),
        Arg::flag(
            "append",
            "Add content at the end instead, on a line of its own",
        ),
        Arg::text(
            "expectedSha256",
            "Refuse if the file no longer has this hash",
        ),
        WORKSPACE,
    ],
    hints: Hints::REPLACE,
    call,
};

fn call(ctx: &Ctx<'_>, args: &Args) -> Result<Reply, Failure> {
    let workspace = ctx.workspace(args)?;
    let request = WriteRequest {
        path: args.needed_text("path"),
        content: args.needed_text("content"),
        expected_sha256: args.text("expectedSha256"),
    };
    let failed = |error| {
        let record = Record::failed_at(workspace, request.path, &error);
        Failure::journaled(error, record)
    };
    if args.flag("append") {
        let done = append_file(workspace, &ctx.cancel, &request).map_err(failed)?;
        let (path, added, len) = (done.path, done.added, done.len);
        let remark = if done.was_hard_linked {
            remarks::HARD_LINKED
        } else {
            ""
        };
        let record = Record::done(vec![shown_path(&path)], format!("appended {added} bytes"));
        let text = format!("Appended to {path} ({added} bytes, now {len} bytes){remark}");
        return Ok(Reply::text(text).journaled(record));
    }
    let done = write_file(workspace, &ctx.cancel, &request).map_err(failed)?;
    let (verb, recorded) = if done.created {
        ("Created", "created")
    } else {
        ("Updated", "updated")
    };
    let (path, len) = (&done.path, done.len);
    let record = Record::done(vec![shown_path(path)], format!("{recorded} {len} bytes"));
    let text = format!("{verb} {path} ({len} bytes){}", remarks::of_file(&done));
    Ok(Reply::text(text).journaled(record))
}
