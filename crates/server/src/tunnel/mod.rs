//! `workspace-mcp tunnel`: runs the client of OpenAI's Secure MCP Tunnel with this server as its child
//! on stdin and stdout, so that hosted products reach it without an open port.
//!
//! What is assumed of the client is what its public documentation says; `docs/tunnel.md` lists it.

mod client;
mod command;
mod key;
mod managed;
mod profile;
mod store;
mod words;

use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::{BufRead as _, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use workspace::process::{self, Environment};

use crate::cli;
use crate::commands::{check_folder, print, print_help};
use crate::config::StartFault;
use crate::help::Page;
use crate::options;
use crate::platform;

use self::client::{Search, shown};
use self::store::Access;
use self::words::Words;
use crate::options::Opt;

/// The options that are not for the server, in the order of the help.
pub const OPTIONS: &[&[Opt]] = &[words::OPTIONS];

/// The first word of the server that the tunnel client starts: the rest is served without the key in
/// the environment.
pub const SERVER_WORD: &str = "tunnel-server";

/// The variable that the tunnel client takes a tunnel from.
const ID_VARIABLE: &str = "CONTROL_PLANE_TUNNEL_ID";
/// The variable that the tunnel client takes the folder of profiles from.
const PROFILE_DIR_VARIABLE: &str = "TUNNEL_CLIENT_PROFILE_DIR";
/// The longest profile that is read.
const PROFILE_BYTES: u64 = 1024 * 1024;

/// Runs the command with the words behind its name.
///
/// # Errors
/// When it cannot be started; otherwise the exit code is that of the tunnel client.
pub fn run(
    words: impl IntoIterator<Item = String>,
    cwd: &Path,
    variable: fn(&str) -> Option<String>,
) -> Result<ExitCode, StartFault> {
    let words = words::split(words).map_err(StartFault::Usage)?;
    if words.has("help") {
        return Ok(print_help(&help(), variable));
    }
    let environment = Environment::inherited();
    let data = platform::user_data_dir(variable).map(|folder| folder.join("workspace-mcp"));
    let plan = Plan::new(&words, cwd, &environment, variable, data.as_deref())?;
    let search = Search {
        environment: &environment,
        cwd,
        cache: data.map(|data| data.join("tunnel-client")),
        sha256: words.value("sha256"),
        may_fetch: words.has("download") && !words.has("dry-run"),
    };
    let client = match words.value("tunnel-client") {
        Some(path) => search.named(path),
        None => search.find(),
    };
    if words.has("dry-run") {
        return Ok(print(&plan.shown(client)));
    }
    let client = client.map_err(StartFault::Machine)?;
    let variable = words.value("key-variable").unwrap_or(key::VARIABLE);
    let key = key::find(&environment, variable).map_err(StartFault::Machine)?;
    plan.write().map_err(StartFault::Machine)?;
    let args: Vec<OsString> = plan.args.iter().map(OsString::from).collect();
    let variables = key::for_client(&environment, &key);
    process::exec(&client, &args, &variables)
        .map(exit_code)
        .map_err(|error| StartFault::Machine(format!("cannot run {}: {error}", shown(&client))))
}

/// Serves what the words say, in place of this process and without the key.
///
/// # Errors
/// When the operating system refuses.
pub fn serve_without_key(words: impl IntoIterator<Item = String>) -> Result<ExitCode, StartFault> {
    let args: Vec<OsString> = words.into_iter().map(OsString::from).collect();
    let variables = key::for_server(&Environment::inherited());
    process::this_program()
        .and_then(|program| process::exec(&program, &args, &variables))
        .map(exit_code)
        .map_err(|error| StartFault::Machine(format!("cannot start the server: {error}")))
}

fn exit_code(code: i32) -> ExitCode {
    // What does not fit is a failure all the same.
    ExitCode::from(u8::try_from(code).unwrap_or(1))
}

/// What is to be run, and what is to be written before.
struct Plan {
    /// The words for the tunnel client.
    args: Vec<String>,
    /// A configuration of the toolset `managed`.
    config: Option<managed::Config>,
    /// A profile that is to be written: its folder, its name, and its text.
    profile: Option<(PathBuf, String, String)>,
    /// What a person should know first.
    notes: Vec<String>,
}

impl Plan {
    fn new(
        words: &Words,
        cwd: &Path,
        environment: &Environment,
        variable: fn(&str) -> Option<String>,
        data: Option<&Path>,
    ) -> Result<Self, StartFault> {
        check_folder(cwd)?;
        let mut server = words.server.clone();
        let config = managed::configured(&mut server, cwd, data, words.has("dry-run"))
            .map_err(StartFault::Machine)?;
        check(&server).map_err(StartFault::Usage)?;
        let program = process::this_program()
            .map_err(|error| StartFault::Machine(format!("cannot find this program: {error}")))?;
        let program = program.into_os_string().into_string().map_err(|path| {
            let path = rooted::show(path.as_encoded_bytes());
            StartFault::Machine(format!("the path of this program is no valid text: {path}"))
        })?;
        let given_id = words
            .value("tunnel-id")
            .map(str::to_owned)
            .or_else(|| variable(ID_VARIABLE));
        if let Some(id) = &given_id {
            check_id(id).map_err(StartFault::Usage)?;
        }
        let mut command = vec![program, SERVER_WORD.to_owned()];
        command.extend(words::anchored(&server, cwd));
        if !names_root(&server) {
            command.extend(["--root".to_owned(), cwd.to_string_lossy().into_owned()]);
        }
        let command = command::text(&command).map_err(StartFault::Usage)?;
        let mut plan = Self {
            args: vec!["run".to_owned()],
            config,
            profile: None,
            notes: Vec::new(),
        };
        let Some(name) = words.value("profile") else {
            let id = given_id.map_or_else(|| ask_id(words), Ok)?;
            plan.args
                .extend(["--control-plane.tunnel-id".to_owned(), id]);
            plan.args.extend(["--mcp.command".to_owned(), command]);
            return Ok(plan);
        };
        let profile =
            ProfileFile::find(name, words.value("profile-dir"), cwd, environment, variable)
                .map_err(StartFault::Usage)?;
        plan.args.push("--profile-file".to_owned());
        plan.args.push(
            profile
                .folder
                .join(&profile.name)
                .to_string_lossy()
                .into_owned(),
        );
        plan.take_profile(&profile, given_id, &command, words)?;
        Ok(plan)
    }

    /// Decides what becomes of a profile.
    fn take_profile(
        &mut self,
        file: &ProfileFile,
        given_id: Option<String>,
        command: &str,
        words: &Words,
    ) -> Result<(), StartFault> {
        let path = file.folder.join(&file.name);
        let path = shown(&path);
        let is_forced = words.has("force");
        let text = file
            .read()
            .map_err(|error| StartFault::Machine(format!("cannot read {path}: {error}")))?;
        let write = |text: String| Some((file.folder.clone(), file.name.clone(), text));
        let Some(text) = text else {
            let id = given_id.map_or_else(|| ask_id(words), Ok)?;
            self.profile = write(profile::new(&id, command));
            return Ok(());
        };
        let known = match profile::read(&text) {
            Ok(known) => known,
            Err(_) if is_forced => profile::Profile::default(),
            Err(why) => {
                return Err(StartFault::Machine(format!(
                    "cannot change {path}: {why}; edit it by hand, or write it anew with --force"
                )));
            }
        };
        if known.holds_key {
            self.notes.push(format!(
                "{path} holds the key itself: write api_key: \"env:{}\" instead",
                key::VARIABLE
            ));
        }
        let id = match (given_id, known.tunnel_id) {
            (Some(id), _) | (None, Some(id)) => id,
            (None, None) => ask_id(words)?,
        };
        // Without options for the server the profile is used as it is.
        let command = match (words.server.is_empty(), known.command.as_deref()) {
            (true, Some(kept)) => kept,
            _ => command,
        };
        let is_changed = known
            .command
            .as_deref()
            .is_some_and(|known| known != command);
        if is_changed && !known.is_ours && !is_forced {
            return Err(StartFault::Machine(format!(
                "the command in {path} was changed by hand: run without options for the server to \
                 keep it, or with --force to overwrite it"
            )));
        }
        let changed = match profile::with(&text, &id, command) {
            Ok(changed) => changed,
            Err(_) if is_forced => profile::new(&id, command),
            Err(why) => {
                return Err(StartFault::Machine(format!(
                    "cannot change {path}: {why}; edit it by hand, or write it anew with --force"
                )));
            }
        };
        if changed != text {
            self.profile = write(changed);
        }
        Ok(())
    }

    /// Writes what is to be there before the client starts.
    fn write(&self) -> Result<(), String> {
        if let Some(config) = &self.config {
            config.write()?;
        }
        for note in &self.notes {
            say(note);
        }
        let Some((folder, name, text)) = &self.profile else {
            return Ok(());
        };
        let path = shown(&folder.join(name));
        let fault = |error| format!("cannot write {path}: {error}");
        if let Some(old) = store::read(folder, name, PROFILE_BYTES).map_err(fault)? {
            let backup = format!("{name}.bak");
            store::write(folder, &backup, &old, Access::Usual).map_err(fault)?;
        }
        store::write(folder, name, text.as_bytes(), Access::Usual).map_err(fault)?;
        say(&format!("wrote {path}"));
        Ok(())
    }

    /// What would be run, for a person.
    fn shown(&self, client: Result<PathBuf, String>) -> String {
        let mut text = String::new();
        for note in &self.notes {
            // A String takes every write.
            let _ = writeln!(text, "note: {note}");
        }
        if let Some(config) = &self.config {
            let _ = writeln!(text, "config: {}", rooted::show(config.path.as_bytes()));
        }
        if let Some((folder, name, profile)) = &self.profile {
            let _ = writeln!(
                text,
                "would write {}:\n{profile}",
                shown(&folder.join(name))
            );
        }
        match client {
            Ok(path) => {
                let _ = writeln!(text, "would run {}", shown(&path));
            }
            Err(why) => {
                let _ = writeln!(text, "would run the tunnel client ({why})");
            }
        }
        for word in &self.args {
            let _ = writeln!(text, "  {}", rooted::show(word.as_bytes()));
        }
        text
    }
}

/// A file that a name of a profile stands for.
struct ProfileFile {
    folder: PathBuf,
    name: String,
}

impl ProfileFile {
    fn find(
        name: &str,
        folder: Option<&str>,
        cwd: &Path,
        environment: &Environment,
        variable: fn(&str) -> Option<String>,
    ) -> Result<Self, String> {
        let is_part = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        if name.is_empty() || name == "." || name == ".." || !name.chars().all(is_part) {
            let name = rooted::show(name.as_bytes());
            return Err(format!(
                "invalid --profile: {name} (expected letters, digits, '.', '_' or '-')"
            ));
        }
        let named = folder
            .map(PathBuf::from)
            .or_else(|| environment.get(PROFILE_DIR_VARIABLE).map(PathBuf::from))
            .map(|folder| cwd.join(folder));
        let folder = named
            .or_else(|| Some(platform::profile_dir(variable)?.join("tunnel-client")))
            .ok_or("there is no home folder for profiles: name one with --profile-dir")?;
        Ok(Self {
            folder,
            name: format!("{name}.yaml"),
        })
    }

    fn read(&self) -> std::io::Result<Option<String>> {
        let content = store::read(&self.folder, &self.name, PROFILE_BYTES)?;
        content
            .map(|content| {
                String::from_utf8(content).map_err(|_| std::io::Error::other("it is not UTF-8"))
            })
            .transpose()
    }
}

/// Looks whether the server would take the words, so that a slip is told here and not by a server
/// that nobody sees.
fn check(server: &[String]) -> Result<(), String> {
    let is_http = |word: &String| word == "--http";
    if server.iter().any(is_http) {
        return Err(
            "the tunnel speaks with its server on stdin and stdout: leave out --http".to_owned(),
        );
    }
    match server.first().map(String::as_str) {
        Some("managed" | "paged" | "notes") => Ok(()),
        _ => match cli::parse(server.iter().cloned())?.command {
            cli::Command::Serve => Ok(()),
            _ => Err("only options for serving can follow".to_owned()),
        },
    }
}

/// Says whether the words name what is to be served.
fn names_root(server: &[String]) -> bool {
    let named = ["--root", "--workspace", "--config"];
    let is_named = |word: &String| {
        named
            .iter()
            .any(|name| word == name || word.starts_with(&format!("{name}=")))
    };
    server.first().is_some_and(|word| !word.starts_with('-')) || server.iter().any(is_named)
}

fn check_id(id: &str) -> Result<(), String> {
    let digits = id.strip_prefix("tunnel_").unwrap_or_default();
    let is_hex = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c);
    if digits.len() == 32 && digits.chars().all(is_hex) {
        return Ok(());
    }
    let id = rooted::show(id.as_bytes());
    Err(format!(
        "invalid tunnel id: {id} (expected tunnel_ and 32 hexadecimal digits)"
    ))
}

/// Asks the person at the terminal for the tunnel.
fn ask_id(words: &Words) -> Result<String, StartFault> {
    if words.has("dry-run") || !std::io::stdin().is_terminal() {
        let text = format!("no tunnel id: give it with --tunnel-id, or set {ID_VARIABLE}");
        return Err(StartFault::Usage(text));
    }
    let mut stderr = std::io::stderr();
    // A stderr that is gone has nobody to ask.
    let _ = write!(stderr, "Tunnel id (tunnel_...): ").and_then(|()| stderr.flush());
    let mut line = String::new();
    let read = std::io::stdin().lock().read_line(&mut line);
    read.map_err(|error| StartFault::Machine(format!("cannot ask for the tunnel id: {error}")))?;
    let id = line.trim().to_owned();
    check_id(&id).map_err(StartFault::Machine)?;
    Ok(id)
}

fn say(text: &str) {
    // A stderr that is gone has nobody to tell.
    let _ = writeln!(std::io::stderr(), "[workspace-mcp] {text}");
}

fn help() -> String {
    let page = Page {
        about: "Serves ChatGPT and other hosted products through OpenAI's Secure MCP Tunnel.",
        usage: &[
            "tunnel [options] [notes|paged] [options of the server]",
            "tunnel [options] managed --root <dir> [--create]",
        ],
        lists: &[("Options", options::list(OPTIONS))],
        notes: "",
        examples: &[
            ("tunnel --root ~/project --shell", ""),
            (
                "tunnel --profile work --root ~/api",
                "then: tunnel --profile work",
            ),
        ],
    };
    page.text()
}
