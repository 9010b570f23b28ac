//! The supervisor itself: one process, one thread, one command.

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{
    Pid, Resource, Rlimit, WaitOptions, WaitStatus, getrlimit, setrlimit, setsid, wait,
};

use super::super::{Exit, GRACE};
use super::sweep::{self, Family, Leftovers};
use super::wire::{DISCARD, Report, STOP, Spec};
use super::{CHUNK, is_nothing_yet};

/// How often it looks for orphans that ended, while the command runs.
const TICK: Duration = Duration::from_secs(1);
/// How often it looks for the end where nothing tells of it.
const BLIND_TICK: Duration = Duration::from_millis(5);
/// How often it looks whether anything is left once the command has ended.
const LATE_TICK: Duration = Duration::from_millis(100);

/// How long killing goes on before it is given up: what the system cannot end, nobody can.
const PATIENCE: Duration = Duration::from_secs(60);

/// Supervises one command, as told over stdin. This is all that such a process does.
///
/// # Errors
/// What the operating system says when not even that can be reported.
pub fn supervise() -> io::Result<()> {
    let Ends {
        mut control,
        output,
        drain,
    } = Ends::take()?;
    // It fails only for the leader of a group, which a process just started is not.
    let _ = setsid();
    let adopts = sweep::adopt_orphans();
    sweep::wake_with_the_parents_end();
    let none = Rlimit {
        current: Some(0),
        maximum: Some(0),
    };
    let _ = setrlimit(Resource::Core, none);
    // What the server's own parent left open is nobody's here.
    close_fds::set_fds_cloexec(3, &[]);
    let spec = Spec::read(&mut control)?;
    if !is_here(&spec) {
        return control.write_all(&Report::WrongFolder.to_bytes());
    }
    limit_open_files(spec.open_files);
    let main = match start(spec, output) {
        Ok(pid) => pid,
        Err(error) => {
            // EINVAL stands for what the library itself refused.
            let errno = error.raw_os_error().unwrap_or(22);
            return control.write_all(&Report::Failed(errno).to_bytes());
        }
    };
    let number = main.as_raw_nonzero().get().unsigned_abs();
    // When the server is gone the control channel says so next, and what was started is ended.
    let _ = control.write_all(&Report::Started(number).to_bytes());
    let guard = Guard {
        main,
        family: Family::of(main, adopts),
        ended: sweep::end_of(main),
        control,
        drain,
        draining: false,
        exit: None,
    };
    guard.stand();
    Ok(())
}

/// What the server gave: it comes as the three standard streams, and is put elsewhere, so that the
/// command gets none of it.
struct Ends {
    control: UnixStream,
    output: OwnedFd,
    drain: OwnedFd,
}

impl Ends {
    #[expect(
        clippy::disallowed_methods,
        reason = "stdout is a pipe of our own here, and no protocol"
    )]
    fn take() -> io::Result<Self> {
        let control = io::stdin().as_fd().try_clone_to_owned()?;
        let output = io::stdout().as_fd().try_clone_to_owned()?;
        let drain = io::stderr().as_fd().try_clone_to_owned()?;
        let null = rustix::fs::open(
            "/dev/null",
            rustix::fs::OFlags::RDWR | rustix::fs::OFlags::CLOEXEC,
            rustix::fs::Mode::empty(),
        )?;
        rustix::stdio::dup2_stdin(&null)?;
        rustix::stdio::dup2_stdout(&null)?;
        rustix::stdio::dup2_stderr(&null)?;
        Ok(Self {
            control: control.into(),
            output,
            drain,
        })
    }
}

/// Says whether this process is in the folder that was meant, going by its identity.
fn is_here(spec: &Spec) -> bool {
    #[allow(
        clippy::cast_sign_loss,
        clippy::unnecessary_cast,
        reason = "the types of these numbers differ from system to system"
    )]
    rustix::fs::stat(".").is_ok_and(|stat| (stat.st_dev as u64, stat.st_ino as u64) == spec.folder)
}

/// Takes back what the server may have allowed itself: programs that go through all numbers of
/// files, and those that still use `select`, do not like a high limit.
fn limit_open_files(n_files: u64) {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = (n_files != u64::MAX).then_some(n_files);
    // It fails only above what is allowed, which it was not for the server either.
    let _ = setrlimit(Resource::Nofile, limit);
}

#[expect(
    clippy::disallowed_methods,
    reason = "this is where programs are started"
)]
fn start(spec: Spec, output: OwnedFd) -> io::Result<Pid> {
    let word = |bytes: Vec<u8>| OsString::from_vec(bytes);
    let child = Command::new(word(spec.program))
        .args(spec.args.into_iter().map(word))
        .env_clear()
        .envs(
            spec.variables
                .into_iter()
                .map(|(name, value)| (word(name), word(value))),
        )
        .process_group(0)
        .stdin(Stdio::null())
        .stdout(output.try_clone()?)
        .stderr(output)
        .spawn()?;
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    Ok(pid.expect("the system numbers processes with positive integers"))
}

struct Guard {
    main: Pid,
    family: Family,
    /// Becomes readable when the command ends; not every system has one.
    ended: Option<OwnedFd>,
    control: UnixStream,
    /// The reading end of the output.
    drain: OwnedFd,
    draining: bool,
    exit: Option<Exit>,
}

impl Guard {
    /// Waits for the end of everything, be it by itself or because it is asked for.
    fn stand(mut self) {
        let mut reported = false;
        loop {
            let n_left = self.reap();
            if let Some(exit) = self.exit
                && !reported
            {
                reported = true;
                self.report(exit, n_left);
            }
            if self.exit.is_some() && matches!(n_left, Leftovers::None) {
                return;
            }
            self.family.look();
            let (ordered, discarded) = self.wait();
            if ordered && self.is_told_to_stop() {
                break;
            }
            if discarded {
                self.discard();
            }
        }
        self.end_all();
        if !reported && let Some(exit) = self.exit {
            self.report(exit, Leftovers::None);
        }
    }

    /// Ends all: first by asking, then by force.
    fn end_all(&mut self) {
        let started = Instant::now();
        self.family.ask();
        while self.reap() == Leftovers::Some {
            let elapsed = started.elapsed();
            if elapsed >= GRACE + PATIENCE {
                return;
            }
            if elapsed >= GRACE {
                self.family.kill();
            }
            std::thread::sleep(sweep::TICK);
        }
    }

    /// Takes leave of what has ended; says whether anything is left.
    fn reap(&mut self) -> Leftovers {
        loop {
            match wait(WaitOptions::NOHANG) {
                Ok(Some((pid, status))) => {
                    if pid == self.main {
                        self.exit = Some(exit_of(status));
                    }
                }
                Ok(None) => return Leftovers::Some,
                Err(rustix::io::Errno::INTR) => {}
                Err(_) => return self.family.beyond_children(),
            }
        }
    }

    fn report(&mut self, exit: Exit, left: Leftovers) {
        let running = match left {
            Leftovers::None => Vec::new(),
            Leftovers::Some => self.family.running(),
        };
        // When the server is gone the control channel says so next.
        let _ = self
            .control
            .write_all(&Report::Exited(exit, running).to_bytes());
    }

    /// Waits for something to happen; says whether there is an order, or output to discard.
    fn wait(&self) -> (bool, bool) {
        let mut watched = vec![PollFd::new(&self.control, PollFlags::IN)];
        if self.draining {
            watched.push(PollFd::new(&self.drain, PollFlags::IN));
        }
        let limit = match (&self.ended, self.exit) {
            (_, Some(_)) => LATE_TICK,
            (Some(ended), None) => {
                watched.push(PollFd::new(ended, PollFlags::IN));
                TICK
            }
            (None, None) => BLIND_TICK,
        };
        let limit = Timespec::try_from(limit).ok();
        if poll(&mut watched, limit.as_ref()).is_err() {
            return (false, false);
        }
        let is_ready = |at: usize| {
            watched
                .get(at)
                .is_some_and(|watched| !watched.revents().is_empty())
        };
        (is_ready(0), self.draining && is_ready(1))
    }

    fn is_told_to_stop(&mut self) -> bool {
        let mut words = [0; 16];
        match rustix::io::read(&self.control, &mut words) {
            Ok(n @ 1..) => {
                let words = words.get(..n).unwrap_or_default();
                self.draining |= words.contains(&DISCARD);
                words.contains(&STOP)
            }
            Err(error) if is_nothing_yet(error) => false,
            // The server is gone.
            Ok(_) | Err(_) => true,
        }
    }

    /// Takes what was written to nobody, so that whoever writes can go on.
    fn discard(&mut self) {
        let mut buffer = vec![0; CHUNK];
        match rustix::io::read(&self.drain, &mut buffer) {
            Ok(n @ 1..) => debug_assert!(n > 0),
            Err(error) if is_nothing_yet(error) => {}
            Ok(_) | Err(_) => self.draining = false,
        }
    }
}

fn exit_of(status: WaitStatus) -> Exit {
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => Exit::Code(code),
        (None, signal) => Exit::Signal(signal.unwrap_or(0)),
    }
}
