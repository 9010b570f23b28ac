//! Reading a file: a range of its lines, numbered, or an image.
//!
//! A range costs its own bytes and one pass over what lies before it, whatever the size of the
//! file: nothing but the range is kept.

mod decoded;
mod hash;
mod image;
mod index;
mod render;

use std::io;

use rooted::{File, RelPath};

use crate::cancel::Cancel;
use crate::error::Error;
use crate::limits;
use crate::reader::{Opened, Reader};
use crate::text::{Form, is_binary};

use self::decoded::{Counter, decode};
use self::hash::hash;
pub(crate) use self::hash::hex;
pub use self::hash::{ContentHash, sha256, sha256_of};
use self::image::{image, image_type};
use self::index::LineIndex;
use self::render::{Fed, Render};

#[cfg(test)]
mod tests;

/// Bytes of one read while a range is shown or skipped.
const CHUNK_BYTES: usize = 256 * 1024;

/// What to read.
#[derive(Clone, Copy, Debug)]
pub struct ReadRequest<'a> {
    /// The path argument.
    pub path: &'a str,
    /// First line, counted from 1; a negative number counts from the end. 0 is taken as 1.
    pub offset: i64,
    /// Lines to show; more than [`limits::READ_LINES`] count as that.
    pub limit: u64,
    /// Bytes of the numbered lines; the first line is shown whatever its length.
    pub max_bytes: usize,
    /// Also hash the whole file.
    pub with_hash: bool,
}

/// What was read.
#[derive(Debug)]
pub struct ReadAnswer {
    /// Where the file really is.
    pub path: RelPath,
    /// The name it was found under, when only Unicode form or spaces differ.
    pub found_as: Option<String>,
    /// The content.
    pub content: Content,
    /// Identity of the whole content, when asked for.
    pub hash: Option<ContentHash>,
}

/// The content of what was read.
#[derive(Debug)]
pub enum Content {
    /// Lines of a text.
    Lines(Lines),
    /// An image, whole.
    Image {
        /// Its media type.
        media_type: &'static str,
        /// Its bytes.
        bytes: Vec<u8>,
    },
}

/// Lines of a text, as shown.
#[derive(Debug)]
pub struct Lines {
    /// `N: text` for each line, parted by `\n`; no line break at the end.
    pub text: String,
    /// What of the file that is.
    pub extent: Extent,
    /// Bytes shown as U+FFFD.
    pub n_invalid: u64,
}

/// What of a file was shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// The file has no content.
    Empty,
    /// Everything from the first line asked for to the end.
    ToTheEnd,
    /// Up to a line that is not the last; the number of lines is unknown when the file goes on for too long.
    Cut {
        /// The last line shown.
        last: u64,
        /// Lines in the file.
        total: Option<u64>,
    },
    /// Nothing: the first line asked for is behind the end.
    PastTheEnd {
        /// The first line asked for.
        offset: u64,
        /// Lines in the file.
        total: u64,
    },
}

/// Reads a range of lines of a text file, or an image.
///
/// # Errors
/// The path errors; [`Error::Binary`] for what is neither text nor a small image.
pub fn read(reader: &Reader<'_>, request: &ReadRequest<'_>) -> Result<ReadAnswer, Error> {
    let Opened { file, found_as } = reader.open_file(request.path)?;
    let path = file.path().clone();
    let content = content(&file, request, reader.cancel()).map_err(|fault| fault.at(&path))?;
    let hash = if request.with_hash {
        Some(hash(&file, reader.cancel()).map_err(|fault| fault.at(&path))?)
    } else {
        None
    };
    Ok(ReadAnswer {
        path,
        found_as,
        content,
        hash,
    })
}

/// Why a file could not be read, without its name.
#[derive(Debug)]
enum Fault {
    Binary,
    Cancelled,
    Io(io::Error),
}

impl Fault {
    fn at(self, path: &RelPath) -> Error {
        match self {
            Self::Binary => Error::Binary(path.clone()),
            Self::Cancelled => Error::Cancelled,
            Self::Io(source) => Error::Io {
                path: path.clone(),
                source,
            },
        }
    }
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

fn check(cancel: &Cancel) -> Result<(), Fault> {
    if cancel.is_cancelled() {
        Err(Fault::Cancelled)
    } else {
        Ok(())
    }
}

fn content(file: &File, request: &ReadRequest<'_>, cancel: &Cancel) -> Result<Content, Fault> {
    let len = file.meta().len;
    let wanted = usize::try_from(len.saturating_add(1)).unwrap_or(CHUNK_BYTES);
    let mut first = vec![0; wanted.clamp(limits::SNIFF_BYTES, CHUNK_BYTES)];
    let n_first = fill(file, &mut first, 0)?;
    first.truncate(n_first);
    if let Some(media_type) = image_type(&first)
        && len <= limits::IMAGE_BYTES
    {
        return image(file, media_type);
    }
    if is_binary(&first) {
        return Err(Fault::Binary);
    }
    let form = Form::of_head(&first);
    let limit = request.limit.min(limits::READ_LINES);
    let mut render = Render::new(limit, request.max_bytes);
    let extent = if form.encoding.is_utf16() {
        decoded_range(file, form, request, &mut render, cancel)?
    } else if n_first < CHUNK_BYTES {
        let body = first.get(form.bom_len..).unwrap_or_default();
        short_range(body, request.offset, &mut render)
    } else {
        long_range(file, form, request.offset, &mut render, cancel)?
    };
    let (text, n_invalid) = render.finish();
    Ok(Content::Lines(Lines {
        text,
        extent,
        n_invalid,
    }))
}

/// Reads at an offset until the buffer is full or the file ends.
fn fill(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    let mut n = 0;
    while let Some(rest) = buffer.get_mut(n..)
        && !rest.is_empty()
    {
        match file.read_at(rest, offset + n as u64) {
            Ok(0) => break,
            Ok(more) => n += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(n)
}

/// The first line to show, counted from 1, of a text with `total` lines.
fn first_line(offset: i64, total: u64) -> u64 {
    match u64::try_from(offset) {
        Ok(0) => 1,
        Ok(line) => line,
        Err(_) => total.saturating_sub(offset.unsigned_abs()) + 1,
    }
}

/// A range of a text that is in memory whole.
fn short_range(body: &[u8], offset: i64, render: &mut Render) -> Extent {
    if body.is_empty() {
        return Extent::Empty;
    }
    let breaks = index::count(body);
    let total = breaks + u64::from(body.last() != Some(&b'\n'));
    let first = first_line(offset, total);
    if first > total {
        return Extent::PastTheEnd {
            offset: first,
            total,
        };
    }
    let start = index::start_of(body, first - 1).unwrap_or(0);
    render.start(first);
    let shown = body.get(start..).unwrap_or_default();
    match std::str::from_utf8(shown) {
        Ok(text) => render.feed_text(text),
        Err(_) => {
            render.feed(shown);
            render.end();
        }
    }
    extent(render, Some(total))
}

fn extent(render: &Render, total: Option<u64>) -> Extent {
    match total {
        Some(total) if render.last() >= total => Extent::ToTheEnd,
        total => Extent::Cut {
            last: render.last(),
            total,
        },
    }
}

/// A range of a text too long to hold: finds its start by counting line breaks, then shows it.
fn long_range(
    file: &File,
    form: Form,
    offset: i64,
    render: &mut Render,
    cancel: &Cancel,
) -> Result<Extent, Fault> {
    let bom_len = form.bom_len as u64;
    let mut lines = LineIndex::of(file, cancel);
    let first = if offset < 0 {
        first_line(offset, lines.total()?)
    } else {
        first_line(offset, 0)
    };
    let Some(start) = lines.start_of(first)? else {
        return Ok(Extent::PastTheEnd {
            offset: first,
            total: lines.total()?,
        });
    };
    render.start(first);
    let mut at = start.max(bom_len);
    let mut chunk = vec![0; CHUNK_BYTES];
    let ended = loop {
        check(cancel)?;
        let n = fill(file, &mut chunk, at)?;
        if n == 0 {
            render.end();
            break true;
        }
        at += n as u64;
        if render.feed(chunk.get(..n).unwrap_or_default()) == Fed::Full {
            break false;
        }
    };
    if ended {
        return Ok(Extent::ToTheEnd);
    }
    let total = lines.total_within(at.saturating_add(limits::COUNT_BYTES))?;
    Ok(extent(render, total))
}

/// A range of a text in UTF-16: decoded from the start on, since lines cannot be counted in its bytes.
fn decoded_range(
    file: &File,
    form: Form,
    request: &ReadRequest<'_>,
    render: &mut Render,
    cancel: &Cancel,
) -> Result<Extent, Fault> {
    let total = |cancel: &Cancel| {
        let mut counter = Counter::default();
        decode(file, form, cancel, |chunk| {
            counter.feed(chunk);
            true
        })?;
        Ok::<u64, Fault>(counter.lines())
    };
    let first = match request.offset {
        ..0 => first_line(request.offset, total(cancel)?),
        offset => first_line(offset, 0),
    };
    let mut to_skip = first - 1;
    let mut counter = Counter::default();
    let mut full = false;
    let mut behind = 0;
    render.start(first);
    decode(file, form, cancel, |chunk| {
        counter.feed(chunk);
        let mut shown = chunk;
        if to_skip > 0 {
            let breaks = index::count(chunk);
            if breaks < to_skip {
                to_skip -= breaks;
                return true;
            }
            let start = index::start_of(chunk, to_skip).unwrap_or(chunk.len());
            shown = chunk.get(start..).unwrap_or_default();
            to_skip = 0;
        }
        if full {
            behind += chunk.len() as u64;
        } else {
            full = render.feed(shown) == Fed::Full;
        }
        behind <= limits::COUNT_BYTES
    })?;
    if !full {
        render.end();
    }
    let total = counter.lines();
    if counter.n_bytes == 0 {
        Ok(Extent::Empty)
    } else if first > total {
        Ok(Extent::PastTheEnd {
            offset: first,
            total,
        })
    } else {
        Ok(extent(
            render,
            (behind <= limits::COUNT_BYTES).then_some(total),
        ))
    }
}
