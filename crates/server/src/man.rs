//! `workspace-mcp man`: the manual page, in the language of `man(7)`.

use std::fmt::Write as _;

use crate::catalog::{ALL, Follows};
use crate::options::Opt;

/// The page.
#[must_use]
pub fn page() -> String {
    let version = env!("CARGO_PKG_VERSION");
    let mut text = format!(
        ".TH WORKSPACE-MCP 1 \"\" \"workspace-mcp {version}\" \"User Commands\"\n\
         .SH NAME\n\
         workspace-mcp \\- safe, fast access to project folders for an AI agent, over MCP\n\
         .SH SYNOPSIS\n"
    );
    for entry in ALL {
        let follows = match entry.follows {
            Follows::Nothing => String::new(),
            Follows::File => " <file>".to_owned(),
            Follows::Words(words) => format!(" {}", words.join("|")),
            Follows::Tool => " <tool> ...".to_owned(),
            Follows::Anything => " ...".to_owned(),
        };
        let options = if entry.tables.is_empty() {
            ""
        } else {
            " [options]"
        };
        let gap = if entry.name.is_empty() { "" } else { " " };
        // A String takes every write.
        let _ = writeln!(
            text,
            ".B workspace-mcp{gap}{}\n{}\n.br",
            escaped(entry.name),
            escaped(format!("{options}{follows}").trim_start())
        );
    }
    text.push_str(
        ".SH DESCRIPTION\n\
         Serves folders to clients of the Model Context Protocol, on stdin and stdout or over HTTP.\n\
         Nothing outside the folders that are named is read, written, listed or named.\n",
    );
    let mut told: Vec<&Opt> = Vec::new();
    for entry in ALL {
        let fresh: Vec<&Opt> = entry
            .options()
            .filter(|option| !told.iter().any(|known| std::ptr::eq(*known, *option)))
            .collect();
        let name = if entry.name.is_empty() {
            "OPTIONS".to_owned()
        } else {
            escaped(&entry.name.to_uppercase())
        };
        let mut about = entry.about.to_owned();
        if let Some(first) = about.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        let _ = writeln!(text, ".SH {name}\n{}.", escaped(&about));
        if fresh.len() < entry.options().count() {
            text.push_str("Options that are not listed here are as above.\n");
        }
        for option in &fresh {
            text.push_str(&item(option));
        }
        told.extend(fresh);
    }
    text.push_str(
        ".SH EXIT STATUS\n\
         0 when all went well, 1 when something in the machine stood in the way, 2 when the command line is wrong.\n\
         .SH ENVIRONMENT\n\
         MCP_TOKEN is the bearer token for HTTP.\n",
    );
    text
}

fn item(option: &Opt) -> String {
    let short = option
        .short
        .map(|short| format!("-{short}, "))
        .unwrap_or_default();
    let value = option
        .value
        .map(|value| format!(" {value}"))
        .unwrap_or_default();
    let about = option
        .about
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    format!(
        ".TP\n.B {}\n{}\n",
        escaped(&format!("{short}--{}{value}", option.long)),
        escaped(&about)
    )
}

/// Text that is text: no command at the beginning of a line, and dashes that can be copied.
fn escaped(text: &str) -> String {
    let text = text.replace('\\', "\\e").replace('-', "\\-");
    if text.starts_with(['.', '\'']) {
        format!("\\&{text}")
    } else {
        text
    }
}
