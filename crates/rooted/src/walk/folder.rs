//! One folder of a walk: opened, listed, filtered, sorted.

use std::cmp::Ordering;
use std::io;
use std::num::NonZero;
use std::sync::Arc;

use super::Shared;
use crate::error::{Error, ErrorKind};
use crate::ignore_rules::{Present, Rules};
use crate::meta::{Kind, Meta};
use crate::platform::{self, Beneath, DirHandle};
use crate::rel_path::RelPath;
use crate::replace::is_temp_name;
use crate::resolve::{self, Spot};
use crate::root::{Resolver, Root};

/// Length of a path beyond which a folder counts as unreadable: twice what one call of the system
/// takes, and little enough that a chain of folders cannot fill the memory with its paths.
const PATH_BYTES: usize = 8192;
/// Names of one folder that are held at once. In a folder with more, which ones is up to the system.
const FOLDER_NAMES: usize = 2_000_000;
/// Names between two looks at whether to stop.
const STOP_EVERY: usize = 1024;

/// A folder to be walked.
#[derive(Clone)]
pub(super) struct Job {
    pub(super) id: u32,
    pub(super) path: RelPath,
    /// Levels below the start.
    pub(super) depth: usize,
    /// The rules of the folders above.
    pub(super) rules: Option<Arc<Rules>>,
}

/// What became of a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Its names are known.
    Listed,
    /// It vanished, or something else has its name now.
    Gone,
    /// It cannot be read.
    Unreadable,
    /// It is a view of the kernel, whose files are no content.
    Closed,
}

/// A folder that was visited.
pub(super) struct Listed {
    pub(super) id: u32,
    pub(super) state: State,
    pub(super) path: RelPath,
    /// The names, one after the other; a folder's with a slash.
    pub(super) names: Box<[u8]>,
    /// What is in it, in the order of the result.
    pub(super) items: Vec<Item>,
    /// Entries left out by ignore rules.
    pub(super) n_ignored: u64,
}

/// What an item of a folder stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    File,
    /// A folder itself, by its name.
    Folder,
    /// What is in a folder, by its name and a slash: not always next to the folder itself.
    Inside,
}

/// A name in [`Listed::names`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    /// The first eight bytes, so that most comparisons need not look at the names.
    key: u64,
    pub(super) at: u32,
    /// The number of the folder, when it is to be entered.
    pub(super) child: Option<NonZero<u32>>,
    pub(super) len: u16,
    pub(super) what: What,
}

/// Buffers that one thread uses for all its folders.
#[derive(Default)]
pub(super) struct Scratch {
    kernel: Vec<u8>,
    names: Vec<u8>,
    raw: Vec<Raw>,
    path: Vec<u8>,
}

/// A name as the folder gave it.
#[derive(Clone, Copy)]
struct Raw {
    at: u32,
    len: u16,
    is_dir: bool,
}

/// Why a folder cannot be walked.
pub(super) struct Fault {
    state: State,
    kind: ErrorKind,
}

impl Fault {
    /// The error for somebody who asked for this very folder.
    pub(super) fn of(self, path: &RelPath) -> Error {
        Error::new(self.kind, path)
    }

    fn new(kind: ErrorKind) -> Self {
        let state = match kind {
            ErrorKind::NotFound
            | ErrorKind::NotADirectory
            | ErrorKind::LinkRefused
            | ErrorKind::LinkLoop
            | ErrorKind::Outside
            | ErrorKind::Changed => State::Gone,
            ErrorKind::NotRegular => State::Closed,
            ErrorKind::IsADirectory
            | ErrorKind::PermissionDenied
            | ErrorKind::InUse
            | ErrorKind::HardLinked
            | ErrorKind::OtherFilesystem
            | ErrorKind::NameTooLong
            | ErrorKind::NoSpace
            | ErrorKind::ReadOnlyFilesystem
            | ErrorKind::Exists
            | ErrorKind::Unsupported
            | ErrorKind::Other(_) => State::Unreadable,
        };
        Self { state, kind }
    }
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Self::new(platform::sort_error(error))
    }
}

/// Opens a folder for listing, without following a link anywhere on the way.
pub(super) fn open(root: &Root, path: &RelPath) -> Result<DirHandle, Fault> {
    if path.as_bytes().len() > PATH_BYTES {
        return Err(Fault::new(ErrorKind::NameTooLong));
    }
    if path.is_root() {
        return Ok(platform::readable(&root.handle)?);
    }
    if root.resolver == Resolver::Kernel {
        let beneath = |stay| platform::readable_beneath(&root.handle, path.as_bytes(), stay);
        // The first try tells whether a mount is on the way, which costs nothing; only then does
        // it matter of what kind.
        match beneath(true) {
            Beneath::Opened(handle) => return Ok(handle),
            Beneath::Link => return Err(Fault::new(ErrorKind::LinkRefused)),
            Beneath::Failed(error) => match platform::sort_error(error) {
                // Too long for one call; one component at a time may do.
                ErrorKind::NameTooLong => {}
                kind => return Err(Fault::new(kind)),
            },
            Beneath::Unknown if root.mode.one_filesystem => {}
            Beneath::Unknown => {
                if let Beneath::Opened(handle) = beneath(false) {
                    return content(handle);
                }
            }
        }
    }
    let spot = resolve::walk(root, path, false).and_then(|spot| spot.existing(path));
    let handle = match spot.map_err(|error| Fault::new(error.kind))? {
        Spot::Dir { dir, .. } => dir,
        Spot::At { dir, name, .. } => platform::open_dir(&dir, &name)?,
        Spot::Missing { .. } => return Err(Fault::new(ErrorKind::NotFound)),
    };
    content(platform::readable(&handle)?)
}

/// The handle, unless its folder is a view of the kernel.
fn content(handle: DirHandle) -> Result<DirHandle, Fault> {
    if platform::is_kernel_dir(&handle) {
        return Err(Fault::new(ErrorKind::NotRegular));
    }
    Ok(handle)
}

/// The rules of the folders from the root down to above `start`.
pub(super) fn rules_above(shared: &Shared, start: &RelPath) -> Option<Arc<Rules>> {
    if shared.options.include_ignored {
        return None;
    }
    let slashes = |from: usize| {
        let rest = start.as_bytes().iter().enumerate().skip(from);
        rest.filter_map(|(at, &b)| (b == b'/').then_some(at))
    };
    let mut rules = None;
    let mut above = RelPath::root();
    for name in start.components() {
        let base = base(&above);
        let entered: Vec<&[u8]> = slashes(base)
            .chain([start.as_bytes().len()])
            .filter_map(|end| start.as_bytes().get(base..end))
            .collect();
        if let Ok(dir) = open(shared.root, &above) {
            let refuse = |meta: &Meta| is_refused(shared.root, meta);
            rules = Rules::load(rules, &dir, base, Present::UNKNOWN, &entered, refuse);
        }
        above = above.join(name);
    }
    rules
}

fn is_refused(root: &Root, meta: &Meta) -> bool {
    root.mode.refuse_hard_links && meta.nlink > 1
}

/// Length of a folder's path with its slash.
fn base(folder: &RelPath) -> usize {
    match folder.as_bytes().len() {
        0 => 0,
        len => len + 1,
    }
}

/// Lists a folder and adds those in it that are to be walked to `jobs`.
pub(super) fn visit(
    shared: &Shared,
    job: Job,
    scratch: &mut Scratch,
    jobs: &mut Vec<Job>,
) -> Listed {
    let mut listed = Listed {
        id: job.id,
        state: State::Listed,
        path: job.path.clone(),
        names: Box::default(),
        items: Vec::new(),
        n_ignored: 0,
    };
    match open(shared.root, &job.path) {
        Ok(dir) => match list(shared, &dir, scratch) {
            Ok(present) => {
                let rules = if shared.options.include_ignored {
                    None
                } else {
                    let refuse = |meta: &Meta| is_refused(shared.root, meta);
                    Rules::load(job.rules, &dir, base(&job.path), present, &[], refuse)
                };
                // Matching needs no handle, and nobody should hold more than one.
                drop(dir);
                fill(
                    shared,
                    &mut listed,
                    job.depth,
                    rules.as_ref(),
                    scratch,
                    jobs,
                );
            }
            Err(fault) => listed.state = fault.state,
        },
        Err(fault) => listed.state = fault.state,
    }
    listed
}

/// Reads the names of files and folders into `scratch`.
fn list(shared: &Shared, dir: &DirHandle, scratch: &mut Scratch) -> Result<Present, Fault> {
    let Scratch {
        kernel, names, raw, ..
    } = scratch;
    names.clear();
    raw.clear();
    let mut present = Present::default();
    let mut n_seen = 0_usize;
    let mut is_over = false;
    let done = platform::list_readable(dir, kernel, |name, kind| {
        n_seen += 1;
        if n_seen.is_multiple_of(STOP_EVERY) && shared.is_stopped() {
            is_over = true;
            return Err(io::ErrorKind::Interrupted.into());
        }
        let kind = match kind {
            Some(kind) => kind,
            None => match platform::stat(dir, name) {
                Ok(meta) => meta.kind,
                // It vanished; or nothing can be told of it, and then nothing is told.
                Err(_) => return Ok(()),
            },
        };
        let is_dir = match kind {
            Kind::Dir => true,
            Kind::File => false,
            Kind::Link | Kind::Special => return Ok(()),
        };
        if is_left_out(shared, name, is_dir) {
            return Ok(());
        }
        if !is_dir {
            present.note(name);
        }
        let (Ok(at), Ok(len)) = (u32::try_from(names.len()), u16::try_from(name.len())) else {
            return Ok(());
        };
        if raw.len() >= FOLDER_NAMES {
            shared.cap();
            is_over = true;
            return Err(io::ErrorKind::Interrupted.into());
        }
        raw.push(Raw { at, len, is_dir });
        names.extend_from_slice(name);
        Ok(())
    });
    match done {
        Err(error) if !is_over => Err(error.into()),
        _ => Ok(present),
    }
}

fn is_left_out(shared: &Shared, name: &[u8], is_dir: bool) -> bool {
    is_temp_name(name)
        || is_dir
            && shared
                .options
                .skip
                .iter()
                .any(|skip| skip.as_bytes() == name)
}

/// Keeps what is neither hidden nor ignored, in order.
fn fill(
    shared: &Shared,
    listed: &mut Listed,
    depth: usize,
    rules: Option<&Arc<Rules>>,
    scratch: &mut Scratch,
    jobs: &mut Vec<Job>,
) {
    let options = shared.options;
    let Scratch {
        names, raw, path, ..
    } = scratch;
    let inner = depth + 1;
    if inner > options.max_depth {
        return;
    }
    let enter = inner < options.max_depth;
    let mut kept = Vec::with_capacity(names.len() + raw.len() / 8);
    let mut items = Vec::with_capacity(raw.len());
    path.clear();
    path.extend_from_slice(listed.path.as_bytes());
    if !path.is_empty() {
        path.push(b'/');
    }
    let base = path.len();
    let mut n_folders = 0_u32;
    for raw in raw.iter() {
        let at = raw.at as usize;
        let Some(name) = names.get(at..at + usize::from(raw.len)) else {
            continue;
        };
        path.truncate(base);
        path.extend_from_slice(name);
        if let Some(hidden) = options.hidden {
            let kind = if raw.is_dir { Kind::Dir } else { Kind::File };
            if hidden(&RelPath::from_names(path.as_slice()), kind) {
                continue;
            }
        }
        if rules.is_some_and(|rules| rules.leave_out(path, raw.is_dir)) {
            listed.n_ignored += 1;
            continue;
        }
        let Ok(at) = u32::try_from(kept.len()) else {
            continue;
        };
        let mut item = Item {
            key: key(name),
            at,
            child: None,
            len: raw.len,
            what: What::File,
        };
        kept.extend_from_slice(name);
        if !raw.is_dir {
            items.push(item);
            continue;
        }
        kept.push(b'/');
        if enter {
            item.child = NonZero::new(n_folders + 1);
            n_folders += 1;
        }
        if !options.files_only {
            item.what = What::Folder;
            items.push(item);
        }
        if enter {
            item.what = What::Inside;
            item.len = item.len.saturating_add(1);
            item.key = key(kept.get(at as usize..).unwrap_or_default());
            items.push(item);
        }
    }
    let n_entries = items
        .iter()
        .filter(|item| item.what != What::Inside)
        .count();
    shared.count(n_entries);
    items.sort_unstable_by(|a, b| a.order(b, &kept));
    let first = shared.number(n_folders);
    for item in &mut items {
        item.child = item.child.and_then(|n| n.checked_add(first - 1));
        if item.what != What::Inside {
            continue;
        }
        let (Some(id), Some(name)) = (item.child, item.name(&kept)) else {
            continue;
        };
        path.truncate(base);
        path.extend_from_slice(name.strip_suffix(b"/").unwrap_or(name));
        jobs.push(Job {
            id: id.get(),
            path: RelPath::from_names(path.as_slice()),
            depth: inner,
            rules: rules.cloned(),
        });
    }
    listed.names = kept.into();
    listed.items = items;
}

impl Item {
    fn name<'a>(&self, names: &'a [u8]) -> Option<&'a [u8]> {
        let at = self.at as usize;
        names.get(at..at + usize::from(self.len))
    }

    fn order(&self, other: &Self, names: &[u8]) -> Ordering {
        self.key
            .cmp(&other.key)
            .then_with(|| self.name(names).cmp(&other.name(names)))
    }
}

/// The first eight bytes as a number that sorts like them; names hold no NUL, so padding sorts first.
fn key(name: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    for (to, from) in bytes.iter_mut().zip(name) {
        *to = *from;
    }
    u64::from_be_bytes(bytes)
}
