//! Ignore rules: what `.gitignore` and `.ignore` files leave out of a walk.
//!
//! The files are read through the handle of the folder they lie in, never through a link, and only
//! their first bytes; whether there is a git repository makes no difference. The rules nearest to an
//! entry decide, and `.ignore` decides before `.gitignore`. Rules of the user or of
//! `.git/info/exclude` are not read: they would make answers differ between machines.

use std::io::Read as _;
use std::sync::Arc;

use crate::ignore_lines::Lines;
use crate::meta::{Kind, Meta};
use crate::platform::{self, DirHandle};

/// Names of the files that hold rules, the stronger first.
pub(crate) const IGNORE: &[u8] = b".ignore";
pub(crate) const GITIGNORE: &[u8] = b".gitignore";

/// Bytes of one file of rules that are read; a longer one counts up to its last whole line.
const FILE_BYTES: u64 = 128 * 1024;
/// Lines of one file that are compiled, since each costs memory and time.
const LINES: usize = 4000;
/// Lines that hold at once, in all folders from the root down: a hostile tree is nested at will.
const LINES_IN_FORCE: usize = 10_000;

/// The rules that hold in a folder: its own, and those of the folders above.
pub(crate) struct Rules {
    above: Option<Arc<Rules>>,
    /// Length of the folder's path with its slash: where paths relative to it begin.
    base: usize,
    ignore: Option<Lines>,
    gitignore: Option<Lines>,
    /// Whether this folder or one above has a file of the stronger name.
    has_ignore: bool,
    /// Lines here and above.
    n_lines: usize,
}

/// Which files of rules a folder holds.
#[derive(Clone, Copy, Default)]
pub(crate) struct Present {
    pub(crate) ignore: bool,
    pub(crate) gitignore: bool,
}

impl Present {
    /// For a folder that was not listed: both may be there.
    pub(crate) const UNKNOWN: Self = Self {
        ignore: true,
        gitignore: true,
    };

    /// Takes note of a regular file in the folder.
    pub(crate) fn note(&mut self, name: &[u8]) {
        self.ignore |= name == IGNORE;
        self.gitignore |= name == GITIGNORE;
    }
}

impl Rules {
    /// The rules in a folder whose path with its slash is `base` bytes long.
    ///
    /// `entered` are folders below it that the caller asked for: rules that would leave them out do
    /// not hold.
    pub(crate) fn load(
        above: Option<Arc<Self>>,
        dir: &DirHandle,
        base: usize,
        present: Present,
        entered: &[&[u8]],
        refuse: impl Fn(&Meta) -> bool,
    ) -> Option<Arc<Self>> {
        let mut n_lines = above.as_ref().map_or(0, |above| above.n_lines);
        let mut load = |is_there: bool, name| {
            let text = is_there.then(|| read(dir, name, &refuse)).flatten()?;
            let n_left = LINES.min(LINES_IN_FORCE.saturating_sub(n_lines));
            let (lines, n_used) = parse(&text, n_left, entered);
            n_lines += n_used;
            lines
        };
        let ignore = load(present.ignore, IGNORE);
        let gitignore = load(present.gitignore, GITIGNORE);
        if ignore.is_none() && gitignore.is_none() {
            return above;
        }
        let has_ignore = ignore.is_some() || above.as_ref().is_some_and(|above| above.has_ignore);
        Some(Arc::new(Self {
            above,
            base,
            ignore,
            gitignore,
            has_ignore,
            n_lines,
        }))
    }

    /// Says whether the entry at `path`, which lies in the folder of these rules or below, is left out.
    pub(crate) fn leave_out(&self, path: &[u8], is_dir: bool) -> bool {
        let mut weaker = None;
        let mut next = Some(self);
        while let Some(rules) = next {
            let inside = path.get(rules.base..).unwrap_or_default();
            let verdict = |lines: &Option<Lines>| lines.as_ref()?.verdict(inside, is_dir);
            if let Some(verdict) = verdict(&rules.ignore) {
                return verdict;
            }
            if weaker.is_none() {
                weaker = verdict(&rules.gitignore);
            }
            if weaker.is_some() && !rules.has_ignore {
                break;
            }
            next = rules.above.as_deref();
        }
        weaker.unwrap_or(false)
    }
}

impl Drop for Rules {
    /// Takes the chain apart in a loop, since a hostile tree can make it thousands of folders deep.
    fn drop(&mut self) {
        let mut next = self.above.take();
        while let Some(mut rules) = next.and_then(Arc::into_inner) {
            next = rules.above.take();
        }
    }
}

/// The text of a file of rules; `None` when it is no regular file or cannot be read.
fn read(dir: &DirHandle, name: &[u8], refuse: impl Fn(&Meta) -> bool) -> Option<Vec<u8>> {
    let file = platform::open_file(dir, name).ok()?;
    let meta = platform::stat_file(&file).ok()?;
    if meta.kind != Kind::File || refuse(&meta) {
        return None;
    }
    let mut text = Vec::new();
    file.take(FILE_BYTES + 1).read_to_end(&mut text).ok()?;
    if text.len() as u64 > FILE_BYTES {
        let whole = text.iter().rposition(|&b| b == b'\n').unwrap_or(0);
        text.truncate(whole);
    }
    Some(text)
}

/// Compiles the first lines of a file and says how many they are; lines that would leave out a folder
/// that was asked for are passed over.
fn parse(text: &[u8], max_lines: usize, entered: &[&[u8]]) -> (Option<Lines>, usize) {
    let text = String::from_utf8_lossy(text);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let lines = || text.lines().take(max_lines);
    let n_lines = lines().count();
    let Some(rules) = Lines::compile(lines()) else {
        return (None, n_lines);
    };
    let leaves_out = |rules: &Lines| {
        entered
            .iter()
            .any(|path| rules.verdict(path, true) == Some(true))
    };
    if !leaves_out(&rules) {
        return (Some(rules), n_lines);
    }
    let harmless = |line: &&str| !Lines::compile([*line]).is_some_and(|one| leaves_out(&one));
    (Lines::compile(lines().filter(harmless)), n_lines)
}
