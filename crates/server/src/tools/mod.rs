//! The toolsets, one folder each, one file for each tool.

pub mod project;
