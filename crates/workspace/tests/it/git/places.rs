//! Where a repository may be, and what of it is shown.

use workspace::git::DiffRequest;

use super::world::World;

#[test]
fn without_a_repository_the_root_is_named() {
    let world = World::empty();
    let error = world.status_in(&world.root(), &[]).unwrap_err().to_string();
    let expected = format!("not a git repository: {}", world.root().display());
    assert_eq!(error, expected);
    let error = world
        .diff_in(&world.root(), &[], &DiffRequest::default())
        .unwrap_err();
    assert_eq!(error.to_string(), expected);
    // A bare repository is no working tree.
    world.plain(&["init", "-q", "--bare"]);
    let error = world.status_in(&world.root(), &[]).unwrap_err().to_string();
    assert_eq!(error, expected);
}

#[test]
fn a_folder_of_a_bigger_repository_shows_itself_alone() {
    let world = World::new();
    let folder = world.root().join("dir");
    world.write("a.txt", "secret\n");
    world.write("secret.env", "secret\n");
    world.write("dir/c.txt", "changed\n");
    world.write("dir/new", "x\n");
    world.write("dir2/x", "x\n");
    let status = world.status_in(&folder, &[]).unwrap();
    assert_eq!(status.entries, [" M c.txt", "?? new"]);
    assert_eq!(status.branch, "main");
    assert_eq!(status.limited_to.unwrap().as_str(), Some("dir"));
    let ask = |request: &DiffRequest<'_>| world.diff_in(&folder, &[], request).unwrap().text;
    let plain = world.plain_in(&folder, &["diff", "--relative"]);
    assert_eq!(ask(&DiffRequest::default()), plain.trim_end());
    let plain = world.plain_in(&folder, &["diff", "--relative", "--stat"]);
    assert_eq!(
        ask(&DiffRequest {
            stat: true,
            ..DiffRequest::default()
        }),
        plain.trim_end()
    );
    let one = DiffRequest {
        path: Some("c.txt"),
        ..DiffRequest::default()
    };
    assert!(ask(&one).starts_with("diff --git a/c.txt b/c.txt\n"));
    world.plain(&["add", "-A"]);
    world.plain(&["mv", "b.txt", "dir/b.txt"]);
    let status = world.status_in(&folder, &[]).unwrap();
    assert_eq!(status.entries, ["A  b.txt", "M  c.txt", "A  new"]);
    let staged = ask(&DiffRequest {
        staged: true,
        ..DiffRequest::default()
    });
    assert!(
        staged.contains("+++ b/new") && !staged.contains("secret"),
        "{staged}"
    );
}

#[test]
fn a_folder_that_is_new_as_a_whole() {
    let world = World::new();
    world.write("fresh/a", "x");
    let status = world.status_in(&world.root().join("fresh"), &[]).unwrap();
    assert_eq!(status.entries, ["?? ./"]);
}

#[test]
fn a_pointer_out_of_the_workspace_is_followed_only_when_it_points_back() {
    let victim = World::new();
    victim.write("a.txt", "secret change\n");
    let world = World::empty();
    let target = victim.root().join(".git");
    let expected = format!("not a git repository: {}", world.root().display());
    let error = || world.status_in(&world.root(), &[]).unwrap_err().to_string();
    std::fs::write(
        world.root().join(".git"),
        format!("gitdir: {}\n", target.display()),
    )
    .unwrap();
    assert_eq!(error(), expected);
    std::fs::remove_file(world.root().join(".git")).unwrap();
    std::os::unix::fs::symlink(&target, world.root().join(".git")).unwrap();
    assert_eq!(error(), expected);
    std::fs::remove_file(world.root().join(".git")).unwrap();
    // A linked working tree of somebody else, copied here.
    let linked = victim.path().join("linked");
    victim.plain(&["worktree", "add", "-q", linked.to_str().unwrap()]);
    std::fs::copy(linked.join(".git"), world.root().join(".git")).unwrap();
    assert_eq!(error(), expected);
    std::fs::remove_file(world.root().join(".git")).unwrap();
    // One inside, whose shared part is said to be outside.
    world.plain(&["init", "-q", "own"]);
    std::fs::rename(world.root().join("own/.git"), world.root().join(".git")).unwrap();
    std::fs::write(
        world.root().join(".git/commondir"),
        target.to_str().unwrap(),
    )
    .unwrap();
    assert_eq!(error(), expected);
}

#[test]
fn a_submodule_is_a_repository_of_its_own() {
    let world = World::new();
    let origin = world.path().join("origin");
    let args = [
        "clone",
        "-q",
        world.root().to_str().unwrap(),
        origin.to_str().unwrap(),
    ]
    .map(str::to_owned);
    world.plain_in(&world.path(), &args.each_ref().map(String::as_str));
    let add = ["-c", "protocol.file.allow=always", "submodule", "add", "-q"];
    world.plain(&[&add[..], &[origin.to_str().unwrap(), "sub"]].concat());
    let sub = world.root().join("sub");
    world.write("sub/a.txt", "changed\n");
    world.same_in(&sub);
    let status = world.status();
    assert!(status.skipped.submodules);
    assert_eq!(status.entries, ["A  .gitmodules", "A  sub"]);
}

#[test]
fn objects_from_outside_are_refused() {
    let victim = World::new();
    let world = World::new();
    let alternates = world.root().join(".git/objects/info/alternates");
    let objects = victim.root().join(".git/objects");
    for line in [
        objects.to_str().unwrap(),
        "../../../../../../elsewhere",
        "\"quoted\"",
    ] {
        std::fs::write(&alternates, format!("# comment\n{line}\n")).unwrap();
        let answer = world.status_in(&world.root(), &[]);
        if line.starts_with('"') {
            // Nothing inside has that name.
            assert!(answer.is_err());
        } else {
            assert_eq!(
                answer.unwrap_err().to_string(),
                "repository uses objects outside the workspace: .git/objects/info/alternates"
            );
        }
    }
    std::fs::remove_file(&alternates).unwrap();
    // Borrowing from within is fine.
    std::fs::rename(
        world.root().join(".git/objects/pack"),
        world.root().join("pack"),
    )
    .unwrap();
    std::fs::create_dir_all(world.root().join("lent/pack")).unwrap();
    std::fs::create_dir(world.root().join(".git/objects/pack")).unwrap();
    std::fs::write(
        &alternates,
        format!("{}\n", world.root().join("lent").display()),
    )
    .unwrap();
    world.status();
    let pack = world.root().join(".git/objects/pack");
    std::fs::remove_dir(&pack).unwrap();
    std::os::unix::fs::symlink(objects.join("pack"), &pack).unwrap();
    let error = world.status_in(&world.root(), &[]).unwrap_err().to_string();
    assert_eq!(
        error,
        "repository uses objects outside the workspace: .git/objects"
    );
}

#[test]
fn hidden_paths_never_show() {
    let world = World::new();
    world.write(".env", "SECRET=1\n");
    world.write("secrets/key.pem", "SECRET\n");
    world.write("secrets/gone.pem", "SECRET gone\n");
    world.write("dir/more.pem", "SECRET\n");
    world.commit("secrets");
    std::fs::remove_file(world.root().join("secrets/gone.pem")).unwrap();
    world.plain(&["rm", "-q", "--cached", "secrets/gone.pem"]);
    for name in [".env", "secrets/key.pem", "dir/more.pem", "a.txt"] {
        world.write(
            name,
            "SECRET changed\n"
                .repeat(3)
                .replace("SECRET", if name == "a.txt" { "open" } else { "SECRET" }),
        );
    }
    world.write("secrets/new.pem", "SECRET new\n");
    world.write("other.pem", "SECRET new\n");
    world.plain(&["mv", "dir/more.pem", "renamed"]);
    world.plain(&["mv", "dir/c.txt", "c.pem"]);
    let deny = [".env", "secrets/**", "*.pem"];
    let root = world.root();
    let status = world.status_in(&root, &deny).unwrap();
    assert_eq!(status.entries, [" M a.txt", "D  dir/c.txt", "AM renamed"]);
    for stage in [false, true] {
        for round in 0..2 {
            for stat in [false, true] {
                let request = DiffRequest {
                    path: None,
                    staged: round == 1,
                    stat,
                };
                let text = world.diff_in(&root, &deny, &request).unwrap().text;
                for word in [".env", "secrets", "pem"] {
                    assert!(!text.contains(word), "{text}");
                }
                assert!(round == 1 && !stage || text.contains("a.txt"), "{text}");
            }
        }
        if !stage {
            world.plain(&["add", "a.txt", ".env", "secrets"]);
            world.write("a.txt", "again\n");
        }
    }
    for path in [".env", "secrets", "secrets/key.pem"] {
        let request = DiffRequest {
            path: Some(path),
            ..DiffRequest::default()
        };
        let error = world
            .diff_in(&root, &deny, &request)
            .unwrap_err()
            .to_string();
        assert_eq!(error, format!("path denied by policy: {path}"));
    }
    world.same();
}

#[test]
fn filters_that_are_named_are_mentioned_and_submodules_too() {
    let world = World::new();
    assert_eq!(world.status().skipped, workspace::git::Skipped::default());
    world.write(
        "deep/er/.gitattributes",
        "*.bin filter=lfs diff=lfs merge=lfs -text\n",
    );
    world.write("deep/er/x.bin", "x");
    world.commit("large");
    assert!(world.status().skipped.filters);
    assert!(world.diff(&DiffRequest::default()).skipped.filters);
}

#[test]
fn a_repository_of_another_owner_is_read() {
    let world = World::new();
    // Only root may give files away; for others there is nothing to see here.
    let given = std::os::unix::fs::chown(world.root(), Some(12345), Some(12345)).is_ok();
    let git = world.root().join(".git");
    if given && std::os::unix::fs::chown(git, Some(12345), Some(12345)).is_ok() {
        assert!(!world.try_plain(&world.root(), &["status"]).0);
    }
    world.write("a.txt", "x\n");
    assert_eq!(world.status().entries, [" M a.txt"]);
}

#[test]
fn a_lock_on_the_index_is_neither_minded_nor_taken() {
    let world = World::new();
    world.write(".git/index.lock", "");
    world.write("a.txt", "x\n");
    for _ in 0..10 {
        assert_eq!(world.status().entries, [" M a.txt"]);
    }
    world.diff(&DiffRequest::default());
}

#[test]
fn the_servers_own_files_under_way_are_not_shown() {
    let world = World::new();
    world.write("dir/.workspace-mcp-tmp-0123", "x");
    assert_eq!(world.status().entries, [] as [&str; 0]);
}
