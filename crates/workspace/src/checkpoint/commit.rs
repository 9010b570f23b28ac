//! Making a checkpoint.

use rooted::{Durability, RelPath};

use super::error::Error;
use super::id::Id;
use super::object::Kind;
use super::scan::Found;
use super::store::batch::{Adder, Batch};
use super::tree::{self, Set};
use super::{Inner, Options, Repository, index, refs};
use crate::cancel::Cancel;
use crate::lock::Guard;

/// Bytes of a message that are kept.
const MESSAGE_BYTES: usize = 200;

/// Files newly known to be unchanged that do not yet make the index worth writing.
const UNWRITTEN: usize = 200;

impl Repository {
    /// Makes a checkpoint of all tracked files, also when nothing changed since the last one.
    ///
    /// Of the message the first 200 bytes are kept.
    ///
    /// # Errors
    /// [`crate::Error::Busy`] when another program moved the branch meanwhile; [`Error::Damaged`];
    /// what the disk says. The history is as it was then.
    pub fn commit(&self, message: &str, _guard: &Guard, cancel: &Cancel) -> Result<Id, Error> {
        self.enter()?.commit(&self.options, message, None, cancel)
    }

    /// Makes a checkpoint of the last one and what became of these paths and of what is below them;
    /// other changes stay for the next one. The cost goes by the number of paths.
    ///
    /// # Errors
    /// As [`Repository::commit`].
    pub fn commit_paths(
        &self,
        message: &str,
        paths: &[RelPath],
        _guard: &Guard,
        cancel: &Cancel,
    ) -> Result<Id, Error> {
        self.enter()?
            .commit(&self.options, message, Some(paths), cancel)
    }
}

impl Inner {
    /// Makes a checkpoint, of everything or of some paths.
    pub(super) fn commit(
        &mut self,
        options: &Options,
        message: &str,
        paths: Option<&[RelPath]>,
        cancel: &Cancel,
    ) -> Result<Id, Error> {
        let who = who(options);
        let message = cut(message);
        // An object that another program removed is not to be taken for one that is there.
        self.store.look_again()?;
        let batch = Batch::new(&self.store);
        let (found, tree, id) = match self.prepare(options, &batch, paths, &who, &message, cancel) {
            Ok(prepared) => prepared,
            Err(error) => {
                batch.discard();
                return Err(error);
            }
        };
        batch.finish()?;
        refs::advance(&self.git, &self.head, id, options.durability)?;
        refs::log(&self.git, &self.head, id, &who, &message);
        self.took(found, tree, id);
        Ok(id)
    }

    /// Everything up to the commit itself, in the batch.
    fn prepare(
        &self,
        options: &Options,
        batch: &Batch<'_>,
        paths: Option<&[RelPath]>,
        who: &str,
        message: &str,
        cancel: &Cancel,
    ) -> Result<(Found, Id, Id), Error> {
        let scan = self.scan(options, Some(batch), cancel);
        let found = match paths {
            None => scan.all()?,
            Some(paths) => scan.some(paths)?,
        };
        let tree = tree::edit(&self.store, batch, self.tree, &sets(&found))?;
        let mut commit = format!("tree {tree}\n");
        if let Some(parent) = self.head.id {
            commit.push_str(&format!("parent {parent}\n"));
        }
        commit.push_str(&format!("author {who}\ncommitter {who}\n\n{message}"));
        let id = batch.add(Kind::Commit, commit.into_bytes(), &mut Adder::default())?;
        Ok((found, tree, id))
    }

    /// Takes over what a checkpoint that is on the disk says.
    fn took(&mut self, mut found: Found, tree: Id, id: Id) {
        self.note(std::mem::take(&mut found.same));
        let sets = sets(&found);
        let stat = |place: usize| found.changes.get(place).and_then(|change| change.stat);
        index::set(&mut self.entries, &sets, stat);
        if let Some(line) = &mut self.line {
            line.push(self.head.id, id);
        }
        self.head.id = Some(id);
        self.tree = tree;
        let is_written = self.index.is_some() && self.index == index::seen(&self.git);
        if !sets.is_empty() || !is_written || self.n_unwritten > UNWRITTEN {
            // Only a memory of what is known anyway: the checkpoint is made without it, and one that
            // a loss of power destroys is written anew.
            let written = index::write(&self.git, &self.entries, Durability::Kill);
            self.index = written.ok().and_then(|()| index::seen(&self.git));
            self.n_unwritten = 0;
        }
        // The checkpoint is made, whether or not there is less to look through afterwards.
        let _ = self.store.tidy(id);
    }
}

fn sets(found: &Found) -> Vec<Set> {
    let changes = found.changes.iter();
    changes.map(|change| change.set.clone()).collect()
}

/// Author and time as a commit has them.
fn who(options: &Options) -> String {
    let seconds = options.clock.now().ms().div_euclid(1000);
    let name = clean(&options.author_name);
    let email = clean(&options.author_email);
    format!("{name} <{email}> {seconds} +0000")
}

/// A name without what ends one in a commit.
fn clean(name: &str) -> String {
    let name: String = name
        .chars()
        .filter(|&c| !c.is_control() && !matches!(c, '<' | '>'))
        .collect();
    let name = name.trim_matches(|c: char| c.is_whitespace() || matches!(c, '.' | ',' | ';'));
    if name.is_empty() {
        "unknown".to_owned()
    } else {
        name.to_owned()
    }
}

fn cut(message: &str) -> String {
    let mut end = message.len().min(MESSAGE_BYTES);
    while !message.is_char_boundary(end) {
        end -= 1;
    }
    let kept = message.get(..end).unwrap_or_default();
    kept.replace('\0', " ").trim_end().to_owned()
}
