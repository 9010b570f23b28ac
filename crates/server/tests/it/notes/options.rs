//! The command line, and what is said at the start.

use super::{READS, WRITES, names, serve, serve_writing, vault};
use crate::client::{run, shown};

#[test]
fn a_bad_start_is_one_line_and_where_to_look() {
    let folder = vault(&[("a.md", "")]);
    #[cfg(unix)]
    std::os::unix::fs::symlink("notes", folder.path().join("link")).unwrap();
    for (options, said) in [
        (
            &[][..],
            "--root is required: name the folder of notes to serve",
        ),
        (&["--root", ""], "invalid --root: expected a folder"),
        (&["--root", "none"], "there is no such folder"),
        (&["--root", "outside.md"], "not a folder"),
        #[cfg(unix)]
        (&["--root", "link"], "a link; name the folder itself"),
        #[cfg(unix)]
        (&["--root", "link/"], "a link; name the folder itself"),
        (&["--root", "notes", "--bogus"], "Unknown option '--bogus'"),
        (&["--root", "notes", "more"], "Unexpected argument 'more'"),
        (
            &["--root", "notes", "--allow-write", "nope"],
            "no such write tool: nope",
        ),
        (
            &["--root", "notes", "--allow-write", "*"],
            "no such write tool: *",
        ),
        (
            &["--root", "notes", "--allow-write", ""],
            "expected names of write tools",
        ),
        (
            &["--root", "notes", "--allow-write", "tasks_add,"],
            "expected names of write tools",
        ),
        (
            &["--root", "notes", "--allow-write", "tasks_add, notes_edit"],
            "no such write tool:  notes_edit",
        ),
        (
            &["--root", "notes", "--allow-write", "notes_read"],
            "only reads",
        ),
        (
            &["--root", "notes", "--max-read-bytes", "1023"],
            "from 1024 to 10485760",
        ),
        (
            &["--root", "notes", "--max-read-bytes", "10485761"],
            "from 1024 to 10485760",
        ),
        (
            &["--root", "notes", "--max-read-bytes", "1e5"],
            "from 1024 to 10485760",
        ),
        (
            &["--root", "notes", "--max-write-bytes", "0"],
            "from 1 to 10485760",
        ),
        (&["--root", "notes", "--max-results=1001"], "from 1 to 1000"),
        (&["--root", "notes", "--max-results=-1"], "from 1 to 1000"),
        (&["--root", "notes", "--max-results"], "argument missing"),
        (
            &["--root", "notes", "--markdown-tasks=yes"],
            "does not take an argument",
        ),
        (
            &["--root", "notes", "--http", "--host", "0.0.0.0"],
            "without a token",
        ),
    ] {
        let output = run(folder.path(), &[&["notes"], options].concat());
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{options:?}: {stderr}");
        let lines: Vec<&str> = stderr.lines().collect();
        assert_eq!(lines.len(), 2, "{stderr}");
        assert!(lines[0].contains(said), "{options:?}: {stderr}");
        assert_eq!(lines[1], "try --help");
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn the_start_says_what_counts() {
    let folder = vault(&[]);
    let options = [
        "notes",
        "--root=notes",
        "--allow-write",
        "tasks_add",
        "--allow-write=notes_append,tasks_add",
        "--max-results",
        "7",
        "--markdown-tasks",
    ];
    let output = run(folder.path(), &options);
    let stderr = String::from_utf8(output.stderr).unwrap();
    let said: Vec<&str> = stderr
        .lines()
        .filter(|line| !line.starts_with('['))
        .collect();
    let root = format!("root: {}", shown(&folder.path().join("notes")));
    assert_eq!(
        said,
        [
            concat!("version: ", env!("CARGO_PKG_VERSION")),
            "toolset: notes",
            &root,
            "allow-write: notes_append, tasks_add",
            "max-read-bytes: 262144",
            "max-write-bytes: 65536",
            "max-results: 7",
            "markdown-tasks: on",
            "transport: stdio",
            "token: not used",
        ]
    );
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stdout.is_empty());
}

#[test]
fn help_and_version_are_printed() {
    let folder = vault(&[]);
    let text = |words: &[&str]| {
        let output = run(folder.path(), words);
        String::from_utf8(output.stdout).unwrap()
    };
    let help = text(&["notes", "--help"]);
    assert!(text(&["options", "notes"]).contains("--token <secret>"));
    for option in ["--root", "--allow-write", "--markdown-tasks", "--http"] {
        assert!(help.contains(option), "{help}");
    }
    for tool in WRITES {
        assert!(help.contains(tool), "{tool}");
    }
    let version = run(folder.path(), &["notes", "--version"]);
    assert!(
        String::from_utf8(version.stdout)
            .unwrap()
            .starts_with("workspace-mcp ")
    );
}

#[test]
fn a_tool_that_is_not_enabled_does_not_exist() {
    let folder = vault(&[("a.md", "a")]);
    assert_eq!(names(&mut serve(&folder, &[])), READS);
    let all = [&READS[..], &WRITES[..]].concat();
    assert_eq!(names(&mut serve_writing(&folder, &[])), all);
    for enabled in WRITES {
        for modern in [false, true] {
            let client = serve(&folder, &["--allow-write", enabled]);
            let mut client = if modern { client.modern() } else { client };
            if !modern {
                client.initialize("2025-11-25");
            }
            let there = names(&mut client);
            assert_eq!(there, [&READS[..], &[enabled]].concat());
            for tool in WRITES.iter().filter(|tool| **tool != enabled) {
                let id = client.send_call(tool, serde_json::json!({"path": "a.md", "text": "x"}));
                let answer = client.recv(id);
                assert_eq!(answer["error"]["code"], -32602, "{tool}: {answer}");
            }
        }
    }
    assert_eq!(
        std::fs::read_to_string(folder.path().join("notes/a.md")).unwrap(),
        "a"
    );
}
