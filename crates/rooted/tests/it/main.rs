//! What a root promises, tried on real folders.

#[cfg(unix)]
mod basics;
#[cfg(windows)]
mod windows;
