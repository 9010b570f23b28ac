//! Finding and ending all that a command started.

#[cfg(target_os = "linux")]
mod linux;

#[cfg(not(target_os = "linux"))]
mod elsewhere;
#[cfg(any(not(target_os = "linux"), test))]
mod table;

use std::time::Duration;

#[cfg(not(target_os = "linux"))]
pub(super) use self::elsewhere::{
    Family, adopt_orphans, end_of, end_strangers, own_program, wake_with_the_parents_end,
};
#[cfg(target_os = "linux")]
pub(super) use self::linux::{
    Family, adopt_orphans, end_of, end_strangers, own_program, wake_with_the_parents_end,
};

/// How often it is looked whether something has ended.
pub(super) const TICK: Duration = Duration::from_millis(2);

/// Whether anything is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leftovers {
    None,
    Some,
}
