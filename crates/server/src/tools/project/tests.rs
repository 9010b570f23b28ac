use std::path::Path;

use super::{TOOLS, instructions};
use crate::cli;
use crate::config::Config;
use crate::registry::{Registry, ToolFilter};

fn told(line: &str, read_only: bool) -> String {
    let line = cli::parse(line.split_whitespace().map(str::to_owned)).unwrap();
    let config = Config::from_options(&line.options, Path::new("/w")).unwrap();
    let filter = ToolFilter {
        read_only,
        ..ToolFilter::default()
    };
    instructions(&Registry::new(TOOLS, &filter).unwrap(), &config)
}

#[test]
fn the_instructions_name_the_workspaces() {
    let text = told("--workspace api=/srv/api:ro --root x", false);
    assert!(text.contains("\nWorkspaces: default → /w/x (primary); api → /srv/api (read-only)\n"));
    assert!(text.contains("workspace: \"<name>\""));
    assert!(!told("", false).contains("workspace: \"<name>\""));
}

#[test]
fn the_instructions_speak_only_of_tools_that_exist() {
    assert!(told("", false).contains("edit_file"));
    let text = told("", true);
    assert!(!text.contains("edit_file"), "{text}");
}
