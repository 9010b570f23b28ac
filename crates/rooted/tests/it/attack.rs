//! Another thread swaps a folder with a link to the outside while paths through it are used.

use std::fs;
use std::io::{Read as _, Write as _};
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use rooted::{Mode, Root};
use rustix::fs::{CWD, RenameFlags, renameat_with};

use crate::world::{MODES, OUTSIDE, RESOLVERS, World, kind, make, rel};

/// Rounds of each attack; `WORKSPACE_MCP_SOAK=50` makes a million of them.
fn rounds() -> usize {
    let times = std::env::var("WORKSPACE_MCP_SOAK").ok();
    20_000 * times.and_then(|times| times.parse().ok()).unwrap_or(1)
}

/// Swaps two names over and over until dropped.
struct Swapping {
    stop: Arc<AtomicBool>,
    thread: Option<thread::JoinHandle<()>>,
}

impl Swapping {
    fn start(a: PathBuf, b: PathBuf) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let thread = thread::spawn(move || {
            while !stopped.load(Ordering::Relaxed) {
                renameat_with(CWD, &a, CWD, &b, RenameFlags::EXCHANGE).expect("both are there");
            }
        });
        Self {
            stop,
            thread: Some(thread),
        }
    }
}

impl Drop for Swapping {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let ended = thread.join();
            assert!(ended.is_ok() || thread::panicking(), "the swapping failed");
        }
    }
}

/// The root with `dir`, which holds `f`, and `trap`, a link to a folder outside with the same names.
fn world() -> World {
    let world = World::new();
    fs::create_dir(world.ws().join("dir")).expect("a folder");
    fs::write(world.ws().join("dir/f"), "inside").expect("a file");
    symlink("../out", world.ws().join("trap")).expect("a link");
    world
}

fn content(root: &Root, round: usize) -> Result<String, String> {
    let mut text = String::new();
    let opened = match round % 3 {
        0 => root.open_file(&rel("dir/f")),
        1 => root
            .open_dir(&rel("dir"))
            .and_then(|dir| dir.open_file(b"f")),
        _ => root
            .locate(&rel("dir/f"))
            .and_then(|place| place.dir.open_file(&place.name)),
    };
    let mut file = opened.map_err(|error| kind(&error))?;
    file.read_to_string(&mut text).expect("text");
    Ok(text)
}

#[test]
fn nothing_outside_is_read() {
    for (name, mode) in MODES {
        for resolver in RESOLVERS {
            let world = world();
            let root = world.root(mode, resolver);
            let swapping = Swapping::start(world.ws().join("dir"), world.ws().join("trap"));
            let about = format!("in {name} by {resolver:?}");
            let (mut read, mut refused, mut round) = (0, 0, 0);
            // A starved machine may let one side run alone for a while: wait until both had a turn.
            while round < rounds() || (read.min(refused) == 0 && round < rounds() * 50) {
                match content(&root, round) {
                    Ok(text) => {
                        assert_eq!(text, "inside", "{about}");
                        read += 1;
                    }
                    Err(error) => {
                        assert_ne!(error, "Other", "{about}");
                        refused += 1;
                    }
                }
                round += 1;
            }
            drop(swapping);
            assert!(
                read.min(refused) > 0,
                "{about}: {read} read, {refused} refused"
            );
        }
    }
}

#[test]
fn nothing_outside_is_made_or_written() {
    for resolver in RESOLVERS {
        let world = world();
        let before = world.surroundings();
        let root = world.root(Mode::FOLLOW, resolver);
        let swapping = Swapping::start(world.ws().join("dir"), world.ws().join("trap"));
        for round in 0..rounds() / 2 {
            let name = format!("dir/sub{}/n{}", round % 7, round % 100);
            if make(&root, &rel(&name)).is_ok() {
                remove(&root, &name);
            }
            let Ok(place) = root.locate(&rel("dir/f")) else {
                continue;
            };
            if let Ok(mut file) = place.dir.open_for_writing(&place.name) {
                file.write_all(b"INSIDE").expect("room");
            }
        }
        drop(swapping);
        assert_eq!(world.surroundings(), before, "by {resolver:?}");
        let outside = fs::read_to_string(world.beside("out/f")).expect("a file");
        assert_eq!(outside, OUTSIDE);
    }
}

/// Removes what was made, where that is the same place still.
fn remove(root: &Root, name: &str) {
    if let Ok(place) = root.locate(&rel(name)) {
        match place.dir.remove_file(&place.name) {
            Ok(()) => {}
            Err(error) => assert_eq!(kind(&error), "NotFound"),
        }
    }
}
