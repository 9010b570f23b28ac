//! Pages: items, what they are cited by, where the traversal goes on, and how many fit.

use serde::Serialize;
use sha2::{Digest as _, Sha256};

use super::cursor::{Bound, Codec, Position, hex};
use super::fault::Fault;

/// What was passed over, on the way to one page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Skipped {
    /// Names that are not UTF-8.
    pub names: u64,
    /// Files that are no text.
    pub binary: u64,
    /// Lines that match and cannot be shown.
    pub lines: u64,
}

/// One page of an answer. Serialized it is what callers get.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Page<T> {
    /// The items.
    pub items: Vec<T>,
    /// Goes on behind them; `None` at the end.
    pub next_cursor: Option<String>,
    /// Stands for the bytes that the items hold.
    pub content_hash: String,
    /// What was passed over.
    #[serde(skip)]
    pub skipped: Skipped,
}

/// An entry of a folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// Its name.
    pub name: Box<str>,
    /// `file` or `directory`.
    pub kind: &'static str,
    /// Its path.
    pub path: Box<str>,
}

/// A file by its path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FoundFile {
    /// The path.
    pub path: Box<str>,
}

/// A line by its file and number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FoundLine {
    /// The path of the file.
    pub path: Box<str>,
    /// Its number, from 1.
    pub line: u64,
    /// What it says, or how it begins.
    pub text: Box<str>,
}

/// A piece of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Chunk {
    /// Where it begins, in bytes.
    pub byte_offset: u64,
    /// The text.
    pub text: String,
}

/// An item of a page.
pub(super) trait Item: Serialize {
    /// Gives the bytes that the item is cited by.
    fn cite(&self, digest: &mut Sha256);
}

impl Item for Entry {
    fn cite(&self, digest: &mut Sha256) {
        for part in [self.kind, "\0", &self.path, "\n"] {
            digest.update(part);
        }
    }
}

impl Item for FoundFile {
    fn cite(&self, digest: &mut Sha256) {
        digest.update(&*self.path);
        digest.update("\n");
    }
}

impl Item for FoundLine {
    fn cite(&self, digest: &mut Sha256) {
        let line = self.line.to_string();
        for part in [&*self.path, "\0", &line, "\0", &self.text, "\n"] {
            digest.update(part);
        }
    }
}

impl Item for Chunk {
    fn cite(&self, digest: &mut Sha256) {
        digest.update(&self.text);
    }
}

/// An item, and where the traversal goes on if it is the last.
#[derive(Debug)]
pub(super) struct Candidate<T, P> {
    pub(super) item: T,
    pub(super) position: P,
}

/// What a page is made from.
pub(super) struct Draft<'a, T, P> {
    pub(super) codec: &'a Codec,
    pub(super) bound: Bound<'a>,
    /// Where the page starts.
    pub(super) start: P,
    pub(super) candidates: Vec<Candidate<T, P>>,
    /// Where the traversal goes on behind all of them; `None` at the end.
    pub(super) next: Option<P>,
    /// Bytes of a whole result at most.
    pub(super) max_result_bytes: u64,
}

/// The result around a page, as its size is reckoned: under the name that this was first served by,
/// so that pages and cursors are the same whoever serves them.
const HEAD: &str = "{\"content\":[{\"type\":\"text\",\"text\":\"\"}],\"structuredContent\":,\
                    \"resultType\":\"complete\",\"_meta\":{\"io.modelcontextprotocol/serverInfo\":\
                    {\"name\":\"ptc-fs-mcp\",\"version\":\"0.4.0\"}}}";
/// A page without items, cursor and hash.
const FRAME: &str = "{\"items\":[],\"next_cursor\":,\"content_hash\":\"sha256:\"}";
/// Quotation marks in it, which take a backslash each within the text.
const FRAME_QUOTES: u64 = 8;
const HASH_DIGITS: u64 = 64;

impl<T: Item, P: Position> Draft<'_, T, P> {
    /// The longest page that fits; whether it ends the traversal shows in its cursor.
    pub(super) fn fit(mut self) -> Result<Page<T>, Fault> {
        let sizes: Vec<u64> = self.candidates.iter().map(|c| size(&c.item)).collect();
        let n = self.candidates.len();
        let fits = |count: usize| {
            let items: u64 = sizes.iter().take(count).sum();
            // A comma between two of them, in the text and beside it.
            let commas = 2 * (count as u64).saturating_sub(1);
            self.frame(count) + items + commas <= self.max_result_bytes
        };
        let count = if fits(n) {
            n
        } else if !fits(0) {
            return Err(Fault::RESULT_CEILING);
        } else {
            let (mut low, mut high) = (0, n.saturating_sub(1));
            while low < high {
                let middle = (low + high).div_ceil(2);
                if fits(middle) {
                    low = middle;
                } else {
                    high = middle - 1;
                }
            }
            if low == 0 {
                return Err(Fault::ITEM_TOO_LARGE);
            }
            low
        };
        let next_cursor = self.cursor(count);
        self.candidates.truncate(count);
        let mut digest = Sha256::new();
        for candidate in &self.candidates {
            candidate.item.cite(&mut digest);
        }
        let items = self.candidates.into_iter();
        Ok(Page {
            items: items.map(|candidate| candidate.item).collect(),
            next_cursor,
            content_hash: format!("sha256:{}", hex(&digest.finalize())),
            skipped: Skipped::default(),
        })
    }

    /// The cursor behind so many items.
    fn cursor(&self, count: usize) -> Option<String> {
        let next = match count {
            _ if count == self.candidates.len() => self.next.as_ref()?,
            0 => &self.start,
            _ => &self.candidates.get(count - 1)?.position,
        };
        Some(self.codec.encode(self.bound, next))
    }

    /// The size of a result without its items.
    fn frame(&self, count: usize) -> u64 {
        let (cursor, quotes) = match self.cursor(count) {
            Some(cursor) => (cursor.len() as u64 + 2, 2),
            None => ("null".len() as u64, 0),
        };
        let page = FRAME.len() as u64 + HASH_DIGITS + cursor;
        HEAD.len() as u64 + 2 * page + FRAME_QUOTES + quotes
    }
}

/// Bytes that an item takes in a result: as JSON, and once more within the text.
fn size(item: &impl Serialize) -> u64 {
    let json = serde_json::to_vec(item).unwrap_or_default();
    let escaped = json.iter().filter(|byte| matches!(byte, b'"' | b'\\'));
    2 * json.len() as u64 + escaped.count() as u64
}

/// What a hash says of some bytes.
pub(super) fn content_hash(bytes: &[u8]) -> String {
    format!("sha256:{}", hex(&Sha256::digest(bytes)))
}
