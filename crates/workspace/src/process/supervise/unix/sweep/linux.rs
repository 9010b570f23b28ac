//! Linux: the supervisor is the parent of every orphan beneath it, so that all descendants are found
//! by walking down from it, whatever session or group they went to.

#![expect(
    clippy::disallowed_methods,
    reason = "the table of processes is the system's, and belongs to no root"
)]

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, WaitOptions, getpid, kill_process,
    kill_process_group, pidfd_open, pidfd_send_signal, set_child_subreaper,
    set_parent_process_death_signal, waitid, waitpid,
};

use super::super::super::Process;
use super::super::pid_of;
use super::{Leftovers, TICK};

/// A path of this program: one that leads to it even if its file was replaced, where there is one.
pub(in super::super) fn own_program() -> io::Result<PathBuf> {
    let own = PathBuf::from("/proc/self/exe");
    if fs::symlink_metadata(&own).is_ok() {
        return Ok(own);
    }
    // What the system was told when it started this program; relative paths begin where it did.
    let told = OsStr::from_bytes(rustix::param::linux_execfn().to_bytes());
    std::path::absolute(told)
}

pub(in super::super) fn adopt_orphans() {
    // Every Linux that is still around can; without it the group is what is ended.
    let _ = set_child_subreaper(Some(getpid()));
}

/// A process that was halted goes on when its parent ends, be it the server or one of its threads.
pub(in super::super) fn wake_with_the_parents_end() {
    // Without it one that its command halted is left, as is the command.
    let _ = set_parent_process_death_signal(Some(Signal::CONT));
}

pub(in super::super) fn end_of(process: Pid) -> Option<OwnedFd> {
    pidfd_open(process, PidfdFlags::empty()).ok()
}

/// What belongs to a command: all that descends from this process.
pub(in super::super) struct Family {
    main: Pid,
}

impl Family {
    pub(in super::super) fn of(main: Pid) -> Self {
        Self { main }
    }

    /// There is no need to remember: who there is can be told at any time.
    #[expect(clippy::unused_self, reason = "other systems have to remember")]
    pub(in super::super) fn look(&mut self) {}

    /// Who has no children has no descendants either.
    #[expect(clippy::unused_self, reason = "other systems have to look further")]
    pub(in super::super) fn beyond_children(&mut self) -> Leftovers {
        Leftovers::None
    }

    pub(in super::super) fn ask(&mut self) {
        self.signal(&[Signal::TERM, Signal::CONT]);
    }

    pub(in super::super) fn kill(&mut self) {
        self.signal(&[Signal::KILL]);
    }

    pub(in super::super) fn running(&mut self) -> Vec<Process> {
        let Some(children) = own_children() else {
            let children = children_by_number(self.main).into_iter();
            let named = |pid: Pid| Process {
                pid: pid.as_raw_nonzero().get().unsigned_abs(),
                name: Vec::new(),
            };
            return children.map(named).collect();
        };
        let all = with_descendants(children).into_iter();
        let alive = all.filter(|&pid| stat(pid).is_some_and(|stat| stat.state != 'Z'));
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

    fn signal(&self, signals: &[Signal]) {
        let Some(children) = own_children() else {
            for &signal in signals {
                let _ = kill_process_group(self.main, signal);
            }
            // What is beneath those that end comes here, and is found the next time.
            for child in children_by_number(self.main) {
                for &signal in signals {
                    let _ = kill_process(child, signal);
                }
            }
            return;
        };
        let all = with_descendants(children);
        let known: HashSet<u32> = all.iter().copied().chain([own_number()]).collect();
        for pid in all {
            signal_one(pid, signals, &known);
        }
    }
}

/// Signals a process if it is beneath us: the number of one that has ended may be another's.
fn signal_one(number: u32, signals: &[Signal], known: &HashSet<u32>) {
    let Some(pid) = pid_of(number) else {
        return;
    };
    let handle = end_of(pid);
    if !stat(number).is_some_and(|stat| known.contains(&stat.parent)) {
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

/// Ends the children of this process that are none of these supervisors, and all beneath them.
///
/// What this process started by itself is in its own session; what a supervisor looked after is in
/// that of the supervisor, or in one of its own.
pub(in super::super) fn end_strangers(supervisors: &HashSet<u32>, patience: Duration) {
    // It is 0 where the session was made outside of this namespace of processes.
    let Some(Stat {
        session: own_session,
        ..
    }) = stat(own_number())
    else {
        return;
    };
    let by = Instant::now() + patience;
    loop {
        let mut strangers = own_children().unwrap_or_default();
        strangers.retain(|&pid| {
            let is_stranger = |stat: Stat| stat.session != own_session;
            !supervisors.contains(&pid) && stat(pid).is_some_and(is_stranger)
        });
        if strangers.is_empty() || Instant::now() >= by {
            return;
        }
        let all = with_descendants(strangers.clone());
        let known = all.iter().copied().chain([own_number()]).collect();
        for pid in all {
            signal_one(pid, &[Signal::KILL], &known);
        }
        sleep(TICK);
        for pid in strangers.into_iter().filter_map(pid_of) {
            // Nobody else takes leave of it.
            let _ = waitpid(Some(pid), WaitOptions::NOHANG);
        }
    }
}

fn own_number() -> u32 {
    std::process::id()
}

/// The children of this process; `None` where there is no `/proc`, or one of another namespace,
/// which has other numbers for all processes.
fn own_children() -> Option<Vec<u32>> {
    let own = own_number().to_string();
    let is_ours = fs::read_link("/proc/self").is_ok_and(|number| number.as_os_str() == &*own);
    is_ours.then(|| children(own_number()))?
}

/// The children of this process that have not ended, where nothing lists them: each number that was
/// given out since the command was started is asked for.
fn children_by_number(main: Pid) -> Vec<Pid> {
    /// The system gives out no higher ones.
    const LAST: i32 = 1 << 22;
    let first = main.as_raw_nonzero().get();
    // Threads get theirs from the same row, which begins anew at its end.
    let newest = std::thread::Builder::new().spawn(rustix::thread::gettid);
    let newest = newest.ok().and_then(|thread| thread.join().ok());
    let newest = newest.map(|thread| thread.as_raw_nonzero().get());
    let numbers = match newest {
        Some(newest) if newest >= first => first..=newest,
        _ => 1..=LAST,
    };
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    let is_child = |&pid: &Pid| matches!(waitid(WaitId::Pid(pid), options), Ok(None));
    numbers.filter_map(Pid::from_raw).filter(is_child).collect()
}

fn with_descendants(mut all: Vec<u32>) -> Vec<u32> {
    let mut seen: HashSet<u32> = all.iter().copied().collect();
    let mut next = 0;
    while let Some(&pid) = all.get(next) {
        next += 1;
        let new = children(pid).into_iter().flatten();
        all.extend(new.filter(|&child| seen.insert(child)));
    }
    all
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
            .filter(|&pid| stat(pid).is_some_and(|stat| stat.parent == parent))
            .collect(),
    )
}

/// What the table of processes says of one.
struct Stat {
    state: char,
    parent: u32,
    session: u32,
}

fn stat(pid: u32) -> Option<Stat> {
    let text = fs::read(format!("/proc/{pid}/stat")).ok()?;
    // The name before the last bracket may hold anything.
    let end = memchr::memrchr(b')', &text)?;
    let rest = std::str::from_utf8(text.get(end + 1..)?).ok()?;
    let mut words = rest.split_ascii_whitespace();
    Some(Stat {
        state: words.next()?.chars().next()?,
        parent: words.next()?.parse().ok()?,
        session: words.nth(1)?.parse().ok()?,
    })
}
