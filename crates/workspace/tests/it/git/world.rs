//! A repository in a folder of its own, with a home of its own, and two ways to ask about it.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use tempfile::TempDir;
use workspace::git::{Diff, DiffRequest, Git, Status};
use workspace::process::Environment;
use workspace::{Cancel, Error, Policy, Workspace, WorkspaceOptions};

/// A temporary folder with `home`, `tmp`, and the repository `repo`.
pub struct World {
    folder: TempDir,
    pub git: Git,
}

impl World {
    /// A world without a repository.
    pub fn empty() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["home", "tmp", "repo"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        let path = folder.path().canonicalize().unwrap();
        let git = Git::new(Environment::of([
            ("HOME", path.join("home").into_os_string()),
            ("TMPDIR", path.join("tmp").into_os_string()),
            ("PATH", std::env::var_os("PATH").unwrap()),
            // What a server may have been started with must not reach git.
            ("GIT_DIR", "/nowhere".into()),
            ("GIT_INDEX_FILE", "/nowhere".into()),
            ("GIT_EXTERNAL_DIFF", "false".into()),
            ("GIT_CONFIG_PARAMETERS", "'core.fsmonitor=false".into()),
        ]));
        Self { folder, git }
    }

    /// A repository on branch `main` with one commit of `a.txt`, `b.txt` and `dir/c.txt`.
    pub fn new() -> Self {
        Self::with(&[])
    }

    /// The same, made with these options of `git init`.
    pub fn with(options: &[&str]) -> Self {
        let world = Self::empty();
        world.plain(&[&["init", "-q", "-b", "main"], options].concat());
        for name in ["a.txt", "b.txt", "dir/c.txt"] {
            world.write(name, format!("{name}\nline 2\nline 3\n").repeat(3));
        }
        world.commit("first");
        world
    }

    pub fn path(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    pub fn root(&self) -> PathBuf {
        self.path().join("repo")
    }

    pub fn write(&self, name: impl AsRef<Path>, content: impl AsRef<[u8]>) {
        let path = self.root().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    pub fn commit(&self, subject: &str) {
        self.plain(&["add", "-A"]);
        self.plain(&["commit", "-q", "-m", subject]);
    }

    /// Runs git as a person would, in `folder`; whether it succeeds is for the caller.
    pub fn try_plain(&self, folder: &Path, args: &[&str]) -> (bool, String) {
        let output = Command::new("git")
            .args(args)
            .current_dir(folder)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("HOME", self.path().join("home"))
            .env("LC_ALL", "C")
            .env("GIT_AUTHOR_NAME", "A U Thor")
            .env("GIT_AUTHOR_EMAIL", "author@example.com")
            .env("GIT_COMMITTER_NAME", "A U Thor")
            .env("GIT_COMMITTER_EMAIL", "author@example.com")
            .env("GIT_AUTHOR_DATE", "2024-01-02T03:04:05Z")
            .env("GIT_COMMITTER_DATE", "2024-01-02T03:04:05Z")
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let errors = String::from_utf8_lossy(&output.stderr);
        (
            output.status.success(),
            if text.is_empty() {
                errors.into_owned()
            } else {
                text
            },
        )
    }

    /// Runs git in the repository; it must succeed.
    pub fn plain(&self, args: &[&str]) -> String {
        self.plain_in(&self.root(), args)
    }

    pub fn plain_in(&self, folder: &Path, args: &[&str]) -> String {
        let (done, text) = self.try_plain(folder, args);
        assert!(done, "git {args:?}: {text}");
        text
    }

    pub fn workspace(&self, folder: &Path, deny: &[&str]) -> Arc<Workspace> {
        let none: [&str; 0] = [];
        let options = WorkspaceOptions {
            policy: Policy::new(deny, &none),
            ..WorkspaceOptions::new("default", folder)
        };
        Arc::new(Workspace::open(options).unwrap())
    }

    pub fn status_in(&self, folder: &Path, deny: &[&str]) -> Result<Status, Error> {
        let workspace = self.workspace(folder, deny);
        let reader = workspace.reader(&Cancel::never())?;
        self.untouched(|| self.git.status(&reader))
    }

    pub fn diff_in(
        &self,
        folder: &Path,
        deny: &[&str],
        request: &DiffRequest<'_>,
    ) -> Result<Diff, Error> {
        let workspace = self.workspace(folder, deny);
        let reader = workspace.reader(&Cancel::never())?;
        self.untouched(|| self.git.diff(&reader, request))
    }

    pub fn status(&self) -> Status {
        self.status_in(&self.root(), &[]).unwrap()
    }

    pub fn diff(&self, request: &DiffRequest<'_>) -> Diff {
        self.diff_in(&self.root(), &[], request).unwrap()
    }

    /// Runs `ask`, and fails if anything of the world is another after it, or left behind.
    fn untouched<T>(&self, ask: impl FnOnce() -> T) -> T {
        let before = snapshot(&self.path());
        let answer = ask();
        let after = snapshot(&self.path());
        for (path, state) in &before {
            assert_eq!(after.get(path), Some(state), "{}", path.display());
        }
        let new: Vec<_> = after
            .keys()
            .filter(|path| !before.contains_key(*path))
            .collect();
        assert!(new.is_empty(), "{new:?}");
        answer
    }

    /// Holds every answer about `folder` against that of plain git.
    pub fn same_in(&self, folder: &Path) {
        let status = self.status_in(folder, &[]).unwrap();
        let requests = [
            (vec!["diff"], DiffRequest::default()),
            (
                vec!["diff", "--cached"],
                DiffRequest {
                    staged: true,
                    ..DiffRequest::default()
                },
            ),
            (
                vec!["diff", "--stat"],
                DiffRequest {
                    stat: true,
                    ..DiffRequest::default()
                },
            ),
            (
                vec!["diff", "--cached", "--stat"],
                DiffRequest {
                    staged: true,
                    stat: true,
                    path: None,
                },
            ),
        ];
        let diffs: Vec<_> = requests
            .iter()
            .map(|(args, request)| (args, self.diff_in(folder, &[], request).unwrap()))
            .collect();
        let mut ours = format!("## {}\n", status.branch);
        for entry in status.entries {
            ours.push_str(&entry);
            ours.push('\n');
        }
        assert_eq!(
            ours,
            self.plain_in(folder, &["status", "--porcelain=v1", "-b"])
        );
        for (args, ours) in diffs {
            let plain = self.plain_in(folder, args);
            assert_eq!(ours.text, plain.trim_end_matches('\n'), "git {args:?}");
            assert_eq!(ours.cut, None);
        }
    }

    pub fn same(&self) {
        self.same_in(&self.root());
    }
}

/// Every file below a folder: content and time of change.
fn snapshot(folder: &Path) -> BTreeMap<PathBuf, (Vec<u8>, Option<std::time::SystemTime>)> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let meta = std::fs::symlink_metadata(&path).unwrap();
            let state = if meta.is_dir() {
                folders.push(path.clone());
                (Vec::new(), None)
            } else if meta.is_file() && meta.len() < 1 << 20 {
                // A file that nobody may read is still there.
                (
                    std::fs::read(&path).unwrap_or_default(),
                    meta.modified().ok(),
                )
            } else {
                (Vec::new(), meta.modified().ok())
            };
            found.insert(path, state);
        }
    }
    found
}

/// A script that leaves a file behind when it is run.
pub fn marker(path: &Path, leaves: impl AsRef<OsStr>) {
    use std::os::unix::fs::PermissionsExt as _;
    let leaves = leaves.as_ref().to_string_lossy();
    std::fs::write(
        path,
        format!("#!/bin/sh\necho \"$0 $*\" >> '{leaves}'\ncat\n"),
    )
    .unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}
