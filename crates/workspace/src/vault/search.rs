//! Searching notes for a text, with the headings that each hit stands under.

use std::io::{Read as _, Take};

use rooted::{File, RelPath};

use super::fault::Fault;
use super::front_matter::{BLOCK_BYTES, Tag};
use super::markdown::{Note, Outline};
use super::notes::Notes;
use super::sweep::{self, Gone};
use super::{LeftOut, Vault, path, read_start};
use crate::cancel::Cancel;
use crate::limits;
use crate::matcher::Matcher;
use crate::reader::Reader;
use crate::search::order::{self, Opened};
use crate::search::scan::Rules;
use crate::text;

/// Characters that a query may have.
pub const QUERY_CHARS: usize = 256;
/// Characters of a line that are told.
const LINE_CHARS: usize = 500;

/// What to search for, and where.
#[derive(Clone, Copy, Debug, Default)]
pub struct SearchRequest<'a> {
    /// The text, in one line.
    pub query: &'a str,
    /// The folder; empty for the root.
    pub folder: &'a str,
    /// A tag that the notes must have.
    pub tag: Option<&'a str>,
    /// Whether letters of either case differ.
    pub case_sensitive: bool,
    /// Goes on behind this place: `path:LINE`.
    pub after: Option<&'a str>,
    /// How many hits, at most.
    pub limit: Option<usize>,
}

/// What a search found.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// The lines with the text, by path and line.
    pub hits: Vec<Hit>,
    /// Whether there may be more behind the last one.
    pub truncated: bool,
    /// What was not searched, or not to the end.
    pub left_out: LeftOut,
}

/// A line with the text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hit {
    /// The note.
    pub path: RelPath,
    /// The line, from 1.
    pub line: u64,
    /// The line's text; a long one is cut around the hit.
    pub text: String,
    /// The line before, if there is one.
    pub before: Option<String>,
    /// The line behind, if there is one.
    pub after: Option<String>,
    /// The headings it stands under, the topmost first.
    pub headings: Vec<String>,
}

/// Searches the notes beneath a folder, each as far as it is read.
///
/// # Errors
/// [`Fault::Argument`] for a query that is empty, too long or not one line; the path faults.
pub fn search(vault: &Vault, cancel: &Cancel, request: &SearchRequest<'_>) -> Result<Found, Fault> {
    let query = request.query;
    if query.is_empty()
        || query.contains(['\n', '\r'])
        || text::cut_chars(query, QUERY_CHARS).is_some()
    {
        let what = format!("query: expected 1 to {QUERY_CHARS} characters in one line");
        return Err(Fault::Argument(what));
    }
    let folder = path::folder(request.folder)?;
    let matcher = Matcher::new(query, true, !request.case_sensitive)?;
    let reader = vault.reader(cancel)?;
    let notes = Notes::beneath(&reader, &folder)?;
    let tag = request.tag.map(Tag::new);
    let (first, behind) = match request.after {
        Some(after) => behind(&notes, after),
        None => (0, 0),
    };
    let max_bytes = vault.limits.max_read_bytes;
    let limit = vault.n_results(request.limit);
    let rules = Rules {
        matcher: &matcher,
        context: 1,
        files_only: false,
        // One more tells whether there are more.
        max_results: limit + 1,
        max_bytes: usize::try_from(max_bytes).unwrap_or(usize::MAX),
    };
    let n_partial = std::sync::atomic::AtomicUsize::new(0);
    let open = |place: usize| {
        let opened = open(&reader, &notes.path(first + place), tag.as_ref(), max_bytes);
        if let Opened::Content(source, _) = &opened
            && source.get_ref().meta().len > max_bytes
        {
            n_partial.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        }
        opened
    };
    let deadline = cancel.with_deadline(limits::GREP_TIME);
    let merged = order::search_files(
        notes.len().saturating_sub(first),
        behind,
        &open,
        &rules,
        &deadline,
    );
    if cancel.is_raised() {
        return Err(crate::Error::Cancelled.into());
    }
    let mut found = Found {
        truncated: merged.full.is_some() || merged.interrupted,
        left_out: notes.left_out(),
        ..Found::default()
    };
    found.left_out.n_partial = n_partial.into_inner();
    found.left_out.n_unreadable +=
        usize::try_from(merged.n_unreadable + merged.n_binary).unwrap_or(0);
    for (place, lines) in merged.files {
        cancel.check()?;
        let path = notes.path(first + place);
        let from = found.hits.len();
        let at = |number: u64| lines.iter().find(|line| line.number == number);
        for line in lines.iter().filter(|line| line.is_match) {
            found.hits.push(Hit {
                path: path.clone(),
                line: line.number,
                text: cut(&line.text, &matcher),
                before: at(line.number - 1).map(|line| cut_end(&line.text)),
                after: at(line.number + 1).map(|line| cut_end(&line.text)),
                headings: Vec::new(),
            });
        }
        let hits = found.hits.get_mut(from..).unwrap_or_default();
        add_headings(&reader, &path, max_bytes, hits);
    }
    found.hits.truncate(limit);
    Ok(found)
}

fn open(reader: &Reader<'_>, path: &RelPath, tag: Option<&Tag>, most: u64) -> Opened<Take<File>> {
    let file = match sweep::open(reader, path) {
        Ok(Some(file)) => file,
        Ok(None) => return Opened::Unreadable,
        Err(Gone) => return Opened::Gone,
    };
    if let Some(tag) = tag {
        let mut head = Vec::new();
        match read_start(&file, BLOCK_BYTES as u64, &mut head) {
            Ok(()) if tag.is_in(&head) => {}
            Ok(()) => return Opened::Gone,
            Err(_) => return Opened::Unreadable,
        }
    }
    let len = file.meta().len.min(most);
    Opened::Content(file.take(most), len)
}

/// Where to go on behind `path:LINE`: the first note, and the line of it behind which.
fn behind(notes: &Notes, after: &str) -> (usize, u64) {
    let at = after.rsplit_once(':').and_then(|(path, line)| {
        let line: u64 = line.parse().ok()?;
        Some((path, line))
    });
    let Some((path, line)) = at else {
        return (notes.behind(after), 0);
    };
    let place = notes.place_of(path.as_bytes());
    if place < notes.len() && notes.path(place).as_bytes() == path.as_bytes() {
        (place, line)
    } else {
        (place, 0)
    }
}

fn cut(line: &str, matcher: &Matcher) -> String {
    let around = matcher.find(line.as_bytes()).unwrap_or(0..0);
    match text::cut_around(line, around, LINE_CHARS) {
        Some(cut) => cut.text,
        None => line.to_owned(),
    }
}

fn cut_end(line: &str) -> String {
    match text::cut_chars(line, LINE_CHARS) {
        Some(start) => format!("{start}…"),
        None => line.to_owned(),
    }
}

/// Adds the headings to the hits of one note, as it is by now.
fn add_headings(reader: &Reader<'_>, path: &RelPath, most: u64, hits: &mut [Hit]) {
    let mut content = Vec::new();
    let Ok(Some(file)) = sweep::open(reader, path) else {
        return;
    };
    if read_start(&file, most, &mut content).is_err() {
        return;
    }
    let note = Note::new(&content);
    let mut outline = Outline::default();
    let mut hits = hits.iter_mut().peekable();
    for line in note.lines() {
        if note.is_text(&line) {
            outline.feed(&line);
        }
        while let Some(hit) = hits.next_if(|hit| hit.line == line.number) {
            hit.headings = outline.path();
        }
        if hits.peek().is_none() {
            return;
        }
    }
}

#[cfg(test)]
mod tests;
