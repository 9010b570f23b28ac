//! Which objects are versions of the same folder or file, told by the checkpoints themselves.

use std::collections::{HashMap, HashSet};

use super::Store;
use crate::checkpoint::error::Error;
use crate::checkpoint::id::Id;
use crate::checkpoint::object::{self, Kind};

/// Pairs that are looked for at most.
const PAIRS: usize = 200_000;
/// Folders in folders.
const DEPTH: usize = 64;

/// For each older version its newer one, as far as both are among `ids`.
pub(super) fn newer_versions(store: &Store, ids: &HashSet<Id>) -> Result<HashMap<Id, Id>, Error> {
    let mut pairs = HashMap::new();
    for id in ids {
        let Ok(Some((Kind::Commit, content))) = store.find(*id) else {
            continue;
        };
        let commit = object::parse_commit(&content)?;
        let Some(parent) = commit.parents.first().filter(|id| ids.contains(id)) else {
            continue;
        };
        let parent = store.commit(*parent)?;
        pair(store, ids, parent.tree, commit.tree, DEPTH, &mut pairs)?;
    }
    Ok(pairs)
}

fn pair(
    store: &Store,
    ids: &HashSet<Id>,
    old: Id,
    new: Id,
    depth: usize,
    pairs: &mut HashMap<Id, Id>,
) -> Result<(), Error> {
    let are_both = ids.contains(&old) && ids.contains(&new);
    if old == new || !are_both || depth == 0 || pairs.len() >= PAIRS {
        return Ok(());
    }
    pairs.insert(old, new);
    let (old, new) = (store.tree(old)?, store.tree(new)?);
    let (old, new) = (object::parse_tree(&old)?, object::parse_tree(&new)?);
    let mut news = new.iter().peekable();
    for old in &old {
        while news.next_if(|new| new.order(old).is_lt()).is_some() {}
        let Some(new) = news.next_if(|new| new.order(old).is_eq()) else {
            continue;
        };
        if old.mode.is_tree() && new.mode.is_tree() {
            pair(store, ids, old.id, new.id, depth - 1, pairs)?;
        } else if old.id != new.id && ids.contains(&old.id) && ids.contains(&new.id) {
            pairs.insert(old.id, new.id);
        }
    }
    Ok(())
}
