//! The npm packages: one for each system with the program, and one that people install, which picks
//! the right one.

use serde_json::{Map, Value, json};

use super::archive::tarred;
use super::{ABOUT, Built, LICENSE, NAME, REPOSITORY, Release, pretty, registry};
use crate::Result;

/// What starts the program that belongs to the machine.
const LAUNCHER: &str = r#"#!/usr/bin/env node
"use strict";

const { spawn } = require("node:child_process");

const system = `${process.platform}-${process.arch}`;
const name = process.platform === "win32" ? "workspace-mcp.exe" : "workspace-mcp";

let program;
try {
  program = require.resolve(`@workspace-mcp/${system}/bin/${name}`);
} catch {
  console.error(
    `workspace-mcp: no program for ${system}; install again without --omit=optional, ` +
      "or build it with `cargo install --git https://github.com/workspace-mcp/workspace-mcp`",
  );
  process.exit(1);
}

const words = process.argv.slice(2);
if (process.execve && process.platform !== "win32") {
  // This process becomes the program.
  process.execve(program, [program, ...words], process.env);
}

const child = spawn(program, words, { stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => child.kill(signal));
}
child.on("error", (error) => {
  console.error(`workspace-mcp: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => {
  if (signal) {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  } else {
    process.exit(code);
  }
});
"#;

const README: &str = "# workspace-mcp\n\n\
    Safe, fast access to project folders for an AI agent, over the Model Context Protocol.\n\n\
    ```sh\n\
    npx workspace-mcp --root .          # serve a folder on stdin and stdout\n\
    npx workspace-mcp setup claude-code # or let a client start it\n\
    ```\n\n\
    This package starts a program without further dependencies; it comes in a package of its own \
    for each system. The documentation is at <https://github.com/workspace-mcp/workspace-mcp>.\n";

pub(super) fn make(release: &Release) -> Result<()> {
    let version = &release.version;
    let mut optional = Map::new();
    for built in &release.built {
        optional.insert(scoped(built), version.as_str().into());
        let package = json!({
            "name": scoped(built),
            "version": version,
            "description": format!("The program of {NAME} for {} on {}", built.target.npm_os, built.target.npm_cpu),
            "license": LICENSE,
            "repository": repository(),
            "os": [built.target.npm_os],
            "cpu": [built.target.npm_cpu],
            "preferUnplugged": true,
        });
        let program = format!("package/bin/{}", built.target.program());
        let content = tarred(&[
            (
                "package/package.json".to_owned(),
                pretty(&package).into_bytes(),
                0o644,
            ),
            (program, built.program.clone(), 0o755),
        ])?;
        release.write(
            &format!("npm/{}", tarball(&scoped(built), version)),
            &content,
        )?;
    }
    let package = json!({
        "name": NAME,
        "version": version,
        "mcpName": registry::NAME,
        "description": ABOUT,
        "keywords": ["mcp", "model-context-protocol", "filesystem", "agent"],
        "license": LICENSE,
        "homepage": REPOSITORY,
        "repository": repository(),
        "bin": {NAME: format!("bin/{NAME}.js")},
        "engines": {"node": ">=18"},
        "optionalDependencies": Value::Object(optional),
    });
    let content = tarred(&[
        (
            "package/package.json".to_owned(),
            pretty(&package).into_bytes(),
            0o644,
        ),
        (
            "package/README.md".to_owned(),
            README.as_bytes().to_vec(),
            0o644,
        ),
        (
            format!("package/bin/{NAME}.js"),
            LAUNCHER.as_bytes().to_vec(),
            0o755,
        ),
    ])?;
    release.write(&format!("npm/{}", tarball(NAME, version)), &content)
}

/// The name of the package for one system.
fn scoped(built: &Built) -> String {
    format!("@{NAME}/{}-{}", built.target.npm_os, built.target.npm_cpu)
}

/// The file name of a package, as npm itself would choose it.
fn tarball(name: &str, version: &str) -> String {
    let name = name.trim_start_matches('@').replace('/', "-");
    format!("{name}-{version}.tgz")
}

fn repository() -> Value {
    json!({"type": "git", "url": format!("git+{REPOSITORY}.git")})
}
