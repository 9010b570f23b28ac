//! What Rust files look like.

use crate::tree::{none, texts};

/// Lines of a file that are neither blank nor tests.
const LINES: usize = 500;

/// Lines of a test module inside the file it tests.
const INLINE_TEST_LINES: usize = 50;

#[test]
fn files_are_short_enough_to_read() {
    let mut faults = Vec::new();
    for file in texts(&[".rs"]) {
        if file.is_test() {
            continue;
        }
        let lines = file
            .code_lines()
            .filter(|(_, line)| !line.trim().is_empty())
            .count();
        if lines > LINES {
            faults.push(format!(
                "{}: {lines} lines, at most {LINES}: split it by noun",
                file.path
            ));
        }
        let tests = file.body.lines().count() - file.code_lines().count();
        // The module's braces and what it imports are no tests.
        if tests > INLINE_TEST_LINES + 10 {
            faults.push(format!(
                "{}: {tests} lines of tests: move them to tests.rs",
                file.path
            ));
        }
    }
    none(&faults);
}

#[test]
fn nothing_is_left_over() {
    // Put together here, so that this file is not its own finding.
    let words = [
        concat!("to", "do!("),
        concat!("un", "implemented!("),
        concat!("db", "g!("),
        concat!("FIX", "ME"),
        concat!("// TO", "DO"),
        concat!("#[ig", "nore"),
    ];
    let mut faults = Vec::new();
    for file in texts(&[".rs"]) {
        for (index, line) in file.body.lines().enumerate() {
            for word in words {
                if line.contains(word) {
                    faults.push(format!("{}:{}: {word}", file.path, index + 1));
                }
            }
        }
    }
    none(&faults);
}

#[test]
fn tests_wait_for_things_and_not_for_time() {
    let word = concat!("thread::sl", "eep");
    let mut faults = Vec::new();
    for file in texts(&[".rs"]) {
        if file.is_test() && file.body.contains(word) {
            faults.push(format!("{}: {word}", file.path));
        }
    }
    none(&faults);
}

#[test]
fn imports_name_what_they_import() {
    let mut faults = Vec::new();
    for file in texts(&[".rs"]) {
        for (index, line) in file.body.lines().enumerate() {
            let line = line.trim_start();
            let imports = line.starts_with("use ") || line.starts_with("pub use ");
            // The prelude of proptest is made to be imported so.
            if imports && line.ends_with("::*;") && line != "use proptest::prelude::*;" {
                faults.push(format!("{}:{}: {line}", file.path, index + 1));
            }
        }
    }
    none(&faults);
}

#[test]
fn every_file_is_part_of_its_crate() {
    let files = texts(&[".rs"]);
    let mut faults = Vec::new();
    for file in &files {
        let Some((folder, name)) = file.path.rsplit_once('/') else {
            continue;
        };
        let name = name.trim_end_matches(".rs");
        let is_root = matches!(name, "lib" | "main" | "build")
            || ["/benches", "/examples"]
                .iter()
                .any(|end| folder.ends_with(end));
        if is_root {
            continue;
        }
        // `a/mod.rs` is declared beside `a/`, everything else beside or above itself.
        let (folder, name) = if name == "mod" {
            folder.rsplit_once('/').unwrap_or((folder, name))
        } else {
            (folder, name)
        };
        let parents = [
            format!("{folder}/lib.rs"),
            format!("{folder}/main.rs"),
            format!("{folder}/mod.rs"),
            format!("{folder}.rs"),
        ];
        let declared = files.iter().any(|parent| {
            parents.contains(&parent.path) && parent.body.lines().any(|line| declares(line, name))
        });
        if !declared {
            faults.push(format!("{}: no `mod {name};` names it", file.path));
        }
    }
    none(&faults);
}

/// `mod name;`, or an attribute that gives a module this file.
fn declares(line: &str, name: &str) -> bool {
    let line = line.trim();
    if let Some(path) = line.strip_prefix("#[path = \"") {
        let path = path.trim_end_matches("\"]");
        return path == format!("{name}.rs") || path == format!("{name}/mod.rs");
    }
    line.trim_end_matches(';')
        .rsplit_once("mod ")
        .is_some_and(|(before, declared)| {
            declared == name && (before.is_empty() || before.starts_with("pub"))
        })
}
