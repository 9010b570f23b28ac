//! One look at a repository: its shadow, what git is told to leave out, and what it is not asked.

use std::ffi::OsString;
use std::path::PathBuf;

use rooted::RelPath;

use super::names::Quoting;
use super::program::{Program, Run};
use super::repository::{self, CONFIG, Repository};
use super::settings::{PersonalFiles, Settings, read_host_file};
use super::shadow::Shadow;
use super::{Skipped, attributes, config, index};
use crate::error::Error;
use crate::limits;
use crate::policy::Policy;
use crate::process::{Ends, os_text};
use crate::reader::Reader;

/// Files of attributes that are looked into for the names of filters.
const ATTRIBUTE_FILES: usize = 1000;
/// Bytes of paths that are kept out of a difference by naming them.
const EXCLUDED_BYTES: usize = 512 * 1024;

/// How git treats submodules: which commit they are at counts, what is in them does not.
pub(super) const IGNORE: &str = "--ignore-submodules=dirty";

/// A repository that git can be asked about.
pub(super) struct View<'a> {
    program: &'a Program,
    root: &'a rooted::Root,
    pub(super) repository: Repository,
    shadow: Shadow,
    settings: Settings,
    pub(super) skipped: Skipped,
    /// Whether the workspace has files in conflict.
    pub(super) has_conflicts: bool,
    /// Paths from the workspace's root that git must not look at.
    excluded: Vec<RelPath>,
}

impl<'a> View<'a> {
    /// Prepares to ask about a workspace.
    pub(super) fn open(program: &'a Program, reader: &'a Reader<'_>) -> Result<Self, Error> {
        reader.cancel().check()?;
        let repository = repository::find(reader).or_else(|error| {
            // Without git there is nothing that another folder would help.
            program.check(reader.root())?;
            Err(error)
        })?;
        repository.common.check_objects()?;
        let mut shadow = Shadow::create(&program.environment, reader.root())?;
        let settings = settings_of(program, reader, &repository, &shadow)?;
        let mut paths = Paths::default();
        shadow.fill(&repository, &settings, &mut |entry| {
            paths.add(&entry, &repository.prefix, reader.policy());
        })?;
        let mut view = Self {
            program,
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

    /// Runs git on it.
    pub(super) fn run(&self, run: &Run<'_>, stdout: &mut dyn FnMut(&[u8])) -> Result<(), Error> {
        let Self {
            program,
            root,
            repository,
            shadow,
            ..
        } = self;
        program.run(root, repository, shadow, run, stdout)
    }

    /// A run within the time for differences.
    pub(super) fn diff_run<'r>(&self, reader: &'r Reader<'_>, args: Vec<OsString>) -> Run<'r> {
        Run {
            command: "diff",
            args,
            time_limit: limits::GIT_DIFF_TIME,
            cancel: reader.cancel(),
        }
    }

    /// How names are shown.
    pub(super) fn quoting(&self) -> Quoting {
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
    pub(super) fn excluded(&self, more: &[RelPath]) -> Result<Vec<RelPath>, Error> {
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
    pub(super) fn pathspecs(
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
    pub(super) fn head(&self, reader: &Reader<'_>) -> Result<Option<String>, Error> {
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
    pub(super) fn hidden_staged(
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
            let home = environment.home();
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

/// The settings that count for a repository.
fn settings_of(
    program: &Program,
    reader: &Reader<'_>,
    repository: &Repository,
    shadow: &Shadow,
) -> Result<Settings, Error> {
    let mut settings = Settings::new();
    let git_dir = repository.git.host_path("HEAD")?;
    let git_dir = git_dir.parent().unwrap_or(&git_dir);
    let files = PersonalFiles::new(&program.environment, git_dir);
    let system = program.system_file(reader.root(), shadow);
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
    fn add(&mut self, entry: &index::Entry<'_>, prefix: &RelPath, policy: &Policy) {
        let hides = policy.hides();
        let is_attributes = entry.path.ends_with(b"/.gitattributes");
        if is_attributes && self.attributes.len() < ATTRIBUTE_FILES {
            self.attributes.extend(RelPath::from_bytes(entry.path));
        }
        // Most paths of an index are none of these, and are told apart without a copy.
        let is_outside = !entry.path.starts_with(prefix.as_bytes());
        if is_outside || !hides && entry.stage == 0 && !entry.is_submodule() {
            return;
        }
        let Some(path) = inside(entry.path, prefix) else {
            return;
        };
        self.has_conflicts |= entry.stage != 0;
        if hides && policy.is_denied(&path) {
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

/// Words that are written here.
pub(super) fn words(words: &[&str]) -> Vec<OsString> {
    words.iter().map(OsString::from).collect()
}

/// Bytes as one word.
pub(super) fn word(bytes: &[u8]) -> Result<OsString, Error> {
    os_text(bytes).ok_or_else(|| Error::GitFailed("a name is not Unicode".to_owned()))
}
