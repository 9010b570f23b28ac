//! `change_create`: a new unit of work.

use workspace::changes::create;

use super::change_text::{one_line, state_path};
use crate::args::{Arg, Args, Kind, WORKSPACE};
use crate::context::Ctx;
use crate::failure::Failure;
use crate::record::Record;
use crate::reply::Reply;
use crate::tool::{Hints, Tool};

pub(super) const TOOL: Tool = Tool {
    name: "change_create",
    title: "Create change",
    description: "Start a change: a unit of work with documents, tasks and constraints. It becomes \
                  the active one. Next: change_doc.",
    args: &[
        Arg::new("title", Kind::Text { min_chars: 1 }, "").required(),
        Arg::new("goal", Kind::Text { min_chars: 1 }, ""),
        WORKSPACE,
    ],
    hints: Hints::ADD,
    call,
};

fn call(ctx: &Ctx<'_>, args: &Args) -> Result<Reply, Failure> {
    let title = args.needed_text("title");
    let workspace = ctx.workspace(args)?;
    let made = create(workspace, &ctx.cancel, title, args.text("goal"))?;
    let (id, title) = (&made.change.id, one_line(&made.change.title));
    let text = format!(
        "created change {id}: {title}\ndir: {}/\nnext: write the proposal with change_doc (stage proposal)",
        state_path(workspace, &made.folder)
    );
    Ok(Reply::text(text).journaled(Record::of_change(id, id.to_string(), "active")))
}
