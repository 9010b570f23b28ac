//! Files beneath a directory handle, and nothing else.
//!
//! This crate is the only one that opens anything by name.

mod platform;
mod rel_path;
mod show;

pub use crate::rel_path::{PathFault, RelPath};
pub use crate::show::{is_hidden, show, unshow};
