//! Differences: an object told as pieces of another one.

/// Bytes that one piece of the base has at most.
const PIECE: usize = 0x00ff_ffff;
/// Bytes that are told as they are at once.
const LITERAL: usize = 0x7f;

/// Bytes of an object below which a difference is not worth its place.
const WORTH: usize = 64;

/// Tells an object by what it begins and ends with like another one, and what is between; `None` when
/// that saves little.
///
/// Versions of a folder, and most of a file, differ in one place.
pub(in crate::checkpoint::store) fn make(base: &[u8], made: &[u8]) -> Option<Vec<u8>> {
    if made.len() < WORTH {
        return None;
    }
    let start = base.iter().zip(made).take_while(|(a, b)| a == b).count();
    let (base_rest, made_rest) = (base.get(start..)?, made.get(start..)?);
    let end = base_rest
        .iter()
        .rev()
        .zip(made_rest.iter().rev())
        .take_while(|(a, b)| a == b)
        .count();
    let between = made_rest.get(..made_rest.len() - end)?;
    if between.len() > made.len() / 2 {
        return None;
    }
    let mut delta = Vec::with_capacity(between.len() + 32);
    write_size(base.len(), &mut delta);
    write_size(made.len(), &mut delta);
    write_piece(0, start, &mut delta);
    for literal in between.chunks(LITERAL) {
        delta.push(u8::try_from(literal.len()).ok()?);
        delta.extend_from_slice(literal);
    }
    write_piece(base.len() - end, end, &mut delta);
    Some(delta)
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
