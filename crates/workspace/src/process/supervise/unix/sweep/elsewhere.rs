//! Elsewhere orphans go to the first process of the system, and only its table tells who there is.
//! It is looked at now and then while the command runs: who left the group is found when it was
//! seen before its parent ended.

use std::collections::HashSet;
use std::io;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, kill_process_group, test_kill_process_group};

use super::super::super::Process;
use super::super::pid_of;
use super::Leftovers;
use super::table::{self, Known};

/// When the table is first looked at; what is shorter shall not pay for it.
const FIRST_LOOK: Duration = Duration::from_millis(200);
/// How often it is looked at while the command runs, or what it left.
const LOOK: Duration = Duration::from_secs(1);
/// How often, while all is being ended.
const LOOK_AT_THE_END: Duration = Duration::from_millis(50);

/// What belongs to a command.
pub(in super::super) struct Family {
    main: Pid,
    known: Known,
    next_look: Instant,
    between_looks: Duration,
}

impl Family {
    pub(in super::super) fn of(main: Pid, _adopts: bool) -> Self {
        let number = main.as_raw_nonzero().get().unsigned_abs();
        Self {
            main,
            known: Known::new(number, std::process::id()),
            next_look: Instant::now() + FIRST_LOOK,
            between_looks: LOOK,
        }
    }

    /// Looks who there is, if it is time to.
    pub(in super::super) fn look(&mut self) {
        if Instant::now() >= self.next_look {
            self.signal(&[]);
        }
    }

    /// Whether anything is left when there are no children any more.
    pub(in super::super) fn beyond_children(&mut self) -> Leftovers {
        self.look();
        if test_kill_process_group(self.main).is_err() && self.known.is_empty() {
            return Leftovers::None;
        }
        Leftovers::Some
    }

    pub(in super::super) fn ask(&mut self) {
        self.between_looks = LOOK_AT_THE_END;
        self.signal(&[Signal::TERM, Signal::CONT]);
    }

    pub(in super::super) fn kill(&mut self) {
        if Instant::now() >= self.next_look {
            self.signal(&[Signal::KILL]);
        }
    }

    pub(in super::super) fn running(&mut self) -> Vec<Process> {
        let rows = table::read().unwrap_or_default();
        self.known
            .look(&rows)
            .into_iter()
            .map(Process::from)
            .collect()
    }

    fn signal(&mut self, signals: &[Signal]) {
        let rows = table::read().unwrap_or_default();
        self.next_look = Instant::now() + self.between_looks;
        for row in self.known.look(&rows) {
            for &signal in signals {
                // It fails when the process has ended.
                let _ = pid_of(row.pid).map(|pid| kill_process(pid, signal));
            }
        }
        for &signal in signals {
            // Should the table not tell, the group is what is known.
            let _ = kill_process_group(self.main, signal);
        }
    }
}

/// The path of this program.
pub(in super::super) fn own_program() -> io::Result<PathBuf> {
    std::env::current_exe()
}

pub(in super::super) fn adopt_orphans() -> bool {
    false
}

pub(in super::super) fn wake_with_the_parents_end() {}

pub(in super::super) fn end_of(_: Pid) -> Option<OwnedFd> {
    None
}

pub(in super::super) fn end_strangers(_: &HashSet<u32>, _: Duration) {}
