//! What `git status` says, entry by entry: what is hidden is left out, and paths start at the
//! workspace's root.

use rooted::RelPath;

use super::names::Quoting;
use crate::limits;
use crate::policy::Policy;

/// Reads the output of `git status --porcelain=v1 -b -z` as it comes.
pub(super) struct Collector<'a> {
    policy: &'a Policy,
    prefix: &'a RelPath,
    quoting: Quoting,
    pending: Vec<u8>,
    /// The entry whose second path is still to come.
    renamed: Option<Vec<u8>>,
    /// What stands behind `##`.
    pub(super) branch: String,
    /// The entries as git writes them.
    pub(super) lines: Vec<String>,
    /// Entries beyond the limit.
    pub(super) n_more: u64,
}

impl<'a> Collector<'a> {
    pub(super) fn new(policy: &'a Policy, prefix: &'a RelPath, quoting: Quoting) -> Self {
        Self {
            policy,
            prefix,
            quoting,
            pending: Vec::new(),
            renamed: None,
            branch: String::new(),
            lines: Vec::new(),
            n_more: 0,
        }
    }

    /// Takes the next bytes.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while let Some(end) = memchr::memchr(0, rest) {
            let (record, behind) = rest.split_at(end);
            rest = behind.get(1..).unwrap_or_default();
            if self.pending.is_empty() {
                self.record(record);
            } else {
                self.pending.extend_from_slice(record);
                let whole = std::mem::take(&mut self.pending);
                self.record(&whole);
            }
        }
        self.pending.extend_from_slice(rest);
    }

    fn record(&mut self, record: &[u8]) {
        if let Some(entry) = self.renamed.take() {
            if let Some((code, path)) = split(&entry) {
                self.rename(code, record, path);
            }
        } else if let Some(branch) = record.strip_prefix(b"## ") {
            self.branch = rooted::show(branch);
        } else if let Some((code, path)) = split(record) {
            if code.iter().any(|letter| matches!(letter, b'R' | b'C')) {
                self.renamed = Some(record.to_vec());
            } else if let Some(path) = self.visible(path) {
                self.line(code, &path);
            }
        }
    }

    /// An entry with two paths. Of a rename with one hidden end the other is shown as what it is
    /// by itself.
    fn rename(&mut self, code: [u8; 2], old: &[u8], new: &[u8]) {
        let [index, tree] = code;
        let is_copy = index == b'C' || tree == b'C';
        match (self.visible(old), self.visible(new)) {
            (Some(old), Some(new)) => {
                let old = self.quoting.quote(&old);
                let new = self.quoting.quote(&new);
                self.text(code, &format!("{old} -> {new}"));
            }
            (None, Some(new)) => {
                let added = |letter| {
                    if matches!(letter, b'R' | b'C') {
                        b'A'
                    } else {
                        letter
                    }
                };
                self.line([added(index), added(tree)], &new);
            }
            (Some(_), None) if is_copy => {}
            (Some(old), None) => {
                let deleted = |letter| if letter == b'R' { b'D' } else { b' ' };
                self.line([deleted(index), deleted(tree)], &old);
            }
            (None, None) => {}
        }
    }

    /// A path from the workspace's root, unless it is outside or hidden.
    fn visible(&self, path: &[u8]) -> Option<Vec<u8>> {
        let is_folder = path.ends_with(b"/");
        let inside = RelPath::from_bytes(path).ok()?;
        if !inside.starts_with(self.prefix) {
            return None;
        }
        let rest = inside.as_bytes().get(self.prefix.as_bytes().len()..)?;
        let rest = rest.strip_prefix(b"/").unwrap_or(rest);
        if self.policy.is_denied(&RelPath::from_bytes(rest).ok()?) {
            return None;
        }
        let mut shown = if rest.is_empty() {
            b".".to_vec()
        } else {
            rest.to_vec()
        };
        if is_folder {
            shown.push(b'/');
        }
        Some(shown)
    }

    fn line(&mut self, code: [u8; 2], path: &[u8]) {
        self.text(code, &self.quoting.quote(path));
    }

    fn text(&mut self, code: [u8; 2], names: &str) {
        if self.lines.len() < limits::GIT_STATUS_ENTRIES {
            let [index, tree] = code.map(char::from);
            self.lines.push(format!("{index}{tree} {names}"));
        } else {
            self.n_more += 1;
        }
    }
}

/// The two letters of an entry, and its path.
fn split(record: &[u8]) -> Option<([u8; 2], &[u8])> {
    match record {
        [index, tree, b' ', path @ ..] => Some(([*index, *tree], path)),
        _ => None,
    }
}
