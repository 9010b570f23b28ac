//! Reading without changing: folders, and files as text.

use std::sync::Arc;

use rooted::{Kind, RelPath, Root};

use super::Managed;
use super::answer::{Listed, ReadAnswer, ReadRequest};
use super::draft::{Draft, Spot, at_component, not_found};
use super::error::{Code, Error};
use super::lines::lines;
use super::plan::{as_text, not_a_file, refuse_binary};
use crate::cancel::Cancel;
use crate::read;

impl Managed {
    /// Lists a folder, sorted by name; the empty path is the root. Links count as files.
    ///
    /// # Errors
    /// Those of paths; [`Code::DirectoryExpected`].
    pub fn list_directory(&self, path: &str, cancel: &Cancel) -> Result<Vec<Listed>, Error> {
        let root = self.root()?;
        let folder = self.folder(&root, path, cancel)?;
        let dir = root.open_dir(&folder).map_err(crate::Error::from)?;
        let mut entries = Vec::new();
        for (name, kind) in dir.list().map_err(crate::Error::from)? {
            cancel.check()?;
            if self.rules.hides(&name) {
                continue;
            }
            let is_directory = kind == Kind::Dir;
            let size = if is_directory {
                None
            } else {
                // What vanished meanwhile is left out.
                let Ok(meta) = dir.stat(&name) else { continue };
                Some(meta.len)
            };
            entries.push(Listed {
                name: rooted::show(&name),
                is_directory,
                size,
            });
        }
        Ok(entries)
    }

    /// Finds a folder; the empty path is the root.
    pub(super) fn folder(
        &self,
        root: &Arc<Root>,
        path: &str,
        cancel: &Cancel,
    ) -> Result<RelPath, Error> {
        if path.is_empty() {
            return Ok(RelPath::root());
        }
        let parsed = self.rules.parse(path)?;
        let mut draft = Draft::new(root, &self.options, &self.rules, cancel)?;
        let node = draft.existing(&parsed, path)?;
        match (draft.kind(node), draft.origin(node)) {
            (Kind::Dir, Some(folder)) => Ok(folder.clone()),
            _ => {
                let message = format!("not a directory: {path}");
                Err(Error::new(Code::DirectoryExpected, message))
            }
        }
    }

    /// Reads a text file, or some of its lines.
    ///
    /// # Errors
    /// Those of paths; [`Code::ReadTooLarge`], [`Code::BinaryFileUnsupported`].
    pub fn read_file(
        &self,
        request: &ReadRequest<'_>,
        cancel: &Cancel,
    ) -> Result<ReadAnswer, Error> {
        let root = self.root()?;
        let path = self.rules.parse(request.path)?;
        let mut draft = Draft::new(&root, &self.options, &self.rules, cancel)?;
        let at = match draft.find(&path)? {
            Spot::There(node) if draft.kind(node) == Kind::File => draft.origin(node).cloned(),
            Spot::There(_) => return Err(not_a_file(request.path)),
            Spot::Missing(..) => None,
        };
        let at = at.ok_or_else(|| not_found(request.path))?;
        let name = at.file_name().unwrap_or_default();
        let mut file = root
            .open_file(&at)
            .map_err(|error| at_component(error, name))?;
        let limit = self.options.max_read_bytes;
        let bytes = file.read_all(limit).map_err(|source| crate::Error::Io {
            path: at.clone(),
            source,
        })?;
        if bytes.len() as u64 > limit {
            let message = format!("file exceeds max_read_bytes ({limit})");
            return Err(Error::new(Code::ReadTooLarge, message));
        }
        refuse_binary(&bytes)?;
        let text = as_text(&bytes)?;
        let (content, n_lines) = match (request.offset, request.limit) {
            (None, None) => (text.to_owned(), None),
            (offset, limit) => {
                let some = lines(text)
                    .skip(offset.unwrap_or(1).saturating_sub(1))
                    .take(limit.unwrap_or(usize::MAX));
                (some.collect(), Some(lines(text).count()))
            }
        };
        Ok(ReadAnswer {
            content,
            sha256: read::sha256(&bytes),
            size: bytes.len() as u64,
            n_lines,
        })
    }
}
