use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{IDLE, Memory, WALKS, Walk};
use crate::Cancel;
use crate::paged::options::Limits;
use crate::paged::path::Path;
use crate::paged::selector::Selector;
use crate::paged::walk::Walker;

fn walk() -> Walk {
    let dir = tempfile::tempdir().unwrap();
    let root = rooted::Root::open(dir.path(), rooted::Mode::NO_LINKS).unwrap();
    let selector = Selector::new(&["**".to_owned()], &[], true, false);
    let (limits, cancel) = (Limits::default(), Cancel::never());
    let walker = Walker::new(&root, &selector, &limits, &cancel, None);
    Walk::Files(Arc::new(walker.inventory(&Path::root()).unwrap()))
}

#[test]
fn only_a_few_walks_are_kept_the_last_used_ones() {
    let memory = Memory::default();
    for n in 0..=WALKS {
        memory.keep(&n.to_string(), walk());
        assert!(memory.files("0").is_some() || n == WALKS + 1);
    }
    let kept = (0..=WALKS).filter(|n| memory.files(&n.to_string()).is_some());
    assert_eq!(kept.count(), WALKS);
    assert!(
        memory.files("1").is_none(),
        "the one not used for longest is gone"
    );
    assert!(
        memory.folder("0").is_none(),
        "a folder is another thing than the files beneath it"
    );
    memory.clear();
    assert!(memory.files("0").is_none());
}

#[test]
fn a_walk_that_is_idle_is_dropped() {
    let memory = Memory::default();
    memory.keep("", walk());
    let later = Instant::now() + IDLE + Duration::from_secs(1);
    let mut state = memory.0.lock();
    assert!(state.next_idle(Instant::now()).is_some());
    assert!(state.take_idle(Instant::now()).is_empty());
    assert_eq!(state.take_idle(later).len(), 1);
    assert!(state.next_idle(later).is_none());
}
