//! What the workspace promises of changes, tried on real folders and with processes that are killed.
#![expect(
    clippy::disallowed_methods,
    reason = "tests build and look at their own trees, and start themselves as other processes"
)]
#![cfg_attr(
    not(target_os = "linux"),
    allow(
        dead_code,
        unused_imports,
        unused_mut,
        reason = "some tests are about one system, and so is what helps them"
    )
)]

mod changes;
#[cfg(unix)]
mod checkpoint;
#[cfg(unix)]
mod crash;
#[cfg(unix)]
mod git;
mod journal;
mod lock;
#[cfg(unix)]
mod managed;
mod notes;
#[cfg(unix)]
mod process;
mod state;
mod transaction;
mod world;
