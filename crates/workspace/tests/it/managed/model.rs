//! Random lists of operations, held against a tree in memory that knows nothing of disks.

use std::collections::{BTreeMap, BTreeSet};

use proptest::collection::vec;
use proptest::prelude::{Strategy, any, prop_oneof};
use proptest::test_runner::{Config, TestRunner};
use workspace::managed::{Code, Operation};

use super::world::{
    Tree, World, create, create_over, delete, delete_folder, edit, git, make, rename, replace,
    sha256, world,
};

/// Calls of one run; each is a list of operations, or going back.
const CALLS: usize = 8;

/// An operation whose hash is not known yet.
#[derive(Clone, Debug)]
enum Wish {
    Create(String, String),
    CreateOver(String, String, Hash),
    Replace(String, String, Hash),
    Edit(String, String, String, Hash),
    Make(String),
    Move(String, String),
    Delete(String, Hash),
    DeleteFolder(String),
}

/// Whether the hash is that of the content at the time.
#[derive(Clone, Copy, Debug)]
struct Hash(bool);

/// One call.
#[derive(Clone, Debug)]
enum Call {
    Apply(Vec<Wish>),
    /// The checkpoint, counted from the newest, if there are as many.
    Restore(usize),
}

fn path() -> impl Strategy<Value = String> {
    let name = || prop_oneof!["a", "b", "c", "B"].prop_map(String::from);
    prop_oneof![
        2 => name(),
        3 => (name(), name()).prop_map(|(a, b)| format!("{a}/{b}")),
        1 => (name(), name(), name()).prop_map(|(a, b, c)| format!("{a}\\{b}/{c}")),
    ]
}

fn content() -> impl Strategy<Value = String> {
    prop_oneof!["", "x", "xx", "xyx\r\n", "\u{feff}é"].prop_map(String::from)
}

fn hash() -> impl Strategy<Value = Hash> {
    (0..12_u8).prop_map(|n| Hash(n > 0))
}

fn wish() -> impl Strategy<Value = Wish> {
    prop_oneof![
        4 => (path(), content()).prop_map(|(path, new)| Wish::Create(path, new)),
        1 => (path(), content(), hash()).prop_map(|(path, new, hash)| Wish::CreateOver(path, new, hash)),
        2 => (path(), content(), hash()).prop_map(|(path, new, hash)| Wish::Replace(path, new, hash)),
        1 => (
            path(),
            prop_oneof!["x", "y", "é"].prop_map(String::from),
            content(),
            hash()
        )
            .prop_map(|(path, old, new, hash)| Wish::Edit(path, old, new, hash)),
        2 => path().prop_map(Wish::Make),
        4 => (path(), path()).prop_map(|(from, to)| Wish::Move(from, to)),
        2 => (path(), hash()).prop_map(|(path, hash)| Wish::Delete(path, hash)),
        2 => path().prop_map(Wish::DeleteFolder),
    ]
}

fn call() -> impl Strategy<Value = Call> {
    prop_oneof![
        3 => vec(wish(), 1..4).prop_map(Call::Apply),
        2 => vec(wish(), 4..12).prop_map(Call::Apply),
        1 => any::<usize>().prop_map(|n| Call::Restore(n % 12)),
    ]
}

/// The tree in memory: the content of each file, and `None` for each folder.
#[derive(Clone, Default)]
struct Model(Tree);

fn plain(path: &str) -> String {
    path.replace('\\', "/")
}

fn above(path: &str) -> Vec<String> {
    let slashes = path.match_indices('/').map(|(at, _)| path[..at].to_owned());
    slashes.collect()
}

impl Model {
    fn file(&self, path: &str) -> Option<&String> {
        self.0.get(path)?.as_ref()
    }

    fn look(&self, path: &str) -> Result<Option<&Option<String>>, Code> {
        if above(path).iter().any(|folder| self.file(folder).is_some()) {
            return Err(Code::DirectoryExpected);
        }
        Ok(self.0.get(path))
    }

    fn put(&mut self, path: &str, content: Option<String>) {
        for folder in above(path) {
            self.0.insert(folder, None);
        }
        self.0.insert(path.to_owned(), content);
    }

    /// The content of a file that must be there and have the right hash.
    fn expected(&self, path: &str, hash: Hash) -> Result<String, Code> {
        match self.look(path)? {
            None => Err(Code::FileNotFound),
            Some(None) => Err(Code::DirectoryExpected),
            Some(Some(_)) if !hash.0 => Err(Code::HashMismatch),
            Some(Some(content)) => Ok(content.clone()),
        }
    }

    /// Does one operation; gives the content that it wrote.
    fn run(&mut self, wish: &Wish) -> Result<Option<String>, Code> {
        match wish {
            Wish::Create(path, new) => {
                let path = plain(path);
                if self.look(&path)?.is_some() {
                    return Err(Code::FileAlreadyExists);
                }
                self.put(&path, Some(new.clone()));
                Ok(Some(new.clone()))
            }
            Wish::CreateOver(path, new, hash) => {
                let path = plain(path);
                if self.look(&path)?.is_some() {
                    self.expected(&path, *hash)?;
                }
                self.put(&path, Some(new.clone()));
                Ok(Some(new.clone()))
            }
            Wish::Replace(path, new, hash) => {
                let path = plain(path);
                self.expected(&path, *hash)?;
                self.put(&path, Some(new.clone()));
                Ok(Some(new.clone()))
            }
            Wish::Edit(path, old, new, hash) => {
                let path = plain(path);
                let before = self.expected(&path, *hash)?;
                match before.matches(old.as_str()).count() {
                    0 => Err(Code::TextNotFound),
                    1 => {
                        let after = before.replacen(old.as_str(), new, 1);
                        self.put(&path, Some(after.clone()));
                        Ok(Some(after))
                    }
                    _ => Err(Code::TextNotUnique),
                }
            }
            Wish::Make(path) => {
                let path = plain(path);
                if self.look(&path)?.is_some() {
                    return Err(Code::FileAlreadyExists);
                }
                self.put(&path, None);
                Ok(None)
            }
            Wish::Move(from, to) => {
                let (from, to) = (plain(from), plain(to));
                if self.look(&from)?.is_none() {
                    return Err(Code::FileNotFound);
                }
                if self.look(&to)?.is_some() {
                    return Err(Code::FileAlreadyExists);
                }
                let inside = format!("{from}/");
                let moved: Vec<String> = self
                    .0
                    .keys()
                    .filter(|path| **path == from || path.starts_with(&inside))
                    .cloned()
                    .collect();
                for path in moved {
                    let content = self.0.remove(&path).unwrap();
                    self.put(&path.replacen(&from, &to, 1), content);
                }
                Ok(None)
            }
            Wish::Delete(path, hash) => {
                let path = plain(path);
                self.expected(&path, *hash)?;
                self.0.remove(&path);
                Ok(None)
            }
            Wish::DeleteFolder(path) => {
                let path = plain(path);
                match self.look(&path)? {
                    None => return Err(Code::FileNotFound),
                    Some(Some(_)) => return Err(Code::DirectoryExpected),
                    Some(None) => {}
                }
                let inside = format!("{path}/");
                if self.0.keys().any(|other| other.starts_with(&inside)) {
                    return Err(Code::DirectoryNotEmpty);
                }
                self.0.remove(&path);
                Ok(None)
            }
        }
    }

    fn files(&self) -> Tree {
        let files = self.0.iter().filter(|(_, content)| content.is_some());
        files
            .map(|(path, content)| (path.clone(), content.clone()))
            .collect()
    }

    /// Back to these files; folders stay where none of them is in the way.
    fn restore(&mut self, files: &Tree) {
        let in_the_way = |folder: &String| {
            above(folder)
                .iter()
                .chain([folder])
                .any(|path| files.contains_key(path))
        };
        self.0
            .retain(|path, content| content.is_none() && !in_the_way(path));
        for (path, content) in files {
            self.put(path, content.clone());
        }
    }
}

/// What two operations of a list may not both do.
fn conflict(wishes: &[Wish]) -> bool {
    let mut claimed = BTreeSet::new();
    for wish in wishes {
        let path = match wish {
            Wish::Create(path, _)
            | Wish::CreateOver(path, ..)
            | Wish::Make(path)
            | Wish::Delete(path, _)
            | Wish::DeleteFolder(path) => path,
            Wish::Replace(..) | Wish::Edit(..) => continue,
            Wish::Move(from, to) => {
                if format!("{}/", plain(to)).starts_with(&format!("{}/", plain(from))) {
                    return true;
                }
                to
            }
        };
        if !claimed.insert(plain(path).to_lowercase()) {
            return true;
        }
    }
    false
}

/// The operation, with the hash of what the model holds at the time.
fn operation(wish: &Wish, model: &Model) -> Operation {
    let now = |path: &str, hash: Hash| match model.file(&plain(path)) {
        Some(content) if hash.0 => content.clone(),
        _ => "something else".to_owned(),
    };
    match wish {
        Wish::Create(path, new) => create(path, new),
        Wish::CreateOver(path, new, hash) => create_over(path, &now(path, *hash), new),
        Wish::Replace(path, new, hash) => replace(path, &now(path, *hash), new),
        Wish::Edit(path, old, new, hash) => edit(path, &now(path, *hash), old, new),
        Wish::Make(path) => make(path),
        Wish::Move(from, to) => rename(from, to),
        Wish::Delete(path, hash) => delete(path, &now(path, *hash)),
        Wish::DeleteFolder(path) => delete_folder(path),
    }
}

/// What the history should be: each checkpoint's message and files, the oldest first.
type History = Vec<(String, Tree)>;

fn apply(world: &World, model: &mut Model, history: &mut History, wishes: &[Wish]) {
    let mut draft = model.clone();
    let mut operations = Vec::new();
    let mut wrote = Vec::new();
    let mut fault = None;
    for wish in wishes {
        operations.push(operation(wish, &draft));
        if fault.is_none() {
            match draft.run(wish) {
                Ok(content) => wrote.push(content),
                Err(code) => fault = Some(code),
            }
        }
    }
    if conflict(wishes) {
        fault = Some(Code::TransactionFailed);
    }
    match (world.apply(&operations), fault) {
        (Ok(done), None) => {
            let hashes: Vec<_> = done.applied.into_iter().map(|one| one.sha256).collect();
            let want: Vec<_> = wrote.iter().map(|new| new.as_deref().map(sha256)).collect();
            assert_eq!(hashes, want);
            history.push(("pre-change checkpoint".to_owned(), model.files()));
            *model = draft;
            history.push(("post-change checkpoint".to_owned(), model.files()));
        }
        (Err(error), Some(code)) => assert_eq!(error.code, code, "{error}"),
        (done, fault) => panic!("{done:?}, and the model says {fault:?}"),
    }
}

fn run(calls: &[Call]) {
    let world = world(&[]);
    let mut model = Model::default();
    let mut history: History = vec![("initial snapshot".to_owned(), Tree::new())];
    for call in calls {
        match call {
            Call::Apply(wishes) => apply(&world, &mut model, &mut history, wishes),
            Call::Restore(back) => {
                let known = world.managed.history(100, &workspace::Cancel::never());
                let known = known.unwrap();
                let Some(target) = known.get(*back) else {
                    continue;
                };
                let files = history[history.len() - 1 - back].1.clone();
                let done = world.restore_to(&target.id);
                assert!(done.left_in_place.is_empty(), "{:?}", done.left_in_place);
                history.push(("pre-restore checkpoint".to_owned(), model.files()));
                model.restore(&files);
                history.push((format!("restored to {}", &target.id[..12]), files));
            }
        }
        assert_eq!(world.tree(), model.0);
        assert!(world.status().is_clean());
    }
    world.check();
    let messages: Vec<String> = history.iter().rev().map(|one| one.0.clone()).collect();
    assert_eq!(world.history(), messages);
    // What git itself finds in the checkpoints.
    let listed = git(
        &world.root(),
        &[
            "log",
            "--reverse",
            "--format=%x01%H",
            "--name-status",
            "--no-renames",
        ],
    );
    let mut files: BTreeMap<&str, ()> = BTreeMap::new();
    for (checkpoint, (_, want)) in listed.split('\u{1}').skip(1).zip(&history) {
        for line in checkpoint.lines().skip(1).filter(|line| !line.is_empty()) {
            match line.split_once('\t').unwrap() {
                ("D", path) => files.remove(path),
                (_, path) => files.insert(path, ()),
            };
        }
        let found: Vec<&str> = files.keys().copied().collect();
        let want: Vec<&str> = want.keys().map(String::as_str).collect();
        assert_eq!(found, want);
    }
}

#[test]
fn random_operations_do_what_the_model_says() {
    let n_calls = if std::env::var_os("WORKSPACE_MCP_SOAK").is_some() {
        2000
    } else {
        120
    };
    let config = Config {
        cases: u32::try_from(n_calls / CALLS).unwrap(),
        failure_persistence: None,
        max_shrink_iters: 200,
        ..Config::default()
    };
    let calls = vec(call(), CALLS);
    TestRunner::new(config)
        .run(&calls, |calls| {
            run(&calls);
            Ok(())
        })
        .unwrap();
}
