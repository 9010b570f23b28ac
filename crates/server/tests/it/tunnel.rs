//! `workspace-mcp tunnel` with a stand-in for the tunnel client, written from what its public
//! documentation says: how it is called, how it reads a command, where it takes profiles and the
//! key from.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Cursor, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use workspace::read::sha256;

const ID: &str = "tunnel_0123456789abcdef0123456789abcdef";
const KEY: &str = "sk-runtime-key-of-the-test";

/// Writes down how it was called, starts the server as the command says, asks it for a file, and
/// writes down what it could see of it.
const CLIENT: &str = r#"#!/bin/sh
here=$(dirname "$0")
if [ "$1" = --version ]; then echo "tunnel-client v0.0.11"; exit 0; fi
printf '%s\n' "$@" > "$here/argv"
env > "$here/environment"
unquote() { sed 's/\\\(.\)/\1/g'; }
while [ $# -gt 0 ]; do
  case $1 in
    --mcp.command) command=$2; shift ;;
    --profile-file) command=$(sed -n 's/^ *command: "\(.*\)" #.*/\1/p' "$2" | unquote); shift ;;
  esac
  shift
done
eval "set -- $command"
mkfifo "$here/in" "$here/out"
"$@" < "$here/in" > "$here/out" 2> "$here/stderr" &
server=$!
exec 3> "$here/in" 4< "$here/out"
cat "$here/requests" >&3
read -r first <&4
read -r second <&4
printf '%s\n' "$first" "$second" > "$here/answer"
tr '\0' '\n' < /proc/$server/environ > "$here/server-environment"
tr '\0' '\n' < /proc/$server/cmdline > "$here/server-argv"
exec 3>&-
cat <&4 > /dev/null
wait $server
echo "$?" > "$here/server-code"
exit 7
"#;

/// A home with a tunnel client in a folder of its own, and a folder to serve.
struct World {
    home: tempfile::TempDir,
}

impl World {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let world = Self { home };
        for folder in ["bin", "it's a folder"] {
            fs::create_dir(world.path(folder)).unwrap();
        }
        fs::write(world.path("it's a folder/a.txt"), "the very file\n").unwrap();
        world.program("bin/tunnel-client", CLIENT);
        let requests = [
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"read_file","arguments":{"path":"a.txt"}}}"#,
        ];
        fs::write(world.path("bin/requests"), requests.join("\n") + "\n").unwrap();
        world
    }

    fn path(&self, path: &str) -> PathBuf {
        self.home.path().join(path)
    }

    fn text(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap()
    }

    fn program(&self, path: &str, content: &str) {
        fs::write(self.path(path), content).unwrap();
        let mode = fs::Permissions::from_mode(0o755);
        fs::set_permissions(self.path(path), mode).unwrap();
    }

    /// Runs the command in the served folder; nothing is at the terminal.
    fn tunnel(&self, options: &[&str], variables: &[(&str, &str)]) -> Output {
        // What the last run left would be in the way of the next.
        for name in ["in", "out"] {
            let _ = fs::remove_file(self.path("bin").join(name));
        }
        let path = format!("{}:/usr/bin:/bin", self.path("bin").display());
        Command::new(env!("CARGO_BIN_EXE_workspace-mcp"))
            .arg("tunnel")
            .args(options)
            .current_dir(self.path("it's a folder"))
            .env_clear()
            .env("PATH", path)
            .env("HOME", self.home.path())
            .envs(variables.iter().copied())
            .stdin(Stdio::null())
            .output()
            .unwrap()
    }

    /// The same with everything that it needs; it must come to the client and back.
    fn served(&self, options: &[&str]) -> String {
        let output = self.tunnel(options, &[("CONTROL_PLANE_API_KEY", KEY)]);
        assert_eq!(output.status.code(), Some(7), "{}", said(&output));
        assert!(self.text("bin/answer").contains("the very file"));
        said(&output)
    }

    /// All files beneath the home, by path.
    fn files(&self) -> BTreeMap<PathBuf, String> {
        let mut files = BTreeMap::new();
        let mut folders = vec![self.home.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let entry = entry.unwrap();
                if entry.file_type().unwrap().is_dir() {
                    folders.push(entry.path());
                } else if entry.file_type().unwrap().is_file() {
                    let content = fs::read(entry.path()).unwrap();
                    files.insert(entry.path(), String::from_utf8_lossy(&content).into_owned());
                }
            }
        }
        files
    }
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

fn lines(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(str::to_owned).collect()
}

#[test]
fn the_client_runs_with_our_server_as_its_child() {
    let world = World::new();
    world.served(&["--tunnel-id", ID, "--deny-path", "*.key"]);
    let argv = lines(&world.path("bin/argv"));
    assert_eq!(argv[..3], ["run", "--control-plane.tunnel-id", ID]);
    let server = lines(&world.path("bin/server-argv"));
    assert_eq!(
        server[1..],
        [
            "--deny-path",
            "*.key",
            "--root",
            world.path("it's a folder").to_str().unwrap()
        ]
    );
    assert_eq!(world.text("bin/server-code"), "0\n");
}

#[test]
fn the_key_is_in_the_environment_of_the_client_and_nowhere_else() {
    let world = World::new();
    let variables = [("MY_KEY", KEY), ("COPY_OF_IT", KEY), ("OTHER", "kept")];
    let options = [
        "--tunnel-id",
        ID,
        "--key-variable",
        "MY_KEY",
        "--profile",
        "work",
    ];
    let output = world.tunnel(&options, &variables);
    assert_eq!(output.status.code(), Some(7), "{}", said(&output));
    assert!(!said(&output).contains(KEY));
    let holders: Vec<_> = world
        .files()
        .into_iter()
        .filter(|(_, content)| content.contains(KEY))
        .collect();
    // The stand-in wrote down its own environment, once and for one variable.
    assert_eq!(holders.len(), 1, "{holders:?}");
    assert_eq!(holders[0].0, world.path("bin/environment"));
    assert_eq!(holders[0].1.matches(KEY).count(), 1);
    assert!(
        holders[0]
            .1
            .contains(&format!("CONTROL_PLANE_API_KEY={KEY}\n"))
    );
    assert!(world.text("bin/server-environment").contains("OTHER=kept"));
}

#[test]
fn a_profile_keeps_tunnel_options_and_what_was_added_by_hand() {
    let world = World::new();
    let profile = ".config/tunnel-client/work.yaml";
    world.served(&["--tunnel-id", ID, "--profile", "work", "--read-only"]);
    let first = world.text(profile);
    assert!(lines(&world.path("bin/server-argv")).contains(&"--read-only".to_owned()));

    // As it is, from options of the profile alone.
    world.served(&["--profile", "work"]);
    assert_eq!(world.text(profile), first);

    let by_hand = first.replace("mcp:\n", "log:\n  level: debug # mine\nmcp:\n");
    fs::write(world.path(profile), &by_hand).unwrap();
    let root = world.path("it's a folder");
    let options = [
        "--profile",
        "work",
        "--root",
        root.to_str().unwrap(),
        "--deny-path",
        "x y",
    ];
    world.served(&options);
    let second = world.text(profile);
    assert!(second.contains(ID) && second.contains("  level: debug # mine\n"));
    assert!(second.contains("x y") && !second.contains("--read-only"));
    assert_eq!(world.text(".config/tunnel-client/work.yaml.bak"), by_hand);
}

#[test]
fn a_command_changed_by_hand_is_overwritten_only_when_that_is_asked_for() {
    let world = World::new();
    let profile = ".config/tunnel-client/work.yaml";
    world.served(&["--tunnel-id", ID, "--profile", "work"]);
    let by_hand = world
        .text(profile)
        .replace("tunnel-server", "tunnel-server --read-only");
    fs::write(world.path(profile), &by_hand).unwrap();

    let output = world.tunnel(
        &["--profile", "work", "--deny-path", "x"],
        &[("CONTROL_PLANE_API_KEY", KEY)],
    );
    assert_eq!(output.status.code(), Some(1));
    assert!(
        said(&output).contains("was changed by hand: run without options"),
        "{}",
        said(&output)
    );
    assert_eq!(world.text(profile), by_hand);
    world.served(&["--profile", "work"]);
    assert_eq!(world.text(profile), by_hand);

    world.served(&["--profile", "work", "--deny-path", "x", "--force"]);
    assert!(!world.text(profile).contains("--read-only"));
    assert_eq!(world.text(".config/tunnel-client/work.yaml.bak"), by_hand);
}

#[test]
fn a_profile_in_another_form_is_left_alone() {
    let world = World::new();
    let folder = world.path(".config/tunnel-client");
    fs::create_dir_all(&folder).unwrap();
    let theirs = "{config_version: 1}\n";
    fs::write(folder.join("work.yaml"), theirs).unwrap();
    let options = ["--profile", "work", "--tunnel-id", ID];
    let output = world.tunnel(&options, &[("CONTROL_PLANE_API_KEY", KEY)]);
    assert_eq!(output.status.code(), Some(1));
    assert!(said(&output).contains("it is not written one value a line"));
    assert_eq!(
        fs::read_to_string(folder.join("work.yaml")).unwrap(),
        theirs
    );
}

#[test]
fn a_dry_run_shows_and_writes_nothing() {
    let world = World::new();
    let before = world.files();
    let options = [
        "--dry-run",
        "--tunnel-id",
        ID,
        "--profile",
        "work",
        "managed",
        "--root",
        "new",
        "--create",
    ];
    let output = world.tunnel(&options, &[]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(said(&output).contains("would write "));
    assert_eq!(world.files(), before);
    assert!(!world.path("it's a folder/new").exists());
}

#[test]
fn what_is_missing_is_named() {
    let world = World::new();
    let key = [("CONTROL_PLANE_API_KEY", KEY)];
    let fault = |options: &[&str], variables: &[(&str, &str)]| {
        let output = world.tunnel(options, variables);
        (output.status.code().unwrap(), said(&output))
    };
    let (code, text) = fault(&["--tunnel-id", ID], &[]);
    assert_eq!(code, 1);
    assert!(
        text.contains("no runtime key: set CONTROL_PLANE_API_KEY"),
        "{text}"
    );
    let (code, text) = fault(&[], &key);
    assert_eq!(code, 2);
    assert!(
        text.contains("no tunnel id: give it with --tunnel-id"),
        "{text}"
    );
    let (code, text) = fault(&["--tunnel-id", "tunnel_X"], &key);
    assert_eq!(code, 2);
    assert!(text.contains("invalid tunnel id: tunnel_X"), "{text}");
    let (code, text) = fault(&["--tunnel-id", ID, "--bogus"], &key);
    assert_eq!(code, 2);
    assert!(text.contains("Unknown option '--bogus'"), "{text}");
    let (code, text) = fault(&["--tunnel-id", ID, "--http"], &key);
    assert_eq!(code, 2);
    assert!(text.contains("leave out --http"), "{text}");
    let (code, text) = fault(&["--tunnel-id", ID, "--tunnel-client", "a.txt"], &key);
    assert_eq!(code, 1);
    assert!(text.contains("a.txt is no tunnel client: "), "{text}");
    world.program("bin/tunnel-client", "#!/bin/sh\nexit 3\n");
    let (code, text) = fault(&["--tunnel-id", ID], &key);
    assert_eq!(code, 1);
    assert!(text.contains("--version ends with code 3"), "{text}");
    fs::remove_file(world.path("bin/tunnel-client")).unwrap();
    let (code, text) = fault(&["--tunnel-id", ID], &key);
    assert_eq!(code, 1);
    assert!(text.contains("no tunnel client in PATH: "), "{text}");
}

#[test]
fn a_folder_is_served_managed_with_a_configuration_of_its_own() {
    let world = World::new();
    let options = ["--tunnel-id", ID, "managed", "--root", "."];
    world.served(&options);
    let folder = world.path(".local/share/workspace-mcp/managed");
    let configs: Vec<_> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    assert_eq!(configs.len(), 1);
    let text = fs::read_to_string(&configs[0]).unwrap();
    let root = world.path("it's a folder").canonicalize().unwrap();
    assert!(
        text.starts_with(&format!("[workspace]\nroot = \"{}\"\n", root.display())),
        "{text}"
    );
    // What a person put in stays.
    let by_hand = text + "\n[git]\nauthor_name = \"me\"\n";
    fs::write(&configs[0], &by_hand).unwrap();
    world.served(&options);
    assert_eq!(fs::read_to_string(&configs[0]).unwrap(), by_hand);

    let output = world.tunnel(&["--tunnel-id", ID, "managed", "--root", "none"], &[]);
    assert!(
        said(&output).contains("--create makes a new folder"),
        "{}",
        said(&output)
    );
}

#[test]
fn a_client_is_fetched_only_when_asked_for_and_kept_only_when_it_is_the_right_one() {
    let world = World::new();
    fs::remove_file(world.path("bin/tunnel-client")).unwrap();
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    archive.start_file("folder/tunnel-client", options).unwrap();
    // It looks for its files beside itself, so it is told where they are.
    let here = format!("here={}", world.path("bin").display());
    let client = CLIENT.replace("here=$(dirname \"$0\")", &here);
    archive.write_all(client.as_bytes()).unwrap();
    let archive = archive.finish().unwrap().into_inner();
    fs::write(world.path("archive"), &archive).unwrap();
    let curl = format!(
        "#!/bin/sh\nwhile [ \"$1\" != --output ]; do shift; done\ncp {} \"$2\"\nprintf %s \"$3\" > {}\n",
        world.path("archive").display(),
        world.path("url").display(),
    );
    world.program("bin/curl", &curl);
    let key = [("CONTROL_PLANE_API_KEY", KEY)];
    let folder = world.path(".local/share/workspace-mcp/tunnel-client/v0.0.11");

    let wrong = "0".repeat(64);
    let options = ["--tunnel-id", ID, "--download", "--sha256", &wrong];
    let output = world.tunnel(&options, &key);
    assert_eq!(output.status.code(), Some(1));
    assert!(said(&output).contains("the archive is not the expected one and was removed"));
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);

    let output = world.tunnel(&["--tunnel-id", ID, "--download"], &key);
    assert!(
        said(&output).contains("give the one that the publisher names"),
        "{}",
        said(&output)
    );

    let right = sha256(&archive);
    world.served(&["--tunnel-id", ID, "--download", "--sha256", &right]);
    assert!(
        world
            .text("url")
            .starts_with("https://github.com/openai/tunnel-client/releases/")
    );
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    // From now on it is there.
    fs::remove_file(world.path("bin/curl")).unwrap();
    world.served(&["--tunnel-id", ID]);
}
