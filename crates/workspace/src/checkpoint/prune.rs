//! Dropping old checkpoints, and everything that only they hold.

use std::collections::HashSet;

use super::error::{Error, damaged};
use super::id::Id;
use super::object::{self, Kind};
use super::store::replace::Keep;
use super::{Inner, Repository, index, refs};
use crate::cancel::Cancel;
use crate::lock::Guard;

/// What pruning did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pruned {
    /// Checkpoints that are left.
    pub n_kept: usize,
    /// Checkpoints that can be reached no more.
    pub n_dropped: usize,
    /// Objects that are left, all in one pack.
    pub n_objects: usize,
}

impl Repository {
    /// Keeps the newest checkpoints and packs them; `None` keeps all. Ids stay what they are: the
    /// oldest one kept is marked as having lost its parent, as git does for a shallow clone.
    ///
    /// What branches and tags of somebody else stand for is kept too. The cost goes by the whole history.
    ///
    /// # Errors
    /// [`crate::Error::Busy`] when another program moved a branch meanwhile; [`Error::Damaged`]; what
    /// the disk says; [`crate::Error::Cancelled`]. No checkpoint that is to be kept is lost.
    pub fn prune(
        &self,
        keep: Option<usize>,
        _guard: &Guard,
        cancel: &Cancel,
    ) -> Result<Pruned, Error> {
        let durability = self.options.durability;
        let mut inner = self.enter()?;
        // What comes after this is kept, whatever it is.
        let there = inner.store.there()?;
        let head = inner.head_id()?;
        let old = refs::shallow(&inner.git)?;
        let mut cut = inner.cut(head, keep.unwrap_or(usize::MAX).max(1), &old)?;
        let others = refs::others(&inner.git, &inner.head)?;
        let mut wanted = Wanted {
            inner: &inner,
            shallow: &cut.shallow,
            found: HashSet::new(),
        };
        wanted.add(&cut.kept, true, cancel)?;
        // What else has a name keeps its whole history; names may also stand for nothing by now.
        let named: Vec<Id> = others.iter().copied().collect();
        wanted.add(&named, false, cancel)?;
        let wanted = wanted.found;
        cut.shallow.retain(|id| wanted.contains(id));
        // Until the objects are gone, those that lost their parents earlier have to be known as such.
        let both: HashSet<Id> = cut.shallow.union(&old).copied().collect();
        let get_ready = || {
            let now = refs::head(&inner.git)?;
            if now != inner.head || refs::others(&inner.git, &now)? != others {
                return Err(crate::Error::Busy.into());
            }
            if both != old {
                refs::set_shallow(&inner.git, &both, durability)?;
            }
            refs::cut_logs(&inner.git, &inner.head, &wanted, durability)?;
            index::write(&inner.git, &inner.entries, durability)
        };
        inner.store.keep_only(&Keep {
            there: &there,
            wanted: &wanted,
            head,
            get_ready: &get_ready,
        })?;
        if cut.shallow != both {
            refs::set_shallow(&inner.git, &cut.shallow, durability)?;
        }
        inner.index = index::seen(&inner.git);
        inner.line = None;
        Ok(Pruned {
            n_kept: cut.kept.len(),
            n_dropped: cut.n_dropped,
            n_objects: wanted.len(),
        })
    }
}

/// Where the history is cut.
struct Cut {
    /// The checkpoints that stay, the newest first.
    kept: Vec<Id>,
    n_dropped: usize,
    /// Checkpoints without parents.
    shallow: HashSet<Id>,
}

impl Inner {
    fn cut(&self, head: Id, keep: usize, shallow: &HashSet<Id>) -> Result<Cut, Error> {
        let mut cut = Cut {
            kept: Vec::new(),
            n_dropped: 0,
            shallow: shallow.clone(),
        };
        let mut seen = HashSet::new();
        let mut next = Some(head);
        while let Some(id) = next {
            if !seen.insert(id) {
                return Err(damaged("the history leads in a circle"));
            }
            let parent = if shallow.contains(&id) {
                None
            } else {
                self.store.commit(id)?.parents.first().copied()
            };
            if cut.kept.len() < keep {
                cut.kept.push(id);
            } else {
                cut.n_dropped += 1;
            }
            if cut.kept.len() == keep && parent.is_some() && cut.kept.last() == Some(&id) {
                cut.shallow.insert(id);
            }
            next = parent;
        }
        Ok(cut)
    }
}

/// Everything that can be reached from some objects.
struct Wanted<'a> {
    inner: &'a Inner,
    shallow: &'a HashSet<Id>,
    found: HashSet<Id>,
}

impl Wanted<'_> {
    /// Adds objects and what they refer to. One that is not there is a fault only if it `must_be`.
    fn add(&mut self, ids: &[Id], must_be: bool, cancel: &Cancel) -> Result<(), Error> {
        let mut open: Vec<Id> = ids.to_vec();
        let mut is_first = ids.len();
        while let Some(id) = open.pop() {
            let is_root = open.len() < is_first;
            is_first = is_first.min(open.len());
            if !self.found.insert(id) {
                continue;
            }
            cancel.check()?;
            let (kind, content) = match self.inner.store.find(id)? {
                Some(found) => found,
                None if is_root && !must_be => {
                    self.found.remove(&id);
                    continue;
                }
                None => return Err(damaged(format_args!("object {id} is missing"))),
            };
            match kind {
                Kind::Blob => {}
                Kind::Tree => {
                    for entry in object::parse_tree(&content)? {
                        if entry.mode.is_tree() {
                            open.push(entry.id);
                        } else if !entry.mode.is_elsewhere() {
                            self.found.insert(entry.id);
                        }
                    }
                }
                Kind::Commit => {
                    let commit = object::parse_commit(&content)?;
                    open.push(commit.tree);
                    if !self.shallow.contains(&id) {
                        open.extend(commit.parents);
                    }
                }
                Kind::Tag => open.extend(object::parse_tag(&content)),
            }
        }
        Ok(())
    }
}
