//! `Store`: the objects of a repository, read and written beneath the handle of its folder.
//!
//! Objects come in files of their own or many to a pack. What the store gives was asked for by id,
//! but it does not hash what it reads: whoever may write there may change the files as well.

pub(super) mod batch;
mod flush;
mod loose;
mod pack;
mod pairs;
mod repack;
pub(super) mod replace;
mod zlib;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rooted::{Dir, Durability, ErrorKind, FileId, Kind as FileKind};

use self::pack::Pack;
use self::pack::write::PackWriter;
use super::error::{Error, damaged};
use super::files;
use super::id::Id;
use super::object::{self, Commit, Kind};

/// Bytes of an object, or of all that is needed to make it from differences, that are read at most.
const OBJECT_BYTES: u64 = 512 * 1024 * 1024;
/// The folder of a repository that holds its objects.
const OBJECTS: &[u8] = b"objects";
/// How long a pack without an index, or an index without a pack, may belong to a program at work.
const ABANDONED_NS: i128 = 24 * 3600 * 1_000_000_000;

/// How often an object is looked for while others pack the objects anew.
const LOOKS: usize = 5;

/// The objects of one repository.
#[derive(Debug)]
pub(super) struct Store {
    git: Dir,
    // Plain mutexes: each is held only for as long as a look takes.
    place: Mutex<Arc<Place>>,
    packs: Mutex<Vec<Arc<Pack>>>,
    durability: Durability,
    /// Files of their own that were written since they were last counted.
    n_loose: AtomicUsize,
    /// Whether putting objects together failed.
    is_stuck: AtomicBool,
}

/// The folder of objects. Pruning puts another one in its place.
#[derive(Debug)]
struct Place {
    id: FileId,
    objects: Dir,
    pack_dir: Option<Dir>,
}

impl Place {
    fn open(git: &Dir) -> Result<Self, Error> {
        let objects = git.open_dir(OBJECTS)?;
        Ok(Self {
            id: objects.meta()?.id,
            pack_dir: files::open(&objects, &[b"pack"])?,
            objects,
        })
    }
}

impl Store {
    /// Opens the folder `objects` of a repository.
    pub(super) fn open(git: &Dir, durability: Durability) -> Result<Self, Error> {
        let store = Self {
            git: git.try_clone()?,
            place: Mutex::new(Arc::new(Place::open(git)?)),
            packs: Mutex::default(),
            durability,
            n_loose: 0.into(),
            is_stuck: false.into(),
        };
        store.look_for_packs()?;
        Ok(store)
    }

    fn place(&self) -> Arc<Place> {
        let place = self.place.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&place)
    }

    /// Says whether the folder is still the one that has the name.
    pub(super) fn is_current(&self) -> bool {
        let id = self.place().id;
        self.git
            .stat(OBJECTS)
            .is_ok_and(|meta| meta.kind == FileKind::Dir && meta.id == id)
    }

    /// Looks at what another process did to the objects; says whether that was anything.
    pub(super) fn look_again(&self) -> Result<bool, Error> {
        let is_moved = !self.is_current();
        if is_moved {
            let place = Arc::new(Place::open(&self.git)?);
            *self.place.lock().unwrap_or_else(PoisonError::into_inner) = place;
        }
        Ok(self.look_for_packs()? || is_moved)
    }

    /// Removes what a process that ended was writing. Nobody else may be writing meanwhile.
    pub(super) fn sweep(&self) -> Result<(), Error> {
        let place = self.place();
        loose::sweep(&place.objects)?;
        let Some(dir) = &place.pack_dir else {
            return Ok(());
        };
        let names = dir.list()?;
        let has = |stem: &[u8], ending: &[u8]| {
            let wanted = [stem, ending].concat();
            names.iter().any(|(name, _)| **name == *wanted)
        };
        for (name, kind) in &names {
            let is_half = match (name.strip_suffix(b".pack"), name.strip_suffix(b".idx")) {
                (Some(stem), _) => !has(stem, b".idx"),
                (_, Some(stem)) => !has(stem, b".pack"),
                (None, None) => false,
            };
            let is_ours = name.starts_with(pack::write::TEMP.as_bytes());
            if *kind == FileKind::File && (is_ours || is_half && is_old(dir, name)) {
                let _ = dir.remove_file(name);
            }
        }
        Ok(())
    }

    /// Opens packs that are new; says whether there was one, or one has gone.
    fn look_for_packs(&self) -> Result<bool, Error> {
        let place = self.place();
        let Some(dir) = &place.pack_dir else {
            return Ok(false);
        };
        let names = match dir.list() {
            Ok(names) => names,
            // The folder was replaced by another one just now.
            Err(error) if matches!(error.kind, ErrorKind::NotFound) => return Ok(true),
            Err(error) => return Err(error.into()),
        };
        let mut packs = self.packs();
        let mut stems: Vec<&[u8]> = names
            .iter()
            .filter(|(_, kind)| *kind == FileKind::File)
            .filter_map(|(name, _)| name.strip_suffix(b".idx"))
            .filter(|stem| {
                let data = [stem, &b".pack"[..]].concat();
                names.iter().any(|(name, _)| **name == *data)
            })
            .collect();
        let n_before = packs.len();
        packs.retain(|pack| stems.contains(&&*pack.stem));
        let mut changed = packs.len() != n_before;
        stems.retain(|stem| packs.iter().all(|pack| *pack.stem != **stem));
        for stem in stems {
            match Pack::open(dir, stem) {
                Ok(pack) => packs.push(Arc::new(pack)),
                // It was replaced by another one since the folder was listed.
                Err(Error::Workspace(crate::Error::PathNotFound(_))) => {}
                Err(error) => return Err(error),
            }
            changed = true;
        }
        Ok(changed)
    }

    fn packs(&self) -> std::sync::MutexGuard<'_, Vec<Arc<Pack>>> {
        self.packs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn all_packs(&self) -> Vec<Arc<Pack>> {
        self.packs().clone()
    }

    /// Says whether there is such an object.
    pub(super) fn has(&self, id: Id) -> Result<bool, Error> {
        for pack in self.all_packs() {
            if pack.find(id)?.is_some() {
                return Ok(true);
            }
        }
        Ok(loose::has(&self.place().objects, id))
    }

    /// Reads an object; `None` when there is none.
    pub(super) fn find(&self, id: Id) -> Result<Option<(Kind, Vec<u8>)>, Error> {
        if id == Id::EMPTY_TREE {
            return Ok(Some((Kind::Tree, Vec::new())));
        }
        for _ in 0..LOOKS {
            if let Some(found) = self.find_known(id)? {
                return Ok(Some(found));
            }
            // Somebody may have packed the objects anew.
            if !self.look_again()? {
                break;
            }
        }
        Ok(None)
    }

    /// Reads an object from the first place where it is whole.
    fn find_known(&self, id: Id) -> Result<Option<(Kind, Vec<u8>)>, Error> {
        let read_loose = |id: Id| loose::read(&self.place().objects, id, OBJECT_BYTES);
        let read_packed = |pack: Arc<Pack>| match pack.find(id)? {
            Some(offset) => {
                let other = |base: Id| match base {
                    base if base == id => Ok(None),
                    base => read_loose(base),
                };
                pack.read(offset, OBJECT_BYTES, &other).map(Some)
            }
            None => Ok(None),
        };
        let packed = self.all_packs().into_iter().map(read_packed);
        let mut fault = None;
        for found in std::iter::once_with(|| read_loose(id)).chain(packed) {
            match found {
                Ok(None) => {}
                Ok(Some((kind, content))) if id.is_of(kind, &content) => {
                    return Ok(Some((kind, content)));
                }
                Ok(Some(_)) => fault = Some(damaged(format_args!("object {id} holds other bytes"))),
                Err(error @ Error::Damaged(_)) => fault = Some(error),
                Err(error) => return Err(error),
            }
        }
        fault.map_or(Ok(None), Err)
    }

    /// Reads an object that must be there.
    pub(super) fn read(&self, id: Id) -> Result<(Kind, Vec<u8>), Error> {
        self.find(id)?
            .ok_or_else(|| damaged(format_args!("object {id} is missing")))
    }

    fn read_as(&self, id: Id, kind: Kind) -> Result<Vec<u8>, Error> {
        match self.read(id)? {
            (found, content) if found == kind => Ok(content),
            _ => Err(damaged(format_args!("object {id} is of another kind"))),
        }
    }

    pub(super) fn blob(&self, id: Id) -> Result<Vec<u8>, Error> {
        self.read_as(id, Kind::Blob)
    }

    pub(super) fn tree(&self, id: Id) -> Result<Vec<u8>, Error> {
        self.read_as(id, Kind::Tree)
    }

    pub(super) fn commit(&self, id: Id) -> Result<Commit, Error> {
        object::parse_commit(&self.read_as(id, Kind::Commit)?)
    }

    /// Counts objects with files of their own, so that [`Store::tidy`] knows of those before this start.
    pub(super) fn count_loose(&self) -> Result<(), Error> {
        let n = loose::list(&self.place().objects)?.len();
        self.n_loose.store(n, Ordering::Relaxed);
        Ok(())
    }

    fn pack_writer(&self) -> Result<PackWriter, Error> {
        match &self.place().pack_dir {
            Some(dir) => PackWriter::create(dir.try_clone()?),
            None => Err(damaged("the folder for packs is missing")),
        }
    }
}

/// Says whether a file was last changed so long ago that nobody is at work on it.
fn is_old(dir: &Dir, name: &[u8]) -> bool {
    let now = std::time::SystemTime::now().duration_since(std::time::SystemTime::UNIX_EPOCH);
    let now = i128::try_from(now.unwrap_or_default().as_nanos()).unwrap_or(0);
    dir.stat(name)
        .is_ok_and(|meta| meta.mtime_ns + ABANDONED_NS < now)
}
