//! What a tool can reach while it runs one call.

use workspace::commands::Fault;
use workspace::git::Git;
use workspace::{Cancel, Error, Reader, Workspace, Workspaces};

use crate::args::Args;
use crate::progress::Progress;
use crate::shell::Shell;

/// What a tool can reach while it runs one call.
#[derive(Debug)]
pub struct Ctx<'server> {
    /// The workspaces.
    pub workspaces: &'server Workspaces,
    /// Asks git.
    pub git: &'server Git,
    /// Runs commands, when that is turned on.
    pub shell: Option<&'server Shell>,
    /// Bytes that what was asked for may take in the answer; the lines that say what was left out
    /// have room beside it.
    pub body_bytes: usize,
    /// Raised when the caller gives up.
    pub cancel: Cancel,
    /// Tells the caller how far a call is, if it wants to know.
    pub progress: Progress,
}

impl Ctx<'_> {
    /// What runs commands.
    ///
    /// # Errors
    /// When that is not turned on; no tool that asks exists then.
    pub fn shell(&self) -> Result<&Shell, Error> {
        self.shell.ok_or_else(|| {
            let reason = "commands are turned off".to_owned();
            Error::Command(Box::new(Fault::NotStarted(reason)))
        })
    }

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
