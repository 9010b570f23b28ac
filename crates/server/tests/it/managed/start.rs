//! Starts that fail, each with one line, and starts that do not, which say nothing.

use std::fs;
use std::path::MAIN_SEPARATOR_STR;
use std::process::Output;

use super::world::World;
use crate::client::shown;

/// Exit code and stderr, with places of this run written as names and the separator of Unix.
fn outcome(world: &World, output: &Output) -> (i32, String) {
    assert!(output.stdout.is_empty(), "stdout is the protocol's");
    let text = String::from_utf8_lossy(&output.stderr)
        .replace(&shown(world.base()), "BASE")
        .replace(&world.base().display().to_string(), "BASE")
        .replace(MAIN_SEPARATOR_STR, "/");
    (output.status.code().unwrap(), text)
}

const USAGE: &str = "usage: workspace-mcp managed <config.toml> [options]\n";

#[test]
fn wrong_words_get_the_usage() {
    let world = World::new(&[]);
    let config = world.config().display().to_string();
    for (words, line) in [
        (vec!["managed"], ""),
        (vec!["managed", &config, "more"], ""),
        (
            vec!["managed", &config, "--bogus"],
            "Unknown option '--bogus'\n",
        ),
        (
            vec!["managed", &config, "--port", "x"],
            "invalid --port: x\n",
        ),
        (
            vec!["managed", &config, "--server-name", " "],
            "invalid --server-name: expected a name\n",
        ),
        (
            vec!["managed", &config, "--http", "--host", "0.0.0.0"],
            "refusing to listen on 0.0.0.0 without a token: set MCP_TOKEN, or let in everybody who \
             can reach this machine with --insecure\n",
        ),
    ] {
        let output = crate::client::run(world.base(), &words);
        let wanted = (2, format!("{line}{USAGE}"));
        assert_eq!(outcome(&world, &output), wanted, "{words:?}");
    }
    assert!(!world.has(".git"), "nothing was begun");
}

#[test]
fn a_good_start_says_nothing() {
    let world = World::new(&[("a.txt", "a\n")]);
    for _ in 0..2 {
        let output = world.run(&[]);
        assert_eq!(outcome(&world, &output), (0, String::new()));
    }
    let output = world.run(&["--log-level", "info"]);
    let wanted = "[workspace-mcp] ready on stdio (managed workspace: w)\n\
                  [workspace-mcp] shutting down\n";
    assert_eq!(outcome(&world, &output), (0, wanted.to_owned()));
}

#[test]
fn help_and_version_go_to_stdout() {
    let world = World::new(&[]);
    let help = world.run(&["--help"]);
    let text = String::from_utf8(help.stdout).unwrap();
    assert!(text.contains("Usage: workspace-mcp managed <config.toml>"));
    let version = world.run(&["-v"]);
    let wanted = format!("workspace-mcp {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(String::from_utf8(version.stdout).unwrap(), wanted);
}

#[test]
fn faults_of_the_file_are_one_line() {
    let world = World::new(&[]);
    for (text, line) in [
        ("[extra]\n", "unknown config section: [extra]"),
        (
            "[workspace]\nrot = 1\n",
            "unknown config key: workspace.rot",
        ),
        ("[git]\nbranch = \"x\"\n", "unknown config key: git.branch"),
        ("", "workspace.root is required"),
        (
            "[workspace]\nroot = \"w\"\nmax_file_bytes = 0\n",
            "max_file_bytes must be a positive integer",
        ),
        (
            "[workspace]\nroot = \"w\"\n[write]\nallow_move = 1\n",
            "allow_move must be a boolean",
        ),
        (
            "[workspace]\nroot = \"w\"\n[git]\nauthor_name = \"\"\n",
            "author_name must be a non-empty string",
        ),
        (
            "[workspace]\nroot = \"w\"\n[git]\nmode = \"a b\"\n",
            "mode must be a simple word",
        ),
        (
            "[workspace]\nroot = \"w\"\n[server]\ntransport = \"http\"\n",
            "only stdio transport is supported in v0.1.0",
        ),
        (
            "[workspace\n",
            "invalid TOML in config file BASE/config.toml: unclosed table, expected `]` at line 1 \
             column 11",
        ),
    ] {
        fs::write(world.config(), text).unwrap();
        let wanted = (1, format!("ERROR [CONFIG_ERROR]: {line}\n"));
        assert_eq!(outcome(&world, &world.run(&[])), wanted, "{text}");
    }
    fs::write(world.config(), b"\xff").unwrap();
    let (code, text) = outcome(&world, &world.run(&[]));
    let line = "ERROR [CONFIG_ERROR]: cannot read config file BASE/config.toml: not valid UTF-8\n";
    assert_eq!((code, text.as_str()), (1, line));
    fs::remove_file(world.config()).unwrap();
    let wanted = "ERROR [CONFIG_ERROR]: config file not found: BASE/config.toml\n".to_owned();
    assert_eq!(outcome(&world, &world.run(&[])), (1, wanted));
    assert!(!world.has(".git"), "nothing was begun");
}

#[test]
fn faults_of_the_root_are_one_line() {
    let world = World::new(&[]);
    fs::write(world.base().join("file"), "").unwrap();
    for (root, line) in [
        ("gone", "workspace root does not exist: BASE/gone"),
        ("file", "workspace root must be a directory"),
        ("/", "workspace root must not be a filesystem root"),
    ] {
        fs::write(world.config(), format!("[workspace]\nroot = \"{root}\"\n")).unwrap();
        let wanted = (1, format!("ERROR [PATH_OUTSIDE_WORKSPACE]: {line}\n"));
        assert_eq!(outcome(&world, &world.run(&[])), wanted, "{root}");
    }
}

#[test]
fn a_root_may_be_relative_or_in_the_home_folder() {
    let world = World::new(&[]);
    fs::write(world.config(), "[workspace]\nroot = \"w\"\n").unwrap();
    assert_eq!(outcome(&world, &world.run(&[])).0, 0);
    assert!(world.has(".git"));
    fs::create_dir_all(world.base().join("home/x")).unwrap();
    fs::write(world.config(), "[workspace]\nroot = \"~/x\"\n").unwrap();
    let home = world.base().join("home");
    let output = world
        .program(&[])
        .envs([("HOME", &home), ("USERPROFILE", &home)])
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap();
    assert_eq!(outcome(&world, &output), (0, String::new()));
    assert!(world.base().join("home/x/.git").is_dir());
}

#[test]
fn repositories_of_others_are_refused_and_left_alone() {
    type Make = fn(&World);
    let rows: [(&str, Make); 5] = [
        ("a file", |world| world.write(".git", "gitdir: elsewhere\n")),
        ("an empty folder", |world| {
            fs::create_dir(world.path(".git")).unwrap();
        }),
        ("one without our mark", |world| {
            world.write(".git/HEAD", "ref: refs/heads/master\n");
            world.write(".git/config", "[core]\n\tbare = false\n");
            fs::create_dir_all(world.path(".git/objects")).unwrap();
            fs::create_dir_all(world.path(".git/refs")).unwrap();
        }),
        ("ours with a remote", |world| {
            assert!(world.run(&[]).status.success());
            let config = world.read(".git/config") + "[remote \"origin\"]\n\turl = x\n";
            world.write(".git/config", config);
        }),
        ("ours of another format", |world| {
            assert!(world.run(&[]).status.success());
            let config = world.read(".git/config");
            let config = config.replace("format = 1", "format = 2");
            world.write(".git/config", config);
        }),
    ];
    for (what, make) in rows {
        let world = World::new(&[("a.txt", "a\n")]);
        make(&world);
        let before = world.snapshot();
        let (code, text) = outcome(&world, &world.run(&[]));
        let start = "ERROR [EXISTING_GIT_REPOSITORY_NOT_SUPPORTED]: ";
        assert!(code == 1 && text.starts_with(start), "{what}: {text}");
        assert_eq!(text.lines().count(), 1, "{text}");
        assert!(!text.contains("BASE"), "{text}");
        let after = world.snapshot();
        assert_eq!(before, after, "{what}");
    }
}

#[test]
fn a_configuration_in_the_folder_that_is_served_is_warned_of() {
    let world = World::new(&[]);
    let text = fs::read_to_string(world.config()).unwrap();
    world.write("conf/own.toml", text);
    let config = world.path("conf/own.toml").display().to_string();
    let output = crate::client::run(world.base(), &["managed", &config]);
    let wanted = "[workspace-mcp] WARNING: the configuration file lies in the workspace, where tools \
                  can change what the next start serves\n";
    assert_eq!(outcome(&world, &output), (0, wanted.to_owned()));
}
