//! `Batch`: the new objects of one checkpoint, on disk before anything refers to them.
//!
//! A few become files of their own; many go into a pack as they come, so that the first checkpoint
//! of a large folder makes one file and not one for each of its files.

use std::collections::HashSet;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rooted::Durability;

use super::pack::write::{PackWriter, entry};
use super::zlib::Deflater;
use super::{Store, flush, loose};
use crate::checkpoint::error::{Error, io};
use crate::checkpoint::id::Id;
use crate::checkpoint::object::Kind;

/// Objects that become files of their own at most.
const FEW: usize = 64;
/// Bytes that are held before a pack is begun.
const HELD: usize = 4 * 1024 * 1024;

/// New objects, added by any number of threads.
pub(in crate::checkpoint) struct Batch<'a> {
    store: &'a Store,
    state: Mutex<State>,
}

enum State {
    Few {
        ids: HashSet<Id>,
        objects: Vec<(Id, Kind, Vec<u8>)>,
        bytes: usize,
    },
    Many(Box<PackWriter>),
}

/// What one thread needs to add objects.
#[derive(Default)]
pub(in crate::checkpoint) struct Adder(Deflater);

impl<'a> Batch<'a> {
    pub(in crate::checkpoint) fn new(store: &'a Store) -> Self {
        Self {
            store,
            state: Mutex::new(State::Few {
                ids: HashSet::new(),
                objects: Vec::new(),
                bytes: 0,
            }),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds an object, unless the store has it.
    pub(in crate::checkpoint) fn add(
        &self,
        kind: Kind,
        content: Vec<u8>,
        adder: &mut Adder,
    ) -> Result<Id, Error> {
        let id = Id::of(kind, &content)?;
        self.add_known(id, kind, content, adder)?;
        Ok(id)
    }

    /// [`Batch::add`] for content whose id is known already.
    pub(in crate::checkpoint) fn add_known(
        &self,
        id: Id,
        kind: Kind,
        content: Vec<u8>,
        adder: &mut Adder,
    ) -> Result<(), Error> {
        if self.store.has(id)? {
            return Ok(());
        }
        {
            let mut state = self.state();
            match &mut *state {
                State::Few {
                    ids,
                    objects,
                    bytes,
                } => {
                    if !ids.insert(id) {
                        return Ok(());
                    }
                    *bytes += content.len();
                    objects.push((id, kind, content));
                    if objects.len() > FEW || *bytes > HELD {
                        let objects = std::mem::take(objects);
                        *state = State::Many(Box::new(self.begin(&objects, adder)?));
                    }
                    return Ok(());
                }
                State::Many(writer) if writer.has(id) => return Ok(()),
                State::Many(_) => {}
            }
        }
        // Outside the lock, since this is most of the work.
        let bytes = self.entry(kind, &content, adder)?;
        if let State::Many(writer) = &mut *self.state() {
            writer.add(id, &bytes)?;
        }
        Ok(())
    }

    fn entry(&self, kind: Kind, content: &[u8], adder: &mut Adder) -> Result<Vec<u8>, Error> {
        entry(kind, content, &mut adder.0)
            .map_err(|error| io(error, self.store.place().objects.path()))
    }

    fn begin(
        &self,
        objects: &[(Id, Kind, Vec<u8>)],
        adder: &mut Adder,
    ) -> Result<PackWriter, Error> {
        let mut writer = self.store.pack_writer()?;
        for (id, kind, content) in objects {
            let added = self
                .entry(*kind, content, adder)
                .and_then(|bytes| writer.add(*id, &bytes));
            if let Err(error) = added {
                writer.discard();
                return Err(error);
            }
        }
        Ok(writer)
    }

    /// Brings all of it to the disk.
    pub(in crate::checkpoint) fn finish(self) -> Result<(), Error> {
        let store = self.store;
        match self
            .state
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
        {
            State::Few { objects, .. } => {
                let place = store.place();
                flush::each(&objects, |(id, kind, content)| {
                    loose::write(&place.objects, *id, *kind, content, store.durability)
                })?;
                store.n_loose.fetch_add(objects.len(), Ordering::Relaxed);
                if store.durability == Durability::Power {
                    let ids: Vec<Id> = objects.iter().map(|(id, ..)| *id).collect();
                    loose::sync(&place.objects, &ids)?;
                }
            }
            State::Many(writer) => {
                writer.finish(store.durability)?;
                store.look_for_packs()?;
            }
        }
        Ok(())
    }

    /// Gives up what was added.
    pub(in crate::checkpoint) fn discard(self) {
        if let Ok(State::Many(writer)) = self.state.into_inner() {
            writer.discard();
        }
    }
}
