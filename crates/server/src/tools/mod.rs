//! The toolsets, one folder each, one file for each tool.

pub mod managed;
pub mod notes;
pub(crate) mod paged;
pub mod project;
