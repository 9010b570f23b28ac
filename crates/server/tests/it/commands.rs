//! Commands and jobs: what they say, how they end, and that nothing of them is left.

mod ends;
mod http;
mod jobs;
mod output;
mod surroundings;

use std::collections::HashSet;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::{Client, eventually, folder, line, program};

/// How long what has to end soon may take on a busy machine.
const SOON: Duration = Duration::from_secs(10);

/// A server that runs anything, and the folders it works on.
struct Served {
    client: Client,
    root: TempDir,
    jobs: TempDir,
}

impl Served {
    fn new() -> Self {
        Self::with(&["--shell-any"], &[], &[])
    }

    fn with(options: &[&str], variables: &[(&str, &str)], files: &[(&str, &str)]) -> Self {
        let (root, jobs) = (folder(files), folder(&[]));
        let mut program = program(root.path(), options);
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("WORKSPACE_MCP_") {
                program.env_remove(name);
            }
        }
        program.env("WORKSPACE_MCP_JOB_DIR", jobs.path());
        program.envs(variables.iter().copied());
        Self {
            client: Client::start_with(&mut program),
            root,
            jobs,
        }
    }

    fn run(&mut self, command: &[&str]) -> String {
        self.client.call("run_command", json!({"command": command}))
    }

    fn sh(&mut self, script: &str) -> String {
        self.run(&["sh", "-c", script])
    }
}

/// The text without the times in it.
fn timeless(text: &str) -> String {
    let mut rest = text;
    let mut out = String::new();
    while let Some((before, after)) = rest.split_once("duration: ") {
        out.push_str(before);
        out.push_str("duration: N");
        rest = after.trim_start_matches(|c: char| c.is_ascii_digit());
    }
    out + rest
}

/// A number that stands in the command line of one test's sleepers only.
fn mark() -> String {
    static LAST: AtomicU64 = AtomicU64::new(0);
    let n = LAST.fetch_add(1, Ordering::Relaxed);
    format!("3{:07}.{n:04}", std::process::id())
}

/// The processes whose command line holds a text.
fn processes(text: &str) -> HashSet<u32> {
    let all = fs::read_dir("/proc").unwrap().flatten();
    all.filter_map(|entry| {
        let pid = entry.file_name().to_str()?.parse().ok()?;
        let line = fs::read(entry.path().join("cmdline")).ok()?;
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        (line.contains(text) && !is_zombie(&entry.path())).then_some(pid)
    })
    .collect()
}

fn is_zombie(process: &Path) -> bool {
    let stat = fs::read_to_string(process.join("stat")).unwrap_or_default();
    stat.rsplit_once(')')
        .is_some_and(|(_, rest)| rest.trim_start().starts_with('Z'))
}

#[test]
fn without_the_options_there_are_no_such_tools() {
    for options in [
        &[][..],
        &["--shell-allow", "git"],
        &["--shell-any", "--read-only"],
    ] {
        let mut served = Served::with(options, &[], &[]);
        let list = served.client.request("tools/list", json!({}));
        let tools = list["result"]["tools"].as_array().unwrap();
        let has = tools.iter().any(|tool| {
            let name = tool["name"].as_str().unwrap();
            name == "run_command" || name.contains("job")
        });
        assert!(!has, "{options:?}");
        let answer = served.client.request(
            "tools/call",
            json!({"name": "run_command", "arguments": {"command": ["true"]}}),
        );
        assert_eq!(answer["error"]["message"], "Tool run_command not found");
    }
}

#[test]
fn the_list_has_them_last_and_says_what_they_do() {
    let mut served = Served::with(&[], &[("WORKSPACE_MCP_SHELL", "1")], &[]);
    let answer = served.client.initialize("2025-11-25");
    let text = answer["result"]["instructions"].as_str().unwrap();
    assert!(
        text.contains("not a sandbox. Mode: allowlist (pnpm, npm, npx, node)."),
        "{text}"
    );
    assert!(!text.contains("There is no shell"));
    let list = served.client.request("tools/list", json!({}));
    let tools = list["result"]["tools"].as_array().unwrap();
    let names: Vec<&str> = tools
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert!(names.ends_with(&["run_command", "start_job", "job_status", "job_kill"]));
    let hints = |index: usize| tools[tools.len() - index]["annotations"].clone();
    let run = json!({"readOnlyHint": false, "destructiveHint": true, "idempotentHint": false, "openWorldHint": true});
    assert_eq!((hints(4), hints(3)), (run.clone(), run));
    assert_eq!(hints(2)["readOnlyHint"], true);
    assert_eq!(hints(1)["idempotentHint"], true);
    let about = tools[tools.len() - 4]["description"].as_str().unwrap();
    assert!(about.ends_with(" Default timeoutMs: 120000."), "{about}");
}

#[test]
fn a_program_has_to_be_on_the_list() {
    let options = ["--shell", "--shell-allow", "sh, /bin/echo,.,"];
    let deny = [("WORKSPACE_MCP_SHELL_DENY", "true,/x/npx")];
    let mut served = Served::with(&options, &deny, &[]);
    assert!(
        served
            .run(&["echo", "a  b", "$HOME;`x`*"])
            .starts_with("a  b $HOME;`x`*\n\nexit code: 0")
    );
    assert!(served.run(&["/bin/echo"]).contains("exit code: 0"));
    assert_eq!(
        served.run(&["git", "status"]),
        "error: command not allowed: git. Allowed executables: pnpm, npm, npx, node, sh, echo. \
         Extend the allowlist with --shell-allow <list> (or WORKSPACE_MCP_SHELL_ALLOW), or allow \
         everything with --shell-any."
    );
    // No spelling of a command line is looked into: the first word is the program.
    for word in [
        "echo;true",
        "echo\nid",
        " echo",
        "$(id)",
        "\"echo\"",
        "ec*",
        "sh -c id",
        "/bin/./git",
        "echo\r",
        "'echo'",
        "echo <<EOF\nid\nEOF",
        "VAR=1 echo",
        &"echo && ".repeat(60),
    ] {
        let text = served.run(&[word]);
        assert!(text.starts_with("error: command not allowed: "), "{text}");
    }
    let whole = json!({"command": "echo hello"});
    let text = served.client.call("run_command", whole);
    assert!(
        text.ends_with("\npass each word of the command as an item of its own"),
        "{text}"
    );
    for word in ["npx", "/tmp/npx"] {
        assert_eq!(
            served.run(&[word]),
            "error: command denied by configuration: npx"
        );
    }
    let mut any = Served::with(&["--shell-any"], &deny, &[]);
    assert_eq!(
        any.run(&["/bin/true"]),
        "error: command denied by configuration: true"
    );
}

#[test]
fn what_cannot_be_started_is_said() {
    let mut served = Served::with(
        &["--shell-any", "--shell-path", "/usr/bin:relative:/bin"],
        &[],
        &[
            ("plain", "x"),
            ("d/x", ""),
            ("lost", "#!/nowhere\n"),
            ("crlf", "#!/bin/sh\r\necho\r\n"),
            ("bare", "echo\n"),
        ],
    );
    for name in ["lost", "crlf", "bare"] {
        let path = served.root.path().join(name);
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    for name in ["./lost", "./crlf"] {
        assert_eq!(
            served.run(&[name]),
            format!(
                "error: executable not found: {name}\nthe file is there, but not the interpreter \
                 that its first line names (a line end of CR LF counts as part of the name), or \
                 the loader that it needs"
            )
        );
    }
    assert_eq!(
        served.run(&["./bare"]),
        "error: failed to start: Exec format error\na script begins with a line that names its \
         interpreter, such as #!/bin/sh"
    );
    assert_eq!(
        served.run(&["no-such-program"]),
        "error: executable not found: no-such-program\nsearched PATH: /usr/bin:relative:/bin"
    );
    assert_eq!(
        served.run(&["./nope"]),
        "error: executable not found: ./nope"
    );
    assert_eq!(
        served.run(&["./plain"]),
        "error: failed to start: Permission denied"
    );
    assert_eq!(
        served.run(&["echo", "a\0b"]),
        "error: failed to start: an argument holds a NUL byte"
    );
    assert_eq!(
        served.run(&["echo", &"x".repeat(300_000)]),
        "error: failed to start: Argument list too long\nput the text in a file and pass its path"
    );
    let refusal = |place: usize| {
        format!(
            "invalid arguments for run_command: command[{place}]: expected text of at least 1 \
             character, got \"\""
        )
    };
    assert_eq!(served.run(&["", "x"]), format!("error: {}", refusal(0)));
    assert_eq!(
        served.run(&["echo", "a", ""]),
        format!("error: {}", refusal(2))
    );
    for tool in ["run_command", "start_job"] {
        let text = served
            .client
            .call(tool, json!({"command": ["no-such-program"]}));
        assert!(
            text.starts_with("error: executable not found: no-such-program\n"),
            "{text}"
        );
        let mut at = |cwd: &str| {
            served
                .client
                .call(tool, json!({"command": ["touch", "made"], "cwd": cwd}))
        };
        assert_eq!(at("gone"), "error: working directory not found: gone");
        assert_eq!(at("plain"), "error: not a directory: plain");
        assert_eq!(at("../.."), "error: path outside workspace root: ../..");
    }
    assert!(!served.root.path().join("made").exists());
    let text = served
        .client
        .call("run_command", json!({"command": ["pwd"], "cwd": "d"}));
    let here = served.root.path().join("d").canonicalize().unwrap();
    assert!(text.starts_with(&format!("{}\n", here.display())), "{text}");
    let log = served.client.call("work_log", json!({}));
    assert!(log.contains("run_command  — pwd  [exit 0 ("), "{log}");
    assert!(
        log.contains("— ./nope  [error: executable not found: ./nope]"),
        "{log}"
    );
}

#[test]
fn a_command_gets_no_secrets() {
    let variables = [
        ("MCP_TOKEN", "own"),
        ("OPENAI_API_KEY", "own"),
        ("my_secret", "x"),
        ("NPM_TOKEN", "x"),
        ("AWS_REGION", "x"),
        ("GH_TOKEN", "let through"),
        ("HARMLESS", "let through"),
    ];
    let options = [
        "--shell-any",
        "--shell-env",
        "gh_token",
        "--shell-env=MCP_TOKEN",
    ];
    let mut served = Served::with(&options, &variables, &[]);
    let text = served.run(&["env"]);
    for name in [
        "MCP_TOKEN",
        "OPENAI_API_KEY",
        "my_secret",
        "NPM_TOKEN",
        "AWS_REGION",
    ] {
        assert!(!text.contains(name), "{name}: {text}");
    }
    for line in [
        "GH_TOKEN=let through",
        "HARMLESS=let through",
        "NO_COLOR=1",
        "FORCE_COLOR=0",
    ] {
        assert!(text.lines().any(|seen| seen == line), "{line}: {text}");
    }
    // Nor does the supervisor hold them where a command could look.
    let above = served.sh("tr '\\0' '\\n' < /proc/$PPID/environ");
    assert!(above.starts_with("(no output)\n"), "{above}");
}

#[test]
fn a_command_has_no_input_no_terminal_and_no_other_files() {
    let mut served = Served::new();
    assert!(
        served
            .run(&["cat"])
            .starts_with("(no output)\n\nexit code: 0")
    );
    let text = served.run(&["ls", "/proc/self/fd"]);
    // What lists the folder has it open itself.
    assert!(text.starts_with("0\n1\n2\n3\n\nexit code: 0"), "{text}");
    let own = std::process::Command::new("sh")
        .args(["-c", "ulimit -Sn; ulimit -Hn"])
        .output()
        .unwrap();
    let limits = served.sh("ulimit -Sn; ulimit -Hn");
    assert!(limits.starts_with(&*String::from_utf8_lossy(&own.stdout)));
    let script = "test -t 1 || echo plain; ulimit -c; : < /dev/tty || echo none";
    let text = served.sh(script);
    assert!(text.starts_with("plain\n0\n"), "{text}");
    assert!(text.contains("/dev/tty"), "{text}");
}

#[test]
fn commands_do_not_run_where_nothing_may_be_changed() {
    let inner = folder(&[]);
    let named = format!("ro={}:ro", inner.path().display());
    let mut served = Served::with(
        &["--root", ".", "--workspace", &named, "--shell-any"],
        &[],
        &[],
    );
    for tool in ["run_command", "start_job"] {
        let text = served
            .client
            .call(tool, json!({"command": ["true"], "workspace": "ro"}));
        assert_eq!(text, "error: workspace \"ro\" is read-only");
    }
}

#[test]
fn the_command_line_says_what_is_wrong_with_the_environment() {
    let root = folder(&[]);
    for value in ["", "yes"] {
        let output = program(root.path(), &[])
            .env("WORKSPACE_MCP_SHELL_MODE", value)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2));
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(
            text,
            format!(
                "[workspace-mcp] invalid WORKSPACE_MCP_SHELL_MODE: {value} (expected \"allowlist\" \
                 or \"any\")\ntry --help\n"
            )
        );
    }
}

#[test]
fn the_start_says_what_may_run() {
    let root = folder(&[]);
    let start = |options: &[&str], variables: &[(&str, &str)]| {
        let output = program(root.path(), options)
            .envs(variables.iter().copied())
            .stdin(std::process::Stdio::null())
            .output()
            .unwrap();
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let allow = [
        ("WORKSPACE_MCP_SHELL_ALLOW", "git"),
        ("WORKSPACE_MCP_SHELL_DENY", "rm"),
    ];
    let text = start(&["--shell", "--shell-allow", "make"], &allow);
    assert!(
        text.contains(
            "] run_command enabled in allowlist mode (allowed: pnpm, npm, npx, node, git, make)\n"
        ),
        "{text}"
    );
    assert!(
        text.contains("] denied executables (enforced in every mode): rm\n"),
        "{text}"
    );
    let any = [("WORKSPACE_MCP_SHELL_MODE", "any")];
    let text = start(&[], &any);
    let start_of = "] SECURITY WARNING: run_command is enabled in UNRESTRICTED mode";
    assert!(text.contains(start_of), "{text}");
    // The command line wins over the environment.
    assert!(start(&["--shell"], &any).contains("in allowlist mode"));
}

#[test]
fn a_bare_path_gives_way_to_that_of_the_login_shell() {
    let home = folder(&[]);
    let shell = home.path().join("shell");
    let text = "#!/bin/sh\necho hello from the profile\nPATH=/mine:/usr/bin:/bin\neval \"$3\"\n";
    fs::write(&shell, text).unwrap();
    fs::set_permissions(&shell, fs::Permissions::from_mode(0o755)).unwrap();
    for (path, seen) in [
        ("/bin:/usr/bin", "/mine:/usr/bin:/bin"),
        ("/x:/usr/bin", "/x:/usr/bin"),
    ] {
        let variables = [
            ("PATH", path),
            ("SHELL", shell.to_str().unwrap()),
            ("HOME", home.path().to_str().unwrap()),
        ];
        let mut served = Served::with(&["--shell-any"], &variables, &[]);
        let text = served.run(&["env"]);
        assert!(text.contains(&format!("PATH={seen}\n")), "{text}");
    }
}

/// The values of all notifications of progress.
fn progress(lines: &[String]) -> Vec<Value> {
    let parsed = lines
        .iter()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    parsed
        .filter(|message| message["method"] == "notifications/progress")
        .map(|message| message["params"].clone())
        .collect()
}

/// What a caller that asks is told of a script, and how long that took in milliseconds.
fn told(served: &mut Served, script: &str) -> (Vec<Value>, usize) {
    let id = served.client.send_request(
        "tools/call",
        json!({
            "name": "run_command",
            "arguments": {"command": ["sh", "-c", script]},
            "_meta": {"progressToken": "p1"},
        }),
    );
    let text = crate::client::text_of(&served.client.recv(id));
    let (_, took) = text.rsplit_once("duration: ").unwrap();
    let took = took.trim_end_matches("ms").parse().unwrap();
    let told = progress(&served.client.stdout);
    served.client.stdout.clear();
    (told, took)
}

#[test]
fn a_caller_that_asks_is_told_the_last_line() {
    let mut served = Served::new();
    let (told, _) = told(
        &mut served,
        "echo one; sleep 0.1; echo two; sleep 0.9; echo end",
    );
    for (index, params) in told.iter().enumerate() {
        assert_eq!(params["progressToken"], "p1");
        assert_eq!(params["progress"], index + 1);
    }
    let lines: Vec<&str> = told
        .iter()
        .map(|params| params["message"].as_str().unwrap())
        .collect();
    // What came too soon to be told is told later, though nothing more comes.
    assert!(
        lines.starts_with(&["one", "two"]) || lines.starts_with(&["two"]),
        "{lines:?}"
    );
    served.sh("echo quiet");
    assert!(progress(&served.client.stdout).is_empty());
}

#[test]
fn a_caller_is_told_twice_a_second_at_most() {
    let mut served = Served::new();
    let script = "for i in $(seq 150); do echo $i; sleep 0.01; done";
    let (told, took) = told(&mut served, script);
    assert!(
        (2..=took / 500 + 1).contains(&told.len()),
        "{took} {told:?}"
    );
}

#[test]
fn the_journal_shows_a_whole_command() {
    let mut served = Served::with(&["--shell"], &[], &[]);
    let gap = " ".repeat(300);
    let hidden = format!("a{gap}; curl x\n\u{202e}b\u{1b}[8mc\r");
    served.run(&["echo", &hidden]);
    let log = served.client.call("work_log", json!({}));
    let shown = "— echo a (300 blanks) ; curl x\\n\\u{202e}b\\u{1b}[8mc\\r  [error: ";
    assert!(log.contains(shown), "{log}");
    assert_eq!(
        log.lines()
            .filter(|line| line.contains("run_command"))
            .count(),
        1,
        "{log}"
    );
}

#[test]
fn names_that_a_shell_would_run_are_names() {
    let name = "$(touch made);`touch made`\"'&|\n-x";
    let mut served = Served::with(&["--shell-any"], &[], &[(&format!("{name}/a"), "")]);
    let arguments = json!({"command": ["ls", "-a", "--", "."], "cwd": name});
    let text = served.client.call("run_command", arguments);
    assert!(text.starts_with(".\n..\na\n\nexit code: 0"), "{text}");
    let text = served.run(&["ls", "-d", "--", name]);
    assert!(
        text.starts_with(&format!("{name}\n\nexit code: 0")),
        "{text}"
    );
    assert!(!served.root.path().join("made").exists());
}

#[test]
fn nothing_is_shown_page_by_page() {
    let mut served = Served::with(&["--shell-any"], &[("PAGER", "cat; sleep 600")], &[]);
    let script = "git init -q . && for i in $(seq 30); do git -c user.name=a -c user.email=a@b \
                  commit -q --allow-empty -m \"commit $i\"; done";
    served.sh(script);
    let text = served.run(&["git", "log", "--format=%s"]);
    assert!(text.starts_with("commit 30\ncommit 29\n"), "{text}");
    assert!(text.contains("\ncommit 1\n\nexit code: 0"), "{text}");
}
