//! Changing files: writing one, editing one, editing several at once.
//!
//! Each reads what is there, works out the new content in memory and hands it to the transaction.
//! When another program changed the file in between, it is done again on the new content.

use rooted::{File, Place, RelPath};

use crate::cancel::Cancel;
use crate::edit::{self, Edit, EditFault, Edited};
use crate::error::Error;
use crate::limits;
use crate::read;
use crate::text::{self, Encoding, Form};
use crate::transaction::{self, Appended, ChangeSet, Old, Outcome};
use crate::workspace::Workspace;
use crate::writer::{Target, Writer};

/// New content for a file.
#[derive(Clone, Copy, Debug)]
pub struct WriteRequest<'a> {
    /// The path argument.
    pub path: &'a str,
    /// The content.
    pub content: &'a str,
    /// Refuse unless the file has this SHA-256 now.
    pub expected_sha256: Option<&'a str>,
}

/// An edit of a file.
#[derive(Clone, Copy, Debug)]
pub struct EditRequest<'a> {
    /// The path argument.
    pub path: &'a str,
    /// What to replace by what.
    pub edit: Edit<'a>,
    /// Refuse unless the file has this SHA-256 now.
    pub expected_sha256: Option<&'a str>,
}

/// What an edit did.
#[derive(Clone, Debug)]
pub struct EditAnswer {
    /// What became of the file.
    pub outcome: Outcome,
    /// Places that were replaced.
    pub count: usize,
    /// Whether line ends had to be taken for equal.
    pub adapted: bool,
    /// Whether the last line lost its line end.
    pub lost_last_newline: bool,
    /// Places passed over since they may begin inside a character.
    pub n_doubtful: usize,
    /// The name the file was found under, when only Unicode form or spaces differ.
    pub found_as: Option<String>,
}

/// What a patch did, by file in the order they were first named.
#[derive(Clone, Debug)]
pub struct PatchAnswer {
    /// One answer for each file; `count` sums over its edits.
    pub files: Vec<EditAnswer>,
    /// Edits that were done.
    pub n_edits: usize,
}

/// Writes a file, whole.
///
/// # Errors
/// The path errors; [`Error::ChangedSinceRead`]; what the transaction says. The file is as before then.
pub fn write_file(
    workspace: &Workspace,
    cancel: &Cancel,
    request: &WriteRequest<'_>,
) -> Result<Outcome, Error> {
    let writer = writer_for(workspace, cancel, request.path)?;
    again(cancel, || {
        let Target { place, .. } = writer.reader().target(request.path)?;
        let mut set = ChangeSet::new(writer.durability());
        let content = request.content.as_bytes().to_vec();
        if place.meta.is_some() {
            let file = writer.open(&place, request.path)?;
            if let Some(expected) = request.expected_sha256 {
                expect(expected, &read::sha256_of(&file, cancel)?, file.path())?;
            }
            set.replace(
                place,
                Old {
                    file,
                    content: None,
                },
                content,
            );
        } else if request.expected_sha256.is_some() {
            return Err(Error::ChangedSinceRead(place.path));
        } else {
            set.create(place, content);
        }
        set.commit(writer.guard())?.pop().ok_or(Error::Cancelled)
    })
}

/// Adds to the end of a file, behind a line break if the last line has none; makes a missing file.
///
/// A file in UTF-16 gets UTF-16, any other the bytes as given. One with several names is written
/// anew, so that only the name that was asked for changes.
///
/// # Errors
/// As [`write_file`].
pub fn append_file(
    workspace: &Workspace,
    cancel: &Cancel,
    request: &WriteRequest<'_>,
) -> Result<Appended, Error> {
    let writer = writer_for(workspace, cancel, request.path)?;
    again(cancel, || {
        let Target { place, .. } = writer.reader().target(request.path)?;
        let mut encoding = Encoding::Utf8;
        let mut shared = None;
        if place.meta.is_some() {
            let file = writer.open(&place, request.path)?;
            let mut head = [0; 4];
            let n = file.read_at(&mut head, 0).map_err(|source| Error::Io {
                path: place.path.clone(),
                source,
            })?;
            encoding = Form::of_head(head.get(..n).unwrap_or_default()).encoding;
            if let Some(expected) = request.expected_sha256 {
                expect(expected, &read::sha256_of(&file, cancel)?, file.path())?;
            }
            shared = (file.meta().nlink > 1).then_some(file);
        } else if request.expected_sha256.is_some() {
            return Err(Error::ChangedSinceRead(place.path));
        }
        let encode = |text: &str| {
            let mut bytes = Vec::with_capacity(text.len());
            text::encode(encoding, text.as_bytes(), &mut bytes);
            bytes
        };
        let (content, line_break) = (encode(request.content), encode("\n"));
        if let Some(file) = shared {
            return append_apart(&writer, place, file, &content, &line_break);
        }
        transaction::append(
            place,
            &content,
            &line_break,
            writer.durability(),
            writer.guard(),
        )
    })
}

/// Adds to the end of a file that has further names, which may lie outside: they keep what they have.
pub(crate) fn append_apart(
    writer: &Writer<'_>,
    place: Place,
    mut file: File,
    content: &[u8],
    line_break: &[u8],
) -> Result<Appended, Error> {
    let original = read_whole(&mut file, &place.path)?;
    let mut whole = original.clone();
    if !whole.is_empty() && !whole.ends_with(line_break) {
        whole.extend_from_slice(line_break);
    }
    whole.extend_from_slice(content);
    let added = (whole.len() - original.len()) as u64;
    let mut set = ChangeSet::new(writer.durability());
    let old = Old {
        file,
        content: Some(original),
    };
    set.replace(place, old, whole);
    let done = set.commit(writer.guard())?.pop().ok_or(Error::Cancelled)?;
    Ok(Appended {
        path: done.path,
        created: false,
        added,
        len: done.len,
        was_hard_linked: done.was_hard_linked,
    })
}

/// Reads a file that is small enough to be changed in memory.
pub(crate) fn read_whole(file: &mut File, path: &RelPath) -> Result<Vec<u8>, Error> {
    let limit = limits::EDIT_BYTES;
    let too_large = |size| Error::TooLarge {
        path: path.clone(),
        size,
        limit,
    };
    if file.meta().len > limit {
        return Err(too_large(file.meta().len));
    }
    let content = file.read_all(limit).map_err(|source| Error::Io {
        path: path.clone(),
        source,
    })?;
    if content.len() as u64 > limit {
        return Err(too_large(content.len() as u64));
    }
    Ok(content)
}

/// Replaces text in a file.
///
/// # Errors
/// The path errors; [`Error::TextNotFound`], [`Error::TextAmbiguous`] and what else the text does
/// not allow; what the transaction says. The file is as before then.
pub fn edit_file(
    workspace: &Workspace,
    cancel: &Cancel,
    request: &EditRequest<'_>,
) -> Result<EditAnswer, Error> {
    let writer = writer_for(workspace, cancel, request.path)?;
    again(cancel, || {
        let mut files = Files::default();
        files.edit(&writer, request)?;
        files.commit(&writer)?.pop().ok_or(Error::Cancelled)
    })
}

/// Replaces text in several files, in order, each edit seeing what the earlier ones did: all of it or none.
///
/// # Errors
/// [`Error::Edit`] with the position of the edit that cannot be done. No file is changed then.
pub fn patch(
    workspace: &Workspace,
    cancel: &Cancel,
    requests: &[EditRequest<'_>],
) -> Result<PatchAnswer, Error> {
    let reader = workspace.reader(cancel)?;
    for (index, request) in requests.iter().enumerate() {
        reader
            .permit_writing(request.path)
            .map_err(|cause| at(index, request.path, cause))?;
    }
    let writer = match requests.first() {
        Some(first) => writer_for(workspace, cancel, first.path).map_err(|cause| match cause {
            cause @ Error::ReadOnlyFilesystem(_) => at(0, first.path, cause),
            cause => cause,
        })?,
        None => {
            return Ok(PatchAnswer {
                files: Vec::new(),
                n_edits: 0,
            });
        }
    };
    // The edit that named each file first, for failures of the files themselves.
    let mut named = Vec::new();
    let files = again(cancel, || {
        let mut files = Files::default();
        named.clear();
        for (index, request) in requests.iter().enumerate() {
            cancel.check()?;
            match files.edit(&writer, request) {
                Ok(position) if position == named.len() => {
                    named.push((index, files.path(position)));
                }
                Ok(_) => {}
                Err(changing @ Error::KeepsChanging(_)) => return Err(changing),
                Err(cause) => return Err(at(index, request.path, cause)),
            }
        }
        files.commit(&writer)
    })
    .map_err(|cause| match cause {
        known @ (Error::Edit { .. } | Error::Cancelled) => known,
        cause => {
            let fault = named.iter().find(|(_, path)| Some(path) == cause.path());
            match fault.or(named.first()) {
                Some((index, path)) => at(*index, &path.to_string(), cause),
                None => cause,
            }
        }
    })?;
    Ok(PatchAnswer {
        files,
        n_edits: requests.len(),
    })
}

/// Takes the lock to change a file, unless it may not be changed anyway.
fn writer_for<'a>(
    workspace: &'a Workspace,
    cancel: &Cancel,
    input: &str,
) -> Result<Writer<'a>, Error> {
    let reader = workspace.reader(cancel)?;
    reader.permit_writing(input)?;
    workspace.writer(cancel).map_err(|error| match error {
        // The state folder met it first, but it is the caller's file that cannot be written.
        Error::ReadOnlyFilesystem(path) => {
            Error::ReadOnlyFilesystem(reader.parse(input).unwrap_or(path))
        }
        error => error,
    })
}

/// A failure of one edit of a patch. It always ends with the file at fault.
fn at(index: usize, input: &str, cause: Error) -> Error {
    let path = match cause.path() {
        Some(path) => path.to_string(),
        None => rooted::show(input.as_bytes()),
    };
    Error::Edit {
        index,
        cause: Box::new(cause),
        path,
    }
}

/// Does it again as long as another program changes the file in between, up to a limit.
fn again<T>(cancel: &Cancel, mut attempt: impl FnMut() -> Result<T, Error>) -> Result<T, Error> {
    for _ in 1..limits::EDIT_ATTEMPTS {
        match attempt() {
            Err(Error::KeepsChanging(_)) => cancel.check()?,
            done => return done,
        }
    }
    attempt()
}

fn expect(expected: &str, found: &str, path: &RelPath) -> Result<(), Error> {
    if expected.trim().eq_ignore_ascii_case(found) {
        Ok(())
    } else {
        Err(Error::ChangedSinceRead(path.clone()))
    }
}

/// Files with edits that are not written yet.
#[derive(Default)]
struct Files(Vec<Pending>);

/// One file with its edits.
struct Pending {
    target: Target,
    file: File,
    original: Vec<u8>,
    /// The content now; `None` while it is the original.
    edited: Option<Vec<u8>>,
    count: usize,
    adapted: bool,
    lost_last_newline: bool,
    n_doubtful: usize,
}

impl Files {
    /// Where a file is.
    fn path(&self, position: usize) -> RelPath {
        self.0
            .get(position)
            .map(|pending| pending.target.place.path.clone())
            .unwrap_or_default()
    }

    /// Does one edit in memory; tells the position of its file.
    fn edit(&mut self, writer: &Writer<'_>, request: &EditRequest<'_>) -> Result<usize, Error> {
        let target = writer.reader().existing_target(request.path)?;
        let same = |pending: &Pending| pending.target.place.path == target.place.path;
        let position = self.0.iter().position(same).unwrap_or(self.0.len());
        if position == self.0.len() {
            self.0.push(Pending::open(writer, target, request.path)?);
        }
        let pending = self
            .0
            .get_mut(position)
            .expect("it is there, or was pushed");
        pending.edit(request)?;
        Ok(position)
    }

    /// Writes all files, or none.
    fn commit(self, writer: &Writer<'_>) -> Result<Vec<EditAnswer>, Error> {
        let mut set = ChangeSet::new(writer.durability());
        let mut answers = Vec::with_capacity(self.0.len());
        let mut written = Vec::new();
        for pending in self.0 {
            let unchanged = pending
                .edited
                .as_ref()
                .is_none_or(|now| *now == pending.original);
            let outcome = Outcome {
                path: pending.target.place.path.clone(),
                created: false,
                len: pending.original.len() as u64,
                was_hard_linked: false,
                attributes_lost: false,
                written_in_place: false,
            };
            answers.push(EditAnswer {
                outcome,
                count: pending.count,
                adapted: pending.adapted,
                lost_last_newline: pending.lost_last_newline,
                n_doubtful: pending.n_doubtful,
                found_as: pending.target.found_as,
            });
            if let Some(content) = pending.edited
                && !unchanged
            {
                written.push(answers.len() - 1);
                let old = Old {
                    file: pending.file,
                    content: Some(pending.original),
                };
                set.replace(pending.target.place, old, content);
            }
        }
        for (position, outcome) in written.into_iter().zip(set.commit(writer.guard())?) {
            if let Some(answer) = answers.get_mut(position) {
                answer.outcome = outcome;
            }
        }
        Ok(answers)
    }
}

impl Pending {
    fn open(writer: &Writer<'_>, target: Target, input: &str) -> Result<Self, Error> {
        let mut file = writer.open(&target.place, input)?;
        let original = read_whole(&mut file, &target.place.path)?;
        if text::is_binary(&original) {
            return Err(Error::Binary(target.place.path));
        }
        Ok(Self {
            target,
            file,
            original,
            edited: None,
            count: 0,
            adapted: false,
            lost_last_newline: false,
            n_doubtful: 0,
        })
    }

    fn edit(&mut self, request: &EditRequest<'_>) -> Result<(), Error> {
        let path = &self.target.place.path;
        if let Some(expected) = request.expected_sha256 {
            // What was read is what the hash is of, also for the second edit of a file.
            expect(expected, &read::sha256(&self.original), path)?;
        }
        let now = self.edited.as_ref().unwrap_or(&self.original);
        let edited = edit::apply(now, &request.edit).map_err(|fault| explain(fault, path))?;
        let Edited {
            bytes,
            count,
            adapted,
            lost_last_newline,
            n_doubtful,
        } = edited;
        self.edited = Some(bytes);
        self.count += count;
        self.adapted |= adapted;
        self.lost_last_newline |= lost_last_newline;
        self.n_doubtful += n_doubtful;
        Ok(())
    }
}

fn explain(fault: EditFault, path: &RelPath) -> Error {
    let path = path.clone();
    match fault {
        EditFault::NotFound { nearest } => Error::TextNotFound { path, nearest },
        EditFault::Ambiguous { count, lines } => Error::TextAmbiguous { path, count, lines },
        EditFault::NotUtf8 => Error::NotUtf8(path),
        EditFault::ResultTooLarge(size) => Error::ResultTooLarge { path, size },
    }
}
