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
            || name.eq_ignore_ascii_case(b".git")
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

/// Temporary names of the server that this one takes the place of.
fn is_old_temp_name(name: &[u8]) -> bool {
    name.starts_with(b".mcp-tmp-") && name.ends_with(b".tmp")
}
