//! What the tools for changes have in common: an argument, and how parts of a change are shown.

use std::fmt::Write as _;

use rooted::RelPath;
use workspace::Workspace;
use workspace::changes::{Counts, Document};

use crate::args::{Arg, Kind};

/// The change that a tool is about.
pub(super) const CHANGE_ID: Arg = Arg::new(
    "changeId",
    Kind::Text { min_chars: 1 },
    "Default: the active change",
);

/// A text in one line: line breaks and what steers a terminal or the direction of writing is escaped.
pub(super) fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for c in text.chars() {
        // Joiners and the like stay: some scripts and many emoji are spelled with them.
        let breaks = matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        if (c.is_control() && c != '\t') || breaks {
            // A String takes every write.
            let _ = write!(
                line,
                "{}",
                rooted::show(c.encode_utf8(&mut [0; 4]).as_bytes())
            );
        } else {
            line.push(c);
        }
    }
    line
}

/// The path of a file of state, told apart from a path of the root that a tool for files would take.
pub(super) fn state_path(workspace: &Workspace, path: &RelPath) -> String {
    if workspace.keeps_state_apart() {
        format!("<state-dir>/{path}")
    } else {
        path.to_string()
    }
}

/// How many tasks are how far.
pub(super) fn counts_line(counts: Counts) -> String {
    let Counts {
        total,
        done,
        pending,
        in_progress,
        blocked,
    } = counts;
    format!(
        "counts: {done}/{total} done, {pending} pending, {in_progress} in progress, {blocked} blocked"
    )
}

/// A document and its size.
pub(super) fn document(document: &Document) -> String {
    let name = document.stage.file_name();
    match document.len {
        Some(len) => format!("{name} ({len} bytes)"),
        None => format!("{name} (missing)"),
    }
}
