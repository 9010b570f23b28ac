//! What objects hold: folders and checkpoints as bytes, read and written.

use super::error::{Error, damaged};
use super::id::{self, Id};

/// What kind of object it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A checkpoint.
    Commit,
    /// A folder.
    Tree,
    /// The content of a file.
    Blob,
    /// A name that somebody gave a checkpoint.
    Tag,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Commit => "commit",
            Self::Tree => "tree",
            Self::Blob => "blob",
            Self::Tag => "tag",
        }
    }

    pub(super) fn from_name(name: &[u8]) -> Option<Self> {
        [Self::Commit, Self::Tree, Self::Blob, Self::Tag]
            .into_iter()
            .find(|kind| kind.name().as_bytes() == name)
    }

    /// What stands before the content, for its id and in a file of its own.
    pub(super) fn header(self, len: usize) -> Vec<u8> {
        format!("{} {len}\0", self.name()).into_bytes()
    }

    /// The number that stands for it in a pack.
    pub(super) fn in_pack(self) -> u8 {
        match self {
            Self::Commit => 1,
            Self::Tree => 2,
            Self::Blob => 3,
            Self::Tag => 4,
        }
    }

    pub(super) fn from_pack(number: u8) -> Option<Self> {
        [Self::Commit, Self::Tree, Self::Blob, Self::Tag]
            .into_iter()
            .find(|kind| kind.in_pack() == number)
    }
}

/// What an entry of a folder is, as git writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mode(pub(super) u32);

impl Mode {
    pub(super) const TREE: Self = Self(0o040_000);
    pub(super) const PLAIN: Self = Self(0o100_644);
    pub(super) const EXECUTABLE: Self = Self(0o100_755);

    pub(super) fn of(executable: bool) -> Self {
        if executable {
            Self::EXECUTABLE
        } else {
            Self::PLAIN
        }
    }

    pub(super) fn is_tree(self) -> bool {
        self.0 & 0o170_000 == 0o040_000
    }

    pub(super) fn is_file(self) -> bool {
        self.0 & 0o170_000 == 0o100_000
    }

    /// Says whether it is a commit of another repository.
    pub(super) fn is_elsewhere(self) -> bool {
        self.0 & 0o170_000 == 0o160_000
    }

    pub(super) fn is_executable(self) -> bool {
        self.is_file() && self.0 & 0o100 != 0
    }
}

/// One name in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TreeEntry<'a> {
    pub(super) mode: Mode,
    pub(super) name: &'a [u8],
    pub(super) id: Id,
}

impl TreeEntry<'_> {
    /// Adds the entry to the bytes of a folder.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(format!("{:o} ", self.mode.0).as_bytes());
        out.extend_from_slice(self.name);
        out.push(0);
        out.extend_from_slice(self.id.as_bytes());
    }

    /// How entries are ordered: as if the name of a folder ended in a slash.
    pub(super) fn order(&self, other: &TreeEntry<'_>) -> std::cmp::Ordering {
        let end = |entry: &TreeEntry<'_>| entry.mode.is_tree().then_some(b'/');
        let ours = self.name.iter().copied().chain(end(self));
        ours.cmp(other.name.iter().copied().chain(end(other)))
    }
}

/// Reads a folder.
pub(super) fn parse_tree(bytes: &[u8]) -> Result<Vec<TreeEntry<'_>>, Error> {
    let mut entries = Vec::with_capacity(bytes.len() / 40);
    let mut rest = bytes;
    while !rest.is_empty() {
        let (entry, behind) = next_entry(rest).ok_or_else(|| damaged("a folder"))?;
        entries.push(entry);
        rest = behind;
    }
    Ok(entries)
}

fn next_entry(bytes: &[u8]) -> Option<(TreeEntry<'_>, &[u8])> {
    let space = memchr::memchr(b' ', bytes.get(..8).unwrap_or(bytes))?;
    let mut mode = 0;
    for &byte in bytes.get(..space)? {
        mode = mode << 3 | char::from(byte).to_digit(8)?;
    }
    let rest = bytes.get(space + 1..)?;
    let end = memchr::memchr(0, rest)?;
    let name = rest.get(..end)?;
    // A name that could lead anywhere else is no name.
    if matches!(name, b"" | b"." | b"..") || name.contains(&b'/') {
        return None;
    }
    let rest = rest.get(end + 1..)?;
    let entry = TreeEntry {
        mode: Mode(mode),
        name,
        id: Id::from_slice(rest)?,
    };
    Some((entry, rest.get(id::LEN..)?))
}

/// What a commit says, as far as it matters here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Commit {
    pub(super) tree: Id,
    pub(super) parents: Vec<Id>,
    /// When it was made, in seconds since 1970.
    pub(super) time: i64,
    /// The message without white space at its end.
    pub(super) message: String,
}

/// Reads a commit.
pub(super) fn parse_commit(bytes: &[u8]) -> Result<Commit, Error> {
    commit(bytes).ok_or_else(|| damaged("a commit"))
}

fn commit(bytes: &[u8]) -> Option<Commit> {
    let mut rest = bytes;
    let mut tree = None;
    let mut parents = Vec::new();
    let mut time = None;
    loop {
        let end = memchr::memchr(b'\n', rest)?;
        let line = rest.get(..end)?;
        rest = rest.get(end + 1..)?;
        if line.is_empty() {
            break;
        }
        if let Some(hex) = line.strip_prefix(b"tree ") {
            tree = tree.or(Some(Id::parse(hex)?));
        } else if let Some(hex) = line.strip_prefix(b"parent ") {
            parents.push(Id::parse(hex)?);
        } else if let Some(who) = line.strip_prefix(b"committer ") {
            time = time.or_else(|| time_of(who));
        }
        if rest.is_empty() {
            break;
        }
    }
    Some(Commit {
        tree: tree?,
        parents,
        time: time.unwrap_or(0),
        message: String::from_utf8_lossy(rest).trim_end().to_owned(),
    })
}

/// The seconds in `name <email> seconds zone`.
fn time_of(who: &[u8]) -> Option<i64> {
    let end = memchr::memrchr(b'>', who)?;
    let text = std::str::from_utf8(who.get(end + 1..)?).ok()?;
    text.split_whitespace().next()?.parse().ok()
}

/// What a tag stands for.
pub(super) fn parse_tag(bytes: &[u8]) -> Option<Id> {
    Id::parse(bytes.strip_prefix(b"object ")?.get(..2 * id::LEN)?)
}
