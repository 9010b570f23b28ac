//! What a tool answers, before any protocol: a text, and perhaps a picture or data.

use serde_json::{Map, Value};

use crate::record::Record;

/// The answer of a tool.
#[derive(Debug, Default, PartialEq)]
pub struct Reply {
    /// The text, without a last line break.
    pub text: String,
    /// A picture that goes with it.
    pub image: Option<Image>,
    /// The same as data, by the schema that the tool tells of.
    pub structured: Option<Value>,
    /// What goes with the result under `_meta`.
    pub meta: Option<Map<String, Value>>,
    /// What the journal is to tell of it.
    pub record: Option<Record>,
}

/// A picture in an answer.
#[derive(Debug, PartialEq, Eq)]
pub struct Image {
    /// Its media type.
    pub mime: &'static str,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

impl Reply {
    /// An answer of text only.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            ..Self::default()
        }
    }

    /// The same answer, of something that the journal is to tell of.
    #[must_use]
    pub fn journaled(mut self, record: Record) -> Self {
        self.record = Some(record);
        self
    }

    /// Adds a line at the end.
    pub fn push_line(&mut self, line: &str) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(line);
    }

    /// Cuts the text at a line so that it takes at most `max_bytes`, and says so.
    ///
    /// Tools cut their own answers, with a way to go on; this is the net beneath them.
    pub fn cut(&mut self, max_bytes: usize) {
        if self.text.len() <= max_bytes {
            return;
        }
        let total = self.text.len();
        let notice = format!("... (answer cut: {total} bytes; narrow the request to see the rest)");
        let room = max_bytes.saturating_sub(notice.len() + 1);
        let end = char_boundary(&self.text, room);
        let end = self.text[..end].rfind('\n').unwrap_or(end);
        self.text.truncate(end);
        self.push_line(&notice);
    }
}

/// The last place at or before `at` that is between two characters.
fn char_boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len()))
        .rev()
        .find(|&at| text.is_char_boundary(at))
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::Reply;

    #[test]
    fn a_long_answer_is_cut_at_a_line_and_says_so() {
        let mut reply = Reply::text("first line\n".repeat(20));
        reply.cut(100);
        assert_eq!(
            reply.text,
            "first line\nfirst line\nfirst line\n... (answer cut: 220 bytes; narrow the request to see the rest)"
        );
        assert!(reply.text.len() <= 100);
    }

    #[test]
    fn a_long_line_is_cut_between_characters() {
        let mut reply = Reply::text("é".repeat(200));
        reply.cut(101);
        assert!(reply.text.starts_with("ééé"));
        assert!(reply.text.len() <= 101);
    }

    #[test]
    fn an_answer_that_fits_stays_as_it_is() {
        let mut reply = Reply::text("abc");
        reply.cut(3);
        assert_eq!(reply.text, "abc");
    }
}
