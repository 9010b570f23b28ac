//! The index of a repository, read far enough to know which paths are in it, and of what kind.
//!
//! Takes the private copy that git is given too, so both see the same. What cannot be read is an
//! error and not an absence: a path that is overlooked here would be shown.

use std::io::{self, BufRead, Read as _};

/// One path of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry<'a> {
    /// The path from the top of the working tree.
    pub path: &'a [u8],
    /// The mode as git keeps it.
    pub mode: u32,
    /// 0, or the side of a conflict.
    pub stage: u8,
}

impl Entry<'_> {
    /// Says whether this is a submodule.
    pub(super) fn is_submodule(&self) -> bool {
        self.mode == 0o160_000
    }
}

/// Reads an index, handing on each path; answers the name of the shared index behind it, if any.
pub(super) fn read(
    source: &mut dyn BufRead,
    hash_bytes: usize,
    each: &mut dyn FnMut(Entry<'_>),
) -> io::Result<Option<String>> {
    let mut header = [0; 12];
    source.read_exact(&mut header)?;
    let [b'D', b'I', b'R', b'C', _, _, _, version @ (2..=4), n @ ..] = header else {
        return Err(corrupt());
    };
    let mut path = Vec::new();
    for _ in 0..u32::from_be_bytes(n) {
        let entry = read_entry(source, version, hash_bytes, &mut path)?;
        each(Entry {
            path: &path,
            mode: entry.mode,
            stage: entry.stage,
        });
    }
    shared_index(source, hash_bytes)
}

fn corrupt() -> io::Error {
    io::ErrorKind::InvalidData.into()
}

/// What stands before the path: ten words of `stat`, the object's name, and the flags.
struct Fixed {
    mode: u32,
    stage: u8,
}

fn read_entry(
    source: &mut dyn BufRead,
    version: u8,
    hash_bytes: usize,
    path: &mut Vec<u8>,
) -> io::Result<Fixed> {
    const STAT: usize = 40;
    const LONGEST_PATH: usize = 1 << 20;
    let mut stat = [0; STAT];
    source.read_exact(&mut stat)?;
    let mut hash = [0; 32];
    source.read_exact(hash.get_mut(..hash_bytes).ok_or_else(corrupt)?)?;
    let mut flags = [0; 2];
    source.read_exact(&mut flags)?;
    let mut n_read = STAT + hash_bytes + 2;
    let [high, _] = flags;
    if high & 0x40 != 0 {
        source.read_exact(&mut [0; 2])?;
        n_read += 2;
    }
    if version == 4 {
        let n_dropped = read_varint(source)?;
        path.truncate(path.len().checked_sub(n_dropped).ok_or_else(corrupt)?);
    } else {
        path.clear();
    }
    let before = path.len();
    let n_name = source.take(LONGEST_PATH as u64).read_until(0, path)?;
    if path.pop() != Some(0) {
        return Err(corrupt());
    }
    debug_assert_eq!(before + n_name, path.len() + 1);
    if version < 4 {
        // Entries end at a multiple of eight bytes, with one NUL at least.
        let length = n_read + path.len();
        let padding = (length + 8) / 8 * 8 - length - 1;
        source.read_exact([0; 8].get_mut(..padding).ok_or_else(corrupt)?)?;
    }
    let [.., a, b, c, d] = {
        let mut mode = [0; 28];
        mode.copy_from_slice(stat.get(..28).ok_or_else(corrupt)?);
        mode
    };
    Ok(Fixed {
        mode: u32::from_be_bytes([a, b, c, d]),
        stage: (high >> 4) & 3,
    })
}

/// The number format of version 4, which is that of pack files' offsets.
fn read_varint(source: &mut dyn BufRead) -> io::Result<usize> {
    let mut byte = [0];
    source.read_exact(&mut byte)?;
    let mut value = usize::from(byte[0] & 0x7f);
    while byte[0] & 0x80 != 0 {
        source.read_exact(&mut byte)?;
        value = value
            .checked_add(1)
            .and_then(|value| value.checked_mul(128))
            .ok_or_else(corrupt)?
            + usize::from(byte[0] & 0x7f);
    }
    Ok(value)
}

/// Goes through the extensions for the one that names a shared index.
fn shared_index(source: &mut dyn BufRead, hash_bytes: usize) -> io::Result<Option<String>> {
    loop {
        let mut head = [0; 8];
        if let Err(error) = source.read_exact(&mut head) {
            return match error.kind() {
                // Fewer bytes than a head are the rest of the checksum, or no checksum at all.
                io::ErrorKind::UnexpectedEof => Ok(None),
                _ => Err(error),
            };
        }
        let [signature @ .., a, b, c, d] = head;
        let length = u64::from(u32::from_be_bytes([a, b, c, d]));
        if signature == *b"link" {
            let mut hash = vec![0; hash_bytes];
            source.read_exact(&mut hash)?;
            let name: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
            let is_null = hash.iter().all(|&byte| byte == 0);
            return Ok((!is_null).then_some(name));
        }
        // A signature is four letters; anything else is the checksum.
        if !signature.iter().all(u8::is_ascii_alphabetic) {
            return Ok(None);
        }
        if io::copy(&mut source.take(length), &mut io::sink())? < length {
            return Ok(None);
        }
    }
}
