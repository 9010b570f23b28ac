//! From a path to a handle: one call of the kernel where it can, a walk of handles where it cannot.
//!
//! The walk opens each component relative to a handle that it reached itself, without following
//! links; a link is read and its text walked in turn, `..` goes back to a handle already held. So
//! whatever another process does to the tree meanwhile, nothing outside can be reached.

use std::collections::VecDeque;
use std::io;

use crate::error::{Error, ErrorKind, Result};
use crate::platform::{self, Beneath, DirHandle};
use crate::rel_path::RelPath;
use crate::root::{Resolver, Root};

/// Links followed on one way before it counts as a loop (the kernel's own limit).
const LINKS: usize = 40;
/// Times a way is walked again when a name turned into a link between two steps.
pub(crate) const ATTEMPTS: usize = 16;
/// Folders on one way, each of which the walk holds open.
const DEPTH: usize = 256;

/// What a way ended at.
pub(crate) enum Spot {
    /// A folder that is held open: the root, or one reached by `..`.
    Dir { dir: DirHandle, path: RelPath },
    /// A name in an open folder, which was no link when looked at.
    At {
        dir: DirHandle,
        name: Box<[u8]>,
        path: RelPath,
    },
    /// Names that do not exist, below the deepest folder that does.
    Missing {
        dir: DirHandle,
        base: RelPath,
        names: Vec<Box<[u8]>>,
    },
}

impl Spot {
    /// The spot, unless something on the way was missing.
    pub(crate) fn existing(self, asked: &RelPath) -> Result<Self> {
        match self {
            Self::Missing { .. } => Err(Error::new(ErrorKind::NotFound, asked)),
            found => Ok(found),
        }
    }
}

/// Refuses a path that no way is tried for: too many folders, or a component that is no single name.
pub(crate) fn check(path: &RelPath) -> Result<()> {
    if path.depth() > DEPTH {
        return Err(Error::new(ErrorKind::NameTooLong, path));
    }
    path.components()
        .try_for_each(platform::check_name)
        .map_err(|error| Error::io(error, path))
}

/// Opens a regular file in one step; `None` when the walk has to find it.
pub(crate) fn kernel_file(root: &Root, path: &RelPath) -> Result<Option<std::fs::File>> {
    if root.resolver == Resolver::Walk {
        return Ok(None);
    }
    sort(
        platform::file_beneath(&root.handle, path.as_bytes(), root.mode.one_filesystem),
        root,
        path,
    )
}

/// Opens a folder in one step; `None` when the walk has to find it.
pub(crate) fn kernel_dir(root: &Root, path: &RelPath) -> Result<Option<DirHandle>> {
    if root.resolver == Resolver::Walk {
        return Ok(None);
    }
    sort(
        platform::dir_beneath(&root.handle, path.as_bytes(), root.mode.one_filesystem),
        root,
        path,
    )
}

fn sort<T>(found: Beneath<T>, root: &Root, path: &RelPath) -> Result<Option<T>> {
    match found {
        Beneath::Opened(opened) => Ok(Some(opened)),
        Beneath::Link if root.mode.follow_links => Ok(None),
        Beneath::Link => Err(Error::new(ErrorKind::LinkRefused, path)),
        Beneath::Unknown => Ok(None),
        Beneath::Failed(error) => Err(Error::io(error, path)),
    }
}

/// Walks a path from the root, component by component.
pub(crate) fn walk(root: &Root, path: &RelPath, follow: bool) -> Result<Spot> {
    Walk {
        root,
        asked: path,
        follow,
        held: Vec::new(),
        names: Vec::new(),
        todo: path.components().map(Box::from).collect(),
        links: 0,
    }
    .run()
}

struct Walk<'a> {
    root: &'a Root,
    asked: &'a RelPath,
    follow: bool,
    /// Handles of the folders below the root that were entered.
    held: Vec<DirHandle>,
    /// Their names.
    names: Vec<Box<[u8]>>,
    /// Components still to go; may hold `..` that came out of a link.
    todo: VecDeque<Box<[u8]>>,
    links: usize,
}

impl Walk<'_> {
    fn run(mut self) -> Result<Spot> {
        while let Some(name) = self.todo.pop_front() {
            if &*name == b".." {
                if self.held.pop().is_none() {
                    return Err(self.error(ErrorKind::Outside));
                }
                self.names.pop();
                continue;
            }
            match platform::read_link(self.here(), &name) {
                Ok(target) => self.enter_link(&target)?,
                Err(error) if error.kind() == io::ErrorKind::NotFound => return self.missing(name),
                Err(error) if platform::is_not_a_link(&error) => {
                    let name = platform::true_name(self.here(), &name).unwrap_or(name);
                    if self.todo.is_empty() {
                        return self.found(name);
                    }
                    self.enter_dir(name)?;
                }
                Err(error) => return Err(Error::io(error, self.asked)),
            }
        }
        let dir = platform::reopen(self.here()).map_err(|error| Error::io(error, self.asked))?;
        Ok(Spot::Dir {
            dir,
            path: self.path(),
        })
    }

    fn here(&self) -> &DirHandle {
        self.held.last().unwrap_or(&self.root.handle)
    }

    fn path(&self) -> RelPath {
        self.names
            .iter()
            .fold(RelPath::root(), |path, name| path.join(name))
    }

    fn error(&self, kind: ErrorKind) -> Error {
        Error::new(kind, self.asked)
    }

    fn enter_dir(&mut self, name: Box<[u8]>) -> Result<()> {
        if self.held.len() >= DEPTH {
            return Err(self.error(ErrorKind::NameTooLong));
        }
        match platform::open_dir(self.here(), &name) {
            Ok(handle) => {
                self.check_mount(&handle)?;
                self.held.push(handle);
                self.names.push(name);
                Ok(())
            }
            // It turned into a link after it was looked at: look again.
            Err(error)
                if platform::is_link_error(&error)
                    && platform::read_link(self.here(), &name).is_ok()
                    && self.links < LINKS =>
            {
                self.links += 1;
                self.todo.push_front(name);
                Ok(())
            }
            Err(error) => Err(Error::io(error, self.asked)),
        }
    }

    fn check_mount(&self, handle: &DirHandle) -> Result<()> {
        let other = self.root.mode.one_filesystem && platform::mount_id(handle) != self.root.mount;
        if other {
            Err(self.error(ErrorKind::OtherFilesystem))
        } else {
            Ok(())
        }
    }

    fn enter_link(&mut self, target: &[u8]) -> Result<()> {
        if !self.follow {
            return Err(self.error(ErrorKind::LinkRefused));
        }
        self.links += 1;
        if self.links > LINKS {
            return Err(self.error(ErrorKind::LinkLoop));
        }
        let inside;
        let target = if platform::is_absolute(target) {
            let found = self
                .root
                .spellings()
                .into_iter()
                .find_map(|base| platform::below(base, target));
            let Some(found) = found else {
                return Err(self.error(ErrorKind::Outside));
            };
            self.held.clear();
            self.names.clear();
            inside = found;
            &inside
        } else {
            target
        };
        for name in platform::link_components(target).rev() {
            self.todo.push_front(name.into());
        }
        Ok(())
    }

    fn found(mut self, name: Box<[u8]>) -> Result<Spot> {
        let path = self.path().join(&name);
        if let Some(mount) = self.root.mount
            && platform::mount_id_at(self.here(), &name).is_some_and(|found| found != mount)
        {
            return Err(self.error(ErrorKind::OtherFilesystem));
        }
        let dir = match self.held.pop() {
            Some(handle) => handle,
            None => {
                platform::reopen(&self.root.handle).map_err(|error| Error::io(error, self.asked))?
            }
        };
        Ok(Spot::At { dir, name, path })
    }

    fn missing(mut self, name: Box<[u8]>) -> Result<Spot> {
        let mut names = vec![name];
        names.extend(self.todo.drain(..));
        if names.iter().any(|name| &**name == b"..") {
            return Err(self.error(ErrorKind::NotFound));
        }
        let base = self.path();
        let dir = match self.held.pop() {
            Some(handle) => handle,
            None => {
                platform::reopen(&self.root.handle).map_err(|error| Error::io(error, self.asked))?
            }
        };
        Ok(Spot::Missing { dir, base, names })
    }
}
