//! What is asked for.

use super::cursor::LARGEST;
use super::fault::Fault;
use super::path::Path;

/// What is in a folder.
#[derive(Clone, Copy, Debug, Default)]
pub struct ListRequest<'a> {
    /// The folder; the root when absent.
    pub path: Option<&'a str>,
    /// Where to go on.
    pub cursor: Option<&'a str>,
    /// Items at most.
    pub limit: Option<u64>,
}

/// Which files or lines hold one of some texts.
#[derive(Clone, Copy, Debug, Default)]
pub struct SearchRequest<'a> {
    /// The text,
    pub query: Option<&'a str>,
    /// or several.
    pub any_of: Option<&'a [String]>,
    /// Takes letters of ASCII in either case for the same.
    pub case_insensitive: bool,
    /// The folder or file to search in; the root when absent. For lines only.
    pub path: Option<&'a str>,
    /// Where to go on.
    pub cursor: Option<&'a str>,
    /// Items at most.
    pub limit: Option<u64>,
}

/// What is in a file.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReadRequest<'a> {
    /// The file.
    pub path: &'a str,
    /// The line to begin at, from 1.
    pub start_line: Option<u64>,
    /// Where to go on.
    pub cursor: Option<&'a str>,
    /// Pieces at most.
    pub limit: Option<u64>,
}

/// Reads the path of a folder.
pub(super) fn parse(path: Option<&str>) -> Result<Path, Fault> {
    path.map_or_else(|| Ok(Path::root()), Path::parse)
}

/// Items that a page may hold.
pub(super) fn items(limit: Option<u64>, max: u64) -> Result<usize, Fault> {
    let limit = match limit {
        None => max,
        Some(limit @ 1..=LARGEST) => limit.min(max),
        Some(_) => return Err(Fault::LIMIT),
    };
    Ok(usize::try_from(limit).unwrap_or(usize::MAX))
}
