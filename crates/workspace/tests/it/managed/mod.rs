//! The managed workspace: operations, their errors, reading, going back, crashes.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod codes;
pub(crate) mod kills;
pub(crate) mod many;
mod model;
mod operations;
mod reads;
mod restore;
mod world;
