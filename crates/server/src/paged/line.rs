//! The command line of `paged`, read by hand: the texts of its faults are known to scripts.

use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use workspace::paged::Options;

use crate::config::transport::Transport;
use crate::config::{self, Source, StartFault};
use crate::help::{Page, brief};
use crate::options::{Opt, TRANSPORT, flag, opt};
use crate::toolset::{Eras, Identity};

/// The largest number that is taken.
const LARGEST: u64 = (1 << 53) - 1;
/// Bytes of a key at least.
const KEY_BYTES: usize = 32;

/// What the words say.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) options: Options,
    pub(super) key_variable: Option<String>,
    pub(super) name: String,
    pub(super) eras: Eras,
    pub(super) transport: Transport,
}

/// Reads the words behind the name of the command. Relative paths start at `cwd`.
pub(super) fn read(
    words: &[String],
    cwd: &Path,
    environment: fn(&str) -> Option<String>,
) -> Result<Line, String> {
    let mut options = Options::new(PathBuf::new(), &[]);
    let mut root = None;
    let mut key_variable = None;
    let mut name = Identity::PROGRAM.name.to_owned();
    let mut eras = Eras::Modern;
    let mut transport = Transport::default();
    let mut set = |option: &str, value: &str, source| {
        let done = match option {
            "tls-cert" | "tls-key" => transport.tls_file(option, value, cwd),
            _ => transport.apply(option, value, source),
        };
        done.map_err(told)
    };
    if let Some(token) = config::variable("token").and_then(environment) {
        set("token", &token, Source::Environment)?;
    }
    let mut rest = words.iter().map(String::as_str);
    while let Some(flag) = rest.next() {
        let long = flag.strip_prefix("--");
        let mut known = OPTIONS.iter().copied().flatten();
        let Some(option) = known.find(|known| long == Some(known.long)) else {
            return Err(format!("unknown option {}", rooted::show(flag.as_bytes())));
        };
        let value = match option.value {
            None => "",
            Some(_) => rest
                .next()
                .ok_or_else(|| format!("missing value for {flag}"))?,
        };
        let number = || positive(value, flag);
        let limits = &mut options.limits;
        match option.long {
            // Told before anything else is looked at.
            "help" | "version" => {}
            "root" => root = Some(value),
            "include" => options.include.push(value.to_owned()),
            "exclude" => options.exclude.push(value.to_owned()),
            "no-default-exclude" => options.default_exclude = false,
            "max-files" => limits.max_files = number()?,
            "max-directories" => limits.max_directories = number()?,
            // None below the root is a sensible limit.
            "max-depth" if value == "0" => limits.max_depth = 0,
            "max-depth" => limits.max_depth = number()?,
            "max-entries" => limits.max_entries = number()?,
            "max-file-bytes" => limits.max_file_bytes = number()?,
            "max-read-bytes" => limits.max_read_bytes = number()?,
            "max-scan-bytes" => limits.max_scan_bytes = number()?,
            "max-result-bytes" => limits.max_result_bytes = number()?,
            "max-write-bytes" => limits.max_write_bytes = number()?,
            "max-cursor-hash-bytes" => limits.max_cursor_hash_bytes = number()?,
            "cursor-key-env" if is_variable(value) => key_variable = Some(value.to_owned()),
            "cursor-key-env" => {
                return Err("--cursor-key-env must name an environment variable".to_owned());
            }
            "server-name" if value.trim().is_empty() => {
                return Err("--server-name must not be empty".to_owned());
            }
            "server-name" => value.trim().clone_into(&mut name),
            "era" => {
                eras = match value {
                    "modern" => Eras::Modern,
                    "both" => Eras::Both,
                    _ => return Err("--era must be modern or both".to_owned()),
                }
            }
            transport => set(transport, value, Source::Option)?,
        }
    }
    let Some(root) = root else {
        return Err("--root is required".to_owned());
    };
    options.root = cwd.join(root);
    Ok(Line {
        options,
        key_variable,
        name,
        eras,
        transport,
    })
}

/// What is wrong with a start, in one line.
pub(super) fn told(fault: StartFault) -> String {
    match fault {
        StartFault::Usage(text) | StartFault::Machine(text) => text,
    }
}

/// The key in a variable. Its value is never told.
pub(super) fn key(value: Option<&str>) -> Result<Vec<u8>, String> {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let Some(value) = value.filter(|value| !value.is_empty() && value.bytes().all(is_letter))
    else {
        let text = "cursor key environment variable is missing, empty, or malformed";
        return Err(text.to_owned());
    };
    let key = URL_SAFE_NO_PAD.decode(value).ok();
    key.filter(|key| key.len() >= KEY_BYTES).ok_or_else(|| {
        "cursor key environment variable is malformed or contains fewer than 32 bytes".to_owned()
    })
}

fn positive(value: &str, flag: &str) -> Result<u64, String> {
    let is_digits = !value.starts_with('0')
        && !value.is_empty()
        && value.bytes().all(|byte| byte.is_ascii_digit());
    if !is_digits {
        return Err(format!("{flag} must be a positive integer"));
    }
    let number = value.parse().ok().filter(|&number| number <= LARGEST);
    number.ok_or_else(|| format!("{flag} is too large"))
}

fn is_variable(name: &str) -> bool {
    let is_start = |byte: u8| byte.is_ascii_alphabetic() || byte == b'_';
    name.bytes().next().is_some_and(is_start)
        && name
            .bytes()
            .all(|byte| is_start(byte) || byte.is_ascii_digit())
}

/// What is served.
const SERVED: &[Opt] = &[
    opt("root", "<dir>", "the folder; required"),
    opt(
        "include",
        "<glob>",
        "serve what matches; required, repeatable",
    ),
    opt("exclude", "<glob>", "never serve what matches; repeatable"),
    flag(
        "no-default-exclude",
        None,
        "drop the built-in excludes: folders of dependencies and tools, such as node_modules\n\
         and .git, and files of credentials, such as .env and *.pem",
    ),
];

/// What one call may cost.
const COST: &[Opt] = &[
    opt(
        "max-files",
        "<n>",
        "files that one walk selects (default 50000)",
    ),
    opt(
        "max-directories",
        "<n>",
        "folders that one walk enters (default 50000)",
    ),
    opt(
        "max-depth",
        "<n>",
        "levels below the root, from 0 (default 64)",
    ),
    opt(
        "max-entries",
        "<n>",
        "names that one walk reads (default 1000000)",
    ),
    opt(
        "max-file-bytes",
        "<n>",
        "do not serve larger files (default 9007199254740991)",
    ),
    opt(
        "max-read-bytes",
        "<n>",
        "bytes of a file on one page, 4 to 1048576 (default 16384)",
    ),
    opt(
        "max-scan-bytes",
        "<n>",
        "bytes that a page of a search reads, from 16384 (default 4194304)",
    ),
    opt(
        "max-result-bytes",
        "<n>",
        "bytes of a whole result, 48000 to 1048576 (default 48000)",
    ),
    opt(
        "max-write-bytes",
        "<n>",
        "bytes that are written at once (default 65536)",
    ),
];

/// How a traversal goes on.
const CURSORS: &[Opt] = &[
    opt(
        "cursor-key-env",
        "<name>",
        "read a key in base64url, of 32 bytes or more, from this variable; then cursors are the\n\
         same in every process",
    ),
    opt(
        "max-cursor-hash-bytes",
        "<n>",
        "bytes that one call hashes for that (default 16777216)",
    ),
];

/// What clients meet.
const CLIENTS: &[Opt] = &[
    opt(
        "server-name",
        "<name>",
        "the name that clients are told (default workspace-mcp)",
    ),
    opt(
        "era",
        "<modern|both>",
        "modern serves clients of revision 2026-07-28 only (default), both also those that open with\n\
         initialize",
    ),
];

/// Those that need nothing else; there are no letters for them.
const TOLD: &[Opt] = &[
    flag("help", None, "show this help"),
    flag("version", None, "show the version"),
];

/// The options, in the order of the help.
pub const OPTIONS: &[&[Opt]] = &[SERVED, COST, CURSORS, CLIENTS, TRANSPORT, TOLD];

/// Those of the help.
const COMMON: &[&str] = &[
    "root",
    "include",
    "exclude",
    "no-default-exclude",
    "era",
    "max-read-bytes",
    "http",
    "port",
    "help",
];

/// The text of `--help`.
#[must_use]
pub fn help() -> String {
    let page = Page {
        about: "One folder in pages that can be cited and gone on with, over MCP.",
        usage: &["paged --root <dir> --include <glob>... [options]"],
        lists: &[("Options", brief(OPTIONS, COMMON))],
        notes: "Each value is the next word, even one that begins with a dash. A write names one\n\
                file in the root itself, so it needs an include without a folder, such as '**'.\n\
                `workspace-mcp options paged` explains these options and all others.",
        examples: &[
            (
                "paged --root ~/code --include '**' --era both",
                "to any client",
            ),
            (
                "paged --root ~/code --include 'docs/**' --exclude '*.pdf'",
                "",
            ),
        ],
    };
    page.text()
}

#[cfg(test)]
mod tests;
