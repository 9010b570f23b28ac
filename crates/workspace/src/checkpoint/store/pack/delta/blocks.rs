//! The blocks of some bytes, by which pieces of them are found in others.

use std::collections::HashMap;

use super::{common, common_end};

/// Bytes that a block has at least.
const BLOCK: usize = 16;
/// Blocks that are remembered at most; of more bytes the blocks are larger.
const BLOCKS: usize = 1 << 16;
/// What the checksum multiplies by: odd, and with its bits spread.
const FACTOR: u32 = 0x9e37_79b1;

/// Bytes cut in blocks of one length, which are found by their checksums.
pub(super) struct Blocks<'a> {
    bytes: &'a [u8],
    block: usize,
    /// Where the first block with a checksum begins.
    starts: HashMap<u32, usize>,
    /// What the oldest byte of a block counts in its checksum.
    oldest: u32,
}

/// A piece that was found.
pub(super) struct Found {
    /// Where it begins in the bytes searched.
    pub(super) at: usize,
    /// Where it begins in the bytes that were cut.
    pub(super) from: usize,
    pub(super) len: usize,
}

impl<'a> Blocks<'a> {
    /// `None` when there is no whole block.
    pub(super) fn of(bytes: &'a [u8]) -> Option<Self> {
        let block = BLOCK.max(bytes.len() / BLOCKS);
        let mut starts = HashMap::new();
        for (n, bytes) in bytes.chunks_exact(block).enumerate() {
            starts.entry(checksum(bytes)).or_insert(n * block);
        }
        let oldest = (1..block).fold(1, |power: u32, _| power.wrapping_mul(FACTOR));
        (!starts.is_empty()).then_some(Self {
            bytes,
            block,
            starts,
            oldest,
        })
    }

    /// The first piece that has a whole block in it, as long as it can be.
    pub(super) fn find(&self, bytes: &[u8]) -> Option<Found> {
        let mut sum = checksum(bytes.get(..self.block)?);
        let mut at = 0;
        loop {
            if let Some(found) = self
                .starts
                .get(&sum)
                .and_then(|&from| self.grown(bytes, at, from))
            {
                return Some(found);
            }
            let (&old, &new) = (bytes.get(at)?, bytes.get(at + self.block)?);
            sum = sum.wrapping_sub(self.oldest.wrapping_mul(value(old)));
            sum = sum.wrapping_mul(FACTOR).wrapping_add(value(new));
            at += 1;
        }
    }

    /// The piece around a block, unless only the checksums are the same.
    fn grown(&self, bytes: &[u8], at: usize, from: usize) -> Option<Found> {
        let after = common(self.bytes.get(from..)?, bytes.get(at..)?);
        if after < self.block {
            return None;
        }
        let before = common_end(self.bytes.get(..from)?, bytes.get(..at)?);
        Some(Found {
            at: at - before,
            from: from - before,
            len: before + after,
        })
    }
}

fn checksum(block: &[u8]) -> u32 {
    block.iter().fold(0, |sum: u32, &byte| {
        sum.wrapping_mul(FACTOR).wrapping_add(value(byte))
    })
}

/// Zeros count as well.
fn value(byte: u8) -> u32 {
    u32::from(byte) + 1
}
