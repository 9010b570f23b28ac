//! `Rules`: which files are tracked.

use rooted::{Kind, RelPath};

use crate::limits::STATE_DIR;

/// Which files are tracked: every regular file that no rule leaves out, whatever is in it.
#[derive(Clone, Debug)]
pub struct Rules {
    /// Bytes of a file beyond which it is not tracked.
    pub max_file_bytes: u64,
    /// Whether folders on other file systems are left out.
    pub one_filesystem: bool,
    excluded: Vec<String>,
}

impl Rules {
    /// Rules that leave out larger files, and files and folders with these names in any case.
    #[must_use]
    pub fn new(max_file_bytes: u64, excluded: &[impl AsRef<str>]) -> Self {
        Self {
            max_file_bytes,
            one_filesystem: true,
            excluded: excluded
                .iter()
                .map(|name| name.as_ref().to_lowercase())
                .collect(),
        }
    }

    /// The excluded names, lower case.
    #[must_use]
    pub fn excluded(&self) -> &[String] {
        &self.excluded
    }

    /// Says whether a file at this path would be tracked, if it is not too large.
    #[must_use]
    pub fn tracks(&self, path: &RelPath) -> bool {
        !path.is_root() && path.components().all(|name| !self.leaves_out(name))
    }

    /// Says whether a file or folder of this name is left out, with all that is in it.
    pub(super) fn leaves_out(&self, name: &[u8]) -> bool {
        rooted::is_temp_name(name)
            || is_old_temp_name(name)
            || is_git(name)
            || name.eq_ignore_ascii_case(STATE_DIR.as_bytes())
            || self.is_excluded(name)
    }

    fn is_excluded(&self, name: &[u8]) -> bool {
        if name.is_ascii() {
            let is = |excluded: &String| excluded.as_bytes().eq_ignore_ascii_case(name);
            return self.excluded.iter().any(is);
        }
        let Ok(name) = std::str::from_utf8(name) else {
            return false;
        };
        self.excluded.contains(&name.to_lowercase())
    }

    /// What a walk is to hide.
    pub(super) fn hides(&self, path: &RelPath, _kind: Kind) -> bool {
        path.file_name().is_some_and(|name| self.leaves_out(name))
    }
}

/// Says whether a name is `.git`, or one that some file system takes for it. Git refuses folders that
/// hold such names, and writing one of them may be writing into the repository.
fn is_git(name: &[u8]) -> bool {
    // What a name on NTFS ends in without being another one for it: spaces, dots, a stream.
    let ends = |rest: &[u8]| {
        let end = rest.iter().position(|byte| !matches!(byte, b' ' | b'.'));
        end.and_then(|end| rest.get(end))
            .is_none_or(|&byte| byte == b':')
    };
    let is_git_on_ntfs = |part: &[u8]| {
        let part = part.to_ascii_lowercase();
        let rest = part
            .strip_prefix(b".git")
            .or_else(|| part.strip_prefix(b"git~1"));
        rest.is_some_and(ends)
    };
    if name.split(|&byte| byte == b'\\').any(is_git_on_ntfs) {
        return true;
    }
    // HFS+ does not see these.
    let is_unseen = |c: char| matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}');
    match std::str::from_utf8(name) {
        Ok(name) if !name.is_ascii() => {
            let seen: String = name.chars().filter(|&c| !is_unseen(c)).collect();
            seen.eq_ignore_ascii_case(".git")
        }
        _ => false,
    }
}

/// Temporary names of the server that this one takes the place of.
fn is_old_temp_name(name: &[u8]) -> bool {
    name.starts_with(b".mcp-tmp-") && name.ends_with(b".tmp")
}
