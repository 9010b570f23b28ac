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
/// Bytes of a note that is read through, to hash it and to count its lines.
pub const NOTE_FILE_BYTES: u64 = 1024 * 1024 * 1024;
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
/// Bytes of a command's output that are shown whole.
pub const OUTPUT_BYTES: usize = 256 * 1024;
/// Bytes of a longer one that are shown from each end.
pub const OUTPUT_END_BYTES: usize = 32 * 1024;
/// Bytes of a line that a carriage return still takes back.
pub const OUTPUT_LINE_BYTES: usize = 64 * 1024;
/// Characters of an output line that are told while a command runs.
pub const PROGRESS_CHARS: usize = 200;
/// Time a command gets by default.
pub const COMMAND_TIME: Duration = Duration::from_secs(120);
/// Time a command gets at most.
pub const COMMAND_TIME_MAX: Duration = Duration::from_secs(600);
/// Time a job gets by default.
pub const JOB_TIME: Duration = Duration::from_secs(30 * 60);
/// Time a job gets at most.
pub const JOB_TIME_MAX: Duration = Duration::from_secs(2 * 60 * 60);
/// Time a command or a job gets at least.
pub const COMMAND_TIME_MIN: Duration = Duration::from_secs(1);
/// Bytes of a job's log; what comes after is not kept.
pub const JOB_LOG_BYTES: u64 = 64 * 1024 * 1024;
/// Bytes of a log that `job_status` shows by default.
pub const JOB_TAIL_BYTES: u64 = 8192;
/// Bytes of a log that `job_status` shows at most.
pub const JOB_TAIL_BYTES_MAX: u64 = 256 * 1024;
/// Jobs that `job_status` lists.
pub const JOBS_SHOWN: usize = 20;
/// Jobs that run at the same time.
pub const JOBS_AT_ONCE: usize = 64;
/// Jobs that are remembered after they ended; each keeps a file open.
pub const JOBS_REMEMBERED: usize = 200;
/// Characters of a job's name.
pub const JOB_NAME_CHARS: usize = 200;
/// Characters of a job's name when it is made from the command.
pub const JOB_NAME_FROM_COMMAND: usize = 120;
/// Time `job_kill` waits for the end of a job.
pub const KILL_WAIT: Duration = Duration::from_secs(4);
/// Time `job_status` waits for news at most.
pub const JOB_WAIT_MAX: Duration = Duration::from_secs(30);
/// Age at which the log of a job is removed when the server that ran it has ended.
pub const JOB_LOG_AGE: Duration = Duration::from_secs(7 * 24 * 60 * 60);
