//! Which objects are versions of the same folder or file, told by the checkpoints themselves.

use std::collections::{HashMap, HashSet};

use super::Store;
use crate::checkpoint::error::Error;
use crate::checkpoint::id::Id;
use crate::checkpoint::object;

/// Pairs that are looked for at most.
const PAIRS: usize = 200_000;
/// Checkpoints that are looked at at most.
const CHECKPOINTS: usize = 100_000;
/// Folders in folders.
const DEPTH: usize = 64;

/// Bytes of objects that may still be read.
#[derive(Clone, Copy)]
pub(super) struct Budget(u64);

impl Budget {
    pub(super) const UNLIMITED: Self = Self(u64::MAX);

    pub(super) fn new(bytes: u64) -> Self {
        Self(bytes)
    }

    pub(super) fn spend(&mut self, bytes: usize) {
        self.0 = self.0.saturating_sub(bytes as u64);
    }

    pub(super) fn is_spent(&self) -> bool {
        self.0 == 0
    }
}

/// Versions that follow one another.
#[derive(Default)]
pub(super) struct Pairs {
    /// For each older version its newer one, as far as both are among the objects asked for.
    pub(super) newer: HashMap<Id, Id>,
    /// The checkpoints that were looked at.
    pub(super) checkpoints: Vec<Id>,
    /// Whether all checkpoints were looked at.
    pub(super) is_whole: bool,
}

impl Pairs {
    /// No versions that are known of any object.
    pub(super) fn whole() -> Self {
        Self {
            is_whole: true,
            ..Self::default()
        }
    }
}

/// Looks at the checkpoints from `head` down as long as they are among `ids`, the oldest of them first.
pub(super) fn look(
    store: &Store,
    head: Id,
    ids: &HashSet<Id>,
    budget: &mut Budget,
) -> Result<Pairs, Error> {
    let mut line = Vec::new();
    let mut next = Some(head).filter(|id| ids.contains(id));
    while let Some(id) = next.filter(|_| line.len() < CHECKPOINTS) {
        let commit = store.commit(id)?;
        line.push((id, commit.tree));
        next = commit.parents.first().copied();
        next = next.filter(|id| ids.contains(id));
    }
    let mut pairs = Pairs::default();
    for pair in line.windows(2).rev() {
        let [(_, new_tree), (old_id, old_tree)] = pair else {
            continue;
        };
        if budget.is_spent() {
            return Ok(pairs);
        }
        pairs.checkpoints.push(*old_id);
        add(
            store,
            ids,
            (*old_tree, *new_tree),
            DEPTH,
            budget,
            &mut pairs.newer,
        )?;
    }
    pairs.is_whole = true;
    Ok(pairs)
}

/// Adds two versions of a folder, and of what is in it.
fn add(
    store: &Store,
    ids: &HashSet<Id>,
    (old, new): (Id, Id),
    depth: usize,
    budget: &mut Budget,
    newer: &mut HashMap<Id, Id>,
) -> Result<(), Error> {
    let are_both = ids.contains(&old) && ids.contains(&new);
    if old == new || !are_both || depth == 0 || newer.len() >= PAIRS {
        return Ok(());
    }
    newer.insert(old, new);
    let (old, new) = (store.tree(old)?, store.tree(new)?);
    budget.spend(old.len() + new.len());
    let (old, new) = (object::parse_tree(&old)?, object::parse_tree(&new)?);
    let mut news = new.iter().peekable();
    for old in &old {
        while news.next_if(|new| new.order(old).is_lt()).is_some() {}
        let Some(new) = news.next_if(|new| new.order(old).is_eq()) else {
            continue;
        };
        if old.mode.is_tree() && new.mode.is_tree() {
            add(store, ids, (old.id, new.id), depth - 1, budget, newer)?;
        } else if old.id != new.id && ids.contains(&old.id) && ids.contains(&new.id) {
            newer.insert(old.id, new.id);
        }
    }
    Ok(())
}
