//! The files of the checkout, read once for each test.

use std::fs;
use std::path::Path;

/// One text file: its path from the root with `/`, and what it holds.
pub struct Text {
    pub path: String,
    pub body: String,
}

impl Text {
    /// Says whether all of the file is test code.
    pub fn is_test(&self) -> bool {
        self.path.contains("/tests/") || self.path.ends_with("/tests.rs")
    }

    /// The lines of the file that are not test code, with their numbers.
    pub fn code_lines(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines: Vec<&str> = self.body.lines().collect();
        let tests = lines
            .iter()
            .position(|line| line.starts_with("mod tests {"));
        let code = tests.unwrap_or(lines.len());
        lines
            .into_iter()
            .take(code)
            .enumerate()
            .map(|(index, line)| (index + 1, line))
    }
}

/// Every file whose name has one of these endings.
pub fn texts(endings: &[&str]) -> Vec<Text> {
    let root = root();
    let mut found = Vec::new();
    walk(root, "", endings, &mut found);
    assert!(
        !found.is_empty(),
        "no {endings:?} file in {}",
        root.display()
    );
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

/// The folder of the workspace manifest.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("xtask lies one folder below the root")
}

/// Fails with all faults at once, one a line.
pub fn none(faults: &[String]) {
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

/// What is made by tools, and the sample that stands for somebody else's project.
const LEFT_OUT: [&str; 6] = [
    ".git",
    ".tools",
    "target",
    "node_modules",
    ".workspace-mcp",
    "sample-project",
];

fn walk(folder: &Path, prefix: &str, endings: &[&str], found: &mut Vec<Text>) {
    for entry in fs::read_dir(folder).expect("the checkout can be listed") {
        let entry = entry.expect("the checkout can be listed");
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{prefix}{name}");
        let kind = entry.file_type().expect("the checkout can be listed");
        if LEFT_OUT.contains(&name.as_str()) {
            continue;
        }
        if kind.is_dir() {
            walk(&entry.path(), &format!("{path}/"), endings, found);
        } else if kind.is_file() && endings.iter().any(|ending| name.ends_with(ending)) {
            // Test data may hold bytes that are no text.
            let body = fs::read(entry.path()).expect("the checkout can be read");
            let body = String::from_utf8_lossy(&body);
            found.push(Text {
                path,
                body: body.replace("\r\n", "\n"),
            });
        }
    }
}
