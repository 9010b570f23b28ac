//! Error codes of Windows, and what they mean to a caller.

use std::io;

use crate::error::ErrorKind;

/// The numbers that are told apart (`winerror.h`).
pub(super) mod code {
    pub const INVALID_FUNCTION: i32 = 1;
    pub const FILE_NOT_FOUND: i32 = 2;
    pub const PATH_NOT_FOUND: i32 = 3;
    pub const ACCESS_DENIED: i32 = 5;
    pub const WRITE_PROTECT: i32 = 19;
    pub const SHARING_VIOLATION: i32 = 32;
    pub const LOCK_VIOLATION: i32 = 33;
    pub const HANDLE_DISK_FULL: i32 = 39;
    pub const NOT_SUPPORTED: i32 = 50;
    pub const FILE_EXISTS: i32 = 80;
    pub const DISK_FULL: i32 = 112;
    pub const INVALID_NAME: i32 = 123;
    pub const DIR_NOT_EMPTY: i32 = 145;
    pub const ALREADY_EXISTS: i32 = 183;
    pub const NAME_TOO_LONG: i32 = 206;
    pub const DIRECTORY: i32 = 267;
    pub const DELETE_PENDING: i32 = 303;
    pub const DIRECTORY_NOT_SUPPORTED: i32 = 336;
    pub const STOPPED_ON_LINK: i32 = 681;
    pub const BAD_DEVICE: i32 = 1200;
    pub const USER_MAPPED_FILE: i32 = 1224;
    pub const DISK_QUOTA_EXCEEDED: i32 = 1295;
    pub const CANT_ACCESS_FILE: i32 = 1920;
    pub const NOT_A_REPARSE_POINT: i32 = 4390;
}

/// Says whether an error means that the name is a link after all.
pub(crate) fn is_link_error(error: &io::Error) -> bool {
    error.raw_os_error() == Some(code::STOPPED_ON_LINK)
}

/// Says whether `read_link` failed since the name is something else.
pub(crate) fn is_not_a_link(error: &io::Error) -> bool {
    error.raw_os_error() == Some(code::NOT_A_REPARSE_POINT)
}

/// Says whether a code means that somebody has it open in a way that does not go with the call.
pub(super) fn is_in_use(number: i32) -> bool {
    matches!(
        number,
        code::SHARING_VIOLATION
            | code::LOCK_VIOLATION
            | code::DELETE_PENDING
            | code::USER_MAPPED_FILE
    )
}

/// Sorts an error of the operating system by what a caller would do about it.
pub(crate) fn sort_error(error: io::Error) -> ErrorKind {
    match error.raw_os_error() {
        Some(code::FILE_NOT_FOUND | code::PATH_NOT_FOUND) => ErrorKind::NotFound,
        Some(code::DIRECTORY) => ErrorKind::NotADirectory,
        Some(code::DIRECTORY_NOT_SUPPORTED) => ErrorKind::IsADirectory,
        Some(code::BAD_DEVICE | code::INVALID_NAME) => ErrorKind::NotRegular,
        Some(number) if is_in_use(number) => ErrorKind::InUse,
        Some(code::ACCESS_DENIED) => ErrorKind::PermissionDenied,
        Some(code::STOPPED_ON_LINK | code::CANT_ACCESS_FILE) => ErrorKind::LinkRefused,
        Some(code::NAME_TOO_LONG) => ErrorKind::NameTooLong,
        Some(code::DISK_FULL | code::HANDLE_DISK_FULL | code::DISK_QUOTA_EXCEEDED) => {
            ErrorKind::NoSpace
        }
        Some(code::WRITE_PROTECT) => ErrorKind::ReadOnlyFilesystem,
        Some(code::FILE_EXISTS | code::ALREADY_EXISTS | code::DIR_NOT_EMPTY) => ErrorKind::Exists,
        Some(code::INVALID_FUNCTION | code::NOT_SUPPORTED) => ErrorKind::Unsupported,
        _ => match error.kind() {
            io::ErrorKind::IsADirectory => ErrorKind::IsADirectory,
            io::ErrorKind::Unsupported => ErrorKind::Unsupported,
            _ => ErrorKind::Other(error),
        },
    }
}
