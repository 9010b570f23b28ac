use std::path::PathBuf;
use std::sync::mpsc::channel;
use std::time::Duration;

use rooted::{Mode, RelPath, Root};

use super::{End, Ends, Environment, Folder, Invocation, run, variable};
use crate::cancel::Cancel;

/// What a shell script did: how it ended, and what it wrote.
fn script(text: &str, time_limit: Duration, cancel: &Cancel) -> (End, String, String) {
    let folder = tempfile::tempdir().unwrap();
    let root = Root::open(folder.path(), Mode::FOLLOW).unwrap();
    let dir = root.open_dir(&RelPath::root()).unwrap();
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let end = run(
        &Invocation {
            program: &PathBuf::from("/bin/sh"),
            args: &["-c".into(), text.into()],
            folder: Folder {
                dir: &dir,
                path: root.host_path(),
            },
            variables: &[variable("ONLY", "this")],
            time_limit,
        },
        &mut |bytes| stdout.extend_from_slice(bytes),
        &mut |bytes| stderr.extend_from_slice(bytes),
        cancel,
    )
    .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let here = root.host_path().to_string_lossy().into_owned();
    (end, text(stdout).replace(&here, "HERE"), text(stderr))
}

const LONG: Duration = Duration::from_secs(60);

#[test]
fn a_program_starts_in_the_folder_and_sees_only_what_it_is_given() {
    let told = "pwd -P; echo $ONLY $HOME; cat; echo gone >&2; exit 3";
    let (end, stdout, stderr) = script(told, LONG, &Cancel::never());
    assert_eq!((end, &*stderr), (End::Exited(3), "gone\n"));
    assert_eq!(stdout, "HERE\nthis\n");
}

#[test]
fn output_larger_than_any_pipe_comes_through() {
    let told = "i=0; while [ $i -lt 20000 ]; do echo 0123456789; echo e >&2; i=$((i+1)); done";
    let (end, stdout, stderr) = script(told, LONG, &Cancel::never());
    assert_eq!(end, End::Exited(0));
    assert_eq!((stdout.len(), stderr.len()), (220_000, 40_000));
}

#[test]
fn time_ends_a_program_and_what_it_started() {
    let (end, ..) = script(
        "sleep 600 & sleep 600",
        Duration::from_millis(50),
        &Cancel::never(),
    );
    assert_eq!(end, End::TimedOut);
}

#[test]
fn a_child_left_behind_does_not_hold_the_answer() {
    let (end, stdout, _) = script("sleep 600 & echo done", LONG, &Cancel::never());
    assert_eq!((end, &*stdout), (End::Exited(0), "done\n"));
}

#[test]
fn giving_up_ends_a_program() {
    let cancel = Cancel::never();
    let (started, wait) = channel::<()>();
    let raise = cancel.clone();
    let other = std::thread::spawn(move || {
        wait.recv().unwrap();
        raise.cancel();
    });
    started.send(()).unwrap();
    assert_eq!(script("sleep 600", LONG, &cancel).0, End::Cancelled);
    other.join().unwrap();
}

#[test]
fn both_ends_of_an_output_are_kept() {
    let mut ends = Ends::new(3, 2);
    for chunk in ["ab", "cdef", "", "g"] {
        ends.push(chunk.as_bytes());
    }
    assert_eq!(ends.head, b"abc");
    assert_eq!(ends.tail, b"fg");
    assert_eq!((ends.n_dropped, ends.n_total()), (2, 7));
}

#[test]
fn a_workspace_and_the_current_folder_choose_no_program() {
    let environment = Environment::of([("PATH", "/w/bin:.:bin::/usr/bin:/wide")]);
    let folders = environment.program_folders("/w".as_ref());
    assert_eq!(folders, [PathBuf::from("/usr/bin"), PathBuf::from("/wide")]);
}
