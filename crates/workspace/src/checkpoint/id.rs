//! `Id`: the name of an object, which is the SHA-1 of its kind, its size and its content.

use std::fmt;

use sha1::Digest as _;

use super::error::{Error, damaged};
use super::object::Kind;

/// Bytes of an id.
pub(super) const LEN: usize = 20;

/// The id of a checkpoint, or of a version of a file. Displays as 40 hex digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Id([u8; LEN]);

impl Id {
    /// The id that stands for nothing.
    pub(super) const NONE: Self = Self([0; LEN]);
    /// The id of a folder with nothing in it.
    pub(super) const EMPTY_TREE: Self = Self([
        0x4b, 0x82, 0x5d, 0xc6, 0x42, 0xcb, 0x6e, 0xb9, 0xa0, 0x60, 0xe5, 0x4b, 0xf8, 0xd6, 0x92,
        0x88, 0xfb, 0xee, 0x49, 0x04,
    ]);

    /// Takes the first 20 bytes.
    pub(super) fn from_slice(bytes: &[u8]) -> Option<Self> {
        Some(Self(*bytes.first_chunk()?))
    }

    /// Reads exactly 40 hex digits, in any case.
    #[must_use]
    pub fn parse(hex: &[u8]) -> Option<Self> {
        if hex.len() != 2 * LEN {
            return None;
        }
        let mut id = [0; LEN];
        for (byte, pair) in id.iter_mut().zip(hex.chunks_exact(2)) {
            let &[high, low] = pair else { return None };
            *byte = digit(high)? << 4 | digit(low)?;
        }
        Some(Self(id))
    }

    /// The id as bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; LEN] {
        &self.0
    }

    /// The id that content of a kind has.
    ///
    /// # Errors
    /// When the content was made to have the id of another one.
    pub(super) fn of(kind: Kind, content: &[u8]) -> Result<Self, Error> {
        let mut hasher = sha1_checked::Sha1::new();
        hasher.update(kind.header(content.len()));
        hasher.update(content);
        let found = hasher.try_finalize();
        if found.has_collision() {
            return Err(damaged("content made to have the id of other content"));
        }
        Self::from_slice(found.hash()).ok_or_else(|| damaged("an id"))
    }

    /// Says whether stored content still is what the id was given for.
    pub(super) fn is_of(self, kind: Kind, content: &[u8]) -> bool {
        let mut hasher = sha1::Sha1::new();
        hasher.update(kind.header(content.len()));
        hasher.update(content);
        self.0 == <[u8; LEN]>::from(hasher.finalize())
    }
}

/// The checksum at the end of packs and indexes, which nothing is trusted for.
#[derive(Default)]
pub(super) struct Checksum(sha1::Sha1);

impl Checksum {
    pub(super) fn of(bytes: &[u8]) -> Id {
        let mut sum = Self::default();
        sum.add(bytes);
        sum.end()
    }

    pub(super) fn add(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    pub(super) fn end(self) -> Id {
        Id(self.0.finalize().into())
    }
}

fn digit(hex: u8) -> Option<u8> {
    char::from(hex)
        .to_digit(16)
        .and_then(|digit| u8::try_from(digit).ok())
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
