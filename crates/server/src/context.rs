//! What a tool can reach while it runs one call.

use workspace::git::Git;
use workspace::{Cancel, Error, Reader, Workspace, Workspaces};

use crate::args::Args;

/// What a tool can reach while it runs one call.
#[derive(Debug)]
pub struct Ctx<'server> {
    /// The workspaces.
    pub workspaces: &'server Workspaces,
    /// Asks git.
    pub git: &'server Git,
    /// Bytes that what was asked for may take in the answer; the lines that say what was left out
    /// have room beside it.
    pub body_bytes: usize,
    /// Raised when the caller gives up.
    pub cancel: Cancel,
}

impl Ctx<'_> {
    /// Shared access to the workspace that the `workspace` argument names, or to the primary one.
    ///
    /// # Errors
    /// [`Error::UnknownWorkspace`], [`Error::RootGone`].
    pub fn reader(&self, args: &Args) -> Result<Reader<'_>, Error> {
        self.workspace(args)?.reader(&self.cancel)
    }

    /// The workspace that the `workspace` argument names, or the primary one.
    ///
    /// # Errors
    /// [`Error::UnknownWorkspace`].
    pub fn workspace(&self, args: &Args) -> Result<&Workspace, Error> {
        Ok(self.workspaces.get(args.text("workspace"))?)
    }
}
