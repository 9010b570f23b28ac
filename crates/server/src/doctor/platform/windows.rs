//! Windows.

use rooted::Dir;

use super::super::finding::Findings;
use super::Volume;

/// The standard library does not ask for these here.
pub(crate) fn volume(_dir: &Dir) -> Option<Volume> {
    None
}

/// Looks at what the server uses of the system.
pub(crate) fn system(findings: &mut Findings, _resolves: bool) {
    findings.ok(
        "system",
        "paths are opened component by component".to_owned(),
    );
    findings.ok(
        "system",
        "job objects: what a command leaves behind is ended with it".to_owned(),
    );
}
