//! `Watch`: learning that something in a set of folders changed, without looking at them again.
//!
//! A watch tells of every change that is made through a name in one of its folders. It does not tell
//! of a write through a memory map, or through a name that a file has elsewhere; who relies on it
//! knows those and looks at the files themselves.

use crate::dir::Dir;
use crate::platform;

/// Watched folders, and whether anything happened in them.
#[derive(Debug)]
pub struct Watch(platform::Watch);

/// Which folder of a watch it is.
pub type WatchedFolder = i32;

impl Watch {
    /// A watch of no folders; `None` where the system has none to give.
    #[must_use]
    pub fn new() -> Option<Self> {
        platform::Watch::new().map(Self)
    }

    /// Watches a folder from now on. `None` when the system allows no more, or not this one: then the
    /// watch is of no use for a question about that folder.
    #[must_use]
    pub fn add(&self, dir: &Dir) -> Option<WatchedFolder> {
        self.0.add(&dir.handle)
    }

    /// Stops watching these folders, and forgets what was told, so that the watch can be used for others.
    /// That is much faster than making another one.
    pub fn reset(&self, folders: impl Iterator<Item = WatchedFolder>) {
        for folder in folders {
            self.0.remove(folder);
        }
        while self.0.has_news(|_, _| true) {}
    }

    /// Takes what was told since the last time; says whether some of it counts.
    ///
    /// `content` is asked of changes to what a file holds or to its attributes, with the folder and
    /// the file's name; whatever else is told counts, and so does having missed something.
    pub fn has_news(&self, content: impl FnMut(WatchedFolder, &[u8]) -> bool) -> bool {
        self.0.has_news(content)
    }
}
