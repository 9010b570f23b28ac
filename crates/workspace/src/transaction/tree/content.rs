//! The new content of a file, at hand or to be fetched.

use std::borrow::Cow;

use crate::error::Error;

/// Gives the content that a key of [`Content::Fetch`] stands for.
pub type Fetch<'a> = &'a mut dyn FnMut(u64) -> Result<Vec<u8>, Error>;

/// What a file is to hold.
#[derive(Debug)]
pub enum Content {
    /// These bytes.
    Bytes(Vec<u8>),
    /// What is fetched for this key when its turn comes.
    Fetch(u64),
}

impl Content {
    /// The bytes, fetched if they are not here.
    pub(super) fn bytes(&self, fetch: Fetch<'_>) -> Result<Cow<'_, [u8]>, Error> {
        match self {
            Self::Bytes(bytes) => Ok(Cow::Borrowed(bytes)),
            Self::Fetch(key) => fetch(*key).map(Cow::Owned),
        }
    }
}
