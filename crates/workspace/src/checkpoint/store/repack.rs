//! Putting objects together in packs, and leaving out those that nobody needs.
//!
//! A new pack is flushed before anything that it stands for is removed.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use rooted::{Dir, Durability, ErrorKind, Kind as FileKind};

use super::pack::write::{PackWriter, entry};
use super::pack::{Pack, Place, Raw, delta};
use super::zlib::Deflater;
use super::{OBJECTS, Store, loose, pairs};
use crate::checkpoint::error::{Error, damaged, io};
use crate::checkpoint::files;
use crate::checkpoint::id::Id;

/// Files of their own from which on objects are put into a pack together.
const LOOSE: usize = 500;
/// Packs of about the same size from which on they are put together.
const PACKS: usize = 8;
/// Bytes below which packs are of about the same size; the largest bound is what a checkpoint may
/// spend time on, packs beyond it are put together only on demand.
const SIZES: [u64; 3] = [64 * 1024, 512 * 1024, 4 * 1024 * 1024];
/// Differences on differences that are made.
const CHAIN: usize = 40;

/// What there was when a folder of objects was made anew.
struct Old {
    loose: Vec<Id>,
    packs: Vec<Arc<Pack>>,
}

impl Store {
    /// Puts objects together when many have files of their own, or packs are many and small.
    pub(in crate::checkpoint) fn tidy(&self) -> Result<(), Error> {
        if self.n_loose.load(Ordering::Relaxed) >= LOOSE {
            self.pack_loose()?;
            self.n_loose.store(0, Ordering::Relaxed);
        }
        let mut least = 0;
        for most in SIZES {
            let alike: Vec<_> = self
                .all_packs()
                .into_iter()
                .filter(|pack| (least..most).contains(&pack.len()))
                .collect();
            if alike.len() >= PACKS {
                self.merge(&alike)?;
            }
            least = most;
        }
        Ok(())
    }

    fn pack_loose(&self) -> Result<(), Error> {
        let ids = loose::list(&self.objects)?;
        let mut writer = self.pack_writer()?;
        match self.copy_loose(&ids, &mut writer) {
            Ok(()) => {}
            Err(error) => {
                writer.discard();
                return Err(error);
            }
        }
        let packed: Vec<Id> = ids.into_iter().filter(|id| writer.has(*id)).collect();
        writer.finish(self.durability)?;
        self.look_for_packs()?;
        loose::remove(&self.objects, &packed);
        Ok(())
    }

    /// Copies objects with files of their own; one that cannot be read is left to whoever asks for it.
    fn copy_loose(&self, ids: &[Id], writer: &mut PackWriter) -> Result<(), Error> {
        let all: HashSet<Id> = ids.iter().copied().collect();
        // What cannot be told as a difference is copied whole.
        let newer = pairs::newer_versions(self, &all).unwrap_or_default();
        let mut deflater = Deflater::default();
        let mut depths = HashMap::new();
        for id in ids {
            // The newest version first, then each older one as a difference to it.
            let mut line = vec![*id];
            while let Some(next) = line.last().and_then(|id| newer.get(id)) {
                if line.contains(next) || line.len() > CHAIN || writer.has(*next) {
                    line.extend((!line.contains(next)).then_some(*next));
                    break;
                }
                line.push(*next);
            }
            while let Some(id) = line.pop() {
                if writer.has(id) {
                    continue;
                }
                let base = newer.get(&id).filter(|base| writer.has(**base));
                let depth = base.map_or(0, |base| depths.get(base).map_or(1, |n: &usize| n + 1));
                let done = match base.filter(|_| depth <= CHAIN) {
                    Some(base) => self.copy_difference(id, *base, writer, &mut deflater),
                    None => Ok(false),
                };
                let copied = match done {
                    Ok(true) => {
                        depths.insert(id, depth);
                        continue;
                    }
                    Ok(false) => self.copy(id, writer, &mut deflater),
                    Err(error) => Err(error),
                };
                match copied {
                    Ok(()) | Err(Error::Damaged(_)) => {}
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(())
    }

    /// Copies an object as the difference to another one, where that pays; says whether it did.
    fn copy_difference(
        &self,
        id: Id,
        base: Id,
        writer: &mut PackWriter,
        deflater: &mut Deflater,
    ) -> Result<bool, Error> {
        if writer.has(id) {
            return Ok(true);
        }
        let ((kind, made), (base_kind, from)) = (self.read(id)?, self.read(base)?);
        if kind != base_kind {
            return Ok(false);
        }
        let Some(difference) = delta::make(&from, &made) else {
            return Ok(false);
        };
        let mut packed = Vec::new();
        deflater
            .pack(&[&difference], &mut packed)
            .map_err(|error| io(error, self.objects.path()))?;
        writer.add_difference(id, base, difference.len() as u64, &packed)
    }

    fn copy(&self, id: Id, writer: &mut PackWriter, deflater: &mut Deflater) -> Result<(), Error> {
        if writer.has(id) {
            return Ok(());
        }
        let (kind, content) = self.read(id)?;
        let bytes =
            entry(kind, &content, deflater).map_err(|error| io(error, self.objects.path()))?;
        writer.add(id, &bytes)
    }

    fn merge(&self, packs: &[Arc<Pack>]) -> Result<(), Error> {
        let Some(dir) = &self.pack_dir else {
            return Ok(());
        };
        let is_kept = |pack: &Pack| dir.stat(&[&*pack.stem, b".keep"].concat()).is_ok();
        let packs: Vec<_> = packs.iter().filter(|pack| !is_kept(pack)).collect();
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

    /// Copies the objects of a pack, or those of them that are wanted, as they stand there.
    fn copy_pack(
        &self,
        pack: &Pack,
        wanted: Option<&HashSet<Id>>,
        writer: &mut PackWriter,
    ) -> Result<(), Error> {
        let mut deflater = Deflater::default();
        let mut objects = pack.objects()?;
        objects.sort_unstable_by_key(|(_, offset)| *offset);
        let ends: Vec<u64> = objects
            .iter()
            .skip(1)
            .map(|(_, offset)| *offset)
            .chain([pack.end()])
            .collect();
        for ((id, offset), end) in objects.iter().zip(ends) {
            if wanted.is_some_and(|wanted| !wanted.contains(id)) || writer.has(*id) {
                continue;
            }
            match pack.raw(*offset, end)? {
                Raw::Whole(bytes) => writer.add(*id, &bytes)?,
                Raw::Difference { base, len, packed } => {
                    let base = match base {
                        Place::Of(base) => Some(base),
                        Place::At(at) => objects
                            .binary_search_by_key(&at, |(_, offset)| *offset)
                            .ok()
                            .and_then(|place| objects.get(place))
                            .map(|(id, _)| *id),
                    };
                    let base = base.ok_or_else(|| damaged("a pack"))?;
                    if !writer.add_difference(*id, base, len, &packed)? {
                        self.copy(*id, writer, &mut deflater)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Keeps these objects, all in one pack, and removes every other one.
    ///
    /// The folder of objects is made anew and exchanged for the old one in one step: there is no moment
    /// at which an object that is to go is there, and what it refers to is not.
    pub(in crate::checkpoint) fn keep_only(
        &mut self,
        git: &Dir,
        wanted: &HashSet<Id>,
    ) -> Result<(), Error> {
        self.look_for_packs()?;
        let temp = rooted::temp_name();
        let done = self.build(git, &temp, wanted).and_then(|old| {
            self.replace(git, &temp, &old)?;
            self.n_loose.store(0, Ordering::Relaxed);
            Ok(())
        });
        files::remove_all(git, &temp);
        done
    }

    /// Makes a folder of objects with these ones only; tells what there is in the one in use.
    fn build(&self, git: &Dir, temp: &[u8], wanted: &HashSet<Id>) -> Result<Old, Error> {
        let loose = loose::list(&self.objects)?;
        let packs = self.all_packs();
        let dir = files::make(git, &[temp, b"pack"])?;
        files::make(git, &[temp, b"info"])?;
        let mut writer = PackWriter::create(dir)?;
        let wanted_loose: Vec<Id> = loose
            .iter()
            .copied()
            .filter(|id| wanted.contains(id))
            .collect();
        packs
            .iter()
            .try_for_each(|pack| self.copy_pack(pack, Some(wanted), &mut writer))?;
        self.copy_loose(&wanted_loose, &mut writer)?;
        // Nothing is removed while something cannot be kept.
        if let Some(id) = wanted.iter().find(|id| lacks(&writer, **id)) {
            return Err(damaged(format_args!("object {id} is missing")));
        }
        writer.finish(self.durability)?;
        if self.durability == Durability::Power {
            git.open_dir(temp)?.sync()?;
        }
        Ok(Old { loose, packs })
    }

    /// Puts a new folder of objects in the place of the old one.
    fn replace(&mut self, git: &Dir, temp: &[u8], old: &Old) -> Result<(), Error> {
        match git.exchange(temp, git, OBJECTS) {
            Ok(()) => {}
            Err(error) if matches!(error.kind, ErrorKind::Unsupported) => {
                return self.replace_by_parts(git, temp, old);
            }
            Err(error) => return Err(error.into()),
        }
        if self.durability == Durability::Power {
            git.sync()?;
        }
        *self = Self::open(git, self.durability)?;
        // What another program added meanwhile moves over.
        let before = git.open_dir(temp)?;
        let known: HashSet<Id> = old.loose.iter().copied().collect();
        for id in loose::list(&before)? {
            if !known.contains(&id) {
                loose::move_to(&before, &self.objects, id)?;
            }
        }
        if let (Some(from), Some(to)) = (files::open(&before, &[b"pack"])?, &self.pack_dir) {
            for (name, kind) in from.list()? {
                let is_known = old.packs.iter().any(|pack| name.starts_with(&pack.stem));
                if kind == FileKind::File && name.starts_with(b"pack-") && !is_known {
                    from.rename(&name, to, &name)?;
                }
            }
        }
        self.look_for_packs()?;
        Ok(())
    }

    /// [`Store::replace`] where names cannot be exchanged: a process that ends in the middle of it
    /// leaves objects that nobody needs.
    fn replace_by_parts(&self, git: &Dir, temp: &[u8], old: &Old) -> Result<(), Error> {
        let from = files::make(git, &[temp, b"pack"])?;
        let Some(dir) = &self.pack_dir else {
            return Err(damaged("the folder for packs is missing"));
        };
        let names = from.list()?;
        for (name, _) in &names {
            from.rename(name, dir, name)?;
        }
        if self.durability == Durability::Power {
            dir.sync()?;
        }
        self.remove_derived(dir);
        for pack in &old.packs {
            if names.iter().all(|(name, _)| !name.starts_with(&pack.stem)) {
                remove_pack(dir, &pack.stem);
            }
        }
        loose::remove(&self.objects, &old.loose);
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

/// Says whether an object is not in a new pack, and is not the one that is known without being there.
fn lacks(writer: &PackWriter, id: Id) -> bool {
    id != Id::EMPTY_TREE && !writer.has(id)
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
