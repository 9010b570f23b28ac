//! Bundles for Claude Desktop: a manifest and the program, one bundle for each system.
//!
//! Source of the format: the manifest specification of MCPB, version 0.3.

use serde_json::{Value, json};

use super::archive::zipped;
use super::{ABOUT, Built, LICENSE, NAME, REPOSITORY, Release, pretty, sha256};
use crate::Result;

/// A bundle that was made.
pub(super) struct Bundle {
    /// Its file name.
    pub file: String,
    /// The hash of the file.
    pub sha256: String,
}

pub(super) fn make(release: &Release) -> Result<Vec<Bundle>> {
    let mut bundles = Vec::new();
    for built in &release.built {
        let manifest = pretty(&manifest(release, built));
        let content = zipped(&[
            ("manifest.json".to_owned(), manifest.into_bytes(), 0o644),
            (
                format!("server/{}", built.target.program()),
                built.program.clone(),
                0o755,
            ),
        ])?;
        let target = built.target;
        let file = format!(
            "{NAME}-{}-{}-{}.mcpb",
            release.version, target.npm_os, target.npm_cpu
        );
        release.write(&file, &content)?;
        bundles.push(Bundle {
            sha256: sha256(&content),
            file,
        });
    }
    Ok(bundles)
}

fn manifest(release: &Release, built: &Built) -> Value {
    let program = format!("server/{}", built.target.program());
    json!({
        "manifest_version": "0.3",
        "name": NAME,
        "display_name": "Workspace",
        "version": release.version,
        "description": ABOUT,
        "author": {"name": "The workspace-mcp authors", "url": REPOSITORY},
        "repository": {"type": "git", "url": REPOSITORY},
        "documentation": REPOSITORY,
        "license": LICENSE,
        "keywords": ["files", "search", "edit"],
        "server": {
            "type": "binary",
            "entry_point": program,
            "mcp_config": {
                "command": format!("${{__dirname}}/{program}"),
                "args": ["--root", "${user_config.folder}"],
            },
        },
        "tools_generated": true,
        "compatibility": {"platforms": [built.target.npm_os]},
        "user_config": {
            "folder": {
                "type": "directory",
                "title": "Folder",
                "description": "The folder to work in; nothing outside it can be reached",
                "required": true,
            },
        },
    })
}
