//! Ending all that a command started.
//!
//! On Linux the supervisor is the parent of every orphan beneath it, so that all descendants are
//! found from it, whatever session or group they went to. Elsewhere the group of the command is
//! what is known.

#![cfg_attr(
    target_os = "linux",
    expect(
        clippy::disallowed_methods,
        reason = "the table of processes is the system's, and belongs to no root"
    )
)]

use std::os::fd::OwnedFd;
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

use super::super::{GRACE, Process};

/// How long killing goes on before it is given up: what the system cannot end, nobody can.
const PATIENCE: Duration = Duration::from_secs(60);
/// How often it is looked whether something has ended.
const TICK: Duration = Duration::from_millis(2);

/// Whether anything is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leftovers {
    None,
    Some,
}

/// Ends all: first by asking, then by force. `reap` takes leave of what has ended, and says whether
/// anything is left.
pub(super) fn end_all(main: Pid, mut reap: impl FnMut() -> Leftovers) {
    let started = Instant::now();
    ask(main);
    while started.elapsed() < GRACE {
        if reap() == Leftovers::None {
            return;
        }
        sleep(TICK);
    }
    while started.elapsed() < GRACE + PATIENCE {
        kill(main);
        if reap() == Leftovers::None {
            return;
        }
        sleep(TICK);
    }
}

#[cfg(target_os = "linux")]
pub(super) use self::linux::{adopt_orphans, ask, beyond_children, end_of, kill, running};

#[cfg(not(target_os = "linux"))]
pub(super) use self::group::{adopt_orphans, ask, beyond_children, end_of, kill, running};

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::HashSet;
    use std::fs;

    use rustix::process::{
        PidfdFlags, getpid, kill_process, pidfd_open, pidfd_send_signal, set_child_subreaper,
    };

    use super::{Leftovers, OwnedFd, Pid, Process, Signal, kill_process_group};

    pub(in super::super) fn adopt_orphans() {
        // Every Linux that is still around can; without it the group is what is ended.
        let _ = set_child_subreaper(Some(getpid()));
    }

    pub(in super::super) fn end_of(process: Pid) -> Option<OwnedFd> {
        pidfd_open(process, PidfdFlags::empty()).ok()
    }

    /// Who has no children has no descendants either.
    pub(in super::super) fn beyond_children(_: Pid) -> Leftovers {
        Leftovers::None
    }

    pub(in super::super) fn ask(main: Pid) {
        signal_all(main, &[Signal::TERM, Signal::CONT]);
    }

    pub(in super::super) fn kill(main: Pid) {
        signal_all(main, &[Signal::KILL]);
    }

    pub(in super::super) fn running(_: Pid) -> Vec<Process> {
        let all = descendants().into_iter().flatten();
        let alive = all.filter(|&pid| stat(pid).is_some_and(|(state, _)| state != 'Z'));
        alive
            .map(|pid| {
                let name = fs::read(format!("/proc/{pid}/comm")).unwrap_or_default();
                Process {
                    pid,
                    name: name.trim_ascii_end().to_vec(),
                }
            })
            .collect()
    }

    fn signal_all(main: Pid, signals: &[Signal]) {
        let Some(all) = descendants() else {
            // Nothing tells who there is.
            for &signal in signals {
                let _ = kill_process_group(main, signal);
            }
            return;
        };
        let known: HashSet<u32> = all.iter().copied().chain([own_number()]).collect();
        for pid in all {
            signal_one(pid, signals, &known);
        }
    }

    /// Signals a process if it is beneath us: the number of one that has ended may be another's.
    fn signal_one(number: u32, signals: &[Signal], known: &HashSet<u32>) {
        let Some(pid) = super::super::pid_of(number) else {
            return;
        };
        let handle = end_of(pid);
        if !stat(number).is_some_and(|(_, parent)| known.contains(&parent)) {
            return;
        }
        for &signal in signals {
            // It fails when the process has ended.
            let _ = match &handle {
                Some(handle) => pidfd_send_signal(handle, signal),
                None => kill_process(pid, signal),
            };
        }
    }

    fn own_number() -> u32 {
        std::process::id()
    }

    /// All that are beneath this process; `None` when the system does not tell.
    fn descendants() -> Option<Vec<u32>> {
        let mut all = children(own_number())?;
        let mut seen: HashSet<u32> = all.iter().copied().collect();
        let mut next = 0;
        while let Some(&pid) = all.get(next) {
            next += 1;
            let new = children(pid).into_iter().flatten();
            all.extend(new.filter(|&child| seen.insert(child)));
        }
        Some(all)
    }

    /// The children of all threads of a process.
    fn children(pid: u32) -> Option<Vec<u32>> {
        let mut all = Vec::new();
        for task in fs::read_dir(format!("/proc/{pid}/task")).ok()?.flatten() {
            match fs::read_to_string(task.path().join("children")) {
                Ok(list) => all.extend(
                    list.split_ascii_whitespace()
                        .filter_map(|word| word.parse::<u32>().ok()),
                ),
                // Not every kernel has these files.
                Err(_) => return children_by_parent(pid),
            }
        }
        Some(all)
    }

    fn children_by_parent(parent: u32) -> Option<Vec<u32>> {
        let names = fs::read_dir("/proc").ok()?.flatten();
        let numbers = names.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        Some(
            numbers
                .filter(|&pid| stat(pid).is_some_and(|(_, of)| of == parent))
                .collect(),
        )
    }

    /// The state and the parent of a process.
    fn stat(pid: u32) -> Option<(char, u32)> {
        let text = fs::read(format!("/proc/{pid}/stat")).ok()?;
        // The name before the last bracket may hold anything.
        let end = memchr::memrchr(b')', &text)?;
        let rest = std::str::from_utf8(text.get(end + 1..)?).ok()?;
        let mut words = rest.split_ascii_whitespace();
        let state = words.next()?.chars().next()?;
        Some((state, words.next()?.parse().ok()?))
    }
}

#[cfg(not(target_os = "linux"))]
mod group {
    use rustix::process::test_kill_process_group;

    use super::{Leftovers, OwnedFd, Pid, Process, Signal, kill_process_group};

    pub(in super::super) fn adopt_orphans() {}

    pub(in super::super) fn end_of(_: Pid) -> Option<OwnedFd> {
        None
    }

    /// Orphans have gone to another parent, but not necessarily to another group.
    pub(in super::super) fn beyond_children(main: Pid) -> Leftovers {
        match test_kill_process_group(main) {
            Ok(()) => Leftovers::Some,
            Err(_) => Leftovers::None,
        }
    }

    pub(in super::super) fn ask(main: Pid) {
        for signal in [Signal::TERM, Signal::CONT] {
            let _ = kill_process_group(main, signal);
        }
    }

    pub(in super::super) fn kill(main: Pid) {
        let _ = kill_process_group(main, Signal::KILL);
    }

    /// The group is all that is known; its number stands for it.
    pub(in super::super) fn running(main: Pid) -> Vec<Process> {
        vec![Process {
            pid: main.as_raw_nonzero().get().unsigned_abs(),
            name: b"(group)".to_vec(),
        }]
    }
}
