//! The tests in `clients/`: the official clients, a web page and the conformance suite against the real
//! program.
//!
//! What they need is installed under `.tools/`, at the versions that the lock files name, and only
//! when those changed. Node and Python themselves must be there.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, io};

use crate::checkout::{self, root};
use crate::count::{self, Count};
use crate::{Result, browser, conformance, packages, platform};

/// Runs the client tests, or only those of one `name`. A client that cannot be set up counts as one
/// failure.
pub fn run(server: &Path, only: Option<&str>) -> Count {
    let mut total = Count::default();
    let mut ran = false;
    let all = [
        (
            "TypeScript client",
            typescript as fn(&Path) -> Result<Count>,
        ),
        ("MCP Inspector", inspector),
        ("Python client", python),
        ("browser", browser::run),
        ("conformance", conformance::run),
        ("package", packages::run),
    ];
    for (name, client) in all {
        if only.is_some_and(|only| only != name) {
            continue;
        }
        println!("\n     Running the {name} tests");
        total += client(server).unwrap_or_else(|message| {
            eprintln!("{name} tests: {message}");
            Count::ONE_FAILED
        });
        ran = true;
    }
    if !ran {
        let names = all.map(|(name, _)| name).join(", ");
        eprintln!("no tests of that name: expected one of {names}, or none for all of them");
    }
    total
}

fn typescript(server: &Path) -> Result<Count> {
    node_tests(server, "typescript", "the TypeScript clients")
}

fn inspector(server: &Path) -> Result<Count> {
    node_tests(server, "inspector", "the MCP Inspector")
}

/// Runs the tests for Node in `clients/NAME`, which need the packages that are listed there.
fn node_tests(server: &Path, name: &str, what: &str) -> Result<Count> {
    need("node", "Node 20 or newer")?;
    let home = with_node_packages(name, what)?;
    let mut command = Command::new("node");
    command.args(["--test", "--test-reporter=tap"]);
    // Named one by one: Node 20 takes no glob.
    command.args(files(&home, ".test.mjs")?);
    checkout::counted(environment(command, &home, server), count::from_node)
}

fn python(server: &Path) -> Result<Count> {
    need(platform::PYTHON, "Python 3.10 or newer")?;
    let home = staged("python")?;
    let python = home.join("venv").join(platform::VENV_PYTHON);
    let locks = [home.join("requirements.txt"), home.join("constraints.txt")];
    if_changed(&home, &locks, || {
        let mut make = Command::new(platform::PYTHON);
        make.args(["-m", "venv", "--clear", "venv"])
            .current_dir(&home);
        checkout::run(
            make,
            "make a Python virtual environment (is venv installed?)",
        )?;
        let mut install = Command::new(&python);
        install
            .args([
                "-m",
                "pip",
                "install",
                "--quiet",
                "--disable-pip-version-check",
            ])
            .args(["-r", "requirements.txt", "-c", "constraints.txt"])
            .current_dir(&home);
        checkout::run(install, "install the Python client with pip")
    })?;
    let mut total = Count::default();
    for test in files(&home, ".py")? {
        if test.starts_with("test_") {
            let mut command = Command::new(&python);
            command.args(["-B", &test]);
            total += checkout::counted(environment(command, &home, server), count::from_python)?;
        }
    }
    Ok(total)
}

fn environment(mut command: Command, home: &Path, server: &Path) -> Command {
    command
        .current_dir(home)
        .env("WORKSPACE_MCP_SERVER", server)
        .env(
            "WORKSPACE_MCP_SAMPLE",
            root().join("clients/sample-project"),
        )
        .env(
            "WORKSPACE_MCP_SCENARIO",
            root().join("clients/scenario.json"),
        );
    command
}

/// Fails unless a program can be run.
pub fn need(program: impl AsRef<OsStr>, what: &str) -> Result<()> {
    let program = program.as_ref();
    match Command::new(program).arg("--version").output() {
        Ok(output) if output.status.success() => Ok(()),
        _ => Err(format!("missing: {} ({what})", program.display())),
    }
}

/// Copies `clients/NAME` to `.tools/NAME`, so that what is installed beside it never dirties the checkout.
pub fn staged(name: &str) -> Result<PathBuf> {
    let from = root().join("clients").join(name);
    let to = root().join(".tools").join(name);
    copy_files(&from, &to)
        .map_err(|error| format!("cannot copy clients/{name} to .tools: {error}"))?;
    Ok(to)
}

fn copy_files(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for old in fs::read_dir(to)? {
        let old = old?;
        // A test that was removed from the checkout must not run again.
        if old.file_type()?.is_file() && old.file_name() != STAMP {
            fs::remove_file(old.path())?;
        }
    }
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            fs::copy(entry.path(), to.join(entry.file_name()))?;
        }
    }
    Ok(())
}

/// Copies `clients/NAME` as [`staged`] does, and installs the packages that its lock file names; `what`
/// says in an error what they are.
pub fn with_node_packages(name: &str, what: &str) -> Result<PathBuf> {
    let home = staged(name)?;
    let locks = [home.join("package.json"), home.join("package-lock.json")];
    if_changed(&home, &locks, || {
        let mut install = Command::new(platform::NPM);
        install
            .args(["ci", "--no-audit", "--no-fund", "--ignore-scripts"])
            .current_dir(&home);
        checkout::run(install, &format!("install {what} with npm"))
    })?;
    Ok(home)
}

const STAMP: &str = "installed";

/// Runs `install` unless it already succeeded for these very lock files.
fn if_changed(home: &Path, locks: &[PathBuf], install: impl FnOnce() -> Result<()>) -> Result<()> {
    let mut wanted = String::new();
    for lock in locks {
        let text = fs::read_to_string(lock)
            .map_err(|error| format!("cannot read {}: {error}", lock.display()))?;
        wanted.push_str(&text);
    }
    let stamp = home.join(STAMP);
    if fs::read_to_string(&stamp).is_ok_and(|done| done == wanted) {
        return Ok(());
    }
    install()?;
    fs::write(&stamp, wanted).map_err(|error| format!("cannot write {}: {error}", stamp.display()))
}

fn files(folder: &Path, ending: &str) -> Result<Vec<String>> {
    let listed = fs::read_dir(folder).map_err(|error| format!("cannot list tests: {error}"))?;
    let mut names: Vec<String> = listed
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| name.ends_with(ending))
        .collect();
    names.sort();
    Ok(names)
}
