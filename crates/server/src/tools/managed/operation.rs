//! One operation of `apply_changes`, from the fields that were sent.
//!
//! Clients see one object with the fields of all kinds, since several choke on a choice between
//! objects; which fields belong to which kind is checked here.

use workspace::managed::{Encoding, Operation};

use crate::args::{Arg, Args, Kind};
use crate::managed::Failure;

/// Operations in one call.
const OPERATIONS: usize = 200;
/// Characters of new content.
const CONTENT_CHARS: usize = 10_000_000;

/// The fields that hold paths.
const PATHS: [&str; 3] = ["path", "source", "destination"];
/// Characters that no operation takes in a path: Windows has no such names. The other characters that
/// are no good have errors of their own.
const FORBIDDEN: [char; 6] = ['*', '?', '"', '<', '>', '|'];

/// The fields of all kinds.
pub(super) const FIELDS: &[Arg] = &[
    Arg::new(
        "op",
        Kind::Word(&[
            "create_file",
            "replace_file",
            "replace_text",
            "create_directory",
            "move",
            "delete_file",
            "delete_empty_directory",
        ]),
        "",
    )
    .required(),
    Arg::text("path", "All but move"),
    Arg::text("source", "move"),
    Arg::text("destination", "move"),
    Arg::text("content", "create_file, replace_file: the whole new text"),
    Arg::new(
        "encoding",
        Kind::Word(&["utf-8", "utf-8-sig"]),
        "create_file, replace_file; default utf-8",
    ),
    Arg::text(
        "expected_sha256",
        "64 hex digits: the file must still be so",
    ),
    Arg::new(
        "old_text",
        Kind::Text { min_chars: 1 },
        "replace_text: must occur once",
    ),
    Arg::text("new_text", "replace_text"),
    Arg::new(
        "occurrence",
        Kind::Word(&["unique"]),
        "replace_text; nothing else is possible",
    ),
];

/// The fields that a kind needs, and those that it may have.
fn fields(op: &str) -> (&'static [&'static str], &'static [&'static str]) {
    match op {
        "create_file" => (&["path", "content"], &["encoding", "expected_sha256"]),
        "replace_file" => (&["path", "content", "expected_sha256"], &["encoding"]),
        "replace_text" => (
            &["path", "expected_sha256", "old_text", "new_text"],
            &["occurrence"],
        ),
        "move" => (&["source", "destination"], &[]),
        "delete_file" => (&["path", "expected_sha256"], &[]),
        _ => (&["path"], &[]),
    }
}

/// Reads the operations of a call.
///
/// # Errors
/// All fields that are missing, wrong or strange to their operation, in one text.
pub(super) fn read(args: &Args) -> Result<Vec<Operation>, Failure> {
    let sent = args.objects("operations");
    let mut faults = Vec::new();
    if sent.len() > OPERATIONS {
        let n = sent.len();
        faults.push(format!(
            "operations: expected at most {OPERATIONS}, got {n}"
        ));
    }
    let unknown = args.ignored().iter();
    let unknown = unknown.filter(|name| name.starts_with("operations["));
    faults.extend(unknown.map(|name| format!("{name}: no such field")));
    for (index, one) in sent.iter().enumerate() {
        check(index, one, &mut faults);
    }
    if faults.is_empty() {
        Ok(sent.iter().map(operation).collect())
    } else {
        Err(Failure::Arguments(faults.join("; ")))
    }
}

fn check(index: usize, sent: &Args, faults: &mut Vec<String>) {
    let op = sent.needed_text("op");
    let (needed, possible) = fields(op);
    let names = FIELDS.iter().map(|field| field.name);
    for name in names.filter(|name| *name != "op") {
        let fault = match sent.text(name) {
            None if needed.contains(&name) => format!("missing, {op} needs it"),
            Some(_) if !needed.contains(&name) && !possible.contains(&name) => {
                format!("no field of {op}")
            }
            Some(text) if name == "content" && text.chars().nth(CONTENT_CHARS).is_some() => {
                format!("expected at most {CONTENT_CHARS} characters")
            }
            Some(text) if PATHS.contains(&name) && text.contains(FORBIDDEN) => {
                "a path holds none of * ? \" < > |".to_owned()
            }
            None | Some(_) => continue,
        };
        faults.push(format!("operations[{index}].{name}: {fault}"));
    }
}

/// An operation whose fields were checked.
fn operation(sent: &Args) -> Operation {
    let text = |name| sent.text(name).unwrap_or_default().to_owned();
    let path = text("path");
    let expected_sha256 = text("expected_sha256");
    match sent.needed_text("op") {
        "create_file" => Operation::CreateFile {
            path,
            content: text("content"),
            encoding: encoding(sent),
            expected_sha256: sent.text("expected_sha256").map(str::to_owned),
        },
        "replace_file" => Operation::ReplaceFile {
            path,
            content: text("content"),
            encoding: encoding(sent),
            expected_sha256,
        },
        "replace_text" => Operation::ReplaceText {
            path,
            expected_sha256,
            old_text: text("old_text"),
            new_text: text("new_text"),
        },
        "create_directory" => Operation::CreateDirectory { path },
        "move" => Operation::Move {
            source: text("source"),
            destination: text("destination"),
        },
        "delete_file" => Operation::DeleteFile {
            path,
            expected_sha256,
        },
        _ => Operation::DeleteEmptyDirectory { path },
    }
}

fn encoding(sent: &Args) -> Encoding {
    match sent.text("encoding") {
        Some("utf-8-sig") => Encoding::Utf8Sig,
        _ => Encoding::Utf8,
    }
}
