//! The real program, driven from outside as clients and people drive it.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    reason = "tests set up real folders, start the real program, and stop at the first surprise"
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

mod answers;
#[cfg(target_os = "linux")]
mod bounds;
mod changes;
mod client;
mod command_line;
#[cfg(target_os = "linux")]
mod commands;
#[cfg(windows)]
mod commands_on_windows;
mod config_file;
mod conforms;
mod doctor;
#[cfg(target_os = "linux")]
mod documents;
mod eras;
#[cfg(target_os = "linux")]
mod fence;
mod git;
mod http;
#[cfg(target_os = "linux")]
mod kills;
mod lifetime;
mod malformed;
mod managed;
mod memory;
#[cfg(target_os = "linux")]
mod names;
mod notes;
mod paged;
#[cfg(target_os = "linux")]
mod races;
mod reads_only;
mod scenarios;
mod schemas;
mod setup;
#[cfg(target_os = "linux")]
mod special;
#[cfg(target_os = "linux")]
mod surroundings;
#[cfg(target_os = "linux")]
mod tunnel;
