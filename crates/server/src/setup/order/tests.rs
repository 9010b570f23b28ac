use std::path::Path;

use super::{Entry, Order, Setting, Task, read};
use crate::config::StartFault;
use crate::setup::entry::Server;

/// The words that a client would start the server with, after `setup` with these words in a folder
/// `cwd` that holds the folder `api`.
fn words(cwd: &Path, words: &[&str]) -> Result<Vec<String>, StartFault> {
    let setting = Setting {
        cwd,
        home: None,
        program: Path::new("/bin/workspace-mcp"),
    };
    let words = words.iter().map(|word| (*word).to_owned());
    match read(words, &setting)? {
        Order::Entry(Entry {
            task:
                Task::Write {
                    server: Server::Started { args, .. },
                    ..
                },
            ..
        }) => Ok(args
            .iter()
            .map(|arg| {
                arg.replace(&cwd.display().to_string(), "CWD")
                    .replace('\\', "/")
            })
            .collect()),
        other => panic!("{other:?}"),
    }
}

fn world() -> tempfile::TempDir {
    let world = tempfile::tempdir().unwrap();
    std::fs::create_dir(world.path().join("api")).unwrap();
    std::fs::write(world.path().join("managed.toml"), "").unwrap();
    world
}

/// The whole file system, or on Windows the drive, that a folder is on.
fn top(folder: &Path) -> &Path {
    folder.ancestors().last().unwrap()
}

#[test]
fn paths_are_written_so_that_they_hold_wherever_the_client_starts() {
    let world = world();
    let top = top(world.path()).display().to_string().replace('\\', "/");
    let top = format!("--root {top} --max-answer-bytes 131072");
    for (given, wanted) in [
        (&["cursor"][..], "--root CWD --max-answer-bytes 131072"),
        (
            &["cursor", "--", "--root", "api"],
            "--root CWD/api --max-answer-bytes 131072",
        ),
        (
            &["cursor", "--scope", "project"],
            "--root ${workspaceFolder} --max-answer-bytes 131072",
        ),
        (
            &["vscode", "--scope", "project", "--", "--root=./api"],
            "--root ${workspaceFolder}/api --max-answer-bytes 131072",
        ),
        (
            &["claude-code", "--scope", "project"],
            "--root ${CLAUDE_PROJECT_DIR:-.} --max-answer-bytes 65536",
        ),
        (
            &["zed", "--scope", "project"],
            "--root CWD --max-answer-bytes 131072",
        ),
        (&["vscode", "--scope", "project", "--", "--root", "/"], &top),
        (
            &[
                "codex",
                "--",
                "--workspace",
                "a=api:ro",
                "--workspace",
                "b=.",
                "--read-only",
            ],
            "--workspace a=CWD/api:ro --workspace b=CWD --read-only --max-answer-bytes 32768",
        ),
        (
            &[
                "codex",
                "--",
                "--config",
                "x.toml",
                "--state-dir",
                "s",
                "--log-file",
                "l",
            ],
            "--config CWD/x.toml --state-dir CWD/s --log-file CWD/l --max-answer-bytes 32768",
        ),
        (
            &[
                "opencode",
                "--",
                "--max-answer-bytes",
                "4096",
                "--shell-allow=-x",
            ],
            "--root CWD --max-answer-bytes 4096 --shell-allow=-x",
        ),
        (&["cursor", "--", "notes"], "notes --root CWD"),
        (
            &[
                "cursor",
                "--",
                "notes",
                "--root",
                "api",
                "--allow-write",
                "notes_append",
            ],
            "notes --root CWD/api --allow-write notes_append",
        ),
        (
            &["cursor", "--", "paged", "--root=api", "--include", "**"],
            "paged --root CWD/api --include ** --era both",
        ),
        (
            &["cursor", "--", "paged", "--include=-x", "--era", "modern"],
            "paged --root CWD --include -x --era modern",
        ),
        (
            &["cursor", "--", "managed", "managed.toml"],
            "managed CWD/managed.toml",
        ),
        (
            &[
                "cursor",
                "--",
                "managed",
                "--server-name=-x",
                "--log-file",
                "l",
                "managed.toml",
            ],
            "managed CWD/managed.toml --server-name=-x --log-file CWD/l",
        ),
    ] {
        let found =
            words(world.path(), given).unwrap_or_else(|fault| panic!("{given:?} {fault:?}"));
        assert_eq!(found.join(" "), wanted, "{given:?}");
    }
}

#[test]
fn slips_are_told_before_anything_is_looked_at() {
    let world = world();
    for (given, text) in [
        (
            &[][..],
            "setup needs the name of a client: claude-desktop, ",
        ),
        (
            &["emacs"],
            "no such client: emacs (expected one of claude-desktop, ",
        ),
        (&["cursor", "--bogus"], "Unknown option '--bogus'"),
        (
            &["cursor", "--scope", "machine"],
            "invalid --scope: machine (expected user or project)",
        ),
        (
            &["cursor", "--name", "a b"],
            "invalid --name: a b (expected 1 to 64 letters",
        ),
        (&["cursor", "--name", ""], "invalid --name:  (expected"),
        (
            &["cursor", "--name", "__proto__"],
            "keeps that name for itself",
        ),
        (
            &["claude-code", "--name", "workspace"],
            "Claude Code keeps that name for itself",
        ),
        (
            &["opencode", "--name", "servers"],
            "opencode keeps that name for itself",
        ),
        (
            &["gemini-cli", "--name", "a_b"],
            "Gemini CLI takes no underscore in it",
        ),
        (
            &["cursor", "--remove", "--print"],
            "--remove and --print do not go together",
        ),
        (&["cursor", "--token-env", "X"], "--token-env needs --url"),
        (
            &["cursor", "--url", "localhost:3333"],
            "invalid --url: localhost:3333 (expected http://",
        ),
        (&["cursor", "--url", "http://x y/"], "invalid --url"),
        (
            &["cursor", "--url", "http://x/", "--", "--read-only"],
            "do not go with --url",
        ),
        (
            &[
                "cursor",
                "--url",
                "http://x/",
                "--token-env",
                "s3cret-token",
            ],
            "invalid --token-env: expected",
        ),
        (&["cursor", "--", "--bogus"], "Unknown option '--bogus'"),
        (
            &["cursor", "--", "--durability", "x"],
            "invalid --durability: x",
        ),
        (
            &["cursor", "--", "--http"],
            "for one that runs already use --url",
        ),
        (
            &["cursor", "--", "--token", "s3cret"],
            "for one that runs already use --url",
        ),
        (
            &["cursor", "--", "tools"],
            "only options of the server go behind `--`",
        ),
        (
            &["cursor", "--", "--help"],
            "only options of the server go behind `--`",
        ),
        (
            &["cursor", "--", "managed"],
            "managed needs its configuration file",
        ),
        (
            &["cursor", "--", "managed", "managed.toml", "--prune"],
            "only options of the server go behind `--`",
        ),
        (
            &["cursor", "--", "notes", "--token", "s3cret"],
            "for one that runs already use --url",
        ),
        (
            &["cursor", "--", "notes", "--bogus"],
            "Unknown option '--bogus'",
        ),
        (
            &["cursor", "--", "paged"],
            "paged serves nothing without --include",
        ),
    ] {
        match words(world.path(), given) {
            Err(StartFault::Usage(said)) => {
                assert!(said.contains(text), "{given:?}: {said}");
                assert!(!said.contains("s3cret"), "{said}");
            }
            other => panic!("{given:?}: {other:?}"),
        }
    }
    for (given, text) in [
        (&["cursor", "--", "--root", "gone"][..], "cannot serve "),
        (
            &["cursor", "--", "notes", "--root", "gone"],
            "cannot serve ",
        ),
        (
            &["cursor", "--", "managed", "gone.toml"],
            "config file not found: ",
        ),
    ] {
        match words(world.path(), given) {
            Err(StartFault::Machine(said)) => assert!(said.contains(text), "{said}"),
            other => panic!("{given:?}: {other:?}"),
        }
    }
}

#[test]
fn nobody_serves_a_home_by_accident() {
    let world = world();
    for (cwd, home) in [
        (world.path(), Some(world.path())),
        (world.path(), Some(&world.path().join("api").join(".."))),
        (top(world.path()), None),
    ] {
        let setting = Setting {
            cwd,
            home,
            program: Path::new("/bin/workspace-mcp"),
        };
        let fault = read(["cursor".to_owned()], &setting).unwrap_err();
        let StartFault::Usage(text) = fault else {
            panic!("{fault:?}");
        };
        assert!(text.starts_with("say which folder to serve"), "{text}");
    }
}
