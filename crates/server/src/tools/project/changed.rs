//! What an edit says beside that it was done.

use workspace::change::EditAnswer;

use crate::remarks;

/// What a caller should know of an edit, in brackets.
pub(super) fn edit_remarks(answer: &EditAnswer) -> String {
    let mut text = remarks::of_edit(answer.adapted, answer.lost_last_newline);
    if answer.n_doubtful > 0 {
        let n = answer.n_doubtful;
        text.push_str(&format!(
            " ({n} more left alone: they may begin inside a character)"
        ));
    }
    text + &remarks::of_file(&answer.outcome)
}

/// How many places were changed.
pub(super) fn replacements(n: usize) -> String {
    match n {
        1 => "1 replacement".to_owned(),
        n => format!("{n} replacements"),
    }
}
