//! Where lines start: line breaks counted by block, on all processors, and remembered.
//!
//! A file is counted no further than asked. What was counted is kept for the next page, under the
//! file's identity, size and times.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use memchr::memchr_iter;
use rooted::{File, Meta};

use super::{CHUNK_BYTES, Fault, fill};
use crate::cancel::Cancel;

/// Bytes whose line breaks are counted as one.
const BLOCK_BYTES: u64 = CHUNK_BYTES as u64;
/// Blocks counted between two looks at whether to go on.
const SEGMENT_BLOCKS: u64 = 128;
/// Indexes kept: each takes 4 bytes for 256 KiB of its file.
const KEPT: usize = 8;
/// A file changed less than this before it was counted may change again within the same tick of the clock.
const SETTLED: Duration = Duration::from_secs(2);

/// Line breaks in some text.
pub(super) fn count(text: &[u8]) -> u64 {
    memchr_iter(b'\n', text).count() as u64
}

/// Where the line behind the `n`-th line break starts; `None` when there are fewer.
pub(super) fn start_of(text: &[u8], n: u64) -> Option<usize> {
    match n.checked_sub(1) {
        None => Some(0),
        Some(before) => memchr_iter(b'\n', text)
            .nth(usize::try_from(before).ok()?)
            .map(|at| at + 1),
    }
}

/// Line breaks of a file by block, as far as they were counted.
#[derive(Clone, Default)]
struct Counted {
    blocks: Vec<u32>,
    total_breaks: u64,
    /// Set once the end was reached: the size, and whether the last line has no line break.
    end: Option<(u64, bool)>,
}

static CACHE: Mutex<Vec<(Meta, Arc<Counted>)>> = Mutex::new(Vec::new());

/// Finds lines in a file.
pub(super) struct LineIndex<'a> {
    file: &'a File,
    cancel: &'a Cancel,
    counted: Arc<Counted>,
}

impl<'a> LineIndex<'a> {
    /// The index of a file: what is remembered of it, or nothing yet.
    pub(super) fn of(file: &'a File, cancel: &'a Cancel) -> Self {
        let cache = CACHE.lock().unwrap_or_else(PoisonError::into_inner);
        let known = cache.iter().find(|(meta, _)| meta == file.meta());
        let counted = known
            .map(|(_, counted)| Arc::clone(counted))
            .unwrap_or_default();
        Self {
            file,
            cancel,
            counted,
        }
    }

    /// Where a line starts, counted from 1; `None` when the file has fewer lines.
    pub(super) fn start_of(&mut self, line: u64) -> Result<Option<u64>, Fault> {
        if line <= 1 {
            return Ok(Some(0));
        }
        let breaks = line - 1;
        while self.counted.total_breaks < breaks && self.count_segment()? {}
        let mut before = 0;
        for (number, &in_block) in self.counted.blocks.iter().enumerate() {
            let in_block = u64::from(in_block);
            if before + in_block >= breaks {
                let offset = number as u64 * BLOCK_BYTES;
                let mut block = vec![0; CHUNK_BYTES];
                let n = fill(self.file, &mut block, offset)?;
                let text = block.get(..n).unwrap_or_default();
                let Some(at) = start_of(text, breaks - before) else {
                    break;
                };
                let start = offset + at as u64;
                let len = self
                    .counted
                    .end
                    .map_or(self.file.meta().len, |(len, _)| len);
                let is_end = start >= len;
                return Ok((!is_end).then_some(start));
            }
            before += in_block;
        }
        Ok(None)
    }

    /// Lines in the file.
    pub(super) fn total(&mut self) -> Result<u64, Fault> {
        while self.count_segment()? {}
        Ok(self.lines().unwrap_or(self.counted.total_breaks))
    }

    /// Lines in the file; `None` when it goes on behind `limit` bytes.
    pub(super) fn total_within(&mut self, limit: u64) -> Result<Option<u64>, Fault> {
        while self.counted.blocks.len() as u64 * BLOCK_BYTES < limit && self.count_segment()? {}
        Ok(self.lines())
    }

    fn lines(&self) -> Option<u64> {
        self.counted
            .end
            .map(|(_, open)| self.counted.total_breaks + u64::from(open))
    }

    /// Counts a further segment; says whether there is more to count.
    fn count_segment(&mut self) -> Result<bool, Fault> {
        if self.counted.end.is_some() {
            return Ok(false);
        }
        super::check(self.cancel)?;
        let from = self.counted.blocks.len() as u64;
        let left = self
            .file
            .meta()
            .len
            .saturating_sub(from * BLOCK_BYTES)
            .div_ceil(BLOCK_BYTES);
        // One block more than the size tells, to see the end of a file that grows.
        let n = (left + 1).min(SEGMENT_BLOCKS);
        let counted = Arc::make_mut(&mut self.counted);
        for block in count_blocks(self.file, from, n)? {
            if block.len > 0 {
                counted.blocks.push(block.breaks);
                counted.total_breaks += u64::from(block.breaks);
            }
            if block.len < BLOCK_BYTES {
                let len = counted.blocks.len().saturating_sub(1) as u64 * BLOCK_BYTES + block.len;
                let len = if block.len > 0 {
                    len
                } else {
                    counted.blocks.len() as u64 * BLOCK_BYTES
                };
                let mut last = [0];
                let n_last = fill(self.file, &mut last, len.saturating_sub(1))?;
                counted.end = Some((len, n_last == 1 && last != *b"\n"));
                break;
            }
        }
        self.remember();
        Ok(self.counted.end.is_none())
    }

    /// Keeps what was counted, unless the file is changing.
    fn remember(&self) {
        let settled = |meta: &Meta| {
            let now = SystemTime::now()
                .duration_since(SystemTime::UNIX_EPOCH)
                .unwrap_or_default();
            let changed = meta.mtime_ns.max(meta.ctime_ns);
            i128::try_from(now.saturating_sub(SETTLED).as_nanos()).is_ok_and(|now| changed < now)
        };
        let meta = *self.file.meta();
        if !settled(&meta) || self.file.stat().ok() != Some(meta) {
            return;
        }
        let mut cache = CACHE.lock().unwrap_or_else(PoisonError::into_inner);
        cache.retain(|(known, _)| known.id != meta.id);
        cache.truncate(KEPT - 1);
        cache.insert(0, (meta, Arc::clone(&self.counted)));
    }
}

/// One block: its size, and the line breaks in it.
#[derive(Clone, Copy, Default)]
struct Block {
    len: u64,
    breaks: u32,
}

/// Counts `n` blocks from block `from` on, shared out among threads when there are many.
fn count_blocks(file: &File, from: u64, n: u64) -> io::Result<Vec<Block>> {
    let mut blocks = vec![Block::default(); usize::try_from(n).unwrap_or(usize::MAX)];
    let threads = if n < 16 { 1 } else { crate::threads() };
    let share = blocks.len().div_ceil(threads);
    std::thread::scope(|scope| {
        let mut shares = blocks.chunks_mut(share).enumerate();
        let mine = shares.next();
        let others: Vec<_> = shares
            .map(|(i, blocks)| {
                scope.spawn(move || count_share(file, from + (i * share) as u64, blocks))
            })
            .collect();
        let mut done = mine.map_or(Ok(()), |(_, blocks)| count_share(file, from, blocks));
        for other in others {
            done = done.and(other.join().expect("counting does not panic"));
        }
        done
    })?;
    Ok(blocks)
}

fn count_share(file: &File, from: u64, blocks: &mut [Block]) -> io::Result<()> {
    let mut buffer = vec![0; CHUNK_BYTES];
    for (number, block) in (from..).zip(blocks) {
        let n = fill(file, &mut buffer, number * BLOCK_BYTES)?;
        let text = buffer.get(..n).unwrap_or_default();
        block.len = n as u64;
        block.breaks = u32::try_from(count(text)).unwrap_or(u32::MAX);
        if n < CHUNK_BYTES {
            break;
        }
    }
    Ok(())
}
