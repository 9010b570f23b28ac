//! Putting objects together in packs.
//!
//! A new pack is flushed before anything that it stands for is removed, so a process that ends at any
//! instant, and one that reads meanwhile, finds each object in one place or the other.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use rooted::Dir;

use super::pack::write::{PackWriter, entry};
use super::pack::{Pack, Place, Raw, delta};
use super::pairs::{self, Budget};
use super::zlib::Deflater;
use super::{Store, loose};
use crate::checkpoint::error::{Error, damaged, io};
use crate::checkpoint::id::Id;
use crate::checkpoint::object::Kind;

/// Files of their own from which on objects are put into a pack together.
const LOOSE: usize = 500;
/// Bytes of objects that are compared, and copied, for that at a time, so that no caller waits for long.
const STEP_BYTES: u64 = 3 * 1024 * 1024;
/// Packs of about the same size from which on they are put together.
const PACKS: usize = 8;
/// Bytes below which packs are of about the same size; the largest bound is what a checkpoint may
/// spend time on, packs beyond it are put together only on demand.
const SIZES: [u64; 3] = [64 * 1024, 512 * 1024, 4 * 1024 * 1024];
/// Differences on differences that are made.
const CHAIN: usize = 40;

impl Store {
    /// Puts objects together when many have files of their own, or packs are many and small. Each call
    /// does a bounded part of the work.
    ///
    /// # Errors
    /// [`Error::Damaged`]; what the disk says. Nothing is lost then, and it is not tried again before
    /// the next start.
    pub(in crate::checkpoint) fn tidy(&self, head: Id) -> Result<(), Error> {
        if self.is_stuck.load(Ordering::Relaxed) {
            return Ok(());
        }
        self.tidy_once(head)
            .inspect_err(|_| self.is_stuck.store(true, Ordering::Relaxed))
    }

    fn tidy_once(&self, head: Id) -> Result<(), Error> {
        if self.n_loose.load(Ordering::Relaxed) >= LOOSE {
            return self.pack_loose(head);
        }
        let mut least = 0;
        for most in SIZES {
            let alike: Vec<_> = self
                .all_packs()
                .into_iter()
                .filter(|pack| (least..most).contains(&pack.len()))
                .collect();
            if alike.len() >= PACKS {
                return self.merge(&alike);
            }
            least = most;
        }
        Ok(())
    }

    fn pack_loose(&self, head: Id) -> Result<(), Error> {
        let place = self.place();
        let ids = loose::list(&place.objects)?;
        let mut copier = Copier::new(self, self.pack_writer()?);
        copier.budget = Budget::new(STEP_BYTES);
        if let Err(error) = copier.loose(head, &ids) {
            copier.writer.discard();
            return Err(error);
        }
        let writer = copier.writer;
        let packed: Vec<Id> = ids.iter().copied().filter(|id| writer.has(*id)).collect();
        // Those that cannot be packed do not count.
        let n_left = if packed.is_empty() {
            0
        } else {
            ids.len() - packed.len()
        };
        self.n_loose.store(n_left, Ordering::Relaxed);
        if packed.is_empty() {
            writer.discard();
            return Ok(());
        }
        writer.finish(self.durability)?;
        self.look_for_packs()?;
        loose::remove(&place.objects, &packed);
        Ok(())
    }

    fn merge(&self, packs: &[Arc<Pack>]) -> Result<(), Error> {
        let place = self.place();
        let Some(dir) = &place.pack_dir else {
            return Ok(());
        };
        let is_kept = |pack: &Pack| dir.stat(&[&*pack.stem, b".keep"].concat()).is_ok();
        let packs: Vec<_> = packs.iter().filter(|pack| !is_kept(pack)).collect();
        if packs.len() < 2 {
            return Ok(());
        }
        let mut copier = Copier::new(self, self.pack_writer()?);
        for pack in &packs {
            if let Err(error) = copier.pack(pack, None) {
                copier.writer.discard();
                return Err(error);
            }
        }
        let stem = copier.writer.finish(self.durability)?;
        for pack in packs {
            if pack.stem != stem {
                remove_pack(dir, &pack.stem);
            }
        }
        self.look_for_packs()?;
        Ok(())
    }
}

/// Copies objects of a store into a new pack.
pub(super) struct Copier<'a> {
    store: &'a Store,
    pub(super) writer: PackWriter,
    deflater: Deflater,
    /// How many differences have to be followed to make an object, if it is told as one.
    depths: HashMap<Id, usize>,
    /// What was read last, which is often what the next difference is made to.
    last: Option<(Id, Kind, Vec<u8>)>,
    budget: Budget,
}

impl<'a> Copier<'a> {
    pub(super) fn new(store: &'a Store, writer: PackWriter) -> Self {
        Self {
            store,
            writer,
            deflater: Deflater::default(),
            depths: HashMap::new(),
            last: None,
            budget: Budget::UNLIMITED,
        }
    }

    /// Copies objects with files of their own, as far as the budget goes; one that cannot be read is
    /// left to whoever asks for it.
    pub(super) fn loose(&mut self, head: Id, ids: &[Id]) -> Result<(), Error> {
        let all: HashSet<Id> = ids.iter().copied().collect();
        // Looking for versions and copying them are bounded each for itself.
        let mut looking = self.budget;
        let mut pairs = match pairs::look(self.store, head, &all, &mut looking) {
            // What cannot be told as a difference is copied whole.
            Err(Error::Damaged(_)) => pairs::Pairs::whole(),
            looked => looked?,
        };
        let newer = std::mem::take(&mut pairs.newer);
        if pairs.is_whole {
            return self.lines(ids, &newer);
        }
        let mut found = pairs.checkpoints;
        found.extend(newer.iter().flat_map(|(old, new)| [*old, *new]));
        self.lines(&found, &newer)
    }

    fn lines(&mut self, ids: &[Id], newer: &HashMap<Id, Id>) -> Result<(), Error> {
        for id in ids {
            if self.budget.is_spent() {
                break;
            }
            // The newest version first, then each older one as a difference to it.
            let mut line = vec![*id];
            while let Some(next) = line.last().and_then(|id| newer.get(id)) {
                if line.contains(next) {
                    break;
                }
                line.push(*next);
                if line.len() > CHAIN || self.writer.has(*next) {
                    break;
                }
            }
            while let Some(id) = line.pop() {
                match self.version(id, newer.get(&id).copied()) {
                    Ok(()) | Err(Error::Damaged(_)) => {}
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(())
    }

    /// Copies an object, as the difference to another one where that pays.
    fn version(&mut self, id: Id, newer: Option<Id>) -> Result<(), Error> {
        if self.writer.has(id) {
            return Ok(());
        }
        let (kind, content) = self.store.read(id)?;
        self.budget.spend(content.len());
        let base = newer.filter(|base| self.writer.has(*base));
        if let Some(base) = base {
            let depth = self.depths.get(&base).map_or(1, |depth| depth + 1);
            let difference = if depth <= CHAIN {
                let base = self.base(base)?;
                base.filter(|(of, _)| *of == kind)
                    .and_then(|(_, from)| delta::make(from, &content))
            } else {
                None
            };
            if let Some(difference) = difference {
                let mut packed = Vec::new();
                self.deflater
                    .pack(&[&difference], &mut packed)
                    .map_err(|error| self.fault(error))?;
                self.depths.insert(id, depth);
                self.writer
                    .add_difference(id, base, difference.len() as u64, &packed)?;
                self.last = Some((id, kind, content));
                return Ok(());
            }
        }
        self.whole(id, kind, &content)?;
        self.last = Some((id, kind, content));
        Ok(())
    }

    /// The object that a difference is to start from.
    fn base(&mut self, id: Id) -> Result<Option<(Kind, &[u8])>, Error> {
        if self.last.as_ref().is_none_or(|(last, ..)| *last != id) {
            let (kind, content) = self.store.read(id)?;
            self.budget.spend(content.len());
            self.last = Some((id, kind, content));
        }
        let last = self.last.as_ref();
        Ok(last.map(|(_, kind, content)| (*kind, content.as_slice())))
    }

    fn whole(&mut self, id: Id, kind: Kind, content: &[u8]) -> Result<(), Error> {
        let bytes = entry(kind, content, &mut self.deflater).map_err(|error| self.fault(error))?;
        self.writer.add(id, &bytes)
    }

    fn fault(&self, error: std::io::Error) -> Error {
        io(error, self.store.place().objects.path())
    }

    /// Copies the objects of a pack, or those of them that are wanted, as they stand there.
    ///
    /// What is a difference to something that is left out becomes one to what that was a difference to,
    /// or to another one that was made from the same; no chain gets longer that way.
    pub(super) fn pack(&mut self, pack: &Pack, wanted: Option<&HashSet<Id>>) -> Result<(), Error> {
        let objects = pack.objects()?;
        let id_of = |base: Place| match base {
            Place::Of(base) => Some(base),
            Place::At(at) => objects
                .binary_search_by_key(&at, |object| object.offset)
                .ok()
                .and_then(|place| objects.get(place))
                .map(|object| object.id),
        };
        // What an object left out was made from, followed to something that is copied or whole.
        let mut origins: HashMap<Id, Id> = HashMap::new();
        // What is copied whole in the place of such a whole one.
        let mut heirs: HashMap<Id, Id> = HashMap::new();
        for object in &objects {
            let id = object.id;
            if self.writer.has(id) {
                continue;
            }
            let origin_of = |base: Id| *origins.get(&base).unwrap_or(&base);
            if wanted.is_some_and(|wanted| !wanted.contains(&id)) {
                if let Some(base) = pack.base(object).and_then(id_of) {
                    origins.insert(id, origin_of(base));
                }
                continue;
            }
            match pack.raw(object)? {
                Raw::Whole(bytes) => self.writer.add(id, &bytes)?,
                Raw::Difference { base, len, packed } => {
                    let base = id_of(base).ok_or_else(|| damaged("a pack"))?;
                    if self.writer.add_difference(id, base, len, &packed)? {
                        continue;
                    }
                    let origin = origin_of(base);
                    self.version(id, Some(*heirs.get(&origin).unwrap_or(&origin)))?;
                    if !self.depths.contains_key(&id) {
                        heirs.insert(origin, id);
                    }
                }
            }
        }
        Ok(())
    }
}

/// Removes a pack, the index first: without it the pack counts for nothing.
pub(super) fn remove_pack(dir: &Dir, stem: &[u8]) {
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
