//! `workspace-mcp setup`: writes our entry into the configuration of a client.
//!
//! Only the entry is changed; every other byte of the file stays, and a file that is broken is left
//! alone. What clients want is in `client`, where they keep it in `places`, what an entry says
//! in `entry`; `document` changes a text, and `store` puts it in place.

pub(crate) mod client;
pub(crate) mod document;
pub(crate) mod entry;
mod json;
mod order;
pub(crate) mod places;
pub(crate) mod platform;
pub(crate) mod store;
mod toml;

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use self::client::{Client, Scope};
use self::document::{Fault, Spot};
use self::entry::Server;
pub(crate) use self::order::OPTIONS;
use self::order::{Entry, Order, Setting, Task};
use self::places::Places;
use self::platform::SYSTEM;
use self::store::{Known, Written, shown};
use crate::cli;
use crate::config::StartFault;
use crate::help;

/// How often a file is read anew when another program writes it meanwhile.
const ATTEMPTS: usize = 3;

/// Does what the words behind `setup` say, and tells what to print. Relative paths start at `cwd`;
/// `program` is this very program.
///
/// # Errors
/// [`StartFault`] with one line for what is wrong; then nothing was changed.
pub fn run(
    words: impl IntoIterator<Item = String>,
    cwd: &Path,
    environment: fn(&str) -> Option<String>,
    program: &Path,
) -> Result<String, StartFault> {
    let places = Places::of(SYSTEM, environment, cwd.to_owned());
    let setting = Setting {
        cwd,
        home: places.home.as_deref(),
        program,
    };
    let entry = match order::read(words, &setting)? {
        Order::Help => return Ok(help::shown(&order::help(), environment)),
        Order::Version => return Ok(cli::version()),
        Order::Entry(entry) => entry,
    };
    let path = file(&entry, &places);
    match &entry.task {
        Task::Print(server) => print(&entry, server, path.ok().as_deref()),
        Task::Write { server, force } => {
            let path = path?;
            repeat(|| write(&entry, server, *force, &path))
        }
        Task::Remove => {
            let path = path?;
            repeat(|| remove(&entry, &path))
        }
    }
}

/// The file that an entry belongs in: of those that there may be, the first that is there.
fn file(entry: &Entry, places: &Places) -> Result<PathBuf, StartFault> {
    if let Some(file) = &entry.file {
        return Ok(file.clone());
    }
    let client = entry.client;
    let files = places.files(client, entry.scope);
    let there = |path: &&PathBuf| Known::read(path).is_ok_and(|known| known.exists());
    let Some(first) = files.first() else {
        let title = client.title();
        return Err(StartFault::Usage(match entry.scope {
            Scope::Project => {
                format!("{title} has no file for a project; use --scope user or --file")
            }
            Scope::User => format!(
                "{} is not set to a full path, so the file of {title} is not found; set it, or \
                 name the file with --file",
                places.variable(client)
            ),
        }));
    };
    Ok(files.iter().find(there).unwrap_or(first).clone())
}

/// Does something again when another program was faster.
fn repeat(mut step: impl FnMut() -> Result<Option<String>, String>) -> Result<String, StartFault> {
    for _ in 0..ATTEMPTS {
        if let Some(said) = step().map_err(StartFault::Machine)? {
            return Ok(said);
        }
    }
    Err(StartFault::Machine(
        "another program keeps writing the file; quit the client and try again".to_owned(),
    ))
}

fn print(entry: &Entry, server: &Server, path: Option<&Path>) -> Result<String, StartFault> {
    // What the file holds only says which of two forms the client is used to.
    let known = path.and_then(|path| Known::read(path).ok());
    let text = known.map_or_else(String::new, |known| known.text);
    let spot = entry.client.spot(&text, &entry.name);
    let values = server.entry(entry.client, spot.list);
    Ok(spot.document(&values.map_err(StartFault::Usage)?))
}

fn write(
    entry: &Entry,
    server: &Server,
    force: bool,
    path: &Path,
) -> Result<Option<String>, String> {
    let name = &entry.name;
    let mut known = Known::read(path)?;
    let text = &known.text;
    let broken = |fault| broken(path, &fault);
    let spot = entry.client.spot(text, name);
    let values = server.entry(entry.client, spot.list)?;
    let there = spot.get(text).map_err(broken)?;
    if let Some(there) = &there
        && !force
        && !entry::is_ours(name, there)
        && !values
            .iter()
            .all(|(key, value)| there.get(key) == Some(value))
    {
        return Err(format!(
            "\"{name}\" in {} starts something else; choose another --name, or replace it with --force",
            shown(path)
        ));
    }
    let mut without = server.foreign_keys().to_vec();
    // Keys of ours that not every client takes.
    without.extend(["type", "args"]);
    without.retain(|key| !values.contains_key(*key) && keeps(there.as_ref(), key, server));
    let changed = spot.set(text, &values, &without).map_err(broken)?;
    if known.exists() && changed == *text {
        return Ok(Some(format!(
            "\"{name}\" in {} is as it should be; nothing was written\n",
            shown(path)
        )));
    }
    let copy = copy_name(&known.path, name);
    let has_copy = known.exists();
    if has_copy && !is_kept(&known, &spot, there.as_ref(), &copy) {
        known.keep_copy(&copy)?;
    }
    if known.write(&changed, entry.scope)? == Written::Changed {
        return Ok(None);
    }
    let kept = if has_copy {
        format!(" (the file as it was: {copy})")
    } else {
        String::new()
    };
    Ok(Some(format!(
        "wrote \"{name}\" to {}{kept}\nnext: {}\n",
        shown(path),
        entry.client.next_step()
    )))
}

/// Says whether a key has to go: not what a person added for a program that is started.
fn keeps(there: Option<&Value>, key: &str, server: &Server) -> bool {
    let has_key = there.is_some_and(|there| there.get(key).is_some());
    has_key && !(matches!(server, Server::Started { .. }) && matches!(key, "env" | "cwd"))
}

/// The name of the copy that is kept beside a file.
fn copy_name(path: &Path, name: &str) -> String {
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    format!("{file}.{name}.bak")
}

/// Says whether the copy is the file as it is now, but for our entry.
fn is_kept(known: &Known, spot: &Spot<'_>, there: Option<&Value>, copy: &str) -> bool {
    known
        .beside(copy)
        .is_some_and(|text| text == known.text || original(known, spot, there, &text))
}

/// Says whether our entry makes the file as it is now out of another text.
fn original(known: &Known, spot: &Spot<'_>, there: Option<&Value>, text: &str) -> bool {
    let Some(Value::Object(values)) = there else {
        return false;
    };
    let without = spot.get(text).is_ok_and(|entry| entry.is_none());
    without
        && spot
            .set(text, values, &[])
            .is_ok_and(|made| made == known.text)
}

fn remove(entry: &Entry, path: &Path) -> Result<Option<String>, String> {
    let name = &entry.name;
    let mut known = Known::read(path)?;
    let text = &known.text;
    let spot = entry.client.spot(text, name);
    let there = spot.get(text).map_err(|fault| broken(path, &fault))?;
    let Some(Value::Object(values)) = &there else {
        return Ok(Some(format!(
            "no \"{name}\" in {}; nothing was changed\n",
            shown(path)
        )));
    };
    let copy = copy_name(&known.path, name);
    let before = known.beside(&copy);
    if let Some(before) = &before
        && original(&known, &spot, there.as_ref(), before)
    {
        if known.write(before, entry.scope)? == Written::Changed {
            return Ok(None);
        }
        known.remove_beside(&copy);
        return Ok(Some(done(entry, path, "; the file is as it was before")));
    }
    if before.is_none() && *text == made_by_us(&spot, values) {
        known.remove()?;
        return Ok(Some(done(
            entry,
            path,
            "; nothing else was in the file, so it is gone too",
        )));
    }
    let changed = spot.remove(text).map_err(|fault| broken(path, &fault))?;
    known.keep_copy(&copy)?;
    if known.write(&changed, entry.scope)? == Written::Changed {
        return Ok(None);
    }
    let kept = format!(" (the file as it was: {copy})");
    Ok(Some(done(entry, path, &kept)))
}

/// The file that setup makes where there was none.
fn made_by_us(spot: &Spot<'_>, values: &Map<String, Value>) -> String {
    spot.document(values)
}

fn done(entry: &Entry, path: &Path, more: &str) -> String {
    format!(
        "took \"{}\" out of {}{more}\nnext: {}\n",
        entry.name,
        shown(path),
        after_removal(entry.client)
    )
}

fn after_removal(client: Client) -> String {
    format!("restart {}", client.title())
}

fn broken(path: &Path, fault: &Fault) -> String {
    format!(
        "{}:{}:{}: {}; the file was not changed",
        shown(path),
        fault.line,
        fault.column,
        fault.text
    )
}

#[cfg(test)]
mod tests;
