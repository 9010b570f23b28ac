use std::path::MAIN_SEPARATOR_STR;

use super::{TOOLS, instructions};
use crate::cli;
use crate::config::Config;
use crate::registry::{Registry, ToolFilter};

/// The instructions of a server in a folder that has a folder `api`; the folder shows as `/w`.
fn told(line: &str, read_only: bool) -> String {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    std::fs::create_dir(root.join("api")).unwrap();
    let line = cli::parse(line.split_whitespace().map(str::to_owned)).unwrap();
    let config = Config::from_options(&line.options, &root).unwrap();
    let filter = ToolFilter {
        read_only,
        ..ToolFilter::default()
    };
    let registry = Registry::new(TOOLS, &filter).unwrap();
    let text = instructions(&registry, &config.open().unwrap(), None);
    let root = root.to_str().unwrap();
    // Windows puts this before a real path; nobody reads it so.
    let root = root.strip_prefix("\\\\?\\").unwrap_or(root);
    text.replace(root, "/w").replace(MAIN_SEPARATOR_STR, "/")
}

#[test]
fn the_instructions_name_the_workspaces() {
    let text = told("--workspace api=api:ro --root .", false);
    assert!(
        text.contains("\nWorkspaces: default → /w (primary); api → /w/api (read-only)\n"),
        "{text}"
    );
    assert!(text.contains("workspace: \"<name>\""));
    assert!(!told("", false).contains("workspace: \"<name>\""));
}

#[test]
fn the_instructions_speak_only_of_tools_that_exist() {
    assert!(told("", false).contains("edit_file"));
    assert!(told("", false).contains("\nChanges and tasks: change_create starts a change; "));
    let text = told("", true);
    assert!(!text.contains("edit_file"), "{text}");
    assert!(!text.contains("change_create"), "{text}");
    assert!(
        text.contains("\nChanges and tasks: change_status shows where you are.\n"),
        "{text}"
    );
}
