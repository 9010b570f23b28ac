//! `workspace-mcp managed`, driven from outside as clients and people drive it.

mod answers;
mod codes;
mod examples;
#[cfg(target_os = "linux")]
mod kills;
mod lists;
mod sessions;
mod start;
mod together;
mod world;
