//! Checkpoints in real folders, with plain git as the judge.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod basics;
mod cost;
pub(crate) mod crash;
mod diff;
mod foreign;
pub(crate) mod packs;
mod prune;
mod restore;
mod tracked;
mod world;
