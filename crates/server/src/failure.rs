//! The one mapping from what can go wrong in a call to what the caller is told.
//!
//! A failure a model can act on is an answer of the tool. A request for a tool that does not exist
//! is a fault of the protocol. Anything else is logged under the number of the call, and the caller
//! learns the number only.

use crate::record::Record;
use crate::reply::Reply;

/// The longest sentence: one that names a path that exists, escaped, is not longer.
const SENTENCE_BYTES: usize = 16 * 1024;

/// Why a tool gave no result.
#[derive(Debug)]
pub enum Failure {
    /// Arguments that are missing or wrong; holds all of them in one text.
    Arguments(String),
    /// What the workspace says.
    Workspace(workspace::Error),
    /// What the workspace says of something that the journal is to tell of.
    Journaled(workspace::Error, Box<Record>),
}

impl From<workspace::Error> for Failure {
    fn from(error: workspace::Error) -> Self {
        Self::Workspace(error)
    }
}

impl Failure {
    /// What the workspace says of something that the journal is to tell of.
    #[must_use]
    pub fn journaled(error: workspace::Error, record: Record) -> Self {
        Self::Journaled(error, Box::new(record))
    }

    /// What the journal is to tell of it.
    #[must_use]
    pub fn record(&self) -> Option<&Record> {
        match self {
            Self::Journaled(_, record) => Some(record),
            Self::Arguments(_) | Self::Workspace(_) => None,
        }
    }

    /// The answer for the caller: one sentence, and what to do next as a second line.
    #[must_use]
    pub fn into_reply(self, tool: &str) -> Reply {
        match self {
            Self::Arguments(faults) => {
                Reply::text(shorten(format!("invalid arguments for {tool}: {faults}")))
            }
            Self::Workspace(error) | Self::Journaled(error, _) => {
                let mut reply = Reply::text(shorten(error.to_string()));
                if let Some(hint) = error.hint() {
                    reply.push_line(&hint);
                }
                reply
            }
        }
    }
}

/// Leaves out the middle of a sentence that an argument made too long.
pub(crate) fn shorten(text: String) -> String {
    let half = SENTENCE_BYTES / 2;
    if text.len() <= SENTENCE_BYTES {
        return text;
    }
    let border = |near: usize| (near..text.len()).find(|&at| text.is_char_boundary(at));
    let ends = border(half).zip(border(text.len() - half));
    let Some((head, tail)) = ends.and_then(|(a, b)| text.get(..a).zip(text.get(b..))) else {
        return text;
    };
    let n = text.len() - head.len() - tail.len();
    format!("{head}… ({n} bytes left out) …{tail}")
}
