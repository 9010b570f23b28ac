//! What the git tools say.

use std::path::Path;
use std::process::Command;

use serde_json::json;

use crate::client::{Client, folder, shown};

/// Runs git as a person would who has no settings.
fn git(root: &Path, args: &[&str]) {
    let status = Command::new("git")
        .args(["-c", "user.name=n", "-c", "user.email=e"])
        .args(args)
        .current_dir(root)
        .env("HOME", root)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .status()
        .unwrap();
    assert!(status.success(), "git {args:?}");
}

#[test]
fn status_and_difference_read_as_git_writes_them() {
    let folder = folder(&[("a.txt", "one\n"), ("sub/b.txt", "two\n")]);
    let root = folder.path();
    git(root, &["init", "-q", "-b", "main"]);
    let mut client = Client::start(root, &[]);
    assert_eq!(
        client.call("git_status", json!({})),
        "branch: No commits yet on main\n\n?? a.txt\n?? sub/"
    );
    git(root, &["add", "."]);
    git(root, &["commit", "-q", "-m", "first"]);
    assert_eq!(
        client.call("git_status", json!({})),
        "branch: main\n\nworking tree clean"
    );
    assert_eq!(client.call("git_diff", json!({})), "(no changes)");
    std::fs::write(root.join("sub/b.txt"), "three\n").unwrap();
    let hunk = "@@ -1 +1 @@\n-two\n+three";
    let diff = client.call("git_diff", json!({"path": "sub"}));
    assert!(
        diff.starts_with("diff --git a/sub/b.txt b/sub/b.txt\n"),
        "{diff}"
    );
    assert!(diff.ends_with(hunk), "{diff}");
    assert_eq!(
        client.call("git_diff", json!({"staged": true})),
        "(no changes)"
    );
    assert_eq!(
        client.call("git_diff", json!({"stat": true, "path": "--output=x"})),
        "(no changes)"
    );
    git(root, &["add", "."]);
    assert_eq!(
        client.call("git_diff", json!({"staged": true, "stat": true})),
        " sub/b.txt | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)"
    );
    std::fs::write(root.join(".gitattributes"), "*.bin filter=lfs\n").unwrap();
    assert_eq!(
        client.call("git_status", json!({})),
        "branch: main\n\nM  sub/b.txt\n?? .gitattributes\n(filters are not run)"
    );
    let mut client = Client::start(&root.join("sub"), &[]);
    assert_eq!(
        client.call("git_status", json!({})),
        "branch: main (limited to sub/)\n\nM  b.txt\n(filters are not run)"
    );
}

#[test]
fn outside_of_a_repository_the_root_is_named() {
    let folder = folder(&[("a.txt", "one\n")]);
    let mut client = Client::start(folder.path(), &[]);
    let wanted = format!("error: not a git repository: {}", shown(folder.path()));
    assert_eq!(client.call("git_status", json!({})), wanted);
    assert_eq!(client.call("git_diff", json!({})), wanted);
}
