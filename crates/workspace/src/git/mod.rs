//! What git says about a workspace, read without running anything that the workspace chose.
//!
//! Git is run on a private folder that stands in for the repository ([`shadow`]): it has settings
//! from a list of harmless ones, no hooks and no drivers, and a copy of the index, so that nothing
//! of the repository is executed or written. What lies outside the workspace's root, or is hidden
//! by its policy, is kept out of the answer by asking git for the rest alone.

mod attributes;
mod config;
mod index;
mod names;
mod program;
mod relative;
mod repository;
mod settings;
mod shadow;
mod status;

#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::path::PathBuf;

use rooted::{ErrorKind, RelPath};

use self::names::Quoting;
use self::program::{Program, Run};
use self::relative::Relative;
use self::repository::{CONFIG, Repository};
use self::settings::{PersonalFiles, Settings, read_host_file};
use self::shadow::Shadow;
use self::status::Collector;
use crate::error::Error;
use crate::limits;
use crate::process::{Ends, Environment, os_text};
use crate::reader::Reader;

/// Files of attributes that are looked into for the names of filters.
const ATTRIBUTE_FILES: usize = 1000;
/// Bytes of paths that are kept out of a difference by naming them.
const EXCLUDED_BYTES: usize = 512 * 1024;

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
        let view = self.view(reader)?;
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
        let view = self.view(reader)?;
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
            if reader.policy().denies_any() {
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

    /// Prepares to ask about a workspace.
    fn view<'a>(&'a self, reader: &'a Reader<'_>) -> Result<View<'a>, Error> {
        let repository = repository::find(reader)?;
        repository.common.check_objects()?;
        let mut shadow = Shadow::create(&self.program.environment, reader.root())?;
        let settings = self.settings(reader, &repository, &shadow)?;
        let mut paths = Paths::default();
        let hides = reader.policy().denies_any();
        shadow.fill(&repository, &settings, &mut |entry| {
            paths.add(&entry, &repository.prefix, |path| {
                hides && reader.policy().is_denied(path)
            });
        })?;
        let mut view = View {
            program: &self.program,
            root: reader.root(),
            skipped: Skipped {
                submodules: !paths.submodules.is_empty(),
                filters: false,
            },
            has_conflicts: paths.has_conflicts,
            excluded: Vec::new(),
            repository,
            shadow,
            settings,
        };
        view.skipped.filters = view.names_filter(&paths.attributes);
        for path in &paths.hidden {
            view.excluded
                .push(topmost(path, |path| reader.policy().is_denied(path)));
        }
        for path in paths.submodules {
            let inside = view.whole(&path);
            if !view.repository.holds_submodule(&inside) {
                view.excluded.push(path);
            }
        }
        Ok(view)
    }

    fn settings(
        &self,
        reader: &Reader<'_>,
        repository: &Repository,
        shadow: &Shadow,
    ) -> Result<Settings, Error> {
        let mut settings = Settings::new();
        let git_dir = repository.git.host_path("HEAD")?;
        let git_dir = git_dir.parent().unwrap_or(&git_dir);
        let files = PersonalFiles::new(&self.program.environment, git_dir);
        let system = self.program.system_file(reader.root(), shadow);
        settings.add_personal(files.read(system));
        let mut add = |place: &repository::Place, name: &str| {
            let Some(content) = place.read(name, CONFIG)? else {
                return Ok(false);
            };
            let entries = config::parse(&content).map_err(|line| {
                Error::GitFailed(format!("fatal: bad config line {line} in file .git/{name}"))
            })?;
            settings.add_repository(entries);
            Ok::<_, Error>(settings.has_worktree_config)
        };
        if add(&repository.common, "config")? {
            add(&repository.git, "config.worktree")?;
        }
        Ok(settings)
    }
}

/// How git treats submodules: which commit they are at counts, what is in them does not.
const IGNORE: &str = "--ignore-submodules=dirty";

/// A repository that git can be asked about.
struct View<'a> {
    program: &'a Program,
    root: &'a rooted::Root,
    repository: Repository,
    shadow: Shadow,
    settings: Settings,
    skipped: Skipped,
    has_conflicts: bool,
    /// Paths from the workspace's root that git must not look at.
    excluded: Vec<RelPath>,
}

impl View<'_> {
    fn run(&self, run: &Run<'_>, stdout: &mut dyn FnMut(&[u8])) -> Result<(), Error> {
        let Self {
            program,
            root,
            repository,
            shadow,
            ..
        } = self;
        program.run(root, repository, shadow, run, stdout)
    }

    fn diff_run<'a>(&self, reader: &'a Reader<'_>, args: Vec<OsString>) -> Run<'a> {
        Run {
            command: "diff",
            args,
            time_limit: limits::GIT_DIFF_TIME,
            cancel: reader.cancel(),
        }
    }

    fn quoting(&self) -> Quoting {
        Quoting {
            high_bytes: self.settings.quotes_high_bytes,
        }
    }

    /// A path of the workspace as one of the working tree.
    fn whole(&self, path: &RelPath) -> RelPath {
        path.components()
            .fold(self.repository.prefix.clone(), |whole, name| {
                whole.join(name)
            })
    }

    /// What git must not look at, with some more; each path once.
    fn excluded(&self, more: &[RelPath]) -> Result<Vec<RelPath>, Error> {
        let mut all: Vec<RelPath> = self.excluded.iter().chain(more).cloned().collect();
        all.sort_unstable();
        all.dedup();
        let n_bytes: usize = all.iter().map(|path| path.as_bytes().len() + 32).sum();
        if n_bytes > EXCLUDED_BYTES {
            return Err(Error::GitFailed("too many hidden files".to_owned()));
        }
        Ok(all)
    }

    /// The words that say which paths are meant, each taken literally.
    fn pathspecs(
        &self,
        path: Option<&RelPath>,
        excluded: &[RelPath],
    ) -> Result<Vec<OsString>, Error> {
        let mut args = words(&["--"]);
        let meant = self.whole(&path.cloned().unwrap_or_default());
        if !meant.is_root() {
            args.push(word(&[b":(literal)", meant.as_bytes()].concat())?);
        } else if !excluded.is_empty() {
            args.push(":/".into());
        }
        for path in excluded {
            let path = self.whole(path);
            args.push(word(&[b":(exclude,literal)", path.as_bytes()].concat())?);
        }
        Ok(args)
    }

    /// The commit that is checked out, by its own name; `None` before the first one.
    fn head(&self, reader: &Reader<'_>) -> Result<Option<String>, Error> {
        let mut told = Ends::new(128, 0);
        let args = words(&["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]);
        match self.run(&self.diff_run(reader, args), &mut |bytes| told.push(bytes)) {
            Ok(()) => Ok(Some(
                String::from_utf8_lossy(told.head.trim_ascii()).into_owned(),
            )),
            Err(Error::GitFailed(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Hidden paths that are staged, also those that only the commit still has.
    fn hidden_staged(
        &self,
        reader: &Reader<'_>,
        head: Option<&str>,
    ) -> Result<Vec<RelPath>, Error> {
        let mut args = words(&[
            "diff",
            "--cached",
            "--name-only",
            "--no-renames",
            "-z",
            IGNORE,
        ]);
        args.extend(head.map(OsString::from));
        args.extend(self.pathspecs(None, &[])?);
        let mut hidden = Vec::new();
        let mut pending = Vec::new();
        self.run(&self.diff_run(reader, args), &mut |bytes| {
            for part in bytes.split_inclusive(|&byte| byte == 0) {
                pending.extend_from_slice(part);
                if pending.last() != Some(&0) {
                    continue;
                }
                pending.pop();
                let path = inside(&pending, &self.repository.prefix);
                hidden.extend(path.filter(|path| reader.policy().is_denied(path)));
                pending.clear();
            }
        })?;
        let denied = |path: &RelPath| reader.policy().is_denied(path);
        Ok(hidden.iter().map(|path| topmost(path, denied)).collect())
    }

    /// Says whether files of attributes name a filter: those of the working tree, of the repository,
    /// and of the user.
    fn names_filter(&self, tracked: &[RelPath]) -> bool {
        let top = &self.repository.top;
        let own = [RelPath::root().join(".gitattributes")];
        let in_tree = own.iter().chain(tracked).any(|path| {
            let content = top
                .open_file(path)
                .ok()
                .map(|mut file| file.read_all(CONFIG));
            content.is_some_and(|content| {
                content.is_ok_and(|content| attributes::names_filter(&content))
            })
        });
        let in_repository = || {
            let content = self.repository.common.read("info/attributes", CONFIG);
            content
                .ok()
                .flatten()
                .is_some_and(|content| attributes::names_filter(&content))
        };
        let personal = || {
            let environment = &self.program.environment;
            let home = environment.get("HOME").map(PathBuf::from);
            let shared = environment.get("XDG_CONFIG_HOME").map(PathBuf::from);
            let path = match &self.settings.attributes_file {
                Some(path) => match path.strip_prefix("~/") {
                    Some(rest) => home?.join(rest),
                    None => path.into(),
                },
                None => shared
                    .or_else(|| Some(home?.join(".config")))?
                    .join("git/attributes"),
            };
            read_host_file(&path).map(|content| attributes::names_filter(&content))
        };
        in_tree || in_repository() || personal().unwrap_or(false)
    }
}

/// What is of interest in an index.
#[derive(Default)]
struct Paths {
    /// From the workspace's root.
    submodules: Vec<RelPath>,
    /// From the top of the working tree.
    attributes: Vec<RelPath>,
    /// From the workspace's root.
    hidden: Vec<RelPath>,
    has_conflicts: bool,
}

impl Paths {
    fn add(
        &mut self,
        entry: &index::Entry<'_>,
        prefix: &RelPath,
        is_hidden: impl Fn(&RelPath) -> bool,
    ) {
        let is_attributes = entry.path.ends_with(b"/.gitattributes");
        if is_attributes && self.attributes.len() < ATTRIBUTE_FILES {
            self.attributes.extend(RelPath::from_bytes(entry.path));
        }
        if !entry.path.starts_with(prefix.as_bytes()) {
            return;
        }
        self.has_conflicts |= entry.stage != 0;
        let Some(path) = inside(entry.path, prefix) else {
            return;
        };
        if is_hidden(&path) {
            self.hidden.push(path);
        } else if entry.is_submodule() {
            self.submodules.push(path);
        }
    }
}

/// A path of the working tree from the workspace's root.
fn inside(path: &[u8], prefix: &RelPath) -> Option<RelPath> {
    let path = RelPath::from_bytes(path).ok()?;
    if !path.starts_with(prefix) {
        return None;
    }
    RelPath::from_bytes(path.as_bytes().get(prefix.as_bytes().len()..)?).ok()
}

/// The outermost folder of a hidden path that is hidden itself.
fn topmost(path: &RelPath, is_denied: impl Fn(&RelPath) -> bool) -> RelPath {
    let mut folder = RelPath::root();
    for name in path.components() {
        folder = folder.join(name);
        if is_denied(&folder) {
            break;
        }
    }
    folder
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

/// Trims a difference, and cuts it in the middle when it is too long.
fn cut(ends: Ends) -> (String, Option<Cut>) {
    let half = limits::GIT_DIFF_BYTES / 2;
    let mut head = ends.head;
    let mut tail = Vec::from(ends.tail);
    if ends.n_dropped == 0 {
        head.append(&mut tail);
    } else {
        trim(&mut tail);
    }
    if tail.is_empty() {
        trim(&mut head);
    }
    let total = (head.len() + tail.len()) as u64 + ends.n_dropped;
    if total <= limits::GIT_DIFF_BYTES as u64 {
        return (text(&head), None);
    }
    let end = if tail.is_empty() { &head } else { &tail };
    let end = end.get(border(end, end.len().saturating_sub(half), true)..);
    let end = end.unwrap_or_default();
    let start = head.get(..border(&head, half.min(head.len()), false));
    let start = start.unwrap_or_default();
    let n_bytes = total - (start.len() + end.len()) as u64;
    let tail = text(end);
    (text(start), Some(Cut { n_bytes, tail }))
}

fn trim(bytes: &mut Vec<u8>) {
    while bytes.last() == Some(&b'\n') {
        bytes.pop();
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The place nearest to `at` that is between two characters.
fn border(bytes: &[u8], at: usize, forward: bool) -> usize {
    let is_inside = |at: usize| bytes.get(at).is_some_and(|byte| byte & 0xc0 == 0x80);
    let mut border = at;
    for _ in 0..3 {
        if !is_inside(border) {
            return border;
        }
        border = if forward {
            border + 1
        } else {
            border.saturating_sub(1)
        };
    }
    // Four such bytes in a row are no character.
    if is_inside(border) { at } else { border }
}

fn words(words: &[&str]) -> Vec<OsString> {
    words.iter().map(OsString::from).collect()
}

/// Bytes as one word.
fn word(bytes: &[u8]) -> Result<OsString, Error> {
    os_text(bytes).ok_or_else(|| Error::GitFailed("a name is not Unicode".to_owned()))
}
