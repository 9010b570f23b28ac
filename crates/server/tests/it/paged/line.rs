//! Starting, and not starting.

use std::process::{Output, Stdio};

use super::paged;
use crate::client::folder;

fn run(options: &[&str]) -> Output {
    let folder = folder(&[("file", ""), ("r/a", "")]);
    #[cfg(unix)]
    std::os::unix::fs::symlink("r", folder.path().join("link")).unwrap();
    let mut command = paged(folder.path(), options);
    command.env("SHORT_KEY", "AAAA").env("BAD_KEY", "a b");
    command.stdin(Stdio::null()).output().unwrap()
}

fn told(output: &Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (
        output.status.code(),
        text(&output.stdout),
        text(&output.stderr),
    )
}

#[test]
fn a_start_that_fails_says_why_in_one_line() {
    let rest = ["--include", "**"];
    for (options, text) in [
        (&["--root"][..], "missing value for --root"),
        (&["--bogus"], "unknown option --bogus"),
        (&["word"], "unknown option word"),
        (
            &["--max-depth", "x"],
            "--max-depth must be a positive integer",
        ),
        (
            &["--max-files", "9007199254740992"],
            "--max-files is too large",
        ),
        (&[], "--root is required"),
        (
            &["--cursor-key-env", "-"],
            "--cursor-key-env must name an environment variable",
        ),
        (
            &["--root", "r"],
            "at least one --include pattern is required",
        ),
        (
            &["--root", "missing"],
            "at least one --include pattern is required",
        ),
        (
            &[
                "--root",
                "missing",
                "--include",
                "a",
                "--max-read-bytes",
                "3",
            ],
            "limits are not valid",
        ),
        (
            &["--root", "r", "--include", "a", "--max-scan-bytes", "16383"],
            "limits are not valid",
        ),
        (
            &[
                "--root",
                "r",
                "--include",
                "a",
                "--max-result-bytes",
                "47999",
            ],
            "limits are not valid",
        ),
        (
            &[
                "--root",
                "r",
                "--include",
                "a",
                "--max-result-bytes",
                "1048577",
            ],
            "limits are not valid",
        ),
        (
            &[&["--root", "missing"][..], &rest].concat(),
            "root does not exist",
        ),
        #[cfg(unix)]
        (
            &[&["--root", "link"][..], &rest].concat(),
            "root must not be a symbolic link",
        ),
        (
            &[&["--root", "file"][..], &rest].concat(),
            "root is not a directory",
        ),
        (
            &[
                &["--root", "missing", "--cursor-key-env", "NO_KEY"][..],
                &rest,
            ]
            .concat(),
            "root does not exist",
        ),
        (
            &[&["--root", "r", "--cursor-key-env", "NO_KEY"][..], &rest].concat(),
            "cursor key environment variable is missing, empty, or malformed",
        ),
        (
            &[&["--root", "r", "--cursor-key-env", "BAD_KEY"][..], &rest].concat(),
            "cursor key environment variable is missing, empty, or malformed",
        ),
        (
            &[&["--root", "r", "--cursor-key-env", "SHORT_KEY"][..], &rest].concat(),
            "cursor key environment variable is malformed or contains fewer than 32 bytes",
        ),
    ] {
        let expected = (Some(64), String::new(), format!("{text}\n"));
        assert_eq!(told(&run(options)), expected, "{options:?}");
    }
}

#[test]
fn help_and_version_win_wherever_they_are() {
    let (code, help, _) = told(&run(&["--bogus", "--version", "--help"]));
    assert_eq!(code, Some(0));
    assert!(help.contains("`workspace-mcp options paged`"), "{help}");
    let (code, version, _) = told(&run(&["--root", "--version"]));
    assert_eq!(
        (code, version.as_str()),
        (Some(0), concat!(env!("CARGO_PKG_VERSION"), "\n"))
    );
}

#[test]
fn a_start_that_is_hardly_meant_so_is_warned_of() {
    let root_level = "no --include pattern matches a file in the root itself, so write_text_file will \
                      refuse every call. Reads are unaffected. Add an --include glob with no directory \
                      prefix, such as '**', if this installation maps the write tool.\n";
    let (code, _, stderr) = told(&run(&["--root", "r", "--include", "lib/**"]));
    assert_eq!(
        (code, stderr),
        (Some(0), format!("workspace-mcp: {root_level}"))
    );
    let options = [
        "--root",
        "r",
        "--include",
        "lib/**",
        "--server-name",
        "ptc-fs-mcp",
    ];
    let (_, _, stderr) = told(&run(&options));
    assert_eq!(stderr, format!("ptc-fs-mcp: {root_level}"));
    let (code, _, stderr) = told(&run(&[
        "--root",
        "r",
        "--include",
        ".env",
        "--include",
        "*",
        "--include",
        "x/.git/y",
    ]));
    assert_eq!(
        (code, stderr.as_str()),
        (
            Some(0),
            "workspace-mcp: --include .env, x/.git/y matches a built-in exclude, so nothing it names \
             is served. Pass --no-default-exclude to drop the built-in list.\n"
        )
    );
    let (_, _, stderr) = told(&run(&[
        "--root",
        "r",
        "--include",
        ".env",
        "--no-default-exclude",
    ]));
    assert_eq!(stderr, "");
}
