//! Walking what is served: the files beneath a scope, in order, with their identities.

use std::sync::{Arc, OnceLock};

use rooted::{Dir, ErrorKind, Kind, Meta, Root};

use super::fault::Fault;
use super::path::{self, Path, is_ours, is_plain};
use super::proof::{self, Proof, Spares};
use super::selector::Selector;
use super::{Limits, memory};
use crate::cancel::Cancel;

/// Entries between two looks at whether to stop.
const STOP_EVERY: u64 = 1024;

/// What changes whenever the bytes of a file could have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Identity {
    pub(super) len: u64,
    mtime_ns: i128,
    ctime_ns: i128,
    ino: u64,
    dev: u64,
}

impl Identity {
    pub(super) fn of(meta: &Meta) -> Self {
        Self {
            len: meta.len,
            mtime_ns: meta.mtime_ns,
            ctime_ns: meta.ctime_ns,
            ino: meta.id.ino,
            dev: meta.id.dev,
        }
    }

    /// How a state is told of it.
    pub(super) fn text(&self) -> String {
        let Self {
            len,
            mtime_ns,
            ctime_ns,
            ino,
            dev,
        } = self;
        format!("{len}:{mtime_ns}:{ctime_ns}:{ino}:{dev}")
    }
}

/// A served file as a walk met it.
#[derive(Debug)]
pub(super) struct FileRow {
    pub(super) path: Box<str>,
    pub(super) identity: Identity,
    /// The number of its folder in the proof.
    folder: u32,
    /// Whether it has further names, maybe elsewhere.
    is_linked: bool,
}

/// The served files beneath a scope.
#[derive(Debug)]
pub(super) struct Inventory {
    /// In order.
    pub(super) files: Vec<FileRow>,
    /// The same, folder by folder.
    by_folder: Vec<u32>,
    /// Names that are not UTF-8 and were left out.
    pub(super) n_names: u64,
    pub(super) proof: Proof,
    /// What depends on these files only, and is worked out once.
    pub(super) state: OnceLock<String>,
    pub(super) found: memory::Found,
}

impl Inventory {
    /// Says whether the watch has told of nothing that counts here.
    pub(super) fn is_quiet(&self, root: &Root, selector: &Selector) -> bool {
        let mut linked = self.files.iter().filter(|row| row.is_linked);
        self.proof.is_quiet(|path| selector.serves(path))
            && linked.all(|row| {
                let parent = self.proof.path(row.folder);
                let dir = root.open_dir(&path::rel(parent));
                dir.is_ok_and(|dir| row.is_same(&dir))
            })
    }

    /// Looks at what can tell that other names are served; says whether all is as it was.
    pub(super) fn names_hold(&self, root: &Root, limits: &Limits) -> bool {
        if limits.take_any_size() {
            self.proof.folders_hold(root)
        } else {
            self.holds(root)
        }
    }

    /// Looks at every folder and file; says whether all are as they were.
    pub(super) fn holds(&self, root: &Root) -> bool {
        self.proof.holds(root, |folder, dir| {
            let at = |number: &u32| self.files.get(*number as usize);
            let from = self
                .by_folder
                .partition_point(|number| at(number).is_some_and(|row| row.folder < folder));
            let rest = self.by_folder.get(from..).unwrap_or_default();
            rest.iter()
                .filter_map(at)
                .take_while(|row| row.folder == folder)
                .all(|row| row.is_same(dir))
        })
    }

    /// Bytes it takes in memory, about.
    pub(super) fn n_bytes(&self) -> usize {
        let paths: usize = self.files.iter().map(|row| row.path.len() + 16).sum();
        paths + self.files.len() * (size_of::<FileRow>() + 4) + self.proof.n_bytes()
    }
}

impl FileRow {
    fn is_same(&self, dir: &Dir) -> bool {
        let name = self.path.rsplit('/').next().unwrap_or(&self.path);
        dir.stat(name.as_bytes())
            .is_ok_and(|meta| meta.kind == Kind::File && Identity::of(&meta) == self.identity)
    }
}

/// Walks for one call, within the ceilings.
pub(super) struct Walker<'a> {
    pub(super) root: &'a Root,
    pub(super) selector: &'a Selector,
    pub(super) limits: &'a Limits,
    pub(super) cancel: &'a Cancel,
    pub(super) proof: Proof,
    n_directories: u64,
    n_entries: u64,
}

/// A name that a folder gave, and that can be served.
pub(super) struct Named {
    pub(super) path: String,
    pub(super) kind: Kind,
}

/// What became of a name that a folder gave.
enum Taken {
    Named(Named),
    /// It is none that could be served.
    Nothing,
    /// It is not UTF-8.
    BadName,
}

/// A folder that was read.
pub(super) struct Listed {
    pub(super) dir: Dir,
    /// Its number in the proof.
    pub(super) number: u32,
    /// What is in it and not excluded: files and folders.
    pub(super) names: Vec<Named>,
    /// Names in it that are not UTF-8 and were left out.
    pub(super) n_bad_names: u64,
}

impl<'a> Walker<'a> {
    pub(super) fn new(
        root: &'a Root,
        selector: &'a Selector,
        limits: &'a Limits,
        cancel: &'a Cancel,
        watches: Option<&Arc<Spares>>,
    ) -> Self {
        Self {
            root,
            selector,
            limits,
            cancel,
            proof: Proof::new(watches),
            n_directories: 0,
            n_entries: 0,
        }
    }

    #[cfg(test)]
    pub(super) fn hasty(mut self, is_hasty: bool) -> Self {
        self.proof.is_hasty = is_hasty;
        self
    }

    /// The served files beneath a scope.
    pub(super) fn inventory(mut self, scope: &Path) -> Result<Inventory, Fault> {
        let mut files = Vec::new();
        let mut n_names = 0;
        let mut waiting = vec![(String::new(), 0)];
        while let Some((folder, depth)) = waiting.pop() {
            let Some(listed) = self.list(&folder, depth)? else {
                continue;
            };
            if scope.holds(&folder) {
                n_names += listed.n_bad_names;
            }
            for named in listed.names {
                if named.kind == Kind::Dir {
                    if scope.holds(&named.path) || scope.is_beneath(&named.path) {
                        waiting.push((named.path, depth + 1));
                    }
                    continue;
                }
                if !scope.holds(&named.path) || !self.selector.includes(&named.path) {
                    continue;
                }
                let Some(meta) = self.file(&listed.dir, &named.path) else {
                    continue;
                };
                if files.len() as u64 >= self.limits.max_files {
                    return Err(Fault::FILES);
                }
                files.push(FileRow {
                    path: named.path.into(),
                    identity: Identity::of(&meta),
                    folder: listed.number,
                    is_linked: meta.nlink > 1,
                });
            }
        }
        files.sort_unstable_by(|a, b| path::order(&a.path, &b.path));
        let n_files = u32::try_from(files.len()).map_err(|_| Fault::FILES)?;
        let mut by_folder: Vec<u32> = (0..n_files).collect();
        by_folder.sort_by_key(|&number| files.get(number as usize).map(|row| row.folder));
        Ok(Inventory {
            files,
            by_folder,
            n_names,
            proof: self.proof,
            state: OnceLock::new(),
            found: memory::Found::default(),
        })
    }

    /// Looks at a file that may be served: `None` when it is none after all, or too large.
    pub(super) fn file(&mut self, dir: &Dir, path: &str) -> Option<Meta> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let meta = dir.stat(name.as_bytes()).ok()?;
        if meta.kind != Kind::File {
            return None;
        }
        if meta.len > self.limits.max_file_bytes {
            // It may become smaller without a change of its folder.
            self.proof.is_blind = true;
            return None;
        }
        Some(meta)
    }

    /// Reads a folder. `None` when it cannot be read, which is no failure.
    pub(super) fn list(&mut self, folder: &str, depth: u64) -> Result<Option<Listed>, Fault> {
        self.count_directory(depth)?;
        let dir = match self.root.open_dir(&path::rel(folder)) {
            Ok(dir) => dir,
            Err(error) => {
                match error.kind {
                    ErrorKind::PermissionDenied => self.proof.add_closed(folder),
                    // It is not what the folder above said: that one has changed since.
                    _ => self.proof.is_blind = true,
                }
                return Ok(None);
            }
        };
        // Whether it can be read at all is asked first: a watch needs the same right.
        if dir.visit(|_, _| false).is_err() {
            self.proof.add_closed(folder);
            return Ok(None);
        }
        let Some(number) = self.proof.add(folder, &dir) else {
            return Ok(None);
        };
        let mut names = Vec::new();
        let mut n_bad_names = 0;
        let mut stop = None;
        let read = dir.visit(|name, kind| match self.name(folder, name, kind) {
            Ok(Taken::Named(named)) => {
                names.push(named);
                true
            }
            Ok(Taken::Nothing) => true,
            Ok(Taken::BadName) => {
                n_bad_names += 1;
                true
            }
            Err(fault) => {
                stop = Some(fault);
                false
            }
        });
        if let Some(fault) = stop {
            return Err(fault);
        }
        if read.is_err() {
            self.proof.close(number);
            return Ok(None);
        }
        Ok(Some(Listed {
            dir,
            number,
            names,
            n_bad_names,
        }))
    }

    /// Charges a folder, as entered.
    pub(super) fn count_directory(&mut self, depth: u64) -> Result<(), Fault> {
        if depth > self.limits.max_depth {
            return Err(Fault::DEPTH);
        }
        self.n_directories += 1;
        if self.n_directories > self.limits.max_directories {
            return Err(Fault::DIRECTORIES);
        }
        Ok(())
    }

    /// Takes a name as a folder gave it.
    fn name(&mut self, folder: &str, name: &[u8], kind: Kind) -> Result<Taken, Fault> {
        if is_ours(name) {
            return Ok(Taken::Nothing);
        }
        self.n_entries += 1;
        if self.n_entries > self.limits.max_entries {
            return Err(Fault::ENTRIES);
        }
        if self.n_entries.is_multiple_of(STOP_EVERY) && self.cancel.is_cancelled() {
            return Err(Fault::Cancelled);
        }
        let Ok(name) = std::str::from_utf8(name) else {
            return Ok(Taken::BadName);
        };
        if !matches!(kind, Kind::File | Kind::Dir) {
            return Ok(Taken::Nothing);
        }
        let path = proof::join(folder, name);
        if !is_plain(&path) || self.selector.excludes_entry(&path) {
            return Ok(Taken::Nothing);
        }
        Ok(Taken::Named(Named { path, kind }))
    }
}
