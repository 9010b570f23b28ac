//! Differences: an object told as pieces of another one.

mod blocks;
#[cfg(test)]
mod tests;

use self::blocks::Blocks;

/// Bytes that one piece of the base has at most.
const PIECE: usize = 0x00ff_ffff;
/// Bytes that are told as they are at once.
const LITERAL: usize = 0x7f;

/// Bytes of an object below which a difference is not worth its place.
const WORTH: usize = 64;

/// Tells an object by the pieces it has in common with another one; `None` when that saves little.
///
/// What both begin and end with is taken first, which is most of it for versions of a folder or file
/// that differ in one place. What is between is searched for blocks of the other one, as rsync does
/// (Tridgell and Mackerras, The rsync algorithm, 1996): time and memory go by the sizes.
pub(in crate::checkpoint::store) fn make(base: &[u8], made: &[u8]) -> Option<Vec<u8>> {
    if made.len() < WORTH {
        return None;
    }
    let start = common(base, made);
    let (base_rest, made_rest) = (base.get(start..)?, made.get(start..)?);
    let end = common_end(base_rest, made_rest);
    let old = base_rest.get(..base_rest.len() - end)?;
    let new = made_rest.get(..made_rest.len() - end)?;
    let mut difference = Difference {
        delta: Vec::with_capacity(64),
        n_literal: 0,
    };
    write_size(base.len(), &mut difference.delta);
    write_size(made.len(), &mut difference.delta);
    difference.piece(0, start);
    let blocks = Blocks::of(old);
    let mut rest = new;
    while let Some(found) = blocks.as_ref().and_then(|blocks| blocks.find(rest)) {
        let (before, after) = rest.split_at_checked(found.at)?;
        difference.literal(before);
        difference.piece(start + found.from, found.len);
        rest = after.get(found.len..)?;
    }
    difference.literal(rest);
    difference.piece(base.len() - end, end);
    (difference.n_literal <= made.len() / 2).then_some(difference.delta)
}

/// A difference being told.
struct Difference {
    delta: Vec<u8>,
    /// Bytes that are told as they are.
    n_literal: usize,
}

impl Difference {
    fn literal(&mut self, bytes: &[u8]) {
        self.n_literal += bytes.len();
        for bytes in bytes.chunks(LITERAL) {
            self.delta.extend(u8::try_from(bytes.len()));
            self.delta.extend_from_slice(bytes);
        }
    }

    fn piece(&mut self, start: usize, len: usize) {
        write_piece(start, len, &mut self.delta);
    }
}

/// How many bytes both begin with.
fn common(a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

/// How many bytes both end with.
fn common_end(a: &[u8], b: &[u8]) -> usize {
    let pairs = a.iter().rev().zip(b.iter().rev());
    pairs.take_while(|(a, b)| a == b).count()
}

fn write_size(size: usize, delta: &mut Vec<u8>) {
    let mut rest = size;
    loop {
        let [byte, ..] = rest.to_le_bytes();
        rest >>= 7;
        if rest == 0 {
            delta.push(byte & 0x7f);
            return;
        }
        delta.push(byte | 0x80);
    }
}

/// Takes so many bytes of the base.
fn write_piece(start: usize, len: usize, delta: &mut Vec<u8>) {
    let (mut start, mut rest) = (start, len);
    while rest > 0 {
        let n = rest.min(PIECE);
        let at = delta.len();
        delta.push(0x80);
        let mut code = 0x80;
        let numbers = [(start, 4), (n, 3)];
        let mut bit = 1_u8;
        for (number, n_bytes) in numbers {
            for byte in number.to_le_bytes().into_iter().take(n_bytes) {
                if byte != 0 {
                    code |= bit;
                    delta.push(byte);
                }
                bit = bit.wrapping_shl(1);
            }
        }
        if let Some(first) = delta.get_mut(at) {
            *first = code;
        }
        start += n;
        rest -= n;
    }
}

/// Makes the object that a difference tells, of at most `limit` bytes; `None` when it tells none.
pub(super) fn apply(base: &[u8], delta: &[u8], limit: u64) -> Option<Vec<u8>> {
    let mut rest = delta;
    if size(&mut rest)? != base.len() as u64 {
        return None;
    }
    let len = size(&mut rest)?;
    if len > limit {
        return None;
    }
    let len = usize::try_from(len).ok()?;
    let mut made = Vec::with_capacity(len.min(1 << 24));
    while let Some((&code, behind)) = rest.split_first() {
        rest = behind;
        let piece = if code & 0x80 == 0 {
            // Nothing is told by a zero.
            let n = usize::from(code);
            if n == 0 {
                return None;
            }
            let (piece, behind) = rest.split_at_checked(n)?;
            rest = behind;
            piece
        } else {
            let start = number(code & 0x0f, 4, &mut rest)?;
            let n = match number(code >> 4 & 0x07, 3, &mut rest)? {
                0 => 0x1_0000,
                n => n,
            };
            base.get(start..)?.get(..n)?
        };
        if made.len() + piece.len() > len {
            return None;
        }
        made.extend_from_slice(piece);
    }
    (made.len() == len).then_some(made)
}

/// A size in seven bits a byte, the least first.
fn size(rest: &mut &[u8]) -> Option<u64> {
    let mut size = 0_u64;
    for shift in (0..63).step_by(7) {
        let (&byte, behind) = rest.split_first()?;
        *rest = behind;
        size |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(size);
        }
    }
    None
}

/// A number of which only the bytes that `present` names are written, the least first.
fn number(present: u8, n_bytes: u32, rest: &mut &[u8]) -> Option<usize> {
    let mut number = 0_usize;
    for place in 0..n_bytes {
        if present & 1 << place != 0 {
            let (&byte, behind) = rest.split_first()?;
            *rest = behind;
            number |= usize::from(byte) << (8 * place);
        }
    }
    Some(number)
}
