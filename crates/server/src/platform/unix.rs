//! Unix.

use std::os::fd::{AsFd as _, BorrowedFd};

use tokio::net::UnixStream;
use tokio::signal::unix::{SignalKind, signal};

/// Waits until the process is told to stop.
pub(crate) async fn stop_signal() {
    let interrupt = signal(SignalKind::interrupt());
    let terminate = signal(SignalKind::terminate());
    let (Ok(mut interrupt), Ok(mut terminate)) = (interrupt, terminate) else {
        // Without a handler the signals end the process, as they do by default.
        return std::future::pending().await;
    };
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
}

/// Stdin and stdout without a thread between, when both are sockets, as the pipes of Node are.
///
/// They no longer block afterwards, for anyone who holds them in this process.
pub(crate) fn stdio_sockets() -> Option<(UnixStream, UnixStream)> {
    let input = socket(std::io::stdin().as_fd())?;
    let output = socket(standard_output().as_fd())?;
    Some((input, output))
}

fn socket(standard: BorrowedFd<'_>) -> Option<UnixStream> {
    let socket = std::os::unix::net::UnixStream::from(standard.try_clone_to_owned().ok()?);
    // Only a socket of this family has such an address.
    socket.local_addr().ok()?;
    socket.set_nonblocking(true).ok()?;
    UnixStream::from_std(socket).ok()
}

#[expect(
    clippy::disallowed_methods,
    reason = "the protocol goes to stdout, and this is how it gets there"
)]
fn standard_output() -> std::io::Stdout {
    std::io::stdout()
}
