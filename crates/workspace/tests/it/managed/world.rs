//! A managed folder, and operations in short.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;
use workspace::Cancel;
use workspace::managed::{
    Applied, Encoding, Error, Managed, Operation, Options, RestoreRequest, Restored, Started,
    Status,
};

/// A managed folder.
pub(crate) struct World {
    temp: TempDir,
    pub(crate) managed: Managed,
    pub(crate) started: Started,
}

/// The content of each file, and `None` for each folder, by path; what is the server's own left out.
pub(crate) type Tree = BTreeMap<String, Option<String>>;

/// Makes files: a path that ends with a slash is a folder, any other a file that holds its own path.
pub(crate) fn fill(root: &Path, files: &[&str]) {
    for file in files {
        let path = root.join(file);
        if file.ends_with('/') {
            fs::create_dir_all(path).unwrap();
        } else {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, file).unwrap();
        }
    }
}

pub(crate) fn world(files: &[&str]) -> World {
    world_with(files, |_| {})
}

pub(crate) fn world_with(files: &[&str], change: impl FnOnce(&mut Options)) -> World {
    let temp = tempfile::tempdir().unwrap();
    let root = temp.path().join("root");
    fs::create_dir(&root).unwrap();
    fill(&root, files);
    let mut options = Options::new(&root);
    change(&mut options);
    let (managed, started) = Managed::start(options, &Cancel::never()).unwrap();
    World {
        temp,
        managed,
        started,
    }
}

impl World {
    pub(crate) fn root(&self) -> PathBuf {
        self.temp.path().join("root")
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.root().join(path)
    }

    pub(crate) fn write(&self, path: &str, content: &str) {
        fs::create_dir_all(self.path(path).parent().unwrap()).unwrap();
        fs::write(self.path(path), content).unwrap();
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap()
    }

    pub(crate) fn apply(&self, operations: &[Operation]) -> Result<Applied, Error> {
        self.managed.apply_changes(operations, &Cancel::never())
    }

    /// What operations are refused with. They must have left no trace.
    pub(crate) fn refused(&self, operations: &[Operation]) -> String {
        let before = (self.tree(), self.history());
        let error = self.apply(operations).unwrap_err();
        assert_eq!((self.tree(), self.history()), before, "{error}");
        error.to_string()
    }

    pub(crate) fn restore(&self, request: &RestoreRequest<'_>) -> Result<Restored, Error> {
        self.managed.restore(request, &Cancel::never())
    }

    pub(crate) fn restore_to(&self, checkpoint: &str) -> Restored {
        let request = RestoreRequest {
            checkpoint,
            ..RestoreRequest::default()
        };
        self.restore(&request).unwrap()
    }

    pub(crate) fn status(&self) -> Status {
        self.managed.status(&Cancel::never()).unwrap()
    }

    /// The messages of all checkpoints, newest first.
    pub(crate) fn history(&self) -> Vec<String> {
        let history = self.managed.history(1000, &Cancel::never()).unwrap();
        history.into_iter().map(|one| one.message).collect()
    }

    pub(crate) fn head(&self) -> String {
        let history = self.managed.history(1, &Cancel::never()).unwrap();
        history[0].id.clone()
    }

    pub(crate) fn tree(&self) -> Tree {
        let mut tree = Tree::new();
        look(&self.root(), "", &mut tree);
        tree
    }

    /// Everything that must hold after any call: nothing differs from the history, nothing is left
    /// over, and git finds the repository sound.
    pub(crate) fn check(&self) {
        assert!(self.status().is_clean(), "{:?}", self.status());
        check_repository(&self.root());
    }
}

pub(crate) fn check_repository(root: &Path) {
    assert_eq!(crate::world::leftovers(root), Vec::<PathBuf>::new());
    let out = git(root, &["fsck", "--strict", "--no-dangling"]);
    assert!(out.is_empty(), "{out}");
}

/// What git says, run without settings of the machine.
pub(crate) fn git(root: &Path, arguments: &[&str]) -> String {
    let out = Command::new("git")
        .args(arguments)
        .current_dir(root)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", "/nonexistent")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_COUNT", "1")
        .env("GIT_CONFIG_KEY_0", "safe.directory")
        .env("GIT_CONFIG_VALUE_0", "*")
        .output()
        .unwrap();
    let text = [out.stdout, out.stderr].concat();
    let text = String::from_utf8_lossy(&text).into_owned();
    assert!(out.status.success(), "{text}");
    text
}

pub(crate) fn look(dir: &Path, prefix: &str, tree: &mut Tree) {
    for entry in fs::read_dir(dir).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        if prefix.is_empty() && matches!(name.as_str(), ".git" | ".workspace-mcp") {
            continue;
        }
        let path = format!("{prefix}{name}");
        if entry.file_type().unwrap().is_dir() {
            look(&entry.path(), &format!("{path}/"), tree);
            tree.insert(path, None);
        } else if entry.file_type().unwrap().is_symlink() {
            let target = fs::read_link(entry.path()).unwrap();
            tree.insert(path, Some(format!("-> {}", target.display())));
        } else {
            let content = fs::read(entry.path()).unwrap();
            tree.insert(path, Some(String::from_utf8_lossy(&content).into_owned()));
        }
    }
}

pub(crate) fn sha256(content: &str) -> String {
    workspace::read::sha256(content.as_bytes())
}

pub(crate) fn create(path: &str, content: &str) -> Operation {
    Operation::CreateFile {
        path: path.to_owned(),
        content: content.to_owned(),
        encoding: Encoding::Utf8,
        expected_sha256: None,
    }
}

/// `before` is the content that the file is expected to have.
pub(crate) fn create_over(path: &str, before: &str, content: &str) -> Operation {
    Operation::CreateFile {
        path: path.to_owned(),
        content: content.to_owned(),
        encoding: Encoding::Utf8,
        expected_sha256: Some(sha256(before)),
    }
}

pub(crate) fn replace(path: &str, before: &str, content: &str) -> Operation {
    Operation::ReplaceFile {
        path: path.to_owned(),
        content: content.to_owned(),
        encoding: Encoding::Utf8,
        expected_sha256: sha256(before).to_uppercase(),
    }
}

pub(crate) fn edit(path: &str, before: &str, old: &str, new: &str) -> Operation {
    Operation::ReplaceText {
        path: path.to_owned(),
        expected_sha256: sha256(before),
        old_text: old.to_owned(),
        new_text: new.to_owned(),
    }
}

pub(crate) fn make(path: &str) -> Operation {
    Operation::CreateDirectory {
        path: path.to_owned(),
    }
}

pub(crate) fn rename(source: &str, destination: &str) -> Operation {
    Operation::Move {
        source: source.to_owned(),
        destination: destination.to_owned(),
    }
}

pub(crate) fn delete(path: &str, before: &str) -> Operation {
    Operation::DeleteFile {
        path: path.to_owned(),
        expected_sha256: sha256(before),
    }
}

pub(crate) fn delete_folder(path: &str) -> Operation {
    Operation::DeleteEmptyDirectory {
        path: path.to_owned(),
    }
}
