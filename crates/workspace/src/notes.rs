//! Notes: what somebody wants to know again in a later session. They are only ever added.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::cancel::Cancel;
use crate::error::Error;
use crate::limits;
use crate::records::{Keep, Loose, object};
use crate::workspace::Workspace;

#[derive(Serialize)]
struct Line<'a> {
    ts: String,
    text: &'a str,
    tags: &'a [&'a str],
}

#[derive(Deserialize)]
struct LooseLine<'a> {
    #[serde(borrow)]
    ts: Loose<'a>,
    #[serde(borrow)]
    text: Loose<'a>,
    #[serde(borrow, default)]
    tags: Loose<'a>,
}

/// Which notes are wanted; an empty text means any.
#[derive(Clone, Copy, Debug)]
pub struct Query<'a> {
    /// So many, at most.
    pub limit: usize,
    /// With this in the text, in either case.
    pub text: &'a str,
    /// With this tag, in either case.
    pub tag: &'a str,
    /// Stop when the notes hold so many bytes.
    pub max_bytes: usize,
}

/// Notes, the last one first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// The notes.
    pub notes: Vec<Note>,
    /// Whether there was more, but no room for it.
    pub is_cut: bool,
}

/// A note as it stands in its file. Any program can have written it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// When it was taken.
    pub ts: String,
    /// What it says.
    pub text: String,
    /// Its tags.
    pub tags: Vec<String>,
}

/// Keeps a note; tells how many there are now. Blank tags and doubles are left out.
///
/// # Errors
/// [`Error::NoteTooLarge`]; [`Error::NoteNotStored`] with what stands in the way.
pub fn remember(
    workspace: &Workspace,
    cancel: &Cancel,
    text: &str,
    tags: &[String],
) -> Result<u64, Error> {
    if !workspace.writable {
        return Err(Error::ReadOnlyWorkspace(workspace.name.clone()));
    }
    let text = trim(text);
    if text.len() > limits::NOTE_BYTES {
        return Err(Error::NoteTooLarge(text.len()));
    }
    let mut kept: Vec<&str> = Vec::new();
    for tag in tags.iter().map(|tag| trim(tag)) {
        if !tag.is_empty() && !kept.contains(&tag) {
            kept.push(tag);
        }
    }
    let line = Line {
        ts: workspace.clock.now().to_string(),
        text,
        tags: &kept,
    };
    let mut line = serde_json::to_vec(&line).expect("texts and lists of texts become JSON");
    line.push(b'\n');
    let keep = Keep {
        max_files: None,
        ..workspace.keep
    };
    workspace
        .notes
        .append(workspace, keep, workspace.durability(), &line)
        .map_err(|cause| Error::NoteNotStored(Box::new(cause)))?;
    count(workspace, cancel)
}

/// What JavaScript calls white space, at both ends: other programs read and write these files, too.
pub(crate) fn trim(text: &str) -> &str {
    text.trim_matches(|c: char| (c.is_whitespace() && c != '\u{85}') || c == '\u{feff}')
}

/// The number of notes in all files.
fn count(workspace: &Workspace, cancel: &Cancel) -> Result<u64, Error> {
    let mut n = 0;
    let mut lines = workspace.notes.newest_first(workspace)?;
    while let Some(line) = lines.next_line(cancel)? {
        if parse(line).is_some() {
            n += 1;
        }
    }
    Ok(n)
}

fn parse(line: &[u8]) -> Option<LooseLine<'_>> {
    let line: LooseLine<'_> = object(line)?;
    (line.ts.text().is_some() && line.text.text().is_some()).then_some(line)
}

/// Reads the notes backwards, as far as it takes. Lines that are no notes are passed over.
///
/// # Errors
/// [`Error::Cancelled`]; what the operating system says; links among the files are refused.
pub fn recall(workspace: &Workspace, cancel: &Cancel, query: &Query<'_>) -> Result<Found, Error> {
    let (text, tag) = (query.text.to_lowercase(), query.tag.to_lowercase());
    let mut found = Found::default();
    let mut n_bytes = 0usize;
    let mut lines = workspace.notes.newest_first(workspace)?;
    while found.notes.len() < query.limit
        && let Some(line) = lines.next_line(cancel)?
    {
        if !may_hold(line, &[&text, &tag]) {
            continue;
        }
        let Some(line) = parse(line) else { continue };
        let note_text = line.text.text().unwrap_or_default();
        if !text.is_empty() && !lower(note_text).contains(&text)
            || !tag.is_empty() && !line.tags.texts().any(|other| lower(other) == tag)
        {
            continue;
        }
        n_bytes = n_bytes.saturating_add(note_text.len() + 64);
        if n_bytes > query.max_bytes && !found.notes.is_empty() {
            found.is_cut = true;
            break;
        }
        found.notes.push(Note {
            ts: line.ts.text().unwrap_or_default().to_owned(),
            text: note_text.to_owned(),
            tags: line.tags.texts().map(str::to_owned).collect(),
        });
    }
    Ok(found)
}

/// Says whether texts in lower case may be in a line, before the line is taken apart. That is easy
/// to tell of plain letters where nothing is escaped.
fn may_hold(line: &[u8], texts: &[&str]) -> bool {
    let is_plain = |bytes: &[u8]| bytes.is_ascii() && memchr::memchr(b'\\', bytes).is_none();
    if texts.iter().all(|text| text.is_empty()) || !is_plain(line) {
        return true;
    }
    let line = line.to_ascii_lowercase();
    let is_in = |text: &&str| memchr::memmem::find(&line, text.as_bytes()).is_some();
    texts.iter().all(is_in)
}

fn lower(text: &str) -> Cow<'_, str> {
    let is_lower = |byte: u8| byte.is_ascii() && !byte.is_ascii_uppercase();
    if text.bytes().all(is_lower) {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(text.to_lowercase())
    }
}
