//! `apply_changes`: several operations, all of them or none.

use serde_json::{Map, Value};
use workspace::managed::{Code, Error, Operation};

use super::operation::{self, FIELDS};
use super::{Spec, object, objects};
use crate::args::{Arg, Args, Kind};
use crate::managed::{Ctx, Failure, hints};
use crate::output::{Field, Shape};
use crate::tool::{Hints, Tool};

pub(super) const SPEC: Spec = Spec {
    tool: Tool {
        name: "apply_changes",
        title: "Apply changes",
        description: "Do 1 to 200 operations in order: all of them, or none when one is refused. \
                      A later one sees what an earlier one made. Fields for each op:\n\
                      create_file: path, content, encoding?, expected_sha256? (only to overwrite)\n\
                      replace_file: path, content, expected_sha256, encoding?\n\
                      replace_text: path, expected_sha256, old_text (must occur once), new_text\n\
                      create_directory: path\n\
                      move: source, destination (nothing may be there)\n\
                      delete_file: path, expected_sha256\n\
                      delete_empty_directory: path\n\
                      Missing parent directories are made. A hash is that of the file when its \
                      operation runs: read_file and earlier results give it.",
        args: &[Arg::new(
            "operations",
            Kind::Objects {
                min_items: 1,
                args: FIELDS,
            },
            "1 to 200 operations",
        )
        .required()],
        hints: Hints::EDIT,
        call,
    },
    output: &[
        Field::new(
            "applied",
            Shape::Objects(&[
                Field::new("op", Shape::Text, ""),
                Field::new("path", Shape::Text, "Of a move, the destination"),
                Field::new("status", Shape::Word(&["ok"]), ""),
                Field::optional(
                    "sha256",
                    Shape::Nullable,
                    "Of the file that was written, or null",
                ),
            ]),
            "",
        ),
        Field::new("checkpoint", Shape::Text, "Id of the state after"),
        Field::new("pre_checkpoint", Shape::Text, "Id of the state before"),
        Field::new("rolled_back", Shape::Flag, "Always false"),
    ],
};

fn call(ctx: &Ctx<'_>, args: &Args) -> Result<Map<String, Value>, Failure> {
    let operations = operation::read(args)?;
    let done = ctx
        .workspace
        .apply_changes(&operations, &ctx.cancel)
        .map_err(|error| failure(error, &operations))?;
    let applied = objects(done.applied, |one| {
        [
            ("op", one.op.into()),
            ("path", one.path.into()),
            ("status", "ok".into()),
            ("sha256", one.sha256.into()),
        ]
    });
    Ok(object([
        ("applied", applied),
        ("checkpoint", done.checkpoint.into()),
        ("pre_checkpoint", done.pre_checkpoint.into()),
        ("rolled_back", false.into()),
    ]))
}

/// The failure of a call, with a line that says which operation it is about and what is left.
fn failure(error: Error, operations: &[Operation]) -> Failure {
    let todo = hints::of(&error);
    let at = error.operation;
    let Some((index, operation)) = at.and_then(|at| Some((at, operations.get(at)?))) else {
        return match error.code {
            // What is left then is not known.
            Code::RollbackFailed => error.into(),
            _ => Failure::Hinted(error, join("nothing was changed".to_owned(), todo)),
        };
    };
    let shown = |path: &str| rooted::show(path.as_bytes());
    let paths = match operation {
        Operation::Move {
            source,
            destination,
        } => format!("{} to {}", shown(source), shown(destination)),
        other => shown(other.path()),
    };
    let op = operation.name();
    let hint = format!("operation {index} ({op} {paths}); nothing was changed");
    let given = operation.expected_sha256();
    let is_hash = given.is_none_or(|given| {
        given.len() == 64 && given.bytes().all(|digit| digit.is_ascii_hexdigit())
    });
    let todo = match error.code {
        Code::HashMismatch if !is_hash => {
            Some("expected_sha256 takes 64 hex digits and nothing else")
        }
        Code::FileAlreadyExists if op == "create_file" => {
            Some("replace_file changes a file that is there")
        }
        _ => todo,
    };
    Failure::Hinted(error, join(hint, todo))
}

fn join(mut hint: String, todo: Option<&str>) -> String {
    if let Some(todo) = todo {
        hint.push_str("; ");
        hint.push_str(todo);
    }
    hint
}
