//! What the documents say about the code, and how they look.

use std::fs;

use crate::tree::{Text, none, root, texts};

/// Written by a program, in its own style.
const GENERATED: [&str; 4] = [
    "docs/tools.md",
    "docs/notes-tools.md",
    "docs/managed-tools.md",
    "docs/paged-tools.md",
];

#[test]
fn links_between_documents_lead_somewhere() {
    let mut faults = Vec::new();
    for page in texts(&[".md"]) {
        let folder = page.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        for (number, line) in prose(&page) {
            for target in link_targets(line) {
                let file = target.split('#').next().unwrap_or_default();
                let inside = !file.is_empty() && !file.contains(':');
                if inside && fs::metadata(root().join(folder).join(file)).is_err() {
                    faults.push(format!("{}:{number}: no such file: {target}", page.path));
                } else if let Some((_, anchor)) = target.split_once('#')
                    && !target.contains(':')
                {
                    let file = if file.is_empty() {
                        page.path.clone()
                    } else {
                        format!("{folder}/{file}")
                    };
                    let text = fs::read_to_string(root().join(file)).unwrap_or_default();
                    if !anchors(&text).any(|one| one == anchor) {
                        faults.push(format!("{}:{number}: no such part: {target}", page.path));
                    }
                }
            }
        }
    }
    none(&faults);
}

#[test]
fn files_that_documents_name_exist() {
    let mut faults = Vec::new();
    for page in texts(&[".md"]) {
        for (number, line) in prose(&page) {
            for word in line.split('`').skip(1).step_by(2) {
                let path = word.split("::").next().unwrap_or_default();
                let named = ["crates/", "xtask/", "clients/", "docs/", ".ci/"]
                    .iter()
                    .any(|start| path.starts_with(start));
                let pattern = path.contains(['*', '<', ' ', '{', '…']) || path.contains("NNNN");
                if named && !pattern && fs::metadata(root().join(path)).is_err() {
                    faults.push(format!("{}:{number}: no such file: {path}", page.path));
                }
            }
        }
    }
    none(&faults);
}

#[test]
fn every_promise_cites_a_test() {
    let security = fs::read_to_string(root().join("SECURITY.md")).expect("SECURITY.md is there");
    let rows: Vec<&str> = security
        .lines()
        .filter(|line| {
            line.starts_with("| ") && line.as_bytes().get(2).is_some_and(u8::is_ascii_digit)
        })
        .collect();
    assert_eq!(rows.len(), 10, "SECURITY.md has a row for each promise");
    let bare: Vec<String> = rows
        .iter()
        .filter(|row| !row.contains("`crates/"))
        .map(|row| format!("SECURITY.md cites no test: {row}"))
        .collect();
    none(&bare);
}

#[test]
fn every_decision_is_linked() {
    let map = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md is there");
    let faults: Vec<String> = texts(&[".md"])
        .iter()
        .filter(|page| page.path.starts_with("docs/adr/"))
        .filter(|page| !map.contains(&format!("({})", page.path)))
        .map(|page| format!("ARCHITECTURE.md does not link {}", page.path))
        .collect();
    none(&faults);
}

#[test]
fn readme_names_every_tool() {
    let tools = fs::read_to_string(root().join("docs/tools.md")).expect("docs/tools.md is there");
    let readme = fs::read_to_string(root().join("README.md")).expect("README.md is there");
    let faults: Vec<String> = tools
        .lines()
        .filter_map(|line| line.strip_prefix("## "))
        .filter(|name| !readme.contains(&format!("`{name}`")))
        .map(|name| format!("README.md does not name {name}"))
        .collect();
    none(&faults);
}

#[test]
fn prose_has_one_sentence_a_line() {
    let mut faults = Vec::new();
    for page in texts(&[".md"]) {
        if GENERATED.contains(&page.path.as_str()) {
            continue;
        }
        for (number, line) in prose(&page) {
            if !line.starts_with('|') && holds_two_sentences(line) {
                faults.push(format!("{}:{number}: {line}", page.path));
            }
        }
    }
    none(&faults);
}

#[test]
fn no_machine_is_named() {
    // Put together here, so that this file is not its own finding.
    let places = [
        concat!("/wo", "rk/"),
        concat!("/fa", "rm/"),
        concat!("/ro", "ot/."),
    ];
    let mut faults = Vec::new();
    for file in texts(&[
        ".rs", ".md", ".toml", ".yml", ".json", ".mjs", ".py", ".txt", "run",
    ]) {
        for (index, line) in file.body.lines().enumerate() {
            if places.iter().any(|place| line.contains(place)) {
                faults.push(format!("{}:{}: {line}", file.path, index + 1));
            }
        }
    }
    none(&faults);
}

/// The lines of a page outside fenced code, with their numbers.
fn prose(page: &Text) -> impl Iterator<Item = (usize, &str)> {
    let mut fenced = false;
    page.body
        .lines()
        .enumerate()
        .filter_map(move |(index, line)| {
            if line.trim_start().starts_with("```") {
                fenced = !fenced;
                return None;
            }
            (!fenced).then_some((index + 1, line))
        })
}

/// What a link to a heading of a page ends in.
fn anchors(page: &str) -> impl Iterator<Item = String> {
    let headings = page.lines().filter(|line| line.starts_with('#'));
    headings.map(|line| {
        let words = line.trim_start_matches('#').trim().to_lowercase();
        let kept = words
            .chars()
            .filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    })
}

/// What stands in the round brackets of `[text](target)`.
fn link_targets(line: &str) -> impl Iterator<Item = &str> {
    line.split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next())
}

/// A full stop behind a small letter or a closing mark, a space, and a capital.
fn holds_two_sentences(line: &str) -> bool {
    line.as_bytes().windows(4).any(|four| {
        let [end, stop, space, start] = four else {
            return false;
        };
        let ends = end.is_ascii_lowercase() || b")`\"".contains(end);
        ends && b".?!".contains(stop) && *space == b' ' && start.is_ascii_uppercase()
    })
}
