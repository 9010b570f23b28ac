//! Which code may know what.

use crate::tree::{none, texts};

#[test]
fn lower_crates_do_not_know_the_wire() {
    // In order: the crate, and what it may not depend on.
    let rules: [(&str, &[&str]); 2] = [
        (
            "crates/rooted/Cargo.toml",
            &[
                "workspace",
                "serde",
                "serde_json",
                "tokio",
                "rmcp",
                "axum",
                "clap",
                "schemars",
            ],
        ),
        (
            "crates/workspace/Cargo.toml",
            &["workspace-mcp", "tokio", "rmcp", "axum", "clap", "schemars"],
        ),
    ];
    let manifests = texts(&["Cargo.toml"]);
    let mut faults = Vec::new();
    for (path, banned) in rules {
        let manifest = manifests.iter().find(|file| file.path == path);
        let manifest = manifest.unwrap_or_else(|| panic!("{path} is missing"));
        for name in dependencies(&manifest.body) {
            if banned.contains(&name) {
                faults.push(format!("{path}: {name}"));
            }
        }
    }
    none(&faults);
}

#[test]
fn systems_differ_only_in_platform_modules() {
    let mut faults = Vec::new();
    for file in texts(&[".rs"]) {
        let apart = file.path.contains("platform") || file.path.contains("/process");
        if file.is_test() || apart {
            continue;
        }
        for (number, line) in file.code_lines() {
            let condition = line.contains("cfg(") || line.contains("cfg!(");
            let system = ["unix", "windows", "target_os"]
                .iter()
                .any(|word| line.contains(word));
            // Tests may build trees that only one system can hold.
            if condition && system && !line.contains("test") {
                faults.push(format!("{}:{number}: {}", file.path, line.trim()));
            }
        }
    }
    none(&faults);
}

#[test]
fn the_protocol_knows_no_tool() {
    let mut faults = Vec::new();
    for file in texts(&[".rs"]) {
        let inside = ["mcp/", "stdio/", "http/"]
            .iter()
            .any(|name| file.path.starts_with(&format!("crates/server/src/{name}")));
        if !inside || file.is_test() {
            continue;
        }
        for (number, line) in file.code_lines() {
            if line.contains("crate::tools::") {
                faults.push(format!("{}:{number}: {}", file.path, line.trim()));
            }
        }
    }
    none(&faults);
}

#[test]
fn only_three_modules_know_the_sdk() {
    let allowed = [
        "crates/server/src/mcp/",
        "crates/server/src/stdio/",
        "crates/server/src/http/",
    ];
    let mut faults = Vec::new();
    for file in texts(&[".rs"]) {
        let inside = file.path.starts_with("crates/server/src/");
        if !inside || allowed.iter().any(|path| file.path.starts_with(path)) || file.is_test() {
            continue;
        }
        for (number, line) in file.code_lines() {
            if line.contains("rmcp::") && !line.trim_start().starts_with("//") {
                faults.push(format!("{}:{number}: {}", file.path, line.trim()));
            }
        }
    }
    none(&faults);
}

/// The names under every `[…dependencies]` table, those for tests left out.
fn dependencies(manifest: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let mut counts = false;
    for line in manifest.lines() {
        if line.starts_with('[') {
            counts = line.ends_with("dependencies]") && !line.contains("dev-dependencies");
        } else if counts && !line.trim_start().starts_with('#') {
            let end = line.find(['.', ' ', '=']).unwrap_or(line.len());
            names.extend(line.get(..end).filter(|name| !name.is_empty()));
        }
    }
    names
}
