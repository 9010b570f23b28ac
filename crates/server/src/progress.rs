//! Telling a caller how far its call is, while it runs.

use std::fmt;
use std::sync::Arc;

type Tell = dyn Fn(&str) + Send + Sync;

/// Tells the caller of a call how far it is; does nothing for one that does not want to know.
#[derive(Clone, Default)]
pub struct Progress(Option<Arc<Tell>>);

impl Progress {
    /// Progress that is told by this function.
    #[must_use]
    pub fn new(tell: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(tell)))
    }

    /// The function that tells, if anybody listens.
    #[must_use]
    pub fn tell(&self) -> Option<&dyn Fn(&str)> {
        let tell = self.0.as_deref()?;
        Some(tell)
    }
}

impl fmt::Debug for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Progress").field(&self.0.is_some()).finish()
    }
}
