//! How a managed workspace is set up: what its configuration file says, as plain data.

use std::path::PathBuf;

/// Names that are always excluded, besides those of the configuration.
pub const EXCLUDED: [&str; 5] = ["node_modules", "build", "dist", ".venv", "__pycache__"];

/// How a managed workspace is set up. It never changes while the server runs.
#[derive(Clone, Debug)]
pub struct Options {
    /// The folder on the host.
    pub root: PathBuf,
    /// Bytes of a file that is tracked and may be written.
    pub max_file_bytes: u64,
    /// Bytes of a file that is read as text; not more than `max_file_bytes`.
    pub max_read_bytes: u64,
    /// Bytes of new content in one call.
    pub max_transaction_bytes: u64,
    /// Hits that one search tells.
    pub max_search_results: usize,
    /// Names excluded besides [`EXCLUDED`], in any case.
    pub excluded: Vec<String>,
    /// Refuse links; otherwise those that lead to somewhere inside are followed.
    pub reject_reparse_points: bool,
    /// Refuse files with several names.
    pub reject_hardlinks: bool,
    /// Stay on the file system of the root.
    pub require_same_filesystem: bool,
    /// Which operations may be done.
    pub allow: Allow,
    /// Search files whose names begin with a dot as well.
    pub include_hidden: bool,
    /// Who checkpoints are by: a name.
    pub author_name: String,
    /// Who checkpoints are by: an address.
    pub author_email: String,
    /// Checkpoints that pruning keeps; all when there is no number. Nothing else forgets one.
    pub keep_checkpoints: Option<usize>,
}

/// Which operations may be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allow {
    /// Making files.
    pub create_file: bool,
    /// Changing what is in files.
    pub modify_file: bool,
    /// Deleting files.
    pub delete_file: bool,
    /// Moving files and folders.
    pub moving: bool,
    /// Making folders by an operation of their own.
    pub create_directory: bool,
    /// Deleting empty folders.
    pub delete_empty_directory: bool,
}

impl Default for Allow {
    fn default() -> Self {
        Self {
            create_file: true,
            modify_file: true,
            delete_file: true,
            moving: true,
            create_directory: true,
            delete_empty_directory: true,
        }
    }
}

impl Options {
    /// The defaults, for a folder.
    #[must_use]
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self {
            root: root.into(),
            max_file_bytes: 2 * 1024 * 1024,
            max_read_bytes: 1024 * 1024,
            max_transaction_bytes: 10 * 1024 * 1024,
            max_search_results: 200,
            excluded: Vec::new(),
            reject_reparse_points: true,
            reject_hardlinks: true,
            require_same_filesystem: true,
            allow: Allow::default(),
            include_hidden: false,
            author_name: "Safe Workspace MCP".to_owned(),
            author_email: "safe-workspace-mcp@local".to_owned(),
            keep_checkpoints: None,
        }
    }
}
