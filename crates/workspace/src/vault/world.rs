//! A folder of notes for tests.

use std::path::PathBuf;

use tempfile::TempDir;

use super::{Limits, Vault};
use crate::cancel::Cancel;
use crate::clock::{Clock, Time};
use crate::workspace::{Workspace, WorkspaceOptions};

pub(super) struct World {
    pub(super) vault: Vault,
    pub(super) never: Cancel,
    dir: TempDir,
}

impl World {
    pub(super) fn new(files: &[(&str, &str)]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("notes");
        std::fs::create_dir(&root).unwrap();
        let mut options = WorkspaceOptions::new("notes", &root);
        options.clock = Clock::Stopped(Time::parse("2026-03-01T10:20:30.456Z").unwrap());
        let world = Self {
            vault: Vault {
                workspace: Workspace::open(options).unwrap(),
                limits: Limits::default(),
                markdown_tasks: true,
            },
            never: Cancel::never(),
            dir,
        };
        for (path, content) in files {
            world.put(path, content);
        }
        world
    }

    pub(super) fn path(&self, path: &str) -> PathBuf {
        self.dir.path().join("notes").join(path)
    }

    pub(super) fn put(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    pub(super) fn text(&self, path: &str) -> String {
        String::from_utf8(std::fs::read(self.path(path)).unwrap()).unwrap()
    }

    pub(super) fn has(&self, path: &str) -> bool {
        std::fs::symlink_metadata(self.path(path)).is_ok()
    }
}
