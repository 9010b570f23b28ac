//! The command line, as people and scripts meet it.

use std::path::MAIN_SEPARATOR_STR;

use crate::client::{folder, run, shown};

/// Exit code, stdout, and stderr, with the folder as `ROOT`; places on stderr are written as on Unix.
fn outcome(options: &[&str]) -> (i32, String, String) {
    let folder = folder(&[("a.txt", "hello\n"), ("dir/b.txt", "")]);
    let output = run(folder.path(), options);
    let root = shown(folder.path());
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace(&root, "ROOT");
    let stderr = text(&output.stderr).replace(MAIN_SEPARATOR_STR, "/");
    (output.status.code().unwrap(), text(&output.stdout), stderr)
}

#[test]
fn faults_of_options_exit_with_2_and_one_line() {
    for (options, line) in [
        (&["--bogus"][..], "Unknown option '--bogus'"),
        (
            &["--http=true"],
            "Option '--http' does not take an argument",
        ),
        (
            &["x"],
            "Unexpected argument 'x'. This command does not take positional arguments",
        ),
        (&["--root"], "Option '--root <value>' argument missing"),
        (
            &["--read-only=true"],
            "Option '--read-only' does not take an argument",
        ),
        (
            &["--workspace", "a"],
            "invalid --workspace value \"a\": expected <name>=<path>",
        ),
        (
            &["--workspace", "A=."],
            "invalid workspace name \"A\" in --workspace: names must match ^[a-z0-9][a-z0-9_-]*$",
        ),
        (
            &["--root", ".", "--workspace", "default=dir"],
            "duplicate workspace name \"default\": workspace names must be unique",
        ),
        (&["--workspace", "a= "], "workspace \"a\" has an empty path"),
        (
            &["--allow-tool", "gerp"],
            "unknown tool in --allow-tool: gerp",
        ),
        (
            &["--deny-tool", "gerp"],
            "unknown tool in --deny-tool: gerp",
        ),
        (&["call", "gerp"], "no such tool: gerp"),
        (
            &["call", "grep", "--deny-tool", "grep"],
            "no such tool: grep",
        ),
        (&["call"], "call needs the name of a tool"),
        (
            &["call", "read_file", "a.txt"],
            "invalid argument 'a.txt': expected key=value or a JSON object",
        ),
    ] {
        let wanted = format!("[workspace-mcp] {line}\ntry --help\n");
        assert_eq!(outcome(options), (2, String::new(), wanted), "{options:?}");
    }
    let (code, _, stderr) = outcome(&["--workspace", "--root"]);
    assert_eq!(code, 2);
    assert!(stderr.starts_with("[workspace-mcp] Option '--workspace' argument is ambiguous."));
}

#[test]
fn faults_of_the_machine_exit_with_1() {
    for (options, line) in [
        (
            &["--root", "gone"][..],
            "workspace \"default\" root does not exist: ROOT/gone",
        ),
        (
            &["--workspace", "api=a.txt"],
            "workspace \"api\" root is not a directory: ROOT/a.txt",
        ),
        (
            &["--workspace", "api=dir/../../nowhere/x"],
            "workspace \"api\" root does not exist: ",
        ),
        (
            &["--log-file", "gone/log"],
            "cannot open log file ROOT/gone/log: ",
        ),
    ] {
        let (code, stdout, stderr) = outcome(options);
        assert_eq!((code, stdout.as_str()), (1, ""), "{options:?}");
        let wanted = format!("[workspace-mcp] {line}");
        assert!(stderr.starts_with(&wanted), "{options:?}: {stderr}");
        assert_eq!(stderr.lines().count(), 1, "{stderr}");
    }
}

#[test]
fn help_and_version_go_to_stdout() {
    for options in [
        &["--version"][..],
        &["-v"],
        &["--read-only", "-v", "--root", "gone"],
    ] {
        let wanted = "workspace-mcp 2.0.0\n".to_owned();
        assert_eq!(outcome(options), (0, wanted, String::new()));
    }
    let (code, stdout, stderr) = outcome(&["-v", "--help"]);
    assert_eq!((code, stderr.as_str()), (0, ""));
    assert!(stdout.contains("Usage: workspace-mcp [options]"));
}

#[test]
fn every_help_fits_a_screen_and_has_examples() {
    for command in [
        "",
        "setup",
        "doctor",
        "call",
        "tools",
        "check-config",
        "managed",
        "notes",
        "paged",
        "tunnel",
        "options",
        "completions",
        "man",
    ] {
        let words = [command, "--help"];
        let words = if command.is_empty() {
            &words[1..]
        } else {
            &words[..]
        };
        let (code, help, stderr) = outcome(words);
        assert_eq!((code, stderr.as_str()), (0, ""), "{command}");
        let usage = format!("Usage: workspace-mcp {command}");
        assert!(help.contains(usage.trim_end()), "{help}");
        assert!(help.contains("\nExamples:\n  workspace-mcp "), "{help}");
        assert!(
            help.lines().count() <= 24,
            "{command}: {}",
            help.lines().count()
        );
        for line in help.lines() {
            assert!(line.chars().count() <= 80, "{command}: {line}");
        }
        // Nobody looks at a terminal here.
        assert!(!help.contains('\u{1b}'), "{help}");
    }
    let (_, options, _) = outcome(&["options"]);
    assert!(options.contains("--tls-key <file>") && options.contains("WORKSPACE_MCP_SHELL_DENY"));
    assert!(
        options.lines().all(|line| line.chars().count() <= 80),
        "{options}"
    );
    let (_, paged, _) = outcome(&["options", "paged"]);
    assert!(paged.contains("--max-cursor-hash-bytes <n>"), "{paged}");
    let (code, _, stderr) = outcome(&["options", "x"]);
    assert_eq!(code, 2);
    assert!(stderr.contains("options takes one of notes, "), "{stderr}");
}

#[test]
fn start_and_end_are_logged() {
    let options = ["--workspace", "b=dir", "--workspace", "a=."];
    let (code, stdout, stderr) = outcome(&options);
    assert_eq!((code, stdout.as_str()), (0, ""));
    assert_eq!(
        stderr,
        "[workspace-mcp] ready on stdio (workspaces: b, a)\n[workspace-mcp] shutting down\n"
    );
    assert_eq!(outcome(&["--log-level", "warn"]).2, "");
}

#[test]
fn the_log_may_go_to_a_file() {
    let folder = folder(&[]);
    let output = run(folder.path(), &["--log-file", "log"]);
    assert!(output.stderr.is_empty());
    let log = std::fs::read_to_string(folder.path().join("log")).unwrap();
    assert!(log.contains("ready on stdio"), "{log}");
}

#[cfg(unix)]
#[test]
fn the_whole_file_system_is_served_with_a_warning() {
    let (code, _, stderr) = outcome(&["--root", "/"]);
    assert_eq!(code, 0);
    let warning = "[workspace-mcp] WARNING: workspace \"default\" is the whole file system";
    assert!(stderr.starts_with(warning), "{stderr}");
}

#[test]
fn a_pattern_that_is_a_path_of_the_host_is_warned_of() {
    let folder = folder(&[("a.txt", "")]);
    let inside = folder.path().join("a.txt");
    let inside = inside.to_str().unwrap();
    let warned = |options: &[&str]| {
        let output = run(folder.path(), options);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(0), "{said}");
        let text = "may match nothing: patterns are relative to the workspace root";
        let checked = run(folder.path(), &[&["check-config"], options].concat());
        let checked = String::from_utf8(checked.stdout).unwrap();
        assert_eq!(checked.contains(text), said.contains(text), "{checked}");
        said.contains(text)
    };
    assert!(warned(&["--deny-path", inside]));
    assert!(warned(&["--read-only-path", "../a.txt"]));
    assert!(!warned(&["--deny-path", "/a.txt"]));
    assert!(!warned(&["--root", "/", "--deny-path", inside]));
    assert!(!warned(&[
        "--deny-path",
        "a..txt",
        "--read-only-path",
        "**"
    ]));
}

#[test]
fn one_tool_may_be_run_by_hand() {
    let root = ["--root", "."];
    let call = |words: &[&str]| outcome(&[&["call", "read_file"], words, &root].concat());
    assert_eq!(
        call(&["path=a.txt"]),
        (0, "1: hello\n".to_owned(), String::new())
    );
    assert_eq!(
        call(&["path=a.txt", "offset=5"]).1,
        "... (offset 5 is past the end of file; file has 1 line)\n"
    );
    assert_eq!(call(&[r#"{"path": "a.txt"}"#]).1, "1: hello\n");
    assert_eq!(
        call(&["path=gone.txt"]),
        (1, String::new(), "file not found: gone.txt\n".to_owned())
    );
}

#[test]
fn the_tools_may_be_listed_by_hand() {
    let (code, stdout, _) = outcome(&["tools", "--read-only"]);
    assert_eq!(code, 0);
    let names: Vec<&str> = stdout
        .lines()
        .filter(|line| !line.starts_with(' '))
        .filter_map(|line| line.split(' ').next())
        .collect();
    assert_eq!(
        names[..4],
        ["workspace_list", "read_file", "grep", "list_files"]
    );
    assert!(stdout.ends_with(" bytes in all\n"));
}

#[cfg(unix)]
#[test]
fn an_argument_that_is_no_text_is_named_and_not_guessed_at() {
    use std::os::unix::ffi::OsStrExt as _;
    let folder = folder(&[]);
    let mut program = crate::client::program(folder.path(), &[]);
    let output = program
        .arg(std::ffi::OsStr::from_bytes(b"--root=\xff"))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "[workspace-mcp] argument is not valid UTF-8: --root=\u{fffd}\ntry --help\n"
    );
}

/// What bash offers for the last of these words, with the completions of the program loaded.
#[cfg(unix)]
fn offered(words: &[&str]) -> Vec<String> {
    let folder = folder(&[]);
    let script = run(folder.path(), &["completions", "bash"]).stdout;
    let mut script = String::from_utf8(script).unwrap();
    script.push_str(
        "COMP_WORDS=(\"$@\"); COMP_CWORD=$(( $# - 1 )); _workspace_mcp\n\
         printf '%s\\n' \"${COMPREPLY[@]}\"\n",
    );
    let output = std::process::Command::new("bash")
        .args(["-c", &script, "bash", "workspace-mcp"])
        .args(words)
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(str::to_owned).collect()
}

#[test]
#[cfg(unix)]
fn bash_completes_commands_options_and_values() {
    assert_eq!(offered(&["--ro"]), ["--root"]);
    assert_eq!(offered(&["--durability", ""]), ["kill", "power"]);
    assert_eq!(offered(&["managed", "--pr"]), ["--prune"]);
    assert_eq!(offered(&["managed", "/etc/os-rel"]), ["/etc/os-release"]);
    assert_eq!(
        offered(&["completions", ""]),
        ["bash", "zsh", "fish", "powershell"]
    );
    assert_eq!(offered(&["call", "gr"]), ["grep"]);
    assert_eq!(offered(&["--deny-tool", "run"]), ["run_command"]);
    assert_eq!(offered(&["--log-level", "w"]), ["warn"]);
    assert_eq!(offered(&["options", "pa"]), ["paged"]);
    let writers = [
        "tasks_add",
        "tasks_complete",
        "tasks_update",
        "tasks_remove",
    ];
    assert_eq!(offered(&["notes", "--allow-write", "tasks"]), writers);
    // Behind `--` go the words of the server.
    assert_eq!(offered(&["setup", "cursor", "--sc"]), ["--scope"]);
    assert_eq!(offered(&["setup", "cursor", "--", "--sc"]), [""; 1]);
    assert_eq!(
        offered(&["setup", "cursor", "--", "--read-o"]),
        ["--read-only", "--read-only-path"]
    );
    assert_eq!(offered(&["setup", "cursor", "--", "not"]), ["notes"]);
}

/// Every level has its name on the list that completions are made of.
#[test]
#[cfg(unix)]
fn levels_are_known_by_their_names() {
    for level in offered(&["--log-level", ""]) {
        assert_eq!(outcome(&["--log-level", &level]).0, 0, "{level}");
    }
}

#[test]
fn the_manual_page_names_all_options() {
    let (code, page, _) = outcome(&["man"]);
    assert_eq!(code, 0);
    assert!(page.starts_with(".TH WORKSPACE-MCP 1 "));
    for option in ["root <dir>", "prune", "tunnel\\-id <id>"] {
        assert!(page.contains(&format!("\\-\\-{option}\n")), "{option}");
    }
    let (code, _, fault) = outcome(&["completions", "cmd"]);
    assert_eq!(code, 2);
    assert!(fault.contains("completions needs one shell: bash, zsh, fish, powershell"));
}

#[cfg(target_os = "linux")]
mod on_a_terminal {
    use std::fs::{File, OpenOptions};
    use std::io::Read as _;
    use std::path::Path;
    use std::process::{Command, Stdio};

    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

    use crate::client::{folder, program};

    /// The end of a terminal that a person sees, and the end for a program.
    fn terminal() -> (File, File) {
        let seen = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&seen).unwrap();
        unlockpt(&seen).unwrap();
        let name = ptsname(&seen, Vec::new()).unwrap();
        let written = OpenOptions::new()
            .read(true)
            .write(true)
            .open(Path::new(name.to_str().unwrap()))
            .unwrap();
        (seen.into(), written)
    }

    /// What a person sees until all that have the other end let it go.
    fn seen(mut terminal: File, mut command: Command) -> String {
        let mut child = command.spawn().unwrap();
        // The ends for the program that this process still has go with it.
        drop(command);
        let mut bytes = Vec::new();
        let mut chunk = [0; 4096];
        while let Ok(n @ 1..) = terminal.read(&mut chunk) {
            bytes.extend_from_slice(&chunk[..n]);
        }
        assert!(child.wait().unwrap().success());
        String::from_utf8(bytes).unwrap()
    }

    fn in_colours(variables: &[(&str, &str)]) -> bool {
        let folder = folder(&[]);
        let (screen, written) = terminal();
        let mut command = program(folder.path(), &["doctor", "--help"]);
        command.env("TERM", "xterm").env_remove("NO_COLOR");
        command.envs(variables.iter().copied()).stdout(written);
        let text = seen(screen, command);
        assert!(text.contains("workspace-mcp doctor"), "{text}");
        text.contains("\u{1b}[1mOptions:\u{1b}[0m")
    }

    #[test]
    fn help_is_coloured_unless_somebody_minds() {
        assert!(in_colours(&[]));
        assert!(in_colours(&[("NO_COLOR", "")]));
        assert!(!in_colours(&[("NO_COLOR", "1")]));
        assert!(!in_colours(&[("TERM", "dumb")]));
    }

    #[test]
    fn a_long_call_says_that_it_runs_to_a_person_alone() {
        let folder = folder(&[]);
        let command = || {
            let words = [
                "call",
                "run_command",
                "--shell-any",
                "--log-level",
                "off",
                "command=[\"sleep\", \"1\"]",
            ];
            let mut command = program(folder.path(), &words);
            command.env("TERM", "xterm").stdin(Stdio::null());
            command
        };
        let (screen, written) = terminal();
        let mut on_terminal = command();
        on_terminal.stdout(Stdio::null()).stderr(written);
        let text = seen(screen, on_terminal);
        assert!(text.starts_with("\rrun_command (0 s)\u{1b}[K"), "{text:?}");
        assert!(text.ends_with("\r\u{1b}[K"), "{text:?}");
        let output = command().output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        assert!(output.status.success());
    }
}
