//! Paths, links and arguments that try to leave the root, held against what they brought about: no
//! answer has a byte from outside, and nothing outside changes.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::{Client, folder};

/// Is in every file that must not be read, and in no call.
const SECRET: &str = "7f3a";
/// The content of every file that must not be read or written.
const KEPT: &str = "the key is 7f3a\n";
/// What a call to a folder outside would name.
const NAMES: [&str; 2] = ["kept-only-here", "kept.txt"];

/// Every tool that takes a path, with this one, in every way that takes one.
pub fn every_call(path: &str) -> Vec<(&'static str, Value)> {
    let edit = json!({"path": path, "oldString": "the key", "newString": "gone"});
    let fine = json!({"path": "a.txt", "oldString": "plain", "newString": "patched"});
    vec![
        ("read_file", json!({"path": path, "withHash": true})),
        ("write_file", json!({"path": path, "content": "gone"})),
        (
            "write_file",
            json!({"path": path, "content": "gone", "append": true}),
        ),
        ("edit_file", edit.clone()),
        ("patch", json!({"edits": [fine, edit]})),
        (
            "grep",
            json!({"pattern": "7f.a|the", "path": path, "includeIgnored": true}),
        ),
        (
            "list_files",
            json!({"path": path, "includeIgnored": true, "includeBinary": true}),
        ),
    ]
}

/// Everything beneath a folder: files with their content and inode, links with their targets.
fn state_of(folder: &Path) -> BTreeMap<PathBuf, (u64, Vec<u8>)> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let (path, meta) = (entry.path(), entry.metadata().unwrap());
        let content = if meta.is_dir() {
            found.extend(state_of(&path));
            Vec::new()
        } else if meta.is_file() {
            fs::read(&path).unwrap()
        } else {
            fs::read_link(&path).map_or(Vec::new(), |target| {
                target.into_os_string().into_encoded_bytes()
            })
        };
        found.insert(path, (meta.ino(), content));
    }
    found
}

/// A root `w` with a few files, and folders beside it that hold what must be kept.
struct World {
    temp: TempDir,
    before: Vec<BTreeMap<PathBuf, (u64, Vec<u8>)>>,
}

const BESIDE: [&str; 4] = ["w2", "w-x", "W", "out"];

impl World {
    fn new() -> Self {
        let temp = folder(&[("w/a.txt", "plain\n"), ("w/d/e/b.txt", "plain\n")]);
        for beside in BESIDE {
            let dir = temp.path().join(beside);
            fs::create_dir_all(dir.join("sub")).unwrap();
            for name in ["kept.txt", "kept-only-here", "sub/kept.txt", "log"] {
                fs::write(dir.join(name), KEPT).unwrap();
            }
        }
        let mut world = Self {
            temp,
            before: Vec::new(),
        };
        world.before = world.outside();
        world
    }

    fn root(&self) -> PathBuf {
        self.temp.path().join("w")
    }

    fn beside(&self, path: &str) -> PathBuf {
        self.temp.path().join(path)
    }

    fn outside(&self) -> Vec<BTreeMap<PathBuf, (u64, Vec<u8>)>> {
        BESIDE
            .iter()
            .map(|name| state_of(&self.beside(name)))
            .collect()
    }

    fn link(&self, target: impl AsRef<Path>, name: &str) {
        symlink(target, self.root().join(name)).unwrap();
    }

    /// Makes every call with a path: each must be refused, and have no effect and tell nothing.
    fn refuses(&self, client: &mut Client, path: &str) {
        for (tool, arguments) in every_call(path) {
            let answer = client.call(tool, arguments.clone());
            let about = format!("{tool} {arguments}: {answer}");
            assert!(answer.starts_with("error: "), "{about}");
            self.unharmed(&answer, &about);
        }
    }

    fn unharmed(&self, answer: &str, about: &str) {
        assert!(!answer.contains(SECRET), "{about}");
        assert!(!answer.contains("internal error"), "{about}");
        assert_eq!(self.outside(), self.before, "{about}");
        let entries = fs::read_dir(self.temp.path()).unwrap().count();
        assert_eq!(entries, BESIDE.len() + 1, "{about}");
        let inside = fs::read_to_string(self.root().join("a.txt")).unwrap();
        assert_eq!(inside, "plain\n", "{about}");
    }
}

#[test]
fn paths_out_of_the_root_are_refused() {
    let world = World::new();
    let mut client = Client::start(&world.root(), &[]);
    let root = world.root().canonicalize().unwrap();
    let root = root.to_str().unwrap();
    let mut paths = vec![
        "..".to_owned(),
        "../w2".to_owned(),
        "d/../..".to_owned(),
        "/".to_owned(),
        "/etc/passwd".to_owned(),
        "//etc/passwd".to_owned(),
        "~/kept.txt".replace('~', ".."),
        format!("{root}/.."),
        format!("{root}/../out/kept.txt"),
        format!("{root}2/kept.txt"),
        format!("{root}-x/kept.txt"),
        format!("{root}/d/../../w2/kept.txt"),
        format!("/proc/self/cwd/../out/kept.txt"),
        format!("/proc/self/root{root}/../out/kept.txt"),
    ];
    for beside in BESIDE {
        for inner in ["kept.txt", "sub/kept.txt", "new.txt", "new/new.txt"] {
            paths.push(format!("../{beside}/{inner}"));
            paths.push(format!("d/e/../../../{beside}/{inner}"));
            paths.push(format!("{root}/../{beside}/{inner}"));
        }
    }
    for path in paths {
        world.refuses(&mut client, &path);
    }
}

#[test]
fn links_out_of_the_root_are_refused_by_every_tool() {
    let world = World::new();
    // The server runs when they are made, as for links that a command makes.
    let mut client = Client::start(&world.root(), &[]);
    client.call("write_file", json!({"path": "made", "content": ""}));
    world.link("../out/kept.txt", "file");
    world.link("../out", "folder");
    world.link(world.beside("out"), "absolute");
    world.link(world.beside("out/kept.txt"), "d/absolute-file");
    world.link("../../out", "d/deeper");
    world.link("chain-2", "chain-1");
    world.link("chain-3", "chain-2");
    world.link("../out/kept.txt", "chain-3");
    world.link("../out/new.txt", "dangling");
    world.link("dangling", "to-dangling");
    world.link("../out/new/new.txt", "dangling-deep");
    world.link("../w/a.txt", "up-and-back");
    world.link("..", "parent");
    world.link("d/../../out/kept.txt", "through-parts");
    world.link("/proc/self/cwd/../out/kept.txt", "by-process");
    world.link("/etc/passwd", "passwd");
    for path in [
        "file",
        "folder",
        "folder/kept.txt",
        "folder/sub/kept.txt",
        "folder/new.txt",
        "folder/new/new.txt",
        "absolute/kept.txt",
        "absolute/new.txt",
        "d/absolute-file",
        "d/deeper/kept.txt",
        "d/deeper/new.txt",
        "chain-1",
        "dangling",
        "to-dangling",
        "dangling-deep",
        "up-and-back",
        "parent/out/kept.txt",
        "parent/w/a.txt",
        "parent/new.txt",
        "through-parts",
        "by-process",
        "passwd",
        "folder/../a.txt/../../out/kept.txt",
    ] {
        world.refuses(&mut client, path);
    }
    for (tool, arguments) in [
        ("grep", json!({"pattern": "7f.a", "includeIgnored": true})),
        ("grep", json!({"pattern": "key", "path": "d"})),
        ("list_files", json!({"includeIgnored": true})),
        ("list_files", json!({"path": "d"})),
    ] {
        let answer = client.call(tool, arguments);
        world.unharmed(&answer, tool);
        assert!(NAMES.iter().all(|name| !answer.contains(name)), "{answer}");
    }
}

#[test]
fn links_that_stay_inside_work() {
    let world = World::new();
    world.link("a.txt", "file");
    world.link("d/e", "folder");
    world.link(
        world.root().canonicalize().unwrap().join("a.txt"),
        "absolute",
    );
    world.link("d/new.txt", "dangling");
    world.link("folder/../e/b.txt", "d/winding");
    let mut client = Client::start(&world.root(), &[]);
    let mut read = |path: &str| client.call("read_file", json!({"path": path}));
    assert_eq!(read("file"), "1: plain");
    assert_eq!(read("absolute"), "1: plain");
    assert_eq!(read("folder/b.txt"), "1: plain");
    assert_eq!(read("dangling"), "error: file not found: dangling");
    let mut write =
        |path: &str| client.call("write_file", json!({"path": path, "content": "new\n"}));
    assert_eq!(write("dangling"), "Created d/new.txt (4 bytes)");
    assert_eq!(write("folder/b.txt"), "Updated d/e/b.txt (4 bytes)");
    assert_eq!(write("folder/c.txt"), "Created d/e/c.txt (4 bytes)");
    assert_eq!(write("file"), "Updated a.txt (4 bytes)");
    for link in ["file", "folder", "absolute", "dangling"] {
        let meta = fs::symlink_metadata(world.root().join(link)).unwrap();
        assert!(meta.is_symlink(), "{link} was replaced");
    }
}

#[test]
fn a_patch_is_refused_as_a_write_is() {
    let world = World::new();
    world.link("../out/kept.txt", "file");
    let mut client = Client::start(&world.root(), &[]);
    let absolute = world.beside("out/kept.txt");
    for path in [
        "../out/kept.txt",
        "file",
        absolute.to_str().unwrap(),
        ".git/config",
    ] {
        let written = client.call("write_file", json!({"path": path, "content": "gone"}));
        let edit = json!({"path": path, "oldString": "key", "newString": "gone"});
        let patched = client.call("patch", json!({"edits": [edit]}));
        let reason = written.strip_prefix("error: ").unwrap();
        assert_eq!(patched, format!("error: edit[0] failed: {reason}"));
        world.unharmed(&patched, path);
    }
}

#[test]
fn no_argument_widens_a_root() {
    let world = World::new();
    let outside = world.beside("out");
    let outside = outside.to_str().unwrap();
    let root = world.root();
    let both = format!("other={}", world.beside("w2").display());
    let mut client = Client::start(
        &root,
        &[
            "--root",
            ".",
            "--workspace",
            &both,
            "--read-only-path",
            "**",
        ],
    );
    for name in [
        outside,
        "../out",
        "",
        "Default",
        "default/../../out",
        "other/..",
        "/",
        "*",
    ] {
        for (tool, mut arguments) in every_call("kept.txt") {
            arguments["workspace"] = json!(name);
            let answer = client.call(tool, arguments);
            assert!(answer.starts_with("error: unknown workspace"), "{answer}");
            world.unharmed(&answer, tool);
        }
    }
    for key in ["root", "cwd", "workspaceRoot", "roots", "base", "dir"] {
        for (tool, mut arguments) in every_call("kept.txt") {
            arguments[key] = json!(outside);
            let answer = client.call(tool, arguments);
            assert!(answer.starts_with("error: "), "{answer}");
            assert!(
                answer.ends_with(&format!("(ignored argument: {key})")),
                "{answer}"
            );
            world.unharmed(&answer, tool);
        }
    }
    // Each workspace ends where the other begins, also by its own name.
    let other = world.beside("w2/kept.txt");
    for (tool, mut arguments) in every_call(other.to_str().unwrap()) {
        arguments["workspace"] = json!("default");
        let answer = client.call(tool, arguments);
        assert!(answer.starts_with("error: "), "{tool}: {answer}");
        world.unharmed(&answer, tool);
    }
    let arguments = json!({"path": "kept.txt", "workspace": "other"});
    assert_eq!(
        client.call("read_file", arguments),
        format!("1: {}", KEPT.trim_end())
    );
}

#[test]
fn what_is_denied_is_denied_by_every_name() {
    let world = World::new();
    let at = |path: &str| world.root().join(path);
    for dir in ["secrets/deep", "sichtbar", "gehe\u{301}im", "SECRETS"] {
        fs::create_dir_all(at(dir)).unwrap();
    }
    for file in [
        "secrets/k.txt",
        "secrets/deep/k.txt",
        "SECRETS/k.txt",
        "gehe\u{301}im/k.txt",
        "sichtbar/my.key",
        "sichtbar/MY.KEY",
    ] {
        fs::write(at(file), KEPT).unwrap();
    }
    fs::hard_link(at("secrets/k.txt"), at("hard.txt")).unwrap();
    world.link("secrets/k.txt", "link");
    world.link("secrets", "folder");
    world.link("folder/deep", "chain");
    world.link("../secrets/new.txt", "sichtbar/dangling");
    let before = state_of(&at("secrets"));
    let deny = ["secrets/**", "*.key", "geh\u{e9}im/**"];
    let options: Vec<&str> = deny
        .iter()
        .flat_map(|glob| ["--deny-path", *glob])
        .collect();
    let mut client = Client::start(&world.root(), &options);
    for path in [
        "secrets",
        "secrets/k.txt",
        "secrets/deep/k.txt",
        "secrets/./k.txt",
        "./secrets//k.txt",
        "d/../secrets/k.txt",
        "SECRETS/k.txt",
        "Secrets/k.txt",
        "secrets/gone.txt",
        "geh\u{e9}im/k.txt",
        "gehe\u{301}im/k.txt",
        "link",
        "folder",
        "folder/k.txt",
        "folder/new.txt",
        "chain/k.txt",
        "hard.txt",
        "sichtbar/my.key",
        "sichtbar/MY.KEY",
        "sichtbar/dangling",
        at("secrets/k.txt")
            .canonicalize()
            .unwrap()
            .to_str()
            .unwrap(),
    ] {
        for (tool, arguments) in every_call(path) {
            let answer = client.call(tool, arguments);
            let about = format!("{tool} {path}: {answer}");
            // A folder is not listed, a file not searched, and the other way round nothing is said.
            world.unharmed(&answer, &about);
            assert!(answer.starts_with("error: ") || tool == "grep", "{about}");
        }
    }
    for (tool, arguments) in [
        ("grep", json!({"pattern": "7f.a", "includeIgnored": true})),
        (
            "list_files",
            json!({"includeIgnored": true, "includeBinary": true}),
        ),
    ] {
        let answer = client.call(tool, arguments);
        world.unharmed(&answer, tool);
        for hidden in ["ecrets", "SECRETS", "k.txt", ".key", "KEY", "geh"] {
            assert!(!answer.contains(hidden), "{answer}");
        }
    }
    assert_eq!(state_of(&at("secrets")), before);
}

#[test]
fn what_is_closed_to_writing_is_closed_by_every_name() {
    let world = World::new();
    let at = |path: &str| world.root().join(path);
    fs::create_dir(at("docs")).unwrap();
    fs::write(at("docs/k.txt"), KEPT).unwrap();
    fs::hard_link(at("docs/k.txt"), at("hard.txt")).unwrap();
    world.link("docs/k.txt", "link");
    world.link("docs", "folder");
    let before = state_of(&at("docs"));
    let mut client = Client::start(&world.root(), &["--read-only-path", "docs/**"]);
    for path in [
        "docs/k.txt",
        "docs/new/x",
        "link",
        "folder/k.txt",
        "folder/new",
        "DOCS/k.txt",
        "hard.txt",
    ] {
        for (tool, arguments) in every_call(path) {
            let answer = client.call(tool, arguments);
            let about = format!("{tool} {path}: {answer}");
            assert_eq!(state_of(&at("docs")), before, "{about}");
        }
    }
}

#[test]
fn planted_names_are_not_followed() {
    for planted in [
        ".workspace-mcp",
        ".workspace-mcp/tx",
        ".workspace-mcp/lock",
        ".workspace-mcp/.gitignore",
        ".workspace-mcp/journal.jsonl",
        ".workspace-mcp-tmp-0",
        "a.txt.tmp",
        ".a.txt.tmp",
        "a.txt~",
        ".a.txt.swp",
    ] {
        for target in ["../out", "../out/log", "../out/new"] {
            let world = World::new();
            let path = world.root().join(planted);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            symlink(world.root().join(target), path).unwrap();
            let mut client = Client::start(&world.root(), &[]);
            for (tool, arguments) in every_call("d/e/b.txt") {
                let answer = client.call(tool, arguments);
                world.unharmed(&answer, &format!("{tool} beside {planted}: {answer}"));
            }
            client.call("write_file", json!({"path": "new.txt", "content": "new"}));
            assert_eq!(client.finish().0, Some(0));
            world.unharmed("", planted);
        }
    }
}

#[test]
fn state_is_for_its_owner_only() {
    let world = World::new();
    let mut client = Client::start(&world.root(), &[]);
    client.call("write_file", json!({"path": "new.txt", "content": "new"}));
    let state = world.root().join(".workspace-mcp");
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&state), 0o700);
    for path in state_of(&state).keys() {
        let wanted = if path.is_dir() { 0o700 } else { 0o600 };
        // It is read by git as anybody, and says nothing.
        if !path.ends_with(".gitignore") {
            assert_eq!(mode(path), wanted, "{path:?}");
        }
    }
}

#[test]
fn a_hard_link_to_the_outside_is_parted_from_it() {
    let world = World::new();
    let mut client = Client::start(&world.root(), &[]);
    let inside = world.root().join("h.txt");
    for (tool, arguments) in every_call("h.txt") {
        let _ = fs::remove_file(&inside);
        fs::hard_link(world.beside("out/kept.txt"), &inside).unwrap();
        let answer = client.call(tool, arguments);
        assert_eq!(world.outside(), world.before, "{tool}: {answer}");
        fs::write(world.root().join("a.txt"), "plain\n").unwrap();
        let parted = " (was hard-linked; other names keep the old content)";
        let writes = matches!(tool, "write_file" | "edit_file" | "patch");
        assert_eq!(answer.contains(parted), writes, "{tool}: {answer}");
    }
    assert_eq!(
        fs::read_to_string(world.beside("out/kept.txt")).unwrap(),
        KEPT
    );
}

#[test]
fn a_hard_link_in_a_closed_folder_is_not_written_through() {
    use std::os::unix::fs::chown;
    use std::os::unix::process::CommandExt as _;

    let world = World::new();
    let mut command = crate::client::program(&world.root(), &[]);
    // Root may write anywhere, so as root the server runs as somebody else.
    let nobody = 65_534;
    let closed = world.root().join("d/e");
    fs::hard_link(world.beside("out/log"), closed.join("h.txt")).unwrap();
    let mut all = vec![world.temp.path().to_path_buf(), world.root()];
    all.extend(state_of(&world.root()).into_keys());
    if all
        .iter()
        .all(|path| chown(path, Some(nobody), Some(nobody)).is_ok())
    {
        command.uid(nobody).gid(nobody);
    }
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o555)).unwrap();
    let mut client = Client::start_with(&mut command);
    for (tool, arguments) in every_call("d/e/h.txt") {
        if matches!(tool, "write_file" | "edit_file" | "patch") {
            let answer = client.call(tool, arguments);
            assert!(
                answer.contains("permission denied: d/e/h.txt"),
                "{tool}: {answer}"
            );
            world.unharmed(&answer, tool);
        }
    }
    let arguments = json!({"path": "d/e/b.txt", "content": "new\n"});
    assert_eq!(
        client.call("write_file", arguments),
        "Updated d/e/b.txt (4 bytes) (written in place: folder is not writable)"
    );
    drop(client);
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o755)).unwrap();
}
