//! Windows: not there yet. Ending all that a command started needs a job object, and so code that
//! is not safe, or a crate for it.

use std::convert::Infallible;
use std::io;
use std::path::{Path, PathBuf};

use super::{Ended, Order, Watch};

/// Whether commands can be supervised here.
pub const IS_AVAILABLE: bool = false;

pub(super) fn this_program() -> io::Result<PathBuf> {
    std::env::current_exe()
}

/// A command under its supervisor; there is none here.
#[derive(Debug)]
pub struct Supervised {
    nothing: Infallible,
}

impl Supervised {
    pub(super) fn start(_: &Path, _: &Order<'_>) -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// The number of the command's process.
    #[must_use]
    pub fn pid(&self) -> u32 {
        match self.nothing {}
    }

    /// Says whether nothing of the command is left.
    #[must_use]
    pub fn is_over(&mut self) -> bool {
        match self.nothing {}
    }

    /// Hands on the output until the command ends.
    pub fn watch(&mut self, _: &Watch<'_>, _: &mut dyn FnMut(&[u8])) -> Ended {
        match self.nothing {}
    }
}

/// Supervises one command; never asked for here.
///
/// # Errors
/// Always.
pub fn supervise() -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// What people call a signal.
#[must_use]
pub fn signal_name(number: i32) -> String {
    format!("signal {number}")
}
