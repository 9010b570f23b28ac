//! What the journal is told of a call: the tool says it, the dispatcher writes it.

use workspace::slug::Slug;
use workspace::{Error, Workspace, journal};

/// What the journal is told of a call, beside its tool and the time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// The files it was about.
    pub paths: Vec<String>,
    /// What it did, in a few words.
    pub detail: Option<String>,
    /// How it ended.
    pub result: String,
    /// The change it belongs to, when that is not the active one by itself.
    pub change: Option<String>,
    /// The workspace whose journal is told, when it is not the one that the call names.
    pub workspace: Option<String>,
}

impl Record {
    /// Something that was done to files.
    #[must_use]
    pub fn done(paths: Vec<String>, detail: String) -> Self {
        Self {
            paths,
            detail: Some(detail),
            result: "ok".to_owned(),
            change: None,
            workspace: None,
        }
    }

    /// Something that was done to a change.
    #[must_use]
    pub fn of_change(id: &Slug, detail: String, result: &str) -> Self {
        Self {
            paths: Vec::new(),
            detail: Some(detail),
            result: result.to_owned(),
            change: Some(id.to_string()),
            workspace: None,
        }
    }

    /// Something that could not be done.
    #[must_use]
    pub fn failed(paths: Vec<String>, error: &Error) -> Self {
        Self {
            paths,
            detail: None,
            result: format!("error: {error}"),
            change: None,
            workspace: None,
        }
    }

    /// A change of one file that could not be made; the path is told as given when it leads nowhere.
    #[must_use]
    pub fn failed_at(workspace: &Workspace, input: &str, error: &Error) -> Self {
        let path = journal::path_of(workspace, input).unwrap_or_else(|| input.to_owned());
        Self::failed(vec![path], error)
    }
}
