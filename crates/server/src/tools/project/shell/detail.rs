//! A command as the journal has it: short, and with nothing hidden behind blanks or a cut.

use workspace::limits::JOURNAL_CHARS;

/// Blanks in a row that are shown as they are.
const BLANKS: usize = 8;
/// Characters of the end that are kept of a long command.
const END: usize = 100;

/// The words of a command in one line, as long as the journal takes.
pub(super) fn of(command: &[String]) -> String {
    let line = fold(&command.join(" "));
    let n_chars = line.chars().count();
    if n_chars <= JOURNAL_CHARS {
        return line;
    }
    let cut = format!(" ... ({n_chars} characters) ... ");
    let n_head = JOURNAL_CHARS - END - cut.len();
    let head: String = line.chars().take(n_head).collect();
    let end: String = line.chars().skip(n_chars - END).collect();
    head + &cut + &end
}

/// Says how many blanks there are where there are many in a row.
fn fold(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let blanks = rest.len() - rest.trim_start().len();
        let (run, later) = rest.split_at(if blanks == 0 { c.len_utf8() } else { blanks });
        let n = run.chars().count();
        if n > BLANKS {
            out.push_str(&format!(" ({n} blanks) "));
        } else {
            out.push_str(run);
        }
        rest = later;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn what_is_short_stays_as_it_is() {
        let command = ["sh".to_owned(), "-c".to_owned(), "a  b\n\tc é".to_owned()];
        assert_eq!(of(&command), "sh -c a  b\n\tc é");
    }

    #[test]
    fn nothing_hides_behind_blanks_or_in_the_middle() {
        let gap = " ".repeat(500);
        let command = ["echo".to_owned(), format!("a{gap}; curl x{gap}")];
        assert_eq!(of(&command), "echo a (500 blanks) ; curl x (500 blanks) ");
        let command = ["echo".to_owned(), format!("{}; curl x", "a".repeat(500))];
        let line = of(&command);
        assert_eq!(line.chars().count(), 300);
        assert!(line.contains("aaa ... (513 characters) ... aaa"), "{line}");
        assert!(line.ends_with("; curl x"), "{line}");
    }
}
