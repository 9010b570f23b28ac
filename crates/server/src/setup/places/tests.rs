use std::path::PathBuf;

use super::super::client::{CLIENTS, Client, Scope};
use super::{Places, System};

fn places(system: System) -> Places {
    Places {
        system,
        home: Some("/home/u".into()),
        xdg_config: None,
        app_data: (system == System::Windows).then(|| PathBuf::from("/home/u/AppData/Roaming")),
        codex: None,
        claude: None,
        project: "/p".into(),
    }
}

fn first(places: &Places, client: Client, scope: Scope) -> String {
    let files = places.files(client, scope);
    let first = files.first().map(|path| path.display().to_string());
    first.unwrap_or_default().replace('\\', "/")
}

#[test]
fn user_files_are_where_each_system_has_them() {
    for (client, linux, mac, windows) in [
        (
            Client::ClaudeDesktop,
            ".config/Claude/claude_desktop_config.json",
            "Library/Application Support/Claude/claude_desktop_config.json",
            "AppData/Roaming/Claude/claude_desktop_config.json",
        ),
        (
            Client::ClaudeCode,
            ".claude.json",
            ".claude.json",
            ".claude.json",
        ),
        (
            Client::Cursor,
            ".cursor/mcp.json",
            ".cursor/mcp.json",
            ".cursor/mcp.json",
        ),
        (
            Client::VsCode,
            ".config/Code/User/mcp.json",
            "Library/Application Support/Code/User/mcp.json",
            "AppData/Roaming/Code/User/mcp.json",
        ),
        (
            Client::Opencode,
            ".config/opencode/opencode.json",
            ".config/opencode/opencode.json",
            ".config/opencode/opencode.json",
        ),
        (
            Client::Codex,
            ".codex/config.toml",
            ".codex/config.toml",
            ".codex/config.toml",
        ),
        (
            Client::Zed,
            ".config/zed/settings.json",
            ".config/zed/settings.json",
            "AppData/Roaming/Zed/settings.json",
        ),
        (
            Client::GeminiCli,
            ".gemini/settings.json",
            ".gemini/settings.json",
            ".gemini/settings.json",
        ),
        (
            Client::Windsurf,
            ".codeium/windsurf/mcp_config.json",
            ".codeium/windsurf/mcp_config.json",
            ".codeium/windsurf/mcp_config.json",
        ),
    ] {
        for (system, path) in [
            (System::Linux, linux),
            (System::MacOs, mac),
            (System::Windows, windows),
        ] {
            let found = first(&places(system), client, Scope::User);
            assert_eq!(found, format!("/home/u/{path}"), "{client:?} {system:?}");
        }
    }
}

#[test]
fn project_files_are_the_same_on_every_system() {
    for client in CLIENTS {
        let path = match client {
            Client::ClaudeDesktop | Client::Windsurf => "",
            Client::ClaudeCode => "/p/.mcp.json",
            Client::Cursor => "/p/.cursor/mcp.json",
            Client::VsCode => "/p/.vscode/mcp.json",
            Client::Opencode => "/p/opencode.json",
            Client::Codex => "/p/.codex/config.toml",
            Client::Zed => "/p/.zed/settings.json",
            Client::GeminiCli => "/p/.gemini/settings.json",
        };
        for system in [System::Linux, System::MacOs, System::Windows] {
            assert_eq!(first(&places(system), client, Scope::Project), path);
        }
    }
}

#[test]
fn variables_that_clients_honour_move_their_files() {
    let mut moved = places(System::Linux);
    moved.xdg_config = Some("/xdg".into());
    moved.codex = Some("/codex".into());
    moved.claude = Some("/claude".into());
    let found = |client| first(&moved, client, Scope::User);
    assert_eq!(found(Client::VsCode), "/xdg/Code/User/mcp.json");
    assert_eq!(found(Client::Opencode), "/xdg/opencode/opencode.json");
    assert_eq!(found(Client::Zed), "/xdg/zed/settings.json");
    assert_eq!(found(Client::Codex), "/codex/config.toml");
    assert_eq!(found(Client::ClaudeCode), "/claude/.claude.json");
}

#[test]
fn without_a_home_there_are_no_files_to_guess_at() {
    let nowhere = Places {
        home: None,
        ..places(System::Linux)
    };
    for client in CLIENTS {
        assert!(nowhere.files(client, Scope::User).is_empty(), "{client:?}");
    }
}
