//! Every kind of repository and change: the answers are those of plain git, byte for byte.

use std::os::unix::fs::PermissionsExt as _;

use workspace::git::DiffRequest;

use super::world::World;

#[test]
fn a_clean_repository() {
    let world = World::new();
    world.same();
    let status = world.status();
    assert_eq!((&*status.branch, status.entries.len()), ("main", 0));
}

#[test]
fn changed_staged_untracked_deleted_and_renamed_files() {
    let world = World::new();
    world.write("a.txt", "a.txt\nchanged\n");
    world.write("staged.txt", "new\n");
    world.plain(&["add", "staged.txt"]);
    world.write("staged.txt", "new\nand changed\n");
    world.write("untracked/deep/file", "x");
    world.plain(&["mv", "b.txt", "moved.txt"]);
    std::fs::remove_file(world.root().join("dir/c.txt")).unwrap();
    world.write(".gitignore", "*.log\n");
    world.write("x.log", "ignored");
    world.same();
}

#[test]
fn a_change_that_keeps_size_and_time() {
    let world = World::new();
    let path = world.root().join("a.txt");
    let time = std::fs::metadata(&path).unwrap().modified().unwrap();
    let content = std::fs::read_to_string(&path).unwrap();
    // Written within the tick of the index, the content alone tells.
    world.write("a.txt", content.replace("line 2", "LINE 2"));
    #[expect(clippy::disallowed_types, reason = "times are set on open files")]
    let open = |path: std::path::PathBuf| std::fs::File::open(path).unwrap();
    for path in [world.root().join(".git/index"), path] {
        open(path).set_modified(time).unwrap();
    }
    world.same();
}

#[test]
fn no_commit_yet() {
    let world = World::empty();
    world.plain(&["init", "-q", "-b", "main"]);
    world.same();
    world.write("first.txt", "x\n");
    world.plain(&["add", "first.txt"]);
    world.write("second.txt", "x\n");
    world.same();
    assert_eq!(world.status().branch, "No commits yet on main");
}

#[test]
fn a_detached_head() {
    let world = World::new();
    world.write("a.txt", "two\n");
    world.commit("second");
    world.plain(&["checkout", "-q", "HEAD^"]);
    world.write("b.txt", "x\n");
    world.same();
    assert_eq!(world.status().branch, "HEAD (no branch)");
}

fn with_conflict() -> World {
    let world = World::new();
    world.plain(&["checkout", "-q", "-b", "other"]);
    world.write("a.txt", "theirs\n");
    world.write("dir/c.txt", "theirs\n");
    std::fs::remove_file(world.root().join("b.txt")).unwrap();
    world.commit("theirs");
    world.plain(&["checkout", "-q", "main"]);
    world.write("a.txt", "ours\n");
    world.write("dir/c.txt", "ours\n");
    world.write("b.txt", "ours\n");
    world.commit("ours");
    let (merged, _) = world.try_plain(&world.root(), &["merge", "other"]);
    assert!(!merged);
    world
}

#[test]
fn a_merge_with_conflicts() {
    with_conflict().same();
}

#[test]
fn a_rebase_with_conflicts() {
    let world = with_conflict();
    world.plain(&["merge", "--abort"]);
    let (done, _) = world.try_plain(&world.root(), &["rebase", "other"]);
    assert!(!done);
    world.same();
}

#[test]
fn conflicts_below_the_root_of_a_workspace_have_its_paths() {
    let world = with_conflict();
    let folder = world.root().join("dir");
    let status = world.status_in(&folder, &[]).unwrap();
    assert_eq!(status.entries, ["AA c.txt".replace("AA", "UU")]);
    let diff = world
        .diff_in(&folder, &[], &DiffRequest::default())
        .unwrap();
    let start = "diff --cc c.txt\nindex ";
    assert!(diff.text.starts_with(start), "{}", diff.text);
    assert!(
        diff.text.contains("\n--- a/c.txt\n+++ b/c.txt\n@@@ "),
        "{}",
        diff.text
    );
    let staged = DiffRequest {
        staged: true,
        ..DiffRequest::default()
    };
    let staged = world.diff_in(&folder, &[], &staged).unwrap();
    assert_eq!(staged.text, "* Unmerged path c.txt");
    let stat = DiffRequest {
        stat: true,
        ..DiffRequest::default()
    };
    let stat = world.diff_in(&folder, &[], &stat).unwrap();
    assert!(stat.text.starts_with(" c.txt | Unmerged"), "{}", stat.text);
}

#[test]
fn upstream_ahead_behind_and_gone() {
    let world = World::new();
    let clone = world.path().join("clone");
    let url = world.root();
    let args = [
        "clone",
        "-q",
        url.to_str().unwrap(),
        clone.to_str().unwrap(),
    ];
    world.plain_in(&world.path(), &args);
    world.same_in(&clone);
    std::fs::write(clone.join("a.txt"), "mine\n").unwrap();
    world.plain_in(&clone, &["commit", "-qam", "mine"]);
    world.write("b.txt", "theirs\n");
    world.commit("theirs");
    world.plain_in(&clone, &["fetch", "-q"]);
    world.same_in(&clone);
    let status = world.status_in(&clone, &[]).unwrap();
    assert_eq!(status.branch, "main...origin/main [ahead 1, behind 1]");
    world.plain_in(&clone, &["update-ref", "-d", "refs/remotes/origin/main"]);
    world.same_in(&clone);
}

#[test]
fn packed_refs_and_a_shallow_clone() {
    let world = World::new();
    world.write("a.txt", "2\n");
    world.commit("second");
    world.plain(&["gc", "-q"]);
    world.same();
    let clone = world.path().join("shallow");
    let url = format!("file://{}", world.root().display());
    world.plain_in(
        &world.path(),
        &["clone", "-q", "--depth=1", &url, clone.to_str().unwrap()],
    );
    std::fs::write(clone.join("a.txt"), "mine\n").unwrap();
    world.plain_in(&clone, &["commit", "-qam", "mine"]);
    world.same_in(&clone);
}

#[test]
fn binary_mode_only_and_type_changes() {
    let world = World::new();
    world.write("bin", b"\0\x01\x02");
    world.write("link-to-be", "x");
    world.commit("more");
    world.write("bin", b"\0\x01\x03\xff");
    let path = world.root().join("a.txt");
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    std::fs::remove_file(world.root().join("link-to-be")).unwrap();
    std::os::unix::fs::symlink("a.txt", world.root().join("link-to-be")).unwrap();
    world.same();
    world.plain(&["config", "core.fileMode", "false"]);
    world.same();
}

#[test]
fn names_of_every_sort() {
    use std::os::unix::ffi::OsStrExt as _;
    let world = World::new();
    let names: [&[u8]; 11] = [
        b"with space",
        b"quote\"d",
        b"back\\slash",
        b"new\nline",
        b"tab\there",
        b"bell\x07\x0b\x0c\r\x7f\x1b",
        "größe".as_bytes(),
        "日本語".as_bytes(),
        b"not-utf8-\xff",
        b"-dash",
        b":(glob)*",
    ];
    for name in names {
        world.write(std::ffi::OsStr::from_bytes(name), "1\n");
    }
    world.same();
    world.plain(&["add", "-A"]);
    world.same();
    world.commit("names");
    for name in names {
        world.write(std::ffi::OsStr::from_bytes(name), "2\n");
    }
    world.same();
    world.plain(&["config", "core.quotePath", "false"]);
    std::fs::remove_file(world.root().join(std::ffi::OsStr::from_bytes(names[8]))).unwrap();
    world.commit("again");
    world.write("größe 2", "x");
    world.write("größe", "x");
    world.same();
}

#[test]
fn renames_are_shown_as_git_shows_them() {
    let world = World::new();
    world.plain(&["mv", "a.txt", "with space.txt"]);
    world.plain(&["mv", "dir/c.txt", "é.txt"]);
    world.write("with space.txt", "x");
    world.same();
    world.plain(&["config", "status.renames", "false"]);
    world.same();
}

#[test]
fn line_ends_and_attributes() {
    let world = World::new();
    world.write(
        ".gitattributes",
        "*.txt text=auto\n*.c diff=cpp\n*.dat -diff\n*.w working-tree-encoding=UTF-16\n",
    );
    world.write(
        "code.c",
        "int f()\n{\n  int a;\n  int b;\n  int c;\n  int d;\n  return 1;\n}\n",
    );
    world.write("x.dat", "1\n");
    world.commit("attributes");
    world.write("a.txt", "one\r\ntwo\r\n");
    world.write(
        "code.c",
        "int f()\n{\n  int a;\n  int b;\n  int c;\n  int d;\n  return 2;\n}\n",
    );
    world.write("x.dat", "2\n");
    world.same();
    world.plain(&["config", "core.autocrlf", "true"]);
    world.same();
}

#[test]
fn settings_of_the_user_and_of_the_repository() {
    let world = World::new();
    let home = world.path().join("home");
    std::fs::write(home.join("ignored"), "*.mine\n").unwrap();
    std::fs::write(home.join("more"), "[diff]\n\tcontext = 1\n").unwrap();
    std::fs::write(
        home.join(".gitconfig"),
        "[core]\n\texcludesFile = ~/ignored\n[diff]\n\tmnemonicPrefix\n\
         [include]\n\tpath = more\n[includeIf \"gitdir:**/repo/\"]\n\tpath = ~/here\n",
    )
    .unwrap();
    std::fs::write(
        home.join("here"),
        "[diff] algorithm = patience\n[status] showUntrackedFiles = all\n",
    )
    .unwrap();
    world.write("x.mine", "x");
    world.write("new/x", "x");
    world.write("a.txt", "changed\n");
    world.same();
    world.plain(&["config", "status.showUntrackedFiles", "no"]);
    world.plain(&["config", "core.abbrev", "12"]);
    world.plain(&["config", "diff.noprefix", "true"]);
    world.same();
    std::fs::write(world.root().join(".git/info/exclude"), "y.*\n").unwrap();
    world.write("y.x", "x");
    world.plain(&["config", "--unset", "status.showUntrackedFiles"]);
    world.same();
}

#[test]
fn other_formats_of_the_repository() {
    for options in [&["--object-format=sha256"][..], &["--ref-format=reftable"]] {
        let probe = World::empty();
        let args = [&["init", "-q"], options].concat();
        // An older git does not know the format, and then neither need we.
        if !probe.try_plain(&probe.root(), &args).0 {
            continue;
        }
        let world = World::with(options);
        world.write("a.txt", "changed\n");
        world.write("new", "x\n");
        world.plain(&["add", "new"]);
        world.same();
        world.plain(&["checkout", "-q", "--detach"]);
        world.same();
        let linked = world.path().join("linked");
        world.plain(&[
            "worktree",
            "add",
            "-q",
            "-b",
            "side",
            linked.to_str().unwrap(),
        ]);
        std::fs::write(linked.join("a.txt"), "side\n").unwrap();
        world.same_in(&linked);
        assert_eq!(world.status_in(&linked, &[]).unwrap().branch, "side");
    }
}

#[test]
fn extensions_and_forms_of_the_index() {
    let world = World::new();
    world.plain(&["config", "core.repositoryFormatVersion", "1"]);
    world.plain(&["config", "extensions.partialClone", "origin"]);
    world.plain(&["config", "remote.origin.promisor", "true"]);
    world.write("a.txt", "changed\n");
    world.same();
    for version in ["4", "3", "2"] {
        world.plain(&["update-index", "--index-version", version]);
        world.write("dir/new.txt", version);
        world.plain(&["add", "-N", "dir/new.txt"]);
        world.same();
    }
    world.plain(&["update-index", "--split-index"]);
    world.write("b.txt", "after\n");
    world.plain(&["add", "b.txt"]);
    world.same();
    world.plain(&["update-index", "--no-split-index", "--untracked-cache"]);
    world.write("untracked", "x");
    world.same();
}

#[test]
fn a_sparse_checkout() {
    let world = World::new();
    world.plain(&[
        "sparse-checkout",
        "set",
        "--cone",
        "--sparse-index",
        "other",
    ]);
    world.write("a.txt", "changed\n");
    assert!(!world.root().join("dir").exists());
    world.same();
}

#[test]
fn a_linked_worktree() {
    let world = World::new();
    let linked = world.path().join("linked");
    world.plain(&[
        "worktree",
        "add",
        "-q",
        "-b",
        "side",
        linked.to_str().unwrap(),
    ]);
    std::fs::write(linked.join("a.txt"), "side\n").unwrap();
    world.same_in(&linked);
    assert_eq!(world.status_in(&linked, &[]).unwrap().branch, "side");
    let inside = world.root().join("inside");
    world.plain(&[
        "worktree",
        "add",
        "-q",
        "-b",
        "in",
        inside.to_str().unwrap(),
    ]);
    std::fs::write(inside.join("b.txt"), "in\n").unwrap();
    world.same_in(&inside);
}
