//! Putting one new version of a file in its place, and taking it back.
//!
//! The new version is written to a sibling under a temporary name first, so a reader sees the old
//! file or the new one and nothing between. Where the file system can swap two names in one step,
//! the swap is the comparison too: what comes out is under the temporary name afterwards, and if it
//! is not what the change was based on it is put back. So a save that another program makes
//! meanwhile is never lost.
//!
//! Where it cannot swap, the old version gets the temporary name's neighbour as a second name, is
//! compared there, and the new one is renamed over it: a save between those two steps is lost.
//!
//! What this does not do: remember anything over a crash. That is for who gives the temporary names.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io::Write as _;

use crate::dir::Dir;
use crate::error::{Error, ErrorKind, Result};
use crate::file::File;
use crate::meta::{Kind, Meta};
use crate::platform;

/// What every temporary name starts with.
pub const TEMP_PREFIX: &str = ".workspace-mcp-tmp-";

/// Swaps after which a program that keeps saving wins, and its last version but one is kept aside.
const ROUNDS: usize = 32;

/// What a change has to survive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// The end of this process at any instant.
    #[default]
    Kill,
    /// A loss of power, too: everything is flushed to the disk.
    Power,
}

/// A new version of a file, complete, under a temporary name.
#[derive(Debug)]
pub struct Staged {
    /// The temporary name.
    pub name: Box<[u8]>,
    /// What was staged, to know it again by.
    pub meta: Meta,
    /// Whether owner, mode and extended attributes are all those of the old version.
    pub kept_attributes: bool,
}

/// What a new version takes over.
#[derive(Clone, Copy, Debug, Default)]
pub struct Like<'a> {
    /// The file whose owner, mode and extended attributes it gets; otherwise those of a new file.
    pub old: Option<&'a File>,
    /// Whether those who may read it may run it, if that is not as it comes.
    pub executable: Option<bool>,
    /// Only its owner may open it, where there is no old version to say.
    pub is_private: bool,
}

/// The version that a change was made from.
#[derive(Clone, Copy, Debug)]
pub struct Basis<'a> {
    /// What the descriptor told when it was read.
    pub meta: &'a Meta,
    /// Its content, when it was read: then that is compared, and not the time of the last change.
    pub content: Option<&'a [u8]>,
}

/// How a step ended. In every case but [`Put::Copy`] what is under the temporary name may be removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Put {
    /// As asked. The version that was there before is under the temporary name, if anywhere.
    Done,
    /// Another version was there, and is there again or still.
    Changed,
    /// Another version was there, and one that could not be put back is under the temporary name.
    Copy,
}

/// How two versions change places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// In one step, as long as the file system can.
    Swap,
    /// By a second name and a rename.
    Aside,
}

/// A temporary name that nobody can foresee.
#[must_use]
pub fn temp_name() -> Box<[u8]> {
    format!("{TEMP_PREFIX}{:016x}", random())
        .into_bytes()
        .into()
}

/// Says whether a name is one of the temporary ones.
#[must_use]
pub fn is_temp_name(name: &[u8]) -> bool {
    name.starts_with(TEMP_PREFIX.as_bytes())
}

/// The name that the old version has for a moment where names cannot be swapped.
#[must_use]
pub fn aside_name(temp: &[u8]) -> Box<[u8]> {
    [temp, b"o"].concat().into()
}

/// A number that nobody can foresee: the standard library keys its hashers from the system's generator.
#[must_use]
pub fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}

impl Dir {
    /// Writes a file that is new to the folder, under a temporary name. Umask and default ACLs apply.
    ///
    /// # Errors
    /// [`ErrorKind::NoSpace`] and whatever else the operating system says; nothing is left behind.
    /// [`ErrorKind::Exists`] when the temporary name is taken.
    pub fn stage_new(&self, temp: &[u8], content: &[u8], durability: Durability) -> Result<Staged> {
        let like = Like::default();
        self.stage(temp, content, like, durability)
    }

    /// [`Dir::stage_new`], of a file that only its owner may open.
    ///
    /// # Errors
    /// As [`Dir::stage_new`].
    pub fn stage_private(
        &self,
        temp: &[u8],
        content: &[u8],
        durability: Durability,
    ) -> Result<Staged> {
        let like = Like {
            is_private: true,
            ..Like::default()
        };
        self.stage(temp, content, like, durability)
    }

    /// Writes a version that is to replace `old`, with its owner, mode and extended attributes.
    ///
    /// Until those are set only the owner of this process can open it.
    ///
    /// # Errors
    /// As [`Dir::stage_new`].
    pub fn stage_like(
        &self,
        temp: &[u8],
        content: &[u8],
        old: &File,
        durability: Durability,
    ) -> Result<Staged> {
        let like = Like {
            old: Some(old),
            ..Like::default()
        };
        self.stage(temp, content, like, durability)
    }

    /// Writes a version with the attributes that `like` says, under a temporary name.
    ///
    /// # Errors
    /// As [`Dir::stage_new`].
    pub fn stage(
        &self,
        temp: &[u8],
        content: &[u8],
        like: Like<'_>,
        durability: Durability,
    ) -> Result<Staged> {
        let mode = if like.old.is_some() || like.is_private {
            0o600
        } else {
            0o666
        };
        let file = self.create_file(temp, mode)?;
        self.fill(temp, file, content, like, durability)
            .inspect_err(|_| {
                // The error says more than a second one about the removal would.
                let _ = self.remove_file(temp);
            })
    }

    fn fill(
        &self,
        temp: &[u8],
        mut file: std::fs::File,
        content: &[u8],
        like: Like<'_>,
        durability: Durability,
    ) -> Result<Staged> {
        let fault = |error| Error::io(error, &self.path.join(temp));
        file.write_all(content).map_err(fault)?;
        // Attributes come after the content, since writing takes the set-user bits away.
        let kept_attributes = match like.old {
            Some(old) => platform::copy_attributes(&old.inner, &old.meta, &file).map_err(fault)?,
            None => true,
        };
        if let Some(executable) = like.executable {
            platform::set_executable(&file, executable).map_err(fault)?;
        }
        if durability == Durability::Power {
            file.sync_all().map_err(fault)?;
        }
        let written = platform::stat_file(&file).map_err(fault)?;
        drop(file);
        // Network file systems settle the time of change when the last descriptor is closed.
        let meta = self.stat(temp)?;
        if meta.id != written.id {
            return Err(Error::new(ErrorKind::Changed, &self.path.join(temp)));
        }
        Ok(Staged {
            name: temp.into(),
            meta,
            kept_attributes,
        })
    }

    /// Gives a staged file its name, which must be free.
    ///
    /// # Errors
    /// Whatever the operating system says; the staged file is still under its temporary name.
    pub fn put_new(&self, staged: &Staged, name: &[u8]) -> Result<Put> {
        let done = match self.rename_new(&staged.name, self, name) {
            Err(error) if matches!(error.kind, ErrorKind::Unsupported) => {
                self.put_new_by_link(staged, name)
            }
            done => done,
        };
        match done {
            Ok(()) => Ok(Put::Done),
            Err(error) if matches!(error.kind, ErrorKind::Exists) => Ok(Put::Changed),
            Err(error) => Err(error),
        }
    }

    /// A second name must be free as well; where there are none either, looking first is all that is left.
    fn put_new_by_link(&self, staged: &Staged, name: &[u8]) -> Result<()> {
        match self.hard_link(&staged.name, self, name) {
            Ok(()) => {
                // The file has its name; a temporary one too many does no harm.
                let _ = self.remove_file(&staged.name);
                Ok(())
            }
            Err(error) if no_links(&error) => match self.stat(name) {
                Ok(_) => Err(Error::new(ErrorKind::Exists, &self.path.join(name))),
                Err(error) if matches!(error.kind, ErrorKind::NotFound) => {
                    self.rename(&staged.name, self, name)
                }
                Err(error) => Err(error),
            },
            Err(error) => Err(error),
        }
    }

    /// Puts a staged version in the place of `name`, if what is there is the basis.
    ///
    /// # Errors
    /// Whatever the operating system says; the staged version is still under its temporary name.
    pub fn put_over(&self, staged: &Staged, name: &[u8], basis: &Basis<'_>) -> Result<Put> {
        self.put_over_by(Way::Swap, staged, name, basis)
    }

    fn put_over_by(
        &self,
        way: Way,
        staged: &Staged,
        name: &[u8],
        basis: &Basis<'_>,
    ) -> Result<Put> {
        let temp = &staged.name;
        if way == Way::Aside {
            return self.put_over_aside(staged, name, basis);
        }
        match self.exchange(temp, self, name) {
            Ok(()) => {}
            Err(error) => match error.kind {
                ErrorKind::NotFound => return Ok(Put::Changed),
                ErrorKind::Unsupported => return self.put_over_aside(staged, name, basis),
                _ => return Err(error),
            },
        }
        match self.stat(temp) {
            Ok(came) if self.is_basis(temp, &came, basis) => Ok(Put::Done),
            Ok(came) => Ok(self.settle(temp, name, staged.meta, came)),
            // The old version was taken from under its temporary name: there is nothing to compare.
            Err(error) if matches!(error.kind, ErrorKind::NotFound) => Ok(Put::Done),
            Err(_) => Ok(Put::Copy),
        }
    }

    /// Says whether what came out of a place is what the change was made from.
    fn is_basis(&self, name: &[u8], came: &Meta, basis: &Basis<'_>) -> bool {
        let old = basis.meta;
        let attributes = |meta: &Meta| (meta.mode, meta.uid, meta.gid);
        if came.id != old.id || came.len != old.len || attributes(came) != attributes(old) {
            return false;
        }
        // Two writes within one tick of the file system's clock leave the same time, and a touch
        // leaves another one on the same content. So the content decides where it is known.
        match basis.content {
            Some(content) => self
                .open_file(name)
                .is_ok_and(|file| file.holds(content).unwrap_or(false)),
            None => came.same_content(old),
        }
    }

    /// Puts back what came out, when it was not the basis.
    ///
    /// Meanwhile another save may have gone on top of what this put in last. So after each swap what
    /// comes out is compared with that, and goes back in turn when it is something newer still.
    fn settle(&self, temp: &[u8], name: &[u8], ours: Meta, came: Meta) -> Put {
        let mut put_in = ours;
        let mut came = came;
        for _ in 0..ROUNDS {
            if self.exchange(temp, self, name).is_err() {
                return Put::Copy;
            }
            let out = match self.stat(temp) {
                Ok(out) => out,
                Err(error) if matches!(error.kind, ErrorKind::NotFound) => return Put::Changed,
                Err(_) => return Put::Copy,
            };
            if out.same_content(&put_in) {
                return Put::Changed;
            }
            put_in = came;
            came = out;
        }
        Put::Copy
    }

    /// [`Dir::put_over`] where names cannot be swapped.
    fn put_over_aside(&self, staged: &Staged, name: &[u8], basis: &Basis<'_>) -> Result<Put> {
        let aside = aside_name(&staged.name);
        let came = match self.hard_link(name, self, &aside) {
            Ok(()) => self.stat(&aside),
            Err(error) if matches!(error.kind, ErrorKind::NotFound) => return Ok(Put::Changed),
            Err(error) if no_links(&error) => self.copy_aside(name, &aside),
            Err(error) => Err(error),
        };
        let done = came.and_then(|came| {
            if !self.is_basis(&aside, &came, basis) {
                return Ok(Put::Changed);
            }
            self.rename(&staged.name, self, name)?;
            self.rename(&aside, self, &staged.name)?;
            Ok(Put::Done)
        });
        if !matches!(done, Ok(Put::Done)) {
            // Either it is a second name of what is in its place, or a copy of it.
            let _ = self.remove_file(&aside);
        }
        done
    }

    /// Copies a file to a name beside it; tells what the original is.
    fn copy_aside(&self, name: &[u8], aside: &[u8]) -> Result<Meta> {
        let mut old = self.open_file(name)?;
        let content = old
            .read_all(u64::MAX - 1)
            .map_err(|error| Error::io(error, &self.path.join(name)))?;
        self.stage_like(aside, &content, &old, Durability::Kill)?;
        Ok(old.meta)
    }

    /// Takes back [`Dir::put_over`]: the version under the temporary name gets its place again, if
    /// what is there still is `ours`. The old version is then in its place, and ours under the
    /// temporary name, if anywhere.
    ///
    /// # Errors
    /// Whatever the operating system says; the old version is still under the temporary name.
    pub fn put_back(&self, temp: &[u8], name: &[u8], ours: &Meta) -> Result<Put> {
        self.put_back_by(Way::Swap, temp, name, ours)
    }

    fn put_back_by(&self, way: Way, temp: &[u8], name: &[u8], ours: &Meta) -> Result<Put> {
        let old = self.stat(temp)?;
        if !self.is_there(name, ours)? {
            return Ok(Put::Changed);
        }
        if way == Way::Swap {
            match self.exchange(temp, self, name) {
                Ok(()) => {
                    return Ok(match self.stat(temp) {
                        Ok(out) if out.same_content(ours) => Put::Done,
                        Ok(out) => self.settle(temp, name, old, out),
                        Err(_) => Put::Done,
                    });
                }
                Err(error) => match error.kind {
                    ErrorKind::Unsupported => {}
                    ErrorKind::NotFound => return Ok(Put::Changed),
                    _ => return Err(error),
                },
            }
        }
        self.rename(temp, self, name)?;
        Ok(Put::Done)
    }

    /// Takes back [`Dir::put_new`]: what is at `name` gets the temporary name, if it is `ours`.
    ///
    /// # Errors
    /// Whatever the operating system says; nothing was moved.
    pub fn take_out(&self, temp: &[u8], name: &[u8], ours: &Meta) -> Result<Put> {
        if !self.is_there(name, ours)? {
            return Ok(Put::Changed);
        }
        match self.rename_new(name, self, temp) {
            Ok(()) => {}
            Err(error) => match error.kind {
                ErrorKind::NotFound => return Ok(Put::Changed),
                ErrorKind::Unsupported => {
                    self.remove_file(name)?;
                    return Ok(Put::Done);
                }
                _ => return Err(error),
            },
        }
        if self.is_there(temp, ours).unwrap_or(false) {
            return Ok(Put::Done);
        }
        match self.rename_new(temp, self, name) {
            Ok(()) => Ok(Put::Changed),
            Err(_) => Ok(Put::Copy),
        }
    }

    /// Says whether a name stands for this very file with this very content.
    ///
    /// # Errors
    /// Whatever the operating system says, but that nothing is there.
    pub fn is_there(&self, name: &[u8], meta: &Meta) -> Result<bool> {
        match self.stat(name) {
            Ok(there) => Ok(there.kind == Kind::File && there.same_content(meta)),
            Err(error) if matches!(error.kind, ErrorKind::NotFound) => Ok(false),
            Err(error) => Err(error),
        }
    }
}

/// Says whether a second name was refused as such, and not for this one file.
fn no_links(error: &Error) -> bool {
    matches!(
        error.kind,
        ErrorKind::Unsupported
            | ErrorKind::PermissionDenied
            | ErrorKind::InUse
            | ErrorKind::Other(_)
    )
}

#[cfg(test)]
mod tests;
