//! `doctor` as people run it: each thing that can be wrong is named, with what to do about it.

use std::path::Path;
use std::process::Stdio;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::program;

/// A home, a project in it that is served, and an empty folder for `PATH`.
fn world() -> TempDir {
    let world = tempfile::tempdir().unwrap();
    for name in ["home/project", "bin"] {
        std::fs::create_dir_all(world.path().join(name)).unwrap();
    }
    std::fs::write(world.path().join("home/project/a.txt"), "a\n").unwrap();
    world
}

/// Exit code and output, with the world as `WORLD`; with `PATH` as given.
fn doctor_in(world: &Path, words: &[&str], path: Option<&Path>) -> (i32, String) {
    let home = world.join("home");
    let mut all = vec!["doctor"];
    all.extend(words);
    let mut program = program(&home.join("project"), &all);
    for variable in ["CODEX_HOME", "CLAUDE_CONFIG_DIR", "WORKSPACE_MCP_SHELL"] {
        program.env_remove(variable);
    }
    if let Some(path) = path {
        program.env("PATH", path);
    }
    let output = program
        .env("HOME", &home)
        .env("USERPROFILE", &home)
        .env("XDG_CONFIG_HOME", home.join("config"))
        .env("APPDATA", home.join("config"))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let places = [world.canonicalize().unwrap(), world.to_owned()];
    let text = places.iter().fold(text, |text, place| {
        text.replace(&place.display().to_string(), "WORLD")
    });
    (output.status.code().unwrap(), text.replace('\\', "/"))
}

fn doctor(world: &Path, words: &[&str]) -> (i32, String) {
    doctor_in(world, words, None)
}

/// Runs `setup cursor` in the project, with more words.
fn set_up(world: &Path, more: &[&str]) {
    let home = world.join("home");
    let words = [&["setup", "cursor"], more].concat();
    let output = program(&home.join("project"), &words)
        .env("HOME", &home)
        .env("USERPROFILE", &home)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
}

/// Looks for a line with this beginning and this end, and for the exit code that goes with it.
fn told((code, text): &(i32, String), start: &str, end: &str) {
    let found = text
        .lines()
        .any(|line| line.starts_with(start) && line.ends_with(end));
    assert!(found, "no line {start} … {end} in\n{text}");
    let has_fault = text.lines().any(|line| line.starts_with("fault"));
    assert_eq!(*code, i32::from(has_fault), "{text}");
}

fn write(world: &Path, name: &str, content: &str) {
    let path = world.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, content).unwrap();
}

/// An entry in the file of Cursor, in the home or in the project.
fn cursor(world: &Path, folder: &str, entry: &Value) {
    let whole = json!({ "mcpServers": { "workspace-mcp": entry } });
    write(
        world,
        &format!("{folder}/.cursor/mcp.json"),
        &whole.to_string(),
    );
}

/// With its drive, which a build on another system does not name.
fn this_program() -> String {
    let program = std::path::absolute(env!("CARGO_BIN_EXE_workspace-mcp")).unwrap();
    program.display().to_string()
}

#[test]
fn all_is_well_in_a_sound_world() {
    let world = world();
    let said = doctor(
        world.path(),
        &["--deny-tool", "git_status", "--deny-tool", "git_diff"],
    );
    told(&said, "ok     program: workspace-mcp ", "");
    told(&said, "ok     config: no configuration file", "");
    told(&said, "ok     root default: WORLD/home/project (", ")");
    told(&said, "ok     root default: can be written", "");
    told(&said, "ok     git: not needed", "");
    told(&said, "ok     http: off", "");
    told(
        &said,
        "warn   clients: no client is set up; ",
        "`workspace-mcp setup CLIENT` connects one",
    );
    assert_eq!(said.0, 0);
}

#[test]
fn a_missing_root() {
    let world = world();
    let said = doctor(world.path(), &["--root", "gone", "--workspace", "ok=."]);
    told(
        &said,
        "fault  root default: does not exist: WORLD/home/project/gone; create it",
        "--root or --workspace",
    );
    told(&said, "ok     root ok: ", "");
    let said = doctor(world.path(), &["--root", "gone", "--deny-tool", "gerp"]);
    told(
        &said,
        "fault  setting: unknown tool in --deny-tool: gerp; ",
        "",
    );
    // What does not depend on it is looked at all the same.
    assert!(
        said.1.contains("  system: ") && said.1.contains("  git: "),
        "{}",
        said.1
    );
    assert!(!said.1.contains("not needed"), "{}", said.1);
    let said = doctor(world.path(), &["--root", "a.txt"]);
    told(
        &said,
        "fault  root default: is not a folder: WORLD/home/project/a.txt; ",
        "is in",
    );
}

#[test]
fn a_broken_configuration() {
    let world = world();
    write(world.path(), "home/c.json", "{ \"readOnly\": tru }");
    let said = doctor(world.path(), &["--config", "../c.json"]);
    told(
        &said,
        "fault  config: invalid JSON in config file WORLD/home/c.json: ",
        "looks at it again",
    );
    // What the command line says is looked at all the same.
    told(&said, "ok     root default: ", "");
    write(
        world.path(),
        "home/c.json",
        "{ \"tools\": { \"deny\": [\"gerp\"] } }",
    );
    let said = doctor(world.path(), &["--config", "../c.json"]);
    told(
        &said,
        "fault  setting: unknown tool in tools.deny: gerp; ",
        "names of tools",
    );
}

#[test]
fn a_configuration_with_a_token() {
    let world = world();
    write(
        world.path(),
        "home/c.json",
        "{ \"transport\": { \"token\": \"s3cret\" } }",
    );
    let said = doctor(world.path(), &["--config", "../c.json"]);
    told(
        &said,
        "fault  config: token must not be stored in the config file; take it out of the file and ",
        "instead",
    );
    assert!(!said.1.contains("s3cret"));
}

#[test]
fn values_and_where_they_come_from() {
    let world = world();
    write(
        world.path(),
        "home/config/workspace-mcp/config.json",
        "{ \"durability\": \"power\" }",
    );
    let said = doctor(world.path(), &["--deny-path", "*.pem"]);
    told(
        &said,
        "ok     config: WORLD/home/config/workspace-mcp/config.json (the user's own)",
        "",
    );
    told(
        &said,
        "ok     setting: durability = power (configuration file)",
        "",
    );
    told(
        &said,
        "ok     setting: paths.deny = *.pem (command line)",
        "",
    );
}

#[test]
fn a_root_that_is_more_than_a_project() {
    let world = world();
    let top = world.path().ancestors().last().unwrap().to_str().unwrap();
    for (root, what) in [
        ("..", "is the user's whole folder"),
        (top, "is the whole file system"),
    ] {
        let said = doctor(world.path(), &["--root", root, "--read-only"]);
        let line = format!("warn   root default: {what}");
        told(&said, &line, "; serve the folder of a project instead");
    }
}

#[test]
fn git_that_is_not_there() {
    let world = world();
    let bin = world.path().join("bin");
    let said = doctor_in(world.path(), &[], Some(&bin));
    told(
        &said,
        "fault  git: is not in PATH; ",
        "; install git 2.32 or newer, or leave them out with \
         --deny-tool git_status --deny-tool git_diff",
    );
}

#[cfg(unix)]
#[test]
fn a_program_on_the_list_that_is_not_in_path() {
    let world = world();
    let bin = world.path().join("bin");
    let words = ["--shell", "--shell-allow", "make", "--read-only"];
    let said = doctor_in(world.path(), &words[..3], Some(&bin));
    told(
        &said,
        "fault  commands: make is allowed, but not in PATH; ",
        "--shell-path",
    );
    told(
        &said,
        "ok     commands: node may run, but is not in PATH",
        "",
    );
    let said = doctor_in(world.path(), &words, Some(&bin));
    told(&said, "ok     commands: off; ", "");
}

#[test]
fn a_port_that_is_taken() {
    let world = world();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let answers = std::thread::spawn(move || drop(taken.accept()));
    let said = doctor(world.path(), &["--http", "--port", &port]);
    told(
        &said,
        &format!("fault  http: port {port} of 127.0.0.1 is taken; "),
        "--port",
    );
    answers.join().unwrap();
    let said = doctor(
        world.path(),
        &["--http", "--host", "0.0.0.0", "--port", "0"],
    );
    told(
        &said,
        "fault  http: refusing to listen on 0.0.0.0 without a token: set MCP_TOKEN, ",
        "",
    );
}

#[test]
fn a_client_whose_entry_works() {
    let world = world();
    let root = world.path().join("home/project").display().to_string();
    cursor(
        world.path(),
        "home",
        &json!({ "command": this_program(), "args": ["--root", root] }),
    );
    let said = doctor(world.path(), &[]);
    told(
        &said,
        "ok     cursor (user) workspace-mcp: starts, and offers ",
        " tools without writing",
    );
    let left: Vec<_> = std::fs::read_dir(world.path().join("home/project"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(left, ["a.txt"], "nothing is written");
}

#[test]
fn every_toolset_works_as_setup_writes_it() {
    let world = world();
    write(
        world.path(),
        "home/managed.toml",
        "[workspace]\nroot = \"managed\"\n",
    );
    for more in [
        &["--name", "plain"][..],
        &[
            "--name",
            "shell",
            "--",
            "--shell",
            "--max-answer-bytes=8192",
        ],
        &["--name", "notes", "--", "notes", "--root", "."],
        &[
            "--name",
            "paged",
            "--",
            "paged",
            "--include=**",
            "--max-files=9",
        ],
        &["--name", "managed", "--", "managed", "../managed.toml"],
    ] {
        set_up(world.path(), more);
    }
    let said = doctor(world.path(), &[]);
    for (name, end) in [
        ("plain", " tools without writing"),
        ("shell", " tools without writing"),
        ("notes", " tools"),
        ("paged", " tools"),
    ] {
        let start = format!("ok     cursor (user) {name}: starts, and offers ");
        told(&said, &start, end);
    }
    told(
        &said,
        "ok     cursor (user) managed: not tried, since a start ",
        "",
    );
    assert_eq!(
        std::fs::read_dir(world.path().join("home/project"))
            .unwrap()
            .count(),
        1
    );
}

#[test]
fn a_client_whose_entry_does_not_work() {
    let world = world();
    let again = "; run `workspace-mcp setup cursor` again";
    let gone = world.path().join("bin/workspace-mcp").display().to_string();
    for (entry, what) in [
        (
            json!({ "command": gone, "args": [] }),
            "starts WORLD/bin/workspace-mcp, which is not there",
        ),
        (
            json!({ "command": "workspace-mcp", "args": [] }),
            "starts workspace-mcp, which is not in PATH",
        ),
        (
            json!({ "command": this_program(), "args": ["--root", gone] }),
            "does not work: workspace \"default\" root does not exist: WORLD/bin/workspace-mcp",
        ),
        (
            json!({ "command": "bin/workspace-mcp", "args": [] }),
            "starts bin/workspace-mcp, which depends on where the client is",
        ),
        (json!({}), "names neither a program nor an address"),
    ] {
        cursor(world.path(), "home", &entry);
        let bin = world.path().join("bin");
        let said = doctor_in(world.path(), &["--deny-tool", "git_status"], Some(&bin));
        told(
            &said,
            &format!("fault  cursor (user) workspace-mcp: {what}"),
            again,
        );
    }
    cursor(
        world.path(),
        "home",
        &json!({ "url": "http://127.0.0.1:1/mcp" }),
    );
    let said = doctor(world.path(), &[]);
    told(
        &said,
        "fault  cursor (user) workspace-mcp: nothing answers at http://127.0.0.1:1 (",
        "start the server there with --http, or mend the address",
    );
    cursor(
        world.path(),
        "home",
        &json!({ "command": "npx", "disabled": true }),
    );
    let said = doctor(world.path(), &[]);
    told(
        &said,
        "warn   cursor (user) workspace-mcp: is switched off",
        "; switch it on there",
    );
}

#[test]
fn a_client_with_a_broken_file() {
    let world = world();
    write(world.path(), "home/.claude.json", "{\n  \"a\": 1,\n}\n");
    let said = doctor(world.path(), &[]);
    told(
        &said,
        "fault  claude-code (user): WORLD/home/.claude.json:2:9: trailing commas are not allowed; ",
        "(https://code.claude.com/docs/en/mcp)",
    );
}

#[test]
fn json_tells_the_same() {
    let world = world();
    let (code, text) = doctor(world.path(), &["--json", "--root", "gone"]);
    assert_eq!(code, 1);
    let whole: Value = serde_json::from_str(&text).unwrap();
    let all = whole["findings"].as_array().unwrap();
    let fault = all
        .iter()
        .find(|finding| finding["level"] == "fault")
        .unwrap();
    assert_eq!(fault["check"], "root default");
    let what = fault["what"].as_str().unwrap();
    assert!(
        what.starts_with("does not exist: ") && what.ends_with("gone"),
        "{what}"
    );
    assert!(fault["remedy"].is_string());
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    use std::path::Path;

    use serde_json::json;

    use super::{cursor, doctor, told, world, write};

    fn script(world: &Path, text: &str) -> String {
        write(world, "bin/workspace-mcp", text);
        let path = world.join("bin/workspace-mcp");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path.display().to_string()
    }

    #[test]
    fn a_client_whose_entry_starts_another_version() {
        let world = world();
        let old = script(world.path(), "#!/bin/sh\necho workspace-mcp 1.5.0\n");
        cursor(world.path(), "home", &json!({ "command": old, "args": [] }));
        let said = doctor(world.path(), &[]);
        told(
            &said,
            "warn   cursor (user) workspace-mcp: starts another version: workspace-mcp 1.5.0, and \
             this is workspace-mcp ",
            "; run `workspace-mcp setup cursor` again",
        );
        cursor(
            world.path(),
            "home",
            &json!({ "command": "/bin/sh", "args": ["-c", "x"] }),
        );
        let said = doctor(world.path(), &[]);
        told(
            &said,
            "warn   cursor (user) workspace-mcp: starts /bin/sh, which is another",
            "",
        );
    }

    #[test]
    fn a_client_whose_server_never_answers() {
        let world = world();
        let version = concat!("workspace-mcp ", env!("CARGO_PKG_VERSION"));
        // What it leaves behind keeps its output open, and does not keep doctor waiting either.
        let silent = script(
            world.path(),
            &format!(
                "#!/bin/sh\nif [ \"$1\" = --version ]; then echo {version}; exit; fi\n\
                 sleep 600 & sleep 600\n"
            ),
        );
        cursor(
            world.path(),
            "home",
            &json!({ "command": silent, "args": [] }),
        );
        let said = doctor(world.path(), &["--wait", "1"]);
        told(
            &said,
            "fault  cursor (user) workspace-mcp: does not work: no answer within 1 s; ",
            "run `workspace-mcp setup cursor` again",
        );
    }

    #[test]
    fn what_an_entry_keeps_secret_is_not_told() {
        let world = world();
        let version = concat!("workspace-mcp ", env!("CARGO_PKG_VERSION"));
        let chatty = script(
            world.path(),
            &format!(
                "#!/bin/sh\nif [ \"$1\" = --version ]; then echo {version}; exit; fi\n\
                 echo \"no use for $* and $MY_API_KEY\" >&2\nexit 1\n"
            ),
        );
        let entry = json!({
            "command": chatty,
            "args": ["--http", "--token", "s3cret-1", "--token=s3cret-2"],
            "env": { "MY_API_KEY": "s3cret-1-and-more" },
        });
        cursor(world.path(), "home", &entry);
        let said = doctor(world.path(), &[]);
        told(
            &said,
            "fault  cursor (user) workspace-mcp: does not work: no use for --http --token (hidden) \
             --token=(hidden) --read-only and (hidden); ",
            "again",
        );
        let address = "http://user:s3cret@127.0.0.1:1/s3cret?key=s3cret";
        cursor(world.path(), "home", &json!({ "url": address }));
        let said = doctor(world.path(), &[]);
        told(
            &said,
            "fault  cursor (user) workspace-mcp: nothing answers at http://127.0.0.1:1 (",
            "",
        );
        let said = doctor(world.path(), &["--json", "--token", "s3cret"]);
        assert!(!said.1.contains("s3cret"), "{}", said.1);
    }

    #[test]
    fn what_a_project_chose_is_not_run() {
        let world = world();
        let mark = world.path().join("home/ran").display().to_string();
        let trap = script(world.path(), &format!("#!/bin/sh\ntouch {mark}\n"));
        cursor(
            world.path(),
            "home/project",
            &json!({ "command": trap, "args": [] }),
        );
        let said = doctor(world.path(), &[]);
        told(
            &said,
            "ok     cursor (project) workspace-mcp: starts WORLD/bin/",
            "the project chose it",
        );
        assert!(std::fs::metadata(mark).is_err());
    }

    #[test]
    fn a_link_that_leads_out() {
        let world = world();
        symlink(world.path(), world.path().join("home/project/out")).unwrap();
        symlink("a.txt", world.path().join("home/project/in")).unwrap();
        let said = doctor(world.path(), &[]);
        told(
            &said,
            "warn   root default: the link `out` leads out of the root",
            "of its own",
        );
    }
}

/// Disks of their own need the right to mount them; where there is none, the tests of the module
/// stand alone.
#[cfg(target_os = "linux")]
mod disks {
    use std::path::Path;

    use rustix::mount::{MountFlags, UnmountFlags, mount, unmount};

    use super::{doctor, told, world};

    struct Disk<'a>(&'a Path);

    impl Drop for Disk<'_> {
        fn drop(&mut self) {
            let _ = unmount(self.0, UnmountFlags::DETACH);
        }
    }

    fn disk(at: &Path, flags: MountFlags) -> Option<Disk<'_>> {
        mount("tmpfs", at, "tmpfs", flags, c"size=64k").ok()?;
        Some(Disk(at))
    }

    #[test]
    fn a_full_disk() {
        let world = world();
        let at = world.path().join("home/project");
        let Some(_disk) = disk(&at, MountFlags::empty()) else {
            return;
        };
        std::fs::write(at.join("big"), vec![0; 64 * 1024]).unwrap_or_default();
        let said = doctor(world.path(), &[]);
        told(
            &said,
            "fault  root default: the disk is full: ",
            "nothing can be written now",
        );
        told(
            &said,
            "ok     root default: WORLD/home/project (tmpfs, ",
            "",
        );
    }

    #[test]
    fn a_root_that_cannot_be_written() {
        let world = world();
        let at = world.path().join("home/project");
        let remedy = "; mount it otherwise, or close it to writing with `:ro` or --read-only";
        if let Some(_disk) = disk(&at, MountFlags::RDONLY) {
            let said = doctor(world.path(), &[]);
            told(
                &said,
                "fault  root default: cannot be written: WORLD/home/project is on",
                remedy,
            );
            let said = doctor(world.path(), &["--read-only"]);
            assert!(!said.1.contains("cannot be written"), "{}", said.1);
        }
    }

    #[test]
    fn a_root_that_this_user_may_not_write() {
        use std::os::unix::fs::PermissionsExt as _;
        if rustix::process::geteuid().is_root() {
            // Nothing is closed to this user; the disk above stands for it.
            return;
        }
        let world = world();
        let at = world.path().join("home/project");
        std::fs::set_permissions(&at, std::fs::Permissions::from_mode(0o555)).unwrap();
        let said = doctor(world.path(), &[]);
        told(
            &said,
            "fault  root default: cannot be written: this user may not",
            "--state-dir",
        );
        std::fs::set_permissions(&at, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
}
