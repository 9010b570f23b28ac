//! The programs that tools need: git, and those that commands may run.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rooted::{Mode, RelPath, Root};
use workspace::Cancel;
use workspace::commands::USUAL;
use workspace::process::{End, Ends, Environment, Folder, Invocation, ask, find_programs, locate};

use super::finding::Findings;
use super::{Case, shown};
use crate::commands::registry;
use crate::shell::ShellMode;

/// The oldest git that has what the tools ask of it.
const GIT: (u32, u32) = (2, 32);
/// How long a program may take to tell its version.
const VERSION_TIME: Duration = Duration::from_secs(10);
/// Bytes of an output that are kept.
const OUTPUT_BYTES: usize = 1024 * 1024;
/// Variables that programs get, beside `PATH`.
const SEEN: &[&str] = &[
    "HOME",
    "USERPROFILE",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "APPDATA",
    "LOCALAPPDATA",
    "SYSTEMROOT",
    "TMPDIR",
    "TMP",
    "TEMP",
    "LANG",
];

pub(super) fn look(findings: &mut Findings, case: &Case<'_>) {
    look_at_git(findings, case);
    look_at_commands(findings, case);
}

fn look_at_git(findings: &mut Findings, case: &Case<'_>) {
    // With a fault in the names of tools, nobody knows; then git is looked at all the same.
    let tools = registry(case.config);
    let offered = |name| {
        let tools = tools.as_ref();
        tools.map_or(true, |tools| tools.iter().any(|tool| tool.name == name))
    };
    if !offered("git_status") && !offered("git_diff") {
        findings.ok("git", "not needed: its tools are not offered".to_owned());
        return;
    }
    let folders = folders(case);
    let Some(program) = find_programs("git", &folders).next() else {
        findings.fault(
            "git",
            "is not in PATH; git_status and git_diff do not work".to_owned(),
            "install git 2.32 or newer, or leave them out with --deny-tool git_status --deny-tool \
             git_diff",
        );
        return;
    };
    let told = run(
        case,
        &program,
        &["--version".into()],
        b"",
        &[],
        VERSION_TIME,
    );
    let text = told.as_ref().map_or("", |told| told.stdout.as_str());
    let place = shown(&program);
    match version_of_git(text) {
        Some((version, number)) if number >= GIT => {
            findings.ok("git", format!("{version}, {place}"));
        }
        Some((version, _)) => findings.fault(
            "git",
            format!("{version} at {place} is too old"),
            "install git 2.32 or newer",
        ),
        None => findings.fault(
            "git",
            format!("{place} does not tell its version"),
            "run `git --version` in a terminal to see why",
        ),
    }
}

/// The version in what `git --version` says, as text and as numbers.
fn version_of_git(text: &str) -> Option<(&str, (u32, u32))> {
    let version = text.trim().strip_prefix("git version ")?;
    let version = version.split_whitespace().next()?;
    let mut parts = version.split('.').map(str::parse);
    match (parts.next(), parts.next()) {
        (Some(Ok(major)), Some(Ok(minor))) => Some((version, (major, minor))),
        _ => None,
    }
}

fn look_at_commands(findings: &mut Findings, case: &Case<'_>) {
    let shell = &case.config.shell;
    let folders = match &shell.path {
        Some(path) => std::env::split_paths(path).collect(),
        None => folders(case),
    };
    let there = |folder: &&PathBuf| Root::open(folder, Mode::FOLLOW).is_ok();
    let n_there = folders.iter().filter(there).count();
    findings.ok(
        "commands",
        format!(
            "folders in PATH: {}, of which are there: {n_there}",
            folders.len()
        ),
    );
    let mode = match shell.mode {
        Some(mode) if !case.config.tools.read_only => mode,
        _ => {
            let what = "off; --shell or --shell-any turns them on";
            findings.ok("commands", what.to_owned());
            return;
        }
    };
    if mode == ShellMode::Any {
        let what = "any program may run: whoever calls can do what this user can";
        findings.warn(
            "commands",
            what.to_owned(),
            "name programs with --shell instead",
        );
        return;
    }
    let configured = shell.path.as_deref().map(OsStr::new);
    let path = configured.or_else(|| case.environment.get("PATH"));
    let path = path.unwrap_or_default();
    for name in shell.allowed().unwrap_or_default() {
        let found = locate(&name, case.cwd, path, case.environment);
        let shown_name = rooted::show(name.as_bytes());
        match found {
            Some(program) => {
                findings.ok("commands", format!("{shown_name} is {}", shown(&program)));
            }
            None if USUAL.contains(&name.as_str()) => findings.ok(
                "commands",
                format!("{shown_name} may run, but is not in PATH"),
            ),
            None => findings.fault(
                "commands",
                format!("{shown_name} is allowed, but not in PATH"),
                "install it, or name its folder with --shell-path",
            ),
        }
    }
}

/// The folders that programs are looked for in.
pub(super) fn folders(case: &Case<'_>) -> Vec<PathBuf> {
    let root = case.config.workspaces.first();
    let root = root.map_or(case.cwd, |workspace| workspace.root.as_path());
    case.environment.program_folders(root)
}

/// What a program said.
pub(super) struct Told {
    pub(super) end: End,
    pub(super) stdout: String,
    pub(super) stderr: String,
}

/// Runs a program with this input to its end, or to the end of its time.
pub(super) fn run(
    case: &Case<'_>,
    program: &Path,
    args: &[OsString],
    input: &[u8],
    variables: &[(OsString, OsString)],
    time_limit: Duration,
) -> Result<Told, String> {
    let root = Root::open(case.cwd, Mode::FOLLOW).map_err(|error| error.to_string())?;
    let dir = root
        .open_dir(&RelPath::root())
        .map_err(|error| error.to_string())?;
    let mut all = variables_of(case.environment);
    all.extend_from_slice(variables);
    let invocation = Invocation {
        program,
        args,
        folder: Folder {
            dir: &dir,
            path: root.host_path(),
        },
        variables: &all,
        time_limit,
    };
    let mut stdout = Ends::new(OUTPUT_BYTES, 0);
    let mut stderr = Ends::new(OUTPUT_BYTES, 0);
    let end = ask(
        &invocation,
        input,
        &mut |bytes| stdout.push(bytes),
        &mut |bytes| stderr.push(bytes),
        &Cancel::never(),
    )
    .map_err(|error| error.to_string())?;
    let text = |ends: &Ends| String::from_utf8_lossy(&ends.head).into_owned();
    Ok(Told {
        end,
        stdout: text(&stdout),
        stderr: text(&stderr),
    })
}

fn variables_of(environment: &Environment) -> Vec<(OsString, OsString)> {
    let mut all: Vec<_> = environment.some(SEEN).collect();
    all.extend(environment.some(&["PATH"]));
    all
}
