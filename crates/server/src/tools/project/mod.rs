//! The toolset `project`: a coding agent at work in folders of code.

mod change_activate;
mod change_create;
mod change_doc;
mod change_status;
mod change_text;
mod changed;
mod constraint_add;
mod edit_file;
mod git_diff;
mod git_status;
mod grep;
mod list_files;
mod patch;
mod read_file;
mod recall;
mod remember;
pub mod shell;
mod skips;
mod task_add;
mod task_update;
mod work_log;
mod workspace_list;
mod write_file;

use std::fmt::Write as _;

use workspace::Workspaces;

use crate::registry::Registry;
use crate::shell::Shell;
use crate::tool::Tool;

/// The tools, in the order clients see them.
pub const TOOLS: &[Tool] = &[
    workspace_list::TOOL,
    read_file::TOOL,
    write_file::TOOL,
    edit_file::TOOL,
    patch::TOOL,
    grep::TOOL,
    list_files::TOOL,
    work_log::TOOL,
    remember::TOOL,
    recall::TOOL,
    git_status::TOOL,
    git_diff::TOOL,
    change_create::TOOL,
    change_activate::TOOL,
    change_doc::TOOL,
    change_status::TOOL,
    task_add::TOOL,
    task_update::TOOL,
    constraint_add::TOOL,
];

/// What a client is told about the whole: the workspaces and the habits that work.
#[must_use]
pub fn instructions(registry: &Registry, workspaces: &Workspaces, shell: Option<&Shell>) -> String {
    let has = |name: &str| registry.get(name).is_some();
    let mut text =
        "Tools to read, search and change files, scoped to named workspaces.\nWorkspaces: "
            .to_owned();
    for (index, workspace) in workspaces.iter().enumerate() {
        let gap = if index == 0 { "" } else { "; " };
        let root = workspace.host_path().as_os_str().as_encoded_bytes();
        // A String takes every write.
        let _ = write!(text, "{gap}{} → {}", workspace.name, rooted::show(root));
        if workspace.name == workspaces.primary().name {
            text.push_str(" (primary)");
        }
        if !workspace.writable {
            text.push_str(" (read-only)");
        }
    }
    if workspaces.iter().len() > 1 {
        text.push_str("\nPass workspace: \"<name>\" to work in one that is not the primary.");
    }
    if let Some(memory) = memory(&has) {
        text.push_str(&memory);
    }
    if let Some(changes) = changes(&has) {
        text.push_str(&changes);
    }
    text.push_str(
        "\nConventions: paths are relative to the workspace root, and nothing outside it can be \
         reached. Lines are counted from 1.",
    );
    if has("read_file") && (has("edit_file") || has("patch")) {
        text.push_str(" Read a file before you edit it.");
    }
    if has("write_file") || has("edit_file") || has("patch") {
        text.push_str(
            " Changes take effect at once and cannot be undone here, so prefer edit_file or patch \
             to rewriting a file.",
        );
    }
    text.push_str(" Binary files are not text and are left out.");
    match shell.filter(|_| shell::TOOLS.iter().any(|tool| has(tool.name))) {
        Some(on) => text.push_str(&shell::instructions(on.allowed.as_deref(), &has)),
        None => text.push_str("\nThere is no shell: this server runs no commands."),
    }
    text
}

/// How sessions hand over to each other, as far as there are tools for it.
fn memory(has: &dyn Fn(&str) -> bool) -> Option<String> {
    let start = match (has("work_log"), has("recall")) {
        (true, true) => "call work_log and recall at the start, to learn what was done and noted",
        (true, false) => "call work_log at the start, to learn what was done",
        (false, true) => "call recall at the start, to learn what was noted",
        (false, false) => return None,
    };
    let end = if has("remember") {
        "; call remember at the end, with what changed and what comes next"
    } else {
        ""
    };
    Some(format!("\nSession memory: {start}{end}."))
}

/// How work is tracked, as far as there are tools for it.
fn changes(has: &dyn Fn(&str) -> bool) -> Option<String> {
    let steps = [
        ("change_create", "change_create starts a change"),
        ("change_doc", "change_doc writes its documents"),
        ("task_add", "task_add breaks it into tasks"),
        ("task_update", "task_update says how far they are"),
        ("change_status", "change_status shows where you are"),
    ];
    let there: Vec<&str> = steps
        .iter()
        .filter_map(|&(tool, step)| has(tool).then_some(step))
        .collect();
    (!there.is_empty()).then(|| format!("\nChanges and tasks: {}.", there.join("; ")))
}

#[cfg(test)]
mod tests;
