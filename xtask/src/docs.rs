//! `cargo xtask docs`: a page for each toolset, written from its answer to `tools/list`.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Map, Value, json};

use crate::Result;
use crate::checkout::{self, root};
use crate::promises;

/// The page of a toolset.
struct Page {
    /// Where it is written to.
    path: &'static str,
    /// Its first lines.
    intro: &'static str,
    /// The words that start the toolset with all of its tools, in a folder that is empty.
    words: fn(&Path) -> Result<Vec<String>>,
    /// The words that print its options, and the pages that explain every one of them.
    options: (&'static [&'static str], &'static [&'static str]),
}

const PAGES: &[Page] = &[
    Page {
        path: "docs/tools.md",
        intro: "# Tools\n\n\
                Written by `cargo xtask docs` from the server's own list; do not edit.\n\
                The last four exist only with `--shell` or `--shell-any`; [commands.md](commands.md) \
                says what they do.\n",
        words: |empty| Ok(vec!["--root".to_owned(), word(empty), "--shell".to_owned()]),
        options: (&["options"], &["docs/config.md"]),
    },
    Page {
        path: "docs/notes-tools.md",
        intro: "# Tools of `workspace-mcp notes`\n\n\
                Written by `cargo xtask docs` from the server's own list; do not edit.\n\
                The last eight exist only when `--allow-write` names them; [notes.md](notes.md) \
                says what the toolset is for.\n",
        words: |empty| {
            let writes = "notes_append,notes_write,notes_edit,notes_move,\
                          tasks_add,tasks_complete,tasks_update,tasks_remove";
            let words = ["notes", "--root", &word(empty), "--allow-write", writes];
            Ok(words.map(str::to_owned).to_vec())
        },
        options: (&["options", "notes"], &["docs/notes.md"]),
    },
    Page {
        path: "docs/managed-tools.md",
        intro: "# Tools of `workspace-mcp managed`\n\n\
                Written by `cargo xtask docs` from the server's own list; do not edit.\n\
                [managed.md](managed.md) says what the toolset is for.\n",
        words: |empty| {
            let config = empty.with_extension("toml");
            let text = format!("[workspace]\nroot = {}\n", json!(word(empty)));
            fs::write(&config, text).map_err(|error| format!("cannot write a file: {error}"))?;
            Ok(vec!["managed".to_owned(), word(&config)])
        },
        options: (&["options", "managed"], &["docs/managed.md"]),
    },
    Page {
        path: "docs/paged-tools.md",
        intro: "# Tools of `workspace-mcp paged`\n\n\
                Written by `cargo xtask docs` from the server's own list; do not edit.\n\
                [paged.md](paged.md) says what the toolset is for.\n",
        words: |empty| {
            let words = ["paged", "--include", "**", "--era", "both", "--root"];
            let words = words.into_iter().map(str::to_owned);
            Ok(words.chain([word(empty)]).collect())
        },
        options: (&["options", "paged"], &["docs/paged.md"]),
    },
];

fn word(path: &Path) -> String {
    path.display().to_string()
}

/// Writes the pages.
pub fn write() -> Result<()> {
    for page in PAGES {
        let (path, text) = (page.path, render(page)?);
        fs::write(root().join(path), text)
            .map_err(|error| format!("cannot write {path}: {error}"))?;
    }
    Ok(())
}

/// Fails when a page is not what [`write()`] would write, an option is nowhere explained, or a
/// promise names a test that there is not.
pub fn check() -> Result<()> {
    for page in PAGES {
        check_options(page)?;
        let (path, text) = (page.path, render(page)?);
        let stored = fs::read_to_string(root().join(path)).unwrap_or_default();
        // A checkout on Windows may have other line ends.
        if stored.replace("\r\n", "\n") != text {
            return Err(format!("{path} is out of date: run `cargo xtask docs`"));
        }
    }
    promises::check()
}

/// Compares the options with the pages that people read instead.
fn check_options(page: &Page) -> Result<()> {
    let (words, explain) = page.options;
    let output = Command::new(checkout::server()?)
        .args(words)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("cannot start the server: {error}"))?;
    let options = String::from_utf8_lossy(&output.stdout);
    for page in explain {
        let text = fs::read_to_string(root().join(page))
            .map_err(|error| format!("cannot read {page}: {error}"))?;
        let missing: Vec<&str> = options
            .split(|c: char| !(c.is_ascii_lowercase() || c == '-'))
            .filter(|word| word.len() > 2 && word.starts_with("--"))
            .filter(|word| !matches!(*word, "--help" | "--version") && !text.contains(word))
            .collect();
        if !missing.is_empty() {
            return Err(format!("{page} does not explain {}", missing.join(", ")));
        }
    }
    Ok(())
}

/// Asks the real program, as a client would.
fn listed_tools(page: &Page) -> Result<Vec<Value>> {
    let server = checkout::server()?;
    let name = Path::new(page.path).file_stem().unwrap_or_default();
    let empty = root().join("target/xtask").join(name);
    fs::create_dir_all(&empty).map_err(|error| format!("cannot make an empty folder: {error}"))?;
    let own = std::env::vars_os().map(|(name, _)| name);
    let mut command = Command::new(server);
    // Whoever writes the docs may have a configuration of their own.
    for name in own.filter(|name| name.to_string_lossy().starts_with("WORKSPACE_MCP_")) {
        command.env_remove(name);
    }
    let mut child = command
        .args((page.words)(&empty)?)
        .env("XDG_CONFIG_HOME", &empty)
        .env("APPDATA", &empty)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| format!("cannot start the server: {error}"))?;
    let about = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "xtask", "version": "1"},
    });
    let messages = [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": about}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}),
    ];
    let mut stdin = child.stdin.take().expect("stdin was asked to be a pipe");
    for message in &messages {
        writeln!(stdin, "{message}").map_err(|error| format!("the server hung up: {error}"))?;
    }
    // The end of input tells the server to answer what it has and to stop.
    drop(stdin);
    let output = child
        .wait_with_output()
        .map_err(|error| format!("cannot wait for the server: {error}"))?;
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .find(|message| message["id"] == 2)
        .and_then(|message| message["result"]["tools"].as_array().cloned())
        .ok_or_else(|| "the server gave no list of tools".to_owned())
}

fn render(page: &Page) -> Result<String> {
    let tools = &listed_tools(page)?;
    let mut page = page.intro.to_owned();
    page.push_str("\n| tool | what it does | changes files |\n| --- | --- | --- |\n");
    for tool in tools {
        let name = text(tool, "name");
        let changes = if reads_only(tool) { "no" } else { "yes" };
        let title = text(tool, "title");
        writeln!(page, "| [`{name}`](#{name}) | {title} | {changes} |").expect("text has room");
    }
    for tool in tools {
        render_tool(&mut page, tool).expect("text has room");
    }
    Ok(page)
}

fn render_tool(page: &mut String, tool: &Value) -> std::fmt::Result {
    writeln!(page, "\n## {}\n", text(tool, "name"))?;
    writeln!(page, "{}\n", text(tool, "description").trim())?;
    let mut hints = Vec::new();
    for (key, yes, no) in [
        ("readOnlyHint", "reads only", "changes files"),
        ("destructiveHint", "may overwrite", "only adds"),
        ("idempotentHint", "safe to repeat", "not safe to repeat"),
        ("openWorldHint", "reaches outside", "stays inside"),
    ] {
        if let Some(set) = tool["annotations"][key].as_bool() {
            // Whether a tool that only reads would overwrite is no question.
            if key != "destructiveHint" || !reads_only(tool) {
                hints.push(if set { yes } else { no });
            }
        }
    }
    writeln!(page, "Hints: {}.", hints.join(", "))?;
    let mut rows = Vec::new();
    arguments(&tool["inputSchema"], "", &mut rows);
    if rows.is_empty() {
        writeln!(page, "\nNo arguments.")?;
    } else {
        table(page, ["argument", "needed"], &rows)?;
    }
    let mut rows = Vec::new();
    arguments(&tool["outputSchema"], "", &mut rows);
    if rows.is_empty() {
        return Ok(());
    }
    table(page, ["answer", "always there"], &rows)
}

fn table(page: &mut String, [name, needed]: [&str; 2], rows: &[String]) -> std::fmt::Result {
    writeln!(
        page,
        "\n| {name} | type | {needed} | meaning |\n| --- | --- | --- | --- |"
    )?;
    for row in rows {
        writeln!(page, "{row}")?;
    }
    Ok(())
}

/// One table row for each argument, and for each field of an argument that is a list of objects.
fn arguments(schema: &Value, prefix: &str, rows: &mut Vec<String>) {
    let none = Map::new();
    let required = schema["required"].as_array().map_or(&[][..], Vec::as_slice);
    let needs = |name: &str| required.iter().any(|needed| needed == name);
    let mut fields: Vec<_> = schema["properties"]
        .as_object()
        .unwrap_or(&none)
        .iter()
        .collect();
    fields.sort_by_key(|(name, _)| !needs(name));
    for (name, field) in fields {
        let needed = if needs(name) { "yes" } else { "" };
        let meaning = text(field, "description")
            .replace('|', "\\|")
            .replace('\n', " ");
        rows.push(format!(
            "| `{prefix}{name}` | {} | {needed} | {meaning} |",
            kind(field)
        ));
        arguments(&field["items"], &format!("{prefix}{name}[]."), rows);
    }
}

fn kind(field: &Value) -> String {
    let word = text(field, "type");
    if word.is_empty() {
        return "any".to_owned();
    }
    if word == "array" {
        return format!("list of {}", kind(&field["items"]));
    }
    match (field["minimum"].as_i64(), field["maximum"].as_i64()) {
        (Some(low), Some(high)) => format!("{word}, {low} to {high}"),
        (Some(low), None) => format!("{word}, at least {low}"),
        (None, Some(high)) => format!("{word}, at most {high}"),
        (None, None) => word.to_owned(),
    }
}

fn reads_only(tool: &Value) -> bool {
    tool["annotations"]["readOnlyHint"] == true
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}
