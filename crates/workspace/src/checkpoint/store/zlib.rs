//! Packing and unpacking bytes.

use std::io::{self, Read};

use flate2::{Compress, Compression, FlushCompress, Status};

/// Packs bytes, as fast as it goes: most checkpoints are never read again.
pub(in crate::checkpoint) struct Deflater(Compress);

impl Default for Deflater {
    fn default() -> Self {
        Self(Compress::new(Compression::fast(), true))
    }
}

impl Deflater {
    /// Adds these parts, one behind the other, as one stream.
    ///
    /// # Errors
    /// When the library refuses, which it has no reason to.
    pub(in crate::checkpoint) fn pack(
        &mut self,
        parts: &[&[u8]],
        out: &mut Vec<u8>,
    ) -> io::Result<()> {
        self.0.reset();
        let mut parts = parts.iter().peekable();
        while let Some(part) = parts.next() {
            let flush = match parts.peek() {
                Some(_) => FlushCompress::None,
                None => FlushCompress::Finish,
            };
            self.add(part, flush, out)?;
        }
        Ok(())
    }

    fn add(&mut self, part: &[u8], flush: FlushCompress, out: &mut Vec<u8>) -> io::Result<()> {
        let mut rest = part;
        loop {
            if out.capacity() - out.len() < 256 {
                out.reserve((rest.len() / 2).max(1024));
            }
            let before = self.0.total_in();
            let status = self.0.compress_vec(rest, out, flush)?;
            let taken = usize::try_from(self.0.total_in() - before).unwrap_or(usize::MAX);
            rest = rest.get(taken..).unwrap_or_default();
            match (flush, status) {
                (FlushCompress::Finish, Status::StreamEnd) => return Ok(()),
                (FlushCompress::Finish, _) => {}
                _ if rest.is_empty() => return Ok(()),
                _ => {}
            }
        }
    }
}

/// Unpacks a stream that holds exactly `len` bytes.
///
/// # Errors
/// When it does not, or is none.
pub(in crate::checkpoint) fn unpack(packed: impl Read, len: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(usize::try_from(len.min(1 << 20)).unwrap_or(0));
    flate2::read::ZlibDecoder::new(packed)
        .take(len.saturating_add(1))
        .read_to_end(&mut bytes)?;
    if bytes.len() as u64 == len {
        Ok(bytes)
    } else {
        Err(io::ErrorKind::InvalidData.into())
    }
}
