//! History that is cut, repositories that git packed, and both by turns.

use workspace::Cancel;
use workspace::checkpoint::Pruned;

use super::world::{Open, World};

fn prune(open: &Open, keep: Option<usize>) -> Pruned {
    let guard = open.guard();
    open.repository
        .prune(keep, &guard, &Cancel::never())
        .unwrap()
}

fn history(world: &World, open: &Open, n: usize) {
    for n in 0..n {
        world.write(
            "changing",
            format!("version {n} of {}\n", open.messages().len()),
        );
        world.write(&format!("dir/{n}/file"), format!("{n}"));
        open.commit(&format!("change {n}"));
    }
}

#[test]
fn ids_of_kept_checkpoints_stay() {
    let world = World::with(&["a", "dir/b"]);
    let open = world.open();
    history(&world, &open, 20);
    let before = open.repository.history(100).unwrap();
    let pruned = prune(&open, Some(5));
    assert_eq!((pruned.n_kept, pruned.n_dropped), (5, 16));
    let after = open.repository.history(100).unwrap();
    assert_eq!(after, before[..5]);
    world.fsck();
    assert_eq!(world.git(&["log", "--format=%s"]).lines().count(), 5);
    assert_eq!(world.git(&["count-objects"]), "0 objects, 0 kilobytes\n");
    assert_eq!(world.git(&["status", "--porcelain"]), "");
    assert!(open.repository.find(&before[7].id.to_string()).is_err());
    for (one, version) in after.iter().zip((15..20).rev()) {
        let saved = open
            .repository
            .file(one.id, &super::world::rel("changing"))
            .unwrap()
            .unwrap();
        let content = open.repository.content(saved.blob).unwrap();
        assert!(content.starts_with(format!("version {version} ").as_bytes()));
    }
    history(&world, &open, 3);
    assert_eq!(prune(&open, Some(8)).n_dropped, 0);
    assert_eq!(prune(&open, Some(2)).n_kept, 2);
    assert_eq!(prune(&open, None).n_kept, 2);
    world.fsck();
    let again = world.open();
    assert_eq!(again.messages(), ["change 2", "change 1"]);
    assert_eq!(again.status(), [""; 0]);
    assert_eq!(again.repository.history(10).unwrap().len(), 2);
}

#[test]
fn what_others_named_is_kept() {
    let world = World::with(&["a"]);
    let open = world.open();
    history(&world, &open, 6);
    world.git(&["tag", "-a", "-m", "mine", "mine", "HEAD~3"]);
    world.git(&["branch", "other", "HEAD~4"]);
    world.git(&["pack-refs", "--all"]);
    let pruned = prune(&open, Some(2));
    assert_eq!(pruned.n_kept, 2);
    world.fsck();
    assert_eq!(
        world.git(&["log", "--format=%s", "other"]).lines().count(),
        3
    );
    assert_eq!(
        world.git(&["log", "--format=%s", "mine"]).lines().count(),
        4
    );
    assert_eq!(open.messages(), ["change 5", "change 4"]);
    history(&world, &open, 1);
    assert_eq!(world.git(&["status", "--porcelain"]), "");
    world.fsck();
}

#[test]
fn what_git_packed_is_read() {
    let world = World::with(&["a", "dir/b"]);
    let long = |n: usize| {
        (0..500)
            .map(|line| format!("{line} {}\n", line % 7 + n / 400))
            .collect::<String>()
    };
    world.write("long", long(0));
    let open = world.open();
    let mut versions = Vec::new();
    for n in 0..10 {
        world.write("long", format!("{}{n}\n{}", long(n), long(3)));
        versions.push((open.commit("next"), world.read("long")));
    }
    // With differences, under our feet.
    world.git(&["gc", "-q", "--aggressive", "--prune=now"]);
    let (listed, _, _) = world.try_git(&["verify-pack", "-v", ".git/objects/pack"]);
    drop(listed);
    for (id, version) in &versions {
        let saved = open
            .repository
            .file(*id, &super::world::rel("long"))
            .unwrap()
            .unwrap();
        assert_eq!(
            open.repository.content(saved.blob).unwrap(),
            version.as_bytes()
        );
    }
    let again = world.open();
    assert_eq!(again.messages().len(), 11);
    assert_eq!(again.status(), [""; 0]);
    history(&world, &again, 2);
    world.git(&[
        "repack",
        "-q",
        "-a",
        "-d",
        "-f",
        "--write-bitmap-index",
        "--write-midx",
    ]);
    world.git(&["commit-graph", "write", "--reachable"]);
    assert_eq!(prune(&again, Some(3)).n_kept, 3);
    world.fsck();
    // Both see the other's checkpoints.
    history(&world, &open, 1);
    assert_eq!(again.messages().len(), 4);
    assert_eq!(again.status(), [""; 0]);
    world.fsck();
}

#[test]
fn what_another_program_added_while_pruning_is_taken_over() {
    let world = World::with(&["a"]);
    world.open();
    // As a process leaves it that ended just after it exchanged the folders.
    let temp = ".git/.workspace-mcp-tmp-00000000000000aa";
    world.git(&["commit", "-q", "--allow-empty", "-m", "loose"]);
    world.write("b", "packed");
    world.git(&["add", "b"]);
    world.git(&["commit", "-q", "-m", "packed"]);
    let packed = world.git(&["rev-list", "--objects", "HEAD", "^HEAD^"]);
    let loose = world.git(&["rev-parse", "HEAD^"]);
    let earlier = world.git(&["rev-list", "--objects", "HEAD^"]);
    std::fs::create_dir_all(world.path(temp).join("pack")).unwrap();
    let mut known = String::from(".workspace-mcp-tmp-00000000000000aa\n");
    for line in earlier.lines() {
        let (folder, file) = line[..40].split_at(2);
        let path = format!(".git/objects/{folder}/{file}");
        if line == loose.trim() {
            let to = world.path(temp).join(folder);
            std::fs::create_dir_all(&to).unwrap();
            std::fs::rename(world.path(&path), to.join(file)).unwrap();
        } else {
            known.push_str(&format!("{}\n", &line[..40]));
        }
    }
    let ids: String = packed
        .lines()
        .map(|line| format!("{}\n", &line[..40]))
        .collect();
    world.write("../ids", ids);
    let script = format!(
        "git pack-objects -q {temp}/pack/pack < ../ids > /dev/null && git prune-packed -q && \
         for id in $(cat ../ids); do rm .git/objects/${{id%${{id#??}}}}/${{id#??}}; done"
    );
    let done = std::process::Command::new("sh")
        .args(["-c", &script])
        .current_dir(world.root())
        .status();
    assert!(done.unwrap().success());
    world.write(".git/objects/info/workspace-mcp-replaced", known);
    let (_, _, is_whole) = world.try_git(&["fsck"]);
    assert!(!is_whole);
    let open = world.open();
    assert_eq!(open.messages(), ["packed", "loose", "initial snapshot"]);
    assert!(!world.path(temp).exists());
    assert!(
        !world
            .path(".git/objects/info/workspace-mcp-replaced")
            .exists()
    );
    world.fsck();
}
