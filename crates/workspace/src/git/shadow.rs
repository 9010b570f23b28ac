//! The private folder that git takes for the repository.
//!
//! It has a configuration of our own and links to the real refs, so git never reads the one that
//! came with the repository, nor writes to anything but this folder. It is gone when the call is.

use std::io::{self, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rooted::{Dir, ErrorKind, File, Kind, Mode, RelPath, Root};

use super::index::{self, Entry};
use super::repository::{Place, Repository};
use super::settings::Settings;
use crate::error::Error;
use crate::process::{Environment, bytes_of};

/// Names that the server's own writes give to files under way; they are nobody's to see.
const EXCLUDED: &[u8] = b"\n.workspace-mcp-tmp-*\n";
/// Refs that are copied where there are no links.
const COPIED: usize = 100_000;
/// Folders within folders that are removed.
const DEPTH: usize = 64;

/// A private folder that is removed with this value.
#[derive(Debug)]
pub(super) struct Shadow {
    parent: Dir,
    name: Box<[u8]>,
    dir: Dir,
    path: PathBuf,
    /// Where git starts from; below `path` for a linked working tree whose refs are in tables.
    git_dir: PathBuf,
}

impl Shadow {
    /// Makes the folder, empty, outside of the workspace where there is such a place.
    pub(super) fn create(environment: &Environment, root: &Root) -> Result<Self, Error> {
        let folders = environment.temp_folders();
        let opened = folders
            .iter()
            .filter_map(|folder| Root::open(folder, Mode::FOLLOW).ok());
        let (inside, outside): (Vec<_>, Vec<_>) =
            opened.partition(|temp| temp.host_path().starts_with(root.host_path()));
        let mut failure = None;
        for temp in outside.into_iter().chain(inside) {
            match Self::create_in(&temp) {
                Ok(shadow) => return Ok(shadow),
                Err(error) => failure = Some(error),
            }
        }
        Err(failure.unwrap_or_else(|| Error::GitFailed("no folder for temporary files".to_owned())))
    }

    fn create_in(temp: &Root) -> Result<Self, Error> {
        let parent = temp.open_dir(&RelPath::root())?;
        let name = format!("workspace-mcp-git-{:016x}", rooted::random());
        parent.create_dir(name.as_bytes(), 0o700)?;
        let dir = parent.open_dir(name.as_bytes())?;
        let path = temp.host_path().join(&name);
        Ok(Self {
            parent,
            name: name.into_bytes().into(),
            dir,
            git_dir: path.clone(),
            path,
        })
    }

    /// The folder itself.
    pub(super) fn dir(&self) -> &Dir {
        &self.dir
    }

    /// Its path on the host.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// What git takes for the repository.
    pub(super) fn git_dir(&self) -> &Path {
        &self.git_dir
    }

    /// Fills the folder so that git sees the repository in it. Hands on every path of the index.
    pub(super) fn fill(
        &mut self,
        repository: &Repository,
        settings: &Settings,
        each: &mut dyn FnMut(Entry<'_>),
    ) -> Result<(), Error> {
        let Repository { git, common, .. } = repository;
        let is_linked = git.itself()?.meta()?.id != common.itself()?.meta()?.id;
        write(&self.dir, b"config", &settings.write())?;
        link(&self.dir, b"refs", common, "refs")?;
        for name in ["packed-refs", "shallow"] {
            copy(common, name, &self.dir, name.as_bytes())?;
        }
        // Tables keep HEAD in them, and a linked working tree has one of its own.
        let own = if settings.has_reftable {
            link(&self.dir, b"reftable", common, "reftable")?;
            if is_linked {
                write(&self.dir, b"HEAD", b"ref: refs/heads/.invalid\n")?;
                self.dir.create_dir(b"worktrees", 0o700)?;
                let worktrees = self.dir.open_dir(b"worktrees")?;
                worktrees.create_dir(b"own", 0o700)?;
                let own = worktrees.open_dir(b"own")?;
                write(&own, b"commondir", b"../..\n")?;
                link(&own, b"refs", git, "refs")?;
                link(&own, b"reftable", git, "reftable")?;
                self.git_dir = self.path.join("worktrees").join("own");
                own
            } else {
                self.dir.try_clone()?
            }
        } else {
            self.dir.try_clone()?
        };
        let head = git.head().unwrap_or_default();
        write(&own, b"HEAD", &head)?;
        let exclude = common.read("info/exclude", super::repository::CONFIG)?;
        let mut exclude = exclude.unwrap_or_default();
        exclude.extend_from_slice(EXCLUDED);
        self.dir.create_dir(b"info", 0o700)?;
        let info = self.dir.open_dir(b"info")?;
        write(&info, b"exclude", &exclude)?;
        if git.open("info/sparse-checkout").is_ok() {
            let info = if self.git_dir == self.path {
                info
            } else {
                own.create_dir(b"info", 0o700)?;
                own.open_dir(b"info")?
            };
            copy(git, "info/sparse-checkout", &info, b"sparse-checkout")?;
        }
        copy_index(git, &own, settings.object_format.n_bytes(), each)
    }
}

impl Drop for Shadow {
    fn drop(&mut self) {
        // What cannot be removed is in a folder for temporary files, and private.
        let _ = empty(&self.dir, DEPTH);
        let _ = self.parent.remove_dir(&self.name);
    }
}

/// Removes everything in a folder, following nothing.
fn empty(dir: &Dir, depth: usize) -> rooted::Result<()> {
    for (name, kind) in dir.list()? {
        if kind == Kind::Dir && depth > 0 {
            empty(&dir.open_dir(&name)?, depth - 1)?;
            dir.remove_dir(&name)?;
        } else {
            dir.remove_file(&name)?;
        }
    }
    Ok(())
}

/// The index and what is behind it, with the times that tell git which entries may be stale.
fn copy_index(
    git: &Place,
    to: &Dir,
    hash_bytes: usize,
    each: &mut dyn FnMut(Entry<'_>),
) -> Result<(), Error> {
    let mut read = |name: &str| match copy(git, name, to, name.as_bytes())? {
        true => {
            let copy = to.open_file(name.as_bytes())?;
            let mut copy = BufReader::with_capacity(64 * 1024, copy);
            index::read(&mut copy, hash_bytes, each)
                .map_err(|_| Error::GitFailed("index file corrupt".to_owned()))
        }
        false => Ok(None),
    };
    if let Some(shared) = read("index")? {
        read(&format!("sharedindex.{shared}"))?;
    }
    Ok(())
}

fn failed(error: io::Error) -> Error {
    Error::Io {
        path: RelPath::root().join(".git"),
        source: error,
    }
}

fn write(dir: &Dir, name: &[u8], content: &[u8]) -> Result<(), Error> {
    dir.create_file(name, 0o600)?
        .write_all(content)
        .map_err(failed)
}

/// Copies a file, with its time; says whether there is one.
fn copy(from: &Place, name: &str, to: &Dir, new: &[u8]) -> Result<bool, Error> {
    match from.open(name) {
        Ok(file) => copy_file(file, to, new).map(|()| true),
        Err(error) if matches!(error.kind, ErrorKind::NotFound) => Ok(false),
        Err(error) => Err(Error::from(error)),
    }
}

fn copy_file(mut file: File, to: &Dir, new: &[u8]) -> Result<(), Error> {
    let mut copy = to.create_file(new, 0o600)?;
    let mut buffer = vec![0; 256 * 1024];
    loop {
        let n = file.read(&mut buffer).map_err(failed)?;
        if n == 0 {
            break;
        }
        copy.write_all(buffer.get(..n).unwrap_or_default())
            .map_err(failed)?;
    }
    let since = u64::try_from(file.meta().mtime_ns).map(Duration::from_nanos);
    let time = since.map_or(SystemTime::UNIX_EPOCH, |since| {
        SystemTime::UNIX_EPOCH + since
    });
    copy.set_modified(time).map_err(failed)
}

/// Makes a folder of the repository appear in the shadow: by a link, or by a copy of what is in it.
fn link(dir: &Dir, name: &[u8], place: &Place, target: &str) -> Result<(), Error> {
    let real = match place.host_path(target) {
        Ok(real) => real,
        Err(error) if matches!(error.kind, ErrorKind::NotFound) => return Ok(()),
        Err(error) => return Err(Error::from(error)),
    };
    match dir.symlink(name, &bytes_of(real.as_os_str())) {
        Ok(()) => Ok(()),
        Err(error) if matches!(error.kind, ErrorKind::Unsupported) => {
            let mut left = COPIED;
            dir.create_dir(name, 0o700)?;
            copy_tree(&place.dir(target)?, &dir.open_dir(name)?, &mut left, DEPTH)
        }
        Err(error) => Err(Error::from(error)),
    }
}

fn copy_tree(from: &Dir, to: &Dir, left: &mut usize, depth: usize) -> Result<(), Error> {
    for (name, kind) in from.list()? {
        *left = left
            .checked_sub(1)
            .filter(|_| depth > 0)
            .ok_or_else(|| Error::GitFailed("too many refs".to_owned()))?;
        if kind == Kind::Dir {
            to.create_dir(&name, 0o700)?;
            copy_tree(
                &from.open_dir(&name)?,
                &to.open_dir(&name)?,
                left,
                depth - 1,
            )?;
        } else if kind == Kind::File {
            copy_file(from.open_file(&name)?, to, &name)?;
        }
    }
    Ok(())
}
