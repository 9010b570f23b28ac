//! What a command sees of the variables that the server was started with, and where programs are.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::time::Duration;

use rooted::{Mode, RelPath, Root};

use crate::cancel::Cancel;
use crate::process::{BARE_FOLDERS, Environment, Folder, Invocation, USUAL_PATH, run, variable};

/// Never passed on, whatever is released: they are the server's own.
const OWN: [&str; 4] = [
    "CONTROL_PLANE_API_KEY",
    "OPENAI_API_KEY",
    "OPENAI_ADMIN_KEY",
    "MCP_TOKEN",
];
/// Parts of names that make a variable look secret.
const SECRET_PARTS: [&str; 4] = ["TOKEN", "SECRET", "PASSWORD", "API_KEY"];
/// How such a name may begin.
const SECRET_START: &str = "AWS_";
/// How such a name may end.
const SECRET_END: &str = "_CREDENTIALS";

/// How long the user's shell may take to say its PATH.
const LOGIN_TIME: Duration = Duration::from_secs(5);
/// What stands around PATH in what the shell says.
const MARK: &str = "workspace-mcp-path";

/// The variables that a command gets.
pub(super) fn variables(
    inherited: &Environment,
    released: &[String],
    path: &OsStr,
) -> Vec<(OsString, OsString)> {
    let is_set = |name: &OsStr| {
        ["PATH", "NO_COLOR", "FORCE_COLOR"]
            .iter()
            .any(|set| name.eq_ignore_ascii_case(set))
    };
    let passed = inherited
        .iter()
        .filter(|(name, _)| !is_set(name) && !is_withheld(&name.to_string_lossy(), released));
    let mut variables: Vec<_> = passed
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    variables.extend([
        variable("PATH", path),
        variable("NO_COLOR", "1"),
        variable("FORCE_COLOR", "0"),
    ]);
    variables
}

/// Says whether a variable of this name may hold a secret.
#[must_use]
pub fn looks_secret(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    SECRET_PARTS.iter().any(|part| name.contains(part))
        || name.starts_with(SECRET_START)
        || name.ends_with(SECRET_END)
}

fn is_withheld(name: &str, released: &[String]) -> bool {
    let name = name.to_ascii_uppercase();
    if OWN.contains(&name.as_str()) {
        return true;
    }
    looks_secret(&name)
        && !released
            .iter()
            .any(|released| released.trim().eq_ignore_ascii_case(&name))
}

/// Where programs are looked for: as configured, else as inherited, else as the user's own shell
/// has it when what was inherited is bare.
pub(super) fn path(configured: Option<&OsStr>, inherited: &Environment) -> OsString {
    if let Some(configured) = configured {
        return configured.to_owned();
    }
    let own = inherited.get("PATH");
    if own.is_some_and(|own| !is_bare(own)) {
        return own.unwrap_or_default().to_owned();
    }
    login_path(inherited)
        .or_else(|| own.map(OsStr::to_owned))
        .unwrap_or_else(|| USUAL_PATH.into())
}

fn is_bare(path: &OsStr) -> bool {
    std::env::split_paths(path)
        .all(|folder| BARE_FOLDERS.iter().any(|bare| folder.as_os_str() == *bare))
}

/// PATH as the user's login shell has it.
fn login_path(inherited: &Environment) -> Option<OsString> {
    let shell = PathBuf::from(inherited.get("SHELL").unwrap_or(OsStr::new("/bin/sh")));
    if !shell.is_absolute() {
        return None;
    }
    let home = inherited.get("HOME").unwrap_or(OsStr::new("/"));
    let root = Root::open(home.as_ref(), Mode::FOLLOW).ok()?;
    let dir = root.open_dir(&RelPath::root()).ok()?;
    let names = ["HOME", "USER", "LOGNAME", "SHELL", "LANG", "PATH"];
    let variables: Vec<_> = inherited.some(&names).collect();
    let mut said = Vec::new();
    run(
        &Invocation {
            program: &shell,
            args: &[
                "-l".into(),
                "-c".into(),
                format!("printf '%s' '{MARK}='\"$PATH\"'={MARK}'").into(),
            ],
            folder: Folder {
                dir: &dir,
                path: root.host_path(),
            },
            variables: &variables,
            time_limit: LOGIN_TIME,
        },
        &mut |bytes| {
            if said.len() < 65536 {
                said.extend_from_slice(bytes);
            }
        },
        &mut |_| {},
        &Cancel::never(),
    )
    .ok()?;
    let said = String::from_utf8(said).ok()?;
    let (_, rest) = said.split_once(&format!("{MARK}="))?;
    let (path, _) = rest.split_once(&format!("={MARK}"))?;
    (!path.is_empty()).then(|| path.into())
}

#[cfg(test)]
mod tests;
