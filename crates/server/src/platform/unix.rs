//! Unix.

use std::os::fd::{AsFd as _, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;

use rustix::process::{Resource, Signal, getrlimit, setrlimit};
use tokio::signal::unix::{SignalKind, signal};

/// Takes the signals that stop the process from now on; the future waits for the first.
pub(crate) fn stop_signal() -> impl Future<Output = ()> {
    let interrupt = signal(SignalKind::interrupt());
    let terminate = signal(SignalKind::terminate());
    async {
        let (Ok(mut interrupt), Ok(mut terminate)) = (interrupt, terminate) else {
            // Without a handler the signals end the process, as they do by default.
            return std::future::pending().await;
        };
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    }
}

/// Settles what two signals do for the rest of the process. Programs that it starts have them as by
/// default.
///
/// A write beyond a limit on file sizes (`ulimit -f`) fails like one on a full disk, where the signal
/// for it would end the process. And the system tells how children end: whoever started this process
/// may have had the signal for that ignored, and then it does not.
pub(crate) fn settle_signals() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .build();
    // Without a handler they do what they did.
    let Ok(runtime) = runtime else { return };
    let _context = runtime.enter();
    drop(signal(SignalKind::from_raw(Signal::XFSZ.as_raw())));
    drop(signal(SignalKind::child()));
}

/// Lets the process hold as many open files as it may, within reason; by default that is often much
/// less. Gives how many that are.
pub(crate) fn allow_many_files() -> usize {
    const ENOUGH: u64 = 8192;
    let mut limit = getrlimit(Resource::Nofile);
    let most = limit.maximum.unwrap_or(ENOUGH).min(ENOUGH);
    if limit.current.is_some_and(|current| current < most) {
        limit.current = Some(most);
        // With fewer files there are fewer connections, which is no reason not to start.
        let _ = setrlimit(Resource::Nofile, limit);
        limit = getrlimit(Resource::Nofile);
    }
    let limit = limit.current.and_then(|limit| limit.try_into().ok());
    limit.unwrap_or(usize::MAX)
}

/// Makes stdin and stdout wait for what they do, should whoever started the program have them not.
pub(crate) fn make_stdio_block() {
    make_block(std::io::stdin().as_fd());
    make_block(standard_output().as_fd());
}

/// Lets answers wait in the pipe, not in this process, while the client reads earlier ones.
#[cfg(target_os = "linux")]
pub(crate) fn widen_output() {
    const PIPE_BYTES: usize = 1024 * 1024;
    // It is no pipe, or the user has too many that wide: then it stays as it is.
    let _ = rustix::pipe::fcntl_setpipe_size(standard_output(), PIPE_BYTES);
}

/// The width of a pipe is not up to its users here.
#[cfg(not(target_os = "linux"))]
pub(crate) fn widen_output() {}

fn make_block(standard: BorrowedFd<'_>) {
    // The standard library has this setting on sockets only; the call behind it takes any file.
    if let Ok(own) = standard.try_clone_to_owned() {
        let _ = UnixStream::from(own).set_nonblocking(false);
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the protocol goes to stdout, and this is about how it gets there"
)]
fn standard_output() -> std::io::Stdout {
    std::io::stdout()
}

/// The variable that says where the home folder of the user is.
pub(crate) const HOME_VARIABLE: &str = "HOME";

/// Where the user keeps configuration of programs.
pub(crate) fn user_config_dir(environment: fn(&str) -> Option<String>) -> Option<PathBuf> {
    let absolute = |name| {
        environment(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    absolute("XDG_CONFIG_HOME").or_else(|| Some(absolute("HOME")?.join(".config")))
}

/// Where the user keeps data of programs.
pub(crate) fn user_data_dir(environment: fn(&str) -> Option<String>) -> Option<PathBuf> {
    let absolute = |name| {
        environment(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    absolute("XDG_DATA_HOME").or_else(|| Some(absolute("HOME")?.join(".local/share")))
}

/// The folder above the one with the profiles of the tunnel client.
pub(crate) fn profile_dir(environment: fn(&str) -> Option<String>) -> Option<PathBuf> {
    user_config_dir(environment)
}

/// Says whether a terminal here takes colours.
pub(crate) fn takes_colours(environment: fn(&str) -> Option<String>) -> bool {
    environment("TERM").is_some_and(|term| !term.is_empty() && term != "dumb")
}
