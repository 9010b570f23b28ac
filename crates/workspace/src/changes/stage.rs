//! `Stage`: the documents that a change may have, each a Markdown file.

/// A document of a change, in the order they are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Why, and what is to come of it.
    Proposal,
    /// What exactly.
    Spec,
    /// How.
    Design,
    /// Anything else.
    Notes,
}

impl Stage {
    /// All of them, in order.
    pub const ALL: [Self; 4] = [Self::Proposal, Self::Spec, Self::Design, Self::Notes];
    /// Their names, in order.
    pub const NAMES: [&str; 4] = ["proposal", "spec", "design", "notes"];

    /// The name, as callers say it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Proposal => "proposal",
            Self::Spec => "spec",
            Self::Design => "design",
            Self::Notes => "notes",
        }
    }

    /// The stage of that name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|stage| stage.name() == name)
    }

    /// The name of its file.
    #[must_use]
    pub fn file_name(self) -> String {
        format!("{}.md", self.name())
    }
}

/// A document and its size in bytes, if there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Document {
    /// Which one.
    pub stage: Stage,
    /// Its size in bytes; `None` when it is missing.
    pub len: Option<u64>,
}

/// The content of a document after writing: what was there if it is added to, then the new text,
/// and a line break at its end.
pub(super) fn content(old: Option<&[u8]>, new: &str) -> Vec<u8> {
    let old = old.map_or(&b""[..], without_line_ends);
    let mut content = old.to_vec();
    if !content.is_empty() {
        content.extend_from_slice(b"\n\n");
    }
    content.extend_from_slice(new.as_bytes());
    if !content.ends_with(b"\n") {
        content.push(b'\n');
    }
    content
}

fn without_line_ends(text: &[u8]) -> &[u8] {
    let end = text
        .iter()
        .rposition(|byte| !matches!(byte, b'\n' | b'\r'))
        .map_or(0, |last| last + 1);
    text.get(..end).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::{Stage, content};

    #[test]
    fn names_are_in_the_order_of_the_stages() {
        assert_eq!(Stage::ALL.map(Stage::name), Stage::NAMES);
        assert_eq!(Stage::parse("Spec"), None);
    }

    #[test]
    fn a_document_ends_with_a_line_break() {
        for (old, new, whole) in [
            (None, "a", &b"a\n"[..]),
            (None, "a\n", b"a\n"),
            (None, "a\n\n\n", b"a\n\n\n"),
            (Some(&b"old\n\n\n"[..]), "a", b"old\n\na\n"),
            (Some(b"old"), "a\n", b"old\n\na\n"),
            (Some(b"old\r\n"), "a", b"old\n\na\n"),
            (Some(b"\xff\n"), "a", b"\xff\n\na\n"),
            (Some(b"\n\n"), "a", b"a\n"),
            (Some(b""), "a", b"a\n"),
        ] {
            assert_eq!(content(old, new), whole, "{old:?} {new:?}");
        }
    }
}
