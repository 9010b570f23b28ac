//! The managed workspace: operations, their errors, reading, going back, crashes.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod codes;
mod operations;
mod reads;
mod restore;
mod world;
