//! What is asked of a managed workspace besides changes, and what comes back: plain data.

/// What a start did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Started {
    /// Whether the history was begun just now.
    pub created: bool,
    /// Changes of a process that ended in the middle, taken back.
    pub n_undone: usize,
    /// Changes of a process that ended in the middle, finished.
    pub n_finished: usize,
    /// Changes that could be neither finished nor taken back yet, since something refused.
    pub n_pending: usize,
}

/// One entry of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Its name.
    pub name: String,
    /// A folder, or anything else.
    pub is_directory: bool,
    /// Its size in bytes; none of a folder.
    pub size: Option<u64>,
}

/// What to read.
#[derive(Clone, Copy, Debug)]
pub struct ReadRequest<'a> {
    /// The file.
    pub path: &'a str,
    /// The first line, counted from 1.
    pub offset: Option<usize>,
    /// Lines at most.
    pub limit: Option<usize>,
}

/// A file, or some of its lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadAnswer {
    /// The text, with its byte order mark and line ends.
    pub content: String,
    /// The SHA-256 of the whole file.
    pub sha256: String,
    /// The size of the whole file in bytes.
    pub size: u64,
    /// How many lines the whole file has, when some of them were asked for.
    pub n_lines: Option<usize>,
}

/// What to search.
#[derive(Clone, Copy, Debug)]
pub struct SearchRequest<'a> {
    /// The text, or the regular expression; not empty.
    pub query: &'a str,
    /// Take it for a regular expression.
    pub regex: bool,
    /// The folder to search; all when there is none or it is empty.
    pub path_limit: Option<&'a str>,
    /// Search only files in whose names this occurs, in any case.
    pub include: Option<&'a str>,
}

/// One place where a text occurs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// The file.
    pub path: String,
    /// The line, counted from 1.
    pub line: usize,
    /// The first character, counted from 1.
    pub column: usize,
    /// The line without its end, cut to 500 characters.
    pub line_text: String,
}

/// What a search found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// The places, by file and line.
    pub hits: Vec<Hit>,
    /// Whether there may be more.
    pub truncated: bool,
}

/// What differs between the files and the newest checkpoint.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// Files with other content or another mode, sorted.
    pub modified: Vec<String>,
    /// Files that the checkpoint lacks, sorted.
    pub added: Vec<String>,
    /// Files that are gone, sorted.
    pub removed: Vec<String>,
    /// Files that cannot be read, sorted: what they hold now is in no checkpoint.
    pub unreadable: Vec<String>,
    /// The newest checkpoint.
    pub checkpoint: String,
}

/// What to compare.
#[derive(Clone, Copy, Debug, Default)]
pub struct DiffRequest<'a> {
    /// The checkpoint to compare with; the newest when there is none.
    pub checkpoint: Option<&'a str>,
    /// Compare only this file or folder.
    pub path: Option<&'a str>,
    /// Count lines instead of showing them.
    pub stat: bool,
}

/// What a comparison found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diff {
    /// A unified diff from the checkpoint to the files; empty when lines were only counted.
    pub diff: String,
    /// The lines of each file, when they were counted.
    pub stat: Vec<DiffStat>,
    /// Whether files were left out.
    pub truncated: bool,
    /// Those files.
    pub omitted: Vec<String>,
}

/// The lines that differ in one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiffStat {
    /// The file.
    pub path: String,
    /// Lines that came.
    pub added: u64,
    /// Lines that went.
    pub removed: u64,
}

/// One checkpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// Its id: 40 hexadecimal digits.
    pub id: String,
    /// Its message.
    pub message: String,
    /// When it was made, in seconds since 1970.
    pub timestamp: i64,
}

/// What to go back to.
#[derive(Clone, Debug, Default)]
pub struct RestoreRequest<'a> {
    /// The checkpoint.
    pub checkpoint: &'a str,
    /// Only these files and folders; all when there are none.
    pub paths: Vec<&'a str>,
    /// Tell what would change, and change nothing.
    pub dry_run: bool,
    /// Delete also files that the server did not make.
    pub exact: bool,
}

/// What a restore did, or would do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Restored {
    /// The checkpoint of the state before; none of a dry run.
    pub pre_restore_checkpoint: Option<String>,
    /// What a dry run would change, sorted.
    pub would_change: Vec<WouldChange>,
    /// Files that the checkpoint lacks, and that stay, sorted.
    pub left_in_place: Vec<String>,
}

/// One file that a restore would change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WouldChange {
    /// The file.
    pub path: String,
    /// Whether it would be deleted, and not written.
    pub delete: bool,
}

/// What pruning did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    /// Checkpoints that are there now.
    pub n_kept: usize,
    /// Checkpoints that are gone.
    pub n_removed: usize,
}

impl Status {
    /// Says whether nothing differs.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.modified.is_empty() && self.added.is_empty() && self.removed.is_empty()
    }
}

impl WouldChange {
    /// The word for what would be done: `write` or `delete`.
    #[must_use]
    pub fn action(&self) -> &'static str {
        if self.delete { "delete" } else { "write" }
    }
}
