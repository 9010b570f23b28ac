//! Finds the repository that a workspace belongs to, without believing what files in it say.
//!
//! Goes upward as git does. Everything is opened beneath the folder that holds `.git`; a repository
//! kept elsewhere (a linked working tree, a submodule) counts only when it names this folder itself.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rooted::{Dir, ErrorKind, File, Kind, Mode, RelPath, Root};

use super::config;
use crate::error::Error;
use crate::process::os_text;
use crate::reader::Reader;

/// Bytes of the small files of a repository that are read.
const SMALL: u64 = 64 * 1024;
/// Bytes of its configuration that are read.
pub(super) const CONFIG: u64 = 1024 * 1024;
/// Object folders that borrow from one another.
const BORROWED: usize = 5;

/// A repository, and where the workspace lies in its working tree.
#[derive(Debug)]
pub(super) struct Repository {
    /// The top of the working tree.
    pub top: Arc<Root>,
    /// The workspace's root from there.
    pub prefix: RelPath,
    /// What belongs to this working tree: `HEAD`, the index.
    pub git: Place,
    /// What all working trees share: objects, refs, configuration.
    pub common: Place,
}

/// A folder beneath an open root.
#[derive(Clone, Debug)]
pub(super) struct Place {
    root: Arc<Root>,
    base: RelPath,
}

/// What there is at a folder.
enum Look {
    /// Nothing; a repository may be further up.
    Nothing,
    /// Something that must not be followed.
    Refused,
    /// A repository: what is this working tree's, and what is shared.
    Repository(Place, Place),
}

impl Place {
    fn at(&self, name: &str) -> RelPath {
        name.split('/')
            .fold(self.base.clone(), |path, part| path.join(part))
    }

    /// Opens a file in it.
    pub(super) fn open(&self, name: &str) -> rooted::Result<File> {
        self.root.open_file(&self.at(name))
    }

    /// The content of a small file; `None` when there is none.
    pub(super) fn read(&self, name: &str, limit: u64) -> rooted::Result<Option<Vec<u8>>> {
        let mut file = match self.open(name) {
            Ok(file) => file,
            Err(error) if matches!(error.kind, ErrorKind::NotFound) => return Ok(None),
            Err(error) => return Err(error),
        };
        let content = file.read_all(limit).map_err(|error| rooted::Error {
            kind: ErrorKind::Other(error),
            path: file.path().clone(),
        })?;
        Ok(Some(content))
    }

    /// Opens a folder in it.
    pub(super) fn dir(&self, name: &str) -> rooted::Result<Dir> {
        self.root.open_dir(&self.at(name))
    }

    /// Opens the folder itself.
    pub(super) fn itself(&self) -> rooted::Result<Dir> {
        self.root.open_dir(&self.base)
    }

    /// Where a name in it really is on the host.
    pub(super) fn host_path(&self, name: &str) -> rooted::Result<PathBuf> {
        let (_, real) = self.root.find(&self.at(name))?;
        Ok(under(self.root.host_path(), &real))
    }

    /// The branch that `HEAD` names by being a link, as old repositories have it.
    fn linked_head(&self) -> Option<Vec<u8>> {
        let is_link = self.itself().ok()?.stat(b"HEAD").ok()?.kind == Kind::Link;
        let (_, real) = self.root.find(&self.at("HEAD")).ok().filter(|_| is_link)?;
        let name = real.as_bytes().strip_prefix(self.base.as_bytes())?;
        let name = name.strip_prefix(b"/").unwrap_or(name);
        name.starts_with(b"refs/")
            .then(|| [b"ref: ", name, b"\n"].concat())
    }

    /// What `HEAD` says; `None` when it is not one that git would take.
    pub(super) fn head(&self) -> Option<Vec<u8>> {
        if let Some(head) = self.linked_head() {
            return Some(head);
        }
        let head = self.read("HEAD", SMALL).ok().flatten()?;
        let name = head.trim_ascii();
        let is_ref = name
            .strip_prefix(b"ref:")
            .is_some_and(|name| name.trim_ascii().starts_with(b"refs/"));
        let is_object = matches!(name.len(), 40 | 64) && name.iter().all(u8::is_ascii_hexdigit);
        (is_ref || is_object).then_some(head)
    }

    fn has_stores(&self) -> bool {
        self.dir("objects").is_ok() && self.dir("refs").is_ok()
    }

    /// Refuses objects that lie, or are borrowed from, outside of the repository.
    pub(super) fn check_objects(&self) -> Result<(), Error> {
        self.check_objects_in(&self.at("objects"), BORROWED)
    }

    fn check_objects_in(&self, objects: &RelPath, depth: usize) -> Result<(), Error> {
        let outside = |what: &str| {
            Error::GitFailed(format!(
                "repository uses objects outside the workspace: {what}"
            ))
        };
        let (_, real) = self
            .root
            .find(objects)
            .map_err(|_| outside(".git/objects"))?;
        for inner in [real.clone(), real.join("pack"), real.join("info")] {
            let Ok(dir) = self.root.open_dir(&inner) else {
                // A part that is missing is fine; one that leads out is caught as a link above it.
                continue;
            };
            for (name, kind) in dir.list()? {
                let leads_out = kind == Kind::Link && self.root.find(&inner.join(&name)).is_err();
                if leads_out {
                    return Err(outside(".git/objects"));
                }
            }
        }
        let place = Self {
            root: Arc::clone(&self.root),
            base: real.clone(),
        };
        let Some(list) = place.read("info/alternates", CONFIG)? else {
            return Ok(());
        };
        let refused = || outside(".git/objects/info/alternates");
        for line in list.split(|&byte| byte == b'\n') {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if matches!(line, [] | [b'#', ..]) {
                continue;
            }
            let here = under(self.root.host_path(), &real);
            let path = os_text(line).map(|line| here.join(line));
            let path = path.filter(|_| depth > 0).ok_or_else(refused)?;
            let borrowed = self.inside(&path).ok_or_else(refused)?;
            self.check_objects_in(&borrowed, depth - 1)?;
        }
        Ok(())
    }

    /// A path of the host as one beneath the root, when it is.
    fn inside(&self, path: &Path) -> Option<RelPath> {
        RelPath::parse(path.to_str()?, &self.root.spellings()).ok()
    }
}

impl Repository {
    /// Says whether the repository of a submodule lies in this one, so that git may look up which
    /// commit it is at. One that is not there counts, since then git looks nowhere.
    pub(super) fn holds_submodule(&self, path: &RelPath) -> bool {
        let (meta, real) = match self.top.find(&path.join(".git")) {
            Ok(found) => found,
            Err(error) => return matches!(error.kind, ErrorKind::NotFound),
        };
        let place = Place {
            root: Arc::clone(&self.top),
            base: real,
        };
        let git = match meta.kind {
            Kind::Dir => Some(place),
            Kind::File => self.named_place(path, &place.base),
            Kind::Link | Kind::Special => None,
        };
        git.is_some_and(|git| common_of(&git, true).is_ok())
    }

    /// The place that the `.git` file of a submodule names, when it lies in the repository.
    fn named_place(&self, path: &RelPath, dot_git: &RelPath) -> Option<Place> {
        let content = self.top.open_file(dot_git).ok()?.read_all(SMALL).ok()?;
        let target = os_text(content.strip_prefix(b"gitdir:")?.trim_ascii())?;
        let target = under(self.top.host_path(), path).join(target);
        [&self.top, &self.git.root, &self.common.root]
            .into_iter()
            .find_map(|root| {
                let place = Place {
                    root: Arc::clone(root),
                    base: RelPath::root(),
                };
                let (_, base) = root.find(&place.inside(&target)?).ok()?;
                Some(Place { base, ..place })
            })
    }
}

/// A path of the host beneath another.
pub(super) fn under(base: &Path, path: &RelPath) -> PathBuf {
    path.components()
        .filter_map(os_text)
        .fold(base.to_owned(), |path, part| path.join(part))
}

/// Finds the repository of a workspace.
pub(super) fn find(reader: &Reader<'_>) -> Result<Repository, Error> {
    let root = reader.root();
    let none = || {
        Error::NotARepository(rooted::show(&crate::process::bytes_of(
            root.host_path().as_os_str(),
        )))
    };
    let mut top = root.with_mode(Mode::FOLLOW).map_err(|_| none())?;
    let mut names = Vec::new();
    loop {
        let here = Arc::new(top);
        match look(&here) {
            Look::Refused => return Err(none()),
            Look::Repository(git, common) => {
                let prefix = names
                    .iter()
                    .rev()
                    .fold(RelPath::root(), |path: RelPath, name: &Vec<u8>| {
                        path.join(name)
                    });
                let inside_git = prefix
                    .components()
                    .any(|name| name.eq_ignore_ascii_case(b".git"));
                return if inside_git {
                    Err(none())
                } else {
                    Ok(Repository {
                        top: here,
                        prefix,
                        git,
                        common,
                    })
                };
            }
            Look::Nothing => {}
        }
        let path = here.host_path();
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(none());
        };
        let name = crate::process::bytes_of(name);
        let above = Root::open(parent, Mode::FOLLOW).map_err(|_| none())?;
        // The folder must still be the one that the way up started from.
        let down = above.find(&RelPath::root().join(&name));
        let same = matches!((&down, here.id()), (Ok((meta, _)), Ok(id)) if meta.id == id);
        let one_disk = matches!((above.id(), here.id()), (Ok(a), Ok(b)) if a.dev == b.dev);
        if !same || !one_disk {
            return Err(none());
        }
        names.push(name);
        top = above;
    }
}

fn look(top: &Arc<Root>) -> Look {
    let dot_git = RelPath::root().join(".git");
    let (meta, real) = match top.find(&dot_git) {
        Ok(found) => found,
        Err(error) if matches!(error.kind, ErrorKind::NotFound) => return Look::Nothing,
        Err(_) => return Look::Refused,
    };
    let place = Place {
        root: Arc::clone(top),
        base: real,
    };
    match meta.kind {
        Kind::Dir => {
            let Ok(common) = common_of(&place, true) else {
                return Look::Refused;
            };
            if place.head().is_some() && common.has_stores() {
                Look::Repository(place, common)
            } else {
                Look::Nothing
            }
        }
        Kind::File => follow(top, &place.base).unwrap_or(Look::Refused),
        Kind::Link | Kind::Special => Look::Refused,
    }
}

/// Follows a `.git` file.
fn follow(top: &Arc<Root>, dot_git: &RelPath) -> Option<Look> {
    let mut file = top.open_file(dot_git).ok()?;
    let content = file.read_all(SMALL).ok()?;
    let target = content.strip_prefix(b"gitdir:")?.trim_ascii();
    let path = top.host_path().join(os_text(target)?);
    let here = Place {
        root: Arc::clone(top),
        base: RelPath::root(),
    };
    let (git, common) = if let Some(base) = here.inside(&path) {
        let (_, base) = top.find(&base).ok()?;
        let git = Place {
            root: Arc::clone(top),
            base,
        };
        let common = common_of(&git, true).ok()?;
        (git, common)
    } else {
        let git = Place {
            root: Arc::new(Root::open(&path, Mode::FOLLOW).ok()?),
            base: RelPath::root(),
        };
        points_back(&git, top)?;
        let common = common_of(&git, false).ok()?;
        (git, common)
    };
    (git.head().is_some() && common.has_stores()).then_some(Look::Repository(git, common))
}

/// Says whether a repository outside names this working tree: as git's linked working trees do, in
/// a file, or as submodules do, in the configuration.
fn points_back(git: &Place, top: &Root) -> Option<()> {
    let base = git.root.host_path();
    let named = if let Some(line) = git.read("gitdir", SMALL).ok()? {
        let path = base.join(os_text(line.trim_ascii_end())?);
        (path.file_name()? == ".git").then(|| path.parent().map(Path::to_owned))??
    } else {
        let entries = config::parse(&git.read("config", CONFIG).ok()??).ok()?;
        let mut named = entries.into_iter().filter(|one| one.is("core", "worktree"));
        base.join(os_text(&named.next_back()?.value?)?)
    };
    let named = Root::open(&named, Mode::FOLLOW).ok()?;
    (named.id().ok()? == top.id().ok()?).then_some(())
}

/// Where the shared part of a repository is: itself, or where its `commondir` says.
///
/// Inside the working tree that place must be inside too. Outside it must be the repository that
/// this one is filed under.
fn common_of(git: &Place, is_inside: bool) -> Result<Place, ()> {
    let Some(line) = git.read("commondir", SMALL).map_err(drop)? else {
        return Ok(git.clone());
    };
    let base = under(git.root.host_path(), &git.base);
    let path = base.join(os_text(line.trim_ascii_end()).ok_or(())?);
    if is_inside {
        let base = git.inside(&path).ok_or(())?;
        let (_, base) = git.root.find(&base).map_err(drop)?;
        return Ok(Place {
            root: Arc::clone(&git.root),
            base,
        });
    }
    let root = Root::open(&path, Mode::FOLLOW).map_err(drop)?;
    if !base.starts_with(root.host_path().join("worktrees")) {
        return Err(());
    }
    Ok(Place {
        root: Arc::new(root),
        base: RelPath::root(),
    })
}
