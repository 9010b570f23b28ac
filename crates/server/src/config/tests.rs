use std::path::{MAIN_SEPARATOR_STR, Path};

use super::values::is_workspace_name;
use super::{Config, StartFault};
use crate::cli;

fn read(line: &str) -> Result<Config, StartFault> {
    let line = cli::parse(line.split_whitespace().map(str::to_owned)).unwrap();
    Config::from_options(&line.options, Path::new("/home/me"))
}

fn roots(line: &str) -> Vec<String> {
    let config = read(line).unwrap();
    let shown = config.workspaces.iter().map(|workspace| {
        let mode = if workspace.read_only { " ro" } else { "" };
        let root = workspace.root.display().to_string();
        let root = root.replace(MAIN_SEPARATOR_STR, "/");
        format!("{} {root}{mode}", workspace.name)
    });
    shown.collect()
}

fn fault(line: &str) -> String {
    match read(line) {
        Err(StartFault::Usage(text)) => text,
        other => panic!("expected a fault of usage, got {other:?}"),
    }
}

#[test]
fn the_current_folder_is_the_default() {
    assert_eq!(roots(""), ["default /home/me"]);
}

#[test]
fn the_root_comes_first_and_the_last_one_wins() {
    assert_eq!(
        roots("--workspace api=../srv//api/ --root a --root ./b --workspace docs=/d:ro"),
        ["default /home/me/b", "api /home/srv/api", "docs /d ro"]
    );
    assert_eq!(roots("--root /"), ["default /"]);
    assert_eq!(roots("--workspace a=x=y"), ["a /home/me/x=y"]);
}

#[cfg(windows)]
#[test]
fn a_drive_alone_stands_for_its_current_folder() {
    let here = std::env::current_dir().unwrap();
    let drive = here.to_str().unwrap()[..2].to_owned();
    for (path, wanted) in [("", here.clone()), ("x", here.join("x")), ("x\\..", here)] {
        let path = super::values::absolute(&format!("{drive}{path}"), Path::new("C:\\srv"));
        assert_eq!(path, wanted);
    }
}

#[test]
fn faults_of_workspaces_read_as_people_know_them() {
    assert_eq!(
        fault("--workspace api"),
        "invalid --workspace value \"api\": expected <name>=<path>"
    );
    assert_eq!(
        fault("--workspace Api=x"),
        "invalid workspace name \"Api\" in --workspace: names must match ^[a-z0-9][a-z0-9_-]*$"
    );
    assert_eq!(
        fault("--workspace a=x --workspace a=y"),
        "duplicate workspace name \"a\": workspace names must be unique"
    );
    assert_eq!(
        fault("--root x --workspace default=y"),
        "duplicate workspace name \"default\": workspace names must be unique"
    );
    assert_eq!(fault("--workspace a="), "workspace \"a\" has an empty path");
    assert_eq!(fault("--root="), "workspace \"default\" has an empty path");
}

#[test]
fn faults_of_other_values_say_what_is_allowed() {
    assert_eq!(
        fault("--durability never"),
        "invalid --durability: never (expected \"kill\" or \"power\")"
    );
    assert_eq!(
        fault("--max-answer-bytes 80x"),
        "invalid --max-answer-bytes: 80x (expected an integer between 1024 and 67108864)"
    );
    assert_eq!(
        fault("--journal-max-bytes 0"),
        "invalid --journal-max-bytes: 0 (expected an integer of at least 1)"
    );
    assert_eq!(
        fault("--journal-files=-1"),
        "invalid --journal-files: -1 (expected an integer; 0 keeps all)"
    );
    assert_eq!(
        fault("--log-level loud"),
        "invalid --log-level: loud (expected off, error, warn, info or debug)"
    );
    assert_eq!(fault("--state-dir="), "--state-dir has an empty path");
    assert_eq!(fault("--deny-path="), "--deny-path has an empty glob");
    assert_eq!(
        fault("--read-only-path="),
        "--read-only-path has an empty glob"
    );
}

#[test]
fn names_of_workspaces_are_lower_case_and_start_plainly() {
    for name in ["a", "0", "a-b_c9"] {
        assert!(is_workspace_name(name), "{name}");
    }
    for name in ["", "A", "-a", "_a", "a b", "é"] {
        assert!(!is_workspace_name(name), "{name}");
    }
}
