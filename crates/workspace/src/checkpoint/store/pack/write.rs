//! `PackWriter`: a new pack, object by object, under a temporary name until it is whole.

use std::collections::HashMap;

use flate2::Crc;
use rooted::{Dir, Durability, RecordFile};

use super::{INDEX_START, PACK_START};
use crate::checkpoint::error::{Error, io};
use crate::checkpoint::id::{Checksum, Id};
use crate::checkpoint::object::Kind;
use crate::checkpoint::store::zlib::Deflater;

/// What the names of our unfinished packs start with; git clears those away as well, in time.
pub(in crate::checkpoint::store) const TEMP: &str = "tmp_pack_wmcp_";
/// The number of an entry that tells a difference to an earlier one.
const DIFFERENCE: u8 = 6;
/// Bytes that are written at once.
const CHUNK: usize = 1 << 20;

/// A pack being written. What is given up leaves a file that the next start removes.
pub(in crate::checkpoint::store) struct PackWriter {
    dir: Dir,
    temp: Box<[u8]>,
    file: RecordFile,
    pending: Vec<u8>,
    /// Bytes written and pending.
    len: u64,
    entries: Vec<Entry>,
    /// Where each object is.
    offsets: HashMap<Id, u64>,
}

struct Entry {
    id: Id,
    offset: u64,
    crc: u32,
}

/// An object as it stands in a pack.
pub(in crate::checkpoint::store) fn entry(
    kind: Kind,
    content: &[u8],
    deflater: &mut Deflater,
) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(content.len() / 2 + 64);
    head(kind.in_pack(), content.len() as u64, &mut bytes);
    deflater.pack(&[content], &mut bytes)?;
    Ok(bytes)
}

/// The kind of an entry and the size of what is packed in it.
fn head(kind: u8, len: u64, bytes: &mut Vec<u8>) {
    let mut rest = len;
    let mut byte = kind << 4 | low_bits(rest, 0x0f);
    rest >>= 4;
    while rest > 0 {
        bytes.push(byte | 0x80);
        byte = low_bits(rest, 0x7f);
        rest >>= 7;
    }
    bytes.push(byte);
}

/// How far back the base of a difference is.
fn distance(back: u64, bytes: &mut Vec<u8>) {
    let mut digits = vec![low_bits(back, 0x7f)];
    let mut rest = back >> 7;
    while rest > 0 {
        rest -= 1;
        digits.push(low_bits(rest, 0x7f) | 0x80);
        rest >>= 7;
    }
    bytes.extend(digits.iter().rev());
}

fn low_bits(number: u64, mask: u8) -> u8 {
    number.to_le_bytes().first().copied().unwrap_or(0) & mask
}

impl PackWriter {
    pub(in crate::checkpoint::store) fn create(dir: Dir) -> Result<Self, Error> {
        let temp: Box<[u8]> = format!("{TEMP}{:016x}", rooted::random())
            .into_bytes()
            .into();
        let file = dir.create_record_with(&temp, 0o666)?;
        Ok(Self {
            dir,
            temp,
            file,
            // The number of objects is filled in at the end.
            pending: [&PACK_START[..], &[0; 4]].concat(),
            len: PACK_START.len() as u64 + 4,
            entries: Vec::new(),
            offsets: HashMap::new(),
        })
    }

    pub(in crate::checkpoint::store) fn has(&self, id: Id) -> bool {
        self.offsets.contains_key(&id)
    }

    /// Adds an object, as [`entry`] made it.
    pub(in crate::checkpoint::store) fn add(&mut self, id: Id, bytes: &[u8]) -> Result<(), Error> {
        if self.has(id) {
            return Ok(());
        }
        self.offsets.insert(id, self.len);
        let mut crc = Crc::new();
        crc.update(bytes);
        self.entries.push(Entry {
            id,
            offset: self.len,
            crc: crc.sum(),
        });
        self.pending.extend_from_slice(bytes);
        self.len += bytes.len() as u64;
        if self.pending.len() >= CHUNK {
            self.file.write(&self.pending, Durability::Kill)?;
            self.pending.clear();
        }
        Ok(())
    }

    /// Adds an object that is told as the difference to one that is here already; says whether that is so.
    ///
    /// `packed` is the packed difference, which unpacked has `len` bytes.
    pub(in crate::checkpoint::store) fn add_difference(
        &mut self,
        id: Id,
        base: Id,
        len: u64,
        packed: &[u8],
    ) -> Result<bool, Error> {
        let Some(&at) = self.offsets.get(&base) else {
            return Ok(false);
        };
        let mut bytes = Vec::with_capacity(packed.len() + 16);
        head(DIFFERENCE, len, &mut bytes);
        distance(self.len - at, &mut bytes);
        bytes.extend_from_slice(packed);
        self.add(id, &bytes)?;
        Ok(true)
    }

    /// Puts the pack and its index in their place; the name without an ending.
    ///
    /// Both are flushed before either has its name, so a pack that has one is whole.
    pub(in crate::checkpoint::store) fn finish(
        mut self,
        durability: Durability,
    ) -> Result<Box<[u8]>, Error> {
        let temp_index = [&*self.temp, b"i"].concat();
        self.put(&temp_index, durability).inspect_err(|_| {
            // What is in the way of a pack is often that the disk is full.
            let _ = self.dir.remove_file(&temp_index);
            let _ = self.dir.remove_file(&self.temp);
        })
    }

    fn put(&mut self, temp_index: &[u8], durability: Durability) -> Result<Box<[u8]>, Error> {
        self.file.write(&self.pending, Durability::Kill)?;
        self.pending = Vec::new();
        let n = u32::try_from(self.entries.len()).unwrap_or(u32::MAX);
        self.file
            .write_at(&n.to_be_bytes(), PACK_START.len() as u64)?;
        let sum = self.checksum()?;
        self.file.write(sum.as_bytes(), durability)?;
        let index = self.index(sum);
        let stem: Box<[u8]> = format!("pack-{sum}").into_bytes().into();
        self.dir.stage_new(temp_index, &index, durability)?;
        // A pack counts from when both are there.
        self.dir
            .rename(&self.temp, &self.dir, &[&*stem, b".pack"].concat())?;
        self.dir
            .rename(temp_index, &self.dir, &[&*stem, b".idx"].concat())?;
        if durability == Durability::Power {
            self.dir.sync()?;
        }
        Ok(stem)
    }

    /// Gives up what was written.
    pub(in crate::checkpoint::store) fn discard(self) {
        let _ = self.dir.remove_file(&self.temp);
    }

    fn checksum(&self) -> Result<Id, Error> {
        let mut sum = Checksum::default();
        let mut chunk = vec![0; CHUNK];
        let mut offset = 0_u64;
        while offset < self.len {
            let n = self.file.read_at(&mut chunk, offset)?;
            if n == 0 {
                return Err(io(
                    std::io::ErrorKind::UnexpectedEof.into(),
                    self.dir.path(),
                ));
            }
            sum.add(chunk.get(..n).unwrap_or_default());
            offset += n as u64;
        }
        Ok(sum.end())
    }

    fn index(&mut self, sum: Id) -> Vec<u8> {
        self.entries.sort_unstable_by_key(|entry| entry.id);
        let mut bytes = Vec::with_capacity(1100 + self.entries.len() * 28);
        bytes.extend_from_slice(&INDEX_START);
        let mut n = 0_u32;
        let mut entries = self.entries.iter().peekable();
        for first in 0..=u8::MAX {
            while entries
                .next_if(|entry| entry.id.as_bytes().first() == Some(&first))
                .is_some()
            {
                n += 1;
            }
            bytes.extend_from_slice(&n.to_be_bytes());
        }
        for entry in &self.entries {
            bytes.extend_from_slice(entry.id.as_bytes());
        }
        for entry in &self.entries {
            bytes.extend_from_slice(&entry.crc.to_be_bytes());
        }
        let mut long = Vec::new();
        let mut n_long = 0_u32;
        for entry in &self.entries {
            let short = match u32::try_from(entry.offset) {
                Ok(short) if short & 0x8000_0000 == 0 => short,
                _ => {
                    long.extend_from_slice(&entry.offset.to_be_bytes());
                    n_long += 1;
                    0x8000_0000 | (n_long - 1)
                }
            };
            bytes.extend_from_slice(&short.to_be_bytes());
        }
        bytes.extend_from_slice(&long);
        bytes.extend_from_slice(sum.as_bytes());
        let own = Checksum::of(&bytes);
        bytes.extend_from_slice(own.as_bytes());
        bytes
    }
}
