//! Checkpoints in real folders, with plain git as the judge.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod basics;
mod cost;
mod diff;
mod prune;
mod restore;
mod world;
