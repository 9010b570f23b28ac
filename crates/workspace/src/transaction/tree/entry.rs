//! What a record says of a change of a tree: each step with where it is done, and where what it
//! needs meanwhile is kept.

use rooted::RelPath;
use serde::{Deserialize, Serialize};

use crate::transaction::intent::{self, Name, Print};

/// The version of the format; records of single files have another one.
pub(super) const VERSION: u32 = 2;

/// The first line of a record.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Intent {
    pub(super) version: u32,
    /// What somebody wants to be told when the change is found finished after a crash.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) note: Option<String>,
    /// The steps in order.
    pub(super) steps: Vec<Entry>,
}

/// What a step does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Act {
    /// A staged file gets a name that is free.
    New,
    /// A staged file takes the place of the old one.
    Over,
    /// A staged folder gets a name that is free.
    MakeFolder,
    /// A file or folder gets another path, at which nothing is.
    Move,
    /// A file gets a temporary name.
    Remove,
    /// A folder in which nothing is gets a temporary name.
    RemoveFolder,
}

/// One step.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Entry {
    pub(super) act: Act,
    /// Where it is done, as the steps before have left the tree.
    pub(super) path: Name,
    /// Where a move leads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) to: Option<Name>,
    /// The folder before the first step, where it is not the one of `path`: there things are staged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) stage: Option<Name>,
    /// The folder after the last step, where it is not the one of `path`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) end: Option<Name>,
    /// What is there before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) was: Option<Print>,
    /// The step that put there what is there before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) of: Option<usize>,
}

/// What a record on disk says.
#[derive(Debug)]
pub(in crate::transaction) struct Read {
    pub(super) intent: Intent,
    /// For each step; empty when the process ended before all were staged.
    pub(super) staged: Vec<Option<Print>>,
}

/// Reads a record, if it is one of a change of a tree and its first line is whole.
pub(in crate::transaction) fn parse(record: &[u8]) -> Option<Read> {
    let (first, rest) = intent::split_line(record)?;
    let intent: Intent = serde_json::from_slice(first).ok()?;
    if intent.version != VERSION {
        return None;
    }
    let staged = match intent::split_line(rest) {
        Some((second, _)) => {
            serde_json::from_slice::<intent::StagedLine>(second)
                .ok()?
                .staged
        }
        None => Vec::new(),
    };
    Some(Read { intent, staged })
}

impl Read {
    /// Says whether somebody wants to be told of it.
    pub(in crate::transaction) fn is_noted(&self) -> bool {
        self.intent.note.is_some()
    }

    /// Every path at which something is another thing than before.
    pub(super) fn paths(&self) -> Vec<RelPath> {
        let named = self
            .intent
            .steps
            .iter()
            .flat_map(|step| [Some(&step.path), step.to.as_ref()]);
        named.flatten().filter_map(Name::path).collect()
    }
}

impl Entry {
    /// The folder in which the step is done, and the name there.
    pub(super) fn spot(&self) -> Option<(RelPath, Box<[u8]>)> {
        split(&self.path.path()?)
    }

    /// The folder in which things are staged for the step.
    pub(super) fn stage_folder(&self) -> Option<RelPath> {
        match &self.stage {
            Some(stage) => stage.path(),
            None => self.path.path()?.parent(),
        }
    }

    /// The folder in which the step leaves things after the last step.
    pub(super) fn end_folder(&self) -> Option<RelPath> {
        match &self.end {
            Some(end) => end.path(),
            None => self.path.path()?.parent(),
        }
    }
}

/// A path as a folder and a name in it; `None` for the root.
pub(super) fn split(path: &RelPath) -> Option<(RelPath, Box<[u8]>)> {
    Some((path.parent()?, path.file_name()?.into()))
}
