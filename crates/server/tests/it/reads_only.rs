//! Tools that read leave the folder as it was, and run nothing that the folder names.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::SystemTime;

use serde_json::json;
use tempfile::TempDir;

use crate::client::{Client, folder};

/// What an entry is: its content if it is a file, and when it was last changed.
type Entry = (Option<Vec<u8>>, SystemTime);

/// A repository that would make `ran` if anything of its configuration was carried out.
fn trap() -> TempDir {
    let hook = "#!/bin/sh\n: > ran\n";
    folder(&[
        (
            ".git/config",
            "[core]\n\trepositoryformatversion = 0\n\tfsmonitor = : > ran\n\thooksPath = .git/hooks\n\
             \tpager = : > ran\n[diff \"trap\"]\n\ttextconv = : > ran;\n\tcommand = : > ran;\n\
             [filter \"trap\"]\n\tclean = : > ran\n\tsmudge = : > ran\n",
        ),
        (".git/HEAD", "ref: refs/heads/main\n"),
        (".git/hooks/post-checkout", hook),
        (".git/hooks/fsmonitor-watchman", hook),
        (".gitattributes", "* filter=trap diff=trap\n"),
        (".gitignore", "build/\n"),
        ("build/out.txt", "needle\n"),
        ("src/a.txt", "one\nneedle\nthree\n"),
        ("src/b.bin", "\0needle"),
    ])
}

fn entries(folder: &Path) -> BTreeMap<String, Entry> {
    let mut found = BTreeMap::new();
    collect(folder, "", &mut found);
    found
}

fn collect(folder: &Path, prefix: &str, found: &mut BTreeMap<String, Entry>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let path = format!("{prefix}/{}", entry.file_name().to_string_lossy());
        let meta = entry.metadata().unwrap();
        let content = meta.is_file().then(|| std::fs::read(entry.path()).unwrap());
        if meta.is_dir() {
            collect(&entry.path(), &path, found);
        }
        found.insert(path, (content, meta.modified().unwrap()));
    }
}

#[test]
fn tools_that_read_change_nothing_and_run_nothing() {
    let folder = trap();
    let before = entries(folder.path());
    let mut client = Client::start(folder.path(), &[]);
    for (tool, arguments) in [
        ("workspace_list", json!({})),
        ("read_file", json!({"path": "src/a.txt", "withHash": true})),
        ("read_file", json!({"path": ".git/config"})),
        (
            "list_files",
            json!({"includeIgnored": true, "includeBinary": true}),
        ),
        ("list_files", json!({"path": ".git"})),
        ("grep", json!({"pattern": "needle"})),
        (
            "grep",
            json!({"pattern": "(?<=n)eedle", "includeIgnored": true, "context": 2}),
        ),
        ("grep", json!({"pattern": "ran", "path": ".git/hooks"})),
        ("work_log", json!({})),
        ("recall", json!({})),
    ] {
        let answer = client.call(tool, arguments);
        assert!(!answer.starts_with("error: "), "{tool}: {answer}");
    }
    let (code, _) = client.finish();
    assert_eq!(code, Some(0));
    assert_eq!(entries(folder.path()), before);
}

#[test]
fn a_server_that_may_only_read_makes_no_state() {
    let folder = trap();
    let before = entries(folder.path());
    let mut client = Client::start(folder.path(), &["--read-only"]);
    for tool in ["write_file", "edit_file", "patch", "remember"] {
        let params = json!({"name": tool, "arguments": {"path": "src/a.txt", "content": "x"}});
        let answer = client.request("tools/call", params);
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
    }
    drop(client.finish());
    assert_eq!(entries(folder.path()), before);
}
