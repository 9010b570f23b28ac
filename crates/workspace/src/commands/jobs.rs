//! Jobs: commands that run on after the call that started them, with their output in a log.
//!
//! A job belongs to this process: it survives its client, never the server. Its log lies in a
//! folder that only the owner can look into, and is not emptied.

mod folder;

use std::collections::VecDeque;
use std::hash::{BuildHasher as _, Hasher as _};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rooted::File;

use self::folder::{JobFolder, Log};
use super::decode::decode;
use super::output::clean;
use super::{CommandRequest, Commands, Fault, reason};
use crate::cancel::Cancel;
use crate::clock::Time;
use crate::error::Error;
use crate::limits;
use crate::process::Environment;
use crate::process::code_page::CodePage;
use crate::process::supervise::{Exit, Process, Stopped, Supervised, Watch};
use crate::reader::Reader;

/// How often a job looks whether it is to end.
const TICK: Duration = Duration::from_millis(50);
/// How often a call that waits looks whether its caller gave up.
const WAIT_TICK: Duration = Duration::from_millis(50);

/// The jobs of a server.
#[derive(Debug)]
pub struct Jobs {
    folder: JobFolder,
    // Held for a look at the list only, never while a job is asked.
    all: Mutex<VecDeque<Arc<Job>>>,
}

/// One job.
#[derive(Debug)]
pub struct Job {
    /// Its name for callers: `job_` and eight digits.
    pub id: String,
    /// Its name for people.
    pub name: String,
    /// The number of its process.
    pub pid: u32,
    /// When it was started.
    pub started_at: Time,
    /// Where its log is.
    pub log_path: PathBuf,
    /// When it is ended.
    pub max_runtime: Duration,
    /// The workspace it was started in.
    pub workspace: String,
    log: File,
    page: Option<CodePage>,
    started: Instant,
    kill: Cancel,
    state: Mutex<State>,
    news: Condvar,
}

#[derive(Clone, Debug, Default)]
struct State {
    n_bytes: u64,
    is_capped: bool,
    over: Option<(Outcome, Duration)>,
    running: Vec<Process>,
}

/// How a job ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// By itself, with this code.
    Exited(i32),
    /// By a signal, ours or another's.
    Killed(i32),
    /// By us, when its time was up.
    TimedOut,
    /// It could not be watched; holds the reason.
    Failed(String),
}

/// How a job stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// How it ended, if it has.
    pub outcome: Option<Outcome>,
    /// How long it runs, or ran.
    pub duration: Duration,
    /// Bytes in its log.
    pub n_bytes: u64,
    /// Whether more was written than the log takes.
    pub is_capped: bool,
    /// What it started and left running.
    pub running: Vec<Process>,
}

/// A piece of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Its first byte.
    pub from: u64,
    /// The byte behind its last one.
    pub to: u64,
    /// Its text.
    pub text: String,
    /// Bytes that were no text.
    pub n_invalid: u64,
}

impl Jobs {
    pub(super) fn new(configured: Option<PathBuf>, environment: &Environment) -> Self {
        Self {
            folder: JobFolder::new(configured, environment),
            all: Mutex::default(),
        }
    }

    /// Removes logs that servers left which have ended. Nothing depends on it.
    pub fn tidy(&self) {
        self.folder.tidy();
    }

    /// The job of that name.
    ///
    /// # Errors
    /// [`Fault::UnknownJob`].
    pub fn get(&self, id: &str) -> Result<Arc<Job>, Error> {
        let found = self.all().iter().find(|job| job.id == id).map(Arc::clone);
        found.ok_or_else(|| Error::Command(Box::new(Fault::UnknownJob(id.to_owned()))))
    }

    /// The jobs, the last one first.
    #[must_use]
    pub fn newest(&self, limit: usize) -> Vec<Arc<Job>> {
        self.all()
            .iter()
            .rev()
            .take(limit)
            .map(Arc::clone)
            .collect()
    }

    fn all(&self) -> MutexGuard<'_, VecDeque<Arc<Job>>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes room for one more.
    fn admit(&self) -> Result<(), Fault> {
        let mut all = self.all();
        let n_running = all.iter().filter(|job| !job.is_over()).count();
        if n_running >= limits::JOBS_AT_ONCE {
            return Err(Fault::TooManyJobs(n_running));
        }
        while all.len() - n_running >= limits::JOBS_REMEMBERED {
            let Some(oldest) = all.iter().position(|job| job.is_over()) else {
                break;
            };
            all.remove(oldest);
        }
        Ok(())
    }
}

impl Commands {
    /// Starts a job; `name` is what people call it.
    ///
    /// # Errors
    /// As [`Commands::run`], and when there is no place for its log.
    pub fn start_job(
        &self,
        reader: &Reader<'_>,
        request: &CommandRequest<'_>,
        name: Option<&str>,
    ) -> Result<Arc<Job>, Error> {
        let refused = |fault| Error::Command(Box::new(fault));
        let prepared = self.prepare(reader, request)?;
        self.jobs.admit().map_err(refused)?;
        let (id, log) = self.jobs.folder.new_log(new_id).map_err(refused)?;
        let started_at = reader.workspace().clock.now();
        let supervised = self.start(&prepared).inspect_err(|_| {
            // There will be nothing in it.
            self.jobs.folder.remove(&id);
        })?;
        let Log { writer, file, path } = log;
        let job = Arc::new(Job {
            name: name_of(name, request.command),
            pid: supervised.pid(),
            started_at,
            log_path: path,
            max_runtime: request.time_limit,
            workspace: reader.workspace().name.clone(),
            log: file,
            page: self.page().cloned(),
            started: Instant::now(),
            kill: super::own_cancel(),
            state: Mutex::default(),
            news: Condvar::new(),
            id,
        });
        let watched = Arc::clone(&job);
        let thread = std::thread::Builder::new()
            .spawn(move || watched.watch(supervised, writer))
            .map_err(|error| refused(Fault::NotStarted(reason(&error))));
        // Without the thread what was handed to it is dropped, and the command ended.
        thread?;
        self.jobs.all().push_back(Arc::clone(&job));
        Ok(job)
    }
}

impl Job {
    /// How it stands.
    #[must_use]
    pub fn status(&self) -> Status {
        self.status_of(&self.state())
    }

    /// How it stands once there is news: more in the log than `seen` bytes, or its end. Waits for
    /// at most `limit`.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub fn wait(&self, seen: u64, limit: Duration, cancel: &Cancel) -> Result<Status, Error> {
        let by = Instant::now() + limit;
        let mut state = self.state();
        loop {
            let now = Instant::now();
            if state.over.is_some() || state.n_bytes > seen || now >= by {
                return Ok(self.status_of(&state));
            }
            if cancel.is_cancelled() {
                return Err(Error::Cancelled);
            }
            let wait = by.saturating_duration_since(now).min(WAIT_TICK);
            (state, _) = self
                .news
                .wait_timeout(state, wait)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Ends it, and waits a little for the end. Gives how it stands then; whether it was over
    /// before, is the second part.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub fn kill(&self, cancel: &Cancel) -> Result<(Status, bool), Error> {
        if self.is_over() {
            return Ok((self.status(), true));
        }
        self.kill.cancel();
        let status = self.wait(u64::MAX, limits::KILL_WAIT, cancel)?;
        Ok((status, false))
    }

    /// The last bytes of the log, whole characters only.
    ///
    /// # Errors
    /// [`Fault::NoLog`].
    pub fn tail(&self, n_bytes: u64) -> Result<Piece, Error> {
        let total = self.state().n_bytes;
        self.piece(total.saturating_sub(n_bytes), total, false)
    }

    /// At most `n_bytes` of the log from a place on. It ends between two characters, so that the
    /// next piece can go on there.
    ///
    /// # Errors
    /// [`Fault::NoLog`].
    pub fn since(&self, from: u64, n_bytes: u64) -> Result<Piece, Error> {
        let (total, is_over) = {
            let state = self.state();
            (state.n_bytes, state.over.is_some())
        };
        let from = from.min(total);
        let to = total.min(from.saturating_add(n_bytes));
        self.piece(from, to, to < total || !is_over)
    }

    fn piece(&self, from: u64, to: u64, goes_on: bool) -> Result<Piece, Error> {
        let n = usize::try_from(to - from).unwrap_or(usize::MAX);
        let mut bytes = vec![0; n];
        let n_read = read_whole(&self.log, &mut bytes, from)
            .map_err(|error| Error::Command(Box::new(Fault::NoLog(reason(&error)))))?;
        bytes.truncate(n_read);
        let page = self.page.as_ref();
        let (start, end) = whole_part(&bytes, page.is_some(), from > 0, goes_on);
        let piece = bytes.get(start..end).unwrap_or_default();
        let from = from + start as u64;
        let to = from + piece.len() as u64;
        let text = clean(&decode(page, piece));
        Ok(Piece {
            from,
            to,
            text: text.head,
            n_invalid: text.n_invalid,
        })
    }

    fn is_over(&self) -> bool {
        self.state().over.is_some()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Whoever panicked left nothing half done: every change is one assignment.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn status_of(&self, state: &State) -> Status {
        let over = state.over.clone();
        let (outcome, duration) = over.unzip();
        Status {
            outcome,
            duration: duration.unwrap_or_else(|| self.started.elapsed()),
            n_bytes: state.n_bytes,
            is_capped: state.is_capped,
            running: state.running.clone(),
        }
    }

    /// Writes down what the command says, until it ends; then keeps what it left running.
    fn watch(&self, mut supervised: Supervised, mut log: Box<dyn Write + Send>) {
        let watch = Watch {
            time_limit: self.max_runtime,
            tick: TICK,
            cancel: &self.kill,
        };
        let ended = supervised.watch(&watch, &mut |bytes| self.write(&mut *log, bytes));
        let outcome = match (ended.stopped, ended.exit) {
            (Some(Stopped::TimedOut), _) => Outcome::TimedOut,
            (_, Some(Exit::Code(code))) => Outcome::Exited(code),
            (_, Some(Exit::Signal(signal))) => Outcome::Killed(signal),
            (_, None) => Outcome::Failed("its supervisor was ended".to_owned()),
        };
        {
            let mut state = self.state();
            state.over = Some((outcome, ended.took));
            state.running = ended.running;
        }
        self.news.notify_all();
        while !supervised.is_over() {
            std::thread::sleep(Duration::from_secs(1));
        }
        self.state().running.clear();
    }

    fn write(&self, log: &mut dyn Write, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        let (n_bytes, is_capped) = {
            let state = self.state();
            (state.n_bytes, state.is_capped)
        };
        let room = limits::JOB_LOG_BYTES.saturating_sub(n_bytes);
        let room = usize::try_from(room).unwrap_or(usize::MAX);
        let taken = bytes.get(..room.min(bytes.len())).unwrap_or(bytes);
        // On a full disk the job goes on, and its log does not.
        let is_written = !is_capped && log.write_all(taken).is_ok();
        let mut state = self.state();
        if is_written {
            state.n_bytes += taken.len() as u64;
        }
        state.is_capped |= !is_written || taken.len() < bytes.len();
        drop(state);
        self.news.notify_all();
    }
}

/// The part of a piece that can be shown without what comes before and behind: from the first
/// character that begins in it, and to the end of the last one if more follows.
fn whole_part(bytes: &[u8], has_page: bool, is_inside: bool, goes_on: bool) -> (usize, usize) {
    let goes_before = |byte: &&u8| **byte & 0xc0 == 0x80;
    let start = match is_inside {
        true => bytes.iter().take(3).take_while(goes_before).count(),
        false => 0,
    };
    let n_partial = if goes_on { partial_char(bytes) } else { 0 };
    // What is nothing but a part of a character is shown as it is, or no call would get on.
    let is_all = n_partial >= bytes.len() - start;
    let end = if is_all {
        bytes.len()
    } else {
        bytes.len() - n_partial
    };
    let piece = bytes.get(start..end).unwrap_or_default();
    if has_page && std::str::from_utf8(piece).is_err() {
        // Where characters of a code page end is seen at the end of a line only.
        let lines = memchr::memrchr(b'\n', bytes).filter(|_| goes_on);
        return (0, lines.map_or(bytes.len(), |place| place + 1));
    }
    (start, end)
}

/// Bytes at the end that begin a character and do not end it.
fn partial_char(bytes: &[u8]) -> usize {
    let last = bytes.iter().rev().take(4);
    let Some(n) = last.clone().position(|byte| byte & 0xc0 != 0x80) else {
        return 0;
    };
    let n_needed = match bytes.iter().nth_back(n) {
        Some(0xc2..=0xdf) => 2,
        Some(0xe0..=0xef) => 3,
        Some(0xf0..=0xf4) => 4,
        _ => 0,
    };
    if n + 1 < n_needed { n + 1 } else { 0 }
}

fn read_whole(file: &File, buffer: &mut [u8], offset: u64) -> std::io::Result<usize> {
    let mut n = 0;
    while let Some(rest) = buffer.get_mut(n..)
        && !rest.is_empty()
    {
        match file.read_at(rest, offset + n as u64)? {
            0 => break,
            read => n += read,
        }
    }
    Ok(n)
}

/// What people call a job.
fn name_of(given: Option<&str>, command: &[String]) -> String {
    let given = given.map(str::trim).filter(|name| !name.is_empty());
    let (name, max_chars) = match given {
        Some(name) => (name.to_owned(), limits::JOB_NAME_CHARS),
        None => (command.join(" "), limits::JOB_NAME_FROM_COMMAND),
    };
    let clean = clean(name.as_bytes()).head;
    let words: Vec<&str> = clean.split_whitespace().collect();
    let name: String = words.join(" ").chars().take(max_chars).collect();
    if name.is_empty() {
        "(unnamed)".to_owned()
    } else {
        rooted::show(name.as_bytes())
    }
}

/// A name that no other job has, most likely.
fn new_id() -> String {
    let mut hasher = std::hash::RandomState::new().build_hasher();
    hasher.write_u32(std::process::id());
    format!("job_{:08x}", hasher.finish() & 0xffff_ffff)
}

/// The name of a job's log.
fn log_name(id: &str) -> String {
    Path::new(id).with_extension("log").display().to_string()
}

#[cfg(test)]
mod tests {
    use super::{log_name, name_of, new_id, partial_char, whole_part};

    #[test]
    fn names_are_one_line_without_escapes() {
        let command = ["node".to_owned(), "-e\n 1".to_owned()];
        assert_eq!(name_of(None, &command), "node -e 1");
        assert_eq!(
            name_of(Some("  \x1b[31ma\tb\u{202e} "), &command),
            "a b\\u{202e}"
        );
        assert_eq!(name_of(Some("\x1b[0m"), &command), "(unnamed)");
        assert_eq!(name_of(None, &["x".repeat(300)]).len(), 120);
    }

    #[test]
    fn a_character_that_is_not_whole_is_found() {
        for (text, n) in [("", 0), ("a", 0), ("€", 0), ("a€€", 0), ("a\u{1f600}", 0)] {
            assert_eq!(partial_char(text.as_bytes()), n, "{text}");
        }
        for (bytes, n) in [
            (&b"a\xe2\x82"[..], 2),
            (b"\xe2\x82\xac\xe2", 1),
            (b"\xf0\x9f\x98", 3),
            (b"\x82\x82\x82\x82\x82", 0),
            (b"a\xff", 0),
        ] {
            assert_eq!(partial_char(bytes), n, "{bytes:?}");
        }
    }

    #[test]
    fn a_piece_ends_where_the_next_can_go_on() {
        let euros = "€€\n€".as_bytes();
        assert_eq!(whole_part(&euros[1..9], false, true, true), (2, 6));
        assert_eq!(whole_part(&euros[1..], true, true, false), (2, 9));
        assert_eq!(whole_part(b"\xe2", false, false, true), (0, 1));
        // A code page: no byte says whether it is the first of a character.
        let words = b"\xd6\xd0\n\xce\xc4\n\xce";
        assert_eq!(whole_part(words, true, true, true), (0, 6));
        assert_eq!(whole_part(words, true, false, false), (0, 7));
    }

    #[test]
    fn ids_are_eight_digits_and_differ() {
        let (one, two) = (new_id(), new_id());
        assert_eq!(one.len(), 12);
        assert_ne!(one, two);
        assert_eq!(log_name("job_0a"), "job_0a.log");
    }
}
