//! The paths of notes and their folders: which are allowed, and which names stand for the same.
//!
//! Pure. The same everywhere, so that a folder of notes can move between systems: what is a danger or
//! impossible on one of them is refused on all. Whether anything is there is asked elsewhere.

use std::fmt;

use rooted::RelPath;

use crate::{glob, reader};

/// The file that holds the tasks, in the root.
pub const TASKS_FILE: &str = "tasks.json";

/// Names that open a device on Windows, whatever the extension.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "conin$", "conout$"];

/// Why a text is not the path of a note or folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathFault {
    /// Nothing at all.
    Empty,
    /// Absolute, on a drive or a share, or with backslashes.
    NotRelative,
    /// `.`, `..`, an empty name, or one that ends in a dot or a space.
    ForbiddenSegment,
    /// A name that begins with a dot.
    Hidden,
    /// A name that Windows keeps for a device.
    Reserved,
    /// A character that Windows forbids, or that nobody would see.
    ForbiddenCharacter,
    /// Leads out of the root by a link.
    Outside,
    /// Does not end in `.md`.
    NotANote,
}

impl fmt::Display for PathFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Empty => "path is empty",
            Self::NotRelative => "path must be relative and use \"/\"",
            Self::ForbiddenSegment => "path has a forbidden segment",
            Self::Hidden => "path has a hidden segment",
            Self::Reserved => "path has a name that Windows reserves",
            Self::ForbiddenCharacter => "path has a forbidden character",
            Self::Outside => "path leaves the root",
            Self::NotANote => "not a note: only .md files",
        })
    }
}

/// Reads the path of a note.
///
/// # Errors
/// The first [`PathFault`] that is found.
pub fn note(input: &str) -> Result<RelPath, PathFault> {
    let path = parse(input)?;
    if is_note_name(path.as_bytes()) {
        Ok(path)
    } else {
        Err(PathFault::NotANote)
    }
}

/// Reads the path of a folder; an empty one and `.` are the root, and one `/` at the end is fine.
///
/// # Errors
/// The first [`PathFault`] that is found.
pub fn folder(input: &str) -> Result<RelPath, PathFault> {
    match input {
        "" | "." | "./" => Ok(RelPath::root()),
        "/" => Err(PathFault::NotRelative),
        _ => parse(input.strip_suffix('/').unwrap_or(input)),
    }
}

/// Holds where a path really leads to, after links, against the same rules.
///
/// # Errors
/// The first [`PathFault`] that is found.
pub fn check_note(path: &RelPath) -> Result<(), PathFault> {
    let text = path.as_str().ok_or(PathFault::ForbiddenCharacter)?;
    note(text).map(drop)
}

/// [`check_note`] for a folder.
///
/// # Errors
/// The first [`PathFault`] that is found.
pub fn check_folder(path: &RelPath) -> Result<(), PathFault> {
    let text = path.as_str().ok_or(PathFault::ForbiddenCharacter)?;
    folder(text).map(drop)
}

/// Says whether a name is that of a note: it ends in `.md`, in letters of either case.
#[must_use]
pub fn is_note_name(name: &[u8]) -> bool {
    matches!(name, [.., b'.', m, d] if m.eq_ignore_ascii_case(&b'm') && d.eq_ignore_ascii_case(&b'd'))
}

/// The common form of all names that some file system, or a reader, takes for the same: of either
/// case, in any Unicode form, with blanks of any width.
#[must_use]
pub fn common_form(name: &str) -> String {
    if name.is_ascii() {
        name.to_ascii_lowercase()
    } else {
        glob::fold(&reader::fold(name))
    }
}

fn parse(input: &str) -> Result<RelPath, PathFault> {
    if input.is_empty() {
        return Err(PathFault::Empty);
    }
    if input.starts_with('/') || input.contains('\\') || has_drive(input) {
        return Err(PathFault::NotRelative);
    }
    for name in input.split('/') {
        check_name(name)?;
    }
    RelPath::from_bytes(input.as_bytes()).map_err(|_| PathFault::ForbiddenSegment)
}

/// Says whether a path begins with the letter of a drive.
fn has_drive(input: &str) -> bool {
    matches!(input.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic())
}

fn check_name(name: &str) -> Result<(), PathFault> {
    if name.is_empty() || name == "." || name == ".." || name.ends_with(['.', ' ']) {
        return Err(PathFault::ForbiddenSegment);
    }
    if name.starts_with('.') || common_form(name).starts_with('.') {
        return Err(PathFault::Hidden);
    }
    if name.chars().any(is_forbidden) {
        return Err(PathFault::ForbiddenCharacter);
    }
    if is_device(name) {
        return Err(PathFault::Reserved);
    }
    Ok(())
}

fn is_forbidden(c: char) -> bool {
    // Two invisible characters join and part letters in real words and pictures.
    matches!(c, '<' | '>' | ':' | '"' | '|' | '?' | '*' | '\\' | '/')
        || rooted::is_hidden(c) && !matches!(c, '\u{200c}' | '\u{200d}')
}

fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default();
    let stem = stem.trim_end_matches(' ').to_lowercase();
    if DEVICES.contains(&stem.as_str()) {
        return true;
    }
    let number = stem.strip_prefix("com").or(stem.strip_prefix("lpt"));
    let mut digits = number.unwrap_or_default().chars();
    match (digits.next(), digits.next()) {
        (Some(digit), None) => digit.is_ascii_digit() || matches!(digit, '¹' | '²' | '³'),
        _ => false,
    }
}

#[cfg(test)]
mod tests;
