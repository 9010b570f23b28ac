//! Unix.

use std::os::fd::{AsFd as _, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;

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

/// Makes stdin and stdout wait for what they do, should whoever started the program have them not.
pub(crate) fn make_stdio_block() {
    make_block(std::io::stdin().as_fd());
    make_block(standard_output().as_fd());
}

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

/// Where the user keeps configuration of programs.
pub(crate) fn user_config_dir(environment: fn(&str) -> Option<String>) -> Option<PathBuf> {
    let absolute = |name| {
        environment(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    absolute("XDG_CONFIG_HOME").or_else(|| Some(absolute("HOME")?.join(".config")))
}
