//! What a restore would do, and what it leaves alone.

use std::os::unix::fs::symlink;

use workspace::Cancel;
use workspace::checkpoint::{Id, Plan, RestoreRequest};

use super::world::{Open, World, rel};

fn plan(open: &Open, checkpoint: Id, paths: &[&str], exact: bool) -> Plan {
    let paths: Vec<_> = paths.iter().map(|path| rel(path)).collect();
    let request = RestoreRequest {
        checkpoint,
        paths: &paths,
        exact,
    };
    open.repository
        .plan_restore(&request, &Cancel::never())
        .unwrap()
}

/// The plan as lines: deletes, folders, writes, left in place.
fn told(plan: &Plan) -> Vec<String> {
    let mut lines = Vec::new();
    lines.extend(plan.deletes.iter().map(|path| format!("delete {path}")));
    lines.extend(plan.folders.iter().map(|path| format!("folder {path}")));
    lines.extend(
        plan.writes
            .iter()
            .map(|write| format!("write {}", write.path)),
    );
    lines.extend(plan.left_in_place.iter().map(|path| format!("left {path}")));
    lines
}

/// A change as the server makes it.
fn change(open: &Open, paths: &[&str], make: impl FnOnce()) -> Id {
    open.commit("pre-change checkpoint");
    make();
    open.commit_paths("post-change checkpoint", paths)
}

/// Carries out a plan, as far as plain files go, between the two checkpoints of a restore.
fn restore(world: &World, open: &Open, checkpoint: Id) -> Plan {
    open.commit("pre-restore checkpoint");
    let plan = plan(open, checkpoint, &[], false);
    for path in &plan.deletes {
        world.remove(path.as_str().unwrap());
    }
    for write in &plan.writes {
        let content = open.repository.content(write.blob).unwrap();
        world.write(write.path.as_str().unwrap(), content);
    }
    open.commit("restored to something");
    plan
}

#[test]
fn only_what_the_server_made_is_deleted() {
    let world = World::with(&["kept", "edited", "deleted"]);
    let open = world.open();
    let first = open.initial.unwrap();
    change(&open, &["edited", "made", "deleted"], || {
        world.write("edited", "by the server");
        world.write("made", "by the server");
        world.remove("deleted");
        // Somebody else, in the middle of it.
        world.write("meanwhile", "by somebody");
    });
    world.write("stranger", "by somebody");
    let told_now = told(&plan(&open, first, &[], false));
    let want = [
        "delete made",
        "write deleted",
        "write edited",
        "left meanwhile",
        "left stranger",
    ];
    assert_eq!(told_now, want);
    // The next change saves the strangers, which makes them nobody else's.
    change(&open, &["made2", "stranger"], || {
        world.write("made2", "x");
        world.write("stranger", "edited by the server");
    });
    assert_eq!(
        told(&plan(&open, first, &[], false)),
        [
            "delete made",
            "delete made2",
            "write deleted",
            "write edited",
            "left meanwhile",
            "left stranger"
        ]
    );
    assert_eq!(
        told(&plan(&open, first, &[], true)),
        [
            "delete made",
            "delete made2",
            "delete meanwhile",
            "delete stranger",
            "write deleted",
            "write edited"
        ]
    );
    assert_eq!(
        told(&plan(&open, first, &["made", "edited"], false)),
        ["delete made", "write edited"]
    );
}

#[test]
fn a_restore_can_be_undone_and_done_again() {
    let world = World::with(&["a"]);
    let open = world.open();
    let first = open.initial.unwrap();
    change(&open, &["made", "a"], || {
        world.write("made", "1");
        world.write("a", "2");
    });
    let before = open.repository.head().unwrap();
    assert_eq!(
        told(&restore(&world, &open, first)),
        ["delete made", "write a"]
    );
    assert_eq!(
        told(&restore(&world, &open, before)),
        ["write a", "write made"]
    );
    // What a restore brought back is still the server's own.
    assert_eq!(
        told(&restore(&world, &open, first)),
        ["delete made", "write a"]
    );
    assert_eq!(open.status(), [""; 0]);
    world.fsck();
}

#[test]
fn links_and_large_files_stay() {
    let outside = World::with(&["secret"]);
    let world = World::with(&[
        "dir/a",
        "dir2/b",
        "file",
        "large",
        "node_modules/x",
        "taken",
    ]);
    let open = world.open();
    let first = open.initial.unwrap();
    for name in ["dir", "file"] {
        world.remove(name);
    }
    symlink(outside.root(), world.path("dir")).unwrap();
    symlink(outside.path("secret"), world.path("file")).unwrap();
    world.write("large", "x".repeat(200_000));
    world.remove("dir2");
    world.write("dir2", "a file now");
    world.remove("taken");
    world.write("taken/by", "a folder");
    let left = [
        "left dir/a",
        "left dir2",
        "left dir2/b",
        "left file",
        "left large",
        "left taken",
        "left taken/by",
    ];
    assert_eq!(told(&plan(&open, first, &[], false)), left);
    let exact = [
        "delete dir2",
        "delete taken/by",
        "folder taken",
        "write dir2/b",
        "write taken",
        "left dir/a",
        "left file",
        "left large",
    ];
    assert_eq!(told(&plan(&open, first, &[], true)), exact);
    world.write("taken/build/untracked", "x");
    assert!(told(&plan(&open, first, &[], true)).contains(&"left taken".to_owned()));
    assert_eq!(outside.read("secret"), "secret\n");
}
