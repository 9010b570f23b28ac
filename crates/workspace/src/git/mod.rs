//! What git says about a workspace, read without running anything that the workspace chose.
//!
//! Git is run on a private folder that stands in for the repository (`shadow`): it has settings
//! from a list of harmless ones, no hooks and no drivers, and a copy of the index, so that nothing
//! of the repository is executed or written. What lies outside the workspace's root, or is hidden
//! by its policy, is kept out of the answer by asking git for the rest alone.

mod attributes;
pub(crate) mod config;
mod ends;
mod index;
mod names;
mod program;
mod relative;
mod repository;
mod settings;
mod shadow;
mod status;
mod view;

#[cfg(test)]
mod tests;

use std::ffi::OsString;

use rooted::{ErrorKind, RelPath};

use self::ends::cut;
use self::program::{Program, Run};
use self::relative::Relative;
use self::status::Collector;
use self::view::{IGNORE, View, word, words};
use crate::error::Error;
use crate::limits;
use crate::process::{Ends, Environment};
use crate::reader::Reader;

/// Asks git, on behalf of one server.
#[derive(Debug)]
pub struct Git {
    program: Program,
}

/// What changed in a workspace, file by file.
#[derive(Debug, PartialEq, Eq)]
pub struct Status {
    /// The branch, and how it stands to its upstream.
    pub branch: String,
    /// The changed files as git's short format has them: two letters, and the name.
    pub entries: Vec<String>,
    /// Changed files beyond the limit.
    pub n_more: u64,
    /// The folder of a bigger repository that this is limited to.
    pub limited_to: Option<RelPath>,
    /// What was not looked at.
    pub skipped: Skipped,
}

/// Which difference is wanted.
#[derive(Clone, Copy, Debug, Default)]
pub struct DiffRequest<'a> {
    /// The file or folder; everything when absent.
    pub path: Option<&'a str>,
    /// What is staged, instead of what is not.
    pub staged: bool,
    /// How much changed, instead of what.
    pub stat: bool,
}

/// A difference as git writes it, without its last line break. Empty when there is none.
#[derive(Debug, PartialEq, Eq)]
pub struct Diff {
    /// The text, or its beginning.
    pub text: String,
    /// What is missing, and the end, when it is too long.
    pub cut: Option<Cut>,
    /// What was not looked at.
    pub skipped: Skipped,
}

/// The rest of a text that was too long.
#[derive(Debug, PartialEq, Eq)]
pub struct Cut {
    /// Bytes that are missing.
    pub n_bytes: u64,
    /// The end of the text.
    pub tail: String,
}

/// What git was kept from looking at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Skipped {
    /// What is in submodules; which commit they are at was looked up.
    pub submodules: bool,
    /// What filters, such as that of large file storage, would make of files.
    pub filters: bool,
}

impl Git {
    /// Git, with what it may know of the server's environment.
    #[must_use]
    pub fn new(environment: Environment) -> Self {
        Self {
            program: Program::new(environment),
        }
    }

    /// Lists what changed.
    ///
    /// # Errors
    /// [`Error::NotARepository`], [`Error::GitNotFound`], [`Error::GitTimedOut`], and
    /// [`Error::GitFailed`] with what git says.
    pub fn status(&self, reader: &Reader<'_>) -> Result<Status, Error> {
        let view = View::open(&self.program, reader)?;
        let mut args = words(&["status", "--porcelain=v1", "-b", "-z", IGNORE]);
        args.extend(view.pathspecs(None, &view.excluded(&[])?)?);
        let prefix = &view.repository.prefix;
        let mut collector = Collector::new(reader.policy(), prefix, view.quoting());
        let run = Run {
            command: "status",
            args,
            time_limit: limits::GIT_STATUS_TIME,
            cancel: reader.cancel(),
        };
        view.run(&run, &mut |bytes| collector.push(bytes))?;
        Ok(Status {
            branch: collector.branch,
            entries: collector.lines,
            n_more: collector.n_more,
            limited_to: (!prefix.is_root()).then(|| prefix.clone()),
            skipped: view.skipped,
        })
    }

    /// Shows what changed.
    ///
    /// # Errors
    /// As [`Git::status`], and those of a path argument.
    pub fn diff(&self, reader: &Reader<'_>, request: &DiffRequest<'_>) -> Result<Diff, Error> {
        let path = request
            .path
            .map(|input| locate(reader, input))
            .transpose()?;
        let view = View::open(&self.program, reader)?;
        let mut args = words(&[
            "diff",
            "--no-color",
            "--no-ext-diff",
            "--no-textconv",
            IGNORE,
        ]);
        args.push("--submodule=short".into());
        if request.stat {
            args.push("--stat".into());
        }
        let prefix = &view.repository.prefix;
        let mut relative = None;
        if view.has_conflicts && !prefix.is_root() {
            args.extend(words(&["--src-prefix=a/", "--dst-prefix=b/"]));
            let prefix = view.quoting().escape(prefix.as_bytes());
            relative = Some(Relative::new(&prefix, request.stat));
        } else if !prefix.is_root() {
            let folder = [b"--relative=", prefix.as_bytes(), b"/"].concat();
            args.push(word(&folder)?);
        }
        let mut hidden = Vec::new();
        if request.staged {
            args.push("--cached".into());
            if reader.policy().hides() {
                let head = view.head(reader)?;
                hidden = view.hidden_staged(reader, head.as_deref())?;
                args.extend(head.map(OsString::from));
            }
        }
        args.extend(view.pathspecs(path.as_ref(), &view.excluded(&hidden)?)?);
        let mut ends = Ends::new(limits::GIT_DIFF_BYTES, limits::GIT_DIFF_BYTES);
        let run = view.diff_run(reader, args);
        match &mut relative {
            None => view.run(&run, &mut |bytes| ends.push(bytes))?,
            Some(relative) => view.run(&run, &mut |bytes| {
                relative.push(bytes, &mut |bytes| ends.push(bytes));
            })?,
        }
        let (text, cut) = cut(ends);
        Ok(Diff {
            text,
            cut,
            skipped: view.skipped,
        })
    }
}

/// Where a path argument leads; one that is gone may be one that git still knows.
fn locate(reader: &Reader<'_>, input: &str) -> Result<RelPath, Error> {
    let missing = match reader.find(input) {
        Ok(found) => return Ok(found.path),
        Err(Error::PathNotFound(_)) => reader.parse(input)?,
        Err(error) => return Err(error),
    };
    let (Some(parent), Some(name)) = (missing.parent(), missing.file_name()) else {
        return Ok(missing);
    };
    let real = match reader.root().locate(&parent) {
        Ok(place) => place.path.join(name),
        Err(error) if matches!(error.kind, ErrorKind::NotFound) => missing,
        Err(error) => return Err(reader.explain(error, input)),
    };
    reader.permit(&real)?;
    Ok(real)
}
