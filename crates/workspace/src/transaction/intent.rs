//! `Intent`: what a transaction is about to do, on disk before it does it.
//!
//! A record is one file in the state folder's `tx/`: a line of JSON that names every file and every
//! temporary name; then, once all new versions are staged, a second line that tells them apart from
//! what others may put there. Renaming the record is the commit point of a change of several files.

use rooted::{Dir, Durability, InPlace, Meta, RecordFile, RelPath, TEMP_PREFIX};
use serde::{Deserialize, Serialize};

use crate::error::Error;

/// The version of the format.
const VERSION: u32 = 1;
/// Ends the name of the record of a transaction that is not committed.
pub(super) const OPEN: &str = ".json";
/// Ends the name of the record of one that is.
pub(super) const DONE: &str = ".done";
/// Ends the name of the record of one that is, that left nothing behind, and that somebody has still
/// to take note of.
pub(super) const NOTED: &str = ".then";
/// Ends the name of the saved old content of a file that is written in place.
pub(super) const SAVED: &str = ".old";
/// Ends the name of a record that nobody could read.
pub(super) const UNREADABLE: &str = ".bad";

/// The first line of a record.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Intent {
    version: u32,
    /// Folders that the transaction makes, outermost first.
    pub(super) folders: Vec<Name>,
    /// Files in the order they are put in their places.
    pub(super) files: Vec<Entry>,
    /// Bytes that are to be appended to the only file; they follow this line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) append: Option<u64>,
}

/// The second line of a record: what was staged for each file.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct StagedLine {
    pub(super) staged: Vec<Option<Print>>,
}

/// One file of a transaction.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Entry {
    /// Where the file is, after links.
    pub(super) path: Name,
    /// How it gets its content.
    pub(super) form: Form,
    /// The file that is to be replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) old: Option<Print>,
}

/// How a file gets its new content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Form {
    /// A staged file gets a name that is free.
    New,
    /// A staged file takes the place of the old one.
    Over,
    /// The old file is written anew where it is.
    InPlace,
    /// Bytes are added to the old file.
    Append,
}

/// What a version of a file is known again by.
///
/// Not by its device: that number may differ after a restart of the system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Print {
    pub(super) ino: u64,
    pub(super) len: u64,
    mtime: i64,
}

impl Print {
    pub(super) fn of(meta: &Meta) -> Self {
        Self {
            ino: meta.id.ino,
            len: meta.len,
            mtime: i64::try_from(meta.mtime_ns).unwrap_or(i64::MAX),
        }
    }

    pub(super) fn is(&self, meta: &Meta) -> bool {
        *self == Self::of(meta)
    }
}

/// A path as JSON: text where it is text, bytes where it is not.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum Name {
    Text(String),
    Bytes(Vec<u8>),
}

impl From<&RelPath> for Name {
    fn from(path: &RelPath) -> Self {
        match path.as_str() {
            Some(text) => Self::Text(text.to_owned()),
            None => Self::Bytes(path.as_bytes().to_vec()),
        }
    }
}

impl Name {
    /// The path, unless it leads out of the root.
    pub(super) fn path(&self) -> Option<RelPath> {
        RelPath::from_bytes(match self {
            Self::Text(text) => text.as_bytes(),
            Self::Bytes(bytes) => bytes,
        })
        .ok()
    }
}

impl Intent {
    pub(super) fn new(folders: Vec<Name>, files: Vec<Entry>) -> Self {
        Self {
            version: VERSION,
            folders,
            files,
            append: None,
        }
    }

    /// Says whether only a renamed record commits it: what one swap decides needs none.
    pub(super) fn needs_mark(&self) -> bool {
        self.files.len() > 1 || self.files.iter().any(|file| file.form == Form::InPlace)
    }
}

/// What a record on disk says.
#[derive(Debug)]
pub(super) struct Read {
    pub(super) intent: Intent,
    /// For each file; empty when the process ended before all were staged.
    pub(super) staged: Vec<Option<Print>>,
    /// The bytes that were to be appended.
    pub(super) append: Vec<u8>,
}

/// Reads a record. `Ok(None)` means that it was not written to its end, so nothing else was done yet.
pub(super) fn parse(record: &[u8]) -> Result<Option<Read>, serde_json::Error> {
    let Some((first, rest)) = split_line(record) else {
        return Ok(None);
    };
    let intent: Intent = serde_json::from_slice(first)?;
    if intent.version != VERSION {
        return Err(serde::de::Error::custom("a version from the future"));
    }
    if let Some(n) = intent.append {
        let n = usize::try_from(n).unwrap_or(usize::MAX);
        let append = rest.get(..n).map(<[u8]>::to_vec);
        return Ok(append.map(|append| Read {
            intent,
            staged: Vec::new(),
            append,
        }));
    }
    let staged = match split_line(rest) {
        Some((second, _)) => serde_json::from_slice::<StagedLine>(second)?.staged,
        None => Vec::new(),
    };
    Ok(Some(Read {
        intent,
        staged,
        append: Vec::new(),
    }))
}

pub(super) fn split_line(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = bytes.iter().position(|&b| b == b'\n')?;
    Some((bytes.get(..end)?, bytes.get(end + 1..)?))
}

/// The record of a transaction under way.
#[derive(Debug)]
pub(super) struct Record<'a> {
    tx: &'a Dir,
    id: u64,
    file: RecordFile,
    durability: Durability,
    committed: bool,
}

impl<'a> Record<'a> {
    /// Writes what is intended; nothing else may be done before.
    pub(super) fn create(
        tx: &'a Dir,
        id: u64,
        intent: &Intent,
        append: &[u8],
        durability: Durability,
    ) -> rooted::Result<Self> {
        let mut line = serde_json::to_vec(intent).expect("the fields are plain data");
        line.push(b'\n');
        line.extend_from_slice(append);
        Self::create_of(tx, id, &line, durability)
    }

    /// [`Record::create`] with a first line of any kind.
    pub(super) fn create_of(
        tx: &'a Dir,
        id: u64,
        line: &[u8],
        durability: Durability,
    ) -> rooted::Result<Self> {
        let name = file_name(id, OPEN);
        let mut file = tx.create_record(&name)?;
        let written = file
            .write(line, durability)
            .and_then(|()| match durability {
                Durability::Kill => Ok(()),
                Durability::Power => tx.sync(),
            });
        if let Err(error) = written {
            let _ = tx.remove_file(&name);
            return Err(error);
        }
        Ok(Self {
            tx,
            id,
            file,
            durability,
            committed: false,
        })
    }

    /// Adds what was staged; nothing may be put in its place before.
    pub(super) fn add(&mut self, staged: &StagedLine) -> rooted::Result<()> {
        let mut line = serde_json::to_vec(staged).expect("the fields are plain data");
        line.push(b'\n');
        self.file.write(&line, self.durability)
    }

    /// Makes the transaction one that is finished, and not undone, after a crash.
    pub(super) fn commit(&mut self) -> rooted::Result<()> {
        let (open, done) = (file_name(self.id, OPEN), file_name(self.id, DONE));
        self.tx.rename(&open, self.tx, &done)?;
        self.committed = true;
        match self.durability {
            Durability::Kill => Ok(()),
            Durability::Power => self.tx.sync(),
        }
    }

    /// Makes a committed transaction one that is undone after a crash again.
    pub(super) fn reopen(&mut self) -> rooted::Result<()> {
        if !self.committed {
            return Ok(());
        }
        let (open, done) = (file_name(self.id, OPEN), file_name(self.id, DONE));
        self.tx.rename(&done, self.tx, &open)?;
        self.committed = false;
        match self.durability {
            Durability::Kill => Ok(()),
            Durability::Power => self.tx.sync(),
        }
    }

    /// Saves the old content of a file that is about to be written in place.
    pub(super) fn save(&self, index: usize, old: &mut InPlace) -> rooted::Result<()> {
        let mut saved = self.tx.create_record(&saved_name(self.id, index))?;
        old.save(&mut saved, self.durability)?;
        match self.durability {
            Durability::Kill => Ok(()),
            Durability::Power => self.tx.sync(),
        }
    }

    /// Writes the saved content back.
    pub(super) fn restore(&self, index: usize, to: &mut InPlace) -> rooted::Result<()> {
        let mut saved = self.tx.open_file(&saved_name(self.id, index))?;
        to.fill(&mut saved, self.durability)
    }

    /// Removes the saved content.
    pub(super) fn forget(&self, index: usize) -> rooted::Result<()> {
        self.tx.remove_file(&saved_name(self.id, index))
    }

    /// Removes the record: there is nothing left to do after a crash.
    pub(super) fn remove(self) {
        let ending = if self.committed { DONE } else { OPEN };
        // One that stays is read by the next recovery, which finds nothing to do either.
        let _ = self.tx.remove_file(&file_name(self.id, ending));
    }
}

pub(super) fn file_name(id: u64, ending: &str) -> Vec<u8> {
    format!("{id:016x}{ending}").into_bytes()
}

/// Where the old content of file number `index` is saved.
pub(super) fn saved_name(id: u64, index: usize) -> Vec<u8> {
    format!("{id:016x}-{index}{SAVED}").into_bytes()
}

/// The temporary name of file number `index`.
pub(super) fn temp_name(id: u64, index: usize) -> Box<[u8]> {
    format!("{TEMP_PREFIX}{id:016x}-{index}")
        .into_bytes()
        .into()
}

/// Says whether a name is a temporary one of this transaction.
pub(super) fn is_temp_of(id: u64, name: &[u8]) -> bool {
    name.starts_with(format!("{TEMP_PREFIX}{id:016x}-").as_bytes())
}

/// Reads the number back from the name of a record; `None` for names of other things.
pub(super) fn id_of(name: &[u8], ending: &str) -> Option<u64> {
    let name = std::str::from_utf8(name).ok()?.strip_suffix(ending)?;
    (name.len() == 16).then(|| u64::from_str_radix(name, 16).ok())?
}

/// Names the file at fault in an error that came of a temporary name or a record.
pub(super) fn at(path: &RelPath) -> impl Fn(rooted::Error) -> Error + '_ {
    move |error| {
        Error::from(rooted::Error {
            kind: error.kind,
            path: path.clone(),
        })
    }
}
