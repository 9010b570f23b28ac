//! `Root`: an open directory, and the only way to what lies beneath it.

use std::io;
use std::path::{Path, PathBuf};

use crate::dir::Dir;
use crate::error::{Error, ErrorKind, Result};
use crate::file::File;
use crate::meta::{Kind, Meta};
use crate::platform::{self, DirHandle};
use crate::rel_path::RelPath;
use crate::resolve::{self, Spot};
use crate::walk::Memos;

/// What a root lets through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mode {
    /// Follow links whose whole way stays inside; otherwise refuse every link.
    pub follow_links: bool,
    /// Stay on the root's file system (mounts inside are refused).
    pub one_filesystem: bool,
    /// Refuse regular files with more than one name.
    pub refuse_hard_links: bool,
}

impl Mode {
    /// Links inside are followed; other file systems and hard links are fine.
    pub const FOLLOW: Self = Self {
        follow_links: true,
        one_filesystem: false,
        refuse_hard_links: false,
    };
    /// No links at all; other file systems and hard links are fine.
    pub const NO_LINKS: Self = Self {
        follow_links: false,
        one_filesystem: false,
        refuse_hard_links: false,
    };
    /// No links, no other file systems, no second names.
    pub const STRICT: Self = Self {
        follow_links: false,
        one_filesystem: true,
        refuse_hard_links: true,
    };
}

/// Which way paths are resolved. Both give the same answers; tests run every case through both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resolver {
    /// The kernel's `openat2` where there is one, the walk where it is not enough.
    Kernel,
    /// Component by component, each relative to a handle already held.
    Walk,
}

/// An open directory. Everything else is reached relative to it; nothing leads out of it.
#[derive(Debug)]
pub struct Root {
    pub(crate) handle: DirHandle,
    pub(crate) mode: Mode,
    pub(crate) resolver: Resolver,
    pub(crate) dev: u64,
    kernel: bool,
    keeps_times: bool,
    pub(crate) memos: Memos,
    pub(crate) mount: Option<u64>,
    path: PathBuf,
    given: PathBuf,
}

impl Root {
    /// Opens a directory as a root. This is the only place that takes a path of the host.
    ///
    /// # Errors
    /// Whatever the operating system says of the path; `NotADirectory` when it is a file.
    pub fn open(path: &Path, mode: Mode) -> io::Result<Self> {
        let given = std::path::absolute(path)?;
        let path = platform::plain_path(std::fs::canonicalize(&given)?);
        let handle = platform::open_root(&path)?;
        Self::of(handle, path, given, mode)
    }

    /// Opens anew what is at the path of this root by now: another directory, if this one was
    /// removed or moved away.
    ///
    /// # Errors
    /// Whatever the operating system says of the path; also when a link has come into it, since
    /// whoever may change names there does not choose what is served.
    pub fn open_again(&self) -> io::Result<Self> {
        let handle = platform::open_root_without_links(&self.path)?;
        Self::of(handle, self.path.clone(), self.given.clone(), self.mode)
    }

    fn of(handle: DirHandle, path: PathBuf, given: PathBuf, mode: Mode) -> io::Result<Self> {
        let meta = platform::stat_dir(&handle)?;
        let mount = if mode.one_filesystem {
            platform::mount_id(&handle)
        } else {
            None
        };
        let resolver = Resolver::Kernel;
        let kernel = platform::is_kernel_dir(&handle);
        let keeps_times = platform::keeps_times(&handle);
        Ok(Self {
            handle,
            mode,
            resolver,
            dev: meta.id.dev,
            kernel,
            keeps_times,
            memos: Memos::default(),
            mount,
            path,
            given,
        })
    }

    /// [`Root::open`], making the directory and those above it first, closed to other users.
    ///
    /// # Errors
    /// Whatever the operating system says of the path.
    pub fn open_or_make(path: &Path, mode: Mode) -> io::Result<Self> {
        match Self::open(path, mode) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                platform::make_dirs(path)?;
                Self::open(path, mode)
            }
            opened => opened,
        }
    }

    /// The same directory through another handle, with another mode.
    ///
    /// # Errors
    /// Whatever the operating system says.
    pub fn with_mode(&self, mode: Mode) -> io::Result<Self> {
        let mount = if mode.one_filesystem {
            platform::mount_id(&self.handle)
        } else {
            None
        };
        Ok(Self {
            handle: platform::reopen(&self.handle)?,
            mode,
            resolver: self.resolver,
            dev: self.dev,
            kernel: self.kernel,
            keeps_times: self.keeps_times,
            memos: Memos::default(),
            mount,
            path: self.path.clone(),
            given: self.given.clone(),
        })
    }

    /// Chooses how paths are resolved; tests use it to hold one way against the other.
    #[must_use]
    pub fn with_resolver(mut self, resolver: Resolver) -> Self {
        self.resolver = resolver;
        self
    }

    /// The canonical path of the root on the host: for start-up messages and listings of roots only.
    #[must_use]
    pub fn host_path(&self) -> &Path {
        &self.path
    }

    /// The absolute spellings of the root that count as inside, the canonical one first.
    #[must_use]
    pub fn spellings(&self) -> [&Path; 2] {
        [&self.path, &self.given]
    }

    /// Says whether the name that the root was opened by is a link, and not the directory itself.
    ///
    /// # Errors
    /// Whatever the operating system says of the path.
    pub fn is_named_by_link(&self) -> io::Result<bool> {
        // A slash at the end would have the link followed.
        let plain: PathBuf = self.given.components().collect();
        Ok(std::fs::symlink_metadata(plain)?.is_symlink())
    }

    /// Which directory this is, whatever its name.
    ///
    /// # Errors
    /// Whatever the operating system says.
    pub fn id(&self) -> io::Result<crate::FileId> {
        Ok(platform::stat_dir(&self.handle)?.id)
    }

    /// Says whether the root's file system is known to give a folder a new time whenever a name in it changes.
    pub(crate) fn keeps_times(&self) -> bool {
        self.keeps_times
    }

    /// Says whether names that differ in letter case only are the same name here.
    ///
    /// Found out by asking for a name in another case; where there is none to ask for, it is what is
    /// usual on the system.
    #[must_use]
    pub fn folds_case(&self) -> bool {
        let mut found = None;
        let _ = platform::list(&self.handle, |name, _| {
            let swapped = swap_case(name);
            if swapped == name {
                return Ok(());
            }
            let here = platform::stat(&self.handle, name)?.id;
            found = Some(platform::stat(&self.handle, &swapped).is_ok_and(|meta| meta.id == here));
            Err(io::ErrorKind::Interrupted.into())
        });
        found.unwrap_or(platform::FOLDS_CASE)
    }

    /// Says whether the system resolves a whole path beneath this root in one call. Where it does
    /// not, each component is opened by itself, which takes longer and is as safe.
    #[must_use]
    pub fn resolves_in_one_call(&self) -> bool {
        let here = platform::dir_beneath(&self.handle, b".", false);
        matches!(here, platform::Beneath::Opened(_))
    }

    /// Says whether the directory was removed or moved away after it was opened.
    #[must_use]
    pub fn is_gone(&self) -> bool {
        platform::is_removed(&self.handle, &self.path)
    }

    /// Opens a regular file for reading, without ever waiting for a pipe or device.
    ///
    /// # Errors
    /// [`ErrorKind::IsADirectory`], [`ErrorKind::NotRegular`], [`ErrorKind::HardLinked`] by what it is,
    /// otherwise by how the way there failed.
    pub fn open_file(&self, path: &RelPath) -> Result<File> {
        if path.is_root() {
            return Err(Error::new(ErrorKind::IsADirectory, path));
        }
        resolve::check(path)?;
        if let Some(inner) = resolve::kernel_file(self, path)? {
            return self.checked(inner, path, path.clone());
        }
        for _ in 0..resolve::ATTEMPTS {
            let spot = resolve::walk(self, path, self.mode.follow_links)?;
            let Spot::At {
                dir,
                name,
                path: real,
            } = spot.existing(path)?
            else {
                return Err(Error::new(ErrorKind::IsADirectory, path));
            };
            match platform::open_file(&dir, &name) {
                Ok(inner) => return self.checked(inner, path, real),
                Err(error) if platform::is_link_error(&error) => {}
                Err(error) => return Err(Error::io(error, path)),
            }
        }
        Err(Error::new(ErrorKind::Changed, path))
    }

    /// Looks at what was opened, through its descriptor.
    fn checked(&self, inner: std::fs::File, asked: &RelPath, path: RelPath) -> Result<File> {
        let meta = platform::stat_file(&inner).map_err(|error| Error::io(error, asked))?;
        match meta.kind {
            Kind::File => {}
            Kind::Dir => return Err(Error::new(ErrorKind::IsADirectory, asked)),
            Kind::Link | Kind::Special => return Err(Error::new(ErrorKind::NotRegular, asked)),
        }
        if self.mode.refuse_hard_links && meta.nlink > 1 {
            return Err(Error::new(ErrorKind::HardLinked, asked));
        }
        if meta.id.dev != self.dev && self.mode.one_filesystem {
            return Err(Error::new(ErrorKind::OtherFilesystem, asked));
        }
        if (meta.id.dev != self.dev || self.kernel) && platform::is_kernel_file(&inner, &meta) {
            return Err(Error::new(ErrorKind::NotRegular, asked));
        }
        Ok(File { inner, meta, path })
    }

    /// What is at a path, after links.
    ///
    /// # Errors
    /// As the way there fails.
    pub fn meta(&self, path: &RelPath) -> Result<Meta> {
        self.find(path).map(|(meta, _)| meta)
    }

    /// What is at a path after links, and where it really is.
    ///
    /// # Errors
    /// As the way there fails.
    pub fn find(&self, path: &RelPath) -> Result<(Meta, RelPath)> {
        let place = self.locate(path)?;
        match place {
            Place {
                meta: Some(meta),
                path,
                ..
            } => Ok((meta, path)),
            Place { .. } => Err(Error::new(ErrorKind::NotFound, path)),
        }
    }

    /// Opens a folder.
    ///
    /// # Errors
    /// [`ErrorKind::NotADirectory`] when it is none, otherwise as the way there fails.
    pub fn open_dir(&self, path: &RelPath) -> Result<Dir> {
        if path.is_root() {
            let handle = platform::reopen(&self.handle).map_err(|error| Error::io(error, path))?;
            return Ok(Dir {
                handle,
                path: RelPath::root(),
            });
        }
        resolve::check(path)?;
        if let Some(handle) = resolve::kernel_dir(self, path)? {
            return Ok(Dir {
                handle,
                path: path.clone(),
            });
        }
        match resolve::walk(self, path, self.mode.follow_links)?.existing(path)? {
            Spot::Dir { dir, path } => Ok(Dir { handle: dir, path }),
            Spot::At {
                dir,
                name,
                path: real,
            } => {
                let handle =
                    platform::open_dir(&dir, &name).map_err(|error| Error::io(error, path))?;
                Ok(Dir { handle, path: real })
            }
            Spot::Missing { .. } => Err(Error::new(ErrorKind::NotFound, path)),
        }
    }

    /// Finds the place that a path names, whether or not anything is there yet.
    ///
    /// Links inside are followed to the end, also a dangling one: then the place is where its
    /// target would be. Folders that are missing on the way are listed in [`Place::missing`].
    ///
    /// # Errors
    /// As the way there fails.
    pub fn locate(&self, path: &RelPath) -> Result<Place> {
        resolve::check(path)?;
        if let Some(place) = self.locate_plain(path)? {
            return Ok(place);
        }
        match resolve::walk(self, path, self.mode.follow_links)? {
            Spot::Dir { dir, path: real } => {
                let meta = platform::stat_dir(&dir).map_err(|error| Error::io(error, path))?;
                self.place_of_dir(dir, real, meta, path)
            }
            Spot::At {
                dir,
                name,
                path: real,
            } => {
                let meta = platform::stat(&dir, &name).map_err(|error| Error::io(error, path))?;
                let parent = real.parent().unwrap_or_default();
                let dir = Dir {
                    handle: dir,
                    path: parent,
                };
                Ok(Place {
                    dir,
                    name,
                    path: real,
                    missing: Vec::new(),
                    meta: Some(meta),
                })
            }
            Spot::Missing {
                dir,
                base,
                mut names,
            } => {
                let Some(name) = names.pop() else {
                    return Err(Error::new(ErrorKind::NotFound, path));
                };
                let real = names
                    .iter()
                    .fold(base.clone(), |path, part| path.join(part))
                    .join(&name);
                let dir = Dir {
                    handle: dir,
                    path: base,
                };
                Ok(Place {
                    dir,
                    name,
                    path: real,
                    missing: names,
                    meta: None,
                })
            }
        }
    }

    /// [`Root::locate`] for a path without links, by one look-up of the kernel; `None` when there may be one.
    fn locate_plain(&self, path: &RelPath) -> Result<Option<Place>> {
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
            return Ok(None);
        };
        if !platform::RESOLVES || self.resolver == Resolver::Walk {
            return Ok(None);
        }
        let handle = if parent.is_root() {
            platform::reopen(&self.handle).map_err(|error| Error::io(error, path))?
        } else {
            match resolve::kernel_dir(self, &parent) {
                Ok(Some(handle)) => handle,
                Ok(None)
                | Err(Error {
                    kind: ErrorKind::NotFound | ErrorKind::NotADirectory,
                    ..
                }) => {
                    return Ok(None);
                }
                Err(error) => return Err(Error::new(error.kind, path)),
            }
        };
        let meta = match platform::stat(&handle, name) {
            Ok(Meta {
                kind: Kind::Link, ..
            }) => return Ok(None),
            Ok(meta) => Some(meta),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(Error::io(error, path)),
        };
        if let Some(mount) = self.mount
            && platform::mount_id_at(&handle, name).is_some_and(|found| found != mount)
        {
            return Err(Error::new(ErrorKind::OtherFilesystem, path));
        }
        let dir = Dir {
            handle,
            path: parent,
        };
        Ok(Some(Place {
            dir,
            name: name.into(),
            path: path.clone(),
            missing: Vec::new(),
            meta,
        }))
    }

    /// A folder as a place: by its parent, or as itself for the root.
    fn place_of_dir(
        &self,
        dir: DirHandle,
        real: RelPath,
        meta: Meta,
        asked: &RelPath,
    ) -> Result<Place> {
        let (Some(parent), Some(name)) = (real.parent(), real.file_name()) else {
            let dir = Dir {
                handle: dir,
                path: RelPath::root(),
            };
            let name = Box::default();
            return Ok(Place {
                dir,
                name,
                path: real,
                missing: Vec::new(),
                meta: Some(meta),
            });
        };
        let dir = self
            .open_dir(&parent)
            .map_err(|error| Error::new(error.kind, asked))?;
        Ok(Place {
            dir,
            name: name.into(),
            path: real,
            missing: Vec::new(),
            meta: Some(meta),
        })
    }
}

/// The name with its ASCII letters in the other case.
fn swap_case(name: &[u8]) -> Vec<u8> {
    let swap = |byte: &u8| match byte {
        b'a'..=b'z' => byte.to_ascii_uppercase(),
        byte => byte.to_ascii_lowercase(),
    };
    name.iter().map(swap).collect()
}

/// Where a path leads: a folder that is open, and a name in it.
#[derive(Debug)]
pub struct Place {
    /// The deepest folder on the way that exists.
    pub dir: Dir,
    /// The last component; empty for the root itself.
    pub name: Box<[u8]>,
    /// Where it really is, after links.
    pub path: RelPath,
    /// Folders still to be made below `dir`, outermost first.
    pub missing: Vec<Box<[u8]>>,
    /// What is there now; never a link.
    pub meta: Option<Meta>,
}
