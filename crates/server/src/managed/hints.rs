//! What to do about an error, where its own text, which never changes, does not say so.

use workspace::managed::{Code, Error};

/// What a caller may do about an error, in a few words.
#[must_use]
pub fn of(error: &Error) -> Option<&'static str> {
    let hint = match error.code {
        Code::InvalidPath if error.message == "empty path component" => {
            "no slash ends a path, and no two follow each other"
        }
        Code::InvalidPath if error.message.starts_with("'.'") => {
            "leave out ./; the root itself is an empty path"
        }
        Code::AbsolutePathForbidden => "paths are relative to the workspace",
        Code::ReadTooLarge => "the configuration sets this limit, for parts of a file too",
        Code::FileTooLarge if error.message.starts_with("file exceeds") => {
            "no checkpoint holds it, so no tool changes it"
        }
        Code::DirectoryNotEmpty => "entries that list_directory does not show count too",
        Code::HashMismatch => "read the file again and send its new sha256",
        Code::TextNotFound => {
            "old_text must be just what the file holds, with its white space and line breaks"
        }
        Code::TextNotUnique => "take more of the lines around it into old_text",
        Code::CheckpointNotFound => "git_history lists the checkpoints",
        _ => return None,
    };
    Some(hint)
}
