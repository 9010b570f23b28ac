//! Opening the checkpoints of a folder, and making them where there are none.

use rooted::{Dir, ErrorKind, Kind, Mode, RelPath, Root};

use super::error::{self, Error, io};
use super::id::Id;
use super::layout::{self, Found, GIT, Layout};
use super::store::replace::take_over;
use super::{INITIAL, Inner, Options, Repository, files};
use crate::cancel::Cancel;
use crate::lock::Guard;

/// What the temporary name of a repository under way starts with.
const BUILD: &str = "git-";

/// The checkpoints of a folder, and whether there were any.
#[derive(Debug)]
pub struct Opened {
    /// The checkpoints.
    pub repository: Repository,
    /// The first checkpoint, when it was made just now.
    pub initial: Option<Id>,
}

/// How the root is looked at: no link is followed.
pub(super) fn mode(options: &Options) -> Mode {
    Mode {
        one_filesystem: options.rules.one_filesystem,
        ..Mode::NO_LINKS
    }
}

impl Repository {
    /// Opens the checkpoints of a root; where there is no `.git`, makes them and the first checkpoint.
    ///
    /// What a process that ended left half done is cleared away. A repository is made under a
    /// temporary name, so a failure or a crash leaves none behind that lacks its first checkpoint.
    ///
    /// # Errors
    /// [`Error::Foreign`] when `.git` is something else; nothing is changed then. [`Error::Damaged`]
    /// when it cannot be read. Otherwise what the disk says.
    pub fn open_or_init(
        root: &Root,
        options: Options,
        _guard: &Guard,
        cancel: &Cancel,
    ) -> Result<Opened, Error> {
        let at_root = |source| io(source, &RelPath::root());
        let root = root.with_mode(mode(&options)).map_err(at_root)?;
        let dir = root.open_dir(&RelPath::root())?;
        let mut initial = None;
        let layout = match layout::find(&dir)? {
            Found::Ours(layout) => layout,
            Found::Nothing => {
                clear_builds(&dir)?;
                let build = root.with_mode(mode(&options)).map_err(at_root)?;
                initial = Some(init(&dir, build, &options, cancel)?);
                match layout::find(&dir)? {
                    Found::Ours(layout) => layout,
                    Found::Nothing => return Err(error::gone()),
                }
            }
        };
        take_over(&layout.git, options.durability)?;
        sweep(&layout.git)?;
        let mut inner = Inner::load(root, layout, &options)?;
        inner.store.sweep()?;
        if inner.head.id.is_none() {
            // Another server of this kind ended between making the repository and its first checkpoint.
            initial = Some(inner.commit(&options, INITIAL, None, cancel)?);
        }
        inner.store.count_loose()?;
        Ok(Opened {
            repository: Self {
                options,
                inner: inner.into(),
            },
            initial,
        })
    }
}

/// Makes a repository with its first checkpoint beside where it will be, and puts it there.
fn init(dir: &Dir, root: Root, options: &Options, cancel: &Cancel) -> Result<Id, Error> {
    let temp = format!("{}{BUILD}{:016x}", rooted::TEMP_PREFIX, rooted::random()).into_bytes();
    dir.create_dir(&temp, 0o777)?;
    let made = (|| {
        let git = dir.open_dir(&temp)?;
        layout::make(&git, &options.rules, options.durability)?;
        let layout = Layout {
            git,
            trusts_modes: rooted::KEEPS_EXECUTABLE_BITS,
        };
        let mut inner = Inner::load(root, layout, options)?;
        let id = inner.commit(options, INITIAL, None, cancel)?;
        // Some systems do not rename a folder in which anything is open.
        drop(inner);
        dir.rename_new(&temp, dir, GIT)
            .or_else(|error| match error.kind {
                ErrorKind::Unsupported => dir.rename(&temp, dir, GIT),
                _ => Err(error),
            })?;
        if options.durability == rooted::Durability::Power {
            dir.sync()?;
        }
        Ok(id)
    })();
    if made.is_err() {
        files::remove_all(dir, &temp);
    }
    made
}

/// Removes repositories that were never finished.
fn clear_builds(dir: &Dir) -> Result<(), Error> {
    let prefix = [rooted::TEMP_PREFIX, BUILD].concat();
    for (name, kind) in dir.list()? {
        if kind == Kind::Dir && name.starts_with(prefix.as_bytes()) {
            files::remove_all(dir, &name);
        }
    }
    Ok(())
}

/// Removes unfinished versions of the repository's own files.
fn sweep(git: &Dir) -> Result<(), Error> {
    let mut folders = vec![git.try_clone()?];
    for way in [
        &[&b"refs"[..], b"heads"][..],
        &[b"logs"],
        &[b"logs", b"refs", b"heads"],
        &[b"info"],
    ] {
        folders.extend(files::open(git, way)?);
    }
    for folder in folders {
        for (name, kind) in folder.list()? {
            match kind {
                _ if !rooted::is_temp_name(&name) => {}
                Kind::Dir => files::remove_all(&folder, &name),
                Kind::File | Kind::Link | Kind::Special => {
                    let _ = folder.remove_file(&name);
                }
            }
        }
    }
    Ok(())
}
