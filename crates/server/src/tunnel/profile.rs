//! A profile of the tunnel client: a YAML file in which only two values are ours, the tunnel and the
//! command of the server.
//!
//! It is read line by line in the form that the tunnel client and this program write it: block style,
//! one value a line. Any other form is not understood, and then it is not touched. What a line holds
//! beside the value stays, and so does every other line.

use workspace::read::sha256;

/// What marks a command that was written here, followed by the beginning of its hash.
const MARK: &str = "# set by workspace-mcp tunnel";
/// Hexadecimal digits of the hash.
const HASH_DIGITS: usize = 12;

/// What a profile says of tunnel and server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Profile {
    /// The tunnel.
    pub tunnel_id: Option<String>,
    /// The command of the server.
    pub command: Option<String>,
    /// Whether the command is as this program wrote it.
    pub is_ours: bool,
    /// Whether the key itself is in the file, and not a reference to it.
    pub holds_key: bool,
}

/// One value in a text.
#[derive(Debug)]
struct Value {
    /// The bytes that it takes, quotes included.
    at: std::ops::Range<usize>,
    /// What it says.
    text: String,
    /// The rest of its line.
    rest: std::ops::Range<usize>,
}

/// What is found in the text of a profile.
#[derive(Debug, Default)]
struct Found {
    tunnel_id: Option<Value>,
    command: Option<Value>,
    api_key: Option<Value>,
}

/// Why a profile is not understood.
pub(super) type Unclear = &'static str;

/// Reads a profile.
///
/// # Errors
/// When it is not in the form described above.
pub(super) fn read(text: &str) -> Result<Profile, Unclear> {
    let found = find(text)?;
    let command = found.command.as_ref();
    let is_ours = command.is_some_and(|value| {
        let rest = text.get(value.rest.clone()).unwrap_or_default();
        rest.trim() == mark(&value.text)
    });
    let is_reference = |key: &Value| key.text.starts_with("env:") || key.text.starts_with("file:");
    Ok(Profile {
        tunnel_id: found.tunnel_id.map(|value| value.text),
        command: found.command.map(|value| value.text),
        is_ours,
        holds_key: found.api_key.is_some_and(|key| !is_reference(&key)),
    })
}

/// A new profile.
pub(super) fn new(tunnel_id: &str, command: &str) -> String {
    format!(
        "# Made by `workspace-mcp tunnel --profile`, which changes the tunnel id and the command only.\n\
         config_version: 1\n\
         control_plane:\n\
         \x20 tunnel_id: {}\n\
         \x20 api_key: \"env:CONTROL_PLANE_API_KEY\"\n\
         mcp:\n\
         \x20 commands:\n\
         \x20   - channel: main\n\
         \x20     command: {} {}\n",
        quoted(tunnel_id),
        quoted(command),
        mark(command)
    )
}

/// The text with another tunnel and another command in it.
///
/// # Errors
/// When it is not understood, or has no place for one of them.
pub(super) fn with(text: &str, tunnel_id: &str, command: &str) -> Result<String, Unclear> {
    let found = find(text)?;
    let tunnel = found.tunnel_id.ok_or("it names no tunnel")?;
    let server = found
        .command
        .ok_or("it has no command for the channel main")?;
    let mut edits = Vec::new();
    if tunnel.text != tunnel_id {
        edits.push((tunnel.at, quoted(tunnel_id)));
    }
    if server.text != command {
        let range = server.at.start..server.rest.end;
        edits.push((range, format!("{} {}", quoted(command), mark(command))));
    }
    // From the end on, so that earlier places stay where they are.
    edits.sort_by_key(|(at, _)| std::cmp::Reverse(at.start));
    let mut text = text.to_owned();
    for (at, new) in edits {
        text.replace_range(at, &new);
    }
    Ok(text)
}

/// The mark of a command.
fn mark(command: &str) -> String {
    let hash = sha256(command.as_bytes());
    format!("{MARK} {}", hash.get(..HASH_DIGITS).unwrap_or_default())
}

/// A text as a YAML value; JSON's quoting is one of YAML's.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Finds the values that matter.
fn find(text: &str) -> Result<Found, Unclear> {
    let mut found = Found::default();
    // The keys that the current line is beneath, with how far each is indented.
    let mut above: Vec<(usize, &str)> = Vec::new();
    let mut commands: Vec<Entry> = Vec::new();
    let mut start = 0;
    for whole in text.split_inclusive('\n') {
        let at = start;
        start += whole.len();
        let line = whole.trim_end_matches(['\n', '\r']);
        let mut body = line.trim_start_matches(' ');
        if body.is_empty() || body.starts_with('#') {
            continue;
        }
        if body.starts_with('\t') {
            return Err("it is indented by tabs");
        }
        if body.starts_with(['{', '[', '%', '?', '&', '*', '!']) || body == "---" || body == "..." {
            return Err("it is not written one value a line");
        }
        if let Some(item) = body.strip_prefix("- ") {
            let dash = line.len() - body.len();
            above.retain(|(indent, _)| *indent <= dash);
            body = item.trim_start_matches(' ');
            if path(&above) == "mcp/commands" {
                commands.push(Entry::default());
            }
        }
        let indent = line.len() - body.len();
        above.retain(|(above, _)| *above < indent);
        let Some((key, value)) = body.split_once(':') else {
            continue;
        };
        if !value.is_empty() && !value.starts_with(' ') {
            continue;
        }
        above.push((indent, key));
        let value_at = at + line.len() - value.len();
        let entry = commands.last_mut();
        match (path(&above).as_str(), entry) {
            ("control_plane/tunnel_id", _) => {
                let value = scalar(value, value_at).ok_or("its tunnel id is not plain text")?;
                found.tunnel_id = Some(value);
            }
            ("control_plane/api_key", _) => found.api_key = scalar(value, value_at),
            ("mcp/commands/channel", Some(entry)) => {
                let value = scalar(value, value_at).ok_or("a channel is not plain text")?;
                entry.channel = Some(value.text);
            }
            ("mcp/commands/command", Some(entry)) => {
                let value = scalar(value, value_at).ok_or("a command is not plain text")?;
                entry.command = Some(value);
            }
            _ => {}
        }
    }
    let is_main = |entry: &Entry| entry.channel.as_deref().is_none_or(|name| name == "main");
    let mut main = commands.into_iter().filter(is_main);
    found.command = main.next().and_then(|entry| entry.command);
    match main.next() {
        None => Ok(found),
        Some(_) => Err("it has several commands for the channel main"),
    }
}

/// One item of the list of commands.
#[derive(Debug, Default)]
struct Entry {
    channel: Option<String>,
    command: Option<Value>,
}

fn path(keys: &[(usize, &str)]) -> String {
    let keys: Vec<&str> = keys.iter().map(|(_, key)| key.trim_end()).collect();
    keys.join("/")
}

/// A value that begins and ends on this line; `at` is where `text`, the line behind the colon, begins.
fn scalar(text: &str, at: usize) -> Option<Value> {
    let body = text.trim_start_matches(' ');
    let begin = at + text.len() - body.len();
    let (said, len) = if body.starts_with('"') {
        let mut values = serde_json::Deserializer::from_str(body).into_iter::<String>();
        let said = values.next()?.ok()?;
        (said, values.byte_offset())
    } else if let Some(quoted) = body.strip_prefix('\'') {
        // A quote within is written twice.
        let mut end = 0;
        loop {
            end += quoted.get(end..)?.find('\'')?;
            match quoted.get(end + 1..)?.starts_with('\'') {
                true => end += 2,
                false => break,
            }
        }
        (quoted.get(..end)?.replace("''", "'"), end + 2)
    } else {
        if body.is_empty() || body.starts_with(['#', '|', '>', '&', '*', '!', '{', '[', '@', '`']) {
            return None;
        }
        let plain = body.find(" #").map_or(body, |end| &body[..end]).trim_end();
        (plain.to_owned(), plain.len())
    };
    let rest = body.get(len..)?;
    let is_comment = rest.trim().is_empty() || rest.trim_start_matches(' ').len() < rest.len();
    let is_comment = is_comment && (rest.trim().is_empty() || rest.trim().starts_with('#'));
    is_comment.then(|| Value {
        at: begin..begin + len,
        text: said,
        rest: begin + len..begin + body.len(),
    })
}

#[cfg(test)]
mod tests;
