//! Folders of checkpoints: read out flat, compared, and made anew from what changed.

use super::error::{Error, damaged};
use super::id::Id;
use super::index::Entry;
use super::object::{self, Kind, Mode, TreeEntry};
use super::store::Store;
use super::store::batch::{Adder, Batch};

/// Folders in folders.
const DEPTH: usize = 512;

/// A file in a checkpoint, or something else that has a name there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Leaf {
    pub(super) id: Id,
    pub(super) mode: Mode,
}

/// What a path is to be in the next checkpoint.
#[derive(Clone, Debug)]
pub(super) struct Set {
    pub(super) path: Box<[u8]>,
    /// `None` when nothing is there any more.
    pub(super) leaf: Option<Leaf>,
}

/// All leaves of a folder, by path.
pub(super) fn flatten(store: &Store, tree: Id) -> Result<Vec<Entry>, Error> {
    let mut entries = Vec::new();
    compare(store, None, Some(tree), &mut |path, _, new| {
        if let Some(leaf) = new {
            entries.push(Entry {
                path: path.into(),
                id: leaf.id,
                mode: leaf.mode,
                stat: None,
            });
        }
        Ok(())
    })?;
    Ok(entries)
}

/// Told of each path that differs, in order: what it was and what it is.
pub(super) type Each<'a> =
    &'a mut dyn FnMut(&[u8], Option<Leaf>, Option<Leaf>) -> Result<(), Error>;

/// Compares two folders; what is the same in both is not read.
pub(super) fn compare(
    store: &Store,
    old: Option<Id>,
    new: Option<Id>,
    each: Each<'_>,
) -> Result<(), Error> {
    let mut path = Vec::new();
    compare_at(store, old, new, &mut path, DEPTH, each)
}

fn compare_at(
    store: &Store,
    old: Option<Id>,
    new: Option<Id>,
    path: &mut Vec<u8>,
    depth: usize,
    each: Each<'_>,
) -> Result<(), Error> {
    if old == new {
        return Ok(());
    }
    if depth == 0 {
        return Err(damaged("folders are nested too deeply"));
    }
    let read = |id: Option<Id>| id.map_or(Ok(Vec::new()), |id| store.tree(id));
    let (old, new) = (read(old)?, read(new)?);
    let (old, new) = (object::parse_tree(&old)?, object::parse_tree(&new)?);
    let (mut olds, mut news) = (old.iter().peekable(), new.iter().peekable());
    loop {
        let order = match (olds.peek(), news.peek()) {
            (None, None) => return Ok(()),
            (Some(_), None) => std::cmp::Ordering::Less,
            (None, Some(_)) => std::cmp::Ordering::Greater,
            (Some(old), Some(new)) => old.order(new),
        };
        let old = olds.next_if(|_| order.is_le());
        let new = news.next_if(|_| order.is_ge());
        let Some(either) = old.or(new) else {
            return Ok(());
        };
        let (old, new) = (leaf(old), leaf(new));
        if old == new {
            continue;
        }
        let base = path.len();
        if base > 0 {
            path.push(b'/');
        }
        path.extend_from_slice(either.name);
        if either.mode.is_tree() {
            let id = |leaf: Option<Leaf>| leaf.map(|leaf| leaf.id);
            compare_at(store, id(old), id(new), path, depth - 1, each)?;
        } else {
            each(path, old, new)?;
        }
        path.truncate(base);
    }
}

fn leaf(entry: Option<&TreeEntry<'_>>) -> Option<Leaf> {
    entry.map(|entry| Leaf {
        id: entry.id,
        mode: entry.mode,
    })
}

/// What is at a path of a folder.
pub(super) fn find(store: &Store, tree: Id, path: &[u8]) -> Result<Option<Leaf>, Error> {
    let mut at = Leaf {
        id: tree,
        mode: Mode::TREE,
    };
    for name in path.split(|&byte| byte == b'/') {
        if !at.mode.is_tree() {
            return Ok(None);
        }
        let content = store.tree(at.id)?;
        let entries = object::parse_tree(&content)?;
        match leaf(entries.iter().find(|entry| entry.name == name)) {
            Some(found) => at = found,
            None => return Ok(None),
        }
    }
    Ok(Some(at))
}

/// Makes a folder from another one and what is different in it, sorted by path. Folders that become
/// empty are left out.
pub(super) fn edit(store: &Store, batch: &Batch<'_>, base: Id, sets: &[Set]) -> Result<Id, Error> {
    let mut adder = Adder::default();
    let made = edit_at(store, batch, &mut adder, Some(base), sets, 0, DEPTH)?;
    match made {
        Some(id) if id != Id::EMPTY_TREE => Ok(id),
        // Readers know this one without being told, but miss it in a repository that names it.
        _ => batch.add(Kind::Tree, Vec::new(), &mut adder),
    }
}

fn edit_at(
    store: &Store,
    batch: &Batch<'_>,
    adder: &mut Adder,
    base: Option<Id>,
    sets: &[Set],
    skip: usize,
    depth: usize,
) -> Result<Option<Id>, Error> {
    if sets.is_empty() && base.is_some() {
        return Ok(base);
    }
    if depth == 0 {
        return Err(damaged("folders are nested too deeply"));
    }
    let old = base.map_or(Ok(Vec::new()), |id| store.tree(id))?;
    let old = object::parse_tree(&old)?;
    let groups = group(sets, skip);
    let mut entries: Vec<TreeEntry<'_>> = Vec::with_capacity(old.len() + groups.len());
    let is_named = |entry: &TreeEntry<'_>| {
        groups
            .binary_search_by(|group| group.name.cmp(entry.name))
            .is_ok()
    };
    entries.extend(old.iter().filter(|entry| !is_named(entry)).cloned());
    for group in &groups {
        let of = |is_tree: bool| {
            old.iter()
                .find(|entry| entry.name == group.name && entry.mode.is_tree() == is_tree)
        };
        let file = match group.own {
            Some(set) => set.leaf,
            None => leaf(of(false)),
        };
        let below = of(true).map(|entry| entry.id);
        let skip = skip + group.name.len() + 1;
        let tree = if group.below.is_empty() {
            below
        } else {
            edit_at(store, batch, adder, below, group.below, skip, depth - 1)?
        };
        // Both cannot be on a disk at once; one that was seen earlier gives way.
        match (tree, file) {
            (Some(id), _) => entries.push(TreeEntry {
                mode: Mode::TREE,
                name: group.name,
                id,
            }),
            (None, Some(Leaf { id, mode })) => entries.push(TreeEntry {
                mode,
                name: group.name,
                id,
            }),
            (None, None) => {}
        }
    }
    if entries.is_empty() {
        return Ok(None);
    }
    entries.sort_by(TreeEntry::order);
    let mut content = Vec::with_capacity(entries.iter().map(|entry| entry.name.len() + 28).sum());
    for entry in &entries {
        entry.write(&mut content);
    }
    batch.add(Kind::Tree, content, adder).map(Some)
}

/// Changes that share a name in one folder.
struct Group<'a> {
    name: &'a [u8],
    /// What the name itself is to be.
    own: Option<&'a Set>,
    /// What is to be below it.
    below: &'a [Set],
}

/// Sorts changes by the name that they have behind the first `skip` bytes of their paths.
fn group(sets: &[Set], skip: usize) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    let mut at = 0;
    while let Some(set) = sets.get(at) {
        let rest = set.path.get(skip..).unwrap_or_default();
        let Some(slash) = memchr::memchr(b'/', rest) else {
            groups.push(Group {
                name: rest,
                own: Some(set),
                below: &[],
            });
            at += 1;
            continue;
        };
        let prefix = set.path.get(..=skip + slash).unwrap_or_default();
        let n = sets
            .get(at..)
            .unwrap_or_default()
            .partition_point(|set| set.path.starts_with(prefix));
        groups.push(Group {
            name: rest.get(..slash).unwrap_or_default(),
            own: None,
            below: sets.get(at..at + n).unwrap_or_default(),
        });
        at += n.max(1);
    }
    // `a`, `a-b` and `a/c` come in this order: what `a` is and what is below it must meet again.
    groups.sort_by(|a, b| a.name.cmp(b.name));
    groups.dedup_by(|next, first| {
        let same = next.name == first.name;
        if same {
            first.own = first.own.or(next.own);
            if first.below.is_empty() {
                first.below = next.below;
            }
        }
        same
    });
    groups
}
