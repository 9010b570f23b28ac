//! Images that clients can show, told by their first bytes.

use std::io::Read as _;

use rooted::File;

use super::decoded::At;
use super::{Content, Fault};
use crate::limits;

/// The media type of an image that clients can show, by its first bytes.
pub(super) fn image_type(head: &[u8]) -> Option<&'static str> {
    match head {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some("image/gif"),
        [
            b'R',
            b'I',
            b'F',
            b'F',
            _,
            _,
            _,
            _,
            b'W',
            b'E',
            b'B',
            b'P',
            ..,
        ] => Some("image/webp"),
        _ => None,
    }
}

pub(super) fn image(file: &File, media_type: &'static str) -> Result<Content, Fault> {
    let mut source = At { file, offset: 0 };
    let mut bytes = Vec::new();
    (&mut source)
        .take(limits::IMAGE_BYTES + 1)
        .read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limits::IMAGE_BYTES {
        return Err(Fault::Binary);
    }
    Ok(Content::Image { media_type, bytes })
}
