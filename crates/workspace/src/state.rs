//! `State`: the folder that holds what the server remembers of a workspace.
//!
//! It is `.workspace-mcp` in the root, or a folder of its own beneath the state directory that was
//! given at start. It is opened without following links and made at the first write, never before.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use rooted::{Dir, ErrorKind, FileId, Kind, LockFile, RelPath, Root};
use serde::Deserialize;
use sha2::{Digest as _, Sha256};

use crate::error::Error;
use crate::limits::STATE_DIR;
use crate::records::object;

/// The folder for transactions under way.
const TX: &[u8] = b"tx";
/// The file that whoever writes holds.
const LOCK: &[u8] = b"lock";
/// Keeps the folder out of the repository that it lies in.
const GITIGNORE: &[u8] = b".gitignore";
/// Names the active change.
pub(crate) const STATE_FILE: &[u8] = b"state.json";
/// The longest `state.json` that is looked into; the server's own take a few dozen bytes.
const STATE_BYTES: u64 = 1024 * 1024;
/// Characters of a root's own name in the name of its folder beneath a state directory.
const NAME_CHARS: usize = 40;

/// Where the state of one root is kept.
#[derive(Debug)]
pub struct State {
    home: Home,
    // Held for a look or a store only, never while anything is opened.
    open: Mutex<Option<Arc<StateDir>>>,
}

#[derive(Debug)]
enum Home {
    /// In the root itself.
    Inside,
    /// Beneath a state directory, under a name made from the root's path.
    Beneath { base: Arc<Root>, name: Box<[u8]> },
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct StateFile {
    active_change: String,
}

/// The state folder, open.
#[derive(Debug)]
pub struct StateDir {
    /// The folder itself.
    pub dir: Dir,
    /// Its folder for transactions under way.
    pub(crate) tx: Dir,
    pub(crate) lock: LockFile,
    id: FileId,
    tx_id: FileId,
}

impl State {
    /// State in the root itself.
    #[must_use]
    pub fn inside() -> Self {
        Self::new(Home::Inside)
    }

    /// State beneath the directory `base`, in a folder for the root at `host_path`.
    #[must_use]
    pub fn beneath(base: Arc<Root>, host_path: &Path) -> Self {
        let name = name_of(host_path).into_bytes().into();
        Self::new(Home::Beneath { base, name })
    }

    fn new(home: Home) -> Self {
        Self {
            home,
            open: Mutex::new(None),
        }
    }

    /// Says whether the folder lies beneath a state directory, so that its path is not one of the root.
    pub(crate) fn is_apart(&self) -> bool {
        matches!(self.home, Home::Beneath { .. })
    }

    /// Opens the folder where there is one; a link in its place is an error.
    ///
    /// # Errors
    /// [`Error::NotADirectory`] when something else has the name.
    pub fn open(&self, root: &Root) -> Result<Option<Dir>, Error> {
        let (base, name) = self.base(root)?;
        open_dir(&base, name)
    }

    /// Opens the folder, and makes what is missing of it.
    ///
    /// # Errors
    /// [`Error::NotWritable`], [`Error::ReadOnlyFilesystem`]; [`Error::NotADirectory`] and
    /// [`Error::NotRegular`] when something else, such as a link, has one of the names.
    pub fn make(&self, root: &Root) -> Result<Arc<StateDir>, Error> {
        let (base, name) = self.base(root)?;
        let open = self.remembered();
        if let Some(open) = open.filter(|open| open.is_current(&base, name)) {
            return Ok(open);
        }
        let dir = make_dir(&base, name)?;
        ignore_itself(&dir)?;
        let tx = make_dir(&dir, TX)?;
        let lock = dir.open_lock(LOCK).map_err(refused)?;
        let made = Arc::new(StateDir {
            id: dir.meta()?.id,
            tx_id: tx.meta()?.id,
            dir,
            tx,
            lock,
        });
        *self.open.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&made));
        Ok(made)
    }

    /// The change that everything done now belongs to, as `state.json` names it. A file that is
    /// missing or unreadable names none.
    #[must_use]
    pub fn active_change(&self, root: &Root) -> Option<String> {
        let mut file = self.open(root).ok()??.open_file(STATE_FILE).ok()?;
        let bytes = file.read_all(STATE_BYTES).ok()?;
        let named: StateFile = object(&bytes)?;
        Some(named.active_change).filter(|id| !id.is_empty())
    }

    /// Says whether an open folder still is the one that its name stands for, with all that is in it.
    pub(crate) fn is_current(&self, root: &Root, open: &StateDir) -> bool {
        self.base(root)
            .is_ok_and(|(base, name)| open.is_current(&base, name))
    }

    fn remembered(&self) -> Option<Arc<StateDir>> {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.as_ref().map(Arc::clone)
    }

    fn base(&self, root: &Root) -> Result<(Dir, &[u8]), Error> {
        let (base, name): (&Root, &[u8]) = match &self.home {
            Home::Inside => (root, STATE_DIR.as_bytes()),
            Home::Beneath { base, name } => (base, name),
        };
        Ok((base.open_dir(&RelPath::root())?, name))
    }
}

impl StateDir {
    fn is_current(&self, base: &Dir, name: &[u8]) -> bool {
        let is = |dir: &Dir, name: &[u8], kind: Kind, id: FileId| {
            dir.stat(name)
                .is_ok_and(|meta| meta.kind == kind && meta.id == id)
        };
        is(base, name, Kind::Dir, self.id)
            && is(&self.dir, TX, Kind::Dir, self.tx_id)
            && is(&self.dir, LOCK, Kind::File, self.lock.id())
    }

    /// Opens the folder for transactions of a state folder, where there is one.
    pub(crate) fn open_tx(dir: &Dir) -> Result<Option<Dir>, Error> {
        open_dir(dir, TX)
    }
}

pub(crate) fn open_dir(base: &Dir, name: &[u8]) -> Result<Option<Dir>, Error> {
    match base.open_dir(name) {
        Ok(dir) => Ok(Some(dir)),
        Err(error) if matches!(error.kind, ErrorKind::NotFound) => Ok(None),
        Err(error) => Err(refused(error)),
    }
}

pub(crate) fn make_dir(base: &Dir, name: &[u8]) -> Result<Dir, Error> {
    if let Some(dir) = open_dir(base, name)? {
        return Ok(dir);
    }
    match base.create_dir(name, 0o700) {
        Err(error) if !matches!(error.kind, ErrorKind::Exists) => return Err(refused(error)),
        _ => {}
    }
    base.open_dir(name).map_err(refused)
}

fn ignore_itself(dir: &Dir) -> Result<(), Error> {
    match dir.create_record(GITIGNORE) {
        Ok(mut file) => file
            .write(b"*\n", rooted::Durability::Kill)
            .map_err(refused),
        Err(error) if matches!(error.kind, ErrorKind::Exists) => Ok(()),
        Err(error) => Err(refused(error)),
    }
}

/// What it means when state cannot be kept.
pub(crate) fn refused(error: rooted::Error) -> Error {
    match error.kind {
        ErrorKind::PermissionDenied => Error::NotWritable,
        ErrorKind::NotADirectory => Error::NotADirectory(error.path),
        ErrorKind::LinkRefused => Error::NotRegular(error.path),
        _ => Error::from(error),
    }
}

/// A name that people can tell apart, and that no two roots share.
fn name_of(host_path: &Path) -> String {
    let readable: String = host_path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .chars()
        .map(|c| if c.is_alphanumeric() { c } else { '-' })
        .take(NAME_CHARS)
        .collect();
    let digest = Sha256::digest(host_path.as_os_str().as_encoded_bytes());
    let hash: String = digest.iter().take(8).map(|b| format!("{b:02x}")).collect();
    if readable.is_empty() {
        hash
    } else {
        format!("{readable}-{hash}")
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::name_of;

    #[test]
    fn roots_get_readable_names_that_differ() {
        let names = ["/srv/a b", "/opt/a b", "/"].map(|path| name_of(Path::new(path)));
        assert!(names[0].starts_with("a-b-"), "{names:?}");
        assert_ne!(names[0], names[1]);
        assert_eq!(names[2].len(), 16);
    }
}
