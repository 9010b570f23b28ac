//! `setup` on files as people have them: our entry is right, and no other byte changes.

mod corpus;
#[cfg(unix)]
mod page;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use tempfile::TempDir;

use self::corpus::{BROKEN_JSON, BROKEN_TOML, files, in_list_of, shapes};
use super::client::{CLIENTS, Client, NAMES};
use super::document::Format;
use crate::config::StartFault;

const NAME: &str = "workspace-mcp";
const PROGRAM: &str = "/opt/bin/workspace-mcp";

/// A folder with a project and a client's file, which may not be there.
struct World {
    folder: TempDir,
    client: Client,
    file: PathBuf,
}

impl World {
    fn new(client: Client, content: Option<&str>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("project")).unwrap();
        let file = folder.path().join("config");
        if let Some(content) = content {
            fs::write(&file, content).unwrap();
        }
        Self {
            folder,
            client,
            file,
        }
    }

    fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    /// Runs `setup CLIENT --file FILE` with more words.
    fn setup(&self, more: &[&str]) -> Result<String, StartFault> {
        let file = self.file.display().to_string();
        let words = [self.client.name(), "--file", &file];
        let words = words.iter().chain(more).map(|word| (*word).to_owned());
        super::run(words, &self.project(), |_| None, Path::new(PROGRAM))
    }

    fn content(&self) -> Option<String> {
        fs::read_to_string(&self.file).ok()
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder.path()).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.filter(|name| name != "project").collect();
        names.sort();
        names
    }

    /// What the entry has to hold.
    fn wanted(&self) -> Value {
        let args = json!([
            "--root",
            self.project().display().to_string(),
            "--max-answer-bytes",
            self.client.answer_bytes().to_string()
        ]);
        match self.client {
            Client::Opencode => {
                let mut words = vec![json!(PROGRAM)];
                words.extend(args.as_array().unwrap().clone());
                json!({ "type": "local", "command": words, "enabled": true })
            }
            Client::ClaudeCode | Client::Cursor | Client::VsCode => {
                json!({ "type": "stdio", "command": PROGRAM, "args": args })
            }
            _ => json!({ "command": PROGRAM, "args": args }),
        }
    }
}

/// The text as another reader has it: comments and last commas are taken out by hand for the
/// reader of plain JSON.
fn read(client: Client, text: &str) -> Value {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if client.format() == Format::Toml {
        return serde_json::to_value(toml::from_str::<toml::Table>(text).unwrap()).unwrap();
    }
    let mut plain = String::new();
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        let length = match next {
            '"' => {
                let mut escaped = false;
                let end = rest.char_indices().skip(1).find(|(_, c)| {
                    let ends = *c == '"' && !escaped;
                    escaped = *c == '\\' && !escaped;
                    ends
                });
                end.unwrap().0 + 1
            }
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' => rest.find("*/").unwrap() + 2,
            _ => next.len_utf8(),
        };
        if next != '/' {
            plain.push_str(&rest[..length]);
        }
        rest = &rest[length..];
    }
    let mut sound = String::new();
    let mut in_text = false;
    let mut escaped = false;
    for (at, c) in plain.char_indices() {
        let behind = plain[at + c.len_utf8()..].trim_start();
        if in_text || c != ',' || !behind.starts_with(['}', ']']) {
            sound.push(c);
        }
        in_text ^= c == '"' && !escaped;
        escaped = in_text && c == '\\' && !escaped;
    }
    if sound.trim().is_empty() {
        return json!({});
    }
    serde_json::from_str(&sound).unwrap()
}

/// The list of servers in a file.
fn servers<'a>(client: Client, whole: &'a Value, text: &str) -> Option<&'a Map<String, Value>> {
    let list = client.list(text, NAME).iter();
    let found = list
        .into_iter()
        .try_fold(whole, |value, key| value.get(key));
    found.and_then(Value::as_object)
}

/// Whether a text is another one with one piece put in, and perhaps a comma somewhere before it.
fn is_put_in(before: &str, after: &str) -> bool {
    let one_piece = |before: &[u8], after: &[u8]| {
        let same = |(one, other): &(&u8, &u8)| one == other;
        let head = before.iter().zip(after).take_while(same).count();
        let tail = before.iter().rev().zip(after.iter().rev());
        after.len() >= before.len() && head + tail.take_while(same).count() >= before.len()
    };
    let (before, after) = (before.as_bytes(), after.as_bytes());
    one_piece(before, after)
        || (0..before.len()).any(|at| {
            before[..at] == after[..at]
                && after.get(at) == Some(&b',')
                && one_piece(&before[at..], &after[at + 1..])
        })
}

#[test]
fn the_entry_is_right_and_no_other_byte_changes() {
    let mut n_files = 0;
    for client in CLIENTS {
        assert!(shapes(client).len() >= 30, "{client:?}");
        for before in &files(client) {
            n_files += 1;
            check(client, before);
        }
    }
    assert!(n_files > 1000, "{n_files}");
}

fn check(client: Client, before: &str) {
    let world = World::new(client, Some(before));
    let at = format!("{client:?}\n--- before\n{before}");
    let old = read(client, before);
    let old_entry = servers(client, &old, before).and_then(|list| list.get(NAME));

    let said = world
        .setup(&[])
        .unwrap_or_else(|fault| panic!("{at}\n{fault:?}"));
    let after = world.content().unwrap();
    let at = format!("{at}\n--- after\n{after}");
    assert!(said.starts_with("wrote "), "{at}\n{said}");

    // Our entry is right, and what a person added to it is still there.
    let new = read(client, &after);
    let list = servers(client, &new, &after).unwrap_or_else(|| panic!("{at}"));
    let mut wanted = world.wanted().as_object().unwrap().clone();
    if client.list(before, NAME).len() == 2 {
        wanted.remove("enabled");
    }
    for key in ["env", "startup_timeout_sec", "tools"] {
        if let Some(value) = old_entry.and_then(|entry| entry.get(key)) {
            wanted.insert(key.to_owned(), value.clone());
        }
    }
    assert_eq!(list.get(NAME), Some(&Value::Object(wanted)), "{at}");

    // Everything else is the same, to a reader and byte for byte.
    for (name, server) in servers(client, &old, before).into_iter().flatten() {
        assert!(
            name == NAME || list.get(name) == Some(server),
            "{name} {at}"
        );
    }
    if old_entry.is_none() {
        assert!(is_put_in(before, &after), "{at}");
    } else {
        let spot = client.spot(before, NAME);
        assert_eq!(spot.remove(before), spot.remove(&after), "{at}");
    }
    if client.format() == Format::Toml && !before.trim_matches('\u{feff}').is_empty()
        || before.contains('{')
    {
        assert_eq!(before.ends_with('\n'), after.ends_with('\n'), "{at}");
    }
    let bare = after.replace("\r\n", "");
    assert!(!before.contains("\r\n") || !bare.contains('\n'), "{at}");

    // The second time changes nothing.
    let said = world.setup(&[]).unwrap();
    assert!(said.contains("nothing was written"), "{said}");
    assert_eq!(world.content().unwrap(), after, "{at}");

    // Out again: the file is what it was, where it had no entry of ours.
    world.setup(&["--remove"]).unwrap();
    let gone = world.content().unwrap();
    if old_entry.is_none() {
        assert_eq!(gone, before, "{at}");
        assert_eq!(world.names(), ["config"], "{at}");
    } else {
        let left = read(client, &gone);
        let list = servers(client, &left, &gone);
        assert!(list.is_none_or(|list| list.get(NAME).is_none()), "{at}");
    }
}

#[test]
fn without_the_copy_the_entry_comes_out_alone() {
    for client in CLIENTS {
        for before in shapes(client) {
            let world = World::new(client, Some(&before));
            let old = read(client, &before);
            let list = servers(client, &old, &before);
            let had_others = list.is_some_and(|list| !list.is_empty() && !list.contains_key(NAME));
            world.setup(&[]).unwrap();
            let copy = world.folder.path().join("config.workspace-mcp.bak");
            assert_eq!(fs::read_to_string(&copy).unwrap(), before);
            fs::remove_file(copy).unwrap();
            world.setup(&["--remove"]).unwrap();
            if had_others {
                assert_eq!(world.content().unwrap_or_default(), before);
            }
        }
    }
}

#[test]
fn every_name_of_a_client_is_listed() {
    for client in CLIENTS {
        assert!(NAMES.contains(&client.name()), "{client:?}");
    }
    assert!(NAMES.iter().all(|name| Client::parse(name).is_some()));
}

#[test]
fn several_entries_stand_side_by_side() {
    for client in CLIENTS {
        for before in shapes(client) {
            let world = World::new(client, Some(&before));
            let at = format!("{client:?}\n{before}");
            world.setup(&["--name", "first-one"]).unwrap();
            world
                .setup(&["--name", "first-one", "--", "--deny-tool", "patch"])
                .unwrap();
            let one = world.content().unwrap();
            world
                .setup(&["--name", "second", "--", "--read-only"])
                .unwrap();
            world.setup(&["--name", "second"]).unwrap();
            let whole = read(client, &world.content().unwrap());
            let list = servers(client, &whole, &world.content().unwrap()).unwrap();
            assert!(
                list.contains_key("first-one") && list.contains_key("second"),
                "{at}"
            );
            world.setup(&["--name", "second", "--remove"]).unwrap();
            assert_eq!(world.content().unwrap(), one, "{at}");
            world.setup(&["--name", "first-one", "--remove"]).unwrap();
            assert_eq!(world.content().unwrap(), before, "{at}");
        }
    }
}

#[test]
fn a_missing_file_is_made_and_goes_again() {
    for client in CLIENTS {
        let world = World::new(client, None);
        let said = world.setup(&[]).unwrap();
        assert!(said.starts_with("wrote \"workspace-mcp\" to "), "{said}");
        let text = world.content().unwrap();
        let whole = read(client, &text);
        let list = servers(client, &whole, &text).unwrap();
        assert_eq!(list.get(NAME), Some(&world.wanted()));
        assert_eq!(world.setup(&["--print"]).unwrap(), text);
        world.setup(&["--remove"]).unwrap();
        assert!(world.names().is_empty());
        let said = world.setup(&["--remove"]).unwrap();
        assert!(said.contains("nothing was changed"), "{said}");
    }
}

#[test]
fn a_broken_file_is_refused_untouched_with_its_place() {
    for client in CLIENTS {
        let broken = match client.format() {
            Format::Toml => BROKEN_TOML,
            Format::Json(_) => BROKEN_JSON,
        };
        for (shape, place) in broken {
            let before = in_list_of(client, shape);
            let place = in_list_of(client, place);
            let shift = in_list_of(client, "LIST").len();
            // The place of what is behind the key depends on its length.
            let place = if shape.contains("\"LIST\":") {
                place.replace(":11:", &format!(":{}:", 7 + shift))
            } else {
                place
            };
            for words in [&[][..], &["--remove"]] {
                let world = World::new(client, Some(&before));
                let Err(StartFault::Machine(text)) = world.setup(words) else {
                    panic!("{client:?} takes {before}");
                };
                assert!(text.contains(&place), "{client:?} {before}{place}\n{text}");
                assert!(!text.contains('\n') && text.ends_with("; the file was not changed"));
                assert_eq!(world.content().unwrap(), before);
                assert_eq!(world.names(), ["config"]);
            }
        }
    }
}

#[test]
fn comments_are_refused_where_the_client_takes_none() {
    for (client, text, place) in [
        (
            Client::ClaudeDesktop,
            "{\n  // x\n}\n",
            ":2:3: comments are not allowed",
        ),
        (
            Client::ClaudeCode,
            "{\n  \"a\": 1,\n}\n",
            ":2:9: trailing commas are not allowed",
        ),
        (
            Client::GeminiCli,
            "{\n  // x\n  \"a\": 1,\n}\n",
            ":3:9: trailing commas are not allowed",
        ),
    ] {
        let world = World::new(client, Some(text));
        let fault = world.setup(&[]).unwrap_err();
        let StartFault::Machine(said) = fault else {
            panic!("{fault:?}");
        };
        assert!(said.contains(place), "{said}");
        assert_eq!(world.content().unwrap(), text);
    }
}

#[test]
fn a_server_written_without_a_header_is_left_alone() {
    for before in [
        "[mcp_servers]\nworkspace-mcp = { command = \"/old/workspace-mcp\" }\n",
        "mcp_servers.workspace-mcp.command = \"/old/workspace-mcp\"\n",
    ] {
        let world = World::new(Client::Codex, Some(before));
        for words in [&[][..], &["--remove"]] {
            let Err(StartFault::Machine(text)) = world.setup(words) else {
                panic!("{before}");
            };
            assert!(text.contains("written without a table header"), "{text}");
            assert_eq!(world.content().unwrap(), before);
        }
    }
}

#[test]
fn an_entry_of_something_else_is_not_replaced() {
    for client in CLIENTS {
        let shape = match client.format() {
            Format::Toml => "[mcp_servers.files]\ncommand = \"other\"\n".to_owned(),
            Format::Json(_) => {
                let mut shape = json!({ "files": { "type": "stdio", "command": "other" } });
                for key in client.list("", NAME).iter().rev() {
                    shape = json!({ *key: shape });
                }
                shape.to_string()
            }
        };
        let world = World::new(client, Some(&shape));
        let Err(StartFault::Machine(text)) = world.setup(&["--name", "files"]) else {
            panic!("{client:?}");
        };
        assert!(text.contains("starts something else"), "{text}");
        assert_eq!(world.content().unwrap(), shape);
        world.setup(&["--name", "files", "--force"]).unwrap();
        world.setup(&["--name", "files"]).unwrap();
    }
}

#[test]
fn a_server_that_is_reached_takes_the_place_of_one_that_is_started() {
    let url = "http://127.0.0.1:3333/mcp";
    for client in CLIENTS {
        let world = World::new(client, None);
        world.setup(&[]).unwrap();
        let started = world.content().unwrap();
        let words: &[&str] = if client == Client::Zed {
            &["--url", url]
        } else {
            &["--url", url, "--token-env", "MCP_TOKEN"]
        };
        if client == Client::ClaudeDesktop {
            assert!(world.setup(words).is_err());
            continue;
        }
        world.setup(words).unwrap();
        let text = world.content().unwrap();
        let whole = read(client, &text);
        let entry = &servers(client, &whole, &text).unwrap()[NAME];
        let header = |value: &str| json!({ "Authorization": format!("Bearer {value}") });
        let wanted = match client {
            Client::ClaudeDesktop => unreachable!(),
            Client::ClaudeCode => {
                json!({ "type": "http", "url": url, "headers": header("${MCP_TOKEN}") })
            }
            Client::VsCode => {
                json!({ "type": "http", "url": url, "headers": header("${env:MCP_TOKEN}") })
            }
            Client::Cursor => json!({ "url": url, "headers": header("${env:MCP_TOKEN}") }),
            Client::Opencode => json!({
                "type": "remote", "url": url, "oauth": false, "enabled": true,
                "headers": header("{env:MCP_TOKEN}")
            }),
            Client::Codex => json!({ "url": url, "bearer_token_env_var": "MCP_TOKEN" }),
            Client::Zed => json!({ "url": url }),
            Client::GeminiCli => json!({ "httpUrl": url, "headers": header("${MCP_TOKEN}") }),
            Client::Windsurf => {
                json!({ "serverUrl": url, "headers": header("${env:MCP_TOKEN}") })
            }
        };
        assert_eq!(*entry, wanted, "{client:?}");
        world.setup(&[]).unwrap();
        assert_eq!(
            read(client, &world.content().unwrap()),
            read(client, &started)
        );
    }
}
