//! `server.json`: the entry in the MCP registry.
//!
//! Source of the format: its schema of 2025-12-11.

use serde_json::json;

use super::mcpb::Bundle;
use super::{ABOUT, NAME as PROGRAM, REPOSITORY, Release, pretty};
use crate::Result;

/// The name in the registry; the npm package carries it too, which proves that they belong together.
pub(super) const NAME: &str = "io.github.workspace-mcp/workspace-mcp";

const SCHEMA: &str = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json";

pub(super) fn make(release: &Release, bundles: &[Bundle]) -> Result<()> {
    let mut packages = vec![json!({
        "registryType": "npm",
        "identifier": PROGRAM,
        "version": release.version,
        "packageArguments": [{
            "type": "named",
            "name": "--root",
            "description": "The folder to serve",
            "format": "filepath",
            "isRequired": true,
        }],
        "transport": {"type": "stdio"},
    })];
    for bundle in bundles {
        packages.push(json!({
            "registryType": "mcpb",
            "identifier": release.url(&bundle.file),
            "fileSha256": bundle.sha256,
            "transport": {"type": "stdio"},
        }));
    }
    let entry = json!({
        "$schema": SCHEMA,
        "name": NAME,
        "title": "Workspace",
        "description": ABOUT,
        "version": release.version,
        "repository": {"url": REPOSITORY, "source": "github"},
        "packages": packages,
    });
    release.write("server.json", pretty(&entry).as_bytes())
}
