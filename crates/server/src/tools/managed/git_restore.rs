//! `git_restore`: the files as they were at a checkpoint.

use serde_json::{Map, Value};
use workspace::managed::RestoreRequest;

use super::{PATHS, Spec, object, objects, some_of};
use crate::args::{Arg, Args, Kind};
use crate::managed::{Ctx, Failure};
use crate::output::{Field, Shape};
use crate::tool::{Hints, Tool};

pub(super) const SPEC: Spec = Spec {
    tool: Tool {
        name: "git_restore",
        title: "Restore checkpoint",
        description: "Make files as they were at a checkpoint. The present state is checkpointed \
                      first, so restoring pre_restore_checkpoint undoes it. Newer files that this \
                      server did not make stay, listed in left_in_place, unless exact is true.",
        args: &[
            Arg::text("checkpoint", "Id, or its first 6 digits or more").required(),
            Arg::new(
                "paths",
                Kind::Texts { min_items: 1 },
                "Only these files and directories; default: all",
            ),
            Arg::flag("dry_run", "Tell what would change, and change nothing"),
            Arg::flag("exact", "Delete also files that others made"),
        ],
        hints: Hints::EDIT,
        call,
    },
    output: &[
        Field::optional("restored_to", Shape::Text, "As given; not of a dry run"),
        Field::optional(
            "pre_restore_checkpoint",
            Shape::Text,
            "Id of the state before; not of a dry run",
        ),
        Field::optional("dry_run", Shape::Flag, "Nothing was changed"),
        Field::optional(
            "would_change",
            Shape::Objects(&[
                Field::new("path", Shape::Text, ""),
                Field::new("action", Shape::Word(&["write", "delete"]), ""),
            ]),
            "Of a dry run",
        ),
        Field::new(
            "left_in_place",
            Shape::Texts,
            "Files not in the checkpoint that stay",
        ),
        Field::optional("omitted", Shape::Integer, "Paths beyond 1000 in a list"),
    ],
};

fn call(ctx: &Ctx<'_>, args: &Args) -> Result<Map<String, Value>, Failure> {
    let checkpoint = args.needed_text("checkpoint");
    let request = RestoreRequest {
        checkpoint,
        paths: args.texts("paths").iter().map(String::as_str).collect(),
        dry_run: args.flag("dry_run"),
        exact: args.flag("exact"),
    };
    let restored = ctx.workspace.restore(&request, &ctx.cancel)?;
    let mut answer = match restored.pre_restore_checkpoint {
        Some(before) => object([
            ("restored_to", checkpoint.into()),
            ("pre_restore_checkpoint", before.into()),
        ]),
        None => Map::new(),
    };
    let mut n_omitted = 0;
    if request.dry_run {
        n_omitted += restored.would_change.len().saturating_sub(PATHS);
        let some = restored.would_change.into_iter().take(PATHS);
        let would_change = objects(some, |change| {
            let action = change.action();
            [("path", change.path.into()), ("action", action.into())]
        });
        answer.insert("dry_run".to_owned(), true.into());
        answer.insert("would_change".to_owned(), would_change);
    }
    let left_in_place = some_of(restored.left_in_place, &mut n_omitted);
    answer.insert("left_in_place".to_owned(), left_in_place);
    if n_omitted > 0 {
        answer.insert("omitted".to_owned(), n_omitted.into());
    }
    Ok(answer)
}
