//! Searching the lines of many files, one page at a time.
//!
//! What a page holds is that of reading file after file and byte after byte until the page is full or
//! has cost enough. It is worked out faster: files that fit as a whole are read by several threads
//! ahead of their turn, each once, and put in order afterwards; only a file that the page ends in the
//! midst of is read up to there.

mod lines;
mod sniff;

use std::fmt::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use rooted::{ErrorKind, Root};
use serde_json::Value;

use self::lines::{Cut, scan};
use self::sniff::is_binary;
pub(super) use self::sniff::valid_prefix;
use super::cursor::{Position, whole};
use super::fault::Fault;
use super::page::{Candidate, FoundLine, Skipped};
use super::path;
use super::terms::Finder;
use super::walk::{FileRow, Identity};
use crate::cancel::Cancel;

/// Bytes at the start of a file that tell whether it is text.
const SNIFF: u64 = 8192;
/// Size up to which a file is read as a whole.
const WHOLE: u64 = 1024 * 1024;
/// Bytes of a larger one that are read at a time.
const CHUNK: u64 = 256 * 1024;
/// Files that are read ahead at first; more each time, since a page may be full soon.
const AHEAD: usize = 32;
/// Bytes below which other threads are not worth their start.
const ALONE: u64 = 128 * 1024;

/// Where a search is paused: in which file, and where in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pause {
    /// The place of the file among those in scope.
    pub(super) file: u64,
    /// Bytes of it that are done.
    pub(super) offset: u64,
    /// Where the line begins that the next byte belongs to.
    pub(super) line_start: u64,
    /// Its number, from 1.
    pub(super) line: u64,
    /// Whether it matches already.
    pub(super) matched: bool,
}

impl Pause {
    /// The beginning of a file.
    pub(super) const fn before(file: u64) -> Self {
        Self {
            file,
            offset: 0,
            line_start: 0,
            line: 1,
            matched: false,
        }
    }
}

impl Position for Pause {
    fn write(&self, json: &mut String) {
        let Self {
            file,
            offset,
            line_start,
            line,
            matched,
        } = self;
        let _ = write!(
            json,
            "{{\"file\":{file},\"offset\":{offset},\"lineStart\":{line_start},\"line\":{line},\
             \"matched\":{matched}}}"
        );
    }

    fn read(value: &Value) -> Option<Self> {
        let object = value.as_object().filter(|object| object.len() == 5)?;
        let number = |key: &str| object.get(key).and_then(whole);
        let pause = Self {
            file: number("file")?,
            offset: number("offset")?,
            line_start: number("lineStart")?,
            line: number("line")?,
            matched: object.get("matched")?.as_bool()?,
        };
        (pause.line_start <= pause.offset && pause.line >= 1).then_some(pause)
    }
}

/// A search for one page.
pub(super) struct Search<'a> {
    pub(super) root: &'a Root,
    pub(super) files: &'a [FileRow],
    pub(super) finder: &'a Finder,
    /// Items at most.
    pub(super) limit: usize,
    /// Bytes that may be read at most.
    pub(super) budget: u64,
    /// Whether a file that is gone fails the page; otherwise it is passed over.
    pub(super) is_strict: bool,
    /// Whether the files were looked at before this call: then one that is gone or changed only says
    /// that they have to be looked at again.
    pub(super) is_kept: bool,
    pub(super) cancel: &'a Cancel,
}

/// Why a page was not made.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// The walk that the page was made from is not true any more.
    Stale,
    Fault(Fault),
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl From<Stop> for Fault {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Stale => Self::MOVING,
            Stop::Fault(fault) => fault,
        }
    }
}

/// What a search found for one page.
#[derive(Debug, Default)]
pub(super) struct Scanned {
    pub(super) candidates: Vec<Candidate<FoundLine, Pause>>,
    /// Where it goes on; `None` at the end.
    pub(super) next: Option<Pause>,
    pub(super) skipped: Skipped,
}

/// What became of a file.
#[derive(Debug)]
enum Read {
    /// It is not there any more, or not for us.
    Gone,
    Binary,
    /// It was read to its end, or until there were enough lines.
    Lines(lines::Lines),
}

impl Search<'_> {
    pub(super) fn run(&self, start: Pause) -> Result<Scanned, Stop> {
        let mut page = Scanned::default();
        let mut at = start;
        let mut n_read = 0;
        let mut ahead = AHEAD;
        while let Some(file) = self.file(at.file)
            && page.candidates.len() < self.limit
            && n_read < self.budget
        {
            if self.cancel.is_cancelled() {
                return Err(Fault::Cancelled.into());
            }
            let batch = self.batch(at, self.budget - n_read, ahead);
            if batch == 0 {
                let sniff = if at.offset == 0 {
                    SNIFF.min(file.identity.len)
                } else {
                    0
                };
                if n_read > 0 && self.budget - n_read < sniff {
                    break;
                }
                n_read += self.part(file, &mut at, self.budget - n_read, &mut page)?;
                continue;
            }
            ahead = ahead.saturating_mul(4);
            for (file, read) in self.whole(at.file, batch) {
                let sniff = SNIFF.min(file.identity.len);
                let is_over = page.candidates.len() >= self.limit || n_read >= self.budget;
                if is_over || n_read > 0 && self.budget - n_read < sniff {
                    break;
                }
                // Only now it is its turn: a page that ended before would not know of its failure.
                let read = read?;
                n_read += match &read {
                    Read::Gone => 0,
                    Read::Binary => sniff,
                    Read::Lines(_) => sniff + file.identity.len,
                };
                self.take(file, read, &mut at, &mut page);
            }
        }
        page.next = self.file(at.file).is_some().then_some(at);
        Ok(page)
    }

    fn file(&self, number: u64) -> Option<&FileRow> {
        self.files.get(usize::try_from(number).ok()?)
    }

    /// How many files from here on can be read as a whole, whatever is in them.
    fn batch(&self, at: Pause, budget: u64, ahead: usize) -> usize {
        if at.offset > 0 || at.line_start > 0 {
            return 0;
        }
        let mut left = budget;
        let from = usize::try_from(at.file).unwrap_or(usize::MAX);
        let rest = self.files.get(from..).unwrap_or_default();
        rest.iter()
            .take(ahead)
            .take_while(|file| {
                let len = file.identity.len;
                let cost = len.saturating_add(SNIFF.min(len));
                let fits = len <= WHOLE && cost <= left;
                left = left.saturating_sub(cost);
                fits
            })
            .count()
    }

    /// Reads files as a whole, in whatever order; gives them in theirs.
    fn whole(&self, from: u64, count: usize) -> Vec<(&FileRow, Result<Read, Stop>)> {
        let from = usize::try_from(from).unwrap_or(usize::MAX);
        let files = self.files.get(from..).unwrap_or_default();
        let files = files.get(..count).unwrap_or(files);
        let n_bytes: u64 = files.iter().map(|file| file.identity.len).sum();
        let n_threads = if n_bytes < ALONE {
            1
        } else {
            crate::threads().min(files.len())
        };
        let next = AtomicUsize::new(0);
        let work = || {
            let mut buffer = Vec::new();
            let mut done = Vec::new();
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some(file) = files.get(number) else {
                    return done;
                };
                if self.cancel.is_cancelled() {
                    done.push((number, Err(Fault::Cancelled.into())));
                    return done;
                }
                done.push((number, self.read_whole(file, &mut buffer)));
            }
        };
        let mut done = thread::scope(|scope| {
            let others: Vec<_> = (1..n_threads).map(|_| scope.spawn(work)).collect();
            let mut done = work();
            for other in others {
                match other.join() {
                    Ok(more) => done.extend(more),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            done
        });
        done.sort_unstable_by_key(|(number, _)| *number);
        let read = done.into_iter().zip(files);
        read.map(|((_, read), file)| (file, read)).collect()
    }

    fn read_whole(&self, file: &FileRow, buffer: &mut Vec<u8>) -> Result<Read, Stop> {
        let Some(open) = self.open(file)? else {
            return Ok(Read::Gone);
        };
        let len = usize::try_from(file.identity.len).map_err(|_| Fault::READ_FAILED)?;
        buffer.resize(len, 0);
        self.fill(&open, buffer, 0)?;
        let head = buffer.get(..len.min(SNIFF as usize)).unwrap_or_default();
        let read = if is_binary(head, head.len() == len) {
            Read::Binary
        } else {
            let mut at = Pause::before(0);
            Read::Lines(scan(
                buffer,
                0,
                &mut at,
                self.finder,
                self.limit,
                Cut::AtEnd,
            ))
        };
        self.check(&open, file)?;
        Ok(read)
    }

    /// Reads a file from where the search is paused, for at most so many bytes; tells how many it cost.
    fn part(
        &self,
        file: &FileRow,
        at: &mut Pause,
        budget: u64,
        page: &mut Scanned,
    ) -> Result<u64, Stop> {
        let Some(open) = self.open(file)? else {
            *at = Pause::before(at.file + 1);
            return Ok(0);
        };
        let len = file.identity.len;
        if at.offset > len || at.line_start > at.offset {
            return Err(Fault::CURSOR_POSITION.into());
        }
        let mut cost = 0;
        let mut buffer = Vec::new();
        if at.offset == 0 {
            let sniff = SNIFF.min(len);
            buffer.resize(usize::try_from(sniff).unwrap_or(0), 0);
            self.fill(&open, &mut buffer, 0)?;
            cost += sniff;
            if is_binary(&buffer, sniff == len) {
                page.skipped.binary += 1;
                *at = Pause::before(at.file + 1);
                return Ok(cost);
            }
        }
        // What was read to tell whether it is text is the beginning of what is searched.
        let mut n_held = buffer.len() as u64;
        while at.offset < len && page.candidates.len() < self.limit && cost < budget {
            if self.cancel.is_cancelled() {
                return Err(Fault::Cancelled.into());
            }
            // A text may have begun before the pause.
            let overlap = (self.finder.longest as u64 - 1).min(at.offset - at.line_start);
            let from = at.offset - overlap;
            let end = len.min(at.offset + (budget - cost).min(CHUNK));
            let n_wanted = usize::try_from(end - from).map_err(|_| Fault::READ_FAILED)?;
            if n_held > 0 {
                let n_known = buffer.len().min(n_wanted);
                buffer.resize(n_wanted, 0);
                let rest = buffer.get_mut(n_known..).unwrap_or_default();
                self.fill(&open, rest, n_known as u64)?;
                n_held = 0;
            } else {
                buffer.resize(n_wanted, 0);
                self.fill(&open, &mut buffer, from)?;
            }
            let before = at.offset;
            let limit = self.limit - page.candidates.len();
            let cut = if end == len { Cut::AtEnd } else { Cut::Midway };
            let found = scan(&buffer, from, at, self.finder, limit, cut);
            cost += at.offset - before;
            self.add(file, at.file, found, Some(&open), page)?;
        }
        if at.offset >= len {
            *at = Pause::before(at.file + 1);
        }
        self.check(&open, file)?;
        Ok(cost)
    }

    /// Puts a file that was read as a whole into the page.
    fn take(&self, file: &FileRow, read: Read, at: &mut Pause, page: &mut Scanned) {
        let number = at.file;
        *at = Pause::before(number + 1);
        match read {
            Read::Gone => {}
            Read::Binary => page.skipped.binary += 1,
            Read::Lines(mut found) => {
                let room = self.limit - page.candidates.len();
                if found.lines.len() > room {
                    found.lines.truncate(room);
                    found.n_lost = 0;
                }
                let is_cut = found.lines.len() == room;
                let last = found.lines.last().map(|line| line.resume);
                // Every line of it was read with the file, so nothing is left to go wrong.
                let _ = self.add(file, number, found, None, page);
                if let Some(resume) =
                    last.filter(|resume| is_cut && resume.offset < file.identity.len)
                {
                    *at = Pause {
                        file: number,
                        ..resume
                    };
                }
            }
        }
    }

    /// Adds lines to the page.
    fn add(
        &self,
        file: &FileRow,
        number: u64,
        found: lines::Lines,
        open: Option<&rooted::File>,
        page: &mut Scanned,
    ) -> Result<(), Stop> {
        page.skipped.lines += found.n_lost;
        for line in found.lines {
            page.skipped.lines += line.n_lost_before;
            let text = match (line.text, open) {
                (lines::Text::Known(text), _) => Some(text),
                (lines::Text::At { start, end }, Some(open)) => {
                    let n_shown = (end - start).min(lines::EVIDENCE as u64);
                    let mut bytes = vec![0; usize::try_from(n_shown).unwrap_or(0)];
                    self.fill(open, &mut bytes, start)?;
                    lines::evidence(&bytes, end - start > n_shown)
                }
                (lines::Text::At { .. }, None) => None,
            };
            let Some(text) = text else {
                page.skipped.lines += 1;
                continue;
            };
            let resume = if line.is_last {
                Pause::before(number + 1)
            } else {
                Pause {
                    file: number,
                    ..line.resume
                }
            };
            page.candidates.push(Candidate {
                item: FoundLine {
                    path: file.path.clone(),
                    line: line.number,
                    text,
                },
                position: resume,
            });
        }
        Ok(())
    }

    /// Opens a file as the walk met it; `None` when it is to be passed over.
    fn open(&self, file: &FileRow) -> Result<Option<rooted::File>, Stop> {
        match self.root.open_file(&path::rel(&file.path)) {
            Ok(open) if Identity::of(open.meta()) == file.identity => Ok(Some(open)),
            Ok(_) => Err(self.moving()),
            Err(_) if self.is_strict => Err(self.moving()),
            Err(error) if matches!(error.kind, ErrorKind::PermissionDenied | ErrorKind::InUse) => {
                Ok(None)
            }
            Err(_) if self.is_kept => Err(Stop::Stale),
            Err(_) => Ok(None),
        }
    }

    /// Says that a file was not changed while it was read.
    fn check(&self, open: &rooted::File, file: &FileRow) -> Result<(), Stop> {
        match open.stat() {
            Ok(meta) if Identity::of(&meta) == file.identity => Ok(()),
            _ => Err(self.moving()),
        }
    }

    fn fill(&self, open: &rooted::File, buffer: &mut [u8], offset: u64) -> Result<(), Stop> {
        fill(open, buffer, offset).map_err(|fault| {
            if self.is_kept {
                Stop::Stale
            } else {
                Stop::Fault(fault)
            }
        })
    }

    fn moving(&self) -> Stop {
        if self.is_kept {
            Stop::Stale
        } else {
            Stop::Fault(Fault::MOVING)
        }
    }
}

/// Fills a buffer from a place in a file.
pub(super) fn fill(open: &rooted::File, buffer: &mut [u8], offset: u64) -> Result<(), Fault> {
    let mut n_done = 0;
    while let Some(rest) = buffer.get_mut(n_done..).filter(|rest| !rest.is_empty()) {
        match open.read_at(rest, offset + n_done as u64) {
            Ok(0) => return Err(Fault::READ_FAILED),
            Ok(n) => n_done += n,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => return Err(Fault::READ_FAILED),
        }
    }
    Ok(())
}
