//! Watching folders with inotify.

use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd as _, OwnedFd};

use rustix::fs::{self, inotify};
use rustix::io::Errno;

use super::DirHandle;

/// Where the system shows this process its own handles, and the file system that is.
const HANDLES: &str = "/proc/self/fd";
const PROC: u64 = 0x9fa0;

/// Bytes of events taken in one call: some hundred.
const BUFFER: usize = 16 * 1024;

const CHANGES: inotify::WatchFlags = inotify::WatchFlags::ATTRIB
    .union(inotify::WatchFlags::MODIFY)
    .union(inotify::WatchFlags::CREATE)
    .union(inotify::WatchFlags::DELETE)
    .union(inotify::WatchFlags::DELETE_SELF)
    .union(inotify::WatchFlags::MOVE)
    .union(inotify::WatchFlags::MOVE_SELF)
    .union(inotify::WatchFlags::ONLYDIR);

/// What only concerns one file that keeps its name.
const CONTENT: inotify::ReadFlags = inotify::ReadFlags::ATTRIB.union(inotify::ReadFlags::MODIFY);

#[derive(Debug)]
pub(crate) struct Watch(OwnedFd);

impl Watch {
    pub(crate) fn new() -> Option<Self> {
        // A folder is named by its handle, which only works where that file system is what it seems.
        let found = fs::statfs(HANDLES).ok()?;
        if u64::try_from(found.f_type).ok()? != PROC {
            return None;
        }
        let flags = inotify::CreateFlags::CLOEXEC | inotify::CreateFlags::NONBLOCK;
        inotify::init(flags).ok().map(Self)
    }

    pub(crate) fn add(&self, dir: &DirHandle) -> Option<i32> {
        let path = format!("{HANDLES}/{}", dir.as_raw_fd());
        inotify::add_watch(&self.0, path, CHANGES).ok()
    }

    pub(crate) fn remove(&self, folder: i32) {
        // One that is gone is not watched any more either.
        let _ = inotify::remove_watch(&self.0, folder);
    }

    pub(crate) fn has_news(&self, mut content: impl FnMut(i32, &[u8]) -> bool) -> bool {
        let mut buffer = [MaybeUninit::uninit(); BUFFER];
        let mut reader = inotify::Reader::new(&self.0, &mut buffer);
        loop {
            let event = match reader.next() {
                Ok(event) => event,
                Err(Errno::AGAIN) => return false,
                Err(Errno::INTR) => continue,
                Err(_) => return true,
            };
            let flags = event.events();
            let name = event.file_name().map(std::ffi::CStr::to_bytes);
            let Some(name) = name.filter(|_| CONTENT.contains(flags)) else {
                return true;
            };
            if content(event.wd(), name) {
                return true;
            }
        }
    }
}
