//! What things mean in a project folder: reading, listing, searching, editing, changing.
//!
//! Synchronous and free of protocol: plain data in, plain data out.

#![cfg_attr(
    test,
    allow(
        clippy::disallowed_methods,
        clippy::disallowed_types,
        reason = "tests set up real folders"
    )
)]

pub mod cancel;
pub mod change;
pub mod changes;
pub mod checkpoint;
pub mod clock;
pub mod commands;
pub mod edit;
pub mod error;
pub mod git;
pub mod glob;
pub mod journal;
pub mod limits;
pub mod list;
pub mod lock;
pub mod managed;
pub mod matcher;
pub mod notes;
pub mod paged;
pub mod pattern;
pub mod policy;
pub mod process;
pub mod read;
pub mod reader;
pub mod records;
pub mod search;
pub mod skipped;
pub mod slug;
pub mod state;
pub mod text;
pub mod transaction;
pub mod vault;
pub mod workspace;
pub mod writer;

pub use crate::cancel::Cancel;
pub use crate::error::Error;
pub use crate::policy::Policy;
pub use crate::reader::Reader;
pub use crate::workspace::{Workspace, WorkspaceOptions, Workspaces};
pub use crate::writer::Writer;

/// Threads that one call may keep busy.
pub(crate) fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, |n| n.get().min(8))
}
