//! Fish.

use std::fmt::Write as _;

use crate::catalog::{ALL, Follows, Takes};
use crate::options::gist;

pub(super) fn script() -> String {
    let names: Vec<&str> = ALL
        .iter()
        .map(|entry| entry.name)
        .filter(|name| !name.is_empty())
        .collect();
    let names = names.join(" ");
    let mut text =
        "# Completion of workspace-mcp for fish.\n\ncomplete -c workspace-mcp -f\n".to_owned();
    for entry in ALL {
        let when = if entry.name.is_empty() {
            format!("not __fish_seen_subcommand_from {names}")
        } else {
            let name = entry.name;
            // A String takes every write.
            let _ = writeln!(
                text,
                "complete -c workspace-mcp -n 'not __fish_seen_subcommand_from {names}' -a {name} -d {}",
                quoted(entry.about)
            );
            format!("__fish_seen_subcommand_from {name}")
        };
        let _ = match entry.follows {
            Follows::File => writeln!(text, "complete -c workspace-mcp -n '{when}' -F"),
            Follows::Words(_) | Follows::Tool => {
                writeln!(
                    text,
                    "complete -c workspace-mcp -n '{when}' -a {}",
                    quoted(&entry.words().join(" "))
                )
            }
            Follows::Nothing | Follows::Anything => Ok(()),
        };
        for option in entry.options() {
            let takes = match Takes::of(option) {
                Takes::Nothing => String::new(),
                Takes::Folder => " -x -a '(__fish_complete_directories)'".to_owned(),
                Takes::File => " -r -F".to_owned(),
                Takes::Words(words) => format!(" -x -a {}", quoted(&words.join(" "))),
                Takes::Text => " -x".to_owned(),
            };
            let short = option
                .short
                .map(|short| format!(" -s {short}"))
                .unwrap_or_default();
            let _ = writeln!(
                text,
                "complete -c workspace-mcp -n '{when}'{short} -l {}{takes} -d {}",
                option.long,
                quoted(&gist(option))
            );
        }
    }
    text
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}
