//! The configuration file, as people meet it: where it is found, what is said of a broken one, what
//! wins over it, and that no tool writes it.

use std::path::Path;

use serde_json::json;
use tempfile::TempDir;

use crate::client::{Client, folder, program};

const JSON: &str = "cwd/workspace-mcp.config.json";
const TOML: &str = "cwd/workspace-mcp.config.toml";
const USER: &str = "user/workspace-mcp/config.json";

/// Folders `cwd`, `root` and `user`, and these files.
fn world(files: &[(&str, &str)]) -> TempDir {
    let world = folder(files);
    for name in ["cwd", "root", "user"] {
        std::fs::create_dir_all(world.path().join(name)).unwrap();
    }
    world
}

/// Exit code, stdout, and stderr of a start in `cwd`, with paths of the world as `WORLD`.
fn outcome(world: &Path, options: &[&str]) -> (i32, String, String) {
    let output = program(&world.join("cwd"), options)
        .env("XDG_CONFIG_HOME", world.join("user"))
        .env("APPDATA", world.join("user"))
        .env("WORKSPACE_MCP_JOURNAL_MAX_BYTES", "77")
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap();
    let real = world.canonicalize().unwrap().display().to_string();
    let given = world.display().to_string();
    let text = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes).replace(&real, "WORLD");
        text.replace(&given, "WORLD").replace('\\', "/")
    };
    let code = output.status.code().unwrap();
    (code, text(&output.stdout), text(&output.stderr))
}

/// The columns of a report, whose widths depend on paths, parted by ` | `.
fn columns(report: &str) -> String {
    let row = |line: &str| {
        let columns = line.split("  ").map(str::trim);
        let columns: Vec<&str> = columns.filter(|column| !column.is_empty()).collect();
        columns.join(" | ")
    };
    report.lines().map(row).collect::<Vec<_>>().join("\n")
}

/// Stderr of a start that serves until its stdin ends at once, without the two usual lines.
fn served(world: &Path, options: &[&str]) -> String {
    let (code, _, stderr) = outcome(world, options);
    assert_eq!(code, 0, "{stderr}");
    let usual = |line: &&str| !line.contains("] ready on ") && !line.contains("] shutting down");
    stderr.lines().filter(usual).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_broken_file_stops_the_start_with_its_text() {
    for (content, line) in [
        (
            "[]",
            "config file must contain a single JSON object at the top level",
        ),
        (
            "\"x\"",
            "config file must contain a single JSON object at the top level",
        ),
        (
            r#"{"wrokspaces": {}}"#,
            "unknown config key: wrokspaces (remove them or check for typos)",
        ),
        (
            r#"{"a": 1, "shell": {"b": 1}}"#,
            "unknown config keys: a, shell.b (remove them or check for typos)",
        ),
        (
            r#"{"transport": {"token": "x"}}"#,
            "token must not be stored in the config file; use MCP_TOKEN or --token",
        ),
        (
            r#"{"shell": {"mode": "x"}}"#,
            r#"invalid shell.mode: "x" (expected "allowlist" or "any")"#,
        ),
        (
            r#"{"transport": {"type": "tcp"}}"#,
            r#"invalid transport.type: "tcp" (expected "stdio" or "http")"#,
        ),
        (
            r#"{"transport": {"port": "80"}}"#,
            r#"invalid transport.port: "80" (expected an integer between 0 and 65535)"#,
        ),
        (
            r#"{"transport": {"host": " "}}"#,
            "invalid transport.host: expected a non-empty string",
        ),
        (
            r#"{"limits": {"answerBytes": 10}}"#,
            "invalid limits.answerBytes: 10 (expected an integer between 1024 and 67108864)",
        ),
        (
            r#"{"state": {"journalMaxBytes": 0}}"#,
            "invalid state.journalMaxBytes: 0 (expected an integer between 1 and 9007199254740991)",
        ),
        (
            r#"{"durability": null}"#,
            r#"invalid durability: null (expected "kill" or "power")"#,
        ),
        (
            r#"{"readOnly": "yes"}"#,
            r#"config key "readOnly" must be a boolean"#,
        ),
        (
            r#"{"tools": []}"#,
            r#"config key "tools" must be an object"#,
        ),
        (
            r#"{"shell": {"allow": "git"}}"#,
            r#"config key "shell.allow" must be an array of executable names"#,
        ),
        (
            r#"{"paths": {"deny": ["a", ""]}}"#,
            r#"config key "paths.deny[1]" must be a non-empty string"#,
        ),
        (
            r#"{"workspaces": []}"#,
            r#"config key "workspaces" must be an object mapping workspace names to paths"#,
        ),
        (
            r#"{"workspaces": {"A": "x"}}"#,
            r#"invalid workspace name "A" in config file: names must match ^[a-z0-9][a-z0-9_-]*$"#,
        ),
        (
            r#"{"workspaces": {"a": ""}}"#,
            r#"workspace "a" must have a non-empty string path in the config file"#,
        ),
        (
            "{\n  \"a\": }",
            "invalid JSON in config file WORLD/cwd/c.json: expected value at line 2 column 8",
        ),
    ] {
        let world = world(&[("cwd/c.json", content)]);
        let wanted = (1, String::new(), format!("[workspace-mcp] {line}\n"));
        for command in [&[][..], &["check-config"], &["tools"]] {
            let options = [command, &["--config", "c.json"]].concat();
            assert_eq!(outcome(world.path(), &options), wanted, "{content}");
        }
    }
}

#[test]
fn faults_that_need_the_roots_or_the_tools_come_after_the_file_is_named() {
    let using = "[workspace-mcp] using config file WORLD/cwd/c.json\n[workspace-mcp] ";
    for (content, line) in [
        (
            r#"{"tools": {"deny": ["gerp"]}}"#,
            "unknown tool in tools.deny: gerp",
        ),
        (
            r#"{"workspaces": {"api": "gone"}}"#,
            "workspace \"api\" root does not exist: WORLD/cwd/gone",
        ),
        (
            r#"{"workspaces": {"api": "c.json"}}"#,
            "workspace \"api\" root is not a directory: WORLD/cwd/c.json",
        ),
    ] {
        let world = world(&[("cwd/c.json", content)]);
        let wanted = (1, String::new(), format!("{using}{line}\n"));
        assert_eq!(outcome(world.path(), &["--config", "c.json"]), wanted);
    }
}

#[test]
fn toml_says_the_same() {
    let world = world(&[
        ("cwd/bad.toml", "durability = \"kill\"\nreadOnly == 1\n"),
        ("cwd/typo.toml", "[state]\ndri = 'x'\n"),
        ("cwd/kind.toml", "readOnly = 2020-01-01\n"),
        (
            "cwd/good.toml",
            "durability = 'power'\n[workspaces]\nb = '../root'\na = '../root:ro'\n[limits]\nanswerBytes = 4_096\n",
        ),
    ]);
    let fault = |name: &str| {
        let (code, _, stderr) = outcome(world.path(), &["--config", name]);
        assert_eq!(code, 1, "{stderr}");
        stderr
    };
    let text = fault("bad.toml");
    assert!(
        text.starts_with("[workspace-mcp] invalid TOML in config file WORLD/cwd/bad.toml: "),
        "{text}"
    );
    assert!(text.contains(" at line 2 column "), "{text}");
    assert_eq!(text.lines().count(), 1, "{text}");
    assert!(fault("typo.toml").contains("unknown config key: state.dri "));
    assert!(fault("kind.toml").contains("config key \"readOnly\" must be a boolean"));
    let (code, stdout, _) = outcome(world.path(), &["check-config", "--config", "good.toml"]);
    assert_eq!(code, 0);
    for row in [
        "b | WORLD/root | file",
        "a | WORLD/root, read-only | file",
        "durability | power | file",
        "limits.answerBytes | 4096 | file",
    ] {
        assert!(columns(&stdout).contains(row), "no {row:?} in\n{stdout}");
    }
    assert!(stdout.find("  b ") < stdout.find("  a "), "{stdout}");
}

#[test]
fn files_that_cannot_be_read_are_named() {
    let world = world(&[
        ("cwd/dir.json/x", ""),
        ("cwd/long.json", &" ".repeat(2 << 20)),
    ]);
    std::fs::write(world.path().join("cwd/utf16.json"), b"\xff\xfe{\0}\0").unwrap();
    for (name, line) in [
        ("gone.json", "config file not found: WORLD/cwd/gone.json"),
        (
            "dir.json",
            "cannot read config file WORLD/cwd/dir.json: is a directory",
        ),
        (
            "long.json",
            "cannot read config file WORLD/cwd/long.json: larger than 1048576 bytes",
        ),
        (
            "utf16.json",
            "cannot read config file WORLD/cwd/utf16.json: not valid UTF-8",
        ),
    ] {
        let wanted = (1, String::new(), format!("[workspace-mcp] {line}\n"));
        assert_eq!(outcome(world.path(), &["--config", name]), wanted);
    }
    let wanted = "[workspace-mcp] --config has an empty path\ntry --help\n";
    let wanted = (2, String::new(), wanted.to_owned());
    assert_eq!(outcome(world.path(), &["--config="]), wanted);
    // Help and version do not look for it.
    assert_eq!(outcome(world.path(), &["--config", "gone.json", "-v"]).0, 0);
}

#[test]
fn the_first_file_found_wins() {
    let local = r#"{"workspaces": {"local": "../root"}}"#;
    let toml = "workspaces = { toml = '../root' }";
    let user = r#"{"workspaces": {"user": "../../root"}}"#;
    let ignored =
        "ignoring workspace-mcp.config.json inside a served root; pass --config to use it";
    for (files, options, wanted) in [
        (&[][..], &[][..], vec![]),
        (
            &[(USER, user)],
            &[],
            vec!["using config file WORLD/user/workspace-mcp/config.json"],
        ),
        (
            &[(JSON, local), (USER, user)],
            &[],
            vec!["using config file WORLD/cwd/workspace-mcp.config.json"],
        ),
        (
            &[(TOML, toml)],
            &[],
            vec!["using config file WORLD/cwd/workspace-mcp.config.toml"],
        ),
        (
            &[(JSON, "broken"), (USER, user)],
            &["--config", "../user/workspace-mcp/config.json"],
            vec!["using config file WORLD/user/workspace-mcp/config.json"],
        ),
        // The command line names a root above it: not even read.
        (&[(JSON, "broken")], &["--root", "."], vec![ignored]),
        (&[(JSON, local)], &["--workspace", "all=.."], vec![ignored]),
        (
            &[(JSON, local), (USER, user)],
            &["--root", "."],
            vec![
                ignored,
                "using config file WORLD/user/workspace-mcp/config.json",
            ],
        ),
        // It names one itself, or the current folder is served for want of any.
        (
            &[(JSON, r#"{"workspaces": {"x": "."}}"#)],
            &[],
            vec![ignored],
        ),
        (&[(JSON, r#"{"readOnly": true}"#)], &[], vec![ignored]),
        (
            &[(JSON, r#"{"readOnly": true}"#)],
            &["--root", "../root"],
            vec!["using config file WORLD/cwd/workspace-mcp.config.json"],
        ),
        (
            &[(JSON, r#"{"workspaces": {"x": "."}}"#)],
            &["--config", "workspace-mcp.config.json"],
            vec!["using config file WORLD/cwd/workspace-mcp.config.json"],
        ),
    ] {
        let world = world(files);
        let wanted: Vec<_> = wanted
            .iter()
            .map(|line| format!("[workspace-mcp] {line}"))
            .collect();
        assert_eq!(
            served(world.path(), options),
            wanted.join("\n"),
            "{files:?} {options:?}"
        );
    }
}

#[test]
fn two_files_side_by_side_are_refused() {
    let world = world(&[
        (JSON, "{}"),
        (TOML, ""),
        (USER, "{}"),
        ("user/workspace-mcp/config.toml", ""),
    ]);
    let (code, _, stderr) = outcome(world.path(), &["--root", "../root"]);
    assert_eq!(code, 1);
    assert_eq!(
        stderr,
        "[workspace-mcp] both workspace-mcp.config.json and workspace-mcp.config.toml are in \
         WORLD/cwd: keep one of them\n"
    );
    let (code, _, stderr) = outcome(world.path(), &["--root", "."]);
    assert_eq!(code, 1);
    assert!(
        stderr.contains("both config.json and config.toml are in WORLD/user/workspace-mcp"),
        "{stderr}"
    );
}

#[cfg(unix)]
#[test]
fn links_do_not_hide_where_a_file_lies() {
    use std::os::unix::fs::symlink;

    let world = world(&[("root/c.json", r#"{"workspaces": {"x": "../root"}}"#)]);
    let at = |name: &str| world.path().join(name);
    symlink("../root/c.json", at(JSON)).unwrap();
    let ignored = "[workspace-mcp] ignoring workspace-mcp.config.json inside a served root; pass --config to use it";
    assert_eq!(served(world.path(), &[]), ignored);
    symlink("root", at("alias")).unwrap();
    assert_eq!(served(world.path(), &["--root", "../alias"]), ignored);
    // A link to nowhere was put there by somebody who believes that it works.
    std::fs::remove_file(at("root/c.json")).unwrap();
    let (code, _, stderr) = outcome(world.path(), &["--root", "../user"]);
    assert_eq!(code, 1);
    let wanted = "[workspace-mcp] cannot read config file WORLD/cwd/workspace-mcp.config.json: ";
    assert!(stderr.starts_with(wanted), "{stderr}");
}

#[cfg(unix)]
#[test]
fn a_pipe_does_not_hold_up_the_start() {
    let world = world(&[]);
    let made = std::process::Command::new("mkfifo")
        .arg(world.path().join("cwd/c.json"))
        .status();
    assert!(made.is_ok_and(|status| status.success()));
    let (code, _, stderr) = outcome(world.path(), &["--config", "c.json"]);
    let wanted = "[workspace-mcp] cannot read config file WORLD/cwd/c.json: not a regular file\n";
    assert_eq!((code, stderr.as_str()), (1, wanted));
}

#[test]
fn options_win_over_the_environment_and_that_over_the_file() {
    let content = r#"{
        "workspaces": {"api": "../root", "default": "gone", "docs": "../root:ro"},
        "durability": "power",
        "readOnly": false,
        "tools": {"deny": ["patch"]},
        "limits": {"answerBytes": 5000},
        "shell": {"mode": "any", "allow": ["git"], "deny": ["docker"], "timeoutMs": 5000},
        "state": {"journalMaxBytes": 5, "journalFiles": 6, "dir": "../state"}
    }"#;
    let world = world(&[("root/c.json", content)]);
    let options = [
        "check-config",
        "--config",
        "../root/c.json",
        "--root",
        "../user",
        "--workspace",
        "api=.",
        "--workspace",
        "more=..",
        "--deny-tool",
        "grep",
        "--max-answer-bytes",
        "6000",
        "--read-only",
        "--shell",
        "--shell-allow",
        "make,cc",
    ];
    let (code, stdout, stderr) = outcome(world.path(), &options);
    assert_eq!((code, stderr.as_str()), (0, ""));
    let report = columns(&stdout);
    let (settings, tools) = report.rsplit_once("\n\n").unwrap();
    assert_eq!(
        settings,
        "config file: WORLD/root/c.json (named by --config)

workspaces
api | WORLD/cwd | option --workspace
default | WORLD/user | option --root
docs | WORLD/root, read-only | file
more | WORLD | option --workspace

settings
durability | power | file
readOnly | true | option --read-only
tools.allow | (all) | built-in
tools.deny | patch | file
grep | option --deny-tool
paths.deny | (none) | built-in
paths.readOnly | (none) | built-in
limits.answerBytes | 6000 | option --max-answer-bytes
state.journalMaxBytes | 77 | environment WORKSPACE_MCP_JOURNAL_MAX_BYTES
state.journalFiles | 6 | file
state.dir | WORLD/state | file
shell.mode | allowlist | option --shell or --shell-any
shell.allow | git | file
make,cc | option --shell-allow
shell.deny | docker | file
shell.timeoutMs | 5000 | file
shell.maxRuntimeMs | 1800000 | built-in
shell.env | (none) | built-in
shell.path | (PATH) | built-in
transport.type | stdio | built-in
transport.host | 127.0.0.1 | built-in
transport.port | 3333 | built-in
transport.allowedHosts | (loopback) | built-in
transport.allowedOrigins | (loopback) | built-in
transport.tlsCert | (none) | built-in
transport.tlsKey | (none) | built-in
transport.maxBodyBytes | 67108864 | built-in
--token | (none) | built-in
--insecure | false | built-in
--log-level | info | built-in
--log-file | (stderr) | built-in"
    );
    assert!(
        tools.contains("read_file") && !tools.contains("grep"),
        "{tools}"
    );
    // Looking makes nothing.
    assert!(!world.path().join("state").exists());
}

#[test]
fn check_config_tells_what_would_stop_the_start() {
    let world = world(&[]);
    let (code, stdout, stderr) = outcome(
        world.path(),
        &["check-config", "--root", "gone", "--workspace", "a=../root"],
    );
    assert_eq!(code, 1);
    assert!(stdout.starts_with("config file: none\n"), "{stdout}");
    assert!(
        stdout.contains("WORLD/cwd/gone, does not exist"),
        "{stdout}"
    );
    assert_eq!(
        stderr,
        "[workspace-mcp] workspace \"default\" root does not exist: WORLD/cwd/gone\n"
    );
    assert_eq!(outcome(world.path(), &["check-config", "--bogus"]).0, 2);
    let options = ["check-config", "--allow-tool", "gerp"];
    assert_eq!(outcome(world.path(), &options).0, 2);
    assert_eq!(outcome(world.path(), &["check-config", "x"]).0, 2);
}

#[test]
fn no_tool_writes_a_configuration_file_in_use() {
    let content = r#"{"workspaces": {"default": ".", "sub": "sub"}}"#;
    let world = world(&[("cwd/sub/c.json", content), ("cwd/sub/sub/a.txt", "a\n")]);
    let options = ["--config", "sub/c.json", "--workspace", "above=.."];
    let mut client = Client::start(&world.path().join("cwd"), &options);
    client.initialize("2025-11-25");
    for (workspace, path) in [
        ("default", "c.json"),
        ("default", "sub/../c.json"),
        ("default", "C.JSON"),
        ("above", "cwd/sub/c.json"),
    ] {
        let arguments = json!({"workspace": workspace, "path": path, "content": "{}"});
        let answer = client.call("write_file", arguments);
        assert!(
            answer.starts_with("error: protected path: "),
            "{path}: {answer}"
        );
    }
    let edits = json!({"path": "c.json", "oldString": "sub", "newString": "."});
    let answer = client.call("edit_file", edits);
    assert!(
        answer.starts_with("error: protected path: c.json"),
        "{answer}"
    );
    let reading = client.call("read_file", json!({"path": "c.json"}));
    assert_eq!(reading, format!("1: {content}"));
    let other = json!({"workspace": "sub", "path": "c.json", "content": "{}"});
    assert_eq!(client.call("write_file", other), "Created c.json (2 bytes)");
    let stored = std::fs::read_to_string(world.path().join("cwd/sub/c.json")).unwrap();
    assert_eq!(stored, content);
}

/// A later start would obey it.
#[cfg(unix)]
#[test]
fn no_tool_makes_the_user_a_configuration_file() {
    let world = world(&[]);
    let home = world.path();
    let mut client = Client::start_with(
        program(home, &["--root", "."]).env("XDG_CONFIG_HOME", home.join("user")),
    );
    client.initialize("2025-11-25");
    for name in ["config.json", "config.toml"] {
        let path = format!("user/workspace-mcp/{name}");
        let answer = client.call("write_file", json!({"path": path, "content": "{}"}));
        assert_eq!(answer, format!("error: protected path: {path}"));
    }
}
