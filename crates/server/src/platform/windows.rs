//! Windows.

use std::path::PathBuf;

/// Takes the key that stops the process from now on; the future waits for it.
pub(crate) fn stop_signal() -> impl Future<Output = ()> {
    let key = tokio::signal::windows::ctrl_c();
    async {
        let Ok(mut key) = key else {
            // Without a handler the key ends the process, as it does by default.
            return std::future::pending().await;
        };
        key.recv().await;
    }
}

/// Stdin and stdout always wait here.
pub(crate) fn make_stdio_block() {}

/// The width of a pipe is not up to its users here.
pub(crate) fn widen_output() {}

/// The variable that says where the home folder of the user is.
pub(crate) const HOME_VARIABLE: &str = "USERPROFILE";

/// Where the user keeps configuration of programs.
pub(crate) fn user_config_dir(environment: fn(&str) -> Option<String>) -> Option<PathBuf> {
    let path = PathBuf::from(environment("APPDATA")?);
    path.is_absolute().then_some(path)
}

/// There are no such signals here.
pub(crate) fn settle_signals() {}

/// There is no limit on open files to speak of here.
pub(crate) fn allow_many_files() -> usize {
    usize::MAX
}

/// Where the user keeps data of programs.
pub(crate) fn user_data_dir(environment: fn(&str) -> Option<String>) -> Option<PathBuf> {
    let path = PathBuf::from(environment("LOCALAPPDATA")?);
    path.is_absolute().then_some(path)
}

/// The folder above the one with the profiles of the tunnel client, which looks for the variables
/// of Unix first.
pub(crate) fn profile_dir(environment: fn(&str) -> Option<String>) -> Option<PathBuf> {
    let named = |name| environment(name).filter(|path| !path.is_empty());
    named("XDG_CONFIG_HOME")
        .map(PathBuf::from)
        .or_else(|| named("HOME").map(|home| PathBuf::from(home).join(".config")))
        .or_else(|| user_config_dir(environment))
}

/// Says whether a terminal here takes colours: the old console shows their codes as they are.
pub(crate) fn takes_colours(environment: fn(&str) -> Option<String>) -> bool {
    environment("WT_SESSION").is_some() || environment("TERM").is_some_and(|term| term != "dumb")
}
