//! What is served, and how much one call may cost.

use std::path::{Component, PathBuf};

use rooted::{Kind, Mode, RelPath, Root};

use super::cursor::LARGEST;
use super::glob::reaches_root;
use super::selector::is_defeated;

/// How much one call may cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Files that one walk may select.
    pub max_files: u64,
    /// Folders that one walk may enter.
    pub max_directories: u64,
    /// Levels below the root that may be entered.
    pub max_depth: u64,
    /// Names that one walk may read.
    pub max_entries: u64,
    /// Size of a file above which it is not served, in bytes.
    pub max_file_bytes: u64,
    /// Bytes of a file on one page, 4 to 1,048,576.
    pub max_read_bytes: u64,
    /// Bytes that one page of a search may read, 16,384 at least.
    pub max_scan_bytes: u64,
    /// Bytes of a whole result, 48,000 to 1,048,576.
    pub max_result_bytes: u64,
    /// Bytes that may be written at once.
    pub max_write_bytes: u64,
    /// Bytes that one call may hash for a deterministic cursor.
    pub max_cursor_hash_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_files: 50_000,
            max_directories: 50_000,
            max_depth: 64,
            max_entries: 1_000_000,
            max_file_bytes: LARGEST,
            max_read_bytes: 16_384,
            max_scan_bytes: 4_194_304,
            max_result_bytes: 48_000,
            max_write_bytes: 65_536,
            max_cursor_hash_bytes: 16_777_216,
        }
    }
}

impl Limits {
    /// Says whether every limit is in its range.
    #[must_use]
    pub fn are_valid(&self) -> bool {
        let positive = [
            self.max_files,
            self.max_directories,
            self.max_entries,
            self.max_file_bytes,
            self.max_write_bytes,
            self.max_cursor_hash_bytes,
        ];
        positive.iter().all(|limit| (1..=LARGEST).contains(limit))
            && self.max_depth <= LARGEST
            && (4..=1_048_576).contains(&self.max_read_bytes)
            && (16_384..=LARGEST).contains(&self.max_scan_bytes)
            && (48_000..=1_048_576).contains(&self.max_result_bytes)
    }

    /// Says whether files are served whatever their size, so that names alone tell which are there.
    pub(super) fn take_any_size(&self) -> bool {
        self.max_file_bytes == Self::default().max_file_bytes
    }
}

/// What is served, and how.
#[derive(Clone, Debug)]
pub struct Options {
    /// The folder on the host, absolute.
    pub root: PathBuf,
    /// Patterns of what is served; nothing is without one.
    pub include: Vec<String>,
    /// Patterns of what is not, whatever includes say.
    pub exclude: Vec<String>,
    /// Whether the built-in list excludes, too.
    pub default_exclude: bool,
    /// How much one call may cost.
    pub limits: Limits,
    /// Signs cursors that are the same in every process; 32 bytes at least. Without one they are good
    /// for this process.
    pub cursor_key: Option<Vec<u8>>,
}

impl Options {
    /// What these patterns select of a folder, with the limits that are usual.
    #[must_use]
    pub fn new(root: impl Into<PathBuf>, include: &[&str]) -> Self {
        Self {
            root: root.into(),
            include: include.iter().map(|&pattern| pattern.to_owned()).collect(),
            exclude: Vec::new(),
            default_exclude: true,
            limits: Limits::default(),
            cursor_key: None,
        }
    }

    /// Says whether some include takes files in the root itself, where all writing goes.
    #[must_use]
    pub fn reach_root(&self) -> bool {
        self.include.iter().any(|one| reaches_root(one))
    }

    /// The includes without wildcards that the built-in list takes back.
    #[must_use]
    pub fn defeated(&self) -> Vec<&str> {
        let all = self.include.iter().map(String::as_str);
        all.filter(|one| self.default_exclude && is_defeated(one))
            .collect()
    }

    /// Looks at everything but the key.
    ///
    /// # Errors
    /// The sentence that says what is wrong.
    pub fn check(&self) -> Result<(), &'static str> {
        if self.include.is_empty() {
            return Err("at least one --include pattern is required");
        }
        if !self.limits.are_valid() {
            return Err("limits are not valid");
        }
        self.root_path().map(drop)
    }

    /// The path of the root, without `.` and `..`.
    ///
    /// # Errors
    /// The sentence that says what is wrong with it. Only its last component may be no link.
    pub(super) fn root_path(&self) -> Result<PathBuf, &'static str> {
        let path = folded(&self.root);
        check_root(&path)?;
        Ok(path)
    }
}

/// The path with `.` and `..` folded by text.
fn folded(path: &std::path::Path) -> PathBuf {
    let mut folded = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                folded.pop();
            }
            part => folded.push(part),
        }
    }
    folded
}

/// Says what is wrong with a root: only its last component may be no link.
fn check_root(path: &std::path::Path) -> Result<(), &'static str> {
    const MISSING: &str = "root does not exist";
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        return Ok(());
    };
    let parent = Root::open(parent, Mode::FOLLOW).map_err(|_| MISSING)?;
    let dir = parent.open_dir(&RelPath::root()).map_err(|_| MISSING)?;
    let meta = dir.stat(name.as_encoded_bytes()).map_err(|_| MISSING)?;
    match meta.kind {
        Kind::Dir => Ok(()),
        Kind::Link => Err("root must not be a symbolic link"),
        Kind::File | Kind::Special => Err("root is not a directory"),
    }
}
