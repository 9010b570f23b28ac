//! A line on stderr for a person who waits: what is done, and for how long.

use std::io::{IsTerminal as _, Write as _};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::platform;
use crate::progress::Progress;

/// What takes less than this is not told.
const PATIENCE: Duration = Duration::from_millis(500);
/// How often the line is written anew.
const TICK: Duration = Duration::from_secs(1);
/// Characters of a line.
const WIDTH: usize = 72;

/// Tells of work until it is dropped; only on a terminal, and only when the work takes long.
#[derive(Debug)]
pub(crate) struct Waiting {
    shared: Arc<Shared>,
    teller: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    what: String,
    is_over: bool,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        // A text and a flag are whole whatever happened.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiting {
    /// Begins to wait for something.
    pub(crate) fn new(what: &str, environment: fn(&str) -> Option<String>) -> Self {
        let shared = Arc::new(Shared {
            state: Mutex::new(State {
                what: what.to_owned(),
                is_over: false,
            }),
            changed: Condvar::new(),
        });
        let is_seen = std::io::stderr().is_terminal() && platform::takes_colours(environment);
        let told = Arc::clone(&shared);
        // Where there is no thread to be had, nothing is told.
        let teller = || std::thread::Builder::new().spawn(move || tell(&told)).ok();
        let teller = is_seen.then(teller).flatten();
        Self { shared, teller }
    }

    /// Progress that is shown in the line; none when nobody sees it.
    pub(crate) fn progress(&self) -> Progress {
        if self.teller.is_none() {
            return Progress::default();
        }
        let shared = Arc::clone(&self.shared);
        let name = shared.lock().what.clone();
        Progress::new(move |text| shared.lock().what = format!("{name}: {text}"))
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.shared.lock().is_over = true;
        self.shared.changed.notify_all();
        if let Some(teller) = self.teller.take() {
            // It ends at once, and does not panic.
            let _ = teller.join();
        }
    }
}

fn tell(shared: &Shared) {
    let start = Instant::now();
    let mut limit = PATIENCE;
    let mut has_told = false;
    loop {
        let state = shared.lock();
        let wait = |state: &mut State| !state.is_over;
        let waited = shared.changed.wait_timeout_while(state, limit, wait);
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        // A stderr that is gone has nobody to tell.
        if state.is_over {
            if has_told {
                let _ = std::io::stderr().write_all(b"\r\x1b[K");
            }
            return;
        }
        let what = rooted::show(state.what.as_bytes());
        drop(state);
        let line: String = what.chars().take(WIDTH).collect();
        let seconds = start.elapsed().as_secs();
        let _ = write!(std::io::stderr(), "\r{line} ({seconds} s)\x1b[K");
        has_told = true;
        limit = TICK;
    }
}
