//! `Paged`: the five things that can be asked, each from a walk to a page.

use std::sync::{Arc, Mutex, PoisonError};

use rooted::{Mode, Root};

use super::cursor::{Bound, Codec, LARGEST, State, quote, scope};
use super::digest::{Digests, Reach};
use super::fault::Fault;
use super::listing::Listing;
use super::memory::{Matches, Memory, Walk};
use super::options::{Limits, Options};
use super::page::{Candidate, Chunk, Draft, Entry, FoundFile, FoundLine, Item, Page};
use super::path::Path;
use super::proof::Spares;
use super::request::{ListRequest, ReadRequest, SearchRequest, items, parse};
use super::scan::{Pause, Search, Stop};
use super::selector::Selector;
use super::terms::Terms;
use super::text::Chunks;
use super::walk::{Inventory, Walker};
use super::write::{WriteRequest, Written};
use super::{text, write};
use crate::cancel::Cancel;
use crate::workspace::{Workspace, WorkspaceOptions};

/// Items of a page at most, but for the pieces of a file.
const ITEMS: u64 = 200;

/// A folder that is served in pages.
#[derive(Debug)]
pub struct Paged {
    workspace: Workspace,
    selector: Selector,
    limits: Limits,
    codec: Codec,
    /// Set where cursors are to be the same in every process.
    digests: Option<Digests>,
    memory: Memory,
    /// The root that the memory is of. Held for a look only.
    walked: Mutex<Option<Arc<Root>>>,
    /// Watches to lend; `None` where changes are to be looked for.
    watches: Option<Arc<Spares>>,
    /// Walks that were made; for tests.
    #[cfg(test)]
    n_walks: std::sync::atomic::AtomicUsize,
    /// Takes all times for far enough apart; for tests.
    #[cfg(test)]
    pub(super) is_hasty: bool,
}

/// A page that was made from a walk, and whether the traversal ends with it.
type Made<T> = Result<Page<T>, Stop>;

impl Paged {
    /// Opens a folder.
    ///
    /// # Errors
    /// The sentence that says what is wrong with the options.
    pub fn open(options: Options) -> Result<Self, &'static str> {
        Self::open_with(options, true)
    }

    /// [`Paged::open`], with or without asking the system to tell of changes.
    pub(super) fn open_with(options: Options, watches: bool) -> Result<Self, &'static str> {
        options.check()?;
        let key = options.cursor_key.as_deref();
        if key.is_some_and(|key| key.len() < 32) {
            return Err("cursor key must contain at least 32 bytes");
        }
        let path = options.root_path()?;
        let workspace = Workspace::open(WorkspaceOptions {
            mode: Mode::NO_LINKS,
            ..WorkspaceOptions::new("default", &path)
        });
        let workspace = workspace.map_err(|_| "root does not exist")?;
        let root = workspace.root().map_err(|_| "root does not exist")?;
        let limits = options.limits;
        Ok(Self {
            selector: Selector::new(
                &options.include,
                &options.exclude,
                options.default_exclude,
                root.folds_case(),
            ),
            codec: key.map_or_else(Codec::random, Codec::new),
            digests: key.map(|_| Digests::new(limits.max_files, limits.max_cursor_hash_bytes)),
            workspace,
            limits,
            memory: Memory::default(),
            walked: Mutex::new(Some(root)),
            watches: watches.then(Arc::default),
            #[cfg(test)]
            n_walks: std::sync::atomic::AtomicUsize::new(0),
            #[cfg(test)]
            is_hasty: false,
        })
    }

    /// How much one call may cost.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Pieces of a file that one page may hold.
    #[must_use]
    pub fn max_chunks(&self) -> u64 {
        self.limits.max_read_bytes.div_ceil(text::CHUNK)
    }

    /// Lists a folder.
    ///
    /// # Errors
    /// [`Fault`].
    pub fn list_directory(
        &self,
        cancel: &Cancel,
        request: &ListRequest<'_>,
    ) -> Result<Page<Entry>, Fault> {
        let folder = parse(request.path)?;
        let root = self.root()?;
        let scope = scope(
            "list_directory",
            &format!("{{\"path\":{}}}", quote(folder.as_str())),
        );
        let make = |listing: &Listing| -> Made<Entry> {
            let state = listing.state.get_or_init(|| {
                let mut state = State::default();
                for entry in &listing.entries {
                    state.add(&[entry.kind, "\0", &entry.path]);
                }
                state.finish()
            });
            let bound = Bound {
                scope: &scope,
                state,
            };
            let n = listing.entries.len();
            let mut page = self.array(bound, request.cursor, request.limit, n, |place| {
                listing.entries.get(place).cloned()
            })?;
            page.skipped.names = listing.n_names;
            Ok(page)
        };
        let kept = self.memory.folder(folder.as_str());
        if let Some(listing) = kept {
            let is_watched = listing.proof.is_watched();
            let is_true = if is_watched {
                listing.is_quiet(&self.selector, &self.limits)
            } else {
                listing.proof.can_look() && listing.names_hold(&root, &self.limits)
            };
            match is_true.then(|| make(&listing)) {
                Some(Ok(page))
                    if page.next_cursor.is_some() || listing.holds(&root, &self.limits) =>
                {
                    return Ok(page);
                }
                _ => self.memory.drop_folder(&listing),
            }
        }
        let walker = self.walker(&root, cancel);
        let listing = walker.listing(&folder)?;
        let page = make(&listing)?;
        if page.next_cursor.is_some() && listing.proof.is_worth_keeping() {
            self.memory
                .keep(folder.as_str(), Walk::Folder(Arc::new(listing)));
        }
        Ok(page)
    }

    /// Finds files by their paths.
    ///
    /// # Errors
    /// [`Fault`].
    pub fn search_files(
        &self,
        cancel: &Cancel,
        request: &SearchRequest<'_>,
    ) -> Result<Page<FoundFile>, Fault> {
        let terms = Terms::new(request.query, request.any_of, request.case_insensitive)?;
        let scope = scope("search_files", &format!("{{{}}}", terms.scope()));
        self.over_files(cancel, &Path::root(), Rests::OnNames, |inventory, _| {
            let matches = inventory
                .found
                .get(&scope, || Matches::of(inventory, &terms));
            let bound = Bound {
                scope: &scope,
                state: &matches.state,
            };
            let n = matches.places.len();
            self.array(bound, request.cursor, request.limit, n, |place| {
                let place = matches.places.get(place)?;
                let row = inventory.files.get(*place as usize)?;
                Some(FoundFile {
                    path: row.path.clone(),
                })
            })
        })
    }

    /// Finds lines by what they say.
    ///
    /// # Errors
    /// [`Fault`].
    pub fn search_text(
        &self,
        cancel: &Cancel,
        request: &SearchRequest<'_>,
    ) -> Result<Page<FoundLine>, Fault> {
        let terms = Terms::new(request.query, request.any_of, request.case_insensitive)?;
        let path = parse(request.path)?;
        let finder = terms.finder();
        let arguments = format!("{{\"path\":{},{}}}", quote(path.as_str()), terms.scope());
        let scope = scope("search_text", &arguments);
        self.over_files(cancel, &path, Rests::OnContent, |inventory, reach| {
            let is_kept = reach.is_kept;
            let state = match inventory.state.get() {
                Some(state) => state,
                None => {
                    let state = self.state(inventory, &reach.reach, is_kept)?;
                    inventory.state.get_or_init(|| state)
                }
            };
            let bound = Bound {
                scope: &scope,
                state,
            };
            let start = self.codec.decode(bound, request.cursor, Pause::before(0))?;
            if request.cursor.is_some() && start.file >= inventory.files.len() as u64 {
                return Err(Fault::CURSOR.into());
            }
            let search = Search {
                root: reach.reach.root,
                files: &inventory.files,
                finder: &finder,
                limit: items(request.limit, ITEMS)?,
                budget: self.limits.max_scan_bytes,
                is_strict: self.digests.is_some(),
                is_kept,
                cancel,
            };
            let scanned = search.run(start)?;
            let mut page = Draft {
                codec: &self.codec,
                bound,
                start,
                candidates: scanned.candidates,
                next: scanned.next,
                max_result_bytes: self.limits.max_result_bytes,
            }
            .fit()?;
            page.skipped = scanned.skipped;
            Ok(page)
        })
    }

    /// Reads a file.
    ///
    /// # Errors
    /// [`Fault`].
    pub fn read_text_file(
        &self,
        cancel: &Cancel,
        request: &ReadRequest<'_>,
    ) -> Result<Page<Chunk>, Fault> {
        let path = Path::parse(request.path)?;
        if path.is_root() {
            return Err(Fault::NOT_A_FILE);
        }
        if request.start_line.is_some_and(|line| line > LARGEST) {
            return Err(Fault::START_LINE);
        }
        let root = self.root()?;
        let open = text::open(&root, &self.selector, &self.limits, &path)?;
        let mut arguments = format!("{{\"path\":{}", quote(path.as_str()));
        if let Some(line) = request.start_line {
            arguments.push_str(&format!(",\"start_line\":{line}"));
        }
        arguments.push('}');
        let scope = scope("read_text_file", &arguments);
        let identity = match &self.digests {
            Some(digests) => digests.identity(&open, cancel)?,
            None => open.identity.text(),
        };
        let mut state = State::default();
        state.add(&[&identity]);
        let state = state.finish();
        let first = match request.start_line {
            Some(line) if request.cursor.is_none() => {
                open.line(line, self.limits.max_scan_bytes, cancel)?
            }
            _ => 0,
        };
        let bound = Bound {
            scope: &scope,
            state: &state,
        };
        let start = self.codec.decode(bound, request.cursor, first)?;
        let limit = items(request.limit, self.max_chunks())? as u64;
        let Chunks { candidates, next } = open.chunks(start, limit, self.limits.max_read_bytes)?;
        let page = Draft {
            codec: &self.codec,
            bound,
            start,
            candidates,
            next,
            max_result_bytes: self.limits.max_result_bytes,
        };
        let page = page.fit()?;
        open.check()?;
        Ok(page)
    }

    /// Writes a file of the root.
    ///
    /// # Errors
    /// [`Fault`]; the file is as before then.
    pub fn write_text_file(
        &self,
        cancel: &Cancel,
        request: &WriteRequest<'_>,
    ) -> Result<Written, Fault> {
        write::permit(&self.selector, &self.limits, request)?;
        write::write(&self.workspace, cancel, request)
    }

    /// The root as it is now.
    fn root(&self) -> Result<Arc<Root>, Fault> {
        let root = self.workspace.root().map_err(|_| Fault::ROOT_GONE)?;
        let mut walked = self.walked.lock().unwrap_or_else(PoisonError::into_inner);
        if walked
            .as_ref()
            .is_none_or(|known| !Arc::ptr_eq(known, &root))
        {
            // What was walked is another folder.
            self.memory.clear();
            *walked = Some(Arc::clone(&root));
        }
        Ok(root)
    }

    /// Makes a page from the files beneath a scope: from a walk that was kept as long as it is true,
    /// else from a new one.
    fn over_files<T>(
        &self,
        cancel: &Cancel,
        scope: &Path,
        rests: Rests,
        make: impl Fn(&Inventory, &Over<'_>) -> Made<T>,
    ) -> Result<Page<T>, Fault> {
        let root = self.root()?;
        let over = |is_kept| Over {
            reach: Reach {
                root: &root,
                selector: &self.selector,
                limits: &self.limits,
                cancel,
            },
            is_kept,
        };
        if let Some(kept) = self.memory.files(scope.as_str()) {
            let is_watched = kept.proof.is_watched();
            let is_true = if is_watched {
                kept.is_quiet(&root, &self.selector)
            } else {
                kept.proof.can_look()
                    && match rests {
                        Rests::OnNames => kept.names_hold(&root, &self.limits),
                        Rests::OnContent => kept.holds(&root),
                    }
            };
            let is_looked_at = !is_watched && rests == Rests::OnContent;
            match is_true.then(|| make(&kept, &over(true))) {
                Some(Ok(mut page)) => {
                    // Neither watches nor folders tell of everything, so the end of a traversal looks.
                    let is_end = page.next_cursor.is_none();
                    if !is_end || is_looked_at || kept.holds(&root) {
                        page.skipped.names = kept.n_names;
                        return Ok(page);
                    }
                }
                Some(Err(Stop::Fault(Fault::Cancelled))) => return Err(Fault::Cancelled),
                // What went wrong may be so for what has changed.
                Some(Err(_)) | None => {}
            }
            self.memory.drop_files(&kept);
        }
        let walker = self.walker(&root, cancel);
        let inventory = walker.inventory(scope)?;
        let mut page = make(&inventory, &over(false))?;
        page.skipped.names = inventory.n_names;
        if page.next_cursor.is_some() && inventory.proof.is_worth_keeping() {
            self.memory
                .keep(scope.as_str(), Walk::Files(Arc::new(inventory)));
        }
        Ok(page)
    }

    fn walker<'a>(&'a self, root: &'a Root, cancel: &'a Cancel) -> Walker<'a> {
        #[cfg(test)]
        self.n_walks
            .fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let walker = Walker::new(
            root,
            &self.selector,
            &self.limits,
            cancel,
            self.watches.as_ref(),
        );
        #[cfg(test)]
        let walker = walker.hasty(self.is_hasty);
        walker
    }

    /// What stands for the files of a walk and all that they hold.
    fn state(
        &self,
        inventory: &Inventory,
        reach: &Reach<'_>,
        is_kept: bool,
    ) -> Result<String, Stop> {
        if let Some(digests) = &self.digests {
            return digests.state(inventory, reach, is_kept);
        }
        let mut state = State::default();
        for row in &inventory.files {
            state.add(&[&row.path, "\0", &row.identity.text()]);
        }
        Ok(state.finish())
    }

    /// A page of a list that is there as a whole.
    fn array<T: Item>(
        &self,
        bound: Bound<'_>,
        cursor: Option<&str>,
        limit: Option<u64>,
        n: usize,
        item: impl Fn(usize) -> Option<T>,
    ) -> Made<T> {
        let offset: u64 = self.codec.decode(bound, cursor, 0)?;
        let limit = items(limit, ITEMS)?;
        let start = usize::try_from(offset).unwrap_or(usize::MAX);
        if start > n {
            return Err(Fault::CURSOR_POSITION.into());
        }
        let end = start.saturating_add(limit).min(n);
        let candidates = (start..end).filter_map(|place| {
            Some(Candidate {
                item: item(place)?,
                position: place as u64 + 1,
            })
        });
        let draft = Draft {
            codec: &self.codec,
            bound,
            start: offset,
            candidates: candidates.collect(),
            next: (end < n).then_some(end as u64),
            max_result_bytes: self.limits.max_result_bytes,
        };
        Ok(draft.fit()?)
    }
}

// The tests that need these change files as Unix does.
#[cfg(all(test, unix))]
impl Paged {
    /// Walks that were made so far.
    pub(super) fn n_walks(&self) -> usize {
        self.n_walks.load(std::sync::atomic::Ordering::Relaxed)
    }

    /// Another one that serves the same and has looked at nothing yet.
    pub(super) fn twin(&self, options: Options) -> Self {
        let mut twin = Self::open_with(options, false).expect("it was opened before");
        twin.codec = self.codec.clone();
        twin
    }
}

/// What of the files a page depends on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rests {
    /// Which there are.
    OnNames,
    /// What they hold, too.
    OnContent,
}

/// What a page is made with.
struct Over<'a> {
    reach: Reach<'a>,
    /// Whether the files were walked in an earlier call.
    is_kept: bool,
}
