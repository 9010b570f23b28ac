//! What a tool is: a name, what clients are told of it, its arguments, and a function.

use crate::args::{Arg, Args};
use crate::context::Ctx;
use crate::failure::Failure;
use crate::reply::Reply;

/// How a tool of the toolset `project` is run.
pub type Call = fn(&Ctx<'_>, &Args) -> Result<Reply, Failure>;

/// One tool. Toolsets are constant slices of these; `F` is how theirs are run.
#[derive(Debug)]
pub struct Tool<F = Call> {
    /// The name clients call.
    pub name: &'static str,
    /// The name for people.
    pub title: &'static str,
    /// What it does, when to use it and what it cuts, for a model.
    pub description: &'static str,
    /// Its arguments.
    pub args: &'static [Arg],
    /// What it does to the world.
    pub hints: Hints,
    /// Runs one call. May block; never called on a thread that serves others.
    pub call: F,
}

/// What a tool does to the world, as clients are told. All four are always given, since what
/// clients assume of an absent one differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hints {
    /// It changes nothing.
    pub read_only: bool,
    /// It may overwrite or remove.
    pub destructive: bool,
    /// A second call with the same arguments changes nothing more.
    pub idempotent: bool,
    /// It reaches beyond the workspaces.
    pub open_world: bool,
}

impl Hints {
    /// Reads only.
    pub const READ: Self = Self {
        read_only: true,
        destructive: false,
        idempotent: true,
        open_world: false,
    };
    /// Puts a given content in place of what was there.
    pub const REPLACE: Self = Self {
        read_only: false,
        destructive: true,
        idempotent: true,
        open_world: false,
    };
    /// Changes part of what is there.
    pub const EDIT: Self = Self {
        read_only: false,
        destructive: true,
        idempotent: false,
        open_world: false,
    };
    /// Adds something and leaves all that was there.
    pub const ADD: Self = Self {
        read_only: false,
        destructive: false,
        idempotent: false,
        open_world: false,
    };
    /// Runs a program, which can do anything.
    pub const RUN: Self = Self {
        read_only: false,
        destructive: true,
        idempotent: false,
        open_world: true,
    };
    /// Ends a program.
    pub const END: Self = Self {
        read_only: false,
        destructive: true,
        idempotent: true,
        open_world: true,
    };
    /// Sets something to a given state and removes nothing.
    pub const SET: Self = Self {
        read_only: false,
        destructive: false,
        idempotent: true,
        open_world: false,
    };
}
