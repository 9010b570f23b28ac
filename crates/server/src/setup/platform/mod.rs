//! Which system this is, for the places of files.

use super::places::System;

/// The system that this program was built for.
pub(crate) const SYSTEM: System = if cfg!(windows) {
    System::Windows
} else if cfg!(target_os = "macos") {
    System::MacOs
} else {
    System::Linux
};
