//! `Pack`: many objects in one file, found by the index beside it.
//!
//! Both files stay open, so that one which git replaces meanwhile can still be read to the end.

pub(super) mod delta;
pub(super) mod write;

use std::io::{self, Read};

use rooted::{Dir, File};

use super::zlib;
use crate::checkpoint::error::{Error, damaged, io as at};
use crate::checkpoint::id::{self, Id};
use crate::checkpoint::object::Kind;

/// What an index of version 2 starts with.
const INDEX_START: [u8; 8] = [0xff, b't', b'O', b'c', 0, 0, 0, 2];
/// What a pack of version 2 starts with; the number of objects follows.
const PACK_START: [u8; 8] = [b'P', b'A', b'C', b'K', 0, 0, 0, 2];
/// Bytes before the first entry of a pack.
const PACK_HEADER: u64 = 12;
/// Bytes before the first id in an index.
const TABLES: u64 = 8 + 4 * 256;
/// Differences on differences that are followed.
const CHAIN: usize = 4096;
/// Bytes of an entry read at once.
const WINDOW: usize = 16 * 1024;

/// An open pack.
#[derive(Debug)]
pub(super) struct Pack {
    /// The name of its files without an ending.
    pub(super) stem: Box<[u8]>,
    data: File,
    index: File,
    /// How many objects have an id whose first byte is at most this.
    fanout: Vec<u32>,
}

/// Finds an object outside the pack.
pub(super) type Other<'a> = &'a dyn Fn(Id) -> Result<Option<(Kind, Vec<u8>)>, Error>;

/// An object of a pack.
pub(super) struct Object {
    pub(super) id: Id,
    /// Where its entry is, and where the next one begins.
    pub(super) offset: u64,
    end: u64,
    /// The checksum of the bytes of its entry.
    crc: u32,
}

/// An entry as it stands in a pack.
pub(super) enum Raw {
    /// A whole object, with its head.
    Whole(Vec<u8>),
    /// A difference, without its head.
    Difference {
        base: Place,
        /// Bytes of the unpacked difference.
        len: u64,
        packed: Vec<u8>,
    },
}

/// Which object a difference starts from.
pub(super) enum Place {
    At(u64),
    Of(Id),
}

/// Where the content of an entry comes from.
enum Base {
    Whole(Kind),
    Other(Place),
}

/// The head of an entry.
struct Head {
    base: Base,
    /// Bytes of the unpacked content or difference.
    len: u64,
    /// Where the packed bytes start.
    start: u64,
}

impl Pack {
    /// Opens `stem.pack` and `stem.idx`.
    pub(super) fn open(dir: &Dir, stem: &[u8]) -> Result<Self, Error> {
        let index = dir.open_file(&[stem, b".idx"].concat())?;
        let data = dir.open_file(&[stem, b".pack"].concat())?;
        let bad = || damaged(format_args!("the index {}", index.path()));
        let mut tables = vec![0; usize::try_from(TABLES).unwrap_or(0)];
        read_exact_at(&index, &mut tables, 0).map_err(|_| bad())?;
        let (start, table) = tables.split_at(INDEX_START.len());
        if start != INDEX_START {
            return Err(bad());
        }
        let fanout: Vec<u32> = table.chunks_exact(4).filter_map(be_u32).collect();
        let n = u64::from(fanout.last().copied().unwrap_or(0));
        let least = TABLES + n * (id::LEN as u64 + 8) + 2 * id::LEN as u64;
        if !fanout.is_sorted() || index.meta().len < least || data.meta().len < PACK_HEADER {
            return Err(bad());
        }
        Ok(Self {
            stem: stem.into(),
            data,
            index,
            fanout,
        })
    }

    /// Bytes of the pack.
    pub(super) fn len(&self) -> u64 {
        self.data.meta().len
    }

    /// Number of objects.
    pub(super) fn n_objects(&self) -> u32 {
        self.fanout.last().copied().unwrap_or(0)
    }

    /// Where an object is.
    pub(super) fn find(&self, id: Id) -> Result<Option<u64>, Error> {
        let first = usize::from(id.as_bytes().first().copied().unwrap_or(0));
        let upto = |byte: usize| self.fanout.get(byte).copied().unwrap_or(0);
        let from = first.checked_sub(1).map_or(0, upto);
        let n = upto(first).saturating_sub(from) as usize;
        if n == 0 {
            return Ok(None);
        }
        let ids = self.table(TABLES + u64::from(from) * id::LEN as u64, n * id::LEN)?;
        let (mut low, mut high) = (0, n);
        while low < high {
            let middle = low.midpoint(high);
            let at = ids.get(middle * id::LEN..).and_then(Id::from_slice);
            match at.unwrap_or_default().cmp(&id) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => {
                    return self.offset(u64::from(from) + middle as u64).map(Some);
                }
            }
        }
        Ok(None)
    }

    fn table(&self, offset: u64, len: usize) -> Result<Vec<u8>, Error> {
        let mut bytes = vec![0; len];
        read_exact_at(&self.index, &mut bytes, offset)
            .map_err(|error| at(error, self.index.path()))?;
        Ok(bytes)
    }

    /// Where the object at a place of the index is.
    fn offset(&self, place: u64) -> Result<u64, Error> {
        let n = u64::from(self.n_objects());
        let offsets = TABLES + n * (id::LEN as u64 + 4);
        let short = self.table(offsets + 4 * place, 4)?;
        let short = be_u32(&short).unwrap_or(0);
        if short & 0x8000_0000 == 0 {
            return Ok(u64::from(short));
        }
        let long = offsets + 4 * n + 8 * u64::from(short & 0x7fff_ffff);
        let long = self.table(long, 8)?;
        Ok(long.first_chunk().copied().map_or(0, u64::from_be_bytes))
    }

    /// All objects in the order in which they stand in the pack.
    pub(super) fn objects(&self) -> Result<Vec<Object>, Error> {
        let n = self.n_objects() as usize;
        let ids = self.table(TABLES, n * id::LEN)?;
        let crcs = self.table(TABLES + (n * id::LEN) as u64, 4 * n)?;
        let shorts = self.table(TABLES + (n * (id::LEN + 4)) as u64, 4 * n)?;
        let numbers = crcs.chunks_exact(4).zip(shorts.chunks_exact(4));
        let mut found = Vec::with_capacity(n);
        for (place, (id, (crc, short))) in ids.chunks_exact(id::LEN).zip(numbers).enumerate() {
            let offset = match be_u32(short).unwrap_or(0) {
                short if short & 0x8000_0000 == 0 => u64::from(short),
                _ => self.offset(place as u64)?,
            };
            found.push(Object {
                id: Id::from_slice(id).unwrap_or_default(),
                offset,
                end: 0,
                crc: be_u32(crc).unwrap_or(0),
            });
        }
        found.sort_unstable_by_key(|object| object.offset);
        let mut end = self.len().saturating_sub(id::LEN as u64);
        for object in found.iter_mut().rev() {
            object.end = end;
            end = object.offset;
        }
        Ok(found)
    }

    /// Reads the object at an offset. `other` finds a base that is named by its id.
    pub(super) fn read(
        &self,
        offset: u64,
        limit: u64,
        other: Other<'_>,
    ) -> Result<(Kind, Vec<u8>), Error> {
        let bad = || damaged(format_args!("the pack {}", self.data.path()));
        let mut deltas = Vec::new();
        let mut offset = offset;
        let mut held = 0_u64;
        let (kind, mut content) = loop {
            let head = self.head(offset).ok_or_else(bad)?;
            held = held.saturating_add(head.len);
            if held > limit || deltas.len() > CHAIN {
                return Err(bad());
            }
            let from = From {
                pack: self,
                offset: head.start,
            };
            let packed = io::BufReader::with_capacity(window(head.len), from);
            let bytes = zlib::unpack(packed, head.len).map_err(|_| bad())?;
            match head.base {
                Base::Whole(kind) => break (kind, bytes),
                Base::Other(Place::At(base)) => {
                    deltas.push(bytes);
                    offset = base;
                }
                Base::Other(Place::Of(id)) => {
                    deltas.push(bytes);
                    match self.find(id)? {
                        Some(base) => offset = base,
                        None => break other(id)?.ok_or_else(bad)?,
                    }
                }
            }
        };
        for delta in deltas.iter().rev() {
            content = delta::apply(&content, delta, limit).ok_or_else(bad)?;
        }
        Ok((kind, content))
    }

    /// An entry as it stands there, if it still is what it was when it was written.
    pub(super) fn raw(&self, object: &Object) -> Result<Raw, Error> {
        let bad = || damaged(format_args!("object {} in {}", object.id, self.data.path()));
        let head = self.head(object.offset).ok_or_else(bad)?;
        let len = object.end.checked_sub(object.offset);
        let len = len.and_then(|len| usize::try_from(len).ok());
        let mut bytes = vec![0; len.ok_or_else(bad)?];
        read_exact_at(&self.data, &mut bytes, object.offset).map_err(|_| bad())?;
        let mut crc = flate2::Crc::new();
        crc.update(&bytes);
        if crc.sum() != object.crc {
            return Err(bad());
        }
        let Base::Other(base) = head.base else {
            return Ok(Raw::Whole(bytes));
        };
        let start = usize::try_from(head.start - object.offset).map_err(|_| bad())?;
        let packed = bytes.get(start..).ok_or_else(bad)?.to_vec();
        Ok(Raw::Difference {
            base,
            len: head.len,
            packed,
        })
    }

    /// What an object is a difference to; `None` for a whole one, and for one that cannot be read.
    pub(super) fn base(&self, object: &Object) -> Option<Place> {
        match self.head(object.offset)?.base {
            Base::Whole(_) => None,
            Base::Other(place) => Some(place),
        }
    }

    fn head(&self, offset: u64) -> Option<Head> {
        let mut bytes = [0; 64];
        let n = read_at_most(&self.data, &mut bytes, offset).ok()?;
        let mut at = 0;
        let mut next = || {
            let byte = bytes.get(..n)?.get(at).copied();
            at += 1;
            byte
        };
        let first = next()?;
        let mut len = u64::from(first & 0x0f);
        let mut shift = 4;
        let mut byte = first;
        while byte & 0x80 != 0 {
            byte = next()?;
            len |= u64::from(byte & 0x7f)
                .checked_shl(shift)
                .filter(|_| shift < 57)?;
            shift += 7;
        }
        let base = match first >> 4 & 7 {
            6 => {
                let mut byte = next()?;
                let mut back = u64::from(byte & 0x7f);
                while byte & 0x80 != 0 {
                    byte = next()?;
                    back = back.checked_add(1)?.checked_mul(128)? + u64::from(byte & 0x7f);
                }
                Base::Other(Place::At(offset.checked_sub(back).filter(|_| back > 0)?))
            }
            7 => {
                let id = Id::from_slice(bytes.get(at..n)?)?;
                at += id::LEN;
                Base::Other(Place::Of(id))
            }
            number => Base::Whole(Kind::from_pack(number)?),
        };
        Some(Head {
            base,
            len,
            start: offset + at as u64,
        })
    }
}

fn window(len: u64) -> usize {
    usize::try_from(len.saturating_add(64)).map_or(WINDOW, |len| len.min(WINDOW))
}

/// The bytes of a pack from an offset on.
struct From<'a> {
    pack: &'a Pack,
    offset: u64,
}

impl Read for From<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.pack.data.read_at(buffer, self.offset)?;
        self.offset += n as u64;
        Ok(n)
    }
}

fn be_u32(bytes: &[u8]) -> Option<u32> {
    bytes.first_chunk().copied().map(u32::from_be_bytes)
}

fn read_at_most(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    let mut n = 0;
    while let Some(rest) = buffer.get_mut(n..).filter(|rest| !rest.is_empty()) {
        match file.read_at(rest, offset.saturating_add(n as u64)) {
            Ok(0) => break,
            Ok(more) => n += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(n)
}

fn read_exact_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<()> {
    if read_at_most(file, buffer, offset)? == buffer.len() {
        Ok(())
    } else {
        Err(io::ErrorKind::UnexpectedEof.into())
    }
}
