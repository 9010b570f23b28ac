//! Options of a command line: tables of them, from which come the reading and the list for `--help`.
//!
//! The texts of faults are part of the interface, since people and scripts know them; that is why
//! the reading is our own.

use std::fmt::Write as _;

/// One option.
#[derive(Debug)]
pub struct Opt {
    /// The name behind two dashes.
    pub long: &'static str,
    /// The letter behind one dash.
    pub short: Option<char>,
    /// What stands for its value in the help; `None` when it takes none.
    pub value: Option<&'static str>,
    /// What it does, in lines for the help.
    pub about: &'static str,
}

/// An option with a value.
#[must_use]
pub const fn opt(long: &'static str, value: &'static str, about: &'static str) -> Opt {
    Opt {
        long,
        short: None,
        value: Some(value),
        about,
    }
}

/// An option without one.
#[must_use]
pub const fn flag(long: &'static str, short: Option<char>, about: &'static str) -> Opt {
    Opt {
        long,
        short,
        value: None,
        about,
    }
}

/// How clients reach the server; `config::transport::Transport` takes them.
pub const TRANSPORT: &[Opt] = &[
    flag("http", None, "serve HTTP at /mcp, not stdin and stdout"),
    opt(
        "host",
        "<host>",
        "address to listen on (default 127.0.0.1); any other than loopback needs a token",
    ),
    opt(
        "port",
        "<n>",
        "port to listen on (default 3333; 0 picks a free one)",
    ),
    opt(
        "token",
        "<secret>",
        "what each request must carry as a bearer token; MCP_TOKEN in the environment does the same\n\
         and does not show in the list of processes",
    ),
    opt(
        "allowed-host",
        "<name>[:<port>]",
        "a name that requests may use for the server, beside loopback; repeatable",
    ),
    opt(
        "allowed-origin",
        "<origin>",
        "a web page that may send requests, beside those on loopback; repeatable",
    ),
    opt(
        "tls-cert",
        "<file>",
        "certificate to encrypt HTTP with, in PEM, those that vouch for it behind it",
    ),
    opt("tls-key", "<file>", "the key that belongs to it, in PEM"),
    opt(
        "max-body-bytes",
        "<n>",
        "greatest request that is read over HTTP (default 67108864)",
    ),
    flag(
        "insecure",
        None,
        "serve other machines without a token: whoever reaches the port reaches the folders",
    ),
];

/// What is logged, and where.
pub const LOG: &[Opt] = &[
    opt(
        "log-level",
        "<level>",
        "off, error, warn, info or debug (default info)",
    ),
    opt(
        "log-file",
        "<path>",
        "append the log to a file instead of stderr",
    ),
];

/// The options that every command has.
pub const GENERAL: &[Opt] = &[
    flag("help", Some('h'), "show this help"),
    flag("version", Some('v'), "show the version"),
];

/// The one of them that is on a page of help.
pub const HELP: &[Opt] = &[flag("help", Some('h'), "show this help")];

/// The words of a command line, checked for form only.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Words {
    /// The options in the order they came; flags have an empty value.
    pub options: Vec<(&'static str, String)>,
    /// The words that are no options.
    pub free: Vec<String>,
}

impl Words {
    /// Says whether an option was given.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.options.iter().any(|(option, _)| *option == name)
    }
}

/// Whether a command takes words that are no options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Free {
    /// It does.
    Taken,
    /// It does not.
    Refused,
}

/// Reads the words of a command line by tables of options.
///
/// # Errors
/// One line for the first word that the command does not take, or an option without its value.
pub fn read(
    tables: &[&'static [Opt]],
    free: Free,
    words: impl IntoIterator<Item = String>,
) -> Result<Words, String> {
    let mut words = words.into_iter();
    let mut read = Words::default();
    let mut only_free = false;
    let all = || tables.iter().copied().flatten();
    while let Some(word) = words.next() {
        if only_free || !has_dash(&word) {
            if free == Free::Refused {
                return Err(format!(
                    "Unexpected argument '{}'. This command does not take positional arguments",
                    rooted::show(word.as_bytes())
                ));
            }
            read.free.push(word);
        } else if word == "--" {
            only_free = true;
        } else if let Some(long) = word.strip_prefix("--") {
            let (name, inline) = match long.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (long, None),
            };
            let known = all().find(|option| option.long == name);
            let option = known.ok_or_else(|| unknown(&format!("--{name}")))?;
            let value = value(option, inline, &mut words)?;
            read.options.push((option.long, value));
        } else {
            for letter in word.chars().skip(1) {
                let known = all().find(|option| option.short == Some(letter));
                let option = known.ok_or_else(|| unknown(&format!("-{letter}")))?;
                read.options.push((option.long, String::new()));
            }
        }
    }
    Ok(read)
}

/// The options as lines of a help text.
#[must_use]
pub fn list(tables: &[&'static [Opt]]) -> String {
    let all = tables.iter().copied().flatten();
    lines(all.map(|option| (option, option.about.to_owned())))
}

/// Columns of a help text.
const WIDTH: usize = 80;
/// The column, at most, in which it is said what an option does.
const COLUMN: usize = 35;

/// Options with what is said of them, as lines of a help text.
pub(crate) fn lines<'a>(all: impl Iterator<Item = (&'a Opt, String)>) -> String {
    let all: Vec<(String, String)> = all
        .map(|(option, about)| (format!("  {}", written(option)), about))
        .collect();
    let longest = all.iter().map(|(name, _)| name.len() + 2).max();
    let column = longest.unwrap_or(0).min(COLUMN);
    let mut text = String::new();
    for (name, about) in all {
        let words = about.split_whitespace().map(ToOwned::to_owned);
        for (index, line) in wrapped(words, column).iter().enumerate() {
            let left = if index == 0 { name.as_str() } else { "" };
            // A String takes every write.
            let _ = writeln!(text, "{left:column$}{line}");
        }
    }
    text
}

/// The names of options, with what stands for their values.
pub(crate) fn names(all: &[&Opt]) -> String {
    let word = |(index, option): (usize, &&Opt)| {
        let comma = if index + 1 < all.len() { "," } else { "" };
        format!("{}{comma}", written(option))
    };
    paragraph(all.iter().enumerate().map(word))
}

/// Words as a paragraph of a help text.
pub(crate) fn paragraph(words: impl Iterator<Item = String>) -> String {
    let lines = wrapped(words, 3);
    lines.iter().map(|line| format!("   {line}\n")).collect()
}

/// What an option does, in a few words.
pub(crate) fn gist(option: &Opt) -> String {
    let line = option
        .about
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    let end = line.find([';', ':', '(']).unwrap_or(line.len());
    line.get(..end).unwrap_or(&line).trim_end().to_owned()
}

/// Words in lines of bounded width, each behind so many blanks.
fn wrapped(words: impl Iterator<Item = String>, indent: usize) -> Vec<String> {
    let room = WIDTH - indent;
    let mut lines: Vec<String> = Vec::new();
    for word in words {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= room => {
                line.push(' ');
                line.push_str(&word);
            }
            _ => lines.push(word),
        }
    }
    lines
}

/// An option as people write it.
fn written(option: &Opt) -> String {
    let mut text = match option.short {
        Some(short) => format!("-{short}, --{}", option.long),
        None => format!("--{}", option.long),
    };
    if let Some(value) = option.value {
        text.push(' ');
        text.push_str(value);
    }
    text
}

fn has_dash(word: &str) -> bool {
    word.len() > 1 && word.starts_with('-')
}

fn unknown(option: &str) -> String {
    format!("Unknown option '{}'", rooted::show(option.as_bytes()))
}

fn value(
    option: &Opt,
    inline: Option<String>,
    words: &mut impl Iterator<Item = String>,
) -> Result<String, String> {
    let long = option.long;
    if option.value.is_none() {
        return match inline {
            None => Ok(String::new()),
            Some(_) => {
                let short = option.short.map_or(String::new(), |c| format!("-{c}, "));
                Err(format!(
                    "Option '{short}--{long}' does not take an argument"
                ))
            }
        };
    }
    if let Some(value) = inline {
        return Ok(value);
    }
    match words.next() {
        None => Err(format!("Option '--{long} <value>' argument missing")),
        Some(value) if has_dash(&value) => Err(format!(
            "Option '--{long}' argument is ambiguous. Did you forget it? \
             One that starts with a dash is written '--{long}=-XYZ'"
        )),
        Some(value) => Ok(value),
    }
}
