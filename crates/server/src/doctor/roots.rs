//! The folders that would be served: whether they are there, can be read and written, have room, and
//! what their file systems are like.

use std::io::ErrorKind;
use std::path::Path;

use rooted::{Dir, Kind, Mode, RelPath, Root};

use super::finding::Findings;
use super::platform::{self, Volume};
use super::{Case, shown};
use crate::config::WorkspaceConfig;
use crate::config::values::is_same_folder;

/// Bytes below which nothing can be written any more, to speak of.
const FULL: u64 = 1024 * 1024;
/// Bytes below which it soon will be so.
const NEARLY_FULL: u64 = 100 * 1024 * 1024;
/// Names of a root that are looked at.
const NAMES: usize = 10_000;

pub(super) fn look(findings: &mut Findings, case: &Case<'_>) {
    let mut resolves = None;
    for workspace in &case.config.workspaces {
        let check = format!("root {}", workspace.name);
        let path = shown(&workspace.root);
        match Root::open(&workspace.root, Mode::FOLLOW) {
            Ok(root) => {
                resolves = resolves.or_else(|| Some(root.resolves_in_one_call()));
                look_at(findings, case, workspace, &check, &root);
            }
            Err(error) => {
                let (what, remedy) = match error.kind() {
                    _ if !workspace.root.is_absolute() => (
                        "the current folder is gone".to_owned(),
                        "change to another one, or name the folder in full",
                    ),
                    ErrorKind::NotFound => (
                        format!("does not exist: {path}"),
                        "create it, or name another folder with --root or --workspace",
                    ),
                    ErrorKind::NotADirectory => (
                        format!("is not a folder: {path}"),
                        "name the folder that the file is in",
                    ),
                    ErrorKind::PermissionDenied => (
                        format!("may not be opened: {path}"),
                        "give this user access to it and to the folders above it",
                    ),
                    _ => (
                        format!("cannot be opened: {path} ({error})"),
                        "name another folder with --root or --workspace",
                    ),
                };
                findings.fault(&check, what, remedy);
            }
        }
    }
    let here = || {
        Some(
            Root::open(case.cwd, Mode::FOLLOW)
                .ok()?
                .resolves_in_one_call(),
        )
    };
    if let Some(resolves) = resolves.or_else(here) {
        platform::system(findings, resolves);
    }
}

fn look_at(
    findings: &mut Findings,
    case: &Case<'_>,
    workspace: &WorkspaceConfig,
    check: &str,
    root: &Root,
) {
    let path = shown(root.host_path());
    let opened = root.open_dir(&RelPath::root());
    let listed = opened.and_then(|dir| dir.list().map(|names| (dir, names)));
    let (dir, names) = match listed {
        Ok(both) => both,
        Err(error) => {
            let what = format!("cannot be listed: {path} ({error})");
            findings.fault(check, what, "give this user the right to read it");
            return;
        }
    };
    let volume = platform::volume(&dir);
    let case_rule = case_rule(root, &dir, &names);
    let kind = volume.as_ref().and_then(|volume| volume.kind.clone());
    let kind = kind.map_or_else(String::new, |kind| format!("{kind}, "));
    findings.ok(check, format!("{path} ({kind}{case_rule})"));
    look_at_place(findings, case, check, root.host_path());
    if let Some(volume) = &volume {
        look_at_space(findings, check, &path, volume);
    }
    if !workspace.read_only && !case.config.tools.read_only {
        let read_only = volume.is_some_and(|volume| volume.read_only);
        let has_state_dir = case.config.state_dir.is_some();
        look_at_writing(findings, check, &path, (read_only, has_state_dir), &dir);
    }
    look_at_links(findings, check, root, &names);
}

/// Folders that hold more than a project.
fn look_at_place(findings: &mut Findings, case: &Case<'_>, check: &str, path: &Path) {
    let remedy = "serve the folder of a project instead";
    if path.parent().is_none() {
        findings.warn(check, "is the whole file system".to_owned(), remedy);
    } else if case
        .environment
        .home()
        .is_some_and(|home| is_same_folder(&home, path))
    {
        findings.warn(check, "is the user's whole folder".to_owned(), remedy);
    }
}

pub(super) fn look_at_space(findings: &mut Findings, check: &str, path: &str, volume: &Volume) {
    let free = size(volume.free_bytes);
    if volume.read_only {
        // No space is needed, and some of these file systems tell of none.
        return;
    }
    if volume.free_bytes < FULL {
        let what = format!("the disk is full: {free} free at {path}");
        findings.fault(check, what, "free some space; nothing can be written now");
    } else if volume.free_files == Some(0) {
        let what = format!("the disk has no room for more files at {path}");
        findings.fault(check, what, "remove files; nothing new can be written now");
    } else if volume.free_bytes < NEARLY_FULL {
        let what = format!("the disk is nearly full: {free} free at {path}");
        findings.warn(check, what, "free some space");
    } else {
        findings.ok(check, format!("{free} free"));
    }
}

fn look_at_writing(
    findings: &mut Findings,
    check: &str,
    path: &str,
    (read_only, has_state_dir): (bool, bool),
    dir: &Dir,
) {
    if read_only {
        findings.fault(
            check,
            format!("cannot be written: {path} is on a file system mounted read-only"),
            "mount it otherwise, or close it to writing with `:ro` or --read-only",
        );
    } else if dir.may_change_names() {
        findings.ok(check, "can be written".to_owned());
    } else if has_state_dir {
        findings.warn(
            check,
            format!("no files can be made in {path}; those that are there are written in place"),
            "give this user the right to write there",
        );
    } else {
        findings.fault(
            check,
            format!("cannot be written: this user may not make files in {path}"),
            "give this user the right, close it to writing with `:ro` or --read-only, or keep state \
             elsewhere with --state-dir",
        );
    }
}

/// Links at the top whose way leads out, or nowhere.
fn look_at_links(findings: &mut Findings, check: &str, root: &Root, names: &[(Box<[u8]>, Kind)]) {
    let mut outside = Vec::new();
    for (name, kind) in names.iter().take(NAMES) {
        let path = RelPath::root().join(name);
        if *kind == Kind::Link
            && root
                .meta(&path)
                .is_err_and(|error| matches!(error.kind, rooted::ErrorKind::Outside))
        {
            outside.push(rooted::show(name));
        }
    }
    if let Some(first) = outside.first() {
        let more = match outside.len() {
            1 => String::new(),
            n => format!(" and {} more", n - 1),
        };
        findings.warn(
            check,
            format!("the link `{first}`{more} leads out of the root and is refused"),
            "serve the folder it leads to as a --workspace of its own",
        );
    }
}

/// Whether names that differ in case stand for the same file, found out without writing.
fn case_rule(root: &Root, dir: &Dir, names: &[(Box<[u8]>, Kind)]) -> &'static str {
    let told = names
        .iter()
        .take(NAMES)
        .find_map(|(name, _)| is_blind(dir, name));
    let above = || {
        let path = root.host_path();
        let name = path.file_name()?.as_encoded_bytes();
        let parent = Root::open(path.parent()?, Mode::FOLLOW).ok()?;
        let parent = parent.open_dir(&RelPath::root()).ok()?;
        is_blind(&parent, name)
    };
    match told.or_else(above) {
        Some(true) => "upper and lower case are the same",
        Some(false) => "upper and lower case differ",
        None => "no name tells whether upper and lower case differ",
    }
}

/// Whether another case of a name finds the same file; `None` when it has no other case.
fn is_blind(dir: &Dir, name: &[u8]) -> Option<bool> {
    let swap = |byte: &u8| {
        if byte.is_ascii_lowercase() {
            byte.to_ascii_uppercase()
        } else {
            byte.to_ascii_lowercase()
        }
    };
    let other: Vec<u8> = name.iter().map(swap).collect();
    if other == name {
        return None;
    }
    let known = dir.stat(name).ok()?;
    match dir.stat(&other) {
        Ok(found) => Some(found.id == known.id),
        Err(error) if matches!(error.kind, rooted::ErrorKind::NotFound) => Some(false),
        Err(_) => None,
    }
}

/// A number of bytes for people.
fn size(bytes: u64) -> String {
    let mut unit = "bytes";
    let mut rest = bytes;
    let mut tenths = 0;
    for larger in ["KiB", "MiB", "GiB", "TiB"] {
        if rest < 1024 {
            break;
        }
        tenths = rest % 1024 * 10 / 1024;
        rest /= 1024;
        unit = larger;
    }
    if unit == "bytes" {
        format!("{rest} {unit}")
    } else {
        format!("{rest}.{tenths} {unit}")
    }
}
