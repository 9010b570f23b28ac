//! Windows.

/// Waits until the process is told to stop.
pub(crate) async fn stop_signal() {
    if tokio::signal::ctrl_c().await.is_err() {
        // Without a handler the key ends the process, as it does by default.
        std::future::pending::<()>().await;
    }
}

/// Stdin and stdout are no sockets here.
pub(crate) fn stdio_sockets() -> Option<(tokio::io::Empty, tokio::io::Sink)> {
    None
}
