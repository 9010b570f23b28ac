//! The `workspace-mcp` binary.

fn main() {}
