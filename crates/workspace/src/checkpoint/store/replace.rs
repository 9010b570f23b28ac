//! Leaving out objects that nobody needs.
//!
//! The folder of objects is made anew and exchanged for the old one in one step: there is no moment at
//! which an object that is to go is there, and what it refers to is not.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use rooted::{Dir, Durability, ErrorKind, Kind as FileKind};

use super::pack::Pack;
use super::pack::write::PackWriter;
use super::repack::{Copier, remove_pack};
use super::{OBJECTS, Store, loose};
use crate::checkpoint::error::{Error, damaged};
use crate::checkpoint::files;
use crate::checkpoint::id::Id;

/// The list, in the new folder, of what there was in the old one when the new one was made: the name
/// of the old one, and then what need not be taken over from it. It is there until that is done.
const REPLACED: &[u8] = b"workspace-mcp-replaced";
/// Bytes of that list.
const REPLACED_BYTES: u64 = 1 << 30;

/// All objects that there are at one moment.
pub(in crate::checkpoint) struct There {
    loose: Vec<Id>,
    packs: Vec<Arc<Pack>>,
}

/// What [`Store::keep_only`] is to do.
pub(in crate::checkpoint) struct Keep<'a> {
    /// What there was before anybody looked at what is wanted.
    pub(in crate::checkpoint) there: &'a There,
    pub(in crate::checkpoint) wanted: &'a HashSet<Id>,
    /// The newest checkpoint.
    pub(in crate::checkpoint) head: Id,
    /// Called when everything wanted is on the disk, and nothing else is removed yet.
    pub(in crate::checkpoint) get_ready: &'a dyn Fn() -> Result<(), Error>,
}

impl Store {
    /// Looks at which objects there are.
    pub(in crate::checkpoint) fn there(&self) -> Result<There, Error> {
        self.look_again()?;
        Ok(There {
            loose: loose::list(&self.place().objects)?,
            packs: self.all_packs(),
        })
    }

    /// Keeps the objects wanted, all in one pack, and what was added meanwhile; removes every other one.
    ///
    /// # Errors
    /// [`Error::Damaged`] when something wanted cannot be read; what `get_ready` or the disk says. Nothing
    /// is removed then.
    pub(in crate::checkpoint) fn keep_only(&self, keep: &Keep<'_>) -> Result<(), Error> {
        let temp = rooted::temp_name();
        let done = self.build(&temp, keep).and_then(|()| {
            self.replace(&temp, keep)?;
            self.n_loose.store(0, Ordering::Relaxed);
            Ok(())
        });
        // What could not be taken over is tried again at the next start.
        let is_left = match self.git.open_dir(OBJECTS) {
            Ok(objects) => listed(&objects)?.is_some(),
            Err(_) => true,
        };
        if !is_left {
            files::remove_all(&self.git, &temp);
        }
        done
    }

    /// Makes a folder of objects with those wanted only.
    fn build(&self, temp: &[u8], keep: &Keep<'_>) -> Result<(), Error> {
        let dir = files::make(&self.git, &[temp, b"pack"])?;
        let info = files::make(&self.git, &[temp, b"info"])?;
        let mut copier = Copier::new(self, PackWriter::create(dir)?);
        let wanted_loose: Vec<Id> = keep
            .there
            .loose
            .iter()
            .copied()
            .filter(|id| keep.wanted.contains(id))
            .collect();
        for pack in &keep.there.packs {
            copier.pack(pack, Some(keep.wanted))?;
        }
        copier.loose(keep.head, &wanted_loose)?;
        // The empty folder is known without being there.
        let mut wanted = keep.wanted.iter();
        if let Some(id) = wanted.find(|id| **id != Id::EMPTY_TREE && !copier.writer.has(**id)) {
            return Err(damaged(format_args!("object {id} is missing")));
        }
        copier.writer.finish(self.durability)?;
        let mut list = [temp, b"\n"].concat();
        for id in &keep.there.loose {
            list.extend_from_slice(format!("{id}\n").as_bytes());
        }
        for pack in &keep.there.packs {
            list.extend_from_slice(&[&*pack.stem, b"\n"].concat());
        }
        files::write(&info, REPLACED, &list, self.durability)?;
        if self.durability == Durability::Power {
            self.git.open_dir(temp)?.sync()?;
        }
        (keep.get_ready)()
    }

    /// Puts a new folder of objects in the place of the old one.
    fn replace(&self, temp: &[u8], keep: &Keep<'_>) -> Result<(), Error> {
        match self.git.exchange(temp, &self.git, OBJECTS) {
            Ok(()) => {}
            Err(error) if matches!(error.kind, ErrorKind::Unsupported) => {
                return self.replace_by_parts(temp, keep.there);
            }
            Err(error) => return Err(error.into()),
        }
        if self.durability == Durability::Power {
            self.git.sync()?;
        }
        take_over(&self.git, self.durability)?;
        self.look_again()?;
        Ok(())
    }

    /// [`Store::replace`] where names cannot be exchanged: a process that ends in the middle of it
    /// leaves objects that nobody needs.
    fn replace_by_parts(&self, temp: &[u8], there: &There) -> Result<(), Error> {
        let from = files::make(&self.git, &[temp, b"pack"])?;
        let place = self.place();
        let Some(dir) = &place.pack_dir else {
            return Err(damaged("the folder for packs is missing"));
        };
        let names = from.list()?;
        for (name, _) in &names {
            // A pack is named by its content: one that is there is the same, and may be open.
            match dir.stat(name) {
                Ok(_) => {}
                Err(error) if matches!(error.kind, ErrorKind::NotFound) => {
                    from.rename(name, dir, name)?;
                }
                Err(error) => return Err(error.into()),
            }
        }
        if self.durability == Durability::Power {
            dir.sync()?;
        }
        remove_derived(&place.objects, dir);
        for pack in &there.packs {
            if names.iter().all(|(name, _)| !name.starts_with(&pack.stem)) {
                remove_pack(dir, &pack.stem);
            }
        }
        loose::remove(&place.objects, &there.loose);
        self.look_for_packs()?;
        Ok(())
    }
}

/// Moves what another program put into the old folder of objects, while the new one was made, over into
/// that; where another process ended before it had done so, too.
pub(in crate::checkpoint) fn take_over(git: &Dir, durability: Durability) -> Result<(), Error> {
    let objects = git.open_dir(OBJECTS)?;
    let Some(list) = listed(&objects)? else {
        return Ok(());
    };
    let mut lines = list.split(|&byte| byte == b'\n');
    let temp = lines.next().unwrap_or_default();
    let known: HashSet<&[u8]> = lines.collect();
    let old = match temp {
        temp if rooted::is_temp_name(temp) => files::open(git, &[temp])?,
        _ => None,
    };
    if let Some(old) = old {
        let is_new = |id: &Id| !known.contains(id.to_string().as_bytes());
        let ids: Vec<Id> = loose::list(&old)?.into_iter().filter(is_new).collect();
        for id in &ids {
            loose::move_to(&old, &objects, *id)?;
        }
        if durability == Durability::Power {
            loose::sync(&objects, &ids)?;
        }
        if let Some(from) = files::open(&old, &[b"pack"])? {
            let to = files::make(&objects, &[b"pack"])?;
            for (name, kind) in from.list()? {
                let stem = name.split(|&byte| byte == b'.').next().unwrap_or_default();
                if kind == FileKind::File && name.starts_with(b"pack-") && !known.contains(stem) {
                    from.rename(&name, &to, &name)?;
                }
            }
            if durability == Durability::Power {
                to.sync()?;
            }
        }
    }
    Ok(objects.open_dir(b"info")?.remove_file(REPLACED)?)
}

/// The list of what was replaced, while there is something to take over.
fn listed(objects: &Dir) -> Result<Option<Vec<u8>>, Error> {
    match files::open(objects, &[b"info"])? {
        Some(info) => files::read(&info, REPLACED, REPLACED_BYTES),
        None => Ok(None),
    }
}

/// Removes what git derived from the objects there were, and would trust.
fn remove_derived(objects: &Dir, packs: &Dir) {
    for (name, kind) in packs.list().unwrap_or_default() {
        if kind == FileKind::File && name.starts_with(b"multi-pack-index") {
            let _ = packs.remove_file(&name);
        }
    }
    let Ok(info) = objects.open_dir(b"info") else {
        return;
    };
    let _ = info.remove_file(b"commit-graph");
    if let Ok(graphs) = info.open_dir(b"commit-graphs") {
        for (name, _) in graphs.list().unwrap_or_default() {
            let _ = graphs.remove_file(&name);
        }
    }
}
