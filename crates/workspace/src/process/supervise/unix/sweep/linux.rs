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

use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, WaitOptions, getpid, kill_process,
    kill_process_group, pidfd_open, pidfd_send_signal, set_child_subreaper,
    set_parent_process_death_signal, test_kill_process_group, waitid, waitpid,
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

/// Makes this process the parent of orphans; says whether it is. Every Linux that is still around
/// can do that, but a sandbox may forbid it.
pub(in super::super) fn adopt_orphans() -> bool {
    set_child_subreaper(Some(getpid())).is_ok()
}

/// A process that was halted goes on when its parent ends, be it the server or one of its threads.
pub(in super::super) fn wake_with_the_parents_end() {
    // Without it one that its command halted is left, as is the command.
    let _ = set_parent_process_death_signal(Some(Signal::CONT));
}

pub(in super::super) fn end_of(process: Pid) -> Option<OwnedFd> {
    pidfd_open(process, PidfdFlags::empty()).ok()
}

/// What belongs to a command: all that descends from this process. Where orphans do not come to it,
/// the command's group too.
pub(in super::super) struct Family {
    main: Pid,
    adopts: bool,
}

impl Family {
    pub(in super::super) fn of(main: Pid, adopts: bool) -> Self {
        Self { main, adopts }
    }

    /// There is no need to remember: who there is can be told at any time.
    #[expect(clippy::unused_self, reason = "other systems have to remember")]
    pub(in super::super) fn look(&mut self) {}

    /// Who has no children has no descendants either, if orphans come to it.
    pub(in super::super) fn beyond_children(&mut self) -> Leftovers {
        if self.adopts || test_kill_process_group(self.main).is_err() {
            Leftovers::None
        } else {
            Leftovers::Some
        }
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
        let mut all = with_descendants(children);
        if !self.adopts {
            let group = self.main.as_raw_nonzero().get().unsigned_abs();
            all.extend(processes_with(|stat| stat.group == group));
        }
        let all = all.into_iter();
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
        let children = own_children();
        let is_whole = self.adopts && children.is_some();
        match children {
            Some(children) => signal_all(&with_descendants(children), signals),
            // What is beneath those that end comes here, and is found the next time.
            None => {
                for child in children_by_number(self.main) {
                    for &signal in signals {
                        signal_one(child, None, signal);
                    }
                }
            }
        }
        if !is_whole {
            for &signal in signals {
                // It fails when nothing of the group is left.
                let _ = kill_process_group(self.main, signal);
            }
        }
    }
}

/// Signals those of these processes that are beneath us: the number of one that has ended may be
/// another's. Who is meant is looked up before the first is signalled, since that may end a parent.
fn signal_all(all: &[u32], signals: &[Signal]) {
    /// Each holds a file open meanwhile.
    const AT_ONCE: usize = 128;
    let known: HashSet<u32> = all.iter().copied().chain([own_number()]).collect();
    let meant = |&number: &u32| {
        let pid = pid_of(number)?;
        let handle = end_of(pid);
        let is_beneath = known.contains(&stat(number)?.parent);
        is_beneath.then_some((pid, handle))
    };
    for some in all.chunks(AT_ONCE) {
        let meant: Vec<_> = some.iter().filter_map(meant).collect();
        for (pid, handle) in meant {
            for &signal in signals {
                signal_one(pid, handle.as_ref(), signal);
            }
        }
    }
}

fn signal_one(pid: Pid, handle: Option<&OwnedFd>, signal: Signal) {
    let sent = match handle {
        Some(handle) => pidfd_send_signal(handle, signal),
        None => Err(Errno::NOSYS),
    };
    // It fails when the process has ended, or where a sandbox does not know the call.
    if matches!(sent, Err(Errno::NOSYS | Errno::PERM)) {
        let _ = kill_process(pid, signal);
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
        signal_all(&with_descendants(strangers.clone()), &[Signal::KILL]);
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
            Err(_) => return Some(processes_with(|stat| stat.parent == pid)),
        }
    }
    Some(all)
}

/// All processes of which the table says this.
fn processes_with(is_meant: impl Fn(&Stat) -> bool) -> Vec<u32> {
    let names = fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = names.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    numbers
        .filter(|&pid| stat(pid).as_ref().is_some_and(&is_meant))
        .collect()
}

/// What the table of processes says of one.
struct Stat {
    state: char,
    parent: u32,
    group: u32,
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
        group: words.next()?.parse().ok()?,
        session: words.next()?.parse().ok()?,
    })
}
