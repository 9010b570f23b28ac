//! What surrounds the program may be odd: no folder, no home, names that are no text, a reader that
//! goes away.

use std::ffi::OsStr;
use std::io::Read as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::client::{folder, program, run};

/// Code, stdout and stderr.
fn told(output: &Output) -> (i32, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let code = output.status.code().unwrap();
    (code, text(&output.stdout), text(&output.stderr))
}

/// Runs the program in a folder that is removed before it starts.
fn run_in_nothing(world: &Path, words: &[&str]) -> (i32, String, String) {
    let mut command = Command::new("sh");
    command
        .args([
            "-c",
            "mkdir gone && cd gone && rmdir ../gone && exec \"$@\"",
            "sh",
        ])
        .arg(env!("CARGO_BIN_EXE_workspace-mcp"))
        .args(words)
        .current_dir(world)
        .env("HOME", world)
        .env_remove("XDG_CONFIG_HOME")
        .stdin(Stdio::null());
    told(&command.output().unwrap())
}

/// It must not fall back to a folder that nobody named, least of all to the whole file system.
#[test]
fn a_current_folder_that_is_gone_is_not_replaced_by_another() {
    let world = folder(&[("a.txt", "x")]);
    let line = "workspace \"default\": the current folder is gone; change to another one";
    for words in [
        &[][..],
        &["--root", "."],
        &["call", "list_files"],
        &["check-config"],
    ] {
        let (code, _, stderr) = run_in_nothing(world.path(), words);
        assert_eq!(code, 1, "{words:?}: {stderr}");
        assert_eq!(stderr, format!("[workspace-mcp] {line}\n"), "{words:?}");
    }
    for words in [
        &["setup", "cursor"][..],
        &["setup", "cursor", "--scope", "project", "--", "--root", "/"],
        &["tunnel", "--dry-run"],
    ] {
        let (code, stdout, stderr) = run_in_nothing(world.path(), words);
        assert_eq!((code, stdout.as_str()), (1, ""), "{words:?}: {stderr}");
        assert!(stderr.contains("the current folder is gone"), "{stderr}");
    }
    for words in [
        &["notes", "--root", "."][..],
        &["paged", "--root", ".", "--include", "**"],
        &["managed", "x.toml"],
    ] {
        let (code, _, stderr) = run_in_nothing(world.path(), words);
        assert_ne!(code, 0, "{words:?}: {stderr}");
    }
    let (code, stdout, _) = run_in_nothing(world.path(), &["doctor"]);
    assert_eq!(code, 1);
    assert!(
        stdout.contains("fault  root default: the current folder is gone;"),
        "{stdout}"
    );
    // Who says in full what to serve needs no current folder.
    let root = world.path().to_str().unwrap();
    for words in [
        &["--root", root][..],
        &["call", "read_file", "--root", root, "path=a.txt"],
        &["setup", "--help"],
        &["tools"],
    ] {
        let (code, _, stderr) = run_in_nothing(world.path(), words);
        assert_eq!(code, 0, "{words:?}: {stderr}");
    }
}

#[test]
fn a_folder_whose_name_is_no_text_is_served_but_not_written_down() {
    let world = folder(&[]);
    let odd = world.path().join(OsStr::from_bytes(b"odd\xff"));
    std::fs::create_dir(&odd).unwrap();
    std::fs::write(odd.join("a.txt"), "inside").unwrap();
    let (code, stdout, _) = told(&run(&odd, &["call", "read_file", "path=a.txt"]));
    assert!(code == 0 && stdout.contains("inside"), "{stdout}");
    for words in [&["setup", "cursor"][..], &["tunnel", "--dry-run"]] {
        let (code, stdout, stderr) = told(&run(&odd, words));
        assert_eq!((code, stdout.as_str()), (1, ""), "{words:?}: {stderr}");
        assert!(stderr.contains("is not valid UTF-8"), "{stderr}");
    }
}

#[test]
fn without_a_home_the_variable_is_named() {
    let world = folder(&[]);
    for home in [None, Some("relative")] {
        let run = |words: &[&str]| {
            let mut program = program(world.path(), words);
            program.env_remove("XDG_CONFIG_HOME").env_remove("HOME");
            told(
                &program
                    .envs(home.map(|home| ("HOME", home)))
                    .output()
                    .unwrap(),
            )
        };
        for client in ["claude-desktop", "cursor", "opencode", "codex", "windsurf"] {
            let (code, stdout, stderr) = run(&["setup", client]);
            assert_eq!((code, stdout.as_str()), (2, ""), "{client}");
            assert!(
                stderr.contains("HOME is not set to a full path"),
                "{stderr}"
            );
        }
        let (_, stdout, _) = run(&["doctor"]);
        assert!(
            stdout.contains("warn   clients: HOME is not set"),
            "{stdout}"
        );
    }
    let (code, _, stderr) = told(&run(
        world.path(),
        &["setup", "windsurf", "--scope", "project"],
    ));
    assert_eq!(code, 2);
    assert!(
        stderr.contains("Windsurf has no file for a project"),
        "{stderr}"
    );
}

/// As in `workspace-mcp options | head -1`.
#[test]
fn a_reader_that_goes_away_is_no_fault() {
    let world = folder(&[("a.txt", "x")]);
    for words in [
        &["options"][..],
        &["man"],
        &["--help"],
        &["completions", "bash"],
        &["tools"],
        &["doctor", "--json"],
        &["check-config"],
        &["call", "list_files"],
        &["setup", "cursor", "--print"],
    ] {
        let mut child = program(world.path(), words)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let mut stderr = String::new();
        child
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut stderr)
            .unwrap();
        assert_eq!(
            (child.wait().unwrap().code(), stderr.as_str()),
            (Some(0), ""),
            "{words:?}"
        );
    }
}

/// The server starts with what `setup` wrote, as `doctor` sees.
#[test]
fn what_setup_writes_starts_the_server_whatever_the_folder_is_called() {
    let world = folder(&[]);
    let long = "l".repeat(200);
    let names = [
        "with space",
        "quo'te \"dq\"",
        "emoji 🎉 ünï",
        "back\\slash",
        "dollar $HOME `x`",
        "new\nline",
        "-dash",
        "a=b:ro",
        "tail ",
        "%41",
        "#c [d] *",
        long.as_str(),
    ];
    let home = world.path().join("home");
    let run = |folder: &Path, words: &[&str]| {
        let mut program = program(folder, words);
        let program = program.env("HOME", &home).env("LANG", "C");
        told(&program.env_remove("XDG_CONFIG_HOME").output().unwrap())
    };
    let clients = [
        "claude-code",
        "cursor",
        "vscode",
        "opencode",
        "codex",
        "zed",
    ];
    for (index, name) in names.into_iter().enumerate() {
        let folder = world.path().join(name);
        std::fs::create_dir(&folder).unwrap();
        for client in clients {
            let (code, _, stderr) =
                run(&folder, &["setup", client, "--name", &format!("n{index}")]);
            assert_eq!((code, stderr.as_str()), (0, ""), "{client} in {name}");
        }
    }
    let words = ["doctor", "--json", "--wait", "60"];
    let (_, stdout, _) = run(&world.path().join("with space"), &words);
    let findings: Value = serde_json::from_str(&stdout).unwrap();
    let findings = findings["findings"].as_array().unwrap();
    let started = findings.iter().filter(|finding| {
        let what = finding["what"].as_str().unwrap();
        finding["level"] == "ok" && what.starts_with("starts, and offers")
    });
    assert_eq!(started.count(), names.len() * clients.len(), "{stdout}");
}
