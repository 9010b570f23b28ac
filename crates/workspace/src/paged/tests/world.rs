//! A folder that a test fills, and what calls on it say.

use std::path::{Path, PathBuf};

use rooted::{Kind, Mode, RelPath, Root};
use tempfile::TempDir;

use crate::paged::{Fault, Options, Page, Paged};

pub(super) struct World {
    dir: TempDir,
}

impl World {
    pub(super) fn new(files: &[(&str, &str)]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let world = Self { dir };
        for (path, content) in files {
            world.write(path, content);
        }
        world
    }

    pub(super) fn root(&self) -> PathBuf {
        self.dir.path().to_owned()
    }

    pub(super) fn write(&self, path: &str, content: &str) {
        self.make_raw(path.as_bytes(), content.as_bytes());
    }

    pub(super) fn make_raw(&self, path: &[u8], content: &[u8]) {
        use std::os::unix::ffi::OsStrExt as _;
        let path = self
            .dir
            .path()
            .join(Path::new(std::ffi::OsStr::from_bytes(path)));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    pub(super) fn read(&self, path: &str) -> Option<String> {
        std::fs::read_to_string(self.dir.path().join(path)).ok()
    }

    pub(super) fn make_dir(&self, path: &str) {
        std::fs::create_dir_all(self.dir.path().join(path)).unwrap();
    }

    pub(super) fn link(&self, target: &str, name: &str) {
        std::os::unix::fs::symlink(target, self.dir.path().join(name)).unwrap();
    }

    pub(super) fn make_pipe(&self, name: &str) {
        let status = std::process::Command::new("mkfifo")
            .arg(self.dir.path().join(name))
            .status();
        assert!(status.unwrap().success());
    }

    pub(super) fn kind(&self, path: &str) -> Kind {
        let root = Root::open(self.dir.path(), Mode::NO_LINKS).unwrap();
        let dir = root.open_dir(&RelPath::root()).unwrap();
        dir.stat(path.as_bytes()).unwrap().kind
    }

    pub(super) fn open(&self) -> Paged {
        self.open_with(|options| options)
    }

    pub(super) fn open_with(&self, change: impl FnOnce(Options) -> Options) -> Paged {
        Paged::open(change(Options::new(self.dir.path(), &["**"]))).unwrap()
    }
}

/// What went wrong.
pub(super) fn failed<T: std::fmt::Debug>(done: Result<T, Fault>) -> String {
    done.unwrap_err().to_string()
}

/// The items of a page that is the last.
pub(super) fn ends<T>(page: Result<Page<T>, Fault>) -> Vec<T> {
    let page = page.unwrap();
    assert_eq!(page.next_cursor, None);
    page.items
}
