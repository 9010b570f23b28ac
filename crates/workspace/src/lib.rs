//! What things mean in a project folder: reading, listing, searching, editing, changing.
//!
//! Synchronous and free of protocol: plain data in, plain data out.

pub mod cancel;
pub mod error;
pub mod limits;

pub use crate::cancel::Cancel;
pub use crate::error::Error;
