//! What a change says beside that it was done: each thing about the file that is not as before.

use workspace::change::EditAnswer;
use workspace::transaction::Outcome;

/// Said of a file that had several names.
pub(super) const HARD_LINKED: &str = " (was hard-linked; other names keep the old content)";

/// What a caller should know of how a file was written, in brackets.
pub(super) fn remarks(outcome: &Outcome) -> String {
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

/// The same of an edit, behind what is to be said of the text.
pub(super) fn edit_remarks(answer: &EditAnswer) -> String {
    let mut text = String::new();
    if answer.adapted {
        text.push_str(" (line endings adapted)");
    }
    if answer.lost_last_newline {
        text.push_str(" (the last line has no line break now)");
    }
    if answer.n_doubtful > 0 {
        let n = answer.n_doubtful;
        text.push_str(&format!(
            " ({n} more left alone: they may begin inside a character)"
        ));
    }
    text + &remarks(&answer.outcome)
}

/// How many places were changed.
pub(super) fn replacements(n: usize) -> String {
    match n {
        1 => "1 replacement".to_owned(),
        n => format!("{n} replacements"),
    }
}
