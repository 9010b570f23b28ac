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
    assert_eq!(again.repository.count(10).unwrap(), 2);
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
fn many_objects_are_packed_as_they_come() {
    let world = World::new();
    for n in 0..300 {
        world.write(&format!("dir{}/{n}", n % 7), format!("{n}\n"));
    }
    let open = world.open();
    assert_eq!(world.git(&["count-objects"]), "0 objects, 0 kilobytes\n");
    for round in 0..12 {
        for n in 0..100 {
            world.write(&format!("dir{}/{n}", n % 7), format!("{round} {n}\n"));
        }
        open.commit("many");
    }
    let packs = std::fs::read_dir(world.path(".git/objects/pack"))
        .unwrap()
        .count();
    assert!(packs < 22, "{packs}");
    world.fsck();
    assert_eq!(world.open().status(), [""; 0]);
}

#[test]
fn versions_are_packed_as_differences() {
    let world = World::new();
    for n in 0..400 {
        world.write(&format!("flat/{n}"), format!("{n}\n"));
    }
    let text = |n: usize| {
        (0..200)
            .map(|line| format!("line {line} {}\n", usize::from(line == 90) * n))
            .collect::<String>()
    };
    let open = world.open();
    let mut versions = Vec::new();
    for n in 0..260 {
        let path = format!("flat/{}", n % 3);
        world.write(&path, text(n / 2));
        versions.push((
            open.commit_paths("post-change checkpoint", &[&path]),
            path,
            text(n / 2),
        ));
    }
    world.fsck();
    let loose = world.git(&["count-objects"]);
    let n_loose: usize = loose.split(' ').next().unwrap().parse().unwrap();
    assert!(n_loose < 500, "{loose}");
    let check = |open: &Open| {
        for (id, path, text) in &versions {
            let saved = open
                .repository
                .file(*id, &super::world::rel(path))
                .unwrap()
                .unwrap();
            assert_eq!(
                open.repository.content(saved.blob).unwrap(),
                text.as_bytes()
            );
        }
    };
    check(&open);
    let size = |what: &str| {
        let said = world.git(&["count-objects", "-v"]);
        let line = said.lines().find_map(|line| line.strip_prefix(what));
        line.unwrap().trim().parse::<usize>().unwrap()
    };
    prune(&open, None);
    let ours = size("size-pack:");
    check(&world.open());
    world.fsck();
    world.git(&[
        "repack",
        "-q",
        "-a",
        "-d",
        "-f",
        "--depth=50",
        "--window=10",
    ]);
    let gits = size("size-pack:");
    assert!(ours < 4 * gits, "{ours} KiB, and {gits} KiB by git");
    // What git packed well stays so.
    prune(&open, Some(200));
    assert!(size("size-pack:") <= gits + 8);
    world.fsck();
}
