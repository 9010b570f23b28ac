//! Names on Windows: which are refused before anything is asked of the system, and how link texts are read.

use std::io;
use std::path::{Component, Path, Prefix};

use super::errors::code;

/// Longest component, in UTF-16 units.
const LONGEST: usize = 255;

/// Names that stand for devices, with any extension.
const DEVICES: [&str; 6] = ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"];

/// The name as text when it can only mean one entry of a folder.
///
/// Refused are separators, stream names (`a:b`), wildcards, controls, a dot or space at the end
/// (Windows drops it, so that two texts would name one file), and devices.
pub(super) fn single(name: &[u8]) -> io::Result<&str> {
    let refused = || io::Error::from_raw_os_error(code::INVALID_NAME);
    let text = std::str::from_utf8(name).map_err(|_| refused())?;
    let odd = |c: char| {
        u32::from(c) < 0x20 || matches!(c, '/' | '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|')
    };
    if text.is_empty() || text.ends_with(['.', ' ']) || text.contains(odd) {
        return Err(refused());
    }
    if is_device(text) {
        return Err(io::Error::from_raw_os_error(code::BAD_DEVICE));
    }
    if text.encode_utf16().count() > LONGEST {
        return Err(io::Error::from_raw_os_error(code::NAME_TOO_LONG));
    }
    Ok(text)
}

fn is_device(name: &str) -> bool {
    let stem = name.split_once('.').map_or(name, |(stem, _)| stem);
    let stem = stem.trim_end_matches(' ').to_ascii_uppercase();
    let numbered = |prefix: &str| {
        let mut rest = stem.strip_prefix(prefix).unwrap_or_default().chars();
        let digit = matches!(rest.next(), Some('0'..='9' | '¹' | '²' | '³'));
        digit && rest.next().is_none()
    };
    DEVICES.contains(&&*stem) || numbered("COM") || numbered("LPT")
}

/// Says whether a name cannot be one entry of a folder here.
pub(crate) fn check_name(name: &[u8]) -> io::Result<()> {
    single(name).map(drop)
}

/// Says whether two components of a root's own path name the same folder.
pub(crate) fn same_name(a: &[u8], b: &[u8]) -> bool {
    match (std::str::from_utf8(a), std::str::from_utf8(b)) {
        (Ok(a), Ok(b)) => a.to_lowercase() == b.to_lowercase(),
        _ => a == b,
    }
}

/// Says whether a link's text starts anywhere but at the link: a drive, a share, or the root of a drive.
pub(crate) fn is_absolute(target: &[u8]) -> bool {
    matches!(target, [b'/' | b'\\', ..] | [_, b':', ..])
}

/// What is left of an absolute link below `base`; `None` when it does not lead there.
pub(crate) fn below(base: &Path, target: &[u8]) -> Option<Vec<u8>> {
    let target = std::str::from_utf8(target).ok()?;
    let mut rest = Path::new(target).components();
    for part in base.components() {
        let same = match (part, rest.next()?) {
            (Component::Prefix(a), Component::Prefix(b)) => {
                matches!((volume_name(a.kind()), volume_name(b.kind())), (Some(a), Some(b)) if a == b)
            }
            (Component::RootDir, Component::RootDir) => true,
            (Component::Normal(a), Component::Normal(b)) => {
                same_name(a.as_encoded_bytes(), b.as_encoded_bytes())
            }
            _ => false,
        };
        if !same {
            return None;
        }
    }
    let mut left = Vec::new();
    for part in rest {
        if !left.is_empty() {
            left.push(b'\\');
        }
        left.extend_from_slice(part.as_os_str().as_encoded_bytes());
    }
    Some(left)
}

/// The components of a link's text, without empty ones and `.`.
pub(crate) fn link_components(target: &[u8]) -> impl DoubleEndedIterator<Item = &[u8]> {
    target
        .split(|&b| b == b'/' || b == b'\\')
        .filter(|part| !part.is_empty() && *part != b".")
}

/// One spelling for a volume, whether or not its path is in the long form; `None` for devices.
pub(crate) fn volume_name(prefix: Prefix<'_>) -> Option<Vec<u8>> {
    match prefix {
        Prefix::Disk(letter) | Prefix::VerbatimDisk(letter) => {
            Some(vec![letter.to_ascii_lowercase(), b':'])
        }
        Prefix::UNC(host, share) | Prefix::VerbatimUNC(host, share) => {
            let name = format!(r"\\{}\{}", host.to_str()?, share.to_str()?);
            Some(name.to_lowercase().into_bytes())
        }
        Prefix::Verbatim(_) | Prefix::DeviceNS(_) => None,
    }
}
