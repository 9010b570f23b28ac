//! What is tracked, with the times by which a file is known not to have changed; and the file
//! `.git/index`, which keeps those times over a restart and lets git itself tell what changed.

use rooted::{Dir, Durability, Meta};

use super::error::Error;
use super::files;
use super::id::{self, Checksum, Id};
use super::object::Mode;
use super::tree::{Leaf, Set};

/// Bytes of an index that is read at most.
const INDEX_BYTES: u64 = 512 * 1024 * 1024;
/// Bytes of an entry before its path.
const FIXED: usize = 62;
/// How long before it was read a file must have been changed last, for its times to tell of the next change.
const SETTLED_NS: i128 = 50_000_000;
/// The same where times are kept in whole seconds.
const SETTLED_COARSE_NS: i128 = 2_500_000_000;
const SECOND_NS: i128 = 1_000_000_000;

/// One tracked file.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) path: Box<[u8]>,
    pub(super) id: Id,
    pub(super) mode: Mode,
    /// What the file was like when it had this content; `None` when only reading it can tell.
    pub(super) stat: Option<Stat>,
}

/// What tells that a file has not changed, in the form that it has in the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stat {
    ctime: (u32, u32),
    mtime: (u32, u32),
    ino: u32,
    len: u32,
    dev: u32,
    uid: u32,
    gid: u32,
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the index keeps 32 bits of each number, and only equality matters"
)]
impl Stat {
    /// What a file is like that was read at `now_ns`; `None` when it changed too shortly before.
    pub(super) fn settled(meta: &Meta, now_ns: i128) -> Option<Self> {
        let is_coarse = meta.mtime_ns % SECOND_NS == 0;
        let last = last_change(meta.mtime_ns, meta.ctime_ns, now_ns);
        (last + wait(is_coarse) < now_ns).then(|| Self::of(meta))
    }

    /// [`Stat::settled`] for one that was in an index written at `written_ns`.
    fn is_settled(&self, written_ns: i128) -> bool {
        let ns = |(seconds, rest): (u32, u32)| i128::from(seconds) * SECOND_NS + i128::from(rest);
        let last = last_change(ns(self.mtime), ns(self.ctime), written_ns);
        self.mtime != (0, 0) && last + wait(self.mtime.1 == 0) < written_ns
    }

    pub(super) fn of(meta: &Meta) -> Self {
        let time = |ns: i128| {
            (
                ns.div_euclid(SECOND_NS) as u32,
                ns.rem_euclid(SECOND_NS) as u32,
            )
        };
        Self {
            ctime: time(meta.ctime_ns),
            mtime: time(meta.mtime_ns),
            ino: meta.id.ino as u32,
            len: meta.len as u32,
            dev: meta.id.dev as u32,
            uid: meta.uid,
            gid: meta.gid,
        }
    }

    /// Says whether nothing happened to the file since.
    pub(super) fn is_of(&self, meta: &Meta) -> bool {
        let now = Self::of(meta);
        (self.ctime, self.mtime, self.ino, self.len) == (now.ctime, now.mtime, now.ino, now.len)
    }
}

/// When a file that was looked at then, or what is said of it, changed last. A time of its content that
/// lies ahead was set by somebody, and a change of the content would take it away; when it was set, the
/// other time tells.
fn last_change(mtime_ns: i128, ctime_ns: i128, then_ns: i128) -> i128 {
    if mtime_ns > then_ns {
        ctime_ns
    } else {
        mtime_ns.max(ctime_ns)
    }
}

/// How long a file must have been left alone for its times to tell of the next change.
fn wait(is_coarse: bool) -> i128 {
    if is_coarse {
        SETTLED_COARSE_NS
    } else {
        SETTLED_NS
    }
}

/// Which version of the index file was read or written last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Seen {
    id: rooted::FileId,
    len: u64,
    mtime_ns: i128,
}

/// Which version of the index file there is.
pub(super) fn seen(git: &Dir) -> Option<Seen> {
    let meta = git.stat(b"index").ok()?;
    Some(Seen {
        id: meta.id,
        len: meta.len,
        mtime_ns: meta.mtime_ns,
    })
}

/// Takes the times of unchanged files from the index file; tells which version of it was read when
/// it lists just these entries. One that cannot be read tells nothing.
pub(super) fn overlay(git: &Dir, entries: &mut [Entry]) -> Result<Option<Seen>, Error> {
    let Some(seen) = seen(git) else {
        return Ok(None);
    };
    let Some(bytes) = files::read(git, b"index", INDEX_BYTES)? else {
        return Ok(None);
    };
    let written = seen.mtime_ns;
    let mut at = 0;
    let mut n_same = 0;
    let mut n_listed = 0;
    let read = each(&bytes, |path, id, mode, stat| {
        n_listed += 1;
        while entries.get(at).is_some_and(|entry| *entry.path < *path) {
            at += 1;
        }
        let Some(entry) = entries.get_mut(at) else {
            return;
        };
        // Whoever wrote it may have looked at the file just before it was changed once more.
        if *entry.path == *path && entry.id == id && entry.mode == mode {
            n_same += 1;
            if stat.is_settled(written) {
                entry.stat = Some(stat);
            }
        }
    });
    let is_whole = read.is_some() && n_same == n_listed && n_same == entries.len();
    Ok(is_whole.then_some(seen))
}

/// Gives each entry of an index of version 2 or 3 that is not part of a conflict.
fn each(bytes: &[u8], mut give: impl FnMut(&[u8], Id, Mode, Stat)) -> Option<()> {
    let body = bytes.get(..bytes.len().checked_sub(id::LEN)?)?;
    let number = |bytes: &[u8], at: usize| {
        let four = bytes.get(at..)?.first_chunk().copied()?;
        Some(u32::from_be_bytes(four))
    };
    let version = number(body, 4)?;
    if body.get(..4)? != b"DIRC" || !matches!(version, 2 | 3) {
        return None;
    }
    let sum = bytes.get(body.len()..)?;
    // Git may be set up to write no checksum.
    if *sum != [0; id::LEN] && Checksum::of(body).as_bytes() != sum {
        return None;
    }
    let mut rest = body.get(12..)?;
    for _ in 0..number(body, 8)? {
        let id = Id::from_slice(rest.get(40..)?)?;
        let flags = u16::from_be_bytes(*rest.get(60..)?.first_chunk()?);
        let start = if version == 3 && flags & 0x4000 != 0 {
            FIXED + 2
        } else {
            FIXED
        };
        let end = start + memchr::memchr(0, rest.get(start..)?)?;
        let path = rest.get(start..end)?;
        let stat = Stat {
            ctime: (number(rest, 0)?, number(rest, 4)?),
            mtime: (number(rest, 8)?, number(rest, 12)?),
            dev: number(rest, 16)?,
            ino: number(rest, 20)?,
            uid: number(rest, 28)?,
            gid: number(rest, 32)?,
            len: number(rest, 36)?,
        };
        if flags & 0x3000 == 0 {
            give(path, id, Mode(number(rest, 24)?), stat);
        }
        rest = rest.get((end + 8) & !7..)?;
    }
    Some(())
}

/// Writes the index file.
pub(super) fn write(git: &Dir, entries: &[Entry], durability: Durability) -> Result<(), Error> {
    let len: usize = entries
        .iter()
        .map(|entry| entry.path.len() + FIXED + 8)
        .sum();
    let mut out = Vec::with_capacity(len + 12 + id::LEN);
    out.extend_from_slice(b"DIRC\0\0\0\x02");
    let n = u32::try_from(entries.len()).unwrap_or(u32::MAX);
    out.extend_from_slice(&n.to_be_bytes());
    for entry in entries {
        let start = out.len();
        let stat = entry.stat.as_ref();
        let get = |of: fn(&Stat) -> u32| stat.map_or(0, of);
        for number in [
            get(|stat| stat.ctime.0),
            get(|stat| stat.ctime.1),
            get(|stat| stat.mtime.0),
            get(|stat| stat.mtime.1),
            get(|stat| stat.dev),
            get(|stat| stat.ino),
            entry.mode.0,
            get(|stat| stat.uid),
            get(|stat| stat.gid),
            get(|stat| stat.len),
        ] {
            out.extend_from_slice(&number.to_be_bytes());
        }
        out.extend_from_slice(entry.id.as_bytes());
        let len = u16::try_from(entry.path.len()).unwrap_or(0xfff).min(0xfff);
        out.extend_from_slice(&len.to_be_bytes());
        out.extend_from_slice(&entry.path);
        // At least one zero, up to a length that is a multiple of eight.
        let end = (out.len() - start + 8) & !7;
        out.resize(start + end, 0);
    }
    let sum = Checksum::of(&out);
    out.extend_from_slice(sum.as_bytes());
    files::write(git, b"index", &out, durability)
}

/// Makes the entries say what changed; `sets` are sorted by path, and `stat` tells of each what is known of its file.
pub(super) fn set(entries: &mut Vec<Entry>, sets: &[Set], stat: impl Fn(usize) -> Option<Stat>) {
    if sets.is_empty() {
        return;
    }
    let mut merged = Vec::with_capacity(entries.len() + sets.len());
    let mut old = std::mem::take(entries).into_iter().peekable();
    for (place, set) in sets.iter().enumerate() {
        while let Some(entry) = old.next_if(|entry| entry.path < set.path) {
            merged.push(entry);
        }
        while old.next_if(|entry| entry.path == set.path).is_some() {}
        if let Some(Leaf { id, mode }) = set.leaf {
            merged.push(Entry {
                path: set.path.clone(),
                id,
                mode,
                stat: stat(place),
            });
        }
    }
    merged.extend(old);
    *entries = merged;
}

#[cfg(test)]
mod tests {
    use rooted::{FileId, Kind};

    use super::{Meta, SECOND_NS, Stat};

    /// What is known of a file at second 1,000, by the times of its content and of its attributes.
    fn is_settled(mtime_ns: i128, ctime_ns: i128) -> bool {
        let meta = Meta {
            kind: Kind::File,
            len: 1,
            mode: 0o644,
            uid: 0,
            gid: 0,
            nlink: 1,
            id: FileId { dev: 1, ino: 1 },
            mtime_ns,
            ctime_ns,
        };
        let now = 1000 * SECOND_NS;
        let settled = Stat::settled(&meta, now).is_some();
        assert_eq!(Stat::of(&meta).is_settled(now), settled);
        settled
    }

    #[test]
    fn times_tell_of_the_next_change_once_the_clock_has_moved_on() {
        let at = |seconds: f64| (seconds * 1e9) as i128;
        for (mtime, ctime, wanted) in [
            (900.5, 900.5, true),
            (999.94, 999.94, true),
            (999.96, 999.96, false),
            // Set back, and just now.
            (1.5, 999.96, false),
            (1.5, 900.5, true),
            // Whole seconds may be all that there is.
            (997.0, 997.0, true),
            (998.0, 998.0, false),
            (998.0, 997.0, false),
            // Set to what is to come.
            (4000.5, 900.5, true),
            (4000.0, 997.0, true),
            (4000.5, 999.96, false),
            (4000.0, 998.0, false),
            // The clock was ahead then, or there is one time only.
            (4000.5, 4000.5, false),
            (900.5, 4000.5, false),
        ] {
            assert_eq!(is_settled(at(mtime), at(ctime)), wanted, "{mtime} {ctime}");
        }
    }
}
