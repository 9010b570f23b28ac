//! What a walk found, in compact form: each folder's path once, and a name for each entry.

use std::num::NonZero;
use std::vec::IntoIter;

use super::folder::{Item, Listed, State, What};
use crate::meta::Kind;
use crate::rel_path::RelPath;

/// One entry of a walk.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// Where it is.
    pub path: RelPath,
    /// What it is: a file or a folder.
    pub kind: Kind,
}

/// Entries sorted by the bytes of their paths, so `src-x` comes before `src/a`.
#[derive(Debug, Default)]
pub struct Entries {
    folders: Vec<Folder>,
    rows: Vec<Row>,
}

#[derive(Debug)]
struct Folder {
    path: RelPath,
    names: Box<[u8]>,
}

#[derive(Clone, Copy, Debug)]
struct Row {
    folder: u32,
    at: u32,
    len: u16,
    kind: Kind,
}

impl Entries {
    /// Number of entries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Says whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The entry at `index`.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<Entry> {
        let row = self.rows.get(index)?;
        let (folder, name) = self.parts(row)?;
        Some(Entry {
            path: folder.join(name),
            kind: row.kind,
        })
    }

    /// What the entry at `index` is.
    #[must_use]
    pub fn kind(&self, index: usize) -> Option<Kind> {
        Some(self.rows.get(index)?.kind)
    }

    /// The path of the entry at `index`, written into `buffer`: for loops that look at many and keep few.
    #[must_use]
    pub fn path_bytes<'b>(&self, index: usize, buffer: &'b mut Vec<u8>) -> Option<&'b [u8]> {
        let (folder, name) = self.parts(self.rows.get(index)?)?;
        join_into(buffer, folder, name);
        Some(buffer)
    }

    /// All entries in order.
    pub fn iter(&self) -> impl Iterator<Item = Entry> + '_ {
        (0..self.len()).filter_map(|index| self.get(index))
    }

    /// Index of the first entry behind `path`, which need not exist.
    #[must_use]
    pub fn behind(&self, path: &[u8]) -> usize {
        let mut buffer = Vec::new();
        self.rows.partition_point(|row| {
            self.parts(row).is_some_and(|(folder, name)| {
                join_into(&mut buffer, folder, name);
                buffer.as_slice() <= path
            })
        })
    }

    fn parts(&self, row: &Row) -> Option<(&RelPath, &[u8])> {
        let folder = self.folders.get(row.folder as usize)?;
        let at = row.at as usize;
        Some((
            &folder.path,
            folder.names.get(at..at + usize::from(row.len))?,
        ))
    }
}

fn join_into(buffer: &mut Vec<u8>, folder: &RelPath, name: &[u8]) {
    buffer.clear();
    buffer.extend_from_slice(folder.as_bytes());
    if !buffer.is_empty() {
        buffer.push(b'/');
    }
    buffer.extend_from_slice(name);
}

/// Puts listed folders in order.
pub(super) struct Flatten<'a> {
    pub(super) max_entries: usize,
    /// Gives a folder by its number, once; `None` for one that was not walked.
    pub(super) child: &'a mut dyn FnMut(u32) -> Option<Listed>,
    /// Told of each folder that is in the result.
    pub(super) each: &'a mut dyn FnMut(&Listed),
}

impl Flatten<'_> {
    /// Puts the entries of `first` and of the folders below in order; says whether there were too many.
    pub(super) fn run(mut self, first: Listed) -> (Entries, bool) {
        let mut entries = Entries::default();
        // Folders that are listed, but whose content has its place further on.
        let mut waiting: Vec<(u32, Listed)> = Vec::new();
        let mut open = vec![self.enter(&mut entries, first)];
        while let Some((folder, items)) = open.last_mut() {
            let Some(item) = items.next() else {
                open.pop();
                continue;
            };
            let kind = match item.what {
                What::File => Kind::File,
                What::Folder => {
                    match item
                        .child
                        .and_then(|id| Some((id, (self.child)(id.get())?)))
                    {
                        Some((_, listed)) if listed.state == State::Gone => continue,
                        Some((id, listed)) => waiting.push((id.get(), listed)),
                        None => {}
                    }
                    Kind::Dir
                }
                What::Inside => {
                    let id = item.child.map_or(0, NonZero::get);
                    let listed = match waiting.iter().rposition(|(waiting, _)| *waiting == id) {
                        Some(at) => Some(waiting.swap_remove(at).1),
                        None => (self.child)(id),
                    };
                    if let Some(listed) = listed {
                        let next = self.enter(&mut entries, listed);
                        open.push(next);
                    }
                    continue;
                }
            };
            if entries.rows.len() >= self.max_entries {
                return (entries, true);
            }
            entries.rows.push(Row {
                folder: *folder,
                at: item.at,
                len: item.len,
                kind,
            });
        }
        (entries, false)
    }

    fn enter(&mut self, entries: &mut Entries, listed: Listed) -> (u32, IntoIter<Item>) {
        (self.each)(&listed);
        let folder = u32::try_from(entries.folders.len()).unwrap_or(u32::MAX);
        entries.folders.push(Folder {
            path: listed.path,
            names: listed.names,
        });
        (folder, listed.items.into_iter())
    }
}
