//! What a root promises, tried on real folders.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "tests build their worlds by path, look at what became of them, and say what they skip"
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

#[cfg(unix)]
mod agree;
#[cfg(target_os = "linux")]
mod attack;
#[cfg(unix)]
mod basics;
#[cfg(unix)]
mod hostile;
mod paths;
mod replace;
#[cfg(target_os = "linux")]
mod special;
mod walk;
#[cfg(windows)]
mod windows;
#[cfg(unix)]
mod world;
