//! The `workspace-mcp` binary: words in, exit code out.

use std::ffi::OsString;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use workspace::process::supervise;

fn main() -> ExitCode {
    std::panic::set_hook(Box::new(|panic| {
        // The place only: the text of a panic may hold what a client sent.
        let place = panic
            .location()
            .map_or_else(String::new, |place| format!(" at {place}"));
        let _ = writeln!(std::io::stderr(), "[workspace-mcp] internal error{place}");
    }));
    if is_supervisor() {
        return match supervise::supervise() {
            Ok(()) => ExitCode::SUCCESS,
            Err(_) => ExitCode::FAILURE,
        };
    }
    let words = std::env::args_os().skip(1).map(OsString::into_string);
    match words.collect::<Result<Vec<_>, _>>() {
        Ok(words) => workspace_mcp::commands::run(words, &current_folder(), environment),
        Err(word) => {
            let _ = writeln!(
                std::io::stderr(),
                "[workspace-mcp] argument is not valid UTF-8: {}\ntry --help",
                word.display()
            );
            ExitCode::from(2)
        }
    }
}

/// Says whether this process was started by a server to look after one command.
fn is_supervisor() -> bool {
    let mut words = std::env::args_os().skip(1);
    words.next().is_some_and(|word| word == supervise::WORD) && words.next().is_none()
}

#[expect(
    clippy::disallowed_methods,
    reason = "this is where the current folder is read"
)]
fn current_folder() -> PathBuf {
    // Without one only absolute paths can be meant: what starts at the empty path leads nowhere.
    std::env::current_dir().unwrap_or_default()
}

#[expect(
    clippy::disallowed_methods,
    reason = "this is where the environment is read"
)]
fn environment(name: &str) -> Option<String> {
    // What is not Unicode is there all the same: a token must not go missing in silence.
    std::env::var_os(name).map(|value| value.to_string_lossy().into_owned())
}
