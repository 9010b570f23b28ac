//! `Dir`: an open folder beneath a root, and what can be done to the names in it.
//!
//! Every operation takes a single component and refuses anything else, so none can leave the folder.

use std::io;

use crate::error::{Error, ErrorKind, Result};
use crate::file::File;
use crate::meta::{Kind, Meta};
use crate::platform::{self, DirHandle};
use crate::rel_path::RelPath;

/// An open folder beneath a root.
#[derive(Debug)]
pub struct Dir {
    pub(crate) handle: DirHandle,
    pub(crate) path: RelPath,
}

impl Dir {
    /// Where the folder is.
    #[must_use]
    pub fn path(&self) -> &RelPath {
        &self.path
    }

    /// The same folder through another handle.
    ///
    /// # Errors
    /// Whatever the operating system says.
    pub fn try_clone(&self) -> Result<Self> {
        let handle =
            platform::reopen(&self.handle).map_err(|error| Error::io(error, &self.path))?;
        Ok(Self {
            handle,
            path: self.path.clone(),
        })
    }

    /// What a name stands for; a link is not followed.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] when nothing has that name.
    pub fn stat(&self, name: &[u8]) -> Result<Meta> {
        self.run(name, |dir| platform::stat(dir, name))
    }

    /// What the folder itself is.
    ///
    /// # Errors
    /// Whatever the operating system says.
    pub fn meta(&self) -> Result<Meta> {
        platform::stat_dir(&self.handle).map_err(|error| Error::io(error, &self.path))
    }

    /// Opens a regular file for reading; a link, pipe or device is refused without waiting for it.
    ///
    /// # Errors
    /// [`ErrorKind::LinkRefused`], [`ErrorKind::IsADirectory`], [`ErrorKind::NotRegular`] by what it is.
    pub fn open_file(&self, name: &[u8]) -> Result<File> {
        self.open(name, platform::open_file)
    }

    /// Opens a regular file for reading and writing without emptying it.
    ///
    /// # Errors
    /// As [`Dir::open_file`], and [`ErrorKind::PermissionDenied`].
    pub fn open_for_writing(&self, name: &[u8]) -> Result<std::fs::File> {
        self.open(name, platform::open_for_writing)
            .map(|file| file.inner)
    }

    /// Opens a regular file whose writes all go to its end.
    ///
    /// # Errors
    /// As [`Dir::open_for_writing`].
    pub fn open_for_appending(&self, name: &[u8]) -> Result<std::fs::File> {
        self.open(name, platform::open_for_appending)
            .map(|file| file.inner)
    }

    fn open(
        &self,
        name: &[u8],
        open: fn(&DirHandle, &[u8]) -> io::Result<std::fs::File>,
    ) -> Result<File> {
        let path = self.path.join(name);
        let opened = platform::check_name(name).and_then(|()| open(&self.handle, name));
        let inner = match opened {
            Ok(inner) => inner,
            Err(error) if platform::is_link_error(&error) => {
                return Err(Error {
                    kind: ErrorKind::LinkRefused,
                    path,
                });
            }
            Err(error) => return Err(Error::io(error, &path)),
        };
        let meta = platform::stat_file(&inner).map_err(|error| Error::io(error, &path))?;
        match meta.kind {
            Kind::File if platform::is_kernel_file(&inner, &meta) => Err(Error {
                kind: ErrorKind::NotRegular,
                path,
            }),
            Kind::File => Ok(File { inner, meta, path }),
            Kind::Dir => Err(Error {
                kind: ErrorKind::IsADirectory,
                path,
            }),
            Kind::Link | Kind::Special => Err(Error {
                kind: ErrorKind::NotRegular,
                path,
            }),
        }
    }

    /// Opens a folder in this one; a link is refused.
    ///
    /// # Errors
    /// [`ErrorKind::NotADirectory`] when it is none.
    pub fn open_dir(&self, name: &[u8]) -> Result<Self> {
        let handle = self.run(name, |dir| platform::open_dir(dir, name))?;
        Ok(Self {
            handle,
            path: self.path.join(name),
        })
    }

    /// Makes a folder with the given permission bits (cut by the umask).
    ///
    /// # Errors
    /// [`ErrorKind::Exists`] when the name is taken.
    pub fn create_dir(&self, name: &[u8], mode: u32) -> Result<()> {
        self.run(name, |dir| platform::create_dir(dir, name, mode))
    }

    /// Gives what has this name, newly made, to the owner of the folder. Nothing happens where this
    /// process may not give files away, or on Windows.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] when nothing has that name.
    pub fn hand_down_owner(&self, name: &[u8]) -> Result<()> {
        self.run(name, |dir| platform::hand_down_owner(dir, name))
    }

    /// Makes a file that must not exist yet, with the given permission bits (cut by the umask).
    ///
    /// # Errors
    /// [`ErrorKind::Exists`] when the name is taken, also by a link.
    pub fn create_file(&self, name: &[u8], mode: u32) -> Result<std::fs::File> {
        self.run(name, |dir| platform::create_file(dir, name, mode))
    }

    /// Removes a file or link.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] when nothing has that name.
    pub fn remove_file(&self, name: &[u8]) -> Result<()> {
        self.run(name, |dir| platform::remove_file(dir, name))
    }

    /// Removes an empty folder.
    ///
    /// # Errors
    /// [`ErrorKind::Exists`] when it is not empty.
    pub fn remove_dir(&self, name: &[u8]) -> Result<()> {
        self.run(name, |dir| platform::remove_dir(dir, name))
    }

    /// Gives a name in this folder another name in `to`, replacing what has that name.
    ///
    /// # Errors
    /// Whatever the operating system says.
    pub fn rename(&self, name: &[u8], to: &Self, new: &[u8]) -> Result<()> {
        self.run_to(name, to, new, platform::rename)
    }

    /// Gives a name in this folder another name in `to`, which must be free.
    ///
    /// # Errors
    /// [`ErrorKind::Exists`] when it is not, [`ErrorKind::Unsupported`] where that cannot be promised.
    pub fn rename_new(&self, name: &[u8], to: &Self, new: &[u8]) -> Result<()> {
        self.run_to(name, to, new, platform::rename_new)
    }

    /// Swaps a name in this folder with a name in `to`, in one step.
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`] where the file system cannot.
    pub fn exchange(&self, name: &[u8], to: &Self, new: &[u8]) -> Result<()> {
        self.run_to(name, to, new, platform::exchange)
    }

    /// Gives a file one more name, which must be free.
    ///
    /// # Errors
    /// [`ErrorKind::Exists`], [`ErrorKind::Unsupported`], [`ErrorKind::PermissionDenied`].
    pub fn hard_link(&self, name: &[u8], to: &Self, new: &[u8]) -> Result<()> {
        self.run_to(name, to, new, platform::hard_link)
    }

    /// Makes a link with this text, which may lead anywhere; the name must be free.
    ///
    /// # Errors
    /// [`ErrorKind::Exists`], [`ErrorKind::Unsupported`].
    pub fn symlink(&self, name: &[u8], target: &[u8]) -> Result<()> {
        self.run(name, |dir| platform::symlink(dir, name, target))
    }

    /// Names in the folder, sorted by bytes, with their kinds. A name that vanishes meanwhile is left out.
    ///
    /// # Errors
    /// [`ErrorKind::PermissionDenied`] when the folder cannot be read.
    pub fn list(&self) -> Result<Vec<(Box<[u8]>, Kind)>> {
        let mut found = Vec::new();
        platform::list(&self.handle, |name, kind| {
            let kind = match kind {
                Some(kind) => kind,
                None => match platform::stat(&self.handle, name) {
                    Ok(meta) => meta.kind,
                    Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
                    Err(error) => return Err(error),
                },
            };
            found.push((name.into(), kind));
            Ok(())
        })
        .map_err(|error| Error::io(error, &self.path))?;
        found.sort_unstable();
        Ok(found)
    }

    /// Gives each name in the folder and its kind, in no order, until `each` says no. A name that
    /// vanishes meanwhile, or of which nothing can be told, is left out.
    ///
    /// # Errors
    /// [`ErrorKind::PermissionDenied`] when the folder cannot be read.
    pub fn visit(&self, mut each: impl FnMut(&[u8], Kind) -> bool) -> Result<()> {
        let mut is_over = false;
        let done = platform::list(&self.handle, |name, kind| {
            let kind = match kind {
                Some(kind) => kind,
                None => match platform::stat(&self.handle, name) {
                    Ok(meta) => meta.kind,
                    Err(_) => return Ok(()),
                },
            };
            if each(name, kind) {
                return Ok(());
            }
            is_over = true;
            Err(io::ErrorKind::Interrupted.into())
        });
        match done {
            Err(error) if !is_over => Err(Error::io(error, &self.path)),
            _ => Ok(()),
        }
    }

    /// Says whether the folder's file system is known to give it a new time whenever a name in it
    /// changes, and to be changed by this machine only.
    #[must_use]
    pub fn keeps_times(&self) -> bool {
        platform::keeps_times(&self.handle)
    }

    /// Says whether this process may write to a file here.
    #[must_use]
    pub fn may_write(&self, name: &[u8]) -> bool {
        platform::check_name(name).is_ok() && platform::may_write(&self.handle, name)
    }

    /// Says whether this process may make and remove names here.
    #[must_use]
    pub fn may_change_names(&self) -> bool {
        platform::may_change_names(&self.handle)
    }

    /// Makes the names in the folder survive a loss of power.
    ///
    /// # Errors
    /// Whatever the operating system says.
    pub fn sync(&self) -> Result<()> {
        platform::sync_dir(&self.handle).map_err(|error| Error::io(error, &self.path))
    }

    /// Flushes everything on the folder's file system to the disk, where the system has a call for
    /// that: see [`crate::FLUSHES_AT_ONCE`].
    ///
    /// One call for many files is far cheaper than one for each.
    ///
    /// # Errors
    /// Whatever the operating system says.
    pub fn sync_all(&self) -> Result<()> {
        platform::sync_all(&self.handle).map_err(|error| Error::io(error, &self.path))
    }

    fn run<T>(&self, name: &[u8], call: impl FnOnce(&DirHandle) -> io::Result<T>) -> Result<T> {
        platform::check_name(name)
            .and_then(|()| call(&self.handle))
            .map_err(|error| Error::io(error, &self.path.join(name)))
    }

    fn run_to(
        &self,
        name: &[u8],
        to: &Self,
        new: &[u8],
        call: fn(&DirHandle, &[u8], &DirHandle, &[u8]) -> io::Result<()>,
    ) -> Result<()> {
        self.run(name, |dir| {
            platform::check_name(new)?;
            call(dir, name, &to.handle, new)
        })
    }
}
