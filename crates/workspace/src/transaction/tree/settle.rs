//! Taking a change of a tree back, or clearing up behind it. Used on a failure and after a crash.
//!
//! Each step tells by what is on the disk whether it was done: a thing is known again by its inode,
//! a file that was staged also by its size and time. So it does not matter how far the change came.
//! Undoing has two parts: first every step is done backwards, last steps first, so that each finds
//! the paths as it left them; then what was staged is removed from where it was staged.

use rooted::{Dir, ErrorKind, Kind, Meta, RelPath, Root};

use super::entry::{self, Act, Entry, Read};
use crate::transaction::intent::{self, Name, Print};
use crate::transaction::recovery::{Ends, gone, settle_new, settle_over};

/// A change to settle.
pub(super) struct Settle<'a> {
    /// The root; no link is followed beneath it.
    pub(super) root: &'a Root,
    pub(super) id: u64,
    pub(super) steps: &'a [Entry],
    /// What was staged for each step; empty when nothing was put in place yet.
    pub(super) staged: &'a [Option<Print>],
}

impl Read {
    /// Finishes a change that was committed, and takes back any other.
    pub(in crate::transaction) fn settle(
        &self,
        root: &Root,
        id: u64,
        done: bool,
    ) -> rooted::Result<()> {
        let settle = Settle {
            root,
            id,
            steps: &self.intent.steps,
            staged: &self.staged,
        };
        if done { settle.clear() } else { settle.undo() }
    }
}

impl Settle<'_> {
    /// Takes everything back.
    pub(super) fn undo(&self) -> rooted::Result<()> {
        let mut dirs = Dirs::new(self.root);
        if !self.staged.is_empty() {
            for (index, step) in self.steps.iter().enumerate().rev() {
                self.undo_step(&mut dirs, index, step)?;
            }
        }
        dirs.forget();
        for (index, step) in self.steps.iter().enumerate().rev() {
            self.unstage(&mut dirs, index, step)?;
        }
        Ok(())
    }

    /// Removes what a finished change left behind.
    pub(super) fn clear(&self) -> rooted::Result<()> {
        let mut dirs = Dirs::new(self.root);
        // First what was removed from a folder, and then the folder.
        for (index, step) in self.steps.iter().enumerate() {
            if matches!(step.act, Act::MakeFolder | Act::Move) {
                continue;
            }
            let (Some(folder), Some((_, name))) = (step.end_folder(), step.spot()) else {
                continue;
            };
            let Some(dir) = dirs.open(&folder)? else {
                continue;
            };
            let temp = intent::temp_name(self.id, index);
            match step.act {
                Act::RemoveFolder => remove_folder(dir, &temp, &name, self.id)?,
                Act::New | Act::Over | Act::Remove | Act::MakeFolder | Act::Move => {
                    gone(dir.remove_file(&temp))?;
                    if step.act == Act::Over {
                        gone(dir.remove_file(&rooted::aside_name(&temp)))?;
                    }
                }
            }
        }
        Ok(())
    }

    fn staged(&self, index: usize) -> Option<Print> {
        self.staged.get(index).copied().flatten()
    }

    fn undo_step(&self, dirs: &mut Dirs<'_>, index: usize, step: &Entry) -> rooted::Result<()> {
        let Some((folder, name)) = step.spot() else {
            return Ok(());
        };
        let temp = intent::temp_name(self.id, index);
        if step.act == Act::Move {
            return self.move_back(dirs, step, &folder, &name);
        }
        let Some(dir) = dirs.open(&folder)? else {
            return Ok(());
        };
        let staged = self.staged(index);
        match step.act {
            Act::New => settle_new(dir, &temp, &name, staged, true),
            Act::Over => {
                let ends = Ends {
                    undo: true,
                    done: false,
                };
                settle_over(dir, &temp, &name, staged, step.was, ends)
            }
            Act::MakeFolder => {
                if is_thing(dir, &name, staged)? == Some(Kind::Dir) {
                    give_name(dir, &name, dir, &temp)?;
                    dirs.forget();
                }
                Ok(())
            }
            Act::Remove | Act::RemoveFolder => gone(give_back(dir, &temp, &name, self.id)),
            Act::Move => Ok(()),
        }
    }

    fn move_back(
        &self,
        dirs: &mut Dirs<'_>,
        step: &Entry,
        folder: &RelPath,
        name: &[u8],
    ) -> rooted::Result<()> {
        let Some((to_folder, to_name)) = step
            .to
            .as_ref()
            .and_then(Name::path)
            .and_then(|to| entry::split(&to))
        else {
            return Ok(());
        };
        let ours = step.was.or_else(|| self.staged(step.of?));
        // Where an open folder keeps its name, nothing in what moves may be open.
        dirs.forget();
        let (Some(to), Some(dir)) = (open(self.root, &to_folder)?, open(self.root, folder)?) else {
            return Ok(());
        };
        if is_thing(&to, &to_name, ours)?.is_some() {
            give_name(&to, &to_name, &dir, name)?;
        }
        Ok(())
    }

    fn unstage(&self, dirs: &mut Dirs<'_>, index: usize, step: &Entry) -> rooted::Result<()> {
        if matches!(step.act, Act::Move | Act::Remove | Act::RemoveFolder) {
            return Ok(());
        }
        let (Some(folder), Some((_, name))) = (step.stage_folder(), step.spot()) else {
            return Ok(());
        };
        let Some(dir) = dirs.open(&folder)? else {
            return Ok(());
        };
        let temp = intent::temp_name(self.id, index);
        if step.act == Act::MakeFolder {
            remove_folder(dir, &temp, &name, self.id)?;
            dirs.forget();
            return Ok(());
        }
        match dir.stat(&temp) {
            // A version of somebody else that could not be put back.
            Ok(there) if self.staged(index).is_some_and(|ours| !ours.is(&there)) => Ok(()),
            Ok(_) => gone(dir.remove_file(&temp)),
            Err(error) => gone(Err(error)),
        }
    }
}

/// Removes a folder of ours; one in which somebody has put something keeps its name.
fn remove_folder(dir: &Dir, temp: &[u8], name: &[u8], id: u64) -> rooted::Result<()> {
    match dir.remove_dir(temp) {
        Err(error) if matches!(error.kind, ErrorKind::Exists) => give_back(dir, temp, name, id),
        removed => gone(removed),
    }
}

/// Gives a thing its name again, or one like it where somebody has put something else meanwhile.
fn give_back(dir: &Dir, temp: &[u8], name: &[u8], id: u64) -> rooted::Result<()> {
    match give_name(dir, temp, dir, name) {
        Err(error) if matches!(error.kind, ErrorKind::Exists) => {
            let kept = [name, format!(".kept-{id:016x}").as_bytes()].concat();
            give_name(dir, temp, dir, &kept)
        }
        given => given,
    }
}

/// What kind of thing has a name, if it is the one with this inode.
fn is_thing(dir: &Dir, name: &[u8], ours: Option<Print>) -> rooted::Result<Option<Kind>> {
    let Some(ours) = ours else {
        return Ok(None);
    };
    match dir.stat(name) {
        Ok(meta) => Ok((meta.id.ino == ours.ino).then_some(meta.kind)),
        Err(error) if matches!(error.kind, ErrorKind::NotFound) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Says whether a name stands for a thing, whatever happened to its content.
pub(super) fn is_same(dir: &Dir, name: &[u8], thing: &Meta) -> rooted::Result<bool> {
    match dir.stat(name) {
        Ok(meta) => Ok(meta.id == thing.id && meta.kind == thing.kind),
        Err(error) if matches!(error.kind, ErrorKind::NotFound) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Renames to a name that must be free; where the system cannot promise that, looking first is all
/// that is left.
pub(super) fn give_name(dir: &Dir, name: &[u8], to: &Dir, new: &[u8]) -> rooted::Result<()> {
    match dir.rename_new(name, to, new) {
        Err(error) if matches!(error.kind, ErrorKind::Unsupported) => match to.stat(new) {
            Ok(_) => Err(rooted::Error {
                kind: ErrorKind::Exists,
                path: to.path().join(new),
            }),
            Err(error) if matches!(error.kind, ErrorKind::NotFound) => dir.rename(name, to, new),
            Err(error) => Err(error),
        },
        renamed => renamed,
    }
}

/// A folder, unless it is gone or something else is in its place.
fn open(root: &Root, path: &RelPath) -> rooted::Result<Option<Dir>> {
    match root.open_dir(path) {
        Ok(dir) => Ok(Some(dir)),
        Err(error)
            if matches!(
                error.kind,
                ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::LinkRefused
            ) =>
        {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// The folder that was asked for last, since steps of one folder mostly follow each other.
pub(super) struct Dirs<'a> {
    root: &'a Root,
    last: Option<(RelPath, Dir)>,
}

impl<'a> Dirs<'a> {
    pub(super) fn new(root: &'a Root) -> Self {
        Self { root, last: None }
    }

    /// A folder, unless it is gone or something else is in its place.
    pub(super) fn open(&mut self, path: &RelPath) -> rooted::Result<Option<&Dir>> {
        if self.last.as_ref().is_none_or(|(last, _)| last != path) {
            let Some(dir) = open(self.root, path)? else {
                return Ok(None);
            };
            self.last = Some((path.clone(), dir));
        }
        Ok(self.last.as_ref().map(|(_, dir)| dir))
    }

    /// Says that paths may lead elsewhere now.
    pub(super) fn forget(&mut self) {
        self.last = None;
    }
}
