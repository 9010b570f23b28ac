//! The server over HTTP, spoken to byte by byte.

mod access;
mod certificate;
mod eras;
mod lifetime;
mod load;
pub(crate) mod peer;
mod statuses;
mod tls;
