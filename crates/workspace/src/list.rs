//! Listing what is in a folder and below.
//!
//! The walk is `rooted`'s; here are the pattern, the page and the question which files are binary,
//! which is asked only of files that would be shown. Texts for people are made elsewhere.

mod sniff;

use std::sync::Arc;

use rooted::{Entries, Kind, RelPath, WalkOptions, Walked};

use self::sniff::{Content, Sniffer};
use crate::error::Error;
use crate::glob::Glob;
use crate::limits;
use crate::reader::Reader;
use crate::skipped::Skipped;

#[cfg(test)]
mod tests;

/// What to list.
#[derive(Clone, Copy, Debug)]
pub struct ListRequest<'a> {
    /// The folder; the whole root when absent.
    pub path: Option<&'a str>,
    /// A glob of the entries to show; folders are entered whether or not they match.
    pub pattern: Option<&'a str>,
    /// Levels below the folder; more than [`limits::LIST_DEPTH_MAX`] count as that.
    pub max_depth: u64,
    /// Entries shown at most; more than [`limits::LIST_ENTRIES_MAX`] count as that.
    pub limit: u64,
    /// Bytes of the shown paths, one a line; the first is shown whatever its length.
    pub max_bytes: usize,
    /// Goes on behind this path, which need not exist any more.
    pub after: Option<&'a str>,
    /// Lists what ignore rules leave out, too.
    pub include_ignored: bool,
    /// Lists files that are not text, too.
    pub include_binary: bool,
}

impl Default for ListRequest<'_> {
    /// The whole root, as far as one answer shows it.
    fn default() -> Self {
        Self {
            path: None,
            pattern: None,
            max_depth: limits::LIST_DEPTH,
            limit: limits::LIST_ENTRIES,
            max_bytes: limits::ANSWER_BYTES,
            after: None,
            include_ignored: false,
            include_binary: false,
        }
    }
}

/// What is in a folder.
#[derive(Debug, Default)]
pub struct Listing {
    /// The entries of this page, sorted by the bytes of their paths.
    pub entries: Vec<ListedEntry>,
    /// Entries there are by their names, on all pages, binary files included.
    pub total: u64,
    /// There are more entries behind the last one shown.
    pub cut: bool,
    /// The folder is too large to be listed to its end; `total` is what was seen of it.
    pub capped: bool,
    /// What is not shown.
    pub skipped: Skipped,
    /// Where the folder really is.
    pub path: RelPath,
    /// The name it was found under, when only Unicode form or spaces differ.
    pub found_as: Option<String>,
}

/// One entry of a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedEntry {
    /// Where it is.
    pub path: RelPath,
    /// Whether it is a folder.
    pub is_dir: bool,
}

/// Lists a folder.
///
/// # Errors
/// [`Error::PathNotFound`], [`Error::NotADirectory`] and the other path errors; [`Error::Cancelled`].
pub fn list(reader: &Reader, request: &ListRequest) -> Result<Listing, Error> {
    let found = reader.find(request.path.unwrap_or("."))?;
    if found.meta.kind != Kind::Dir {
        return Err(Error::NotADirectory(found.path));
    }
    let walked = walk(reader, request, &found.path)?;
    let entries = &walked.entries;
    let matching = matching(entries, request.pattern);
    let start = match request.after {
        Some(after) => {
            let behind = behind(reader, entries, after)?;
            matching.partition_point(|&index| index < behind)
        }
        None => 0,
    };
    let mut page = Page {
        listing: Listing {
            total: matching.len() as u64,
            capped: walked.capped,
            skipped: Skipped {
                ignored: walked.ignored,
                binary: 0,
                unreadable: walked.unreadable,
            },
            path: found.path,
            found_as: found.found_as,
            ..Listing::default()
        },
        limit: usize::try_from(request.limit.min(limits::LIST_ENTRIES_MAX)).unwrap_or(usize::MAX),
        n_bytes_left: request.max_bytes,
    };
    let rest = matching.get(start..).unwrap_or_default();
    let n_done = page.fill(reader, entries, rest, request.include_binary)?;
    page.listing.cut = n_done < rest.len();
    Ok(page.listing)
}

fn walk(reader: &Reader, request: &ListRequest, start: &RelPath) -> Result<Arc<Walked>, Error> {
    let stop = || reader.cancel().is_cancelled();
    let max_depth = request.max_depth.min(limits::LIST_DEPTH_MAX);
    let options = WalkOptions {
        max_depth: usize::try_from(max_depth).unwrap_or(usize::MAX),
        include_ignored: request.include_ignored,
        stop: &stop,
        ..WalkOptions::new(start)
    };
    let walked = reader.walk(&options)?;
    if walked.stopped {
        return Err(Error::Cancelled);
    }
    Ok(walked)
}

/// Places of the entries that the pattern takes.
fn matching(entries: &Entries, pattern: Option<&str>) -> Vec<usize> {
    let Some(glob) = pattern.map(Glob::new) else {
        return (0..entries.len()).collect();
    };
    let mut buffer = Vec::new();
    let mut takes = |index: usize| {
        let path = entries.path_bytes(index, &mut buffer);
        path.is_some_and(|path| glob.matches(path))
    };
    (0..entries.len()).filter(|&index| takes(index)).collect()
}

/// Place of the first entry behind a path as it was shown: its literal reading, or the escaped one
/// when only that one is there.
fn behind(reader: &Reader, entries: &Entries, after: &str) -> Result<usize, Error> {
    let literal = entries.behind(reader.parse(after)?.as_bytes());
    let unshown = rooted::unshow(after).and_then(|bytes| RelPath::from_bytes(&bytes).ok());
    let Some(unshown) = unshown else {
        return Ok(literal);
    };
    let place = entries.behind(unshown.as_bytes());
    let is_there = |place: usize, path: &[u8]| {
        let mut buffer = Vec::new();
        let last = place.checked_sub(1);
        last.and_then(|last| entries.path_bytes(last, &mut buffer)) == Some(path)
    };
    if is_there(place, unshown.as_bytes()) && !is_there(literal, after.as_bytes()) {
        return Ok(place);
    }
    Ok(literal)
}

/// A page while it is filled.
struct Page {
    listing: Listing,
    limit: usize,
    n_bytes_left: usize,
}

impl Page {
    /// Takes entries in order until the page is full; says how many were looked at.
    fn fill(
        &mut self,
        reader: &Reader,
        entries: &Entries,
        rest: &[usize],
        include_binary: bool,
    ) -> Result<usize, Error> {
        let sniffer = Sniffer::new(reader, include_binary);
        let mut n_done = 0;
        while n_done < rest.len() && self.listing.entries.len() < self.limit {
            // Never more than fit, so that no file is looked at that has no bearing on the answer.
            let n_wanted = self.limit - self.listing.entries.len();
            let batch = rest.get(n_done..).unwrap_or_default();
            let batch: Vec<_> = batch
                .iter()
                .take(n_wanted)
                .filter_map(|&index| entries.get(index))
                .collect();
            let contents = sniffer.look(&batch)?;
            for (entry, content) in batch.into_iter().zip(contents) {
                match content {
                    Content::Shown => {
                        if !self.take(entry) {
                            return Ok(n_done);
                        }
                    }
                    Content::Binary => self.listing.skipped.binary += 1,
                    Content::Gone => self.listing.total -= 1,
                }
                n_done += 1;
            }
        }
        Ok(n_done)
    }

    /// Adds an entry, unless the page has no room for its line.
    fn take(&mut self, entry: rooted::Entry) -> bool {
        let is_dir = entry.kind == Kind::Dir;
        let n_bytes = shown_len(&entry.path) + usize::from(is_dir) + 1;
        let shown = &mut self.listing.entries;
        if n_bytes > self.n_bytes_left && !shown.is_empty() {
            return false;
        }
        self.n_bytes_left = self.n_bytes_left.saturating_sub(n_bytes);
        shown.push(ListedEntry {
            path: entry.path,
            is_dir,
        });
        true
    }
}

/// Bytes that a path takes when shown.
fn shown_len(path: &RelPath) -> usize {
    let bytes = path.as_bytes();
    if bytes.iter().all(|byte| matches!(byte, b' '..=b'~')) {
        bytes.len()
    } else {
        path.to_string().len()
    }
}
