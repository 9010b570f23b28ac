//! Processes that are killed, run at the same time, meet a full disk or have no rights.

use std::fs;
use std::hint::spin_loop;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::process::{Task, say, task, task_with_small_files};
use crate::world::{Edit, World, leftovers};

/// The files that always change together.
const TOGETHER: [&str; 5] = ["d/1", "d/2", "e/3", "e/4", "5"];

/// How often a process is killed.
fn n_kills() -> u32 {
    if std::env::var_os("WORKSPACE_MCP_SOAK").is_some() {
        400
    } else {
        40
    }
}

/// A version of a file, big enough for a write to be cut short.
fn version(n: u64) -> Vec<u8> {
    format!("version {n}\n").repeat(2000).into_bytes()
}

/// Reads a file that must be one whole version; 0 when it is not there.
fn read_version(path: &Path) -> u64 {
    let Ok(text) = fs::read_to_string(path) else {
        return 0;
    };
    let first = text.lines().next().unwrap_or_default();
    let n = first
        .trim_start_matches("version ")
        .parse()
        .unwrap_or(u64::MAX);
    assert!(text.as_bytes() == version(n), "{} is torn", path.display());
    n
}

/// Changes one file, then several and a new one, then appends; tells of each when it is done.
pub(crate) fn change_for_ever(dir: &Path) {
    let world = World::open(dir);
    let mut n = read_version(&dir.join("single")).max(read_version(&dir.join("5")));
    loop {
        n += 1;
        let new: Edit<'_> = &|_| version(n);
        world.change(&[("single", new)]).expect("room");
        say(&format!("single {n}"));
        let made = format!("new/{n}/made");
        let mut all: Vec<(&str, Edit<'_>)> = TOGETHER.iter().map(|name| (*name, new)).collect();
        all.insert(2, (&made, new));
        world.change(&all).expect("room");
        say(&format!("together {n}"));
        let line = format!("line {n} {}\n", "x".repeat(20_000));
        world.append("log", &line).expect("room");
        say(&format!("log {n}"));
    }
}

#[test]
fn a_killed_process_leaves_all_old_or_all_new() {
    let temp = tempfile::tempdir().expect("a temp folder");
    let dir = temp.path();
    let mut random = 1_u32;
    let mut acknowledged = [0; 3];
    let mut note = |line: &str| {
        let (what, n) = line.split_once(' ').expect("two words");
        let at = ["single", "together", "log"]
            .iter()
            .position(|of| *of == what);
        acknowledged[at.expect("one of them")] = n.parse().expect("a number");
        acknowledged
    };
    let mut n_undone = 0;
    for _ in 0..n_kills() {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let mut task = Task::start(task("change-for-ever", dir));
        for _ in 0..random >> 30 {
            note(&task.next().expect("it goes on for ever"));
        }
        // Somewhere within what it does next.
        let moment = Instant::now() + Duration::from_micros(u64::from(random >> 8 & 0x7ff));
        while Instant::now() < moment {
            spin_loop();
        }
        let mut acknowledged = note("single 0");
        for line in task.kill() {
            acknowledged = note(&line);
        }
        let world = World::open(dir);
        let guard = world.lock.acquire(&world.root, &workspace::Cancel::never());
        let guard = guard.expect("its holder is gone");
        let recovered = workspace::transaction::recover(&world.root, &guard).expect("readable");
        assert_eq!((recovered.n_pending, recovered.n_unreadable), (0, 0));
        n_undone += recovered.n_undone;
        drop(guard);
        assert_eq!(leftovers(dir), Vec::<PathBuf>::new());
        let together = read_version(&dir.join("5"));
        for name in TOGETHER {
            assert_eq!(read_version(&dir.join(name)), together, "{name}");
        }
        // New files belong to the change: each version has its own, and no later one is there.
        let mut newest = 0;
        for entry in fs::read_dir(dir.join("new")).into_iter().flatten() {
            let name = entry.expect("an entry").file_name();
            let n = name.to_str().and_then(|name| name.parse().ok());
            let n: u64 = n.expect("a number");
            assert_eq!(read_version(&dir.join("new").join(name).join("made")), n);
            newest = newest.max(n);
        }
        assert_eq!(newest, together);
        let log = fs::read_to_string(dir.join("log")).unwrap_or_default();
        let mut logged = 0;
        for line in log.lines() {
            assert!(line.ends_with(&"x".repeat(20_000)), "a line is torn");
            let n = line.split(' ').nth(1).and_then(|n| n.parse().ok());
            logged = n.expect("a number");
        }
        let single = read_version(&dir.join("single"));
        // What was said is on disk; what was not may be.
        for (found, said) in [single, together, logged].into_iter().zip(acknowledged) {
            assert!(found >= said, "{found} on disk, {said} said");
        }
    }
    // Only to know that the kills hit something; where none did there is nothing to compare with.
    eprintln!("{n_undone} of {} kills were taken back", n_kills());
}

/// Edits one file and appends to another, as often as the name says.
pub(crate) fn edit_fifty_times(dir: &Path) {
    let world = World::open(dir);
    let me = std::process::id();
    for n in 0..50 {
        let line = format!("{me} {n}\n");
        let add = |old: &[u8]| [old, line.as_bytes()].concat();
        world
            .change(&[("edited", &add)])
            .expect("the lock comes free");
        world
            .append("appended", &line)
            .expect("the lock comes free");
    }
}

#[test]
fn two_processes_lose_no_edit() {
    let temp = tempfile::tempdir().expect("a temp folder");
    let tasks = [(); 2].map(|()| Task::start(task("edit-fifty-times", temp.path())));
    for task in tasks {
        assert!(task.finish().1);
    }
    for name in ["edited", "appended"] {
        let text = fs::read_to_string(temp.path().join(name)).expect("a file");
        let mut lines: Vec<&str> = text.lines().collect();
        lines.sort_unstable();
        lines.dedup();
        assert_eq!(lines.len(), 100, "{name}");
    }
    assert_eq!(leftovers(temp.path()), Vec::<PathBuf>::new());
}

/// Writes more than fits, in every way there is.
pub(crate) fn fill_the_disk(dir: &Path) {
    let world = World::open(dir);
    let big = "x".repeat(100_000);
    let small = |_: &[u8]| b"small".to_vec();
    let too_big = |_: &[u8]| big.clone().into_bytes();
    let say_error = |error: workspace::Error| say(&error.to_string());
    world
        .write("old", &big)
        .map_err(say_error)
        .expect_err("too big");
    world
        .write("new/er", &big)
        .map_err(say_error)
        .expect_err("too big");
    let several = world.change(&[("b", &small), ("old", &too_big)]);
    several.map_err(say_error).expect_err("too big");
    world
        .append("log", &big)
        .map_err(say_error)
        .expect_err("too big");
    world.write("b", "small").expect("room for that");
}

#[test]
fn a_full_disk_leaves_everything_as_it_was() {
    let temp = tempfile::tempdir().expect("a temp folder");
    let dir = temp.path();
    fs::write(dir.join("old"), "old").expect("a file");
    fs::write(dir.join("log"), "log").expect("a file");
    let task = Task::start(task_with_small_files("fill-the-disk", dir, 64));
    let (said, well) = task.finish();
    assert!(well, "{said:?}");
    let want =
        ["old", "new/er", "old", "log"].map(|name| format!("no space left on device: {name}"));
    assert_eq!(said, want);
    for (name, want) in [("old", "old"), ("log", "log"), ("b", "small")] {
        assert_eq!(fs::read_to_string(dir.join(name)).expect("a file"), want);
    }
    fs::symlink_metadata(dir.join("new")).expect_err("the folder was removed again");
    assert_eq!(leftovers(dir), Vec::<PathBuf>::new());
}

/// Writes where some of the permission is missing.
pub(crate) fn write_without_rights(dir: &Path) {
    let show = |done: Result<workspace::transaction::Outcome, workspace::Error>| match done {
        Ok(done) => say(&format!(
            "{}: in place: {}",
            done.path, done.written_in_place
        )),
        Err(error) => say(&error.to_string()),
    };
    let world = World::open(&dir.join("open"));
    show(world.write("closed-file", "new"));
    show(world.write("closed-folder/file", "new and longer"));
    show(world.write("closed-folder/new", "new"));
    let all = [
        ("plain", "1"),
        ("closed-folder/file", "2"),
        ("closed-file", "3"),
    ];
    let edits = all.map(|(name, content)| (name, move |_: &[u8]| content.as_bytes().to_vec()));
    let edits: Vec<(&str, Edit<'_>)> = edits.iter().map(|(name, f)| (*name, f as _)).collect();
    let error = world.change(&edits).expect_err("one is closed");
    say(&error.to_string());
    world
        .append("closed-folder/file", "!")
        .expect("it is only the folder");
    show(World::open(&dir.join("closed")).write("file", "new"));
    if dir.join("open/sticky").is_dir() {
        show(world.write("sticky/file", "new"));
    }
}

#[test]
fn missing_rights_are_respected() {
    use std::os::unix::fs::{PermissionsExt as _, chown};
    use std::os::unix::process::CommandExt as _;

    let temp = tempfile::tempdir().expect("a temp folder");
    let dir = temp.path();
    let folders = ["", "open", "open/closed-folder", "closed"];
    let files = [
        "open/plain",
        "open/closed-file",
        "open/closed-folder/file",
        "closed/file",
    ];
    for folder in folders.iter().skip(1) {
        fs::create_dir(dir.join(folder)).expect("a folder");
    }
    for file in files {
        fs::write(dir.join(file), "old").expect("a file");
    }
    let mut command = task("write-without-rights", dir);
    // Root may do anything, so as root the task runs as somebody else.
    let nobody = 65_534;
    let all = folders.iter().chain(&files);
    let mut sticky = None;
    if all
        .map(|path| chown(dir.join(path), Some(nobody), Some(nobody)))
        .all(|done| done.is_ok())
    {
        command.uid(nobody).gid(nobody);
        // Anybody may make names here, and only the owner may replace this file.
        sticky = Some("sticky/file: in place: true");
        fs::create_dir(dir.join("open/sticky")).expect("a folder");
        fs::write(dir.join("open/sticky/file"), "old").expect("a file");
    }
    let mode = |path: &str, mode| {
        fs::set_permissions(dir.join(path), fs::Permissions::from_mode(mode)).expect("own file");
    };
    if sticky.is_some() {
        mode("open/sticky", 0o1777);
        mode("open/sticky/file", 0o666);
    }
    mode("open/closed-file", 0o444);
    mode("open/closed-folder", 0o555);
    mode("closed", 0o555);
    let (said, well) = Task::start(command).finish();
    assert!(well, "{said:?}");
    let want = [
        "permission denied: closed-file",
        "closed-folder/file: in place: true",
        "permission denied: closed-folder/new",
        "permission denied: closed-file",
        "workspace is not writable: no place for recovery data; start with --state-dir",
    ];
    let want: Vec<&str> = want.into_iter().chain(sticky).collect();
    assert_eq!(said, want);
    for (path, want) in [
        ("open/plain", "old"),
        ("open/closed-file", "old"),
        ("open/closed-folder/file", "new and longer\n!"),
        ("closed/file", "old"),
    ] {
        assert_eq!(
            fs::read_to_string(dir.join(path)).expect("a file"),
            want,
            "{path}"
        );
    }
    assert_eq!(leftovers(dir), Vec::<PathBuf>::new());
    mode("open/closed-folder", 0o755);
    mode("closed", 0o755);
}
