//! What the documents tell people to type runs as it stands there, and every option that they name
//! exists.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::client::{folder, run};

/// Options that the documents name, and that are of other programs or of one form of a command.
const OTHERS: &[&str] = &[
    "--cacert",
    // Of `tunnel managed`.
    "--create",
    // Of the tunnel client.
    "--control-plane",
    "--mcp",
    "--profile-file",
    // Of the MCP Inspector.
    "--strict",
    // Stands for several.
    "--max",
    "--example",
    // Of Docker.
    "--init",
];

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The pages for users, with their names.
fn pages() -> Vec<(String, String)> {
    let root = repository();
    let docs = std::fs::read_dir(root.join("docs")).unwrap();
    let docs = docs.map(|entry| format!("docs/{}", entry.unwrap().file_name().display()));
    let mut names: Vec<String> = docs.filter(|name| name.ends_with(".md")).collect();
    names.sort();
    names.extend(["README.md", "SECURITY.md"].map(str::to_owned));
    let read = |name: String| {
        let text = std::fs::read_to_string(root.join(&name)).unwrap();
        (name, text)
    };
    names.into_iter().map(read).collect()
}

/// The commands in blocks of `sh`, each whole on one line.
fn commands(page: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut inside = false;
    let mut whole = String::new();
    for line in page.lines() {
        if line.starts_with("```") {
            inside = line == "```sh";
        } else if inside {
            whole.push_str(line.strip_suffix('\\').unwrap_or(line));
            if !line.ends_with('\\') {
                found.push(std::mem::take(&mut whole));
            }
        }
    }
    found
}

/// Says whether a command starts this program, maybe behind variables.
fn is_ours(command: &str) -> bool {
    let mut words = command
        .split_whitespace()
        .filter(|word| !word.contains('='));
    words.next() == Some("workspace-mcp")
}

/// The lines outside of blocks.
fn prose(page: &str) -> impl Iterator<Item = String> {
    let mut inside = false;
    page.lines().map(str::to_owned).filter(move |line| {
        inside ^= line.starts_with("```");
        !inside
    })
}

/// A home with all that the documents take for granted.
fn world() -> tempfile::TempDir {
    let world = folder(&[
        ("path/to/project/README.md", "hello\n"),
        ("path/to/project/src/a.txt", "TODO\n"),
        ("path/to/project/docs/a.md", "docs\n"),
        (
            "path/to/CONFIG.toml",
            "[workspace]\nroot = \"~/managed/demo\"\n",
        ),
        (
            "path/to/project/config.toml",
            "[workspace]\nroot = \"~/managed/demo\"\n",
        ),
        ("home/managed/demo/a.md", "a\n"),
        ("srv/project/src/a", ""),
        ("code/api/a", ""),
        ("code/docs/a", ""),
    ]);
    for folder in [
        "a", "api", "archive", "code", "docs", "drafts", "notes", "project",
    ] {
        std::fs::create_dir_all(world.path().join("home").join(folder)).unwrap();
    }
    world
}

/// The command as it is tried: where nobody waits for a server, and with folders of the test.
fn tried(command: &str, world: &Path) -> String {
    let place = world.to_str().unwrap();
    let mut line = command.replace("~/", &format!("{place}/home/"));
    for folder in ["/path/to", "/code/", "/srv/"] {
        line = line.replace(folder, &format!("{place}{folder}"));
    }
    let line = line.replace("tunnel_...", &format!("tunnel_{}", "0".repeat(32)));
    let words = line
        .split_once("workspace-mcp")
        .map_or("", |(_, words)| words);
    let toolset = words.split_whitespace().next().unwrap_or_default();
    if toolset == "tunnel" {
        line.replacen("tunnel", "tunnel --dry-run", 1)
            .replace("tunnel --dry-run_", "tunnel_")
    } else if words.contains("--http") && toolset.starts_with('-') {
        // The certificates of the example are nowhere.
        let line = line.replacen("workspace-mcp", "workspace-mcp check-config", 1);
        let names = line.split(" --tls").next().unwrap_or_default();
        format!("MCP_TOKEN=secret {names}")
    } else {
        line
    }
}

#[test]
fn commands_in_documents_run_as_they_stand_there() {
    let mut n_run = 0;
    let mut faults = String::new();
    for (name, page) in pages() {
        let world = world();
        for command in commands(&page) {
            if !is_ours(&command) {
                continue;
            }
            n_run += 1;
            let line = tried(&command, world.path());
            let program = Path::new(env!("CARGO_BIN_EXE_workspace-mcp"))
                .parent()
                .unwrap();
            let path = std::env::var("PATH").unwrap();
            let output = Command::new("bash")
                .args(["-c", &line])
                .current_dir(world.path().join("path/to/project"))
                .env("PATH", format!("{}:{path}", program.display()))
                .env("HOME", world.path().join("home"))
                .env_remove("XDG_CONFIG_HOME")
                .env_remove("MCP_TOKEN")
                .env(
                    "CONTROL_PLANE_TUNNEL_ID",
                    format!("tunnel_{}", "0".repeat(32)),
                )
                .stdin(Stdio::null())
                .output()
                .unwrap();
            let stderr = String::from_utf8_lossy(&output.stderr);
            let code = output.status.code();
            // A doctor that finds something is no worse for it.
            let is_fine = code == Some(0) || code == Some(1) && command.contains(" doctor");
            if !is_fine {
                faults.push_str(&format!(
                    "{name}: {command}
{line}
{code:?} {stderr}
"
                ));
            }
        }
    }
    assert_eq!(faults, "");
    assert!(n_run > 25, "{n_run} commands are tried");
}

#[test]
fn options_in_documents_exist() {
    let manual = run(&repository(), &["man"]).stdout;
    let manual = String::from_utf8(manual).unwrap().replace('\\', "");
    let options = |text: &str| {
        let is_part = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        let words = text.split(|c: char| !is_part(c)).map(str::to_owned);
        let words = words.map(|word| word.trim_end_matches('-').to_owned());
        words
            .filter(|word| word.len() > 3 && word.starts_with("--") && !word.starts_with("---"))
            .collect::<BTreeSet<String>>()
    };
    let known = options(&manual);
    let mut faults = String::new();
    assert!(known.contains("--root") && known.contains("--tunnel-id"));
    for (name, page) in pages() {
        // What the programs before had is not ours.
        if name == "docs/compatibility.md" {
            continue;
        }
        let ours = commands(&page).into_iter().filter(|line| is_ours(line));
        let text = prose(&page).chain(ours).collect::<Vec<_>>().join("\n");
        for option in options(&text) {
            if !known.contains(&option) && !OTHERS.contains(&option.as_str()) {
                faults.push_str(&format!(
                    "{name} names {option}, which neither the manual page nor OTHERS has\n"
                ));
            }
        }
    }
    assert_eq!(faults, "");
}
