//! The command line of `setup`: which client, which entry, and how the server is started or reached.

use std::path::{Path, PathBuf};

use rooted::{Mode, Root};

use super::client::{CLIENTS, Client, Scope};
use super::entry::Server;
use crate::catalog::{self, Follows, Takes};
use crate::cli::{self, Command};
use crate::commands::check_folder;
use crate::config::values::{absolute, is_same_folder};
use crate::config::{Config, StartFault};
use crate::help::Page;
use crate::options::{self, Free, GENERAL, HELP, Opt, flag, opt};

/// The name of an entry when nobody says another.
const NAME: &str = "workspace-mcp";

/// The first word of a server that has other tools.
const TOOLSETS: [&str; 3] = ["paged", "notes", "managed"];

/// The options of `setup` alone.
const OWN: &[Opt] = &[
    opt(
        "name",
        "<name>",
        "name of the entry (default workspace-mcp)",
    ),
    opt(
        "scope",
        "<user|project>",
        "the user's file (default), or that of this project",
    ),
    opt("url", "<url>", "reach a server that runs already"),
    opt(
        "token-env",
        "<name>",
        "with --url: variable that holds the token",
    ),
    opt(
        "program",
        "<path>",
        "what the client starts (default: this very program)",
    ),
    opt(
        "file",
        "<path>",
        "change this file, in the format of the client",
    ),
    flag(
        "print",
        None,
        "show what would be written, and write nothing",
    ),
    flag("remove", None, "take the entry out again"),
    flag(
        "force",
        None,
        "replace an entry that does not start this program",
    ),
];

/// The options, in the order of the help.
pub(crate) const OPTIONS: &[&[Opt]] = &[OWN, GENERAL];

/// What `setup` is asked for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// The help.
    Help,
    /// The version.
    Version,
    /// An entry.
    Entry(Entry),
}

/// An entry that is to be written, shown or taken out.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) client: Client,
    pub(crate) name: String,
    pub(crate) scope: Scope,
    /// The file, where it is not the usual one.
    pub(crate) file: Option<PathBuf>,
    pub(crate) task: Task,
}

/// What is to be done with an entry.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Task {
    /// Write it.
    Write {
        server: Server,
        /// Whether it may replace an entry that is not ours.
        force: bool,
    },
    /// Show it.
    Print(Server),
    /// Take it out.
    Remove,
}

/// What an order is read by.
pub(crate) struct Setting<'a> {
    /// The current folder.
    pub(crate) cwd: &'a Path,
    /// The user's own folder.
    pub(crate) home: Option<&'a Path>,
    /// This program.
    pub(crate) program: &'a Path,
}

/// Reads the words behind `setup`.
///
/// # Errors
/// [`StartFault::Usage`] with one line for what is wrong, [`StartFault::Machine`] for a folder that is
/// not there.
pub(crate) fn read(
    words: impl IntoIterator<Item = String>,
    setting: &Setting<'_>,
) -> Result<Order, StartFault> {
    let words = options::read(OPTIONS, Free::Taken, words).map_err(StartFault::Usage)?;
    if words.has("help") {
        return Ok(Order::Help);
    }
    if words.has("version") {
        return Ok(Order::Version);
    }
    check_folder(setting.cwd)?;
    let last = |name| {
        let mut given = words.options.iter().rev();
        given
            .find(|(option, _)| *option == name)
            .map(|(_, value)| value.as_str())
    };
    let Some((client, serve)) = words.free.split_first() else {
        return usage(format!("setup needs the name of a client: {}", names()));
    };
    let Some(client) = Client::parse(client) else {
        let client = rooted::show(client.as_bytes());
        return usage(format!(
            "no such client: {client} (expected one of {})",
            names()
        ));
    };
    let name = last("name").unwrap_or(NAME);
    if let Some(reason) = client.refuses(name) {
        let name = rooted::show(name.as_bytes());
        return usage(format!("invalid --name: {name} ({reason})"));
    }
    let scope = match last("scope") {
        None | Some("user") => Scope::User,
        Some("project") => Scope::Project,
        Some(other) => {
            let other = rooted::show(other.as_bytes());
            return usage(format!(
                "invalid --scope: {other} (expected user or project)"
            ));
        }
    };
    let server = || match last("url") {
        Some(url) => reached(url, last("token-env"), serve),
        None if last("token-env").is_some() => usage("--token-env needs --url".to_owned()),
        None => {
            let place = Place {
                client,
                scope,
                setting,
            };
            let program = match last("program") {
                Some(program) => program.to_owned(),
                None => this_program(setting.program)?,
            };
            let args = place.words(serve)?;
            Ok(Server::Started { program, args })
        }
    };
    let task = match (words.has("remove"), words.has("print")) {
        (true, true) => return usage("--remove and --print do not go together".to_owned()),
        (true, false) => Task::Remove,
        (false, true) => Task::Print(server()?),
        (false, false) => Task::Write {
            server: server()?,
            force: words.has("force"),
        },
    };
    Ok(Order::Entry(Entry {
        client,
        name: name.to_owned(),
        scope,
        file: last("file").map(|path| absolute(path, setting.cwd)),
        task,
    }))
}

fn this_program(path: &Path) -> Result<String, StartFault> {
    let fault = || {
        let path = super::store::shown(path);
        let text = format!("the path of this program is not valid UTF-8: {path}; use --program");
        StartFault::Machine(text)
    };
    path.to_str().map(ToOwned::to_owned).ok_or_else(fault)
}

fn names() -> String {
    CLIENTS.map(Client::name).join(", ")
}

fn usage<T>(text: String) -> Result<T, StartFault> {
    Err(StartFault::Usage(text))
}

/// The fault of options that would put a server behind an address, or a token into a file.
fn without_http<T>() -> Result<T, StartFault> {
    usage("a client starts the server without HTTP; for one that runs already use --url".to_owned())
}

fn reached(url: &str, variable: Option<&str>, serve: &[String]) -> Result<Server, StartFault> {
    if !serve.is_empty() {
        return usage("options of the server do not go with --url: it runs already".to_owned());
    }
    let host = url
        .strip_prefix("http://")
        .or_else(|| url.strip_prefix("https://"));
    let sound = host.is_some_and(|host| !host.is_empty() && !host.starts_with('/'));
    if !sound || url.chars().any(|c| c.is_whitespace() || c.is_control()) {
        let url = rooted::show(url.as_bytes());
        return usage(format!(
            "invalid --url: {url} (expected http://… or https://…)"
        ));
    }
    if let Some(variable) = variable {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if !variable.chars().all(plain) || !variable.starts_with(|c: char| !c.is_ascii_digit()) {
            // It may be the token itself, which is not repeated.
            return usage("invalid --token-env: expected the name of a variable".to_owned());
        }
    }
    Ok(Server::Reached {
        url: url.to_owned(),
        token_variable: variable.map(ToOwned::to_owned),
    })
}

/// Where the words of a server will be read.
struct Place<'a> {
    client: Client,
    scope: Scope,
    setting: &'a Setting<'a>,
}

impl Place<'_> {
    /// The words of the server as they are written: with absolute paths, since clients start
    /// servers wherever they like, and with what is added when nothing is said.
    fn words(&self, serve: &[String]) -> Result<Vec<String>, StartFault> {
        let toolset = serve.split_first().and_then(|(name, rest)| {
            let mut toolsets = catalog::ALL.iter();
            let is_it =
                |entry: &&catalog::Entry| entry.name == name && TOOLSETS.contains(&entry.name);
            Some((toolsets.find(is_it)?, rest))
        });
        match toolset {
            Some((entry, rest)) => self.other_toolset(entry, rest),
            None => self.project_toolset(serve),
        }
    }

    fn project_toolset(&self, serve: &[String]) -> Result<Vec<String>, StartFault> {
        let line = cli::parse(serve.iter().cloned()).map_err(StartFault::Usage)?;
        let given = |name: &str| line.options.iter().any(|(option, _)| *option == name);
        if line.command != Command::Serve {
            return usage("only options of the server go behind `--`".to_owned());
        }
        if given("http") || given("token") {
            return without_http();
        }
        let config = Config::from_options(&line.options, self.setting.cwd)?;
        for root in config.named_roots() {
            check(&root)?;
        }
        let mut words = Vec::new();
        if !["root", "workspace", "config"].into_iter().any(given) {
            words.extend(["--root".to_owned(), self.default_root()?]);
        }
        for (option, value) in &line.options {
            self.push(&mut words, option, value);
        }
        if !given("max-answer-bytes") {
            let bytes = self.client.answer_bytes();
            words.extend(["--max-answer-bytes".to_owned(), bytes.to_string()]);
        }
        Ok(words)
    }

    fn push(&self, words: &mut Vec<String>, option: &str, value: &str) {
        let value = match option {
            "root" | "config" | "state-dir" | "log-file" => self.path(value),
            "workspace" => match value.split_once('=') {
                Some((name, path)) => match path.strip_suffix(":ro") {
                    Some(path) => format!("{name}={}:ro", self.path(path)),
                    None => format!("{name}={}", self.path(path)),
                },
                None => value.to_owned(),
            },
            _ => value.to_owned(),
        };
        if value.is_empty() {
            words.push(format!("--{option}"));
        } else if value.starts_with('-') {
            words.push(format!("--{option}={value}"));
        } else {
            words.extend([format!("--{option}"), value]);
        }
    }

    /// A server with other tools.
    fn other_toolset(
        &self,
        entry: &catalog::Entry,
        rest: &[String],
    ) -> Result<Vec<String>, StartFault> {
        let free = match entry.follows {
            Follows::Nothing => Free::Refused,
            _ => Free::Taken,
        };
        let given = options::read(entry.tables, free, rest.iter().cloned());
        let given = given.map_err(StartFault::Usage)?;
        if ["help", "version", "prune"]
            .iter()
            .any(|name| given.has(name))
        {
            return usage("only options of the server go behind `--`".to_owned());
        }
        if given.has("http") || given.has("token") {
            return without_http();
        }
        let mut words = vec![entry.name.to_owned()];
        if entry.follows == Follows::File {
            let [file] = given.free.as_slice() else {
                return usage(format!("{} needs its configuration file", entry.name));
            };
            check_file(&absolute(file, self.setting.cwd))?;
            words.push(self.path(file));
        } else if !given.has("root") {
            words.extend(["--root".to_owned(), self.default_root()?]);
        }
        for (name, value) in &given.options {
            if *name == "root" {
                check(&absolute(value, self.setting.cwd))?;
            }
            let option = entry.options().find(|option| option.long == *name);
            let value = match option.map(Takes::of) {
                Some(Takes::Folder | Takes::File) => self.path(value),
                _ => value.clone(),
            };
            words.push(format!("--{name}"));
            match words.last_mut() {
                _ if option.is_none_or(|option| option.value.is_none()) => {}
                // It takes values as they are, and none behind a `=`.
                Some(word) if value.starts_with('-') && entry.name != "paged" => {
                    *word = format!("--{name}={value}");
                }
                _ => words.push(value),
            }
        }
        if entry.name == "paged" {
            if !given.has("include") {
                return usage("paged serves nothing without --include <pattern>".to_owned());
            }
            if !given.has("era") {
                // Clients that open with `initialize` are still the most.
                words.extend(["--era".to_owned(), "both".to_owned()]);
            }
        }
        Ok(words)
    }

    /// The current folder, unless that is more than anybody wants to serve.
    fn default_root(&self) -> Result<String, StartFault> {
        let cwd = self.setting.cwd;
        let is_home = |home| is_same_folder(home, cwd);
        if cwd.parent().is_none() || self.setting.home.is_some_and(is_home) {
            return usage(
                "say which folder to serve: `-- --root <dir>`; the current one is your own folder \
                 or the whole file system"
                    .to_owned(),
            );
        }
        Ok(self.path("."))
    }

    /// A path as the client's file is to have it.
    fn path(&self, path: &str) -> String {
        if path.contains("${") {
            return path.to_owned();
        }
        let absolute = absolute(path, self.setting.cwd);
        if let (Scope::Project, Some(folder)) = (self.scope, self.client.project_folder())
            && let Ok(rest) = absolute.strip_prefix(self.setting.cwd)
        {
            let names = rest
                .components()
                .map(|name| name.as_os_str().to_string_lossy());
            return [folder.into()]
                .into_iter()
                .chain(names)
                .collect::<Vec<std::borrow::Cow<'_, str>>>()
                .join("/");
        }
        absolute.display().to_string()
    }
}

fn check(root: &Path) -> Result<(), StartFault> {
    // A folder that the client names when it starts the server.
    if root.to_string_lossy().contains("${") {
        return Ok(());
    }
    let fault = |error| format!("cannot serve {}: {error}", super::store::shown(root));
    Root::open(root, Mode::FOLLOW)
        .map(drop)
        .map_err(|error| StartFault::Machine(fault(error)))
}

fn check_file(path: &Path) -> Result<(), StartFault> {
    match super::store::Known::read(path) {
        Ok(known) if known.exists() => Ok(()),
        Ok(_) => {
            let path = super::store::shown(path);
            Err(StartFault::Machine(format!(
                "config file not found: {path}"
            )))
        }
        Err(text) => Err(StartFault::Machine(text)),
    }
}

/// The text of `setup --help`.
pub(crate) fn help() -> String {
    let page = Page {
        about: "Writes workspace-mcp into the file of a client, and changes nothing else there.",
        usage: &["setup <client> [options] [-- <options of the server>]"],
        lists: &[
            (
                "Clients",
                options::paragraph(names().split(' ').map(ToOwned::to_owned)),
            ),
            ("Options", options::list(&[OWN, HELP])),
        ],
        notes: "",
        examples: &[
            ("setup cursor", "serve this folder"),
            ("setup codex --name docs -- --root ~/docs --read-only", ""),
        ],
    };
    page.text()
}

#[cfg(test)]
mod tests;
