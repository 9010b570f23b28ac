//! What is written for a server: how it is started, or where it is reached.

use serde_json::{Map, Value, json};

use super::client::Client;

/// How a client comes to the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Server {
    /// It starts the program with these words.
    Started {
        /// The program.
        program: String,
        /// The words behind it.
        args: Vec<String>,
    },
    /// It reaches a server that runs already.
    Reached {
        /// The address.
        url: String,
        /// The variable of the environment that holds the token.
        token_variable: Option<String>,
    },
}

/// Keys of an entry that belong to a server that is started.
const OF_STARTED: &[&str] = &["command", "args", "cwd", "environment", "env"];
/// Keys of an entry that belong to a server that is reached.
const OF_REACHED: &[&str] = &[
    "url",
    "httpUrl",
    "serverUrl",
    "headers",
    "oauth",
    "bearer_token_env_var",
    "http_headers",
    "env_http_headers",
];

impl Server {
    /// The entry for a client, whose file has this list of servers.
    ///
    /// # Errors
    /// One line, when the client cannot come to the server like this.
    pub(crate) fn entry(
        &self,
        client: Client,
        list: &[&str],
    ) -> Result<Map<String, Value>, String> {
        match self {
            Self::Started { program, args } => Ok(started(client, list, program, args)),
            Self::Reached {
                url,
                token_variable,
            } => reached(client, list, url, token_variable.as_deref()),
        }
    }

    /// The keys that must not be beside those of [`Server::entry`].
    pub(crate) fn foreign_keys(&self) -> &'static [&'static str] {
        match self {
            Self::Started { .. } => OF_REACHED,
            Self::Reached { .. } => OF_STARTED,
        }
    }
}

fn started(client: Client, list: &[&str], program: &str, args: &[String]) -> Map<String, Value> {
    object(match client {
        Client::ClaudeDesktop
        | Client::Codex
        | Client::Zed
        | Client::GeminiCli
        | Client::Windsurf => json!({ "command": program, "args": args }),
        Client::ClaudeCode | Client::Cursor | Client::VsCode => {
            json!({ "type": "stdio", "command": program, "args": args })
        }
        Client::Opencode => {
            let words: Vec<&str> = [program]
                .into_iter()
                .chain(args.iter().map(String::as_str))
                .collect();
            with_enabled(list, json!({ "type": "local", "command": words }))
        }
    })
}

fn reached(
    client: Client,
    list: &[&str],
    url: &str,
    variable: Option<&str>,
) -> Result<Map<String, Value>, String> {
    let mut entry = match client {
        Client::ClaudeDesktop => {
            return Err(
                "Claude Desktop takes no address in its file; add it in its settings under \
                 Connectors, or let it start the server"
                    .to_owned(),
            );
        }
        Client::ClaudeCode | Client::VsCode => json!({ "type": "http", "url": url }),
        Client::Cursor | Client::Codex | Client::Zed => json!({ "url": url }),
        // Otherwise it asks the server for a login that there is not.
        Client::Opencode => with_enabled(
            list,
            json!({ "type": "remote", "url": url, "oauth": false }),
        ),
        Client::GeminiCli => json!({ "httpUrl": url }),
        Client::Windsurf => json!({ "serverUrl": url }),
    };
    if let Some(variable) = variable {
        let (key, value) = token(client, variable)?;
        if let Some(entry) = entry.as_object_mut() {
            entry.insert(key.to_owned(), value);
        }
    }
    Ok(object(entry))
}

/// How a client is told that a variable holds the token.
fn token(client: Client, variable: &str) -> Result<(&'static str, Value), String> {
    let written = match client {
        Client::Codex => return Ok(("bearer_token_env_var", json!(variable))),
        Client::ClaudeCode | Client::GeminiCli => format!("${{{variable}}}"),
        Client::Cursor | Client::VsCode | Client::Windsurf => format!("${{env:{variable}}}"),
        Client::Opencode => format!("{{env:{variable}}}"),
        Client::ClaudeDesktop | Client::Zed => {
            return Err(format!(
                "{} cannot read a token from a variable; leave --token-env out and add the header \
                 by hand",
                client.title()
            ));
        }
    };
    let header = json!({ "Authorization": format!("Bearer {written}") });
    Ok(("headers", header))
}

/// In the list of version 1 servers of opencode are switched on.
fn with_enabled(list: &[&str], mut entry: Value) -> Value {
    if let (["mcp"], Some(entry)) = (list, entry.as_object_mut()) {
        entry.insert("enabled".to_owned(), json!(true));
    }
    entry
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

/// What an entry in a client's file says of the server, whatever the client.
pub(crate) fn read(entry: &Value) -> Option<Server> {
    let text = |key: &str| entry.get(key).and_then(Value::as_str);
    if let Some(url) = ["url", "httpUrl", "serverUrl"].into_iter().find_map(text) {
        let token_variable = text("bearer_token_env_var").map(ToOwned::to_owned);
        return Some(Server::Reached {
            url: url.to_owned(),
            token_variable,
        });
    }
    let words = |key: &str| {
        let list = entry.get(key).and_then(Value::as_array);
        let words = list.into_iter().flatten().filter_map(Value::as_str);
        words.map(ToOwned::to_owned).collect::<Vec<String>>()
    };
    let (program, args) = match entry.get("command")? {
        Value::String(program) => (program.clone(), words("args")),
        // An older form of Zed.
        Value::Object(command) => {
            let program = command.get("path").and_then(Value::as_str)?;
            let args = command.get("args").and_then(Value::as_array);
            let args = args.into_iter().flatten().filter_map(Value::as_str);
            (program.to_owned(), args.map(ToOwned::to_owned).collect())
        }
        _ => {
            let mut all = words("command").into_iter();
            (all.next()?, all.collect())
        }
    };
    Some(Server::Started { program, args })
}

/// Says whether an entry stands for this program: by its name, or by what it starts.
pub(crate) fn is_ours(name: &str, entry: &Value) -> bool {
    const NAME: &str = "workspace-mcp";
    let starts = |server: Server| match server {
        Server::Started { program, args } => {
            let mut all = args.iter().chain([&program]);
            all.any(|word| word.contains(NAME))
        }
        Server::Reached { url, .. } => url.contains(NAME),
    };
    name == NAME || read(entry).is_some_and(starts)
}
