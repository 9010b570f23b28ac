//! What differs between operating systems.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub(crate) use unix::{stdio_sockets, stop_signal};
#[cfg(windows)]
pub(crate) use windows::{stdio_sockets, stop_signal};
