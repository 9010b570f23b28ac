use std::path::Path;

use workspace::paged::Limits;

use super::{OPTIONS, key, read};
use crate::toolset::Eras;

fn parse(line: &str) -> Result<super::Line, String> {
    let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    read(&words, Path::new("/here"), |_| None)
}

fn fault(line: &str) -> String {
    parse(line).unwrap_err()
}

#[test]
fn each_fault_has_its_text() {
    for (line, text) in [
        ("", "--root is required"),
        ("--root", "missing value for --root"),
        ("--include a --exclude", "missing value for --exclude"),
        ("--max-files", "missing value for --max-files"),
        ("--bogus", "unknown option --bogus"),
        ("--bogus x", "unknown option --bogus"),
        ("word", "unknown option word"),
        ("--root x -r", "unknown option -r"),
        ("--max-files 0", "--max-files must be a positive integer"),
        ("--max-files 01", "--max-files must be a positive integer"),
        ("--max-files -1", "--max-files must be a positive integer"),
        ("--max-files 1.5", "--max-files must be a positive integer"),
        ("--max-files 9007199254740992", "--max-files is too large"),
        (
            "--max-files 99999999999999999999999",
            "--max-files is too large",
        ),
        ("--max-depth 00", "--max-depth must be a positive integer"),
        (
            "--cursor-key-env 1A",
            "--cursor-key-env must name an environment variable",
        ),
        (
            "--cursor-key-env A-B",
            "--cursor-key-env must name an environment variable",
        ),
        ("--era old", "--era must be modern or both"),
        ("--port x", "invalid --port: x"),
        // The first that is wrong is told.
        (
            "--max-files 0 --bogus",
            "--max-files must be a positive integer",
        ),
        ("--include a", "--root is required"),
    ] {
        assert_eq!(fault(line), text, "{line}");
    }
}

#[test]
fn values_are_taken_as_they_are() {
    let line = parse(
        "--root a --root b --include --x --include **/*.md --exclude c --no-default-exclude \
         --max-depth 0 --max-files 9007199254740991 --cursor-key-env _K1 --server-name n --era both",
    );
    let line = line.unwrap();
    assert_eq!(line.options.root, Path::new("/here/b"));
    assert_eq!(line.options.include, ["--x", "**/*.md"]);
    assert_eq!(line.options.exclude, ["c"]);
    assert!(!line.options.default_exclude && !line.transport.http);
    assert_eq!(line.options.limits.max_depth, 0);
    assert_eq!(line.options.limits.max_files, (1 << 53) - 1);
    assert_eq!(line.key_variable.as_deref(), Some("_K1"));
    assert_eq!((line.name.as_str(), line.eras), ("n", Eras::Both));
    let line = parse("--root a --http --host 127.0.0.1 --port 0 --token secret").unwrap();
    assert!(line.transport.http && line.transport.port == 0);
}

#[test]
fn a_key_is_canonical_base64url_of_32_bytes() {
    let missing = "cursor key environment variable is missing, empty, or malformed";
    let short = "cursor key environment variable is malformed or contains fewer than 32 bytes";
    let good = "A".repeat(43);
    assert_eq!(key(Some(&good)).unwrap(), [0; 32]);
    assert_eq!(key(Some(&"A".repeat(64))).unwrap().len(), 48);
    for (value, text) in [
        (None, missing),
        (Some(""), missing),
        (Some("a b"), missing),
        (Some("AAAA="), missing),
        (Some("é"), missing),
        (Some("AAAA"), short),
        (Some(&*format!("{}B", "A".repeat(42))), short),
        (Some(&*"A".repeat(42)), short),
    ] {
        assert_eq!(key(value).unwrap_err(), text, "{value:?}");
    }
}

#[test]
fn what_is_usual_is_said() {
    let usual = Limits::default();
    let help = crate::options::list(OPTIONS);
    for (option, value) in [
        ("max-files", usual.max_files),
        ("max-directories", usual.max_directories),
        ("max-depth", usual.max_depth),
        ("max-entries", usual.max_entries),
        ("max-file-bytes", usual.max_file_bytes),
        ("max-read-bytes", usual.max_read_bytes),
        ("max-scan-bytes", usual.max_scan_bytes),
        ("max-result-bytes", usual.max_result_bytes),
        ("max-write-bytes", usual.max_write_bytes),
        ("max-cursor-hash-bytes", usual.max_cursor_hash_bytes),
    ] {
        let (_, about) = help.split_once(&format!("--{option} <n>")).unwrap();
        let about = about.split("\n  --").next().unwrap();
        let line = about.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(line.ends_with(&format!("(default {value})")), "{line}");
    }
}
