//! The checkout this program was built from, and programs run in it.

use std::ffi::OsStr;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::Result;
use crate::count::Count;

/// The folder of the workspace manifest.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("xtask lies one folder below the root")
}

/// The cargo that runs this program, or the one on the path.
pub fn cargo() -> Command {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(program);
    command.current_dir(root());
    command
}

/// Runs a program, shows what it prints, and adds up the lines that `read` understands.
pub fn counted(mut command: Command, read: fn(&str) -> Option<Count>) -> Result<Count> {
    let name = command.get_program().to_string_lossy().into_owned();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("cannot start {name}: {error}"))?;
    let mut count = Count::default();
    let stdout = child.stdout.take().expect("stdout was asked to be a pipe");
    for line in BufReader::new(stdout).split(b'\n') {
        let line = line.map_err(|error| format!("cannot read from {name}: {error}"))?;
        let line = String::from_utf8_lossy(&line);
        println!("{line}");
        if let Some(more) = read(line.trim_end()) {
            count += more;
        }
    }
    let status = child
        .wait()
        .map_err(|error| format!("cannot wait for {name}: {error}"))?;
    Ok(count.of_step(status.success()))
}

/// Runs a program to its end; an error names `task` and how it ended.
pub fn run(mut command: Command, task: &str) -> Result<()> {
    let status = command
        .stdin(Stdio::null())
        .status()
        .map_err(|error| format!("cannot {task}: {error}"))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("cannot {task}: {status}"))
    }
}

/// Runs a program to its end, for whoever cares only whether it succeeds.
pub fn run_quietly(mut command: Command) -> std::result::Result<(), ()> {
    match command.stdin(Stdio::null()).status() {
        Ok(status) if status.success() => Ok(()),
        _ => Err(()),
    }
}

/// Builds the server as the tests do, and says where it is.
pub fn server() -> Result<PathBuf> {
    built("build", &[])
}

/// Builds the server with the tools of the conformance suite, and says where in `home` it is.
pub fn server_for_conformance(home: &Path) -> Result<PathBuf> {
    built_aside(
        &home.join("with-fixtures"),
        "build",
        &["--features", "conformance"],
    )
}

/// Builds the server so that it needs no library of the system, and says where in `home` it is.
pub fn server_without_libraries(home: &Path) -> Result<PathBuf> {
    let options = ["--", "-C", "target-feature=+crt-static"];
    built_aside(&home.join("static"), "rustc", &options)
}

/// The name that the compiler has for this machine.
pub fn triple() -> Result<String> {
    let output = Command::new("rustc")
        .arg("-vV")
        .output()
        .map_err(|error| format!("cannot start rustc: {error}"))?;
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .find_map(|line| line.strip_prefix("host: ").map(str::to_owned))
        .ok_or_else(|| "rustc does not name the machine".to_owned())
}

fn built_aside(folder: &Path, subcommand: &str, options: &[&str]) -> Result<PathBuf> {
    let built_here = built(subcommand, options)?;
    let server = folder.join(file_name(&built_here));
    let copied = server
        .parent()
        .map_or(Ok(()), fs::create_dir_all)
        .and_then(|()| fs::copy(&built_here, &server).map(drop));
    copied.map_err(|error| format!("cannot copy the server: {error}"))?;
    // Nobody must take the one in its usual place for the usual one.
    built("build", &[])?;
    Ok(server)
}

fn file_name(path: &Path) -> &OsStr {
    path.file_name().unwrap_or(path.as_os_str())
}

fn built(subcommand: &str, options: &[&str]) -> Result<PathBuf> {
    let mut command = cargo();
    command
        .args([
            subcommand,
            "--locked",
            "--package",
            "workspace-mcp",
            "--bin",
        ])
        .args([
            "workspace-mcp",
            "--message-format",
            "json-render-diagnostics",
        ])
        .args(options)
        .stdin(Stdio::null())
        .stderr(Stdio::inherit());
    let output = command
        .output()
        .map_err(|error| format!("cannot start cargo: {error}"))?;
    if !output.status.success() {
        return Err("the server does not build".to_owned());
    }
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .filter_map(|message| message.get("executable")?.as_str().map(PathBuf::from))
        .next_back()
        .ok_or_else(|| "cargo named no executable".to_owned())
}
