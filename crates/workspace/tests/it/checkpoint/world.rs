//! A folder with checkpoints, and plain git as the judge of what is in its repository.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use rooted::{Durability, Mode, RelPath, Root};
use tempfile::TempDir;
use workspace::Cancel;
use workspace::checkpoint::{Error, Id, Opened, Options, Repository, Rules};
use workspace::clock::Clock;
use workspace::lock::{Guard, Lock, Queue};
use workspace::state::State;

/// A temporary folder `root`, beside a home for git.
pub(crate) struct World {
    temp: TempDir,
}

/// Open checkpoints, and the lock on their folder.
pub(crate) struct Open {
    pub(crate) repository: Repository,
    pub(crate) initial: Option<Id>,
    lock: Lock,
    root: Root,
}

pub(crate) fn rel(path: &str) -> RelPath {
    RelPath::from_bytes(path.as_bytes()).unwrap()
}

pub(crate) fn options() -> Options {
    Options {
        author_name: "Safe Workspace MCP".to_owned(),
        author_email: "safe-workspace-mcp@local".to_owned(),
        rules: Rules::new(100_000, &["node_modules", "build"]),
        durability: Durability::Kill,
        clock: Clock::System,
    }
}

/// Opens the checkpoints of a folder, under its lock.
pub(crate) fn open_with(path: &Path, options: Options) -> Result<Open, Error> {
    let root = Root::open(path, Mode::NO_LINKS).unwrap();
    let lock = Lock::new(State::inside(), Arc::<Queue>::default());
    let guard = lock.acquire(&root, &Cancel::never()).unwrap();
    let opened = Repository::open_or_init(&root, options, &guard, &Cancel::never());
    drop(guard);
    let Opened {
        repository,
        initial,
    } = opened?;
    Ok(Open {
        repository,
        initial,
        lock,
        root,
    })
}

impl Open {
    pub(crate) fn guard(&self) -> Guard {
        self.lock.acquire(&self.root, &Cancel::never()).unwrap()
    }

    pub(crate) fn commit(&self, message: &str) -> Id {
        let guard = self.guard();
        self.repository
            .commit(message, &guard, &Cancel::never())
            .unwrap()
    }

    pub(crate) fn commit_paths(&self, message: &str, paths: &[&str]) -> Id {
        let paths: Vec<_> = paths.iter().map(|path| rel(path)).collect();
        let guard = self.guard();
        self.repository
            .commit_paths(message, &paths, &guard, &Cancel::never())
            .unwrap()
    }

    /// The status, a letter and a path for each difference.
    pub(crate) fn status(&self) -> Vec<String> {
        let status = self.repository.status(&Cancel::never()).unwrap();
        let mut lines = Vec::new();
        for (letter, paths) in [
            ("M", &status.modified),
            ("A", &status.added),
            ("D", &status.removed),
        ] {
            lines.extend(paths.iter().map(|path| format!("{letter} {path}")));
        }
        assert_eq!(status.is_clean(), lines.is_empty());
        lines
    }

    /// The messages of the history, the newest first.
    pub(crate) fn messages(&self) -> Vec<String> {
        let history = self.repository.history(1000).unwrap();
        history.into_iter().map(|one| one.message).collect()
    }
}

impl World {
    pub(crate) fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        for name in ["home", "root"] {
            fs::create_dir(temp.path().join(name)).unwrap();
        }
        Self { temp }
    }

    /// A world with these files, each holding its own path.
    pub(crate) fn with(paths: &[&str]) -> Self {
        let world = Self::new();
        for path in paths {
            world.write(path, format!("{path}\n"));
        }
        world
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.temp.path().join("root")
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    pub(crate) fn remove(&self, name: &str) {
        let path = self.path(name);
        if path.is_dir() {
            fs::remove_dir_all(path).unwrap();
        } else {
            fs::remove_file(path).unwrap();
        }
    }

    pub(crate) fn open(&self) -> Open {
        self.try_open().unwrap()
    }

    pub(crate) fn try_open(&self) -> Result<Open, Error> {
        open_with(&self.root(), options())
    }

    /// Runs git in the root as a person would; it must succeed, and say nothing it is worried about.
    pub(crate) fn git(&self, args: &[&str]) -> String {
        let (said, worries, done) = self.try_git(args);
        assert!(done && worries.is_empty(), "git {args:?}: {said}{worries}");
        said
    }

    pub(crate) fn try_git(&self, args: &[&str]) -> (String, String, bool) {
        let output = Command::new("git")
            .args(args)
            .current_dir(self.root())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("HOME", self.temp.path().join("home"))
            .env("LC_ALL", "C")
            .env("GIT_AUTHOR_NAME", "A U Thor")
            .env("GIT_AUTHOR_EMAIL", "author@example.com")
            .env("GIT_COMMITTER_NAME", "A U Thor")
            .env("GIT_COMMITTER_EMAIL", "author@example.com")
            .output()
            .unwrap();
        (
            String::from_utf8_lossy(&output.stdout).into_owned(),
            String::from_utf8_lossy(&output.stderr).into_owned(),
            output.status.success(),
        )
    }

    /// Lets git check every object and name.
    pub(crate) fn fsck(&self) {
        let said = self.git(&[
            "fsck",
            "--full",
            "--strict",
            "--no-dangling",
            "--no-progress",
        ]);
        assert_eq!(said, "");
    }

    /// The paths that the newest checkpoint holds, as git lists them.
    pub(crate) fn ls_tree(&self) -> Vec<String> {
        let said = self.git(&["ls-tree", "-r", "--name-only", "HEAD"]);
        said.lines().map(str::to_owned).collect()
    }
}
