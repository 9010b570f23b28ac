//! Objects that are packed as they come, while others read them, and in spite of kills.

use std::collections::HashMap;
use std::hint::spin_loop;
use std::path::Path;
use std::time::{Duration, Instant};

use workspace::Cancel;
use workspace::checkpoint::{Error, Pruned};

use super::world::{Open, World, open_with, options, rel};
use crate::process::{Task, say, task};

fn prune(open: &Open, keep: Option<usize>) -> Pruned {
    let guard = open.guard();
    open.repository
        .prune(keep, &guard, &Cancel::never())
        .unwrap()
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
            let saved = open.repository.file(*id, &rel(path)).unwrap().unwrap();
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
    assert!(ours < 2 * gits, "{ours} KiB, and {gits} KiB by git");
    // What git packed well stays so.
    prune(&open, Some(200));
    let kept = size("size-pack:");
    assert!(kept <= gits, "{kept} KiB, and {gits} KiB by git");
    world.fsck();
    let pack = std::fs::read_dir(world.path(".git/objects/pack"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.extension().is_some_and(|ending| ending == "idx"));
    let said = world.git(&["verify-pack", "-v", pack.unwrap().to_str().unwrap()]);
    assert!(said.contains("chain length = "), "{said}");
    world.git(&["gc", "-q", "--prune=now"]);
    world.fsck();
    let newest = versions.last().unwrap();
    let saved = open.repository.file(newest.0, &rel(&newest.1)).unwrap();
    let content = open.repository.content(saved.unwrap().blob).unwrap();
    assert_eq!(content, newest.2.as_bytes());
}

/// Makes small checkpoints without end, packs the objects anew all the time, and forgets nothing.
pub(crate) fn pack_for_ever(dir: &Path) {
    let open = open_with(dir, options()).unwrap();
    let cancel = Cancel::never();
    for n in 0.. {
        let guard = open.guard();
        let path = format!("d{}/{}", n % 3, n % 7);
        std::fs::create_dir_all(dir.join(&path).parent().unwrap()).unwrap();
        std::fs::write(dir.join(&path), format!("{path} {n}\n").repeat(30)).unwrap();
        let made = open
            .repository
            .commit_paths("next", &[rel(&path)], &guard, &cancel);
        made.unwrap();
        if n % 4 == 0 {
            open.repository.prune(None, &guard, &cancel).unwrap();
        }
        say("next");
    }
}

#[test]
fn readers_miss_nothing_while_objects_are_packed() {
    let world = World::with(&["a", "d0/b"]);
    let open = world.open();
    let first = open.initial.unwrap();
    let mut task = Task::start(task("pack-for-ever", &world.root()));
    let n_rounds = if std::env::var_os("WORKSPACE_MCP_SOAK").is_some() {
        2000
    } else {
        60
    };
    for n in 0..n_rounds {
        task.next().unwrap();
        let head = open.repository.head().unwrap();
        for saved in open.repository.files(head).unwrap() {
            open.repository.content(saved.blob).unwrap();
        }
        assert_eq!(open.repository.files(first).unwrap().len(), 2);
        open.repository.history(usize::MAX).unwrap();
        if n % 10 == 0 {
            // One that has just begun knows nothing of what was there before.
            let (said, worries, done) = world.try_git(&["rev-list", "--objects", "HEAD"]);
            assert!(done, "{said}{worries}");
        }
    }
    drop(task);
    world.fsck();
}

/// Packs what there is, and says when it is about to.
pub(crate) fn pack_once(dir: &Path) {
    let open = open_with(dir, options()).unwrap();
    let guard = open.guard();
    let cancel = Cancel::never();
    say("now");
    for _ in 0..3 {
        open.repository.commit("next", &guard, &cancel).unwrap();
    }
    say("done");
}

#[test]
fn a_process_killed_while_it_packs_loses_nothing() {
    let world = World::with(&["a", "dir/b", "dir/c"]);
    let open = world.open();
    let mut ids = Vec::new();
    for n in 0..130 {
        world.write("dir/b", format!("{n}\n").repeat(40));
        ids.push(open.commit_paths("post-change checkpoint", &["dir/b"]));
    }
    let n_kills = if std::env::var_os("WORKSPACE_MCP_SOAK").is_some() {
        400
    } else {
        12
    };
    let mut random = 3_u32;
    for _ in 0..n_kills {
        // Everything becomes a file of its own again.
        let script = "mkdir -p ../packs && mv .git/objects/pack/* ../packs && \
             for pack in ../packs/*.pack; do git unpack-objects -q < $pack; done; rm -r ../packs";
        std::process::Command::new("sh")
            .args(["-c", script])
            .current_dir(world.root())
            .stderr(std::process::Stdio::null())
            .status()
            .unwrap();
        let mut task = Task::start(task("pack-once", &world.root()));
        assert_eq!(task.next().as_deref(), Some("now"));
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let moment = Instant::now() + Duration::from_micros(u64::from(random >> 8 & 0x3ffff));
        while Instant::now() < moment {
            spin_loop();
        }
        task.kill();
        world.fsck();
        let open = world.open();
        for id in &ids {
            let saved = open.repository.file(*id, &rel("dir/b")).unwrap().unwrap();
            open.repository.content(saved.blob).unwrap();
        }
    }
    let task = Task::start(task("pack-once", &world.root()));
    assert!(task.finish().1);
    world.fsck();
}

#[test]
fn what_git_left_loose_is_packed_step_by_step() {
    let world = World::new();
    // Content that hardly packs: more than is packed at once.
    let mut random = 1_u32;
    for n in 0..600 {
        let noise: Vec<u8> = (0..20_000)
            .map(|_| {
                random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                random.to_le_bytes()[3]
            })
            .collect();
        world.write(&format!("noise/{n}"), noise);
    }
    let open = world.open();
    world.git(&["config", "core.bigFileThreshold", "1g"]);
    let script = "mkdir ../packs && mv .git/objects/pack/* ../packs && \
         for pack in ../packs/*.pack; do git unpack-objects -q < $pack; done";
    let done = std::process::Command::new("sh")
        .args(["-c", script])
        .current_dir(world.root())
        .status();
    assert!(done.unwrap().success());
    drop(open);
    let n_loose = || {
        let said = world.git(&["count-objects"]);
        said.split(' ').next().unwrap().parse::<usize>().unwrap()
    };
    let open = world.open();
    let before = n_loose();
    assert!(before > 600);
    open.commit("first");
    let after = n_loose();
    assert!(after < before && after > 100, "{after}");
    for _ in 0..5 {
        open.commit("next");
    }
    assert!(n_loose() < 500);
    assert_eq!(open.status(), [""; 0]);
    world.fsck();
}

/// Where an object has a file of its own.
fn file_of(world: &World, id: &str) -> std::path::PathBuf {
    let (folder, file) = id.trim().split_at(2);
    let path = world.path(&format!(".git/objects/{folder}/{file}"));
    let mut permissions = std::fs::metadata(&path).unwrap().permissions();
    #[expect(clippy::permissions_set_readonly_false, reason = "it is the owner's")]
    permissions.set_readonly(false);
    std::fs::set_permissions(&path, permissions).unwrap();
    path
}

#[test]
fn damaged_objects_are_told_and_the_rest_is_not_touched() {
    let world = World::with(&["a", "b", "c"]);
    let open = world.open();
    let id = open.initial.unwrap();
    let blobs: HashMap<String, String> = ["a", "b", "c"]
        .map(|name| {
            (
                name.to_owned(),
                world.git(&["rev-parse", &format!("HEAD:{name}")]),
            )
        })
        .into();
    let read = |open: &Open, name: &str| {
        let saved = open.repository.file(id, &rel(name)).unwrap().unwrap();
        open.repository.content(saved.blob)
    };
    // Other bytes that are a whole object.
    let other = std::fs::read(file_of(&world, &blobs["b"])).unwrap();
    std::fs::write(file_of(&world, &blobs["a"]), other).unwrap();
    let told = read(&open, "a").unwrap_err().to_string();
    let want = format!(
        "the checkpoints are damaged: object {} holds other bytes",
        blobs["a"].trim()
    );
    assert_eq!(told, want);
    // Nothing at all, as a loss of power may leave it; making it once more mends it.
    std::fs::write(file_of(&world, &blobs["c"]), "").unwrap();
    assert!(matches!(read(&open, "c"), Err(Error::Damaged(_))));
    world.write("c2", "c\n");
    open.commit("next");
    assert_eq!(read(&open, "c").unwrap(), b"c\n");
    // What is whole can be read, and pruning removes nothing.
    assert_eq!(read(&open, "b").unwrap(), b"b\n");
    let guard = open.guard();
    let pruned = open.repository.prune(Some(1), &guard, &Cancel::never());
    assert!(matches!(pruned, Err(Error::Damaged(_))));
    drop(guard);
    assert_eq!(open.messages(), ["next", "initial snapshot"]);
    assert_eq!(read(&world.open(), "b").unwrap(), b"b\n");
}

#[test]
fn a_damaged_pack_is_told_and_never_copied() {
    let world = World::new();
    for n in 0..100 {
        world.write(&format!("{n}"), format!("{n} {n}\n").repeat(9));
    }
    let open = world.open();
    let packs = std::fs::read_dir(world.path(".git/objects/pack")).unwrap();
    let pack = packs
        .map(|entry| entry.unwrap().path())
        .find(|path| path.extension().is_some_and(|ending| ending == "pack"))
        .unwrap();
    let mut bytes = std::fs::read(&pack).unwrap();
    let middle = bytes.len() / 4;
    for byte in &mut bytes[middle..middle + 8] {
        *byte ^= 0x55;
    }
    let id = open.initial.unwrap();
    drop(open);
    std::fs::remove_file(&pack).unwrap();
    std::fs::write(&pack, &bytes).unwrap();
    let open = world.open();
    let (mut n_whole, mut n_damaged) = (0, 0);
    for saved in open.repository.files(id).unwrap() {
        match open.repository.content(saved.blob) {
            Ok(content) => {
                assert_eq!(
                    content,
                    std::fs::read(world.path(&saved.path.to_string())).unwrap()
                );
                n_whole += 1;
            }
            Err(Error::Damaged(_)) => n_damaged += 1,
            Err(other) => panic!("{other}"),
        }
    }
    assert!(n_whole > 90 && n_damaged > 0, "{n_whole} {n_damaged}");
    let guard = open.guard();
    let pruned = open.repository.prune(None, &guard, &Cancel::never());
    assert!(matches!(pruned, Err(Error::Damaged(_))));
    assert_eq!(std::fs::read(&pack).unwrap(), bytes);
}
