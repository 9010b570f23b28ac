//! The server over HTTP, spoken to byte by byte.

mod access;
mod eras;
mod lifetime;
mod load;
pub(crate) mod peer;
mod statuses;
mod tls;
