//! Searching the lines of many files for a pattern.
//!
//! The outcome is that of reading every file in the order of its path and looking at each line. The
//! pattern language is `pattern`'s and `matcher`'s, the walk over the folders `rooted`'s; texts for
//! people are made elsewhere.

mod files;
mod lines;
pub(crate) mod order;
pub(crate) mod scan;

use std::sync::Arc;
use std::time::Duration;

use rooted::{ErrorKind, Kind, RelPath, WalkOptions, Walked};

use self::files::Files;
pub use self::lines::Line;
use self::order::{Limit, Merged, Opened, search_files};
use self::scan::Rules;
use crate::cancel::Cancel;
use crate::error::Error;
use crate::glob::Glob;
use crate::matcher::Matcher;
use crate::reader::Reader;
use crate::skipped::Skipped;

/// What to search, and how much of it to tell.
#[derive(Clone, Debug)]
pub struct SearchRequest<'a> {
    /// A JavaScript regular expression, or text when `literal`.
    pub pattern: &'a str,
    /// The folder or file to search; the whole root when absent.
    pub path: Option<&'a str>,
    /// A glob that the paths of the files must match.
    pub include: Option<&'a str>,
    /// Takes letters of either case for the same.
    pub ignore_case: bool,
    /// Takes the pattern as text.
    pub literal: bool,
    /// Tells the files only, not the lines.
    pub files_only: bool,
    /// Lines shown on each side of a hit.
    pub context: u64,
    /// Hits told at most; files, when `files_only`.
    pub max_results: usize,
    /// Bytes of lines told at most, give or take one line.
    pub max_bytes: usize,
    /// Goes on behind this place: `path:LINE`, or `path` for the end of that file.
    pub after: Option<&'a str>,
    /// Searches what ignore rules leave out, too.
    pub include_ignored: bool,
    /// Time after which the search ends with what it has.
    pub deadline: Duration,
}

/// What a search found.
#[derive(Debug, Default)]
pub struct Found {
    /// The files with hits, in the order of their paths.
    pub files: Vec<FileHits>,
    /// Hits told; files, when only those were asked for.
    pub n_matches: usize,
    /// Why the search ended early, if it did.
    pub stopped: Option<StopReason>,
    /// What was passed over.
    pub skipped: Skipped,
    /// Files that may hold more than was told: the pattern took too many steps on a line, or a line
    /// was too long for it, or time ran out in the midst of the file.
    pub undecided: Vec<RelPath>,
    /// The name `path` was found under, when that differs from the one given.
    pub found_as: Option<String>,
}

/// The hits in one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileHits {
    /// The file.
    pub path: RelPath,
    /// Its hits and their context, in order; empty when only files were asked for.
    pub lines: Vec<Line>,
}

/// Why a search ended before everything was searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// As many hits as were asked for.
    MaxResults,
    /// Time ran out.
    Deadline,
    /// As much text as was asked for, or more files than one search lists.
    Limit,
}

/// Searches beneath a folder, or in one file, as the request says.
///
/// # Errors
/// [`Error::BadPattern`]; the path errors; [`Error::Cancelled`] when the caller gave up. When time
/// runs out the answer holds what was found by then.
pub fn search(reader: &Reader<'_>, request: &SearchRequest<'_>) -> Result<Found, Error> {
    let matcher = Matcher::new(request.pattern, request.literal, request.ignore_case)?;
    let cancel = reader.cancel().with_deadline(request.deadline);
    let target = reader.find(request.path.unwrap_or("."))?;
    let mut found = Found {
        found_as: target.found_as,
        ..Found::default()
    };
    let mut files = match target.meta.kind {
        Kind::File => {
            // What a walk passes over in silence is said of a file that was asked for by name.
            let opened = reader.open_file(request.path.unwrap_or("."));
            if let Err(error @ (Error::Denied(_) | Error::NotRegular(_))) = opened {
                return Err(error);
            }
            Files::One(target.path)
        }
        Kind::Dir => {
            let walked = walk_files(reader, &target.path, request.include_ignored, &cancel)?;
            found.skipped.ignored = walked.ignored;
            found.skipped.unreadable = walked.unreadable;
            found.stopped = walked.stopped.then_some(StopReason::Deadline);
            if walked.capped {
                found.stopped = Some(StopReason::Limit);
            }
            Files::Walked(walked)
        }
        Kind::Link | Kind::Special => return Err(Error::NotRegular(target.path)),
    };
    if let Some(include) = request.include {
        files = files.only(&Glob::new(include));
    }
    let (first, behind) = match request.after {
        Some(after) => files.behind(after, request.files_only),
        None => (0, 0),
    };
    let rules = Rules {
        matcher: &matcher,
        context: request.context,
        files_only: request.files_only,
        max_results: request.max_results.max(1),
        max_bytes: request.max_bytes.max(1),
    };
    let open = |place: usize| open(reader, &files.path(first + place));
    let merged = search_files(files.len() - first, behind, &open, &rules, &cancel);
    if reader.cancel().is_raised() {
        return Err(Error::Cancelled);
    }
    found.take(merged, |place| files.path(first + place));
    Ok(found)
}

fn walk_files(
    reader: &Reader<'_>,
    start: &RelPath,
    include_ignored: bool,
    cancel: &Cancel,
) -> Result<Arc<Walked>, Error> {
    let stop = || cancel.is_cancelled();
    reader.walk(&WalkOptions {
        files_only: true,
        include_ignored,
        stop: &stop,
        ..WalkOptions::new(start)
    })
}

/// Opens a file that a walk listed; what has become a link meanwhile is not followed, and what the
/// policy hides under another name not searched.
fn open(reader: &Reader<'_>, path: &RelPath) -> Opened<rooted::File> {
    match reader.root().open_file(path) {
        Ok(file) if file.path() == path && !reader.is_hidden_twin(&file) => {
            let len = file.meta().len;
            Opened::Content(file, len)
        }
        Ok(_) => Opened::Gone,
        Err(error) if is_gone(&error.kind) => Opened::Gone,
        Err(_) => Opened::Unreadable,
    }
}

fn is_gone(kind: &ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::NotFound
            | ErrorKind::NotADirectory
            | ErrorKind::IsADirectory
            | ErrorKind::NotRegular
            | ErrorKind::Outside
    )
}

impl Found {
    fn take(&mut self, merged: Merged, path_at: impl Fn(usize) -> RelPath) {
        self.files = merged
            .files
            .into_iter()
            .map(|(place, lines)| FileHits {
                path: path_at(place),
                lines,
            })
            .collect();
        self.n_matches = merged.n_hits;
        self.skipped.binary = merged.n_binary;
        self.skipped.unreadable += merged.n_unreadable;
        self.undecided = merged.gave_up.into_iter().map(path_at).collect();
        self.stopped = match merged.full {
            Some(Limit::Results) => Some(StopReason::MaxResults),
            Some(Limit::Bytes) => Some(StopReason::Limit),
            None if merged.interrupted => Some(StopReason::Deadline),
            None => self.stopped,
        };
    }
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod world_tests;
