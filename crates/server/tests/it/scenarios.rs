//! Changes as whole folders: what was there, what was asked, what is there then, what was said.
//!
//! Each folder under `tests/scenarios/` has `before/`, `request.json`, `after/` and `answer.txt`.
//! `UPDATE_EXPECT=1` writes `answer.txt` anew; `after/` is only ever written by hand.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use crate::client::Client;

/// Between the answers to several calls.
const BETWEEN: &str = "----\n";
/// The folder of the server's own state.
const STATE: &str = ".workspace-mcp";

/// The files beneath a folder, by path, without the server's own state.
pub fn tree(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut open = vec![(folder.to_path_buf(), String::new())];
    while let Some((path, prefix)) = open.pop() {
        for entry in fs::read_dir(path).unwrap() {
            let entry = entry.unwrap();
            let name = entry.file_name().to_string_lossy().into_owned();
            let name = format!("{prefix}{name}");
            if name == STATE {
                continue;
            }
            if entry.file_type().unwrap().is_dir() {
                // A folder counts even when it is empty.
                files.insert(format!("{name}/"), Vec::new());
                open.push((entry.path(), format!("{name}/")));
            } else {
                files.insert(name, fs::read(entry.path()).unwrap());
            }
        }
    }
    files
}

/// One folder under `scenarios/`.
struct Scenario {
    folder: PathBuf,
    request: Value,
}

impl Scenario {
    fn open(folder: PathBuf) -> Self {
        let text = fs::read_to_string(folder.join("request.json")).unwrap();
        let request = serde_json::from_str(&text).unwrap();
        Self { folder, request }
    }

    fn entries(&self, key: &str) -> Map<String, Value> {
        self.request[key].as_object().cloned().unwrap_or_default()
    }

    /// `before/` or `after/`; git keeps no empty folder.
    fn side(&self, side: &str) -> BTreeMap<String, Vec<u8>> {
        let folder = self.folder.join(side);
        if folder.is_dir() {
            tree(&folder)
        } else {
            BTreeMap::new()
        }
    }

    fn lay_out(&self, root: &Path) {
        for (name, content) in self.side("before") {
            if name.ends_with('/') {
                fs::create_dir_all(root.join(name)).unwrap();
            } else {
                let path = root.join(name);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, content).unwrap();
            }
        }
        for (name, other) in self.entries("hardLinks") {
            fs::hard_link(root.join(other.as_str().unwrap()), root.join(name)).unwrap();
        }
        for (name, mode) in self.entries("modes") {
            modes::set(&root.join(name), mode.as_str().unwrap());
        }
    }

    /// Does what is asked; gives what was said, and every difference to `after/`.
    fn run(&self) -> (String, String) {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path();
        self.lay_out(root);
        let mut client = Client::start(root, &[]);
        let mut said = String::new();
        for call in self.request["calls"].as_array().unwrap() {
            if !said.is_empty() {
                said.push_str(BETWEEN);
            }
            let tool = call["tool"].as_str().unwrap();
            said.push_str(&client.call(tool, call["arguments"].clone()));
            said.push('\n');
        }
        let mut faults = differences(&tree(root), &self.side("after"));
        for (name, mode) in self.entries("modes") {
            modes::check(&root.join(&name), mode.as_str().unwrap(), &mut faults);
        }
        (said, faults)
    }
}

fn differences(found: &BTreeMap<String, Vec<u8>>, wanted: &BTreeMap<String, Vec<u8>>) -> String {
    let mut text = String::new();
    let mut names: Vec<&String> = found.keys().chain(wanted.keys()).collect();
    names.sort();
    names.dedup();
    for name in names {
        let [found, wanted] = [found, wanted].map(|files| files.get(name));
        if found != wanted {
            let show = |content: Option<&Vec<u8>>| {
                content.map_or("nothing".to_owned(), |bytes| {
                    format!("\"{}\"", bytes.escape_ascii())
                })
            };
            let (found, wanted) = (show(found), show(wanted));
            let _ = writeln!(text, "{name}: found {found}, wanted {wanted}");
        }
    }
    text
}

#[cfg(unix)]
mod modes {
    use std::fmt::Write as _;
    use std::fs::{Permissions, metadata, set_permissions};
    use std::os::unix::fs::PermissionsExt as _;
    use std::path::Path;

    pub(super) fn set(path: &Path, mode: &str) {
        let mode = u32::from_str_radix(mode, 8).unwrap();
        set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }

    pub(super) fn check(path: &Path, wanted: &str, faults: &mut String) {
        let found = metadata(path).unwrap().permissions().mode() & 0o7777;
        if format!("{found:o}") != wanted {
            let _ = writeln!(faults, "{path:?}: mode {found:o}, wanted {wanted}");
        }
    }
}

#[cfg(not(unix))]
mod modes {
    use std::path::Path;

    pub(super) fn set(_: &Path, _: &str) {}

    pub(super) fn check(_: &Path, _: &str, _: &mut String) {}
}

#[test]
fn every_scenario_ends_as_it_should() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios");
    let update = std::env::var_os("UPDATE_EXPECT").is_some();
    let mut names: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .collect();
    names.sort();
    assert!(names.len() >= 40, "only {} scenarios", names.len());
    let mut report = String::new();
    for folder in names {
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        let answer = folder.join("answer.txt");
        let (said, faults) = Scenario::open(folder).run();
        if !faults.is_empty() {
            let _ = writeln!(report, "{name}:\n{faults}");
        }
        if update {
            fs::write(answer, said).unwrap();
            continue;
        }
        let wanted = fs::read_to_string(answer).unwrap();
        if said != wanted {
            let _ = writeln!(report, "{name}: said\n{said}but should say\n{wanted}");
        }
    }
    assert!(report.is_empty(), "{report}");
}
