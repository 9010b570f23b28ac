//! `Store`: the objects of a repository, read and written beneath the handle of its folder.
//!
//! Objects come in files of their own or many to a pack. What the store gives was asked for by id,
//! but it does not hash what it reads: whoever may write there may change the files as well.

pub(super) mod batch;
mod loose;
mod pack;
mod pairs;
mod repack;
mod zlib;

use std::sync::{Arc, Mutex, PoisonError};

use rooted::{Dir, Durability, ErrorKind, FileId, Kind as FileKind};

use self::pack::Pack;
use self::pack::write::PackWriter;
use super::error::{Error, damaged};
use super::id::Id;
use super::object::{self, Commit, Kind};

/// Bytes of an object, or of all that is needed to make it from differences, that are read at most.
const OBJECT_BYTES: u64 = 512 * 1024 * 1024;
/// The folder of a repository that holds its objects.
const OBJECTS: &[u8] = b"objects";
/// How long a pack without an index, or an index without a pack, may belong to a program at work.
const ABANDONED_NS: i128 = 24 * 3600 * 1_000_000_000;

/// The objects of one repository.
#[derive(Debug)]
pub(super) struct Store {
    objects: Dir,
    id: FileId,
    pack_dir: Option<Dir>,
    packs: Mutex<Vec<Arc<Pack>>>,
    durability: Durability,
    /// Files of their own that were written since they were last counted.
    n_loose: std::sync::atomic::AtomicUsize,
}

impl Store {
    /// Opens the folder `objects` of a repository.
    pub(super) fn open(git: &Dir, durability: Durability) -> Result<Self, Error> {
        let objects = git.open_dir(OBJECTS)?;
        let pack_dir = match objects.open_dir(b"pack") {
            Ok(dir) => Some(dir),
            Err(error) if matches!(error.kind, ErrorKind::NotFound) => None,
            Err(error) => return Err(error.into()),
        };
        let store = Self {
            id: objects.meta()?.id,
            objects,
            pack_dir,
            packs: Mutex::default(),
            durability,
            n_loose: 0.into(),
        };
        store.look_for_packs()?;
        Ok(store)
    }

    /// Says whether the folder is still the one that has the name; pruning makes another one.
    pub(super) fn is_current(&self, git: &Dir) -> bool {
        git.stat(OBJECTS)
            .is_ok_and(|meta| meta.kind == FileKind::Dir && meta.id == self.id)
    }

    /// Removes what a process that ended was writing. Nobody else may be writing meanwhile.
    pub(super) fn sweep(&self) -> Result<(), Error> {
        loose::sweep(&self.objects)?;
        let Some(dir) = &self.pack_dir else {
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
        let Some(dir) = &self.pack_dir else {
            return Ok(false);
        };
        let names = dir.list()?;
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
                Err(Error::Workspace(crate::Error::PathNotFound(_))) => continue,
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
        Ok(loose::has(&self.objects, id))
    }

    /// Reads an object; `None` when there is none.
    pub(super) fn find(&self, id: Id) -> Result<Option<(Kind, Vec<u8>)>, Error> {
        if id == Id::EMPTY_TREE {
            return Ok(Some((Kind::Tree, Vec::new())));
        }
        if let Some(found) = self.find_known(id)? {
            return Ok(Some(found));
        }
        // Somebody may have packed the objects anew.
        if self.look_for_packs()? {
            return self.find_known(id);
        }
        Ok(None)
    }

    fn find_known(&self, id: Id) -> Result<Option<(Kind, Vec<u8>)>, Error> {
        if let Some(found) = loose::read(&self.objects, id, OBJECT_BYTES)? {
            return Ok(Some(found));
        }
        for pack in self.all_packs() {
            if let Some(offset) = pack.find(id)? {
                let other = |base: Id| {
                    if base == id {
                        return Ok(None);
                    }
                    loose::read(&self.objects, base, OBJECT_BYTES)
                };
                return pack.read(offset, OBJECT_BYTES, &other).map(Some);
            }
        }
        Ok(None)
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
        let n = loose::list(&self.objects)?.len();
        self.n_loose.store(n, std::sync::atomic::Ordering::Relaxed);
        Ok(())
    }

    fn pack_writer(&self) -> Result<PackWriter, Error> {
        match &self.pack_dir {
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
