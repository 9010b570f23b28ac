//! The journal: what was done in a workspace, one line for each call that changes something.
//!
//! It keeps names, sizes and counts, never the content of files. It is written after the fact: a
//! line that cannot be written changes nothing of what was done.

use memchr::memmem::Finder;
use rooted::{Durability, RelPath};
use serde::{Deserialize, Serialize};

use crate::cancel::Cancel;
use crate::clock::Time;
use crate::error::Error;
use crate::limits;
use crate::records::{Loose, object};
use crate::workspace::Workspace;

/// The name of the newest journal file.
pub const FILE: &str = "journal.jsonl";

/// What is to be remembered of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The tool.
    pub tool: String,
    /// The files it was about, as [`shown_path`] and [`path_of`] give them.
    pub paths: Vec<String>,
    /// What it did, in a few words.
    pub detail: Option<String>,
    /// How it ended.
    pub result: String,
    /// The change it belongs to; if there is none, the active one.
    pub change: Option<String>,
}

/// A line of the journal, in the order of its keys.
#[derive(Serialize)]
struct Line<'a> {
    ts: String,
    tool: &'a str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    paths: Vec<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<&'a str>,
    result: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    change: Option<&'a str>,
}

/// Adds an entry. Does nothing where nothing may be changed.
///
/// # Errors
/// Why it could not be written.
pub fn append(workspace: &Workspace, entry: &Entry) -> Result<(), Error> {
    if !workspace.writable {
        return Ok(());
    }
    let active = match &entry.change {
        Some(_) => None,
        None => workspace.active_change(),
    };
    let short = |text| cut(text, limits::JOURNAL_CHARS);
    let paths = entry.paths.iter();
    let line = Line {
        ts: workspace.clock.now().to_string(),
        tool: &entry.tool,
        paths: paths
            .map(|path| cut(path, limits::JOURNAL_PATH_CHARS))
            .collect(),
        detail: entry.detail.as_deref().map(short),
        result: short(&entry.result),
        change: entry.change.as_deref().or(active.as_deref()),
    };
    let mut line = serde_json::to_vec(&line).expect("texts and lists of texts become JSON");
    line.push(b'\n');
    workspace
        .journal
        .append(workspace, workspace.keep, Durability::Kill, &line)
}

/// The first characters of a text, as many as a line has room for.
fn cut(text: &str, n_chars: usize) -> &str {
    match text.char_indices().nth(n_chars) {
        Some((end, _)) => text.get(..end).unwrap_or(text),
        None => text,
    }
}

/// A path as the journal has it.
#[must_use]
pub fn shown_path(path: &RelPath) -> String {
    path.as_str()
        .filter(|text| !text.is_empty())
        .map_or_else(|| path.to_string(), str::to_owned)
}

/// A path argument as the journal has it: relative to the root if it is inside, else `None`.
#[must_use]
pub fn path_of(workspace: &Workspace, input: &str) -> Option<String> {
    let root = workspace.root().ok()?;
    let path = RelPath::parse(input, &root.spellings()).ok()?;
    Some(shown_path(&path))
}

/// Which entries are wanted.
#[derive(Clone, Copy, Debug)]
pub struct Query<'a> {
    /// So many, at most.
    pub limit: usize,
    /// Not older than this.
    pub since: Option<Time>,
    /// With this in one of the paths.
    pub path: Option<&'a str>,
    /// Of this change.
    pub change: Option<&'a str>,
    /// Stop when the entries hold so many bytes.
    pub max_bytes: usize,
}

/// Entries, the last one first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// The entries.
    pub entries: Vec<Logged>,
    /// Whether there was more, but no room for it.
    pub is_cut: bool,
}

/// An entry as it stands in the journal. Any program can have written it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Logged {
    /// When.
    pub ts: String,
    /// The tool.
    pub tool: String,
    /// The files it was about.
    pub paths: Vec<String>,
    /// What it did.
    pub detail: Option<String>,
    /// How it ended.
    pub result: Option<String>,
    /// The change it belongs to.
    pub change: Option<String>,
}

#[derive(Deserialize)]
struct LooseLine<'a> {
    #[serde(borrow)]
    ts: Loose<'a>,
    #[serde(borrow)]
    tool: Loose<'a>,
    #[serde(borrow, default)]
    paths: Loose<'a>,
    #[serde(borrow, default)]
    detail: Loose<'a>,
    #[serde(borrow, default)]
    result: Loose<'a>,
    #[serde(borrow, default)]
    change: Loose<'a>,
}

/// Reads the journal backwards, as far as it takes. Lines that are no entries are passed over.
///
/// # Errors
/// [`Error::Cancelled`]; what the operating system says; links among the files are refused.
pub fn read(workspace: &Workspace, cancel: &Cancel, query: &Query<'_>) -> Result<Found, Error> {
    let mut found = Found::default();
    let mut n_bytes = 0usize;
    let needed: Vec<Finder<'_>> = [query.path, query.change]
        .into_iter()
        .flatten()
        .map(Finder::new)
        .collect();
    let mut lines = workspace.journal.newest_first(workspace)?;
    while found.entries.len() < query.limit
        && let Some(line) = lines.next_line(cancel)?
    {
        let is_old = query.since.is_some_and(|since| is_before(line, since));
        if is_old || !needed.iter().all(|needed| may_hold(line, needed)) {
            continue;
        }
        let Some(line) = object::<LooseLine<'_>>(line) else {
            continue;
        };
        let Some(mut entry) = wanted(&line, query) else {
            continue;
        };
        entry.paths.retain(|path| !is_denied(workspace, path));
        n_bytes = n_bytes.saturating_add(entry.n_bytes());
        if n_bytes > query.max_bytes && !found.entries.is_empty() {
            found.is_cut = true;
            break;
        }
        found.entries.push(entry);
    }
    Ok(found)
}

/// Says whether a text may be in a line, before the line is taken apart. Where nothing is escaped
/// all texts stand as they are.
fn may_hold(line: &[u8], text: &Finder<'_>) -> bool {
    text.find(line).is_some() || memchr::memchr(b'\\', line).is_some()
}

/// Says whether a line that begins as ours do is older than a time, before it is taken apart.
fn is_before(line: &[u8], since: Time) -> bool {
    let ts = line.strip_prefix(b"{\"ts\":\"").and_then(|rest| {
        let end = memchr::memchr(b'"', rest)?;
        std::str::from_utf8(rest.get(..end)?).ok()
    });
    ts.and_then(Time::parse).is_some_and(|time| time < since)
}

/// What the policy hides now may have been changed before.
fn is_denied(workspace: &Workspace, path: &str) -> bool {
    RelPath::from_bytes(path.as_bytes()).is_ok_and(|path| workspace.policy.is_denied(&path))
}

fn wanted(line: &LooseLine<'_>, query: &Query<'_>) -> Option<Logged> {
    let (ts, tool) = (line.ts.text()?, line.tool.text()?);
    let is_new = |since| Time::parse(ts).is_some_and(|time| time >= since);
    let has_path =
        |part: &str| part.is_empty() || line.paths.texts().any(|path| path.contains(part));
    let fits = query.since.is_none_or(is_new)
        && query.path.is_none_or(has_path)
        && (query.change).is_none_or(|change| line.change.text() == Some(change));
    fits.then(|| {
        let owned = |text: &Loose<'_>| text.text().map(str::to_owned);
        Logged {
            ts: ts.to_owned(),
            tool: tool.to_owned(),
            paths: line.paths.texts().map(str::to_owned).collect(),
            detail: owned(&line.detail),
            result: owned(&line.result),
            change: owned(&line.change),
        }
    })
}

impl Logged {
    fn n_bytes(&self) -> usize {
        let len = |text: &Option<String>| text.as_ref().map_or(0, String::len);
        let paths: usize = self.paths.iter().map(|path| path.len() + 2).sum();
        self.ts.len() + self.tool.len() + paths + len(&self.detail) + len(&self.result) + 16
    }
}
