//! Every number the toolsets hold themselves to: name, unit, default, reason.

use std::time::Duration;

/// Lines one `read_file` answer shows at most, and by default.
pub const READ_LINES: u64 = 2000;
/// Characters of one line that are shown before it is cut.
pub const LINE_CHARS: usize = 2000;
/// Bytes of one answer, by default: what every client tried could take in one piece.
pub const ANSWER_BYTES: usize = 1_048_576;
/// Bytes of a file that may be opened for editing, since an edit holds it in memory.
pub const EDIT_BYTES: u64 = 16 * 1024 * 1024;
/// Bytes at the start of a file in which a NUL byte makes it binary.
pub const SNIFF_BYTES: usize = 8192;
/// Bytes behind a shown range in which the remaining lines are still counted.
pub const COUNT_BYTES: u64 = 1024 * 1024 * 1024;
/// Bytes of an image that is sent as an image block.
pub const IMAGE_BYTES: u64 = 5 * 1024 * 1024;
/// Hits one `grep` shows by default, and at most.
pub const GREP_RESULTS: u64 = 100;
/// Hits one `grep` shows at most.
pub const GREP_RESULTS_MAX: u64 = 1000;
/// Context lines on each side of a hit, at most.
pub const GREP_CONTEXT_MAX: u64 = 10;
/// Time one search may take before it answers with what it has.
pub const GREP_TIME: Duration = Duration::from_secs(10);
/// Entries one `list_files` shows by default.
pub const LIST_ENTRIES: u64 = 500;
/// Entries one `list_files` shows at most.
pub const LIST_ENTRIES_MAX: u64 = 5000;
/// Depth of `list_files` by default.
pub const LIST_DEPTH: u64 = 6;
/// Depth of `list_files` at most.
pub const LIST_DEPTH_MAX: u64 = 12;
/// Time a change waits for another process that holds the workspace lock.
pub const LOCK_WAIT: Duration = Duration::from_secs(10);
/// Attempts at an edit whose file another process keeps changing.
pub const EDIT_ATTEMPTS: usize = 3;
/// Folders that no walk enters or shows, whatever the ignore rules say.
pub const FIXED_SKIPS: [&str; 4] = [".git", "node_modules", ".cache", ".workspace-mcp"];
/// The folder that holds the state of a workspace.
pub const STATE_DIR: &str = ".workspace-mcp";
/// Entries that `git_status` shows; `git` itself may tell of any number.
pub const GIT_STATUS_ENTRIES: usize = 2000;
/// Time `git status` may take.
pub const GIT_STATUS_TIME: Duration = Duration::from_secs(10);
/// Time `git diff` may take.
pub const GIT_DIFF_TIME: Duration = Duration::from_secs(30);
/// Bytes of a difference; a longer one shows half of that from each end.
pub const GIT_DIFF_BYTES: usize = 64 * 1024;
/// Bytes of a journal or notes file before the next record goes to a new one.
pub const JOURNAL_BYTES: u64 = 5 * 1024 * 1024;
/// Full journal files that are kept.
pub const JOURNAL_FILES: u64 = 20;
/// Characters of a detail and of a result in the journal.
pub const JOURNAL_CHARS: usize = 300;
/// Characters of a path in the journal; more only has one that leads nowhere.
pub const JOURNAL_PATH_CHARS: usize = 4096;
/// Entries one `work_log` shows by default.
pub const LOG_ENTRIES: u64 = 50;
/// Entries one `work_log` shows at most.
pub const LOG_ENTRIES_MAX: i64 = 500;
/// Bytes of one note: more would not fit in an answer.
pub const NOTE_BYTES: usize = 1024 * 1024;
/// Tags of one note, at most.
pub const NOTE_TAGS: usize = 20;
/// Characters of one tag, at most.
pub const TAG_CHARS: usize = 50;
/// Notes one `recall` shows by default.
pub const RECALL_NOTES: u64 = 20;
/// Notes one `recall` shows at most.
pub const RECALL_NOTES_MAX: i64 = 100;
/// Characters of the id of a change, before the number that tells it from others.
pub const SLUG_CHARS: usize = 40;
/// Bytes of the record of a change, and of one of its documents.
pub const CHANGE_BYTES: u64 = 16 * 1024 * 1024;
/// Task updates in one call, at most.
pub const TASK_UPDATES: usize = 100;
/// Journal entries that the view of a change shows.
pub const CHANGE_ENTRIES: usize = 10;
