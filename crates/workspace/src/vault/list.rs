//! Listing notes, with what each says about itself.

use rooted::RelPath;

use super::fault::Fault;
use super::front_matter::{About, BLOCK_BYTES, HEAD_BYTES, Tag};
use super::notes::Notes;
use super::sweep::{self, sweep};
use super::{LeftOut, Vault, modified, path, read_start};
use crate::cancel::Cancel;
use crate::clock::Time;

/// Which notes to list.
#[derive(Clone, Copy, Debug, Default)]
pub struct ListRequest<'a> {
    /// The folder; empty for the root.
    pub folder: &'a str,
    /// A tag that they must have.
    pub tag: Option<&'a str>,
    /// Goes on behind this path.
    pub after: Option<&'a str>,
    /// How many, at most.
    pub limit: Option<usize>,
}

/// Some notes.
#[derive(Clone, Debug)]
pub struct Listing {
    /// The notes, by their paths.
    pub notes: Vec<Listed>,
    /// How many there are in all, with those before and behind.
    pub n_total: usize,
    /// Whether there are more behind the last one.
    pub truncated: bool,
    /// What could not be listed.
    pub left_out: LeftOut,
}

/// One note of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Where it is.
    pub path: RelPath,
    /// Its size in bytes.
    pub size: u64,
    /// When it was changed last.
    pub modified: Time,
    /// What it says about itself.
    pub about: About,
}

/// Lists the notes beneath a folder, in the order of their paths.
///
/// # Errors
/// The path faults; [`Fault::FolderNotFound`].
pub fn list(vault: &Vault, cancel: &Cancel, request: &ListRequest<'_>) -> Result<Listing, Fault> {
    let folder = path::folder(request.folder)?;
    let reader = vault.reader(cancel)?;
    let notes = Notes::beneath(&reader, &folder)?;
    let mut left_out = notes.left_out();
    let after = request.after.map(|after| notes.behind(after));
    let (places, n_total): (Vec<usize>, usize) = match request.tag.map(Tag::new) {
        None => {
            let first = after.unwrap_or(0);
            ((first..notes.len()).collect(), notes.len())
        }
        Some(tag) => {
            let swept = sweep(&reader, &notes, BLOCK_BYTES_FIRST, |seen| {
                let mut head = Vec::new();
                let is_cut = seen.file.meta().len > BLOCK_BYTES_FIRST;
                let has = if is_cut && may_have_block(seen.content) {
                    read_start(seen.file, BLOCK_BYTES as u64, &mut head).ok()?;
                    tag.is_in(&head)
                } else {
                    tag.is_in(seen.content)
                };
                has.then_some(())
            })?;
            left_out.n_unreadable = swept.left_out.n_unreadable;
            let n_total = swept.found.len();
            let places = swept.found.into_iter().map(|(place, ())| place);
            (
                places
                    .filter(|&place| place >= after.unwrap_or(0))
                    .collect(),
                n_total,
            )
        }
    };
    let limit = vault.n_results(request.limit);
    let mut listed = Vec::with_capacity(places.len().min(limit));
    let mut rest = places.into_iter();
    let mut head = Vec::new();
    while listed.len() < limit
        && let Some(place) = rest.next()
    {
        cancel.check()?;
        let path = notes.path(place);
        match sweep::open(&reader, &path) {
            Ok(Some(file)) => {
                let about = match read_start(&file, HEAD_BYTES, &mut head) {
                    Ok(()) => About::of(&head),
                    Err(_) => About::default(),
                };
                listed.push(Listed {
                    size: file.meta().len,
                    modified: modified(&file),
                    path,
                    about,
                });
            }
            Ok(None) => left_out.n_unreadable += 1,
            Err(sweep::Gone) => {}
        }
    }
    Ok(Listing {
        notes: listed,
        n_total,
        truncated: rest.next().is_some(),
        left_out,
    })
}

/// Bytes read of each note when a tag is looked for: enough for most front matter.
const BLOCK_BYTES_FIRST: u64 = 2048;

fn may_have_block(start: &[u8]) -> bool {
    start.starts_with(b"---") || start.starts_with(b"\xef\xbb\xbf---")
}

#[cfg(test)]
mod tests;
