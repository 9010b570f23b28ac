//! Files beneath a directory handle, and nothing else.
//!
//! This crate is the only one that opens anything by name. [`Root::open`] takes a path of the host,
//! once; from then on every open is relative to a handle, so no rename, link or mount that another
//! process makes meanwhile can lead outside:
//!
//! - On Linux one `openat2` call resolves a whole path beneath the root's handle and refuses links.
//! - Where there is a link, or no such call, the path is walked: each component is opened relative
//!   to the handle of the one before, without following links. A link's text is walked the same way;
//!   `..` in it goes back to a handle already held; an absolute one is taken only below the root.
//! - What was opened is looked at through its descriptor: a pipe or device is refused, and never waited for.
//! - Names are made, replaced and removed by (folder handle, single component).
//!
//! What it does not do: read content for its meaning, decide what may be seen, or keep a journal.

mod dir;
mod error;
mod file;
mod ignore_lines;
mod ignore_rules;
mod in_place;
mod lock;
mod meta;
mod platform;
mod record;
mod rel_path;
mod replace;
mod resolve;
mod root;
mod show;
mod walk;
mod watch;

pub use crate::dir::Dir;
pub use crate::error::{Error, ErrorKind, Result};
pub use crate::file::File;
pub use crate::in_place::InPlace;
pub use crate::lock::LockFile;
pub use crate::meta::{FileId, Kind, Meta};
pub use crate::record::RecordFile;
pub use crate::rel_path::{PathFault, RelPath};
pub use crate::replace::{
    Basis, Durability, Like, Put, Staged, TEMP_PREFIX, aside_name, is_temp_name, random, temp_name,
};
pub use crate::root::{Mode, Place, Resolver, Root};
pub use crate::show::{is_hidden, show, unshow};
pub use crate::walk::{Entries, Entry, Hidden, WalkOptions, Walked, walk};
pub use crate::watch::{Watch, WatchedFolder};

/// Whether the permission bits of a file tell that it is a program.
pub const KEEPS_EXECUTABLE_BITS: bool = platform::KEEPS_EXECUTABLE_BITS;
/// Whether [`Dir::sync_all`] flushes anything here.
pub const FLUSHES_AT_ONCE: bool = platform::FLUSHES_AT_ONCE;
