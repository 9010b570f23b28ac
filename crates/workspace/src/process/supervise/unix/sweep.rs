//! Ending all that a command started.
//!
//! On Linux the supervisor is the parent of every orphan beneath it, so that all descendants are
//! found from it, whatever session or group they went to. Elsewhere the group of the command is
//! what is known.

#[cfg(target_os = "linux")]
mod linux;

#[cfg(not(target_os = "linux"))]
mod group;

use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::Pid;

use super::super::GRACE;

/// How long killing goes on before it is given up: what the system cannot end, nobody can.
const PATIENCE: Duration = Duration::from_secs(60);
/// How often it is looked whether something has ended.
const TICK: Duration = Duration::from_millis(2);

#[cfg(not(target_os = "linux"))]
pub(super) use self::group::{
    adopt_orphans, ask, beyond_children, end_of, end_strangers, kill, running,
};
#[cfg(target_os = "linux")]
pub(super) use self::linux::{
    adopt_orphans, ask, beyond_children, end_of, end_strangers, kill, running,
};

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
