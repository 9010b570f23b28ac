//! How much is shown, and for how long.

use std::time::{Duration, Instant};

use workspace::git::{DiffRequest, Git};
use workspace::process::Environment;
use workspace::{Cancel, Error};

use super::world::World;

#[test]
fn fifty_thousand_new_files_are_counted_in_seconds() {
    let world = World::new();
    for n in 0..50_000 {
        std::fs::write(world.root().join(format!("new-{n:05}")), "").unwrap();
    }
    let workspace = world.workspace(&world.root(), &[]);
    let reader = workspace.reader(&Cancel::never()).unwrap();
    let start = Instant::now();
    let status = world.git.status(&reader).unwrap();
    assert!(start.elapsed() < Duration::from_secs(8));
    assert_eq!((status.entries.len(), status.n_more), (2000, 48_000));
    assert_eq!(status.entries[1999], "?? new-01999");
}

#[test]
fn a_long_difference_shows_both_ends_whole_characters_only() {
    let world = World::new();
    world.write("a.txt", "é日🙂\n".repeat(20_000));
    let plain = world.plain(&["diff"]);
    let plain = plain.trim_end_matches('\n');
    let diff = world.diff(&DiffRequest::default());
    let cut = diff.cut.unwrap();
    assert!(plain.starts_with(&diff.text) && plain.ends_with(&cut.tail));
    assert!(
        (32_765..=32_768).contains(&diff.text.len()),
        "{}",
        diff.text.len()
    );
    assert!(
        (32_765..=32_768).contains(&cut.tail.len()),
        "{}",
        cut.tail.len()
    );
    let shown = (diff.text.len() + cut.tail.len()) as u64;
    assert_eq!(cut.n_bytes, plain.len() as u64 - shown);
}

#[test]
fn a_difference_of_just_the_limit_is_whole() {
    let world = World::new();
    let length = |n: usize| {
        world.write("a.txt", "x".repeat(n));
        world.plain(&["diff"]).trim_end_matches('\n').len()
    };
    let n = 60_000 + 65_536 - length(60_000);
    assert_eq!(length(n), 65_536);
    assert_eq!(world.diff(&DiffRequest::default()).cut, None);
    assert_eq!(length(n + 1), 65_537);
    let cut = world.diff(&DiffRequest::default()).cut.unwrap();
    assert_eq!((cut.n_bytes, cut.tail.len()), (1, 32_768));
}

#[test]
fn bytes_that_are_no_text_are_shown_as_such() {
    let world = World::new();
    world.write("a.txt", b"caf\xe9\n");
    assert!(
        world
            .diff(&DiffRequest::default())
            .text
            .contains("+caf\u{fffd}")
    );
}

#[test]
fn giving_up_ends_git() {
    let world = World::new();
    let cancel = Cancel::never();
    let workspace = world.workspace(&world.root(), &[]);
    let reader = workspace.reader(&cancel).unwrap();
    cancel.cancel();
    assert!(matches!(world.git.status(&reader), Err(Error::Cancelled)));
    assert_eq!(
        std::fs::read_dir(world.path().join("tmp")).unwrap().count(),
        0
    );
}

#[test]
fn a_failure_is_told_in_gits_words_and_leaves_nothing_behind() {
    use std::os::unix::fs::PermissionsExt as _;
    let world = World::new();
    let bin = world.path().join("bin");
    std::fs::create_dir(&bin).unwrap();
    std::fs::write(
        bin.join("git"),
        "#!/bin/sh\necho 'fatal: no luck today' >&2\nexit 128\n",
    )
    .unwrap();
    std::fs::set_permissions(bin.join("git"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let git = Git::new(Environment::of([
        ("PATH", bin.as_os_str()),
        ("TMPDIR", world.path().join("tmp").as_os_str()),
    ]));
    let workspace = world.workspace(&world.root(), &[]);
    let reader = workspace.reader(&Cancel::never()).unwrap();
    let error = git.diff(&reader, &DiffRequest::default()).unwrap_err();
    assert_eq!(error.to_string(), "fatal: no luck today");
    assert_eq!(
        std::fs::read_dir(world.path().join("tmp")).unwrap().count(),
        0
    );
}
