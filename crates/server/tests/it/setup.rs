//! `setup` as people run it: in a home of its own, with the real program.

use std::path::Path;
use std::process::{Output, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::program;

/// A home and a project in it.
fn world() -> TempDir {
    let world = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(world.path().join("home/project/src")).unwrap();
    world
}

fn setup(world: &Path, words: &[&str]) -> Output {
    let mut all = vec!["setup"];
    all.extend(words);
    let home = world.join("home");
    let mut program = program(&home.join("project"), &all);
    for variable in ["CODEX_HOME", "CLAUDE_CONFIG_DIR"] {
        program.env_remove(variable);
    }
    program
        .env("HOME", &home)
        .env("USERPROFILE", &home)
        .env("XDG_CONFIG_HOME", home.join("config"))
        .env("APPDATA", home.join("config"))
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

/// Exit code, stdout and stderr, with the home as `HOME`.
fn outcome(world: &Path, words: &[&str]) -> (i32, String, String) {
    let output = setup(world, words);
    let homes = [
        world.join("home"),
        world.canonicalize().unwrap().join("home"),
    ];
    let text = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes).into_owned();
        let text = homes.iter().fold(text, |text, home| {
            text.replace(&home.display().to_string(), "HOME")
        });
        text.replace('\\', "/")
    };
    let code = output.status.code().unwrap();
    (code, text(&output.stdout), text(&output.stderr))
}

fn json_of(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

#[test]
fn one_command_and_one_back() {
    let world = world();
    let file = world.path().join("home/.cursor/mcp.json");
    let (code, stdout, stderr) = outcome(world.path(), &["cursor"]);
    assert_eq!((code, stderr.as_str()), (0, ""));
    assert_eq!(
        stdout,
        "wrote \"workspace-mcp\" to HOME/.cursor/mcp.json\n\
         next: restart Cursor; its settings list the server under MCP\n"
    );
    let entry = &json_of(&file)["mcpServers"]["workspace-mcp"];
    let program = entry["command"].as_str().unwrap();
    assert!(Path::new(program).is_absolute() && program.contains("workspace-mcp"));
    assert_eq!(entry["args"][0], "--root");

    let (_, stdout, _) = outcome(world.path(), &["cursor"]);
    assert_eq!(
        stdout,
        "\"workspace-mcp\" in HOME/.cursor/mcp.json is as it should be; nothing was written\n"
    );
    let (code, stdout, _) = outcome(world.path(), &["cursor", "--", "--read-only"]);
    assert_eq!(code, 0);
    assert!(
        stdout.contains(" (the file as it was: mcp.json.workspace-mcp.bak)\n"),
        "{stdout}"
    );

    std::fs::remove_file(world.path().join("home/.cursor/mcp.json.workspace-mcp.bak")).unwrap();
    let (code, stdout, _) = outcome(world.path(), &["cursor", "--remove"]);
    assert_eq!(code, 0);
    assert_eq!(
        stdout,
        "took \"workspace-mcp\" out of HOME/.cursor/mcp.json; nothing else was in the file, so it is \
         gone too\nnext: restart Cursor\n"
    );
    assert!(std::fs::metadata(&file).is_err());
}

#[test]
fn every_client_finds_its_entry_where_it_looks() {
    let world = world();
    let home = world.path().join("home");
    for (client, user, project) in [
        ("claude-code", ".claude.json", Some(".mcp.json")),
        ("cursor", ".cursor/mcp.json", Some(".cursor/mcp.json")),
        ("codex", ".codex/config.toml", Some(".codex/config.toml")),
        (
            "gemini-cli",
            ".gemini/settings.json",
            Some(".gemini/settings.json"),
        ),
        ("windsurf", ".codeium/windsurf/mcp_config.json", None),
    ] {
        let (code, _, stderr) = outcome(world.path(), &[client]);
        assert_eq!((code, stderr.as_str()), (0, ""), "{client}");
        let text = std::fs::read_to_string(home.join(user)).unwrap();
        assert!(text.contains("max-answer-bytes"), "{client}: {text}");
        let (code, _, stderr) = outcome(world.path(), &[client, "--scope", "project"]);
        match project {
            Some(project) => {
                assert_eq!((code, stderr.as_str()), (0, ""), "{client}");
                let text = std::fs::read_to_string(home.join("project").join(project)).unwrap();
                assert!(text.contains("max-answer-bytes"), "{client}: {text}");
            }
            None => {
                assert_eq!(code, 2);
                assert!(stderr.contains("use --scope user or --file"), "{stderr}");
            }
        }
    }
}

#[test]
fn a_project_shares_its_entry_without_paths_of_this_machine() {
    let world = world();
    let words = ["vscode", "--scope", "project", "--program", "workspace-mcp"];
    let (code, ..) = outcome(world.path(), &words);
    assert_eq!(code, 0);
    let file = world.path().join("home/project/.vscode/mcp.json");
    assert_eq!(
        json_of(&file),
        json!({ "servers": { "workspace-mcp": {
            "type": "stdio",
            "command": "workspace-mcp",
            "args": ["--root", "${workspaceFolder}", "--max-answer-bytes", "131072"]
        } } })
    );
}

#[test]
fn opencode_keeps_the_form_and_the_file_that_it_has() {
    let world = world();
    let project = world.path().join("home/project");
    let old = "{\n  // version 1\n  \"mcp\": {\n    \"x\": { \"type\": \"local\", \"command\": [\"x\"] },\n  },\n}\n";
    std::fs::write(project.join("opencode.jsonc"), old).unwrap();
    let (code, stdout, _) = outcome(world.path(), &["opencode", "--scope", "project"]);
    assert_eq!(code, 0);
    assert!(stdout.contains("opencode.jsonc"), "{stdout}");
    let text = std::fs::read_to_string(project.join("opencode.jsonc")).unwrap();
    assert!(
        text.contains("\"enabled\": true") && !text.contains("\"servers\""),
        "{text}"
    );
    assert!(std::fs::metadata(project.join("opencode.json")).is_err());
}

/// Version 1 starts with no file that has `mcp.servers`, and version 2 takes `mcp.NAME` as well.
#[test]
fn opencode_gets_what_both_of_its_versions_take_unless_the_file_is_of_the_second() {
    for (before, place) in [
        ("", "/mcp/workspace-mcp"),
        ("{\"mcp\": {\"timeout\": 5}}", "/mcp/workspace-mcp"),
        (
            "{\"mcp\": {\"servers\": {\"type\": \"local\", \"command\": [\"x\"]}}}",
            "/mcp/workspace-mcp",
        ),
        ("{\"mcp\": {\"servers\": {}}}", "/mcp/servers/workspace-mcp"),
        (
            "{\"mcp\": {\"servers\": {\"type\": {\"type\": \"local\", \"command\": [\"x\"]}}}}",
            "/mcp/servers/workspace-mcp",
        ),
        // What is there already is not written a second time.
        (
            "{\"mcp\": {\"servers\": {}, \"workspace-mcp\": {\"type\": \"local\", \"command\": []}}}",
            "/mcp/workspace-mcp",
        ),
    ] {
        let world = world();
        let file = world.path().join("home/project/opencode.json");
        std::fs::write(&file, before).unwrap();
        let (code, _, stderr) = outcome(world.path(), &["opencode", "--scope", "project"]);
        assert_eq!((code, stderr.as_str()), (0, ""), "{before}");
        let after = json_of(&file);
        let entry = after.pointer(place);
        assert_eq!(entry.unwrap()["type"], "local", "{before}: {after}");
        let is_second = place.contains("servers");
        assert_eq!(
            entry.unwrap().get("enabled").is_none(),
            is_second,
            "{after}"
        );
        assert_eq!(after.to_string().matches("\"workspace-mcp\":").count(), 1);
        let (code, ..) = outcome(
            world.path(),
            &["opencode", "--scope", "project", "--remove"],
        );
        assert_eq!(code, 0);
        assert!(
            !std::fs::read_to_string(&file)
                .unwrap()
                .contains("--max-answer-bytes")
        );
    }
}

#[test]
fn a_broken_file_stays_and_its_fault_is_placed() {
    let world = world();
    let file = world.path().join("home/.claude.json");
    std::fs::write(&file, "{\n  \"mcpServers\": {\n}\n").unwrap();
    for words in [&["claude-code"][..], &["claude-code", "--remove"]] {
        let (code, stdout, stderr) = outcome(world.path(), words);
        assert_eq!((code, stdout.as_str()), (1, ""));
        assert_eq!(
            stderr,
            "[workspace-mcp] HOME/.claude.json:1:1: unterminated object; the file was not changed\n"
        );
    }
    assert_eq!(
        std::fs::read_to_string(&file).unwrap(),
        "{\n  \"mcpServers\": {\n}\n"
    );
}

#[test]
fn what_is_printed_is_not_written() {
    let world = world();
    let (code, stdout, _) = outcome(world.path(), &["codex", "--print", "--name", "docs"]);
    assert_eq!(code, 0);
    assert!(
        stdout.starts_with("[mcp_servers.docs]\ncommand = \""),
        "{stdout}"
    );
    assert!(stdout.contains("args = [\"--root\", \""), "{stdout}");
    assert!(
        stdout.contains("project\", \"--max-answer-bytes\", "),
        "{stdout}"
    );
    assert!(std::fs::metadata(world.path().join("home/.codex")).is_err());
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};

    use super::{Value, json_of, outcome, world};

    /// As after `sudo`, which leaves the home of the user in place.
    #[test]
    fn what_root_makes_in_the_home_of_somebody_belongs_to_them() {
        let world = world();
        let home = world.path().join("home");
        let own = std::fs::metadata(&home).unwrap().uid();
        // Only root may give files away; for anybody else all that is made is theirs.
        let user = if std::os::unix::fs::chown(&home, Some(12345), Some(12345)).is_ok() {
            12345
        } else {
            own
        };
        assert_eq!(outcome(world.path(), &["codex"]).0, 0);
        for path in [".codex", ".codex/config.toml"] {
            assert_eq!(
                std::fs::metadata(home.join(path)).unwrap().uid(),
                user,
                "{path}"
            );
        }
    }

    #[test]
    fn a_link_to_nothing_is_told() {
        let world = world();
        std::fs::create_dir(world.path().join("home/.cursor")).unwrap();
        symlink("nowhere", world.path().join("home/.cursor/mcp.json")).unwrap();
        let (code, _, stderr) = outcome(world.path(), &["cursor"]);
        assert_eq!(code, 1);
        assert_eq!(
            stderr,
            "[workspace-mcp] cannot read HOME/.cursor/mcp.json: it is a link to nothing; mend or \
             remove it\n"
        );
    }

    #[test]
    fn the_mode_of_a_secret_file_is_kept_and_that_of_its_copy_too() {
        let world = world();
        let file = world.path().join("home/.claude.json");
        std::fs::write(&file, "{\"secret\": \"x\"}\n").unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
        assert_eq!(outcome(world.path(), &["claude-code"]).0, 0);
        let copy = world.path().join("home/.claude.json.workspace-mcp.bak");
        for path in [&file, &copy] {
            let mode = std::fs::metadata(path).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "{}", path.display());
        }
    }

    #[test]
    fn a_link_stays_one_and_its_file_is_changed() {
        let world = world();
        let home = world.path().join("home");
        std::fs::create_dir_all(home.join("dotfiles")).unwrap();
        std::fs::create_dir_all(home.join(".gemini")).unwrap();
        std::fs::write(home.join("dotfiles/gemini.json"), "{}\n").unwrap();
        symlink(
            home.join("dotfiles/gemini.json"),
            home.join(".gemini/settings.json"),
        )
        .unwrap();
        assert_eq!(outcome(world.path(), &["gemini-cli"]).0, 0);
        let link = std::fs::symlink_metadata(home.join(".gemini/settings.json")).unwrap();
        assert!(link.is_symlink());
        let whole = json_of(&home.join("dotfiles/gemini.json"));
        assert!(matches!(
            whole["mcpServers"]["workspace-mcp"],
            Value::Object(_)
        ));
    }

    #[test]
    fn a_pipe_in_the_place_of_a_file_is_refused_at_once() {
        let world = world();
        let home = world.path().join("home");
        let made = std::process::Command::new("mkfifo")
            .arg(home.join(".claude.json"))
            .status();
        assert!(made.unwrap().success());
        let (code, _, stderr) = outcome(world.path(), &["claude-code"]);
        assert_eq!(code, 1);
        assert!(stderr.contains("not a regular file"), "{stderr}");
    }
}
