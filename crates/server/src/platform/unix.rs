//! Unix.

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
