//! Replacing text in the bytes of a file, without touching any other byte.
//!
//! - The exact text is looked for first. Only if it is absent, `\r\n` and `\n` count as the same, and
//!   the new text takes the line ends of the place it lands in. Nothing else is ever taken for equal.
//! - The new text is literal.
//! - A byte order mark is not part of the text and stays. UTF-16 is searched as characters, and only
//!   the replaced stretch is encoded anew.
//! - In a file that is not valid UTF-8, ASCII may be replaced by ASCII. If the whole file could be
//!   Shift-JIS, GB 18030, Big5 or EUC-KR, a place that would begin with the second half of a
//!   character there is passed over and counted. In a file of a one-byte encoding that happens to
//!   read as one of these, this leaves out places right behind a byte of 0x80 or above.

mod line_ends;
mod multibyte;
mod nearest;
mod places;

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::ops::Range;

use self::line_ends::{Adapter, Folded};
use self::places::{Offsets, Places};
use crate::text::{self, Encoding, Form};

/// Line numbers told of a text that occurs more than once.
const LINES_TOLD: usize = 10;

/// Bytes the content may have after an edit; many places times a long text would fill the memory.
pub const RESULT_BYTES: u64 = 256 * 1024 * 1024;

const BOM: char = '\u{feff}';

/// One replacement, as asked for. `old` must not be empty.
#[derive(Clone, Copy, Debug)]
pub struct Edit<'a> {
    /// The text to replace.
    pub old: &'a str,
    /// The text to put there.
    pub new: &'a str,
    /// Whether to replace every occurrence instead of the only one.
    pub replace_all: bool,
}

/// Content after an edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edited {
    /// The whole new content.
    pub bytes: Vec<u8>,
    /// Places that were replaced.
    pub count: usize,
    /// Whether line ends had to be taken for equal, and the new text took those of its place.
    pub adapted: bool,
    /// Whether the last line had a line end and now has none.
    pub lost_last_newline: bool,
    /// Places passed over since they may begin inside a character of a multi-byte encoding.
    pub n_doubtful: usize,
}

/// Why an edit cannot be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EditFault {
    /// The text does not occur.
    NotFound {
        /// The nearest place and what differs there, in one line.
        nearest: Option<String>,
    },
    /// The text occurs more than once, and not all were asked for.
    Ambiguous {
        /// How often it occurs.
        count: usize,
        /// The lines where the first of them begin.
        lines: Vec<u64>,
    },
    /// The content is not valid UTF-8 and the edit not all ASCII.
    NotUtf8,
    /// The new content would have more than [`RESULT_BYTES`]; holds its size, at most.
    ResultTooLarge(u64),
}

/// Carries out an edit on the content of a file.
///
/// # Errors
/// [`EditFault`]; the content is never changed in part.
pub fn apply(bytes: &[u8], edit: &Edit<'_>) -> Result<Edited, EditFault> {
    let form = Form::of(bytes);
    if form.encoding == Encoding::Bytes && !(edit.old.is_ascii() && edit.new.is_ascii()) {
        return Err(EditFault::NotUtf8);
    }
    let (bom, body) = bytes.split_at(form.bom_len);
    let text = text::body_to_utf8(form.encoding, body);
    let file = File {
        form,
        bom,
        body,
        text: &text,
    };
    let exact = file.try_edit(edit, false);
    let Err(EditFault::NotFound { nearest }) = exact else {
        return exact;
    };
    // Who saw the mark as a character may quote it; it is there once, and stays.
    if let Some(rest) = edit.old.strip_prefix(BOM)
        && !bom.is_empty()
        && !rest.is_empty()
    {
        let behind_bom = Edit {
            old: rest,
            new: edit.new.strip_prefix(BOM).unwrap_or(edit.new),
            replace_all: edit.replace_all,
        };
        return match file.try_edit(&behind_bom, true) {
            Err(EditFault::NotFound { nearest: doubtful }) => {
                Err(file.not_found(&behind_bom, nearest.or(doubtful)))
            }
            done => done,
        };
    }
    Err(file.not_found(edit, nearest))
}

/// A file taken apart.
struct File<'a> {
    form: Form,
    bom: &'a [u8],
    /// The bytes behind the mark.
    body: &'a [u8],
    /// The same as nearly UTF-8.
    text: &'a [u8],
}

impl File<'_> {
    /// Tries the exact text and then folded line ends; `NotFound` only tells of doubtful places.
    fn try_edit(&self, edit: &Edit<'_>, at_start: bool) -> Result<Edited, EditFault> {
        let guarded = self.form.encoding == Encoding::Bytes;
        let old = edit.old.as_bytes();
        let exact = || {
            let places = Places::new(self.text, old, guarded);
            if at_start { places.at_start() } else { places }
        };
        let found = Survey::of(exact());
        if found.count > 0 {
            found.refuse_ambiguous(edit, self.text)?;
            let longest = edit.new.len();
            self.refuse_too_large(&found, longest)?;
            let swaps = exact().map(|place| (place, Cow::Borrowed(edit.new.as_bytes())));
            return Ok(self.splice(swaps, &found, false));
        }
        if let Some(folded) = Folded::new(self.text, old) {
            let places = || {
                let places = Places::new(&folded.text, &folded.old, guarded);
                let places = if at_start { places.at_start() } else { places };
                folded.unfold(places)
            };
            let n_doubtful = found.n_doubtful;
            let found = Survey::of(places());
            if found.count > 0 {
                found.refuse_ambiguous(edit, self.text)?;
                let adapter = Adapter::new(&folded.old, edit.new);
                self.refuse_too_large(&found, adapter.longest())?;
                let swaps = places().map(|place| {
                    let replaced = self.text.get(place.clone()).unwrap_or_default();
                    (place, Cow::Owned(adapter.adapt(replaced)))
                });
                return Ok(self.splice(swaps, &found, true));
            }
            return Err(self.only_doubtful(n_doubtful.max(found.n_doubtful), found.doubtful_at));
        }
        Err(self.only_doubtful(found.n_doubtful, found.doubtful_at))
    }

    fn only_doubtful(&self, n_doubtful: usize, at: Option<usize>) -> EditFault {
        let nearest = at.filter(|_| n_doubtful > 0).map(|at| {
            format!(
                "line {} has it right behind a byte above 0x7f, where it may be half of a character; begin oldString earlier in the line or later",
                places::line_of(self.text, at)
            )
        });
        EditFault::NotFound { nearest }
    }

    fn not_found(&self, edit: &Edit<'_>, nearest: Option<String>) -> EditFault {
        EditFault::NotFound {
            nearest: nearest.or_else(|| nearest::nearest(self.text, edit.old)),
        }
    }

    fn refuse_too_large(&self, found: &Survey, longest: usize) -> Result<(), EditFault> {
        let width = if self.form.encoding.is_utf16() { 2 } else { 1 };
        let added = (found.count as u64).saturating_mul(longest as u64 * width);
        let size = added.saturating_add(self.body.len() as u64);
        // An edit that does not make the content longer is always fine.
        let grows = longest > found.shortest;
        if grows && size > RESULT_BYTES {
            return Err(EditFault::ResultTooLarge(size));
        }
        Ok(())
    }

    fn splice<'n>(
        &self,
        swaps: impl Iterator<Item = (Range<usize>, Cow<'n, [u8]>)>,
        found: &Survey,
        adapted: bool,
    ) -> Edited {
        let mut bytes = Vec::with_capacity(self.bom.len() + self.body.len());
        bytes.extend_from_slice(self.bom);
        let mut offsets = Offsets::new(self.text, self.form.encoding);
        let mut kept_to = 0;
        for (place, new) in swaps {
            let start = offsets.body_offset(place.start);
            let end = offsets.body_offset(place.end);
            bytes.extend_from_slice(self.body.get(kept_to..start).unwrap_or_default());
            text::encode(self.form.encoding, &new, &mut bytes);
            kept_to = end;
        }
        bytes.extend_from_slice(self.body.get(kept_to..).unwrap_or_default());
        let body = bytes.get(self.bom.len()..).unwrap_or_default();
        let lost_last_newline = self.text.ends_with(b"\n")
            && !body.is_empty()
            && !ends_with_newline(self.form.encoding, body);
        Edited {
            count: found.count,
            adapted,
            lost_last_newline,
            n_doubtful: found.n_doubtful,
            bytes,
        }
    }
}

fn ends_with_newline(encoding: Encoding, body: &[u8]) -> bool {
    match encoding {
        Encoding::Utf8 | Encoding::Bytes => body.ends_with(b"\n"),
        Encoding::Utf16Le => body.len().is_multiple_of(2) && body.ends_with(b"\n\0"),
        Encoding::Utf16Be => body.len().is_multiple_of(2) && body.ends_with(b"\0\n"),
    }
}

/// What a first pass over the places tells.
#[derive(Debug, Default)]
struct Survey {
    count: usize,
    first: Vec<usize>,
    shortest: usize,
    n_doubtful: usize,
    doubtful_at: Option<usize>,
}

impl Survey {
    fn of<P>(mut places: P) -> Self
    where
        P: Iterator<Item = Range<usize>> + places::Doubts,
    {
        let mut survey = Self {
            shortest: usize::MAX,
            ..Self::default()
        };
        for place in places.by_ref() {
            survey.count += 1;
            survey.shortest = survey.shortest.min(place.len());
            if survey.first.len() < LINES_TOLD {
                survey.first.push(place.start);
            }
        }
        (survey.n_doubtful, survey.doubtful_at) = places.doubts();
        survey
    }

    fn refuse_ambiguous(&self, edit: &Edit<'_>, text: &[u8]) -> Result<(), EditFault> {
        if self.count == 1 || edit.replace_all {
            return Ok(());
        }
        Err(EditFault::Ambiguous {
            count: self.count,
            lines: places::lines_of(text, &self.first),
        })
    }
}
