//! Front matter: the block of YAML at the beginning of a note, and what is taken from it.
//!
//! Only events of the YAML parser are looked at, so that neither aliases nor nesting can grow. A
//! block that is no YAML mapping is plain text, never an error.

use std::borrow::Cow;
use std::ops::Range;

use memchr::{memchr, memmem};
use saphyr_parser::{Event, Parser, ScalarStyle};

use super::markdown::{Note, Outline};
use super::path::common_form;

/// Bytes in which a block must end.
pub(super) const BLOCK_BYTES: usize = 32 * 1024;
/// Bytes at the beginning of a note in which its first heading is looked for.
pub(super) const HEAD_BYTES: u64 = 64 * 1024;
/// Events of a block that are looked at.
const EVENTS: usize = 10_000;
/// Characters of a title, and of a tag or date.
const TITLE_CHARS: usize = 200;
const WORD_CHARS: usize = 100;
/// Tags of one note.
const TAGS: usize = 100;

/// What a note says about itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct About {
    /// Its title: that of the front matter, else the first heading.
    pub title: Option<String>,
    /// Its tags, without `#`.
    pub tags: Vec<String>,
    /// Its date, as it is written.
    pub date: Option<String>,
}

/// Where front matter is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Block {
    /// The YAML.
    pub(super) yaml: Range<usize>,
    /// Where the text begins.
    pub(super) end: usize,
}

/// Finds the block at the beginning of a note: between a line `---` and a line `---` or `...`.
pub(super) fn block(content: &[u8]) -> Option<Block> {
    let bom = if content.starts_with(b"\xef\xbb\xbf") {
        3
    } else {
        0
    };
    let first = content.get(bom..)?;
    if !first.starts_with(b"---") {
        return None;
    }
    let first_end = bom + memchr(b'\n', first)? + 1;
    if content.get(bom + 3..first_end)?.trim_ascii() != b"" {
        return None;
    }
    let within = content.get(..content.len().min(BLOCK_BYTES))?;
    let mut at = first_end;
    while let Some(rest) = within.get(at..).filter(|rest| !rest.is_empty()) {
        let end = memchr(b'\n', rest).map_or(rest.len(), |end| end + 1);
        let line = rest.get(..end)?.trim_ascii_end();
        if line == b"---" || line == b"..." {
            return Some(Block {
                yaml: first_end..at,
                end: at + end,
            });
        }
        at += end;
    }
    None
}

/// Reads what a block says; `None` when it is no mapping in YAML.
pub(super) fn parse(yaml: &str) -> Option<About> {
    let mut about = About::default();
    let mut depth = 0_usize;
    // The key whose value comes next, at the top level.
    let mut key: Option<Key> = None;
    let mut wants_key = true;
    let mut is_list = false;
    let mut parser = Parser::new_from_str(yaml);
    for _ in 0..EVENTS {
        let Some(event) = parser.next_event() else {
            return Some(about);
        };
        match event.ok()?.0 {
            Event::StreamEnd => return Some(about),
            Event::Scalar(text, style, ..) => match depth {
                // A block of nothing but comments.
                0 if text.is_empty() => {}
                0 => return None,
                1 if wants_key => {
                    key = Key::of(&text);
                    wants_key = false;
                }
                1 => {
                    if !is_null(&text, style) {
                        about.take(key, &text);
                    }
                    wants_key = true;
                }
                2 if is_list && key == Some(Key::Tags) && !is_null(&text, style) => {
                    about.tag(&text);
                }
                _ => {}
            },
            Event::SequenceStart(..) if depth == 0 => return None,
            Event::SequenceStart(..) => {
                if depth == 1 {
                    is_list = !wants_key;
                }
                depth += 1;
            }
            Event::MappingStart(..) => depth += 1,
            Event::SequenceEnd | Event::MappingEnd => {
                depth = depth.saturating_sub(1);
                if depth == 1 {
                    is_list = false;
                    key = key.filter(|_| !wants_key);
                    wants_key = !wants_key;
                }
            }
            Event::Alias(_) if depth == 1 => {
                key = key.filter(|_| !wants_key);
                wants_key = !wants_key;
            }
            Event::Alias(_)
            | Event::Nothing
            | Event::StreamStart
            | Event::DocumentStart(_)
            | Event::DocumentEnd => {}
        }
    }
    None
}

/// The keys that mean something here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Key {
    Title,
    Tags,
    Date,
}

impl Key {
    fn of(text: &str) -> Option<Self> {
        match text {
            "title" => Some(Self::Title),
            "tags" | "tag" => Some(Self::Tags),
            "date" => Some(Self::Date),
            _ => None,
        }
    }
}

fn is_null(text: &str, style: ScalarStyle) -> bool {
    style == ScalarStyle::Plain && matches!(text, "" | "~" | "null" | "Null" | "NULL")
}

impl About {
    fn take(&mut self, key: Option<Key>, text: &str) {
        match key {
            Some(Key::Title) if self.title.is_none() => self.title = one_line(text, TITLE_CHARS),
            Some(Key::Date) if self.date.is_none() => self.date = one_line(text, WORD_CHARS),
            // `a, b` as well as `a b`, as people write them.
            Some(Key::Tags) if text.contains(',') => text.split(',').for_each(|tag| self.tag(tag)),
            Some(Key::Tags) => text.split_whitespace().for_each(|tag| self.tag(tag)),
            _ => {}
        }
    }

    fn tag(&mut self, text: &str) {
        let text = text.trim().trim_start_matches('#');
        if let Some(tag) = one_line(text, WORD_CHARS)
            && self.tags.len() < TAGS
            && !self.tags.contains(&tag)
        {
            self.tags.push(tag);
        }
    }

    /// What the beginning of a note says.
    pub(super) fn of(head: &[u8]) -> Self {
        let yaml = block(head).and_then(|block| head.get(block.yaml));
        let mut about = yaml
            .and_then(|yaml| parse(std::str::from_utf8(yaml).ok()?))
            .unwrap_or_default();
        if about.title.is_none() {
            about.title = first_heading(head);
        }
        about
    }
}

/// The text in one line, cut; `None` when there is nothing but blanks.
fn one_line(text: &str, max: usize) -> Option<String> {
    let start: String = text.trim().chars().take(max).collect();
    let words: Vec<&str> = start.split_whitespace().collect();
    (!words.is_empty()).then(|| words.join(" "))
}

fn first_heading(head: &[u8]) -> Option<String> {
    let note = Note::new(head);
    let mut outline = Outline::default();
    for line in note.lines() {
        if note.is_text(&line) && outline.feed(&line) {
            return outline.last().and_then(|text| one_line(text, TITLE_CHARS));
        }
    }
    None
}

/// A tag that notes are chosen by.
#[derive(Clone, Debug)]
pub struct Tag {
    form: String,
}

impl Tag {
    /// The tag, with or without `#`.
    #[must_use]
    pub fn new(tag: &str) -> Self {
        let form = common_form(tag.trim().trim_start_matches('#'));
        Self { form }
    }

    /// Says whether a note has the tag, or one below it (`work/home` is below `work`).
    #[must_use]
    pub fn is_of(&self, about: &About) -> bool {
        about.tags.iter().any(|tag| {
            let form = common_form(tag);
            let rest = form.strip_prefix(self.form.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    }

    /// [`Tag::is_of`] for the beginning of a note; spares most notes the reading of YAML.
    pub(super) fn is_in(&self, head: &[u8]) -> bool {
        let Some(yaml) = block(head).and_then(|block| head.get(block.yaml)) else {
            return false;
        };
        if self.form.is_ascii() && !may_hold(yaml, &self.form) {
            return false;
        }
        let about = std::str::from_utf8(yaml).ok().and_then(parse);
        about.is_some_and(|about| self.is_of(&about))
    }
}

/// Says whether YAML may hold a word: as such, or written in another way.
fn may_hold(yaml: &[u8], word: &str) -> bool {
    let has_other_ways = |byte: &u8| !byte.is_ascii() || *byte == b'\\';
    if word.contains(char::is_whitespace) || yaml.iter().any(has_other_ways) {
        return true;
    }
    let lower: Cow<'_, [u8]> = if yaml.iter().any(u8::is_ascii_uppercase) {
        Cow::Owned(yaml.to_ascii_lowercase())
    } else {
        Cow::Borrowed(yaml)
    };
    memmem::find(&lower, word.as_bytes()).is_some()
}

#[cfg(test)]
mod tests;
