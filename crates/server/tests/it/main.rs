//! The real program, driven from outside as clients and people drive it.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "tests set up real folders and start the real program"
)]

mod answers;
mod client;
mod command_line;
mod eras;
mod lifetime;
mod malformed;
mod schemas;
