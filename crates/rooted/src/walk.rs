//! Walking a tree: every name beneath a folder, sorted, without following a link.
//!
//! Each folder is opened beneath the root by its whole path, links refused, and its handle is closed
//! before the next one is opened, so neither the number of handles nor what another process swaps
//! meanwhile matters. Small trees are walked on the caller's thread; larger ones on several, and the
//! result is the same. Nothing but names and files of ignore rules is read.

mod entries;
mod folder;
mod memo;

use std::collections::HashMap;
use std::num::NonZero;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use self::entries::Flatten;
pub use self::entries::{Entries, Entry};
use self::folder::{Job, Listed, Scratch, State, visit};
pub(crate) use self::memo::Memos;
use crate::error::{Error, ErrorKind, Result};
use crate::meta::Kind;
use crate::rel_path::RelPath;
use crate::root::Root;

/// The number of the folder at which the walk starts.
const FIRST: u32 = 1;
/// Folders walked before other threads are worth their start.
const FOLDERS_ALONE: usize = 48;
/// Threads at most: beyond that they wait for each other.
const THREADS: usize = 8;
/// Paths of unreadable folders that are kept.
const UNREADABLE_PATHS: usize = 5;

/// Says of a path and what is there whether it stays out of sight.
pub type Hidden<'a> = &'a (dyn Fn(&RelPath, Kind) -> bool + Sync);

/// What to walk, and what to leave out.
#[derive(Clone, Copy)]
pub struct WalkOptions<'a> {
    /// The folder whose content is wanted; links on the way to it are followed as the root's mode says.
    pub start: &'a RelPath,
    /// Levels below the start that are listed; folders on the last one are not entered.
    pub max_depth: usize,
    /// Entries that are listed at most; then [`Walked::capped`] is set.
    pub max_entries: usize,
    /// Regular files only; otherwise folders too.
    pub files_only: bool,
    /// Do without the rules of `.gitignore` and `.ignore` files.
    pub include_ignored: bool,
    /// Names of folders that are neither listed nor entered, nor counted.
    pub skip: &'a [&'a str],
    /// Hides entries and what lies beneath them; they are not counted.
    pub hidden: Option<Hidden<'a>>,
    /// Asked often; the walk ends early when it says so.
    pub stop: &'a (dyn Fn() -> bool + Sync),
    /// Threads at most; 0 for as many as the machine has.
    pub threads: usize,
}

impl<'a> WalkOptions<'a> {
    /// Everything beneath `start`, files and folders, by the ignore rules there, to any depth.
    #[must_use]
    pub fn new(start: &'a RelPath) -> Self {
        Self {
            start,
            max_depth: usize::MAX,
            max_entries: 2_000_000,
            files_only: false,
            include_ignored: false,
            skip: &[],
            hidden: None,
            stop: &|| false,
            threads: 0,
        }
    }
}

/// What a walk found.
#[derive(Debug, Default)]
pub struct Walked {
    /// Files, and folders unless only files were wanted, sorted by the bytes of their paths.
    pub entries: Entries,
    /// Entries left out by ignore rules; a folder counts as one.
    pub ignored: u64,
    /// Folders that could not be read; they are listed, their content is not.
    pub unreadable: u64,
    /// The first few of them.
    pub unreadable_paths: Vec<RelPath>,
    /// There are more entries than were asked for; those listed are the first.
    pub capped: bool,
    /// The walk was stopped; what is listed is true but not all.
    pub stopped: bool,
}

/// Walks a folder.
///
/// Links, pipes, sockets and devices are left out, and so is what vanishes meanwhile.
///
/// # Errors
/// Those of opening the start: [`ErrorKind::NotFound`], [`ErrorKind::NotADirectory`],
/// [`ErrorKind::PermissionDenied`] and so on.
///
/// A walk that was made before, of a tree in which nothing changed since, is not made again. A root
/// is expected to be walked with one filter only: [`WalkOptions::hidden`] is set or it is not.
pub fn walk(root: &Root, options: &WalkOptions) -> Result<Arc<Walked>> {
    let (meta, start) = root.find(options.start)?;
    if meta.kind != Kind::Dir {
        return Err(Error::new(ErrorKind::NotADirectory, options.start));
    }
    let begun = match root.memos.find(root, &start, options) {
        Ok(walked) => return Ok(walked),
        Err(begun) => begun,
    };
    let (walked, folders) = walk_anew(root, start, options)?;
    let walked = Arc::new(walked);
    root.memos.keep(root, begun, &walked, &folders);
    Ok(walked)
}

/// Walks from a folder; also tells the folders that were read.
fn walk_anew(root: &Root, start: RelPath, options: &WalkOptions) -> Result<(Walked, Vec<RelPath>)> {
    let shared = Shared {
        root,
        options,
        next: AtomicU32::new(FIRST + 1),
        n_listed: AtomicUsize::new(0),
        capped: AtomicBool::new(false),
        stopped: AtomicBool::new(false),
    };
    let handle = folder::open(root, &start).map_err(|fault| fault.of(options.start))?;
    drop(handle);
    let mut scratch = Scratch::default();
    let first = Job {
        id: FIRST,
        depth: 0,
        rules: folder::rules_above(&shared, &start),
        path: start,
    };
    let mut tree = shared.run(first.clone(), &mut scratch);
    if shared.capped.load(Ordering::Relaxed) {
        drop(tree);
        return Ok((shared.walk_in_order(first, &mut scratch), Vec::new()));
    }
    let folders = tree
        .iter()
        .flatten()
        .map(|listed| listed.path.clone())
        .collect();
    let mut take = |id: u32| tree.get_mut(id as usize)?.take();
    let Some(first) = take(FIRST) else {
        let stopped = Walked {
            stopped: true,
            ..Walked::default()
        };
        return Ok((stopped, Vec::new()));
    };
    Ok((shared.gather(first, &mut take), folders))
}

/// What the threads of one walk have in common.
struct Shared<'a> {
    root: &'a Root,
    options: &'a WalkOptions<'a>,
    /// The next free folder number.
    next: AtomicU32,
    n_listed: AtomicUsize,
    capped: AtomicBool,
    stopped: AtomicBool,
}

impl Shared<'_> {
    /// Says whether to end early, for whatever reason.
    fn is_over(&self) -> bool {
        self.capped.load(Ordering::Relaxed) || self.is_stopped()
    }

    fn is_stopped(&self) -> bool {
        let stopped = self.stopped.load(Ordering::Relaxed) || (self.options.stop)();
        if stopped {
            self.stopped.store(true, Ordering::Relaxed);
        }
        stopped
    }

    /// Takes numbers for so many folders; the first of them.
    fn number(&self, n_folders: u32) -> u32 {
        self.next.fetch_add(n_folders, Ordering::Relaxed)
    }

    fn count(&self, n_entries: usize) {
        let before = self.n_listed.fetch_add(n_entries, Ordering::Relaxed);
        if before.saturating_add(n_entries) > self.options.max_entries {
            self.cap();
        }
    }

    fn cap(&self) {
        self.capped.store(true, Ordering::Relaxed);
    }

    /// Walks everything below `first`, alone or with help; the folders by their numbers.
    fn run(&self, first: Job, scratch: &mut Scratch) -> Vec<Option<Listed>> {
        let mut done = Vec::new();
        let mut jobs = vec![first];
        while let Some(job) = jobs.pop() {
            if self.is_over() {
                break;
            }
            done.push(visit(self, job, scratch, &mut jobs));
            if done.len() >= FOLDERS_ALONE && jobs.len() > 1 {
                let n_threads = self.n_threads();
                if n_threads > 1 {
                    self.run_together(n_threads, jobs, scratch, &mut done);
                    break;
                }
            }
        }
        let mut tree = Vec::new();
        tree.resize_with(self.next.load(Ordering::Relaxed) as usize, || None);
        for listed in done {
            if let Some(place) = tree.get_mut(listed.id as usize) {
                *place = Some(listed);
            }
        }
        tree
    }

    fn n_threads(&self) -> usize {
        match self.options.threads {
            0 => thread::available_parallelism()
                .map_or(1, NonZero::get)
                .min(THREADS),
            set => set,
        }
    }

    fn run_together(
        &self,
        n_threads: usize,
        jobs: Vec<Job>,
        scratch: &mut Scratch,
        done: &mut Vec<Listed>,
    ) {
        let crew = Crew {
            queue: Mutex::new(Queue { jobs, n_busy: 0 }),
            wake: Condvar::new(),
        };
        thread::scope(|scope| {
            let others: Vec<_> = (1..n_threads)
                .map(|_| {
                    scope.spawn(|| {
                        let mut done = Vec::new();
                        crew.work(self, &mut Scratch::default(), &mut done);
                        done
                    })
                })
                .collect();
            crew.work(self, scratch, done);
            for other in others {
                match other.join() {
                    Ok(more) => done.extend(more),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
        });
    }

    /// The first entries of a tree that has too many: walked again by one thread, in order.
    ///
    /// Which folders the threads had reached when the limit was met is a matter of chance.
    fn walk_in_order(&self, first: Job, scratch: &mut Scratch) -> Walked {
        self.capped.store(false, Ordering::Relaxed);
        self.next.store(FIRST + 1, Ordering::Relaxed);
        let mut found = Vec::new();
        let first = visit(self, first, scratch, &mut found);
        let mut jobs: HashMap<u32, Job> = HashMap::new();
        jobs.extend(found.drain(..).map(|job| (job.id, job)));
        self.gather(first, &mut |id| {
            let job = jobs.remove(&id).filter(|_| !self.is_stopped())?;
            let listed = visit(self, job, scratch, &mut found);
            jobs.extend(found.drain(..).map(|job| (job.id, job)));
            Some(listed)
        })
    }

    fn gather(&self, first: Listed, child: &mut dyn FnMut(u32) -> Option<Listed>) -> Walked {
        let mut walked = Walked::default();
        let mut each = |listed: &Listed| {
            walked.ignored += listed.n_ignored;
            if listed.state == State::Unreadable {
                walked.unreadable += 1;
                if walked.unreadable_paths.len() < UNREADABLE_PATHS {
                    walked.unreadable_paths.push(listed.path.clone());
                }
            }
        };
        let flatten = Flatten {
            max_entries: self.options.max_entries,
            child,
            each: &mut each,
        };
        let (entries, capped) = flatten.run(first);
        walked.entries = entries;
        walked.capped = capped;
        walked.stopped = self.stopped.load(Ordering::Relaxed);
        walked
    }
}

/// Folders still to be walked, shared by the threads of one walk.
struct Crew {
    queue: Mutex<Queue>,
    wake: Condvar,
}

struct Queue {
    jobs: Vec<Job>,
    /// Threads that hold a job and may add more.
    n_busy: usize,
}

impl Crew {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self, shared: &Shared, scratch: &mut Scratch, done: &mut Vec<Listed>) {
        let mut children = Vec::new();
        while let Some(job) = self.take() {
            let turn = Turn(self);
            if shared.is_over() {
                self.lock().jobs.clear();
                continue;
            }
            done.push(visit(shared, job, scratch, &mut children));
            self.lock().jobs.append(&mut children);
            drop(turn);
        }
    }

    /// The next folder; `None` when there is none left and nobody who could find more.
    fn take(&self) -> Option<Job> {
        let mut queue = self.lock();
        loop {
            if let Some(job) = queue.jobs.pop() {
                queue.n_busy += 1;
                return Some(job);
            }
            if queue.n_busy == 0 {
                return None;
            }
            queue = self
                .wake
                .wait(queue)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// A thread's turn at one folder. It ends also when the caller's filter panics, so nobody waits for ever.
struct Turn<'a>(&'a Crew);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut queue = self.0.lock();
        queue.n_busy -= 1;
        if !queue.jobs.is_empty() || queue.n_busy == 0 {
            self.0.wake.notify_all();
        }
    }
}
