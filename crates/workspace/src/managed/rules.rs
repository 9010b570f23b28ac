//! `Rules`: which texts name a file of the workspace. Looks at no disk.
//!
//! The checks have a fixed order, and the first that fails gives the error. Names that Windows cannot
//! hold, or holds otherwise, are refused everywhere, so that a workspace can be moved between systems.

use rooted::RelPath;

use super::error::{Code, Error};
use super::options::EXCLUDED;

#[cfg(test)]
mod tests;

/// Characters of a path.
const PATH_CHARS: usize = 1024;
/// Characters of one component.
const COMPONENT_CHARS: usize = 255;
/// Names that belong to the server, and the short one that Windows may give `.git`.
const INTERNAL: [&str; 3] = [".git", "git~1", ".workspace-mcp"];

/// Which texts name a file of the workspace.
#[derive(Clone, Debug)]
pub struct Rules {
    /// Names that are excluded, in lower case.
    excluded: Vec<String>,
}

impl Rules {
    /// The rules with names excluded besides [`EXCLUDED`].
    #[must_use]
    pub fn new(excluded: &[impl AsRef<str>]) -> Self {
        let more = excluded.iter().map(|name| name.as_ref().to_lowercase());
        let excluded = EXCLUDED.iter().map(|&name| name.to_owned());
        Self {
            excluded: excluded.chain(more).collect(),
        }
    }

    /// Reads a path.
    ///
    /// # Errors
    /// The first rule that it breaks.
    pub fn parse(&self, path: &str) -> Result<RelPath, Error> {
        whole(path)?;
        let parts: Vec<&str> = path.split(['/', '\\']).collect();
        for part in &parts {
            component(part)?;
        }
        for part in &parts {
            self.special(part)?;
        }
        RelPath::from_bytes(parts.join("/").as_bytes()).map_err(|_| {
            Error::new(
                Code::PathOutsideWorkspace,
                "path leads out of the workspace",
            )
        })
    }

    /// Says whether a name in a folder is neither listed, searched nor tracked.
    #[must_use]
    pub fn hides(&self, name: &[u8]) -> bool {
        match std::str::from_utf8(name) {
            Ok(name) => self.special(name).is_err(),
            Err(_) => rooted::is_temp_name(name),
        }
    }

    /// Names excluded, in lower case.
    #[must_use]
    pub fn excluded(&self) -> &[String] {
        &self.excluded
    }

    fn special(&self, name: &str) -> Result<(), Error> {
        let lower = name.to_lowercase();
        if INTERNAL.contains(&lower.as_str()) || is_temporary(&lower) {
            let message = format!("internal path is forbidden: {name}");
            return Err(Error::new(Code::InternalPathForbidden, message));
        }
        if self.excluded.contains(&lower) {
            let message = format!("excluded path: {name}");
            return Err(Error::new(Code::ExcludedPath, message));
        }
        Ok(())
    }
}

/// Says whether a name is one of those under which files are written before they have their own: they
/// are in no checkpoint, so nothing may be kept under them.
fn is_temporary(lower: &str) -> bool {
    rooted::is_temp_name(lower.as_bytes())
        || lower.starts_with(".mcp-tmp-") && lower.ends_with(".tmp")
}

fn invalid(message: &str) -> Error {
    Error::new(Code::InvalidPath, message)
}

fn whole(path: &str) -> Result<(), Error> {
    if path.is_empty() {
        return Err(invalid("path must not be empty"));
    }
    if is_padded(path) {
        return Err(invalid("path must not have leading/trailing whitespace"));
    }
    if path.chars().count() > PATH_CHARS {
        return Err(invalid("path too long"));
    }
    if path.chars().any(is_control_or_format) {
        return Err(invalid("control or format character in path"));
    }
    let forbidden = |message: &str| Err(Error::new(Code::AbsolutePathForbidden, message));
    match path.as_bytes() {
        [b'/' | b'\\', ..] => forbidden("absolute and root-relative paths are forbidden"),
        [letter, b':', ..] if letter.is_ascii_alphabetic() => {
            forbidden("drive-qualified paths are forbidden")
        }
        _ => Ok(()),
    }
}

fn component(part: &str) -> Result<(), Error> {
    if part.is_empty() {
        return Err(invalid("empty path component"));
    }
    if part == ".." {
        return Err(Error::new(Code::PathTraversalForbidden, ".. is forbidden"));
    }
    if part == "." {
        return Err(invalid("'.': components must be explicit"));
    }
    if part.contains(':') {
        return Err(invalid("':' is forbidden in path components"));
    }
    if is_padded(part) || part.ends_with('.') {
        return Err(invalid(
            "component must not have leading/trailing whitespace or trailing dots",
        ));
    }
    if part.chars().count() > COMPONENT_CHARS {
        return Err(invalid("path component too long"));
    }
    let stem = part.split('.').next().unwrap_or_default().to_uppercase();
    if is_device(&stem) {
        let message = format!("reserved device name: {stem}");
        return Err(Error::new(Code::WindowsReservedName, message));
    }
    Ok(())
}

fn is_device(stem: &str) -> bool {
    match stem.as_bytes() {
        b"CON" | b"PRN" | b"AUX" | b"NUL" => true,
        [b'C', b'O', b'M', digit] | [b'L', b'P', b'T', digit] => matches!(digit, b'1'..=b'9'),
        _ => false,
    }
}

/// White space at either end, as Unicode has it; also the separators that are counted as such elsewhere.
fn is_padded(text: &str) -> bool {
    let is_space = |c: char| c.is_whitespace() || matches!(c, '\u{1c}'..='\u{1f}');
    text.starts_with(is_space) || text.ends_with(is_space)
}

/// Says whether a character is of the categories Cc or Cf; the surrogates of Cs are no characters here.
fn is_control_or_format(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}'
            | '\u{600}'..='\u{605}'
            | '\u{61c}'
            | '\u{6dd}'
            | '\u{70f}'
            | '\u{890}'..='\u{891}'
            | '\u{8e2}'
            | '\u{180e}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{2064}'
            | '\u{2066}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{110bd}'
            | '\u{110cd}'
            | '\u{13430}'..='\u{1343f}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0001}'
            | '\u{e0020}'..='\u{e007f}'
        )
}
