//! Elsewhere.

use std::collections::HashSet;
use std::os::fd::OwnedFd;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};

use super::super::super::Process;
use super::Leftovers;

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

/// Orphans go to the first process of the system.
pub(in super::super) fn end_strangers(_: &HashSet<u32>, _: Duration) {}
