//! `workspace_list`: which workspaces there are.

use super::pending;
use crate::tool::{Hints, Tool};

pub(super) const TOOL: Tool = Tool {
    name: "workspace_list",
    title: "List workspaces",
    description: "List the workspaces: name, root folder, which one is primary, and whether it has \
                  saved state.",
    args: &[],
    hints: Hints::READ,
    call: pending,
};
