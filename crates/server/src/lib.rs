//! The `workspace-mcp` server as a library: the command line, the tools, and how they are served.
//!
//! Read in the order a request takes: [`cli`] and [`config`] start the server, `mcp` takes a
//! message for a [`toolset`], [`dispatch`] finds the tool in the [`registry`] and reads its [`args`], a file under
//! [`tools`] does the work, and a [`reply`] or a [`failure`] goes back.

#![cfg_attr(
    test,
    allow(
        clippy::disallowed_methods,
        clippy::disallowed_types,
        reason = "tests set up real folders"
    )
)]

pub mod args;
pub mod catalog;
pub mod cli;
pub mod commands;
pub mod config;
#[cfg(feature = "conformance")]
pub mod conformance;
pub mod context;
pub mod dispatch;
pub mod doctor;
pub mod failure;
mod help;
pub mod http;
pub mod log;
pub mod man;
pub mod managed;
pub mod mcp;
pub mod notes;
pub mod options;
pub mod output;
pub mod paged;
mod platform;
pub mod progress;
pub mod record;
pub mod registry;
mod remarks;
pub mod reply;
pub mod setup;
pub mod shell;
pub mod shells;
#[cfg(test)]
mod stage;
pub mod stdio;
pub mod tool;
pub mod tools;
pub mod toolset;
pub mod tunnel;
mod waiting;
