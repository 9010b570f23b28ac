//! What `--help` prints: a page that fits a screen of 80 by 24, in colours where a person looks at it.

use std::io::IsTerminal as _;

use crate::options::{self, Opt};

/// The help of a command.
#[derive(Debug)]
pub(crate) struct Page<'a> {
    /// What the command does, in a line.
    pub(crate) about: &'a str,
    /// The ways to write it, behind the name of the program.
    pub(crate) usage: &'a [&'a str],
    /// Lists with a title each.
    pub(crate) lists: &'a [(&'a str, String)],
    /// What else is worth knowing.
    pub(crate) notes: &'a str,
    /// Words behind the name of the program, and what they do.
    pub(crate) examples: &'a [(&'a str, &'a str)],
}

impl Page<'_> {
    /// The text.
    pub(crate) fn text(&self) -> String {
        let mut text = format!("{}\n\n", self.about);
        for (index, usage) in self.usage.iter().enumerate() {
            let start = if index == 0 { "Usage:" } else { "      " };
            text.push_str(&format!("{start} workspace-mcp {usage}\n"));
        }
        for (title, list) in self.lists {
            text.push_str(&format!("\n{title}:\n{list}"));
        }
        if !self.notes.is_empty() {
            text.push_str(&format!("\n{}\n", self.notes));
        }
        text.push_str("\nExamples:\n");
        let told = self.examples.iter().filter(|(_, what)| !what.is_empty());
        let column = told.map(|(words, _)| words.len()).max().unwrap_or(0);
        for (words, what) in self.examples {
            let line = format!("  workspace-mcp {words:column$}   {what}");
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }
}

/// The options of these names among some tables, each with what it does in a few words.
pub(crate) fn brief(tables: &[&'static [Opt]], names: &[&str]) -> String {
    let all = || tables.iter().copied().flatten();
    let named = names
        .iter()
        .filter_map(|name| all().find(|option| option.long == *name));
    options::lines(named.map(|option| (option, options::gist(option))))
}

/// A help as a person gets it: with colours on a terminal that takes them, unless `NO_COLOR` says
/// otherwise.
pub(crate) fn shown(text: &str, environment: fn(&str) -> Option<String>) -> String {
    if takes_colours(environment) {
        painted(text)
    } else {
        text.to_owned()
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "stdout is only asked whether a person reads it"
)]
fn takes_colours(environment: fn(&str) -> Option<String>) -> bool {
    let is_unwanted = environment("NO_COLOR").is_some_and(|value| !value.is_empty());
    !is_unwanted && crate::platform::takes_colours(environment) && std::io::stdout().is_terminal()
}

/// Titles in bold, options and commands in cyan.
fn painted(text: &str) -> String {
    const BOLD: &str = "\u{1b}[1m";
    const CYAN: &str = "\u{1b}[36m";
    const PLAIN: &str = "\u{1b}[0m";
    let paint = |line: &str| {
        if let Some(rest) = line.strip_prefix("Usage:") {
            return format!("{BOLD}Usage:{PLAIN}{rest}");
        }
        if line.ends_with(':') && !line.starts_with(' ') {
            return format!("{BOLD}{line}{PLAIN}");
        }
        let inner = line.strip_prefix("  ");
        match inner.filter(|inner| !inner.starts_with(' ')) {
            Some(inner) => {
                let end = inner.find("  ").unwrap_or(inner.len());
                let (name, rest) = inner.split_at(end);
                format!("  {CYAN}{name}{PLAIN}{rest}")
            }
            None => line.to_owned(),
        }
    };
    text.lines().map(|line| paint(line) + "\n").collect()
}

#[cfg(test)]
mod tests {
    use super::painted;

    #[test]
    fn titles_and_names_are_painted_and_nothing_else_changes() {
        let text = "About it.\n\nUsage: x\n\nOptions:\n  -h, --help   show this\n     and this\n";
        let colours = painted(text);
        assert_eq!(
            colours,
            "About it.\n\n\u{1b}[1mUsage:\u{1b}[0m x\n\n\u{1b}[1mOptions:\u{1b}[0m\n  \
             \u{1b}[36m-h, --help\u{1b}[0m   show this\n     and this\n"
        );
        let plain = ["\u{1b}[1m", "\u{1b}[36m", "\u{1b}[0m"]
            .iter()
            .fold(colours, |text, code| text.replace(code, ""));
        assert_eq!(plain, text);
    }
}
