//! Servers that are killed in the middle of a transaction: the next one finishes it or takes it back,
//! in the files and in the history, and says so.

use std::hint::spin_loop;
use std::io::Read as _;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::world::{Talk, World, create, hash};
use crate::races::soak;

/// Files that change together.
const FILES: usize = 50;

fn name(n: usize) -> String {
    format!("d{}/f{n}", n % 7)
}

fn content(version: usize) -> String {
    format!("version {version}\n").repeat(200)
}

/// The version that all files have.
fn version_of(world: &World) -> usize {
    let versions: Vec<usize> = (0..FILES)
        .map(|n| {
            let text = world.read(&name(n));
            let version = text.lines().next().unwrap().split(' ').nth(1).unwrap();
            let version = version.parse().unwrap();
            assert!(text == content(version), "{} is torn", name(n));
            version
        })
        .collect();
    assert!(
        versions.iter().all(|version| *version == versions[0]),
        "half of a change: {versions:?}"
    );
    versions[0]
}

/// One operation for each file, and one file that comes or goes with odd and even versions.
fn change(from: usize) -> Vec<Value> {
    let old = hash(content(from));
    let mut operations: Vec<Value> = (0..FILES)
        .map(|n| {
            json!({"op": "replace_file", "path": name(n), "content": content(from + 1),
                   "expected_sha256": old})
        })
        .collect();
    operations.push(if from.is_multiple_of(2) {
        create("odd/file", "x")
    } else {
        json!({"op": "delete_file", "path": "odd/file", "expected_sha256": hash("x")})
    });
    operations
}

#[test]
fn a_kill_leaves_the_old_state_or_the_new_one() {
    let world = World::new(&[]);
    for n in 0..FILES {
        world.write(&name(n), content(0));
    }
    drop(world.start());
    let mut random: u32 = 7;
    let mut n_told = 0;
    let mut n_checkpoints = 1;
    for round in 0..20 * soak() {
        let mut talk = world.start();
        let from = version_of(&world);
        talk.client
            .send_call("apply_changes", json!({"operations": change(from)}));
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let moment = Instant::now()
            + if round % 2 == 0 {
                Duration::from_micros(u64::from(random >> 8) % 60_000)
            } else {
                Duration::from_secs(5)
            };
        // Every other time at a certain point of the change.
        let point = ["", ".json", "", ".then"][round % 4];
        while Instant::now() < moment && (point.is_empty() || !is_at(&world, point)) {
            spin_loop();
        }
        let answers = talk.client.kill();
        let done = answers
            .iter()
            .any(|answer| answer["result"]["structuredContent"]["checkpoint"].is_string());
        let (any, happened) = (
            is_at(&world, ""),
            is_at(&world, ".done") || is_at(&world, ".then"),
        );
        let mut child = world
            .program(&[])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdin.take());
        let mut said = String::new();
        let mut stderr = child.stderr.take().unwrap();
        stderr.read_to_string(&mut said).unwrap();
        assert!(child.wait().unwrap().success(), "{said}");
        if !said.is_empty() {
            n_told += 1;
            let start = "[workspace-mcp] an earlier server ended in the middle of a change: ";
            assert!(said.starts_with(start), "{said}");
            assert_eq!(said.lines().count(), 1);
        }
        assert!(any || said.is_empty(), "nothing was left: {said}");
        assert!(!happened || said.contains(" 1 finished, "), "{said:?}");
        let now = version_of(&world);
        assert!(!happened || now == from + 1);
        assert!(now == from || now == from + 1);
        assert!(!done || now == from + 1, "a change that was told is lost");
        assert_eq!(world.has("odd/file"), now % 2 == 1);
        let mut talk = world.start();
        let status = talk.ok("git_status", json!({}));
        assert_eq!(status["clean"], true, "{status}");
        let n = count(&mut talk);
        assert!(n >= n_checkpoints, "history only grows");
        n_checkpoints = n;
        assert_clean_repository(&world);
    }
    assert!(n_told > 0, "no kill came in the middle");
}

/// Whether there is a record of a change whose name ends so: `.json` for one under way, `.done` for one
/// that happened, `.then` for one that only lacks its checkpoint.
fn is_at(world: &World, point: &str) -> bool {
    let records = std::fs::read_dir(world.path(".workspace-mcp/tx"));
    let mut names = records.into_iter().flatten().flatten();
    names.any(|record| record.file_name().to_string_lossy().ends_with(point))
}

fn count(talk: &mut Talk) -> usize {
    talk.messages().len()
}

/// The repository as git finds it, where there is git.
fn assert_clean_repository(world: &World) {
    let output = std::process::Command::new("git")
        .args(["-C", &world.root().display().to_string()])
        .args(["fsck", "--strict", "--no-dangling"])
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output();
    if let Ok(output) = output {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{said}");
        assert!(
            !said.contains("error") && !said.contains("missing"),
            "{said}"
        );
    }
}
