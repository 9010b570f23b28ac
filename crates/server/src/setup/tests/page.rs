//! `docs/clients.md` shows what `setup` writes, and where.

use std::fs;
use std::path::{Path, PathBuf};

use expect_test::expect_file;

use super::super::client::{CLIENTS, Client, Scope};
use super::super::document::Format;
use super::super::places::{Places, System};

/// `UPDATE_EXPECT=1` writes it anew, between its marks.
#[test]
fn the_docs_hold_what_setup_writes() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/clients.md");
    let mut page = fs::read_to_string(page).unwrap();
    page = with(&page, "the table of clients", &table());
    for client in CLIENTS {
        page = with(&page, client.name(), &snippet(client));
    }
    expect_file!["../../../../../docs/clients.md"].assert_eq(&page);
}

/// The page with another text between two marks.
fn with(page: &str, mark: &str, text: &str) -> String {
    let mark = format!("<!-- {mark} -->\n");
    let parts: Vec<&str> = page.split(&mark).collect();
    let [before, _, after] = parts[..] else {
        panic!("docs/clients.md needs two lines {mark}");
    };
    format!("{before}{mark}{text}{mark}{after}")
}

fn snippet(client: Client) -> String {
    let words = "--print --program workspace-mcp -- --root /path/to/project";
    let words = [client.name()].into_iter().chain(words.split(' '));
    // No such folder is here to be looked at.
    let words = words.map(|word| word.replace("/path/to/project", "/"));
    let text = super::super::run(words, Path::new("/nowhere"), |_| None, Path::new("/x"));
    let text = text.unwrap().replace("\"/\"", "\"/path/to/project\"");
    let kind = match client.format() {
        Format::Toml => "toml",
        Format::Json(_) => "json",
    };
    format!("```{kind}\n{text}```\n")
}

fn table() -> String {
    let mut rows = "| client | the user's file | the project's file | answers |\n\
                    | --- | --- | --- | --- |\n"
        .to_owned();
    for client in CLIENTS {
        rows.push_str(&format!(
            "| [{}]({}) | {} | {} | {} KiB |\n",
            client.name(),
            client.documentation(),
            user_files(client),
            files(&places(System::Linux), client, Scope::Project),
            client.answer_bytes() / 1024
        ));
    }
    rows
}

/// The files on all systems; those that are the same once.
fn user_files(client: Client) -> String {
    let on = |system| files(&places(system), client, Scope::User);
    let (linux, mac, windows) = (on(System::Linux), on(System::MacOs), on(System::Windows));
    let short = |path: &str| path.replace("%USERPROFILE%", "~").replace('\\', "/");
    if linux == mac && linux == short(&windows) {
        return linux;
    }
    if linux == mac {
        return format!("{linux}; Windows: {windows}");
    }
    format!("Linux: {linux}; macOS: {mac}; Windows: {windows}")
}

fn files(places: &Places, client: Client, scope: Scope) -> String {
    let files = places.files(client, scope);
    let Some(first) = files.first() else {
        return "none".to_owned();
    };
    let file = first.display().to_string();
    let file = file.trim_start_matches("./");
    if places.system == System::Windows {
        format!("`{}`", file.replace('/', "\\"))
    } else {
        format!("`{file}`")
    }
}

fn places(system: System) -> Places {
    let home = if system == System::Windows {
        "%USERPROFILE%"
    } else {
        "~"
    };
    Places {
        system,
        home: Some(PathBuf::from(home)),
        xdg_config: None,
        app_data: Some(PathBuf::from("%APPDATA%")),
        codex: None,
        claude: None,
        project: PathBuf::from("."),
    }
}
