//! `Draft`: the tree as it will be after some operations, over the disk as it is now.
//!
//! Finds what a path means, by the rules for what is on the disk, and notes what operations make of
//! it; the steps that do so are collected in a change. Changes nothing. Each component is looked at
//! by itself, beneath the root's handle, and only what was not changed by an operation is looked up
//! on the disk.

use std::collections::HashMap;

use rooted::{ErrorKind, Kind, Meta, RelPath, Root};

use super::error::{Code, Error};
use super::options::Options;
use super::rules::Rules;
use crate::cancel::Cancel;
use crate::read;
use crate::transaction::{Content, StepId, TreeChange, What};

/// Folders above each other that are gone through.
pub(super) const DEPTH: usize = 512;

/// A file or folder of a [`Draft`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Node(usize);

/// What a path leads to.
#[derive(Debug)]
pub(super) enum Spot {
    /// This.
    There(Node),
    /// Nothing: these names are missing, outermost first, below this folder.
    Missing(Node, Vec<Box<[u8]>>),
}

/// What is known of a file or folder.
#[derive(Debug)]
struct Thing {
    kind: Kind,
    /// The folder it is in, and its name there; none for the root, and for what was removed.
    place: Option<(Node, Box<[u8]>)>,
    /// Where it is on the disk, and what it is there, if it is there.
    was: Option<(RelPath, Meta)>,
    /// The step that made or wrote it.
    step: Option<StepId>,
    /// The hash of what that step writes.
    sha256: Option<String>,
    /// What is known of a folder's names.
    names: HashMap<Box<[u8]>, Option<Node>>,
}

/// A file's content.
#[derive(Debug)]
pub(super) struct Text {
    /// All of it.
    pub(super) bytes: Vec<u8>,
    /// Its SHA-256.
    pub(super) sha256: String,
}

/// The tree as it will be.
#[derive(Debug)]
pub(super) struct Draft<'a> {
    pub(super) options: &'a Options,
    pub(super) rules: &'a Rules,
    pub(super) change: TreeChange,
    pub(super) root: &'a Root,
    pub(super) cancel: &'a Cancel,
    things: Vec<Thing>,
}

impl<'a> Draft<'a> {
    /// The tree as it is.
    ///
    /// # Errors
    /// When the root cannot be looked at.
    pub(super) fn new(
        root: &'a Root,
        options: &'a Options,
        rules: &'a Rules,
        cancel: &'a Cancel,
    ) -> Result<Self, Error> {
        let meta = root.open_dir(&RelPath::root()).and_then(|dir| dir.meta());
        let meta = meta.map_err(crate::Error::from)?;
        Ok(Self {
            options,
            rules,
            change: TreeChange::new(rooted::Durability::Power),
            root,
            cancel,
            things: vec![Thing {
                kind: Kind::Dir,
                place: None,
                was: Some((RelPath::root(), meta)),
                step: None,
                sha256: None,
                names: HashMap::new(),
            }],
        })
    }

    fn thing(&self, node: Node) -> &Thing {
        self.things
            .get(node.0)
            .expect("a node is made with its thing, and none is ever taken away")
    }

    fn thing_mut(&mut self, node: Node) -> &mut Thing {
        self.things
            .get_mut(node.0)
            .expect("a node is made with its thing, and none is ever taken away")
    }

    fn add(&mut self, folder: Node, name: &[u8], kind: Kind) -> Node {
        let node = Node(self.things.len());
        self.things.push(Thing {
            kind,
            place: Some((folder, name.into())),
            was: None,
            step: None,
            sha256: None,
            names: HashMap::new(),
        });
        self.thing_mut(folder).names.insert(name.into(), Some(node));
        node
    }

    /// What kind of thing it is.
    pub(super) fn kind(&self, node: Node) -> Kind {
        self.thing(node).kind
    }

    /// What it is on the disk, if it is there.
    pub(super) fn meta(&self, node: Node) -> Option<&Meta> {
        self.thing(node).was.as_ref().map(|(_, meta)| meta)
    }

    /// Where it is on the disk, if it is there.
    pub(super) fn origin(&self, node: Node) -> Option<&RelPath> {
        self.thing(node).was.as_ref().map(|(path, _)| path)
    }

    /// Where it will be.
    pub(super) fn path(&self, node: Node) -> RelPath {
        let mut names = Vec::new();
        let mut at = node;
        while let Some((folder, name)) = &self.thing(at).place {
            names.push(name);
            at = *folder;
        }
        names
            .iter()
            .rev()
            .fold(RelPath::root(), |path, name| path.join(name))
    }

    /// Finds what a path leads to.
    ///
    /// # Errors
    /// [`Code::ReparsePointForbidden`], [`Code::DirectoryExpected`],
    /// [`Code::PathOutsideWorkspace`], [`Code::HardlinkForbidden`].
    pub(super) fn find(&mut self, path: &RelPath) -> Result<Spot, Error> {
        let spot = self.walk(path)?;
        if let Spot::There(node) = spot
            && self.options.reject_hardlinks
            && self.thing(node).kind == Kind::File
            && self.meta(node).is_some_and(|meta| meta.nlink > 1)
        {
            let message = "file has multiple hard links";
            return Err(Error::new(Code::HardlinkForbidden, message));
        }
        Ok(spot)
    }

    /// Finds what must be there; `given` is the path as the caller spelled it.
    ///
    /// # Errors
    /// As [`Draft::find`], and [`Code::FileNotFound`].
    pub(super) fn existing(&mut self, path: &RelPath, given: &str) -> Result<Node, Error> {
        match self.find(path)? {
            Spot::There(node) => Ok(node),
            Spot::Missing(..) => Err(not_found(given)),
        }
    }

    fn walk(&mut self, path: &RelPath) -> Result<Spot, Error> {
        let names: Vec<&[u8]> = path.components().collect();
        let mut at = Node(0);
        for (index, name) in names.iter().enumerate() {
            if self.thing(at).kind != Kind::Dir {
                let message = format!("a parent component is not a directory: {}", shown(name));
                return Err(Error::new(Code::DirectoryExpected, message));
            }
            match self.child(at, name)? {
                Some(next) => at = next,
                None => {
                    let missing = names.iter().skip(index).map(|&name| name.into());
                    return Ok(Spot::Missing(at, missing.collect()));
                }
            }
        }
        Ok(Spot::There(at))
    }

    /// What has a name in a folder.
    fn child(&mut self, folder: Node, name: &[u8]) -> Result<Option<Node>, Error> {
        if let Some(known) = self.thing(folder).names.get(name) {
            return Ok(*known);
        }
        let Some((above, _)) = &self.thing(folder).was else {
            return Ok(None);
        };
        let path = above.join(name);
        let place = match self.root.locate(&path) {
            Ok(place) => place,
            Err(error) => return Err(at_component(error, name)),
        };
        let Some(meta) = place.meta else {
            self.thing_mut(folder).names.insert(name.into(), None);
            return Ok(None);
        };
        if place.path != path {
            return self.elsewhere(folder, name, &path, &place.path);
        }
        let other = self.options.require_same_filesystem
            && self
                .meta(Node(0))
                .is_some_and(|root| root.id.dev != meta.id.dev);
        if other {
            return Err(cross(name));
        }
        let node = self.add(folder, name, meta.kind);
        self.thing_mut(node).was = Some((path, meta));
        Ok(Some(node))
    }

    /// What has another spelling of a name, or what a link leads to.
    fn elsewhere(
        &mut self,
        folder: Node,
        name: &[u8],
        path: &RelPath,
        real: &RelPath,
    ) -> Result<Option<Node>, Error> {
        let spelled = real.file_name().unwrap_or_default();
        if real.parent() == path.parent() && same_spelling(spelled, name) {
            return self.child(folder, spelled);
        }
        if path.depth() > DEPTH {
            return Err(reparse(name));
        }
        match self.walk(real)? {
            Spot::There(node) => Ok(Some(node)),
            Spot::Missing(..) => Err(reparse(name)),
        }
    }

    /// Makes folders, which are missing; the innermost one.
    pub(super) fn make_folders(&mut self, above: Node, names: &[Box<[u8]>]) -> Node {
        let mut at = above;
        for name in names {
            let made = self.add(at, name, Kind::Dir);
            let step = self.change.make_folder(self.path(made));
            self.thing_mut(made).step = Some(step);
            at = made;
        }
        at
    }

    /// Makes a file, and the folders above it.
    pub(super) fn create(&mut self, above: Node, names: &[Box<[u8]>], text: Text) {
        let Some((name, folders)) = names.split_last() else {
            return;
        };
        let folder = self.make_folders(above, folders);
        let file = self.add(folder, name, Kind::File);
        let path = self.path(file);
        let step = self.change.create(path, Content::Bytes(text.bytes), false);
        let thing = self.thing_mut(file);
        thing.step = Some(step);
        thing.sha256 = Some(text.sha256);
    }

    /// Gives a file other content; `before` is the hash of what is there.
    pub(super) fn write(&mut self, file: Node, before: &str, text: Text) {
        let path = self.path(file);
        let thing = self.thing(file);
        let step = match (thing.step, &thing.was) {
            (Some(step), _) => {
                self.change.rewrite(step, text.bytes);
                Some(step)
            }
            (None, Some((_, meta))) => {
                let content = Content::Bytes(text.bytes);
                let old = *meta;
                Some(self.change.replace(path, old, Some(before), content, None))
            }
            (None, None) => None,
        };
        let thing = self.thing_mut(file);
        thing.step = step;
        thing.sha256 = Some(text.sha256);
    }

    /// Moves a file or folder to a place where nothing is, and makes the folders above that.
    pub(super) fn rename(&mut self, node: Node, above: Node, names: &[Box<[u8]>]) {
        let (Some((name, folders)), Some(what)) = (names.split_last(), self.what(node)) else {
            return;
        };
        let folder = self.make_folders(above, folders);
        let from = self.path(node);
        self.unname(node);
        self.thing_mut(node).place = Some((folder, name.clone()));
        let names = &mut self.thing_mut(folder).names;
        names.insert(name.clone(), Some(node));
        let to = self.path(node);
        self.change.rename(from, to, what);
    }

    /// Removes a file; `before` is the hash of what is there.
    pub(super) fn remove(&mut self, file: Node, before: &str) {
        let Some(what) = self.what(file) else { return };
        let sha256 = matches!(what, What::There(_)).then_some(before);
        let path = self.path(file);
        self.change.remove(path, what, sha256);
        self.unname(file);
    }

    /// Removes a folder in which nothing is.
    pub(super) fn remove_folder(&mut self, folder: Node) {
        let Some(what) = self.what(folder) else {
            return;
        };
        let path = self.path(folder);
        self.change.remove_folder(path, what);
        self.unname(folder);
    }

    fn unname(&mut self, node: Node) {
        if let Some((folder, name)) = self.thing_mut(node).place.take() {
            self.thing_mut(folder).names.insert(name, None);
        }
    }

    fn what(&self, node: Node) -> Option<What> {
        let thing = self.thing(node);
        match (thing.step, &thing.was) {
            (Some(step), _) => Some(What::Of(step)),
            (None, Some((_, meta))) => Some(What::There(*meta)),
            (None, None) => None,
        }
    }

    /// Says whether a folder is, or lies in, another one.
    pub(super) fn is_within(&self, inner: Node, outer: Node) -> bool {
        let mut at = Some(inner);
        while let Some(node) = at {
            if node == outer {
                return true;
            }
            at = self.thing(node).place.as_ref().map(|(folder, _)| *folder);
        }
        false
    }

    /// Says whether nothing is in a folder.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub(super) fn is_empty(&self, folder: Node) -> Result<bool, Error> {
        let thing = self.thing(folder);
        if thing.names.values().any(Option::is_some) {
            return Ok(false);
        }
        let Some((path, _)) = &thing.was else {
            return Ok(true);
        };
        let names = self.root.open_dir(path).and_then(|dir| dir.list());
        let names = names.map_err(crate::Error::from)?;
        // What has no name any more was moved or removed by an operation before.
        Ok(names
            .iter()
            .all(|(name, _)| thing.names.get(name) == Some(&None)))
    }

    /// The content of a file, as the operations before have left it.
    ///
    /// # Errors
    /// [`Code::FileTooLarge`] for one that is not tracked; what the disk says.
    pub(super) fn text(&mut self, file: Node, given: &str) -> Result<Text, Error> {
        let thing = self.thing(file);
        if let (Some(step), Some(sha256)) = (thing.step, &thing.sha256)
            && let Some(bytes) = self.change.content(step)
        {
            return Ok(Text {
                bytes: bytes.to_vec(),
                sha256: sha256.clone(),
            });
        }
        let Some((path, _)) = &thing.was else {
            return Err(not_found(given));
        };
        let limit = self.options.max_file_bytes;
        let mut opened = self
            .root
            .open_file(path)
            .map_err(|error| at_component(error, path.file_name().unwrap_or_default()))?;
        let path = opened.path().clone();
        let bytes = opened
            .read_all(limit)
            .map_err(|source| crate::Error::Io { path, source })?;
        if bytes.len() as u64 > limit {
            return Err(self.too_large());
        }
        // The version that was read is the one that the change is made from.
        let meta = *opened.meta();
        if let Some((_, was)) = &mut self.thing_mut(file).was {
            *was = meta;
        }
        Ok(Text {
            sha256: read::sha256(&bytes),
            bytes,
        })
    }

    /// The hash of a file, as the operations before have left it.
    ///
    /// # Errors
    /// As [`Draft::text`].
    pub(super) fn sha256(&mut self, file: Node, given: &str) -> Result<String, Error> {
        if let Some(known) = &self.thing(file).sha256 {
            return Ok(known.clone());
        }
        Ok(self.text(file, given)?.sha256)
    }

    pub(super) fn too_large(&self) -> Error {
        let limit = self.options.max_file_bytes;
        let message = format!("file exceeds max_file_bytes ({limit})");
        Error::new(Code::FileTooLarge, message)
    }
}

pub(super) fn not_found(given: &str) -> Error {
    Error::new(Code::FileNotFound, format!("not found: {given}"))
}

fn reparse(name: &[u8]) -> Error {
    let message = format!("reparse point in path: {}", shown(name));
    Error::new(Code::ReparsePointForbidden, message)
}

fn cross(name: &[u8]) -> Error {
    let message = format!("cross-filesystem component in path: {}", shown(name));
    Error::new(Code::ReparsePointForbidden, message)
}

fn shown(name: &[u8]) -> String {
    rooted::show(name)
}

/// Says whether two names differ in letter case only.
fn same_spelling(a: &[u8], b: &[u8]) -> bool {
    String::from_utf8_lossy(a).to_lowercase() == String::from_utf8_lossy(b).to_lowercase()
}

/// What it means that one component could not be looked at.
pub(super) fn at_component(error: rooted::Error, name: &[u8]) -> Error {
    match error.kind {
        ErrorKind::LinkRefused | ErrorKind::LinkLoop => reparse(name),
        ErrorKind::OtherFilesystem => cross(name),
        ErrorKind::Outside => Error::new(
            Code::PathOutsideWorkspace,
            "resolved path escapes the workspace",
        ),
        ErrorKind::HardLinked => {
            Error::new(Code::HardlinkForbidden, "file has multiple hard links")
        }
        ErrorKind::NotADirectory => {
            let message = format!("a parent component is not a directory: {}", shown(name));
            Error::new(Code::DirectoryExpected, message)
        }
        _ => crate::Error::from(error).into(),
    }
}
