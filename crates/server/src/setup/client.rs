//! The clients that are known: where they keep their servers, and what they make of an entry.
//!
//! Every fact here is one of the client's own documentation, whose address is beside it; what no
//! documentation says is said to be our choice in `docs/clients.md`.

use serde_json::Value;

use super::document::{Format, Spot};
use super::json::Dialect;

/// A program that starts servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Client {
    ClaudeDesktop,
    ClaudeCode,
    Cursor,
    VsCode,
    Opencode,
    Codex,
    Zed,
    GeminiCli,
    Windsurf,
}

/// Whose file is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// The one for all projects of the user.
    User,
    /// The one in the project.
    Project,
}

impl Scope {
    /// What it is called on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Project => "project",
        }
    }
}

/// All of them, in the order of the help.
pub(crate) const CLIENTS: [Client; 9] = [
    Client::ClaudeDesktop,
    Client::ClaudeCode,
    Client::Cursor,
    Client::VsCode,
    Client::Opencode,
    Client::Codex,
    Client::Zed,
    Client::GeminiCli,
    Client::Windsurf,
];

/// What they are called on the command line; one of them by two names.
pub(crate) const NAMES: &[&str] = &[
    "claude-desktop",
    "claude-code",
    "cursor",
    "vscode",
    "opencode",
    "codex",
    "chatgpt",
    "zed",
    "gemini-cli",
    "windsurf",
];

/// Names that readers of JSON stumble over.
const TRAPS: [&str; 3] = ["__proto__", "constructor", "prototype"];

impl Client {
    /// The client of a name on the command line.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        let known = CLIENTS.into_iter().find(|client| client.name() == name);
        // The desktop app of ChatGPT reads the file of Codex.
        known.or_else(|| (name == "chatgpt").then_some(Self::Codex))
    }

    /// What it is called on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::ClaudeDesktop => "claude-desktop",
            Self::ClaudeCode => "claude-code",
            Self::Cursor => "cursor",
            Self::VsCode => "vscode",
            Self::Opencode => "opencode",
            Self::Codex => "codex",
            Self::Zed => "zed",
            Self::GeminiCli => "gemini-cli",
            Self::Windsurf => "windsurf",
        }
    }

    /// What people call it.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::ClaudeDesktop => "Claude Desktop",
            Self::ClaudeCode => "Claude Code",
            Self::Cursor => "Cursor",
            Self::VsCode => "VS Code",
            Self::Opencode => "opencode",
            Self::Codex => "Codex and the ChatGPT desktop app",
            Self::Zed => "Zed",
            Self::GeminiCli => "Gemini CLI",
            Self::Windsurf => "Windsurf",
        }
    }

    /// Where its documentation says all this.
    pub(crate) fn documentation(self) -> &'static str {
        match self {
            Self::ClaudeDesktop => {
                "https://modelcontextprotocol.io/docs/develop/connect-local-servers"
            }
            Self::ClaudeCode => "https://code.claude.com/docs/en/mcp",
            Self::Cursor => "https://cursor.com/docs/mcp",
            Self::VsCode => {
                "https://code.visualstudio.com/docs/copilot/reference/mcp-configuration"
            }
            Self::Opencode => "https://opencode.ai/docs/mcp-servers/",
            Self::Codex => "https://developers.openai.com/codex/mcp",
            Self::Zed => "https://zed.dev/docs/ai/mcp",
            Self::GeminiCli => "https://geminicli.com/docs/tools/mcp-server/",
            Self::Windsurf => "https://docs.windsurf.com/windsurf/cascade/mcp",
        }
    }

    /// The format of its file.
    pub(crate) fn format(self) -> Format {
        match self {
            Self::ClaudeDesktop | Self::ClaudeCode => Format::Json(Dialect::Plain),
            Self::GeminiCli => Format::Json(Dialect::Comments),
            Self::Cursor | Self::VsCode | Self::Opencode | Self::Zed | Self::Windsurf => {
                Format::Json(Dialect::Lenient)
            }
            Self::Codex => Format::Toml,
        }
    }

    /// The keys that lead to its lists of servers, the one for a new file first.
    pub(crate) fn lists(self) -> &'static [&'static [&'static str]] {
        match self {
            Self::ClaudeDesktop
            | Self::ClaudeCode
            | Self::Cursor
            | Self::GeminiCli
            | Self::Windsurf => &[&["mcpServers"]],
            Self::VsCode => &[&["servers"]],
            Self::Codex => &[&["mcp_servers"]],
            Self::Zed => &[&["context_servers"]],
            // Version 1 takes the first only, and version 2 both.
            Self::Opencode => &[OPENCODE_1, OPENCODE_2],
        }
    }

    /// The keys that lead to the list with an entry of this name in a file of this content, or to
    /// the one that the entry belongs in.
    pub(crate) fn list(self, text: &str, name: &str) -> &'static [&'static str] {
        let lists = self.lists();
        let has = |list: &[&str]| {
            let entries = super::document::entries(text, self.format(), list);
            entries.is_ok_and(|entries| entries.contains_key(name))
        };
        let usual = match self {
            Self::Opencode if is_opencode_2(text) => OPENCODE_2,
            _ => lists.first().copied().unwrap_or_default(),
        };
        // Where it is in both, version 2 takes the last.
        let mut lists = lists.iter().copied().rev();
        lists.find(|list| has(list)).unwrap_or(usual)
    }

    /// Where an entry of this name is in a file of this content.
    pub(crate) fn spot<'a>(self, text: &str, name: &'a str) -> Spot<'a> {
        Spot {
            format: self.format(),
            list: self.list(text, name),
            name,
        }
    }

    /// Why it does not take an entry of this name.
    pub(crate) fn refuses(self, name: &str) -> Option<String> {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        if name.is_empty() || name.len() > 64 || !name.chars().all(plain) {
            return Some("expected 1 to 64 letters, digits, - or _".to_owned());
        }
        let reserved: &[&str] = match self {
            Self::ClaudeCode => &[
                "workspace",
                "claude-in-chrome",
                "computer-use",
                "ide",
                "widgets",
            ],
            // Beside servers, the same object holds these settings.
            Self::Opencode => &["servers", "timeout"],
            Self::ClaudeDesktop
            | Self::Cursor
            | Self::VsCode
            | Self::Codex
            | Self::Zed
            | Self::GeminiCli
            | Self::Windsurf => &[],
        };
        if reserved.contains(&name) || TRAPS.contains(&name) {
            return Some(format!("{} keeps that name for itself", self.title()));
        }
        // It parts names of servers and tools at the first underscore.
        let parted = self == Self::GeminiCli && name.contains('_');
        parted.then(|| format!("{} takes no underscore in it", self.title()))
    }

    /// Bytes of an answer that it shows its model whole.
    pub(crate) fn answer_bytes(self) -> usize {
        match self {
            // 150,000 characters.
            Self::ClaudeDesktop => 128 * 1024,
            // 25,000 tokens.
            Self::ClaudeCode => 64 * 1024,
            // 50 KiB, with room for what opencode adds.
            Self::Opencode => 48 * 1024,
            // 10,000 tokens.
            Self::Codex => 32 * 1024,
            // 40,000 characters.
            Self::GeminiCli => 36 * 1024,
            // Nothing is documented; a model of 200,000 tokens takes several such answers.
            Self::Cursor | Self::VsCode | Self::Zed | Self::Windsurf => 128 * 1024,
        }
    }

    /// How it writes the project's folder in the project's file, if it can.
    pub(crate) fn project_folder(self) -> Option<&'static str> {
        match self {
            Self::Cursor | Self::VsCode => Some("${workspaceFolder}"),
            Self::ClaudeCode => Some("${CLAUDE_PROJECT_DIR:-.}"),
            Self::ClaudeDesktop
            | Self::Opencode
            | Self::Codex
            | Self::Zed
            | Self::GeminiCli
            | Self::Windsurf => None,
        }
    }

    /// What to do for the change to count.
    pub(crate) fn next_step(self) -> &'static str {
        match self {
            Self::ClaudeDesktop => {
                "quit Claude Desktop and start it again; closing its window is not enough"
            }
            Self::ClaudeCode => "start Claude Code anew; `claude mcp list` shows the server",
            Self::Cursor => "restart Cursor; its settings list the server under MCP",
            Self::VsCode => "run \"MCP: List Servers\" in VS Code and start the server there",
            Self::Opencode => "start opencode anew; `opencode mcp list` shows the server",
            Self::Codex => {
                "start Codex or the ChatGPT desktop app anew; `codex mcp list` shows the server"
            }
            Self::Zed => "Zed takes it at once; the settings of its agent panel list the server",
            Self::GeminiCli => "start Gemini CLI anew; /mcp shows the server",
            Self::Windsurf => "refresh the MCP servers in Cascade, or restart Windsurf",
        }
    }
}

/// Where servers of opencode are for its version 1.
const OPENCODE_1: &[&str] = &["mcp"];
/// Where they are for version 2 alone.
const OPENCODE_2: &[&str] = &["mcp", "servers"];

/// Says whether a file of opencode has a list of servers that only version 2 takes.
fn is_opencode_2(text: &str) -> bool {
    let format = Client::Opencode.format();
    let mcp = super::document::entries(text, format, OPENCODE_1).unwrap_or_default();
    // A server of version 1 may have that name.
    mcp.get("servers").is_some_and(|servers| {
        servers.is_object() && !servers.get("type").is_some_and(Value::is_string)
    })
}
