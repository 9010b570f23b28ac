//! `search_text`: where a text, or a regular expression, occurs in text files.
//!
//! A folder's own files come first, the last name first, and then its folders, the first name first.
//! Files that are no text, too large to be read, or have several names are passed over.

use memchr::memmem;
use regex::Regex;
use rooted::{Dir, Kind, RelPath, Root};

use super::Managed;
use super::answer::{Found, Hit, SearchRequest};
use super::error::{Code, Error};
use super::lines::{body, lines};
use super::plan::{as_text, refuse_binary};
use crate::cancel::Cancel;
use crate::limits::GREP_TIME;

/// Characters of a line that are shown.
const LINE_CHARS: usize = 500;
/// Bytes that a compiled expression may take.
const REGEX_BYTES: usize = 2 * 1024 * 1024;

/// What is looked for.
enum Query<'a> {
    Text(&'a str, Box<memmem::Finder<'a>>),
    Regex(Regex),
}

impl Managed {
    /// Searches text files. Ends after ten seconds with what it has by then.
    ///
    /// # Errors
    /// Those of paths; [`Code::DirectoryExpected`]; [`Code::InternalError`] for a bad expression.
    pub fn search_text(
        &self,
        request: &SearchRequest<'_>,
        cancel: &Cancel,
    ) -> Result<Found, Error> {
        let query = Query::new(request)?;
        let root = self.root()?;
        let scope = request.path_limit.unwrap_or_default();
        let start = self.folder(&root, scope, cancel)?;
        let deadline = cancel.with_deadline(GREP_TIME);
        let mut search = Search {
            managed: self,
            root: &root,
            query: &query,
            include: request.include.map(str::to_lowercase),
            cancel: &deadline,
            found: Found::default(),
        };
        search.run(start)?;
        if cancel.is_cancelled() {
            return Err(crate::Error::Cancelled.into());
        }
        Ok(search.found)
    }
}

/// Says what is wrong with a regular expression, in a few words.
#[must_use]
pub fn expression_fault(query: &str) -> Option<String> {
    let error = compile(query).err()?.to_string();
    let reason = error.lines().last().unwrap_or_default();
    let reason = reason.trim().trim_start_matches("error: ");
    Some(reason.to_owned())
}

fn compile(query: &str) -> Result<Regex, regex::Error> {
    regex::RegexBuilder::new(query)
        .size_limit(REGEX_BYTES)
        .build()
}

impl<'a> Query<'a> {
    fn new(request: &SearchRequest<'a>) -> Result<Self, Error> {
        if !request.regex {
            let text = request.query;
            return Ok(Self::Text(text, Box::new(memmem::Finder::new(text))));
        }
        compile(request.query).map(Self::Regex).map_err(|_| {
            let message = "query is no regular expression; search for it as text, or mend it";
            Error::new(Code::InternalError, message)
        })
    }

    /// Says whether it may occur at all.
    fn may_occur(&self, text: &str) -> bool {
        match self {
            Self::Text(_, finder) => finder.find(text.as_bytes()).is_some(),
            Self::Regex(_) => true,
        }
    }

    /// Byte offsets at which it occurs in a line.
    fn places(&self, line: &str, each: &mut dyn FnMut(usize) -> bool) {
        match self {
            Self::Text(text, _) => {
                for (at, _) in line.match_indices(text) {
                    if !each(at) {
                        return;
                    }
                }
            }
            Self::Regex(regex) => {
                for found in regex.find_iter(body(line)) {
                    if !each(found.start()) {
                        return;
                    }
                }
            }
        }
    }
}

/// A search under way.
struct Search<'a> {
    managed: &'a Managed,
    root: &'a Root,
    query: &'a Query<'a>,
    include: Option<String>,
    cancel: &'a Cancel,
    found: Found,
}

impl Search<'_> {
    fn run(&mut self, start: RelPath) -> Result<(), Error> {
        let mut folders = vec![start];
        while let Some(folder) = folders.pop() {
            let dir = match self.root.open_dir(&folder) {
                Ok(dir) => dir,
                Err(error) if folders.is_empty() && folder.is_root() => {
                    return Err(crate::Error::from(error).into());
                }
                // Gone meanwhile, on another file system, or closed.
                Err(_) => continue,
            };
            let Ok(names) = dir.list() else { continue };
            for (name, kind) in names.iter().rev() {
                if self.cancel.is_cancelled() {
                    self.found.truncated = true;
                }
                if self.found.truncated {
                    return Ok(());
                }
                if self.managed.rules.hides(name) {
                    continue;
                }
                match kind {
                    Kind::Dir => folders.push(folder.join(name)),
                    Kind::File => self.file(&dir, name),
                    Kind::Link | Kind::Special => {}
                }
            }
        }
        Ok(())
    }

    fn file(&mut self, dir: &Dir, name: &[u8]) {
        let options = &self.managed.options;
        if !options.include_hidden && name.starts_with(b".") {
            return;
        }
        if let Some(include) = &self.include
            && !String::from_utf8_lossy(name)
                .to_lowercase()
                .contains(include)
        {
            return;
        }
        let Ok(mut file) = dir.open_file(name) else {
            return;
        };
        let limit = options.max_read_bytes;
        if file.meta().len > limit || options.reject_hardlinks && file.meta().nlink > 1 {
            return;
        }
        let Ok(bytes) = file.read_all(limit) else {
            return;
        };
        if bytes.len() as u64 > limit || refuse_binary(&bytes).is_err() {
            return;
        }
        let Ok(text) = as_text(&bytes) else { return };
        if !self.query.may_occur(text) {
            return;
        }
        let path = dir.path().join(name).to_string();
        let most = options.max_search_results;
        let found = &mut self.found;
        for (index, line) in lines(text).enumerate() {
            self.query.places(line, &mut |at| {
                if found.hits.len() >= most {
                    found.truncated = true;
                    return false;
                }
                let front = line.get(..at).unwrap_or_default();
                found.hits.push(Hit {
                    path: path.clone(),
                    line: index + 1,
                    column: front.chars().count() + 1,
                    line_text: without_end(line).chars().take(LINE_CHARS).collect(),
                });
                true
            });
            if found.truncated {
                return;
            }
        }
    }
}

/// A line without its carriage returns and line feeds.
fn without_end(line: &str) -> &str {
    line.trim_end_matches(['\r', '\n'])
}
