//! What differs between operating systems, behind the same names on each.

#[cfg(unix)]
mod unix;
#[cfg(unix)]
pub(crate) use unix::{name_bytes, same_name};

#[cfg(windows)]
mod windows;
#[cfg(windows)]
pub(crate) use windows::{name_bytes, same_name};
