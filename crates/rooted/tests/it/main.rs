//! What a root promises, tried on real folders.

#[cfg(unix)]
mod basics;
mod replace;
mod walk;
#[cfg(windows)]
mod windows;
