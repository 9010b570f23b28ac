//! What files hold, as digests that are the same on every machine.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};

use sha2::{Digest as _, Sha256};

use super::Limits;
use super::cursor::{State, hex};
use super::fault::Fault;
use super::path::Path;
use super::scan::{Stop, fill};
use super::selector::Selector;
use super::text::{self, Open};
use super::walk::{Identity, Inventory};
use crate::cancel::Cancel;

/// Bytes that are read at a time.
const CHUNK: u64 = 256 * 1024;

/// The digests that are known, by the identity of the file; the oldest is dropped first.
#[derive(Debug)]
pub(super) struct Digests {
    known: Mutex<Known>,
    max_known: usize,
    max_bytes: u64,
}

#[derive(Debug, Default)]
struct Known {
    digests: HashMap<Identity, Box<str>>,
    order: VecDeque<Identity>,
}

impl Digests {
    /// At most so many that are known, and so many bytes hashed in one call.
    pub(super) fn new(max_known: u64, max_bytes: u64) -> Self {
        Self {
            known: Mutex::default(),
            max_known: usize::try_from(max_known).unwrap_or(usize::MAX),
            max_bytes,
        }
    }

    /// What stands for an open file: its size and digest.
    pub(super) fn identity(&self, open: &Open, cancel: &Cancel) -> Result<String, Fault> {
        self.told(open, &mut self.max_bytes.clone(), cancel)
    }

    /// What stands for all files of a walk.
    pub(super) fn state(
        &self,
        inventory: &Inventory,
        reach: &Reach<'_>,
        is_kept: bool,
    ) -> Result<String, Stop> {
        let mut n_left = self.max_bytes;
        let mut state = State::default();
        for row in &inventory.files {
            if reach.cancel.is_cancelled() {
                return Err(Fault::Cancelled.into());
            }
            let known = self.find(&row.identity);
            let told = match known {
                Some(digest) => format!("{}:{digest}", row.identity.len),
                None => {
                    let open = reach.open(&row.path);
                    let open = open.map_err(|fault| stale(is_kept, fault))?;
                    if open.identity != row.identity {
                        return Err(stale(is_kept, Fault::MOVING));
                    }
                    self.told(&open, &mut n_left, reach.cancel)?
                }
            };
            state.add(&[&row.path, "\0", &told]);
        }
        Ok(state.finish())
    }

    fn find(&self, identity: &Identity) -> Option<Box<str>> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.digests.get(identity).cloned()
    }

    fn told(&self, open: &Open, n_left: &mut u64, cancel: &Cancel) -> Result<String, Fault> {
        let len = open.identity.len;
        if let Some(digest) = self.find(&open.identity) {
            return Ok(format!("{len}:{digest}"));
        }
        if len > *n_left {
            return Err(Fault::HASHING);
        }
        let digest = hash(open, cancel)?;
        *n_left -= len;
        let told = format!("{len}:{digest}");
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.order.len() >= self.max_known
            && let Some(oldest) = known.order.pop_front()
        {
            known.digests.remove(&oldest);
        }
        if known.digests.insert(open.identity, digest.into()).is_none() {
            known.order.push_back(open.identity);
        }
        Ok(told)
    }
}

/// What files are reached with.
pub(super) struct Reach<'a> {
    pub(super) root: &'a rooted::Root,
    pub(super) selector: &'a Selector,
    pub(super) limits: &'a Limits,
    pub(super) cancel: &'a Cancel,
}

impl Reach<'_> {
    fn open(&self, path: &str) -> Result<Open, Fault> {
        text::open(self.root, self.selector, self.limits, &Path::parse(path)?)
    }
}

fn stale(is_kept: bool, fault: Fault) -> Stop {
    if is_kept {
        Stop::Stale
    } else {
        Stop::Fault(fault)
    }
}

fn hash(open: &Open, cancel: &Cancel) -> Result<String, Fault> {
    let len = open.identity.len;
    let mut digest = Sha256::new();
    let mut buffer = vec![0; usize::try_from(CHUNK.min(len)).unwrap_or(0)];
    let mut at = 0;
    while at < len {
        if cancel.is_cancelled() {
            return Err(Fault::Cancelled);
        }
        let n_wanted = usize::try_from(CHUNK.min(len - at)).unwrap_or(0);
        let piece = buffer.get_mut(..n_wanted).unwrap_or_default();
        fill(&open.file, piece, at)?;
        digest.update(&*piece);
        at += n_wanted as u64;
    }
    open.check()?;
    Ok(hex(&digest.finalize()))
}
