//! Which files are binary, told by their first bytes.

use std::thread;

use rooted::{Dir, Entry, ErrorKind, Kind};

use crate::error::Error;
use crate::limits::SNIFF_BYTES;
use crate::reader::Reader;
use crate::text::is_binary;

/// Files for which another thread is worth its start.
const FILES_A_THREAD: usize = 64;

/// What an entry turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// A folder, a text, or a file whose content cannot be told.
    Shown,
    /// A file that is not text.
    Binary,
    /// Not there any more, or something else now.
    Gone,
}

/// Looks at the beginning of files.
pub(super) struct Sniffer<'a> {
    reader: &'a Reader<'a>,
    include_binary: bool,
}

impl<'a> Sniffer<'a> {
    pub(super) fn new(reader: &'a Reader<'a>, include_binary: bool) -> Self {
        Self {
            reader,
            include_binary,
        }
    }

    /// What each of the entries is, in their order.
    pub(super) fn look(&self, entries: &[Entry]) -> Result<Vec<Content>, Error> {
        let mut contents = vec![Content::Shown; entries.len()];
        if self.include_binary {
            return Ok(contents);
        }
        let n_files = entries.iter().filter(|e| e.kind == Kind::File).count();
        let n_threads = crate::threads().min(n_files / FILES_A_THREAD).max(1);
        let part = entries.len().div_ceil(n_threads).max(1);
        thread::scope(|scope| {
            let mut parts = entries.chunks(part).zip(contents.chunks_mut(part));
            let mine = parts.next();
            for (entries, contents) in parts {
                scope.spawn(|| self.look_at_part(entries, contents));
            }
            if let Some((entries, contents)) = mine {
                self.look_at_part(entries, contents);
            }
        });
        self.reader.cancel().check()?;
        Ok(contents)
    }

    fn look_at_part(&self, entries: &[Entry], contents: &mut [Content]) {
        let mut folder = None;
        let mut head = vec![0; SNIFF_BYTES];
        for (entry, content) in entries.iter().zip(contents) {
            if entry.kind != Kind::File {
                continue;
            }
            // What is not looked at does not matter: a cancelled listing has no answer.
            if self.reader.cancel().is_cancelled() {
                return;
            }
            *content = match self.is_binary(entry, &mut folder, &mut head) {
                Ok(true) => Content::Binary,
                Ok(false) => Content::Shown,
                Err(kind) => by_error(&kind),
            };
        }
    }

    /// `folder` is the one last used, since neighbours mostly lie in the same one.
    fn is_binary(
        &self,
        entry: &Entry,
        folder: &mut Option<Dir>,
        head: &mut [u8],
    ) -> Result<bool, ErrorKind> {
        let (Some(parent), Some(name)) = (entry.path.parent(), entry.path.file_name()) else {
            return Ok(false);
        };
        if folder.as_ref().is_none_or(|open| *open.path() != parent) {
            let dir = self.reader.root().open_dir(&parent);
            *folder = Some(dir.map_err(|error| error.kind)?);
        }
        let Some(dir) = folder.as_ref().filter(|open| *open.path() == parent) else {
            // There is a link on the way now.
            return Err(ErrorKind::Changed);
        };
        let file = dir.open_file(name).map_err(|error| error.kind)?;
        let mut filled = 0;
        while let Some(rest) = head.get_mut(filled..).filter(|rest| !rest.is_empty()) {
            match file.read_at(rest, filled as u64) {
                Ok(0) => break,
                Ok(n) => {
                    filled += n;
                    // A short read is the end of the file, unless the file has more.
                    if filled as u64 >= file.meta().len {
                        break;
                    }
                }
                Err(error) => return Err(ErrorKind::Other(error)),
            }
        }
        Ok(is_binary(head.get(..filled).unwrap_or_default()))
    }
}

/// What an entry is whose content cannot be read: still there, or not.
fn by_error(kind: &ErrorKind) -> Content {
    match kind {
        ErrorKind::NotFound
        | ErrorKind::Outside
        | ErrorKind::NotADirectory
        | ErrorKind::IsADirectory
        | ErrorKind::NotRegular
        | ErrorKind::LinkLoop
        | ErrorKind::LinkRefused
        | ErrorKind::Changed => Content::Gone,
        ErrorKind::PermissionDenied
        | ErrorKind::InUse
        | ErrorKind::HardLinked
        | ErrorKind::OtherFilesystem
        | ErrorKind::NameTooLong
        | ErrorKind::NoSpace
        | ErrorKind::ReadOnlyFilesystem
        | ErrorKind::Exists
        | ErrorKind::Unsupported
        | ErrorKind::Other(_) => Content::Shown,
    }
}
