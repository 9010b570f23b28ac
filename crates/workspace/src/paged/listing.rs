//! What is directly in a folder: its served files, and the folders that hold a served file somewhere.

use std::sync::OnceLock;

use rooted::{Dir, Kind, Root};

use super::Limits;
use super::fault::Fault;
use super::page::Entry;
use super::path::{self, Path};
use super::proof::Proof;
use super::selector::Selector;
use super::walk::{Listed, Walker};

/// The entries of one folder, in order.
#[derive(Debug)]
pub(super) struct Listing {
    pub(super) entries: Vec<Entry>,
    /// Names that are not UTF-8 and were left out.
    pub(super) n_names: u64,
    pub(super) proof: Proof,
    /// The files that the listing rests on: those in it, and one found in each folder in it.
    files: Vec<(u32, Box<str>)>,
    pub(super) state: OnceLock<String>,
}

impl Listing {
    /// Says whether the watch has told of nothing that counts here.
    pub(super) fn is_quiet(&self, selector: &Selector, limits: &Limits) -> bool {
        // Of a file only that it is there counts, and that it is not too large.
        self.proof
            .is_quiet(|path| !limits.take_any_size() && selector.serves(path))
    }

    /// Looks at what can tell that other names are served; says whether all is as it was.
    pub(super) fn names_hold(&self, root: &Root, limits: &Limits) -> bool {
        if limits.take_any_size() {
            self.proof.folders_hold(root)
        } else {
            self.holds(root, limits)
        }
    }

    /// Looks at every folder and file; says whether all are as they were.
    pub(super) fn holds(&self, root: &Root, limits: &Limits) -> bool {
        self.proof.holds(root, |folder, dir| {
            let from = self.files.partition_point(|(of, _)| *of < folder);
            let rest = self.files.get(from..).unwrap_or_default();
            let mut here = rest.iter().take_while(|(of, _)| *of == folder);
            here.all(|(_, path)| is_served(dir, path, limits))
        })
    }

    /// Bytes it takes in memory, about.
    pub(super) fn n_bytes(&self) -> usize {
        let entries: usize = self
            .entries
            .iter()
            .map(|entry| size_of::<Entry>() + entry.name.len() + entry.path.len() + 32)
            .sum();
        let files: usize = self.files.iter().map(|(_, path)| path.len() + 40).sum();
        entries + files + self.proof.n_bytes()
    }
}

fn is_served(dir: &Dir, path: &str, limits: &Limits) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    dir.stat(name.as_bytes())
        .is_ok_and(|meta| meta.kind == Kind::File && meta.len <= limits.max_file_bytes)
}

impl Walker<'_> {
    /// What is directly in a folder; nothing where there is no such folder.
    pub(super) fn listing(mut self, folder: &Path) -> Result<Listing, Fault> {
        let mut entries: Vec<Entry> = Vec::new();
        let mut files = Vec::new();
        let mut n_names = 0;
        if let Some((listed, depth)) = self.reach(folder)? {
            n_names = listed.n_bad_names;
            for named in &listed.names {
                let kind = match named.kind {
                    Kind::Dir => match self.probe(&named.path, depth + 1)? {
                        Some(found) => {
                            files.push(found);
                            "directory"
                        }
                        None => continue,
                    },
                    _ if self.serves(&listed, &named.path) => {
                        files.push((listed.number, named.path.as_str().into()));
                        "file"
                    }
                    _ => continue,
                };
                if entries.len() as u64 >= self.limits.max_files {
                    return Err(Fault::FILES);
                }
                let name = named.path.rsplit('/').next().unwrap_or(&named.path);
                entries.push(Entry {
                    name: name.into(),
                    kind,
                    path: named.path.as_str().into(),
                });
            }
        }
        entries.sort_unstable_by(|a, b| path::order(&a.path, &b.path));
        files.sort_unstable_by_key(|(folder, _)| *folder);
        Ok(Listing {
            entries,
            n_names,
            proof: self.proof,
            files,
            state: OnceLock::new(),
        })
    }

    /// Reads the folder at a path, and those above it as far as that needs.
    fn reach(&mut self, folder: &Path) -> Result<Option<(Listed, u64)>, Fault> {
        if self.selector.excludes(folder.as_str()) {
            return Ok(None);
        }
        let names = folder.as_str().split('/').filter(|name| !name.is_empty());
        if names.clone().any(|name| path::is_ours(name.as_bytes())) {
            return Ok(None);
        }
        let mut above = String::new();
        let mut depth = 0;
        for name in names {
            self.count_directory(depth)?;
            let dir = self.root.open_dir(&path::rel(&above)).ok();
            let Some(dir) = dir.filter(|dir| self.proof.add(&above, dir).is_some()) else {
                // There is nothing to keep of a folder that cannot be come to.
                self.proof.is_blind = true;
                return Ok(None);
            };
            let is_dir = |meta: rooted::Meta| meta.kind == Kind::Dir;
            if !dir.stat(name.as_bytes()).is_ok_and(is_dir) {
                return Ok(None);
            }
            above = super::proof::join(&above, name);
            depth += 1;
        }
        Ok(self.list(&above, depth)?.map(|listed| (listed, depth)))
    }

    /// Finds one served file beneath a folder: the number of its folder, and its path.
    fn probe(&mut self, folder: &str, depth: u64) -> Result<Option<(u32, Box<str>)>, Fault> {
        let mut waiting = vec![(folder.to_owned(), depth)];
        while let Some((folder, depth)) = waiting.pop() {
            let Some(listed) = self.list(&folder, depth)? else {
                continue;
            };
            let mut below = Vec::new();
            for named in &listed.names {
                if named.kind == Kind::Dir {
                    below.push(named.path.as_str());
                } else if self.serves(&listed, &named.path) {
                    return Ok(Some((listed.number, named.path.as_str().into())));
                }
            }
            below.sort_unstable_by(|a, b| path::order(b, a));
            waiting.extend(below.into_iter().map(|path| (path.to_owned(), depth + 1)));
        }
        Ok(None)
    }

    /// Says whether a file that a folder gave is served.
    fn serves(&mut self, listed: &Listed, path: &str) -> bool {
        if !self.selector.includes(path) {
            return false;
        }
        // Without a limit there is nothing to look at that the folder did not say.
        self.limits.take_any_size() || self.file(&listed.dir, path).is_some()
    }
}
