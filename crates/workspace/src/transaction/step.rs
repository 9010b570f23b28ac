//! `Step`: one file of a transaction, on its way from planned to put in its place, and back.

use rooted::{Basis, Dir, Durability, ErrorKind, File, InPlace, Meta, Put, RelPath, Staged};

use super::intent::{self, Entry, Form, Name, Print, Record};
use super::{Based, Change, Outcome};
use crate::error::Error;

/// Why an attempt was given up.
#[derive(Debug)]
pub(super) enum Fault {
    /// For good.
    Error(Error),
    /// The folder of this file allows no new names; perhaps it can be written in place.
    NoNewNames { index: usize, error: Error },
    /// A temporary name was taken.
    NamesTaken,
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

/// A folder that an attempt made, to remove it again.
#[derive(Debug)]
pub(super) struct MadeFolder {
    pub(super) parent: Dir,
    pub(super) name: Box<[u8]>,
}

/// One file of an attempt.
#[derive(Debug)]
pub(super) struct Step<'a> {
    pub(super) change: &'a Change,
    form: Form,
    index: usize,
    temp: Box<[u8]>,
    /// The file's folder, when it had to be made.
    made: Option<Dir>,
    state: State,
}

#[derive(Debug)]
enum State {
    /// Nothing was done.
    Planned,
    /// The new version is under the temporary name.
    Staged(Staged),
    /// The new version is in its place, the old one under the temporary name.
    Put(Staged),
    /// The old content is saved, and the file open.
    Saved(InPlace),
    /// The file holds the new content, and is this since.
    Written(InPlace, Meta),
    /// Under the temporary name is a version of somebody else that must stay.
    Copy,
}

/// Decides how a file is to be written, or why it may not be.
pub(super) fn form(change: &Change) -> Result<Form, Error> {
    let place = &change.place;
    let Some(_) = change.old else {
        return if place.meta.is_none() {
            Ok(Form::New)
        } else {
            Err(Error::KeepsChanging(place.path.clone()))
        };
    };
    if !place.dir.may_write(&place.name) {
        // Trying tells whether it is the file or the whole disk that is closed.
        drop(
            place
                .dir
                .open_for_writing(&place.name)
                .map_err(intent::at(&place.path))?,
        );
    }
    if place.dir.may_change_names() {
        Ok(Form::Over)
    } else {
        Ok(Form::InPlace)
    }
}

impl<'a> Step<'a> {
    pub(super) fn new(change: &'a Change, form: Form, id: u64, index: usize) -> Self {
        Self {
            change,
            form,
            index,
            temp: intent::temp_name(id, index),
            made: None,
            state: State::Planned,
        }
    }

    /// Where the file is.
    pub(super) fn path(&self) -> &'a RelPath {
        &self.change.place.path
    }

    fn name(&self) -> &'a [u8] {
        &self.change.place.name
    }

    fn dir(&self) -> &Dir {
        self.made.as_ref().unwrap_or(&self.change.place.dir)
    }

    /// The version to replace. Only [`Form::New`] has none.
    fn old(&self) -> Result<&'a Based, Fault> {
        let missing = || Fault::Error(Error::KeepsChanging(self.path().clone()));
        self.change.old.as_ref().ok_or_else(missing)
    }

    /// What the record says of the file.
    pub(super) fn entry(&self) -> Entry {
        Entry {
            path: Name::from(self.path()),
            form: self.form,
            old: self.change.old.as_ref().map(|old| Print::of(&old.meta)),
        }
    }

    /// What the record's second line says of the file.
    pub(super) fn print(&self) -> Option<Print> {
        match &self.state {
            State::Staged(staged) => Some(Print::of(&staged.meta)),
            State::Planned | State::Put(_) | State::Saved(_) | State::Written(..) | State::Copy => {
                None
            }
        }
    }

    /// Makes the folders that are missing above the file.
    pub(super) fn make_folders(
        &mut self,
        made: &mut Vec<MadeFolder>,
        durability: Durability,
    ) -> Result<(), Fault> {
        let place = &self.change.place;
        if place.missing.is_empty() {
            return Ok(());
        }
        let fault = intent::at(&place.path);
        let mut dir = place.dir.try_clone().map_err(&fault)?;
        for name in &place.missing {
            match dir.create_dir(name, 0o777) {
                Ok(()) => made.push(MadeFolder {
                    parent: dir.try_clone().map_err(&fault)?,
                    name: name.clone(),
                }),
                // Another file of this change may have needed it as well.
                Err(error) if matches!(error.kind, ErrorKind::Exists) => {}
                Err(error) => return Err(fault(error).into()),
            }
            if durability == Durability::Power {
                dir.sync().map_err(&fault)?;
            }
            dir = dir.open_dir(name).map_err(&fault)?;
        }
        self.made = Some(dir);
        Ok(())
    }

    /// Writes the new version to a temporary sibling, or saves the old one.
    pub(super) fn stage(
        &mut self,
        record: &Record<'_>,
        durability: Durability,
    ) -> Result<(), Fault> {
        let content = &self.change.content;
        let staged = match self.form {
            Form::New if self.change.is_private => {
                self.dir().stage_private(&self.temp, content, durability)
            }
            Form::New => self.dir().stage_new(&self.temp, content, durability),
            Form::Over => {
                let old = self.open_old()?;
                self.dir().stage_like(&self.temp, content, &old, durability)
            }
            Form::InPlace | Form::Append => return self.save(record),
        };
        self.state = State::Staged(staged.map_err(|error| self.sort(error))?);
        Ok(())
    }

    /// The file to replace, from the caller, or opened again when an attempt before used that up.
    fn open_old(&self) -> Result<File, Fault> {
        let old = self.old()?;
        if let Some(file) = old.file.take() {
            return Ok(file);
        }
        let file = self.dir().open_file(self.name());
        let file = file.map_err(intent::at(self.path()))?;
        if file.meta().id == old.meta.id {
            Ok(file)
        } else {
            Err(Error::KeepsChanging(self.path().clone()).into())
        }
    }

    fn save(&mut self, record: &Record<'_>) -> Result<(), Fault> {
        let fault = intent::at(self.path());
        let old = self.old()?;
        let mut file = self.dir().open_in_place(self.name()).map_err(&fault)?;
        self.expect(&file, old)?;
        if file.stat().map_err(&fault)?.nlink > 1 {
            // Its other names, which may lie outside, would change with it.
            return Err(Error::PermissionDenied(self.path().clone()).into());
        }
        if let Err(error) = record.save(self.index, &mut file) {
            let _ = record.forget(self.index);
            return Err(fault(error).into());
        }
        self.state = State::Saved(file);
        Ok(())
    }

    /// Refuses to go on with a file that is not the version the change was made from.
    fn expect(&self, file: &InPlace, old: &Based) -> Result<(), Fault> {
        let fault = intent::at(self.path());
        let now = file.stat().map_err(&fault)?;
        let same = now.id == old.meta.id
            && match &old.content {
                Some(content) => file.holds(content).map_err(&fault)?,
                None => now.same_content(&old.meta),
            };
        if same {
            Ok(())
        } else {
            Err(Error::KeepsChanging(self.path().clone()).into())
        }
    }

    /// Puts the new version in its place.
    pub(super) fn put(&mut self, record: &Record<'_>, durability: Durability) -> Result<(), Fault> {
        match std::mem::replace(&mut self.state, State::Planned) {
            State::Staged(staged) => {
                let put = match &self.change.old {
                    None => self.dir().put_new(&staged, self.name()),
                    Some(old) => {
                        let basis = Basis {
                            meta: &old.meta,
                            content: old.content.as_deref(),
                        };
                        self.dir().put_over(&staged, self.name(), &basis)
                    }
                };
                let changed = Error::KeepsChanging(self.path().clone());
                match put {
                    Ok(Put::Done) => self.state = State::Put(staged),
                    Ok(Put::Changed) => {
                        self.state = State::Staged(staged);
                        return Err(changed.into());
                    }
                    Ok(Put::Copy) => {
                        self.state = State::Copy;
                        return Err(changed.into());
                    }
                    Err(error) => {
                        self.state = State::Staged(staged);
                        return Err(self.sort(error));
                    }
                }
                if durability == Durability::Power {
                    self.dir().sync().map_err(intent::at(self.path()))?;
                }
                Ok(())
            }
            State::Saved(file) => self.write(record, file, durability),
            other => {
                self.state = other;
                Ok(())
            }
        }
    }

    fn write(
        &mut self,
        record: &Record<'_>,
        mut file: InPlace,
        durability: Durability,
    ) -> Result<(), Fault> {
        let fault = intent::at(self.path());
        let expected = self.old().and_then(|old| self.expect(&file, old));
        if let Err(fault) = expected {
            self.state = State::Saved(file);
            return Err(fault);
        }
        let written = file
            .fill(&mut self.change.content.as_slice(), durability)
            .and_then(|()| file.stat());
        match written {
            Ok(now) => {
                self.state = State::Written(file, now);
                Ok(())
            }
            Err(error) => {
                // What was cut off or overwritten has its blocks still, so this needs no space. If it
                // fails nevertheless, the record stays and the next recovery tries again.
                let torn = file.stat().unwrap_or(*file.meta());
                self.state = match record.restore(self.index, &mut file) {
                    Ok(()) => State::Saved(file),
                    Err(_) => State::Written(file, torn),
                };
                Err(fault(error).into())
            }
        }
    }

    /// Takes the step back, whatever was done of it. Gives an error to report instead of the first one
    /// when a version of somebody else had to be kept as a copy.
    pub(super) fn take_back(self, record: &Record<'_>) -> rooted::Result<Option<Error>> {
        let dir = self.dir();
        let put = match &self.state {
            State::Planned => return Ok(None),
            State::Staged(_) => Put::Changed,
            State::Put(staged) => match self.form {
                Form::New => dir.take_out(&self.temp, self.name(), &staged.meta)?,
                Form::Over | Form::InPlace | Form::Append => {
                    dir.put_back(&self.temp, self.name(), &staged.meta)?
                }
            },
            State::Saved(_) => {
                record.forget(self.index)?;
                return Ok(None);
            }
            State::Written(..) => {
                if let State::Written(mut file, now) = self.state {
                    // A save on top of ours is the newer one.
                    if file.stat()?.same_content(&now) {
                        record.restore(self.index, &mut file)?;
                    }
                    record.forget(self.index)?;
                }
                return Ok(None);
            }
            State::Copy => Put::Copy,
        };
        if put == Put::Copy {
            return Ok(Some(Error::ConflictCopy {
                path: self.path().clone(),
                copy: dir.path().join(&self.temp),
            }));
        }
        match dir.remove_file(&self.temp) {
            Err(error) if !matches!(error.kind, ErrorKind::NotFound) => Err(error),
            _ => Ok(None),
        }
    }

    /// Removes what the step left behind after the commit; says whether it could.
    pub(super) fn clear(&self, record: &Record<'_>) -> bool {
        let gone = match (&self.state, self.form) {
            (State::Put(_), Form::Over) => self.dir().remove_file(&self.temp),
            (State::Written(..), _) => record.forget(self.index),
            _ => Ok(()),
        };
        match gone {
            Ok(()) => true,
            Err(error) => matches!(error.kind, ErrorKind::NotFound),
        }
    }

    /// What became of the file.
    pub(super) fn outcome(self) -> Outcome {
        let over = self.form == Form::Over;
        let old = self.change.old.as_ref();
        Outcome {
            path: self.path().clone(),
            created: old.is_none(),
            len: self.change.content.len() as u64,
            was_hard_linked: over && old.is_some_and(|old| old.meta.nlink > 1),
            attributes_lost: matches!(&self.state, State::Put(staged) if !staged.kept_attributes),
            written_in_place: self.form == Form::InPlace,
        }
    }

    /// Sorts an error of a temporary name by what can be done about it.
    fn sort(&self, error: rooted::Error) -> Fault {
        let refused = match &error.kind {
            ErrorKind::PermissionDenied => true,
            // A file that is mounted by itself can be written, and nothing can take its place.
            ErrorKind::Other(error) => error.kind() == std::io::ErrorKind::ResourceBusy,
            ErrorKind::Exists => return Fault::NamesTaken,
            _ => false,
        };
        let error = intent::at(self.path())(error);
        if refused {
            let index = self.index;
            Fault::NoNewNames { index, error }
        } else {
            Fault::Error(error)
        }
    }
}
