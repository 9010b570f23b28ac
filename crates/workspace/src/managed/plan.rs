//! The operations of one call, checked against each other and against the disk, and drafted.
//!
//! First what can be said without the disk: sizes, and paths that two operations claim. Then each
//! operation in order, on the tree as those before leave it. Nothing is changed by either.

use std::collections::HashSet;

use rooted::Kind;

use super::draft::{Draft, Node, Spot, Text};
use super::error::{Code, Error};
use super::operation::{Done, Encoding, Operation};
use crate::{limits, read};

/// Bytes of the mark that a file in `utf-8-sig` begins with.
const MARK: &str = "\u{feff}";

/// Checks operations against each other; looks at no disk.
///
/// # Errors
/// [`Code::TransactionFailed`].
pub(super) fn check(operations: &[Operation], max_bytes: u64) -> Result<(), Error> {
    let failed = |message: String| Err(Error::new(Code::TransactionFailed, message));
    let mut claimed = HashSet::new();
    let mut n_bytes = 0_u64;
    for (index, operation) in operations.iter().enumerate() {
        let claim = match operation {
            Operation::CreateFile { path, content, .. } => {
                n_bytes = n_bytes.saturating_add(content.len() as u64);
                Some(path)
            }
            Operation::ReplaceFile { content, .. } => {
                n_bytes = n_bytes.saturating_add(content.len() as u64);
                None
            }
            Operation::ReplaceText { .. } => None,
            Operation::CreateDirectory { path }
            | Operation::DeleteFile { path, .. }
            | Operation::DeleteEmptyDirectory { path } => Some(path),
            Operation::Move { destination, .. } => Some(destination),
        };
        if let Some(path) = claim
            && !claimed.insert(parts(&path.to_lowercase()).join("/"))
        {
            return failed(format!(
                "operation {index}: path already touched by earlier operation: {path}"
            ));
        }
        if let Operation::Move {
            source,
            destination,
        } = operation
        {
            let (from, to) = (parts(source), parts(destination));
            if from == to {
                return failed(format!("operation {index}: no-op move"));
            }
            if to.starts_with(&from) {
                return failed(format!(
                    "operation {index}: cannot move a directory into its own subtree"
                ));
            }
        }
    }
    if n_bytes > max_bytes {
        return failed(format!(
            "transaction exceeds max_transaction_bytes ({max_bytes})"
        ));
    }
    Ok(())
}

/// The components of a path, however it is spelled.
fn parts(path: &str) -> Vec<&str> {
    path.split(['/', '\\'])
        .filter(|part| !matches!(*part, "" | "."))
        .collect()
}

impl Draft<'_> {
    /// Drafts one operation.
    ///
    /// # Errors
    /// Whatever the operation breaks.
    pub(super) fn operation(&mut self, operation: &Operation) -> Result<Done, Error> {
        let sha256 = match operation {
            Operation::CreateFile {
                path,
                content,
                encoding,
                expected_sha256,
            } => {
                let expected = expected_sha256.as_deref();
                Some(self.create_file(path, content, *encoding, expected)?)
            }
            Operation::ReplaceFile {
                path,
                content,
                encoding,
                expected_sha256,
            } => Some(self.replace_file(path, content, *encoding, expected_sha256)?),
            Operation::ReplaceText {
                path,
                expected_sha256,
                old_text,
                new_text,
            } => Some(self.replace_text(path, expected_sha256, old_text, new_text)?),
            Operation::CreateDirectory { path } => {
                self.create_directory(path)?;
                None
            }
            Operation::Move {
                source,
                destination,
            } => {
                self.move_to(source, destination)?;
                None
            }
            Operation::DeleteFile {
                path,
                expected_sha256,
            } => {
                self.delete_file(path, expected_sha256)?;
                None
            }
            Operation::DeleteEmptyDirectory { path } => {
                self.delete_empty_directory(path)?;
                None
            }
        };
        Ok(Done {
            op: operation.name(),
            path: operation.path().to_owned(),
            sha256,
        })
    }

    fn create_file(
        &mut self,
        path: &str,
        content: &str,
        encoding: Encoding,
        expected: Option<&str>,
    ) -> Result<String, Error> {
        let spot = self.find(&self.rules.parse(path)?)?;
        let text = self.encode(content, encoding)?;
        let sha256 = text.sha256.clone();
        match spot {
            Spot::There(node) => {
                allow(self.options.allow.modify_file, "file overwrite is disabled")?;
                let Some(expected) = expected else {
                    return Err(exists(format!("already exists: {path}")));
                };
                let before = self.expect(node, path, expected)?;
                self.write(node, &before, text);
            }
            Spot::Missing(above, names) => {
                allow(self.options.allow.create_file, "file creation is disabled")?;
                self.create(above, &names, text);
            }
        }
        Ok(sha256)
    }

    fn replace_file(
        &mut self,
        path: &str,
        content: &str,
        encoding: Encoding,
        expected: &str,
    ) -> Result<String, Error> {
        let node = self.existing(&self.rules.parse(path)?, path)?;
        allow(
            self.options.allow.modify_file,
            "file modification is disabled",
        )?;
        let text = self.encode(content, encoding)?;
        let sha256 = text.sha256.clone();
        let before = self.expect(node, path, expected)?;
        self.write(node, &before, text);
        Ok(sha256)
    }

    fn replace_text(
        &mut self,
        path: &str,
        expected: &str,
        old_text: &str,
        new_text: &str,
    ) -> Result<String, Error> {
        let node = self.existing(&self.rules.parse(path)?, path)?;
        allow(
            self.options.allow.modify_file,
            "file modification is disabled",
        )?;
        self.refuse_other(node, path)?;
        let before = self.text(node, path)?;
        if before.bytes.len() as u64 > self.options.max_read_bytes {
            let message = "file exceeds max_read_bytes";
            return Err(Error::new(Code::ReadTooLarge, message));
        }
        refuse_binary(&before.bytes)?;
        same(&before.sha256, expected)?;
        let text = as_text(&before.bytes)?;
        let at = match text.match_indices(old_text).take(2).collect::<Vec<_>>()[..] {
            [] => {
                let message = "old_text not found in file";
                return Err(Error::new(Code::TextNotFound, message));
            }
            [(at, _)] => at,
            _ => {
                let n = text.matches(old_text).count();
                let message = format!("old_text occurs {n} times; must be unique");
                return Err(Error::new(Code::TextNotUnique, message));
            }
        };
        let (front, rest) = text.split_at(at);
        let back = rest.strip_prefix(old_text).unwrap_or_default();
        let text = self.sized([front, new_text, back].concat().into_bytes())?;
        let sha256 = text.sha256.clone();
        self.write(node, &before.sha256, text);
        Ok(sha256)
    }

    fn create_directory(&mut self, path: &str) -> Result<(), Error> {
        let spot = self.find(&self.rules.parse(path)?)?;
        allow(
            self.options.allow.create_directory,
            "directory creation is disabled",
        )?;
        match spot {
            Spot::There(_) => Err(exists(format!("already exists: {path}"))),
            Spot::Missing(above, names) => {
                self.make_folders(above, &names);
                Ok(())
            }
        }
    }

    fn move_to(&mut self, source: &str, destination: &str) -> Result<(), Error> {
        let node = self.existing(&self.rules.parse(source)?, source)?;
        let spot = self.find(&self.rules.parse(destination)?)?;
        allow(self.options.allow.moving, "move is disabled")?;
        let Spot::Missing(above, names) = spot else {
            let message = format!("destination already exists: {destination}");
            return Err(exists(message));
        };
        if self.is_within(above, node) {
            let message = "cannot move a directory into its own subtree";
            return Err(Error::new(Code::PathOutsideWorkspace, message));
        }
        if !matches!(self.kind(node), Kind::File | Kind::Dir) {
            return Err(not_a_file(source));
        }
        self.refuse_untracked(node)?;
        self.rename(node, above, &names);
        Ok(())
    }

    fn delete_file(&mut self, path: &str, expected: &str) -> Result<(), Error> {
        let node = self.existing(&self.rules.parse(path)?, path)?;
        allow(self.options.allow.delete_file, "file deletion is disabled")?;
        let before = self.expect(node, path, expected)?;
        self.remove(node, &before);
        Ok(())
    }

    fn delete_empty_directory(&mut self, path: &str) -> Result<(), Error> {
        let node = self.existing(&self.rules.parse(path)?, path)?;
        allow(
            self.options.allow.delete_empty_directory,
            "directory deletion is disabled",
        )?;
        if self.kind(node) != Kind::Dir {
            let message = format!("not a directory: {path}");
            return Err(Error::new(Code::DirectoryExpected, message));
        }
        if !self.is_empty(node)? {
            let message = format!("directory not empty: {path}");
            return Err(Error::new(Code::DirectoryNotEmpty, message));
        }
        self.remove_folder(node);
        Ok(())
    }

    /// The hash of a file, which must be the expected one.
    fn expect(&mut self, node: Node, path: &str, expected: &str) -> Result<String, Error> {
        self.refuse_other(node, path)?;
        let found = self.sha256(node, path)?;
        same(&found, expected)?;
        Ok(found)
    }

    /// Refuses what is no file, or one that is too large to be tracked.
    fn refuse_other(&self, node: Node, path: &str) -> Result<(), Error> {
        if self.kind(node) != Kind::File {
            return Err(not_a_file(path));
        }
        self.refuse_untracked(node)
    }

    fn encode(&self, content: &str, encoding: Encoding) -> Result<Text, Error> {
        let bytes = match encoding {
            Encoding::Utf8 => content.as_bytes().to_vec(),
            // A text that was read with its mark does not get another one.
            Encoding::Utf8Sig if content.starts_with(MARK) => content.as_bytes().to_vec(),
            Encoding::Utf8Sig => [MARK, content].concat().into_bytes(),
        };
        self.sized(bytes)
    }

    fn sized(&self, bytes: Vec<u8>) -> Result<Text, Error> {
        let limit = self.options.max_file_bytes;
        if bytes.len() as u64 > limit {
            let message = format!("content exceeds max_file_bytes ({limit})");
            return Err(Error::new(Code::FileTooLarge, message));
        }
        Ok(Text {
            sha256: read::sha256(&bytes),
            bytes,
        })
    }
}

fn allow(is_allowed: bool, message: &str) -> Result<(), Error> {
    if is_allowed {
        Ok(())
    } else {
        Err(Error::new(Code::OperationNotAllowed, message))
    }
}

fn same(found: &str, expected: &str) -> Result<(), Error> {
    if expected.eq_ignore_ascii_case(found) {
        return Ok(());
    }
    let message = "file changed since it was read (expected_sha256 mismatch)";
    Err(Error::new(Code::HashMismatch, message))
}

fn exists(message: String) -> Error {
    Error::new(Code::FileAlreadyExists, message)
}

pub(super) fn not_a_file(path: &str) -> Error {
    Error::new(Code::DirectoryExpected, format!("not a file: {path}"))
}

/// Refuses content with a NUL byte near its beginning.
///
/// # Errors
/// [`Code::BinaryFileUnsupported`].
pub(super) fn refuse_binary(bytes: &[u8]) -> Result<(), Error> {
    let head = bytes.get(..limits::SNIFF_BYTES).unwrap_or(bytes);
    if memchr::memchr(0, head).is_none() {
        return Ok(());
    }
    let message = "binary files are not supported";
    Err(Error::new(Code::BinaryFileUnsupported, message))
}

/// Content as text.
///
/// # Errors
/// [`Code::BinaryFileUnsupported`].
pub(super) fn as_text(bytes: &[u8]) -> Result<&str, Error> {
    std::str::from_utf8(bytes).map_err(|_| {
        let message = "file is not valid UTF-8 text";
        Error::new(Code::BinaryFileUnsupported, message)
    })
}
