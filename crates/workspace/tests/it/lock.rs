//! One writer at a time.

#[cfg(unix)]
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use workspace::lock::{Lock, Queue};
use workspace::state::State;
use workspace::{Cancel, Error};

use crate::world::World;

/// A lock as another process would have it.
fn other() -> Lock {
    Lock::new(State::inside(), Arc::default()).waiting(Duration::from_millis(30))
}

#[test]
fn a_lock_held_elsewhere_is_waited_for_and_given_up() {
    let temp = tempfile::tempdir().expect("a temp folder");
    let world = World::open(temp.path());
    let other = other();
    let guard = world.enter().expect("nobody holds it");
    let busy = other.acquire(&world.root, &Cancel::never());
    assert_eq!(
        busy.expect_err("it is held").to_string(),
        "workspace is busy: another process is writing"
    );
    assert!(
        other
            .try_acquire(&world.root)
            .expect("a state folder")
            .is_none()
    );
    let cancel = Cancel::never();
    cancel.cancel();
    let cancelled = other.acquire(&world.root, &cancel);
    assert!(matches!(cancelled, Err(Error::Cancelled)));
    drop(guard);
    drop(other.acquire(&world.root, &Cancel::never()).expect("free"));
}

#[test]
fn callers_in_one_process_can_give_up_their_place() {
    let temp = tempfile::tempdir().expect("a temp folder");
    let world = World::open(temp.path());
    let guard = world.enter().expect("nobody holds it");
    let cancel = Cancel::never().with_deadline(Duration::from_millis(5));
    let late = world.lock.acquire(&world.root, &cancel);
    assert!(matches!(late, Err(Error::Cancelled)));
    drop(guard);
    drop(world.enter().expect("free again"));
}

// Windows does not let go of a folder that somebody has open.
#[cfg(unix)]
#[test]
fn a_removed_state_folder_is_made_anew() {
    let temp = tempfile::tempdir().expect("a temp folder");
    let world = World::open(temp.path());
    world.write("a", "one").expect("room");
    fs::remove_dir_all(temp.path().join(".workspace-mcp")).expect("own folder");
    world.write("a", "two").expect("room");
    fs::remove_file(temp.path().join(".workspace-mcp/lock")).expect("own file");
    world.write("a", "three").expect("room");
    fs::remove_dir(temp.path().join(".workspace-mcp/tx")).expect("own folder");
    world.write("a", "four").expect("room");
    assert!(temp.path().join(".workspace-mcp/lock").is_file());
}

#[test]
fn roots_that_nest_share_a_queue() {
    let paths = ["/a/b", "/a", "/a/b/c", "/ab", "/a"].map(Path::new);
    let queues = Queue::for_roots(&paths);
    let same = |a: usize, b: usize| Arc::ptr_eq(&queues[a], &queues[b]);
    assert!(same(0, 1) && same(1, 2) && same(1, 4));
    assert!(!same(0, 3));
}
