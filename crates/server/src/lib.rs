//! The `workspace-mcp` server as a library.
