//! Which settings git is given: those that say what a repository holds and how a difference looks,
//! and none that names a program, a hook, or a place.
//!
//! The list is of what may pass, so a key that some later git gives a meaning to stays out.

use std::path::{Path, PathBuf};

use rooted::{Mode, RelPath, Root};

use super::config::{self, Entry};
use crate::process::{Environment, bytes_of};

/// Keys without a subsection that may pass from every file.
const KEYS: &[(&str, &[&str])] = &[
    (
        "core",
        &[
            "abbrev",
            "autocrlf",
            "bigfilethreshold",
            "checkstat",
            "eol",
            "filemode",
            "ignorecase",
            "ignorestat",
            "longpaths",
            "precomposeunicode",
            "protecthfs",
            "protectntfs",
            "quotepath",
            "safecrlf",
            "sparsecheckout",
            "sparsecheckoutcone",
            "symlinks",
            "trustctime",
            "usereplacerefs",
            "warnambiguousrefs",
        ],
    ),
    (
        "diff",
        &[
            "algorithm",
            "context",
            "dstprefix",
            "indentheuristic",
            "interhunkcontext",
            "mnemonicprefix",
            "noprefix",
            "renamelimit",
            "renames",
            "srcprefix",
            "statgraphwidth",
            "statnamewidth",
            "suppressblankempty",
        ],
    ),
    ("index", &["sparse"]),
    (
        "status",
        &[
            "aheadbehind",
            "renamelimit",
            "renames",
            "showuntrackedfiles",
        ],
    ),
];

/// Keys that may pass from the user's and the system's files alone, since they name files.
const PERSONAL: &[&str] = &["attributesfile", "excludesfile"];

/// Bytes of a configuration file that are read.
const FILE_BYTES: u64 = 1024 * 1024;
/// Includes that lead to one another.
const INCLUDES: usize = 10;

/// What the settings of a repository, its user and the system come to.
#[derive(Debug, Default)]
pub(super) struct Settings {
    /// What may pass, in the order in which later ones win.
    passed: Vec<Entry>,
    /// How objects are named.
    pub object_format: ObjectFormat,
    /// Where refs are: in files, or in tables.
    pub has_reftable: bool,
    /// Where the working tree is, by the repository's word (`core.worktree`).
    pub work_tree: Option<Vec<u8>>,
    /// Whether a second file for this working tree alone counts.
    pub has_worktree_config: bool,
    /// Whether names outside ASCII are escaped.
    pub quotes_high_bytes: bool,
    /// The user's own attributes file.
    pub attributes_file: Option<String>,
}

/// How objects are named.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum ObjectFormat {
    /// By 20 bytes.
    #[default]
    Sha1,
    /// By 32 bytes.
    Sha256,
}

impl ObjectFormat {
    pub(super) fn n_bytes(self) -> usize {
        match self {
            Self::Sha1 => 20,
            Self::Sha256 => 32,
        }
    }
}

impl Settings {
    /// No settings yet.
    pub(super) fn new() -> Self {
        Self {
            quotes_high_bytes: true,
            ..Self::default()
        }
    }

    /// Adds a file of the user or the system.
    pub(super) fn add_personal(&mut self, entries: Vec<Entry>) {
        for entry in entries {
            if entry.section == "core"
                && entry.subsection.is_none()
                && PERSONAL.contains(&entry.key.as_str())
            {
                // One that is relative would be looked for in the workspace.
                if let Some(path) = entry.text().filter(|path| is_personal(path)) {
                    if entry.key == "attributesfile" {
                        self.attributes_file = Some(path.to_owned());
                    }
                    self.passed.push(entry);
                }
            } else {
                self.add(entry);
            }
        }
    }

    /// Adds a file of the repository.
    pub(super) fn add_repository(&mut self, entries: Vec<Entry>) {
        for entry in entries {
            if entry.section == "extensions" {
                self.extension(&entry);
            } else if entry.is("core", "worktree") {
                self.work_tree = entry.value;
            } else {
                self.add(entry);
            }
        }
    }

    fn extension(&mut self, entry: &Entry) {
        match (entry.key.as_str(), entry.text()) {
            ("objectformat", Some("sha256")) => self.object_format = ObjectFormat::Sha256,
            ("refstorage", Some("reftable")) => self.has_reftable = true,
            ("worktreeconfig", _) => self.has_worktree_config = entry.truth() == Some(true),
            _ => {}
        }
    }

    fn add(&mut self, entry: Entry) {
        let (section, key) = (entry.section.as_str(), entry.key.as_str());
        let passes = match entry.subsection {
            None => KEYS
                .iter()
                .any(|(known, keys)| *known == section && keys.contains(&key)),
            Some(_) => matches!(
                (section, key),
                ("branch", "remote" | "merge") | ("remote", "fetch")
            ),
        };
        if !passes {
            return;
        }
        if entry.is("core", "quotepath")
            && let Some(quotes) = entry.truth()
        {
            self.quotes_high_bytes = quotes;
        }
        self.passed.push(entry);
    }

    /// The configuration file that git is given.
    pub(super) fn write(&self) -> Vec<u8> {
        let mut out = Vec::new();
        for entry in &self.passed {
            entry.write(&mut out);
        }
        let version = match self.object_format {
            ObjectFormat::Sha1 if !self.has_reftable => "0",
            _ => "1",
        };
        let mut fixed = vec![
            ("core", "repositoryformatversion", version),
            ("core", "bare", "false"),
            ("core", "fsmonitor", "false"),
            ("core", "hookspath", "/dev/null"),
            ("color", "ui", "false"),
            ("gc", "auto", "0"),
            ("maintenance", "auto", "false"),
            ("protocol", "allow", "never"),
        ];
        if self.object_format == ObjectFormat::Sha256 {
            fixed.push(("extensions", "objectformat", "sha256"));
        }
        if self.has_reftable {
            fixed.push(("extensions", "refstorage", "reftable"));
        }
        for (section, key, value) in fixed {
            let entry = Entry {
                section: section.to_owned(),
                subsection: None,
                key: key.to_owned(),
                value: Some(value.into()),
            };
            entry.write(&mut out);
        }
        out
    }
}

fn is_personal(path: &str) -> bool {
    path.starts_with("~/") || Path::new(path).is_absolute()
}

/// The user's and the system's files, by their paths on the host.
pub(super) struct PersonalFiles<'a> {
    environment: &'a Environment,
    git_dir: &'a Path,
}

impl<'a> PersonalFiles<'a> {
    /// Files for a repository whose own folder is `git_dir`, which conditions of includes may name.
    pub(super) fn new(environment: &'a Environment, git_dir: &'a Path) -> Self {
        Self {
            environment,
            git_dir,
        }
    }

    /// Every setting in them, in git's order. A file that is missing or broken counts as empty.
    pub(super) fn read(&self, system: Option<&Path>) -> Vec<Entry> {
        let mut entries = Vec::new();
        let home = self.environment.home();
        let shared = self.environment.get("XDG_CONFIG_HOME").map(PathBuf::from);
        let shared = shared.or_else(|| Some(home.as_ref()?.join(".config")));
        let files = [
            system.map(Path::to_owned),
            shared.map(|folder| folder.join("git").join("config")),
            home.map(|folder| folder.join(".gitconfig")),
        ];
        for path in files.into_iter().flatten() {
            self.file(&path, 0, &mut entries);
        }
        entries
    }

    fn file(&self, path: &Path, depth: usize, entries: &mut Vec<Entry>) {
        let parsed = read_host_file(path).and_then(|bytes| config::parse(&bytes).ok());
        for entry in parsed.unwrap_or_default() {
            let included = self.included(&entry, path);
            if let Some(included) = included.filter(|_| depth < INCLUDES) {
                self.file(&included, depth + 1, entries);
            }
            entries.push(entry);
        }
    }

    /// The file that a setting includes, when its condition holds.
    fn included(&self, entry: &Entry, from: &Path) -> Option<PathBuf> {
        let holds = match (entry.section.as_str(), &entry.subsection) {
            ("include", None) => true,
            ("includeif", Some(condition)) => {
                self.holds(std::str::from_utf8(condition).ok()?, from)?
            }
            _ => false,
        };
        let path = self.expand(entry.text().filter(|_| holds && entry.key == "path")?)?;
        Some(from.parent()?.join(path))
    }

    fn expand(&self, path: &str) -> Option<PathBuf> {
        match path.strip_prefix("~/") {
            Some(rest) => Some(self.environment.home()?.join(rest)),
            None => Some(path.into()),
        }
    }

    /// Whether a condition on the repository's place holds; others never do.
    fn holds(&self, condition: &str, from: &Path) -> Option<bool> {
        let (kind, pattern) = condition.split_once(':')?;
        let ignore_case = match kind {
            "gitdir" => false,
            "gitdir/i" => true,
            _ => return None,
        };
        let mut pattern = if let Some(rest) = pattern.strip_prefix("./") {
            from.parent()?.join(rest).to_str()?.to_owned()
        } else if pattern.starts_with("~/") {
            self.expand(pattern)?.to_str()?.to_owned()
        } else if Path::new(pattern).is_absolute() {
            pattern.to_owned()
        } else {
            format!("**/{pattern}")
        };
        if pattern.ends_with('/') {
            pattern.push_str("**");
        }
        let mut path = self.git_dir.to_str()?.to_owned();
        if ignore_case {
            pattern = pattern.to_lowercase();
            path = path.to_lowercase();
        }
        Some(
            crate::glob::Glob::anchored(pattern.trim_start_matches('/'))
                .matches(path.trim_start_matches('/').as_bytes()),
        )
    }
}

/// The content of a file that the user or the system keeps, wherever links lead from it.
pub(super) fn read_host_file(path: &Path) -> Option<Vec<u8>> {
    let top = path.ancestors().last()?;
    let root = Root::open(top, Mode::FOLLOW).ok()?;
    let inside = path.strip_prefix(top).ok()?;
    let inside = RelPath::parse(
        std::str::from_utf8(&bytes_of(inside.as_os_str())).ok()?,
        &[top],
    );
    let mut file = root.open_file(&inside.ok()?).ok()?;
    let bytes = file.read_all(FILE_BYTES).ok()?;
    (bytes.len() as u64 <= FILE_BYTES).then_some(bytes)
}
