//! Differences: an object told as pieces of another one.

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
