//! Pieces put into a text and cut out of it, and where to do so: blanks, comments, commas, lines.

/// A text that is being changed. Places are those of the original.
pub(super) struct Splice<'a> {
    text: &'a str,
    changes: Vec<(usize, usize, String)>,
}

impl<'a> Splice<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            text,
            changes: Vec::new(),
        }
    }

    pub(super) fn put(&mut self, at: usize, piece: String) {
        self.changes.push((at, at, piece));
    }

    pub(super) fn cut(&mut self, from: usize, to: usize) {
        self.changes.push((from, to, String::new()));
    }

    pub(super) fn replace(&mut self, from: usize, to: usize, piece: String) {
        self.changes.push((from, to, piece));
    }

    /// The text with all changes; those of one place in the order in which they were made.
    pub(super) fn done(mut self) -> String {
        self.changes.sort_by_key(|(from, ..)| *from);
        let mut done = String::with_capacity(self.text.len());
        let mut at = 0;
        for (from, to, piece) in &self.changes {
            done.push_str(self.text.get(at..*from).unwrap_or_default());
            done.push_str(piece);
            at = (*to).max(at);
        }
        done.push_str(self.text.get(at..).unwrap_or_default());
        done
    }
}

fn byte(text: &str, at: usize) -> Option<u8> {
    text.as_bytes().get(at).copied()
}

/// The place behind spaces and tabs.
pub(super) fn after_blanks(text: &str, mut at: usize) -> usize {
    while matches!(byte(text, at), Some(b' ' | b'\t')) {
        at += 1;
    }
    at
}

/// The place before spaces and tabs.
pub(super) fn before_blanks(text: &str, mut at: usize) -> usize {
    while at > 0 && matches!(byte(text, at - 1), Some(b' ' | b'\t')) {
        at -= 1;
    }
    at
}

/// The place of the line break before what is first on its line; `None` when it is not first, or on
/// the first line.
pub(super) fn line_start(text: &str, at: usize) -> Option<usize> {
    let blank = before_blanks(text, at);
    let before = text.get(..blank)?;
    let before = before.strip_suffix('\n')?;
    Some(before.strip_suffix('\r').unwrap_or(before).len())
}

/// The blanks that the line of a place begins with.
pub(super) fn indent(text: &str, at: usize) -> &str {
    let before = text.get(..at).unwrap_or_default();
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    text.get(start..after_blanks(text, start))
        .unwrap_or_default()
}

/// The place of the next thing that is neither blank nor comment.
pub(super) fn after_trivia(text: &str, mut at: usize) -> usize {
    loop {
        match byte(text, at) {
            Some(b' ' | b'\t' | b'\r' | b'\n') => at += 1,
            Some(b'/') => at = after_comment(text, at),
            _ => return at,
        }
    }
}

/// The place behind the comments that end on the same line.
pub(super) fn line_end(text: &str, at: usize) -> usize {
    let mut end = at;
    loop {
        let next = after_blanks(text, end);
        let behind = after_comment(text, next);
        let comment = text.get(next..behind).unwrap_or_default();
        if byte(text, next) != Some(b'/') || comment.contains('\n') {
            return end;
        }
        end = behind;
    }
}

/// The place behind a comment, without its line break.
fn after_comment(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    let length = if rest.starts_with("/*") {
        rest.find("*/").map(|end| end + 2)
    } else {
        rest.find(['\n', '\r'])
    };
    at + length.unwrap_or(rest.len())
}

/// The place of the comma behind a value, if there is one.
pub(super) fn comma_behind(text: &str, end: usize) -> Option<usize> {
    let next = after_trivia(text, end);
    (byte(text, next) == Some(b',')).then_some(next)
}

/// The place behind the last comment between two places; the first place when there is none.
pub(super) fn behind_comments(text: &str, from: usize, to: usize) -> usize {
    let mut last = from;
    let mut at = from;
    while at < to {
        if byte(text, at) == Some(b'/') {
            at = after_comment(text, at);
            last = at;
        } else {
            at += 1;
        }
    }
    last.min(to)
}
