//! Where clients keep their files, on every system.

use std::path::PathBuf;

use super::client::{Client, Scope};

/// A system, as far as clients put their files elsewhere on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum System {
    Linux,
    MacOs,
    Windows,
}

/// The folders that files are looked for in.
#[derive(Clone, Debug)]
pub(crate) struct Places {
    /// The system.
    pub(crate) system: System,
    /// The user's own folder.
    pub(crate) home: Option<PathBuf>,
    /// `XDG_CONFIG_HOME`.
    pub(crate) xdg_config: Option<PathBuf>,
    /// `APPDATA` of Windows.
    pub(crate) app_data: Option<PathBuf>,
    /// `CODEX_HOME`.
    pub(crate) codex: Option<PathBuf>,
    /// `CLAUDE_CONFIG_DIR`.
    pub(crate) claude: Option<PathBuf>,
    /// The project: the current folder.
    pub(crate) project: PathBuf,
}

impl Places {
    /// The places that the environment names.
    pub(crate) fn of(
        system: System,
        environment: fn(&str) -> Option<String>,
        project: PathBuf,
    ) -> Self {
        let folder = |name| {
            let value = environment(name).map(PathBuf::from);
            value.filter(|path| path.is_absolute())
        };
        let home = match system {
            System::Windows => folder("USERPROFILE").or_else(|| folder("HOME")),
            System::Linux | System::MacOs => folder("HOME"),
        };
        Self {
            system,
            home,
            xdg_config: folder("XDG_CONFIG_HOME"),
            app_data: folder("APPDATA"),
            codex: folder("CODEX_HOME"),
            claude: folder("CLAUDE_CONFIG_DIR"),
            project,
        }
    }

    /// The files that a client may keep its servers in, the one to make first. There is none where
    /// the client has no such scope, or no variable says where the user's folder is.
    pub(crate) fn files(&self, client: Client, scope: Scope) -> Vec<PathBuf> {
        let found = match scope {
            Scope::User => self.user_files(client),
            Scope::Project => self.project_files(client),
        };
        found.into_iter().flatten().collect()
    }

    /// The variable that says where a client keeps its files of the user.
    pub(crate) fn variable(&self, client: Client) -> &'static str {
        let in_app_data = matches!(client, Client::ClaudeDesktop | Client::VsCode | Client::Zed);
        match self.system {
            System::Windows if in_app_data => "APPDATA",
            System::Windows => "USERPROFILE",
            System::Linux | System::MacOs => "HOME",
        }
    }

    fn user_files(&self, client: Client) -> Vec<Option<PathBuf>> {
        let home = |path: &str| Some(self.home.as_ref()?.join(path));
        match client {
            Client::ClaudeDesktop => vec![self.application("Claude/claude_desktop_config.json")],
            Client::ClaudeCode => match &self.claude {
                Some(claude) => vec![Some(claude.join(".claude.json"))],
                None => vec![home(".claude.json")],
            },
            Client::Cursor => vec![home(".cursor/mcp.json")],
            Client::VsCode => vec![self.application("Code/User/mcp.json")],
            Client::Opencode => {
                let file = |name: &str| Some(self.dot_config()?.join("opencode").join(name));
                vec![file("opencode.json"), file("opencode.jsonc")]
            }
            Client::Codex => match &self.codex {
                Some(codex) => vec![Some(codex.join("config.toml"))],
                None => vec![home(".codex/config.toml")],
            },
            Client::Zed if self.system == System::Windows => {
                vec![self.application("Zed/settings.json")]
            }
            Client::Zed => vec![self.dot_config().map(|dir| dir.join("zed/settings.json"))],
            Client::GeminiCli => vec![home(".gemini/settings.json")],
            Client::Windsurf => vec![home(".codeium/windsurf/mcp_config.json")],
        }
    }

    fn project_files(&self, client: Client) -> Vec<Option<PathBuf>> {
        let names: &[&str] = match client {
            Client::ClaudeDesktop | Client::Windsurf => &[],
            Client::ClaudeCode => &[".mcp.json"],
            Client::Cursor => &[".cursor/mcp.json"],
            Client::VsCode => &[".vscode/mcp.json"],
            Client::Opencode => &["opencode.json", "opencode.jsonc"],
            Client::Codex => &[".codex/config.toml"],
            Client::Zed => &[".zed/settings.json"],
            Client::GeminiCli => &[".gemini/settings.json"],
        };
        names
            .iter()
            .map(|name| Some(self.project.join(name)))
            .collect()
    }

    /// Where desktop applications keep their files.
    fn application(&self, path: &str) -> Option<PathBuf> {
        let folder = match self.system {
            System::Linux => self.dot_config(),
            System::MacOs => Some(self.home.as_ref()?.join("Library/Application Support")),
            System::Windows => self.app_data.clone(),
        };
        Some(folder?.join(path))
    }

    fn dot_config(&self) -> Option<PathBuf> {
        let usual = || Some(self.home.as_ref()?.join(".config"));
        match self.system {
            System::Linux | System::MacOs => self.xdg_config.clone().or_else(usual),
            System::Windows => usual(),
        }
    }
}

#[cfg(test)]
mod tests;
