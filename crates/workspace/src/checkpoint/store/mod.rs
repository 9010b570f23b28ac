//! `Store`: the objects of a repository, read and written beneath the handle of its folder.
//!
//! Objects come in files of their own or many to a pack. What the store gives was asked for by id,
//! but it does not hash what it reads: whoever may write there may change the files as well.

pub(super) mod batch;
mod loose;
mod pack;
mod zlib;

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use rooted::{Dir, Durability, ErrorKind, Kind as FileKind};

use self::pack::Pack;
use self::pack::write::PackWriter;
use self::zlib::Deflater;
use super::error::{Error, damaged};
use super::id::Id;
use super::object::{self, Commit, Kind};

/// Bytes of an object, or of all that is needed to make it from differences, that are read at most.
const OBJECT_BYTES: u64 = 512 * 1024 * 1024;
/// Files of their own from which on objects are put into a pack together.
const LOOSE: usize = 2_000;
/// Bytes of a pack that is small enough to be written anew with others.
const SMALL_PACK: u64 = 8 * 1024 * 1024;
/// Small packs from which on they are put together.
const SMALL_PACKS: usize = 10;

/// The objects of one repository.
#[derive(Debug)]
pub(super) struct Store {
    objects: Dir,
    pack_dir: Option<Dir>,
    packs: Mutex<Vec<Arc<Pack>>>,
    durability: Durability,
    /// Files of their own that were written since they were last counted.
    n_loose: std::sync::atomic::AtomicUsize,
}

impl Store {
    /// Opens the folder `objects` of a repository.
    pub(super) fn open(git: &Dir, durability: Durability) -> Result<Self, Error> {
        let objects = git.open_dir(b"objects")?;
        let pack_dir = match objects.open_dir(b"pack") {
            Ok(dir) => Some(dir),
            Err(error) if matches!(error.kind, ErrorKind::NotFound) => None,
            Err(error) => return Err(error.into()),
        };
        let store = Self {
            objects,
            pack_dir,
            packs: Mutex::default(),
            durability,
            n_loose: 0.into(),
        };
        store.look_for_packs()?;
        Ok(store)
    }

    /// Removes what a process that ended was writing. Nobody else may be writing meanwhile.
    pub(super) fn sweep(&self) -> Result<(), Error> {
        loose::sweep(&self.objects)?;
        let Some(dir) = &self.pack_dir else {
            return Ok(());
        };
        let names = dir.list()?;
        for (name, kind) in &names {
            if *kind == FileKind::File && name.starts_with(pack::write::TEMP.as_bytes()) {
                let _ = dir.remove_file(name);
            }
            // A pack of ours without an index was never finished, or is being removed.
            if let Some(stem) = name.strip_suffix(b".pack") {
                let index = [stem, b".idx"].concat();
                if names.iter().all(|(name, _)| **name != *index) {
                    let _ = dir.remove_file(name);
                }
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

    /// Puts objects together when too many have files of their own, or packs are many and small.
    pub(super) fn tidy(&self) -> Result<(), Error> {
        use std::sync::atomic::Ordering::Relaxed;
        if self.n_loose.load(Relaxed) >= LOOSE {
            self.pack_loose()?;
            self.n_loose.store(0, Relaxed);
        }
        let small: Vec<_> = self
            .all_packs()
            .into_iter()
            .filter(|pack| pack.len() < SMALL_PACK)
            .collect();
        if small.len() >= SMALL_PACKS {
            self.merge(&small)?;
        }
        Ok(())
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

    fn pack_loose(&self) -> Result<(), Error> {
        let ids = loose::list(&self.objects)?;
        let mut writer = self.pack_writer()?;
        let mut deflater = Deflater::default();
        let mut packed = Vec::with_capacity(ids.len());
        for id in ids {
            match self.copy(id, &mut writer, &mut deflater) {
                Ok(()) => packed.push(id),
                // What cannot be read is left for whoever asks for it.
                Err(Error::Damaged(_)) => {}
                Err(error) => {
                    writer.discard();
                    return Err(error);
                }
            }
        }
        writer.finish(self.durability)?;
        self.look_for_packs()?;
        loose::remove(&self.objects, &packed);
        Ok(())
    }

    fn copy(&self, id: Id, writer: &mut PackWriter, deflater: &mut Deflater) -> Result<(), Error> {
        if writer.has(id) {
            return Ok(());
        }
        let (kind, content) = self.read(id)?;
        let bytes = pack::write::entry(kind, &content, deflater)
            .map_err(|error| super::error::io(error, self.objects.path()))?;
        writer.add(id, &bytes)
    }

    fn merge(&self, packs: &[Arc<Pack>]) -> Result<(), Error> {
        let Some(dir) = &self.pack_dir else {
            return Ok(());
        };
        let kept = |pack: &Pack| dir.stat(&[&*pack.stem, b".keep"].concat()).is_ok();
        let packs: Vec<_> = packs.iter().filter(|pack| !kept(pack)).collect();
        let mut writer = self.pack_writer()?;
        for pack in &packs {
            if let Err(error) = self.copy_pack(pack, None, &mut writer) {
                writer.discard();
                return Err(error);
            }
        }
        let stem = writer.finish(self.durability)?;
        for pack in packs {
            if pack.stem != stem {
                remove_pack(dir, &pack.stem);
            }
        }
        self.look_for_packs()?;
        Ok(())
    }

    /// Copies the objects of a pack, or those of them that are wanted.
    fn copy_pack(
        &self,
        pack: &Pack,
        wanted: Option<&HashSet<Id>>,
        writer: &mut PackWriter,
    ) -> Result<(), Error> {
        let mut deflater = Deflater::default();
        let mut objects = pack.objects()?;
        objects.sort_unstable_by_key(|(_, offset)| *offset);
        let ends = objects
            .iter()
            .skip(1)
            .map(|(_, offset)| *offset)
            .chain([pack.end()])
            .collect::<Vec<_>>();
        for ((id, offset), end) in objects.into_iter().zip(ends) {
            if wanted.is_some_and(|wanted| !wanted.contains(&id)) || writer.has(id) {
                continue;
            }
            match pack.whole(offset, end)? {
                Some((_, bytes)) => writer.add(id, &bytes)?,
                None => self.copy(id, writer, &mut deflater)?,
            }
        }
        Ok(())
    }

    /// Keeps these objects, all in one pack, and removes every other one.
    pub(super) fn keep_only(&self, wanted: &HashSet<Id>) -> Result<(), Error> {
        self.look_for_packs()?;
        let Some(dir) = &self.pack_dir else {
            return Err(damaged("the folder for packs is missing"));
        };
        let loose_ids = loose::list(&self.objects)?;
        let packs = self.all_packs();
        let mut writer = self.pack_writer()?;
        let mut deflater = Deflater::default();
        let copied = packs
            .iter()
            .try_for_each(|pack| self.copy_pack(pack, Some(wanted), &mut writer))
            .and_then(|()| {
                loose_ids
                    .iter()
                    .filter(|id| wanted.contains(id))
                    .try_for_each(|id| self.copy(*id, &mut writer, &mut deflater))
            });
        if let Err(error) = copied {
            writer.discard();
            return Err(error);
        }
        let stem = writer.finish(self.durability)?;
        // From here on everything wanted is in the new pack.
        self.remove_derived(dir);
        for pack in packs {
            if pack.stem != stem {
                remove_pack(dir, &pack.stem);
            }
        }
        loose::remove(&self.objects, &loose_ids);
        self.look_for_packs()?;
        Ok(())
    }

    /// Removes what git derived from the objects there were, and would trust.
    fn remove_derived(&self, dir: &Dir) {
        for (name, kind) in dir.list().unwrap_or_default() {
            if kind == FileKind::File && name.starts_with(b"multi-pack-index") {
                let _ = dir.remove_file(&name);
            }
        }
        let Ok(info) = self.objects.open_dir(b"info") else {
            return;
        };
        let _ = info.remove_file(b"commit-graph");
        if let Ok(graphs) = info.open_dir(b"commit-graphs") {
            for (name, _) in graphs.list().unwrap_or_default() {
                let _ = graphs.remove_file(&name);
            }
        }
    }
}

/// Removes a pack, the index first: without it the pack counts for nothing.
fn remove_pack(dir: &Dir, stem: &[u8]) {
    for ending in [
        &b".idx"[..],
        b".pack",
        b".rev",
        b".bitmap",
        b".mtimes",
        b".keep",
        b".promisor",
    ] {
        let _ = dir.remove_file(&[stem, ending].concat());
    }
}
