//! The clients that are set up: whether their files can be read, and whether what our entry there
//! says works.
//!
//! An entry of the user is started, as the client would, but with `--read-only`, so that nothing is
//! written. One in a project's file is only looked at, unless it is an address of this machine: the
//! project chose it, and it may be anybody's.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rooted::{Kind, Mode, RelPath, Root};
use serde_json::{Map, Value, json};
use workspace::commands::looks_secret;
use workspace::process::{End, find_programs};

use super::finding::Findings;
use super::network::{self, Answer};
use super::programs::{self, Told};
use super::{Case, shown};
use crate::http::access::is_loopback;
use crate::setup::client::{CLIENTS, Client, Scope};
use crate::setup::document::entries;
use crate::setup::entry::{Server, is_ours, read};
use crate::setup::places::Places;
use crate::setup::platform::SYSTEM;
use crate::setup::store::Known;

/// The revision in which tools can be listed without an opening.
const REVISION: &str = "2026-07-28";

pub(super) fn look(findings: &mut Findings, case: &Case<'_>) {
    let places = Places::of(SYSTEM, case.read, case.cwd.to_owned());
    if places.home.is_none() {
        let variable = places.variable(Client::Cursor);
        findings.warn(
            "clients",
            format!("{variable} is not set to a full path, so no file of the user is found"),
            "set it to the user's folder",
        );
    }
    let mut n_entries = 0;
    for client in CLIENTS {
        for scope in [Scope::User, Scope::Project] {
            for path in places.files(client, scope) {
                n_entries += look_at_file(findings, case, client, scope, &path);
            }
        }
    }
    if n_entries == 0 {
        findings.warn(
            "clients",
            "no client is set up".to_owned(),
            "`workspace-mcp setup CLIENT` connects one",
        );
    }
}

/// Looks at a client's file, and tells how many entries of ours are in it.
fn look_at_file(
    findings: &mut Findings,
    case: &Case<'_>,
    client: Client,
    scope: Scope,
    path: &Path,
) -> usize {
    let check = format!("{} ({})", client.name(), scope.name());
    let known = match Known::read(path) {
        Ok(known) if known.exists() => known,
        Ok(_) => return 0,
        Err(reason) => {
            findings.fault(&check, reason, "make it a file that can be read");
            return 0;
        }
    };
    let list = |list: &&[&str]| entries(&known.text, client.format(), list);
    let found: Result<Vec<_>, _> = client.lists().iter().map(list).collect();
    let all: Map<String, Value> = match found {
        Ok(lists) => lists.into_iter().flatten().collect(),
        Err(fault) => {
            let (path, title) = (shown(path), client.title());
            findings.fault(
                &check,
                format!("{path}:{}:{}: {}", fault.line, fault.column, fault.text),
                &format!(
                    "mend the file; {title} does not take it ({})",
                    client.documentation()
                ),
            );
            return 0;
        }
    };
    let ours: Vec<(&String, &Value)> = all
        .iter()
        .filter(|(name, entry)| is_ours(name, entry))
        .collect();
    for (name, entry) in &ours {
        let entry = Entry {
            check: format!("{check} {name}"),
            again: format!(
                "run `workspace-mcp setup {}` again",
                words(client, scope, name)
            ),
            value: entry,
            scope,
        };
        entry.look(findings, case);
    }
    ours.len()
}

/// The words that set an entry up again.
fn words(client: Client, scope: Scope, name: &str) -> String {
    let scope = match scope {
        Scope::User => "",
        Scope::Project => " --scope project",
    };
    let name = if name == "workspace-mcp" {
        String::new()
    } else {
        format!(" --name {}", rooted::show(name.as_bytes()))
    };
    format!("{}{scope}{name}", client.name())
}

/// An entry of ours.
struct Entry<'a> {
    check: String,
    /// What to do when it does not work.
    again: String,
    value: &'a Value,
    scope: Scope,
}

impl Entry<'_> {
    fn look(&self, findings: &mut Findings, case: &Case<'_>) {
        if self.is_off() {
            let what = "is switched off in the client";
            findings.warn(&self.check, what.to_owned(), "switch it on there");
            return;
        }
        match read(self.value) {
            None => findings.fault(
                &self.check,
                "names neither a program nor an address".to_owned(),
                &self.again,
            ),
            Some(Server::Reached { url, .. }) => self.look_at_address(findings, &url),
            Some(Server::Started { program, args }) => {
                self.look_at_program(findings, case, &program, &args);
            }
        }
    }

    fn is_off(&self) -> bool {
        let says = |key: &str, off: bool| self.value.get(key).and_then(Value::as_bool) == Some(off);
        says("disabled", true) || says("enabled", false)
    }

    fn look_at_address(&self, findings: &mut Findings, url: &str) {
        let Some((host, port, tls)) = address(url) else {
            let what = "has no address that starts with http:// or https://".to_owned();
            findings.fault(&self.check, what, &self.again);
            return;
        };
        // The rest of an address may hold a secret.
        let shown_url = format!(
            "{}{}",
            if tls { "https://" } else { "http://" },
            rooted::show(network::authority(&host, port).as_bytes())
        );
        if self.scope == Scope::Project && !is_loopback(&host) {
            let what = format!("is reached at {shown_url}; not tried, since the project chose it");
            findings.ok(&self.check, what);
            return;
        }
        let answer = if tls {
            match network::connect(&host, port) {
                Ok(_) => Answer::Ours,
                Err(reason) => Answer::Nothing(reason),
            }
        } else {
            network::answer(&host, port)
        };
        match answer {
            Answer::Ours => findings.ok(&self.check, format!("a server answers at {shown_url}")),
            Answer::Other => findings.warn(
                &self.check,
                format!("something else than workspace-mcp answers at {shown_url}"),
                "look at what listens there, and at the address",
            ),
            Answer::Nothing(reason) => findings.fault(
                &self.check,
                format!("nothing answers at {shown_url} ({reason})"),
                "start the server there with --http, or mend the address",
            ),
        }
    }

    fn look_at_program(
        &self,
        findings: &mut Findings,
        case: &Case<'_>,
        program: &str,
        args: &[String],
    ) {
        let shown_program = rooted::show(program.as_bytes());
        let Some(path) = find(case, program) else {
            let what = if Path::new(program).is_absolute() {
                format!("starts {shown_program}, which is not there")
            } else if Path::new(program).components().count() > 1 {
                format!("starts {shown_program}, which depends on where the client is")
            } else {
                format!("starts {shown_program}, which is not in PATH")
            };
            findings.fault(&self.check, what, &self.again);
            return;
        };
        let name = path.file_stem().unwrap_or_default();
        if name != "workspace-mcp" {
            let what = format!("starts {shown_program}, which is another version or a wrapper");
            let remedy = format!("{} to start this program", self.again);
            findings.warn(&self.check, what, &remedy);
            return;
        }
        if self.scope == Scope::Project {
            let what = format!("starts {shown_program}; not tried, since the project chose it");
            findings.ok(&self.check, what);
            return;
        }
        let version = programs::run(case, &path, &["--version".into()], b"", &[], case.wait);
        let version = version.map(|told| told.stdout.trim().to_owned());
        let ours = crate::cli::version();
        match version {
            Ok(version) if version == ours.trim() => self.start(findings, case, &path, args),
            Ok(version) => {
                let version = version.lines().next().unwrap_or_default();
                let version = rooted::show(version.as_bytes());
                let what = if version.is_empty() {
                    format!("starts {shown_program}, which does not tell its version")
                } else {
                    format!(
                        "starts another version: {version}, and this is {}",
                        ours.trim()
                    )
                };
                findings.warn(&self.check, what, &self.again);
            }
            Err(reason) => {
                let what = format!("starts {shown_program}, which cannot be run ({reason})");
                findings.fault(&self.check, what, &self.again);
            }
        }
    }

    /// Starts the server as the client would, and asks for its tools.
    fn start(&self, findings: &mut Findings, case: &Case<'_>, program: &Path, args: &[String]) {
        if args.first().is_some_and(|word| word == "managed") {
            let what = "not tried, since a start of `managed` makes a checkpoint";
            findings.ok(&self.check, what.to_owned());
            return;
        }
        let mut words: Vec<OsString> = args.iter().map(Into::into).collect();
        let is_project = !args
            .first()
            .is_some_and(|word| matches!(word.as_str(), "paged" | "notes"));
        if is_project && !args.iter().any(|word| word == "--read-only") {
            words.push("--read-only".into());
        }
        let variables = self.variables();
        let told = programs::run(case, program, &words, &question(), &variables, case.wait);
        match told.map(|told| (n_tools(&told.stdout), told)) {
            Ok((Some(n), _)) if n > 0 => {
                let how = if is_project { " without writing" } else { "" };
                findings.ok(&self.check, format!("starts, and offers {n} tools{how}"));
            }
            Ok((_, told)) => {
                let what = format!("does not work: {}", complaint(&told, case.wait));
                let what = without(what, &secrets(args, &variables));
                findings.fault(&self.check, what, &self.again);
            }
            Err(reason) => {
                findings.fault(
                    &self.check,
                    format!("cannot be started: {reason}"),
                    &self.again,
                );
            }
        }
    }

    /// The variables that the entry sets.
    fn variables(&self) -> Vec<(OsString, OsString)> {
        let named = ["env", "environment"].into_iter();
        let named = named.filter_map(|key| self.value.get(key)?.as_object());
        named
            .flatten()
            .filter_map(|(name, value)| Some((name.into(), value.as_str()?.into())))
            .collect()
    }
}

/// A request for the tools, as a client of the newest revision sends it.
fn question() -> Vec<u8> {
    let request = json!({
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/list",
        "params": { "_meta": {
            "io.modelcontextprotocol/protocolVersion": REVISION,
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": {
                "name": "workspace-mcp doctor",
                "version": env!("CARGO_PKG_VERSION"),
            },
        } },
    });
    format!("{request}\n").into_bytes()
}

/// How many tools the answer lists.
fn n_tools(stdout: &str) -> Option<usize> {
    let answers = stdout
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok());
    let answer = answers
        .into_iter()
        .find(|answer: &Value| answer.get("id") == Some(&json!(1)));
    Some(answer?.pointer("/result/tools")?.as_array()?.len())
}

/// What a server said before it ended without an answer.
fn complaint(told: &Told, wait: Duration) -> String {
    let line = told
        .stderr
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty());
    let line = line.map(|line| line.strip_prefix("[workspace-mcp] ").unwrap_or(line));
    match (told.end, line) {
        (End::TimedOut, _) => format!("no answer within {} s", wait.as_secs()),
        (End::Exited(0), _) | (_, None) => "no tools were listed".to_owned(),
        (_, Some(line)) => rooted::show(line.as_bytes()),
    }
}

/// What an entry tells its server that nobody else is to know.
fn secrets(args: &[String], variables: &[(OsString, OsString)]) -> Vec<String> {
    let behind = args.iter().zip(args.iter().skip(1));
    let behind = behind.filter_map(|(option, value)| (option == "--token").then_some(value));
    let inline = args.iter().filter_map(|word| word.strip_prefix("--token="));
    let set = variables
        .iter()
        .filter(|(name, _)| looks_secret(&name.to_string_lossy()))
        .map(|(_, value)| value.to_string_lossy().into_owned());
    let told = behind.cloned().chain(inline.map(ToOwned::to_owned));
    let mut all: Vec<String> = told
        .chain(set)
        .filter(|secret| !secret.is_empty())
        .collect();
    // One may hold another.
    all.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
    all
}

fn without(text: String, secrets: &[String]) -> String {
    let hide = |text: String, secret: &String| text.replace(secret, "(hidden)");
    secrets.iter().fold(text, hide)
}

/// Where the program of an entry is.
fn find(case: &Case<'_>, program: &str) -> Option<PathBuf> {
    let path = Path::new(program);
    if path.is_absolute() {
        let folder = Root::open(path.parent()?, Mode::FOLLOW).ok()?;
        let name = RelPath::from_bytes(path.file_name()?.as_encoded_bytes()).ok()?;
        let there = folder.open_dir(&RelPath::root()).ok()?;
        let meta = there.stat(name.file_name()?).ok()?;
        return matches!(meta.kind, Kind::File | Kind::Link).then(|| path.to_owned());
    }
    if path.components().count() > 1 {
        // Which folder that starts at is up to the client.
        return None;
    }
    find_programs(program, &programs::folders(case)).next()
}

/// Host, port, and whether it is encrypted.
fn address(url: &str) -> Option<(String, u16, bool)> {
    let (rest, tls) = match url.strip_prefix("https://") {
        Some(rest) => (rest, true),
        None => (url.strip_prefix("http://")?, false),
    };
    let host = rest.split(['/', '?', '#']).next()?;
    let host = host.rsplit('@').next()?;
    let usual = if tls { 443 } else { 80 };
    if let Some(rest) = host.strip_prefix('[') {
        let (host, rest) = rest.split_once(']')?;
        let port = rest
            .strip_prefix(':')
            .map_or(Some(usual), |port| port.parse().ok());
        return Some((host.to_owned(), port?, tls));
    }
    let (host, port) = match host.rsplit_once(':') {
        Some((host, port)) => (host, port.parse().ok()?),
        None => (host, usual),
    };
    (!host.is_empty()).then(|| (host.to_owned(), port, tls))
}

#[cfg(test)]
mod tests;
