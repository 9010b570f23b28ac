//! What a tool can reach while it runs one call.

use workspace::Cancel;

use crate::config::Config;

/// What a tool can reach while it runs one call.
#[derive(Debug)]
pub struct Ctx<'server> {
    /// The configuration, with the workspaces.
    pub config: &'server Config,
    /// Raised when the caller gives up.
    pub cancel: Cancel,
}
