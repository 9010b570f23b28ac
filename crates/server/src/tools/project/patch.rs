//! `patch`: several edits, in one or more files, all or none.

use workspace::change::{EditRequest, patch};
use workspace::edit::Edit;
use workspace::journal::{path_of, shown_path};
use workspace::{Error, Workspace};

use super::changed::{edit_remarks, replacements};
use crate::args::{Arg, Args, Kind, WORKSPACE};
use crate::context::Ctx;
use crate::failure::Failure;
use crate::record::Record;
use crate::reply::Reply;
use crate::tool::{Hints, Tool};

const EDIT: &[Arg] = &[
    Arg::text("path", "").required(),
    Arg::new("oldString", Kind::Text { min_chars: 1 }, "").required(),
    Arg::text("newString", "").required(),
    Arg::flag("replaceAll", ""),
    Arg::text("expectedSha256", ""),
];

pub(super) const TOOL: Tool = Tool {
    name: "patch",
    title: "Patch files",
    description: "Make several edits, in one or more files, all or none: if one fails nothing is \
                  written. Edits apply in order; each works as in edit_file.",
    args: &[
        Arg::new(
            "edits",
            Kind::Objects {
                min_items: 1,
                args: EDIT,
            },
            "",
        )
        .required(),
        WORKSPACE,
    ],
    hints: Hints::EDIT,
    call,
};

fn call(ctx: &Ctx<'_>, args: &Args) -> Result<Reply, Failure> {
    let request = |edit| EditRequest {
        path: Args::needed_text(edit, "path"),
        edit: Edit {
            old: edit.needed_text("oldString"),
            new: edit.needed_text("newString"),
            replace_all: edit.flag("replaceAll"),
        },
        expected_sha256: edit.text("expectedSha256"),
    };
    let requests: Vec<_> = args.objects("edits").iter().map(request).collect();
    let workspace = ctx.workspace(args)?;
    let done = patch(workspace, &ctx.cancel, &requests).map_err(|error| {
        let record = Record::failed(named(workspace, &requests, &error), &error);
        Failure::journaled(error, record)
    })?;
    let mut reply = Reply::default();
    for file in &done.files {
        let (path, n) = (&file.outcome.path, replacements(file.count));
        let remarks = edit_remarks(file);
        reply.push_line(&format!("patched {path} ({n}){remarks}"));
    }
    let edits = if done.n_edits == 1 { "edit" } else { "edits" };
    let files = if done.files.len() == 1 {
        "file"
    } else {
        "files"
    };
    let (n_edits, n_files) = (done.n_edits, done.files.len());
    let summary = format!("{n_edits} {edits} across {n_files} {files}");
    reply.push_line(&summary);
    for name in done.files.iter().filter_map(|file| file.found_as.as_ref()) {
        reply.push_line(&format!("... (found as {name})"));
    }
    let paths = done.files.iter().map(|file| shown_path(&file.outcome.path));
    Ok(reply.journaled(Record::done(paths.collect(), summary)))
}

/// The files of the edits up to the one that failed, each once.
fn named(workspace: &Workspace, requests: &[EditRequest<'_>], error: &Error) -> Vec<String> {
    let n = match error {
        Error::Edit { index, .. } => index + 1,
        _ => requests.len(),
    };
    let mut paths = Vec::new();
    for request in requests.iter().take(n) {
        if let Some(path) = path_of(workspace, request.path)
            && !paths.contains(&path)
        {
            paths.push(path);
        }
    }
    paths
}
