//! Looking at the files of the root: which differ from what is tracked.
//!
//! A file whose size, times and number are those noted when it was read last is not read again.
//! Others are read through handles of their folders, without following a link, and hashed by several
//! threads.

use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use rooted::{Dir, Entries, ErrorKind, Kind as FileKind, Meta, RelPath, Root, WalkOptions, walk};

use super::error::{Error, io};
use super::id::Id;
use super::index::{Entry, Stat};
use super::object::{Kind, Mode};
use super::parallel;
use super::rules::Rules;
use super::store::batch::{Adder, Batch};
use super::tree::{Leaf, Set};
use crate::cancel::Cancel;

/// Files that a thread takes at a time.
const CHUNK: usize = 256;
/// Files that are tracked at most.
const FILES: usize = 2_000_000;

/// What to look at, and what to compare it with.
pub(super) struct Scan<'a> {
    pub(super) root: &'a Root,
    pub(super) rules: &'a Rules,
    pub(super) trusts_modes: bool,
    pub(super) entries: &'a [Entry],
    /// Takes the content of what changed.
    pub(super) batch: Option<&'a Batch<'a>>,
    pub(super) cancel: &'a Cancel,
}

/// What a scan found.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// What differs, sorted by path.
    pub(super) changes: Vec<Change>,
    /// Tracked files that were read and found the same, by their place in the entries.
    pub(super) same: Vec<(usize, Option<Stat>)>,
    /// Files, and the first few folders, that could not be read, and so are taken as they were.
    pub(super) unreadable: Vec<RelPath>,
}

/// A path that differs from what is tracked.
#[derive(Clone, Debug)]
pub(super) struct Change {
    pub(super) set: Set,
    /// Its place in the entries, when it is tracked.
    pub(super) old: Option<usize>,
    pub(super) stat: Option<Stat>,
}

/// Paths to look at, sorted.
enum Paths<'a> {
    Walked(&'a Entries),
    Listed(&'a [Box<[u8]>]),
}

impl Paths<'_> {
    fn len(&self) -> usize {
        match self {
            Self::Walked(entries) => entries.len(),
            Self::Listed(paths) => paths.len(),
        }
    }

    fn get<'b>(&'b self, index: usize, buffer: &'b mut Vec<u8>) -> Option<&'b [u8]> {
        match self {
            Self::Walked(entries) => entries.path_bytes(index, buffer),
            Self::Listed(paths) => paths.get(index).map(AsRef::as_ref),
        }
    }
}

impl Scan<'_> {
    /// Looks at everything.
    pub(super) fn all(&self) -> Result<Found, Error> {
        let start = RelPath::root();
        let walked = self.walk(&start)?;
        let mut wanted = vec![true; self.entries.len()];
        let mut found = self.run(&Paths::Walked(&walked.entries), &mut wanted)?;
        // What is in such a folder is taken as it was, too.
        found
            .unreadable
            .extend(walked.unreadable_paths.iter().cloned());
        found.unreadable.sort_unstable();
        Ok(found)
    }

    /// Looks at these paths only, and at what is below them.
    pub(super) fn some(&self, paths: &[RelPath]) -> Result<Found, Error> {
        let mut there: Vec<Box<[u8]>> = Vec::new();
        let mut wanted = vec![false; self.entries.len()];
        for path in paths {
            if !self.rules.tracks(path) {
                continue;
            }
            let own = self.place(path.as_bytes(), 0).ok();
            let folder = [path.as_bytes(), b"/"].concat();
            let from = self.entries.partition_point(|entry| *entry.path < *folder);
            let below = self
                .entries
                .iter()
                .skip(from)
                .take_while(|entry| entry.path.starts_with(&folder))
                .count();
            for place in (from..from + below).chain(own) {
                if let Some(wanted) = wanted.get_mut(place) {
                    *wanted = true;
                }
            }
            match self.root.meta(path) {
                Ok(meta) if meta.kind == FileKind::Dir => {
                    let walked = self.walk(path)?;
                    there.extend(
                        walked
                            .entries
                            .iter()
                            .map(|entry| entry.path.as_bytes().into()),
                    );
                }
                Ok(_) => there.push(path.as_bytes().into()),
                Err(error) if is_absent(&error.kind) => {}
                Err(error) => return Err(error.into()),
            }
        }
        there.sort_unstable();
        there.dedup();
        self.run(&Paths::Listed(&there), &mut wanted)
    }

    fn walk(&self, start: &RelPath) -> Result<std::sync::Arc<rooted::Walked>, Error> {
        let hidden = |path: &RelPath, kind| self.rules.hides(path, kind);
        let options = WalkOptions {
            files_only: true,
            include_ignored: true,
            hidden: Some(&hidden),
            stop: &|| self.cancel.is_cancelled(),
            max_entries: FILES,
            ..WalkOptions::new(start)
        };
        let walked = walk(self.root, &options)?;
        self.cancel.check()?;
        if walked.capped {
            return Err(super::error::damaged(format_args!(
                "the folder holds more than {FILES} files"
            )));
        }
        Ok(walked)
    }

    /// The place of a path among the entries, or the place it would have.
    fn place(&self, path: &[u8], from: usize) -> Result<usize, usize> {
        // Most often it is the next one.
        match self.entries.get(from) {
            Some(entry) if *entry.path == *path => return Ok(from),
            _ => {}
        }
        self.entries
            .binary_search_by(|entry| (*entry.path).cmp(path))
    }

    /// Looks at the paths that are there; of the entries wanted, those not met are gone.
    fn run(&self, paths: &Paths<'_>, wanted: &mut [bool]) -> Result<Found, Error> {
        let parts: Mutex<Vec<Part>> = Mutex::default();
        let n_chunks = paths.len().div_ceil(CHUNK);
        parallel::each(n_chunks, crate::threads(), || {
            let mut looker = Looker::new(self);
            let parts = &parts;
            move |chunk| {
                let part = looker.part(paths, chunk)?;
                parts
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .push(part);
                Ok(())
            }
        })?;
        let mut parts = parts.into_inner().unwrap_or_else(PoisonError::into_inner);
        parts.sort_unstable_by_key(|part| part.chunk);
        let mut found = Found::default();
        for part in parts {
            found.changes.extend(part.changes);
            found.same.extend(part.same);
            found.unreadable.extend(part.unreadable);
            for place in part.met {
                if let Some(wanted) = wanted.get_mut(place) {
                    *wanted = false;
                }
            }
        }
        let before = found.changes.len();
        for (place, entry) in self.entries.iter().enumerate() {
            if wanted.get(place) == Some(&true) && entry.mode.is_file() && self.is_gone(entry) {
                found.changes.push(Change {
                    set: Set {
                        path: entry.path.clone(),
                        leaf: None,
                    },
                    old: Some(place),
                    stat: None,
                });
            }
        }
        if found.changes.len() > before {
            found
                .changes
                .sort_unstable_by(|a, b| a.set.path.cmp(&b.set.path));
        }
        Ok(found)
    }

    /// Says whether a tracked file that was not met is no more, and not only out of reach.
    fn is_gone(&self, entry: &Entry) -> bool {
        let Ok(path) = RelPath::from_bytes(&entry.path) else {
            return true;
        };
        match self.root.meta(&path) {
            Ok(_) => true,
            Err(error) => !matches!(
                error.kind,
                ErrorKind::PermissionDenied | ErrorKind::InUse | ErrorKind::Other(_)
            ),
        }
    }
}

/// Says whether an error means that no file is there.
fn is_absent(kind: &ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::NotFound
            | ErrorKind::NotADirectory
            | ErrorKind::IsADirectory
            | ErrorKind::NotRegular
            | ErrorKind::LinkRefused
            | ErrorKind::LinkLoop
            | ErrorKind::Outside
            | ErrorKind::OtherFilesystem
    )
}

/// Now, on the clock that files are stamped by.
fn now_ns() -> i128 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    i128::try_from(now.unwrap_or_default().as_nanos()).unwrap_or(0)
}

/// What one thread found in one chunk.
#[derive(Default)]
struct Part {
    chunk: usize,
    changes: Vec<Change>,
    same: Vec<(usize, Option<Stat>)>,
    /// Entries that are there, in whatever state.
    met: Vec<usize>,
    unreadable: Vec<RelPath>,
}

/// One thread at work.
struct Looker<'a> {
    scan: &'a Scan<'a>,
    adder: Adder,
    folders: Folders<'a>,
    near: usize,
}

impl<'a> Looker<'a> {
    fn new(scan: &'a Scan<'a>) -> Self {
        Self {
            scan,
            adder: Adder::default(),
            folders: Folders {
                root: scan.root,
                held: Vec::new(),
            },
            near: 0,
        }
    }

    fn part(&mut self, paths: &Paths<'_>, chunk: usize) -> Result<Part, Error> {
        let mut part = Part {
            chunk,
            ..Part::default()
        };
        let mut buffer = Vec::new();
        self.scan.cancel.check()?;
        for index in chunk * CHUNK..((chunk + 1) * CHUNK).min(paths.len()) {
            if let Some(path) = paths.get(index, &mut buffer) {
                self.look(path, &mut part)?;
            }
        }
        Ok(part)
    }

    /// Compares one file with its entry.
    fn look(&mut self, path: &[u8], part: &mut Part) -> Result<(), Error> {
        let scan = self.scan;
        let place = match scan.place(path, self.near) {
            Ok(place) => {
                self.near = place + 1;
                Some(place)
            }
            Err(place) => {
                self.near = place;
                None
            }
        };
        let old = place
            .and_then(|place| scan.entries.get(place))
            .filter(|entry| entry.mode.is_file());
        let looked = self.folders.of(path).and_then(|(dir, name)| {
            let meta = dir.stat(name)?;
            Ok((dir, name, meta))
        });
        let (dir, name, meta) = match looked {
            Ok(found) => found,
            Err(error) => return out_of_reach(error, path, place, part),
        };
        // What became a link or a folder, or too large, is not there; the entry counts as gone.
        if meta.kind != FileKind::File || meta.len > scan.rules.max_file_bytes {
            return Ok(());
        }
        if let (Some(place), Some(old)) = (place, old)
            && old.mode.is_executable() == scan.mode(&meta, Some(old)).is_executable()
            && old.stat.is_some_and(|stat| stat.is_of(&meta))
        {
            part.met.push(place);
            return Ok(());
        }
        let now = now_ns();
        let mut file = match dir.open_file(name) {
            Ok(file) => file,
            Err(error) => return out_of_reach(error, path, place, part),
        };
        let content = file
            .read_all(scan.rules.max_file_bytes)
            .map_err(|error| io(error, file.path()))?;
        if content.len() as u64 > scan.rules.max_file_bytes {
            return Ok(());
        }
        let after = file.stat().map_err(|error| io(error, file.path()))?;
        // A file that changed while it was read is read again the next time.
        let stat = (after == *file.meta() && after.len == content.len() as u64)
            .then(|| Stat::settled(&after, now))
            .flatten();
        let mode = scan.mode(&after, old);
        let id = Id::of(Kind::Blob, &content)?;
        part.met.extend(place);
        let leaf = Leaf { id, mode };
        match (place, old) {
            (Some(place), Some(old))
                if old.id == id && old.mode.is_executable() == mode.is_executable() =>
            {
                part.same.push((place, stat));
            }
            _ => {
                if let Some(batch) = scan.batch {
                    batch.add_known(id, Kind::Blob, content, &mut self.adder)?;
                }
                part.changes.push(Change {
                    set: Set {
                        path: path.into(),
                        leaf: Some(leaf),
                    },
                    old: place,
                    stat,
                });
            }
        }
        Ok(())
    }
}

/// A file that cannot be looked at: gone, or as it was.
fn out_of_reach(
    error: rooted::Error,
    path: &[u8],
    place: Option<usize>,
    part: &mut Part,
) -> Result<(), Error> {
    if is_absent(&error.kind) {
        return Ok(());
    }
    if !matches!(error.kind, ErrorKind::PermissionDenied | ErrorKind::InUse) {
        return Err(error.into());
    }
    part.met.extend(place);
    part.unreadable.extend(RelPath::from_bytes(path));
    Ok(())
}

/// Folders that stay open while files of theirs may follow.
struct Folders<'a> {
    root: &'a Root,
    held: Vec<(Vec<u8>, Dir)>,
}

impl Folders<'_> {
    /// The folder of a path, open, and the name in it.
    fn of<'p>(&mut self, path: &'p [u8]) -> Result<(&Dir, &'p [u8]), rooted::Error> {
        let (folder, name) = match memchr::memrchr(b'/', path) {
            Some(slash) => (
                path.get(..slash).unwrap_or_default(),
                path.get(slash + 1..).unwrap_or_default(),
            ),
            None => (&b""[..], path),
        };
        let is_above = |held: &[u8]| {
            held.is_empty()
                || folder
                    .strip_prefix(held)
                    .is_some_and(|rest| matches!(rest, [] | [b'/', ..]))
        };
        while self.held.pop_if(|(held, _)| !is_above(held)).is_some() {}
        if self.held.last().is_none_or(|(held, _)| held != folder) {
            let way = RelPath::from_bytes(folder).unwrap_or_default();
            let dir = self.root.open_dir(&way)?;
            self.held.push((folder.to_vec(), dir));
        }
        let (_, dir) = self
            .held
            .last()
            .expect("the folder was opened just now, or found");
        Ok((dir, name))
    }
}

impl Scan<'_> {
    /// What git calls the kind of a file.
    fn mode(&self, meta: &Meta, old: Option<&Entry>) -> Mode {
        if self.trusts_modes {
            Mode::of(meta.mode & 0o100 != 0)
        } else {
            Mode::of(old.is_some_and(|entry| entry.mode.is_executable()))
        }
    }
}
