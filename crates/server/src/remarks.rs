//! What a change of a file says beside that it was done: each thing about the file that is not as before.

use workspace::transaction::Outcome;

/// Said of a file that had several names.
pub(crate) const HARD_LINKED: &str = " (was hard-linked; other names keep the old content)";

/// What a caller should know of how a file was written, in brackets.
pub(crate) fn of_file(outcome: &Outcome) -> String {
    let mut text = String::new();
    if outcome.was_hard_linked {
        text.push_str(HARD_LINKED);
    }
    if outcome.written_in_place {
        text.push_str(" (written in place: folder is not writable)");
    }
    if outcome.attributes_lost {
        text.push_str(" (owner, mode or extended attributes could not all be kept)");
    }
    text
}

/// What a caller should know of an edit of text, in brackets.
pub(crate) fn of_edit(adapted: bool, lost_last_newline: bool) -> String {
    let mut text = String::new();
    if adapted {
        text.push_str(" (line endings adapted)");
    }
    if lost_last_newline {
        text.push_str(" (the last line has no line break now)");
    }
    text
}
