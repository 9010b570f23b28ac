//! What no checkpoint can hold: it is not moved or deleted either, since nothing would bring it back.

use rooted::{Dir, ErrorKind, Kind};

use super::draft::{DEPTH, Draft, Node};
use super::error::{Code, Error};

impl Draft<'_> {
    /// Refuses to change a file, or a folder that holds one, that no checkpoint can hold: it is too
    /// large, or may not be read.
    ///
    /// # Errors
    /// [`Code::FileTooLarge`]; what the disk says.
    pub(super) fn refuse_untracked(&self, node: Node) -> Result<(), Error> {
        let (Some(path), Some(meta)) = (self.origin(node), self.meta(node)) else {
            return Ok(());
        };
        match self.kind(node) {
            Kind::File if meta.len > self.options.max_file_bytes => Err(self.too_large()),
            Kind::File => refuse_closed(self.root.open_file(path)),
            // Such a file is never moved, so none has come here by an operation.
            Kind::Dir => {
                let dir = self.root.open_dir(path).map_err(crate::Error::from)?;
                self.refuse_within(&dir, 0)
            }
            Kind::Link | Kind::Special => Ok(()),
        }
    }

    fn refuse_within(&self, dir: &Dir, depth: usize) -> Result<(), Error> {
        self.cancel.check()?;
        if depth > DEPTH {
            let message = "the folder is too deep to be moved";
            return Err(Error::new(Code::TransactionFailed, message));
        }
        for (name, kind) in dir.list().map_err(crate::Error::from)? {
            // What is left out has no checkpoint anyway, whatever its size.
            if self.rules.hides(&name) {
                continue;
            }
            match kind {
                Kind::File => match dir.stat(&name) {
                    Ok(meta) if meta.len > self.options.max_file_bytes => {
                        let mut error = self.too_large();
                        error
                            .message
                            .push_str(&format!(": {}", dir.path().join(&name)));
                        return Err(error);
                    }
                    _ => refuse_closed(dir.open_file(&name))?,
                },
                Kind::Dir => match dir.open_dir(&name) {
                    Ok(inner) => self.refuse_within(&inner, depth + 1)?,
                    Err(error) if matches!(error.kind, ErrorKind::NotFound) => {}
                    Err(error) => return Err(crate::Error::from(error).into()),
                },
                Kind::Link | Kind::Special => {}
            }
        }
        Ok(())
    }
}

/// Refuses a file that may not be read.
fn refuse_closed<T>(opened: rooted::Result<T>) -> Result<(), Error> {
    match opened {
        Err(error) if matches!(error.kind, ErrorKind::PermissionDenied | ErrorKind::InUse) => {
            Err(crate::Error::from(error).into())
        }
        // Whatever else is the matter with it does not keep it out of a checkpoint.
        Ok(_) | Err(_) => Ok(()),
    }
}
