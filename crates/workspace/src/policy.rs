//! `Policy`: what may be seen and what may be changed.
//!
//! Judges root-relative paths as they really are, after links; it opens nothing. Names that some
//! file system takes for the same are the same here, so that no spelling gets around a pattern.

use std::borrow::Cow;

use rooted::RelPath;

use crate::glob::{Glob, fold};
use crate::limits::STATE_DIR;

#[cfg(test)]
mod tests;

/// What may be seen and what may be changed in a workspace.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    deny: Vec<Glob>,
    read_only: Vec<Glob>,
    config_files: Vec<String>,
    state_folders: Vec<String>,
}

impl Policy {
    /// A policy from the patterns of `--deny-path` and `--read-only-path`.
    ///
    /// The dialect is that of [`Glob`], with what a person means by a path of a policy: a leading `/`
    /// ties the pattern to the root, a backslash is a slash.
    #[must_use]
    pub fn new(deny: &[impl AsRef<str>], read_only: &[impl AsRef<str>]) -> Self {
        Self {
            deny: deny.iter().map(|one| compile(one.as_ref())).collect(),
            read_only: read_only.iter().map(|one| compile(one.as_ref())).collect(),
            config_files: Vec::new(),
            state_folders: Vec::new(),
        }
    }

    /// The same policy, with a file that configures the server closed to writing, and to nothing else.
    #[must_use]
    pub fn with_config_file(mut self, path: &RelPath) -> Self {
        self.config_files.push(fold_path(path));
        self
    }

    /// The same policy, with a folder that holds state closed to writing, and with all that is in it.
    #[must_use]
    pub fn with_state_folder(mut self, path: &RelPath) -> Self {
        self.state_folders.push(fold_path(path));
        self
    }

    /// Says whether a path is hidden: it, or a folder above it, matches a pattern.
    ///
    /// A folder whose whole content is denied (`secrets/**`) is hidden with its own name. The root
    /// itself never is.
    #[must_use]
    pub fn is_denied(&self, path: &RelPath) -> bool {
        covers(&self.deny, path)
    }

    /// [`Policy::is_denied`] for an entry of a folder that is known not to be hidden.
    #[must_use]
    pub fn is_denied_entry(&self, path: &RelPath) -> bool {
        !path.is_root() && hits(&self.deny, path.as_bytes())
    }

    /// Says whether any path may be hidden at all.
    #[must_use]
    pub fn hides(&self) -> bool {
        !self.deny.is_empty()
    }

    /// Says whether a path is closed to writing: it, or a folder above it, matches a pattern.
    #[must_use]
    pub fn is_read_only(&self, path: &RelPath) -> bool {
        covers(&self.read_only, path)
    }

    /// Says whether no writing tool may touch a path: it lies in, or is, a repository's `.git` or the
    /// state folder, under any name a file system might take for these; or it is a configuration
    /// file in use, or lies in a folder that was chosen for state.
    #[must_use]
    pub fn protected(&self, path: &RelPath) -> bool {
        if path.components().any(is_reserved) {
            return true;
        }
        if self.config_files.is_empty() && self.state_folders.is_empty() {
            return false;
        }
        let path = fold_path(path);
        let within = |folder: &String| {
            let rest = path.strip_prefix(folder.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.config_files.contains(&path) || self.state_folders.iter().any(within)
    }
}

fn compile(pattern: &str) -> Glob {
    let pattern = pattern.trim().replace('\\', "/");
    match pattern.strip_prefix('/') {
        Some(rest) => Glob::anchored(rest.trim_start_matches('/')),
        None => Glob::new(&pattern),
    }
}

/// Says whether a pattern takes the path or a folder above it.
fn covers(globs: &[Glob], path: &RelPath) -> bool {
    if globs.is_empty() || path.is_root() {
        return false;
    }
    let bytes = path.as_bytes();
    let above = bytes
        .iter()
        .enumerate()
        .filter(|&(_, &byte)| byte == b'/')
        .filter_map(|(slash, _)| bytes.get(..slash));
    above.chain([bytes]).any(|path| hits(globs, path))
}

/// Says whether a pattern takes this very path, however it is spelled.
fn hits(globs: &[Glob], path: &[u8]) -> bool {
    let takes = |glob: &Glob, path: &[u8]| {
        // Folding makes some characters into two and negated classes smaller, so both count.
        glob.matches(path) || glob.matches_folded(path) || glob.covers_folder_folded(path)
    };
    let plain = without_tails(path);
    globs
        .iter()
        .any(|glob| takes(glob, path) || path != &*plain && takes(glob, &plain))
}

/// The path without the dots and spaces at the ends of names, which Windows drops on opening.
fn without_tails(path: &[u8]) -> Cow<'_, [u8]> {
    let tail = |byte: u8| matches!(byte, b'.' | b' ');
    if !path
        .split(|&byte| byte == b'/')
        .any(|name| name.last().is_some_and(|&byte| tail(byte)))
    {
        return Cow::Borrowed(path);
    }
    let names: Vec<&[u8]> = path
        .split(|&byte| byte == b'/')
        .map(|name| {
            let end = name.iter().rposition(|&byte| !tail(byte));
            // A name of nothing but dots and spaces is no other name with a tail.
            end.and_then(|end| name.get(..=end)).unwrap_or(name)
        })
        .collect();
    Cow::Owned(names.join(&b'/'))
}

fn fold_path(path: &RelPath) -> String {
    fold(&String::from_utf8_lossy(&without_tails(path.as_bytes())))
}

/// Says whether a name is, or may be opened as, `.git` or the state folder.
///
/// Covers letter case, characters that HFS+ ignores, the tails and streams that NTFS ignores, and
/// the short names it gives (`git~1`).
fn is_reserved(name: &[u8]) -> bool {
    // A name that is not UTF-8 keeps its bad bytes as U+FFFD, which no reserved name holds.
    let name = fold(&String::from_utf8_lossy(name));
    let name = name.split(':').next().unwrap_or_default();
    let name = name.trim_end_matches(['.', ' ']);
    let short_of = |stem: &str| matches!(name.strip_prefix(stem).map(str::as_bytes), Some([b'~', digit]) if digit.is_ascii_digit());
    name == ".git" || name == STATE_DIR || short_of("git") || short_of("worksp")
}
