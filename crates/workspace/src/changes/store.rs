//! `Store`: where changes are kept in the state folder. `Session`: the right to change them.
//!
//! A record is `changes/<id>.json`, its documents are in `changes/<id>/`. Files are opened from the
//! folder's handle and never through a link; new versions are made aside and renamed over the old.

use rooted::{Dir, Durability, ErrorKind, Kind, RelPath, temp_name};

use super::record::Change;
use super::stage::{Document, Stage};
use crate::cancel::Cancel;
use crate::error::Error;
use crate::limits::CHANGE_BYTES;
use crate::slug::Slug;
use crate::state::{STATE_FILE, make_dir, open_dir};
use crate::workspace::Workspace;
use crate::writer::Writer;

/// The folder of all changes.
const CHANGES: &[u8] = b"changes";
/// Ends the name of a record.
const ENDING: &str = ".json";

/// The changes of a workspace, for reading.
#[derive(Debug)]
pub(super) struct Store {
    changes: Dir,
}

/// The changes of a workspace, for one call that changes them. The workspace lock is held.
#[derive(Debug)]
pub(super) struct Session<'a> {
    pub(super) store: Store,
    writer: Writer<'a>,
}

/// A new version of a file, complete, that has no name yet; it is gone when it is never given one.
#[derive(Debug)]
pub(super) struct Draft<'a> {
    from: &'a Dir,
    temp: Option<Box<[u8]>>,
    durability: Durability,
}

impl Store {
    /// Opens the folder of changes, if there is one.
    pub(super) fn open(workspace: &Workspace) -> Result<Option<Self>, Error> {
        let Some(state) = workspace.state().open(&*workspace.root()?)? else {
            return Ok(None);
        };
        let changes = open_dir(&state, CHANGES)?;
        Ok(changes.map(|changes| Self { changes }))
    }

    /// The ids that have a record, sorted.
    pub(super) fn ids(&self) -> Result<Vec<Slug>, Error> {
        let names = self.changes.list()?.into_iter();
        let mut ids: Vec<Slug> = names
            .filter(|(_, kind)| *kind == Kind::File)
            .filter_map(|(name, _)| {
                let name = std::str::from_utf8(&name).ok()?;
                Slug::parse(name.strip_suffix(ENDING)?)
            })
            .collect();
        ids.sort();
        ids.dedup();
        Ok(ids)
    }

    /// A change; `None` when there is none, or no record in its file.
    pub(super) fn find(&self, id: &Slug) -> Result<Option<Change>, Error> {
        let bytes = read(&self.changes, &record_name(id))?;
        Ok(bytes.and_then(|bytes| Change::parse(id, &bytes)))
    }

    /// A change that must be there.
    pub(super) fn get(&self, id: &Slug) -> Result<Change, Error> {
        self.find(id)?
            .ok_or_else(|| Error::ChangeNotFound(id.to_string()))
    }

    /// The documents of a change.
    pub(super) fn documents(&self, id: &Slug) -> Result<[Document; 4], Error> {
        let dir = open_dir(&self.changes, id.as_str().as_bytes())?;
        let len = |stage: Stage| {
            let meta = dir.as_ref()?.stat(stage.file_name().as_bytes()).ok()?;
            (meta.kind == Kind::File).then_some(meta.len)
        };
        Ok(Stage::ALL.map(|stage| Document {
            stage,
            len: len(stage),
        }))
    }

    /// Where the documents of a change are, relative to the root or to the state directory.
    pub(super) fn folder_path(&self, id: &Slug) -> RelPath {
        self.changes.path().join(id.as_str())
    }
}

impl<'a> Session<'a> {
    /// Waits for the lock, and makes the folder of changes if there is none.
    pub(super) fn enter(workspace: &'a Workspace, cancel: &Cancel) -> Result<Self, Error> {
        let writer = workspace.writer(cancel)?;
        let changes = make_dir(&writer.guard().state().dir, CHANGES)?;
        let store = Store { changes };
        Ok(Self { store, writer })
    }

    /// The first id, of those that a title asks for, that no record has; a file that is no record
    /// counts as well.
    pub(super) fn free_id(&self, wanted: &Slug, cancel: &Cancel) -> Result<Slug, Error> {
        let mut id = wanted.clone();
        let mut n = 1;
        while self.is_taken(&id)? {
            cancel.check()?;
            n += 1;
            id = wanted.numbered(n);
        }
        Ok(id)
    }

    fn is_taken(&self, id: &Slug) -> Result<bool, Error> {
        match self.store.changes.stat(&record_name(id)) {
            Ok(_) => Ok(true),
            Err(error) if matches!(error.kind, ErrorKind::NotFound) => Ok(false),
            Err(error) => Err(fault(error)),
        }
    }

    /// Keeps a change that is new, and makes it the active one; neither when one of them fails.
    pub(super) fn create(&self, change: &Change) -> Result<(), Error> {
        let changes = &self.store.changes;
        let record = self.draft_record(change)?;
        let active = self.draft_active(&change.id)?;
        make_dir(changes, change.id.as_str().as_bytes())?;
        let name = record_name(&change.id);
        record.put(changes, &name)?;
        active.put_as_active(self).inspect_err(|_| {
            // The error says more than a second one about the removal would.
            let _ = changes.remove_file(&name);
        })
    }

    /// Keeps a new version of a change.
    pub(super) fn save(&self, change: &Change) -> Result<(), Error> {
        let record = self.draft_record(change)?;
        record.put(&self.store.changes, &record_name(&change.id))
    }

    /// Makes a change the active one.
    pub(super) fn activate(&self, id: &Slug) -> Result<(), Error> {
        self.draft_active(id)?.put_as_active(self)
    }

    /// The content of a document, if there is one.
    pub(super) fn read_document(&self, id: &Slug, stage: Stage) -> Result<Option<Vec<u8>>, Error> {
        match open_dir(&self.store.changes, id.as_str().as_bytes())? {
            Some(dir) => read(&dir, stage.file_name().as_bytes()),
            None => Ok(None),
        }
    }

    /// Keeps a document, and then the new version of its change.
    ///
    /// Both are written aside before either is put in place, so that a lack of space stops both. The
    /// two renames are still two steps: a kill between them leaves the new document under the old date.
    pub(super) fn save_document(
        &self,
        change: &Change,
        stage: Stage,
        content: &[u8],
    ) -> Result<RelPath, Error> {
        let dir = make_dir(&self.store.changes, change.id.as_str().as_bytes())?;
        let name = stage.file_name();
        let path = dir.path().join(&name);
        // Renaming over a link would take the link away, which nobody asked for.
        match dir.stat(name.as_bytes()).map(|meta| meta.kind) {
            Ok(Kind::Link | Kind::Special) => return Err(Error::NotRegular(path)),
            Ok(Kind::File | Kind::Dir) | Err(_) => {}
        }
        let record = self.draft_record(change)?;
        let document = self.draft(content, &path)?;
        document.put(&dir, name.as_bytes())?;
        record.put(&self.store.changes, &record_name(&change.id))?;
        Ok(path)
    }

    fn draft_record(&self, change: &Change) -> Result<Draft<'_>, Error> {
        let path = self.store.changes.path();
        self.draft(&change.to_bytes(), &path.join(&record_name(&change.id)[..]))
    }

    fn draft_active(&self, id: &Slug) -> Result<Draft<'_>, Error> {
        let content = format!("{{\"activeChange\":\"{id}\"}}\n");
        let path = self.writer.guard().state().dir.path().join(STATE_FILE);
        self.draft(content.as_bytes(), &path)
    }

    /// Writes a new version of a file aside. What a process that ended left there is cleared by the
    /// next one that takes the lock.
    fn draft(&self, content: &[u8], path: &RelPath) -> Result<Draft<'_>, Error> {
        let size = content.len() as u64;
        if size > CHANGE_BYTES {
            let path = path.clone();
            return Err(Error::RecordTooLarge { path, size });
        }
        let from = &self.writer.guard().state().tx;
        let durability = self.writer.durability();
        let temp = temp_name();
        let named = |error: rooted::Error| {
            let path = path.clone();
            fault(rooted::Error { path, ..error })
        };
        from.stage_new(&temp, content, durability).map_err(named)?;
        Ok(Draft {
            from,
            temp: Some(temp),
            durability,
        })
    }
}

impl Draft<'_> {
    /// Gives it its name, over what has that name.
    fn put(mut self, to: &Dir, name: &[u8]) -> Result<(), Error> {
        if let Some(temp) = &self.temp {
            self.from.rename(temp, to, name).map_err(|error| {
                let path = to.path().join(name);
                fault(rooted::Error { path, ..error })
            })?;
        }
        self.temp = None;
        match self.durability {
            Durability::Kill => Ok(()),
            Durability::Power => to.sync().map_err(fault),
        }
    }

    fn put_as_active(self, session: &Session<'_>) -> Result<(), Error> {
        self.put(&session.writer.guard().state().dir, STATE_FILE)
    }
}

impl Drop for Draft<'_> {
    fn drop(&mut self) {
        if let Some(temp) = &self.temp {
            let _ = self.from.remove_file(temp);
        }
    }
}

fn record_name(id: &Slug) -> Vec<u8> {
    format!("{id}{ENDING}").into_bytes()
}

/// The content of a file, if there is one.
fn read(dir: &Dir, name: &[u8]) -> Result<Option<Vec<u8>>, Error> {
    let mut file = match dir.open_file(name) {
        Ok(file) => file,
        Err(error) if matches!(error.kind, ErrorKind::NotFound) => return Ok(None),
        Err(error) => return Err(fault(error)),
    };
    let path = file.path().clone();
    let bytes = file.read_all(CHANGE_BYTES).map_err(|source| Error::Io {
        path: path.clone(),
        source,
    })?;
    let size = bytes.len() as u64;
    if size > CHANGE_BYTES {
        let (size, limit) = (size.max(file.meta().len), CHANGE_BYTES);
        return Err(Error::TooLarge { path, size, limit });
    }
    Ok(Some(bytes))
}

/// A link where a file should be is no loop of links.
fn fault(error: rooted::Error) -> Error {
    match error.kind {
        ErrorKind::LinkRefused => Error::NotRegular(error.path),
        _ => Error::from(error),
    }
}
