//! Repositories that are not ours, and ours with something planted in them.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use rooted::{Mode, Root};
use workspace::Cancel;
use workspace::checkpoint::{DiffRequest, Error, Repository};
use workspace::lock::Lock;
use workspace::state::State;

use super::world::{World, options, rel};

/// Every file below a folder and what is in it.
fn snapshot(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.ends_with(".workspace-mcp") {
            continue;
        }
        let meta = fs::symlink_metadata(&path).unwrap();
        if meta.is_dir() {
            found.extend(snapshot(&path));
        }
        let content = if meta.is_file() {
            fs::read(&path).unwrap()
        } else {
            Vec::new()
        };
        found.insert(path, content);
    }
    found
}

#[track_caller]
fn refused(world: &World, why: &str) {
    let before = snapshot(&world.root());
    match world.try_open() {
        Err(Error::Foreign(found)) => assert_eq!(found, why),
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("it was opened: {why}"),
    }
    assert_eq!(snapshot(&world.root()), before);
}

#[test]
fn repositories_of_others_are_refused() {
    let world = World::with(&["a"]);
    world.git(&["init", "-q"]);
    refused(
        &world,
        "it was not made by this server; serve a copy without `.git`",
    );
    world.git(&[
        "config",
        "safe-workspace-mcp.managed-repository-format",
        "2",
    ]);
    refused(&world, "its format is not known");
    world.git(&[
        "config",
        "safe-workspace-mcp.managed-repository-format",
        "1",
    ]);
    world.git(&["remote", "add", "origin", "https://example.com/x.git"]);
    refused(&world, "it has remotes");
    world.git(&["remote", "remove", "origin"]);
    world.git(&["config", "core.worktree", "/"]);
    refused(&world, "it is set up in a way that is not known");
    world.git(&["config", "--unset", "core.worktree"]);
    world.git(&["config", "extensions.partialClone", "origin"]);
    refused(&world, "it is set up in a way that is not known");
    world.git(&["config", "--unset", "extensions.partialClone"]);
    world.write(".git/objects/info/alternates", "/elsewhere\n");
    refused(&world, "it takes objects from another repository");
    world.remove(".git/objects/info/alternates");
    let config = world.read(".git/config");
    world.write(".git/config", format!("{config}[broken\n"));
    refused(&world, "its configuration cannot be read");
    world.remove(".git/config");
    refused(&world, "it has no configuration");
    symlink(world.path("a"), world.path(".git/config")).unwrap();
    refused(&world, "its configuration cannot be read");
    world.remove(".git/config");
    world.write(".git/config", config);
    fs::rename(world.path(".git/refs"), world.path(".git/refs2")).unwrap();
    refused(&world, "parts of it are missing");
    world.remove(".git");
    world.write(".git", "gitdir: elsewhere\n");
    refused(&world, "`.git` is not a folder");
    world.remove(".git");
    symlink(world.path("elsewhere"), world.path(".git")).unwrap();
    refused(&world, "`.git` is not a folder");
    world.remove(".git");
    fs::create_dir(world.path(".git")).unwrap();
    refused(&world, "it has no configuration");
}

#[test]
fn a_repository_as_another_server_of_this_kind_makes_it_is_opened() {
    let world = World::with(&["a", "dir/b", ".gitignore"]);
    world.git(&["init", "-q", "-b", "master"]);
    world.git(&["config", "core.autocrlf", "false"]);
    world.git(&[
        "config",
        "safe-workspace-mcp.managed-repository-format",
        "1",
    ]);
    world.git(&["add", "-A"]);
    world.git(&["commit", "-q", "-m", "initial snapshot"]);
    let open = world.open();
    assert_eq!(open.initial, None);
    // Its ignore rules had a say there.
    assert_eq!(open.status(), ["A .gitignore"]);
    world.write("c", "new");
    open.commit("post-change checkpoint");
    assert_eq!(
        open.messages(),
        ["post-change checkpoint", "initial snapshot"]
    );
    world.git(&["pack-refs", "--all"]);
    world.git(&["commit", "-q", "--allow-empty", "-m", "by hand"]);
    world.git(&["pack-refs", "--all", "--prune"]);
    open.commit("next");
    assert_eq!(open.messages()[..2], ["next", "by hand"]);
    world.git(&["checkout", "-q", "--detach"]);
    open.commit("detached");
    assert_eq!(world.git(&["log", "-1", "--format=%s"]), "detached\n");
    world.fsck();
}

#[test]
fn a_first_start_that_fails_leaves_nothing() {
    let world = World::with(&["a"]);
    let before = snapshot(&world.root());
    let root = Root::open(&world.root(), Mode::NO_LINKS).unwrap();
    let lock = Lock::new(State::inside(), std::sync::Arc::default());
    let cancel = Cancel::never();
    let guard = lock.acquire(&root, &cancel).unwrap();
    cancel.cancel();
    let done = Repository::open_or_init(&root, options(), &guard, &cancel);
    assert!(done.is_err());
    assert_eq!(snapshot(&world.root()), before);
}

#[test]
fn nothing_planted_is_run_or_heard() {
    let world = World::with(&["a.txt", "dir/b.txt"]);
    let open = world.open();
    let marker = world.path("../ran");
    let script = format!("#!/bin/sh\necho ran >> '{}'\ncat\n", marker.display());
    let program = world.path("../program");
    fs::write(&program, &script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let program = program.display().to_string();
    for hook in [
        "pre-commit",
        "post-commit",
        "commit-msg",
        "post-index-change",
        "reference-transaction",
        "pre-auto-gc",
    ] {
        let path = format!(".git/hooks/{hook}");
        world.write(&path, &script);
        fs::set_permissions(world.path(&path), fs::Permissions::from_mode(0o755)).unwrap();
    }
    for key in [
        "core.fsmonitor",
        "core.pager",
        "core.editor",
        "diff.external",
        "diff.evil.textconv",
        "diff.evil.command",
        "filter.evil.clean",
        "filter.evil.smudge",
        "filter.evil.process",
        "gpg.program",
        "credential.helper",
        "alias.commit",
        "core.hooksPath",
    ] {
        world.git(&["config", key, &program]);
    }
    world.git(&["config", "core.autocrlf", "true"]);
    world.git(&["config", "commit.gpgSign", "true"]);
    world.git(&["config", "include.path", "/nowhere/config"]);
    world.write(
        ".git/info/attributes",
        "* filter=evil diff=evil text eol=crlf\n",
    );
    world.write(
        ".gitattributes",
        "* filter=evil diff=evil text eol=crlf ident\n",
    );
    world.write(".gitignore", "*\n");
    world.write("a.txt", "one\ntwo\r\n");
    let again = world.open();
    for open in [&open, &again] {
        assert!(open.status().contains(&"M a.txt".to_owned()));
        let diff = open
            .repository
            .diff(&DiffRequest::default(), &Cancel::never())
            .unwrap();
        assert!(diff.text.contains("+two\r\n"));
    }
    let id = open.commit("next");
    let guard = open.guard();
    open.repository
        .prune(Some(1), &guard, &Cancel::never())
        .unwrap();
    let saved = again.repository.file(id, &rel("a.txt")).unwrap().unwrap();
    assert_eq!(
        again.repository.content(saved.blob).unwrap(),
        b"one\ntwo\r\n"
    );
    assert!(!marker.exists());
}

#[test]
fn what_is_put_in_the_place_of_the_repository_leads_nowhere() {
    let outside = World::with(&["secret"]);
    outside.open();
    let world = World::with(&["a"]);
    let open = world.open();
    let before = snapshot(&outside.root());
    let try_all = |open: &super::world::Open| {
        let cancel = Cancel::never();
        let guard = open.guard();
        world.write("a", "other");
        open.repository.commit("x", &guard, &cancel).unwrap_err();
        let _ = open.repository.prune(Some(1), &guard, &cancel);
        let _ = open.repository.status(&cancel);
        let _ = open.repository.history(10);
        assert_eq!(snapshot(&outside.root()), before);
    };
    fs::rename(world.path(".git"), world.path("../moved")).unwrap();
    symlink(outside.path(".git"), world.path(".git")).unwrap();
    try_all(&open);
    fs::remove_file(world.path(".git")).unwrap();
    try_all(&open);
    fs::rename(world.path("../moved"), world.path(".git")).unwrap();
    let swap = |inner: &str, to: &str| {
        let own = world.path(&format!(".git/{inner}"));
        let aside = world.path("../aside");
        fs::rename(&own, &aside).unwrap();
        symlink(outside.path(to), &own).unwrap();
        let fresh = world.try_open();
        if let Ok(fresh) = &fresh {
            try_all(fresh);
        }
        assert_eq!(snapshot(&outside.root()), before);
        fs::remove_file(&own).unwrap();
        fs::rename(&aside, &own).unwrap();
    };
    swap("objects", ".git/objects");
    swap("refs", ".git/refs");
    swap("refs/heads", ".git/refs/heads");
    swap("refs/heads/master", ".git/refs/heads/master");
    swap("HEAD", ".git/HEAD");
    assert_eq!(world.open().messages(), ["initial snapshot"]);
    world.fsck();
}
