//! How alike two lines are, by the pairs of bytes they share.

/// Bytes of a line that are compared.
const LINE_BYTES: usize = 400;
/// Pairs below which a line is too short to be like anything.
const PAIRS: usize = 2;

/// The line most like `probe`; `None` when none is much like it.
pub(super) fn most_similar(lines: &[impl AsRef<[u8]>], probe: &[u8]) -> Option<usize> {
    let mut seen = vec![0_u32; 1 << 16];
    let mut wanted = vec![false; 1 << 16];
    let mut n_wanted = 0;
    for pair in pairs(probe) {
        if let Some(slot @ false) = wanted.get_mut(pair) {
            *slot = true;
            n_wanted += 1;
        }
    }
    if n_wanted < PAIRS {
        return None;
    }
    let mut best = None;
    for (index, line) in lines.iter().enumerate() {
        // Marks of one line are told from those of others by its number.
        let mark = u32::try_from(index + 1).ok()?;
        let (mut n_pairs, mut n_shared) = (0, 0);
        for pair in pairs(line.as_ref()) {
            if let Some(slot) = seen.get_mut(pair).filter(|slot| **slot != mark) {
                *slot = mark;
                n_pairs += 1;
                n_shared += usize::from(wanted.get(pair).copied().unwrap_or(false));
            }
        }
        // In per cent: how much of both is shared, and how much of the probe is there.
        let both = n_shared * 200 / (n_pairs + n_wanted);
        let there = n_shared * 100 / n_wanted;
        if both < 60 && there < 80 {
            continue;
        }
        let score = both + there;
        if best.is_none_or(|(top, _)| score > top) {
            best = Some((score, index));
        }
    }
    best.map(|(_, index)| index)
}

/// Neighbouring bytes that are not white space, in lower case.
fn pairs(line: &[u8]) -> impl Iterator<Item = usize> {
    let kept = line
        .iter()
        .filter(|byte| !byte.is_ascii_whitespace())
        .map(u8::to_ascii_lowercase)
        .take(LINE_BYTES);
    let next = kept.clone().skip(1);
    kept.zip(next)
        .map(|(a, b)| usize::from(a) << 8 | usize::from(b))
}
