//! Where a file of the host lies within a root: by which folders these are, not by how their paths
//! are spelled.

use std::path::{Path, PathBuf};

use rooted::{Mode, RelPath, Root};

/// The paths beneath `root` that lead to `file`; none when it lies elsewhere.
///
/// Both are absolute. The file need not be there: the folders above it that are decide. A root that
/// cannot be opened counts by its text.
pub(super) fn within(root: &Path, file: &Path) -> Vec<RelPath> {
    let opened = Root::open(root, Mode::FOLLOW).ok();
    let id = opened.as_ref().and_then(|root| root.id().ok());
    let spelled = opened.as_ref().map_or(root, Root::host_path);
    let mut found = Vec::new();
    for file in spellings(file) {
        for folder in file.ancestors().skip(1) {
            let same = folder == spelled
                || id.is_some()
                    && Root::open(folder, Mode::FOLLOW).is_ok_and(|at| at.id().ok() == id);
            if let Some(path) = same.then(|| beneath(&file, folder)).flatten()
                && !found.contains(&path)
            {
                found.push(path);
            }
        }
    }
    found
}

/// [`within`] for several files. Those that lie side by side are looked for once.
pub(super) fn all_within(root: &Path, files: &[PathBuf]) -> Vec<RelPath> {
    let mut found: Vec<RelPath> = Vec::new();
    let mut last: Option<(&Path, Vec<RelPath>)> = None;
    for file in files {
        let (Some(folder), Some(name)) = (file.parent(), file.file_name()) else {
            continue;
        };
        let beside = match &last {
            Some((known, paths)) if *known == folder => paths.clone(),
            _ => within(root, file),
        };
        let name = name.as_encoded_bytes();
        found.extend(
            beside
                .iter()
                .filter_map(RelPath::parent)
                .map(|at| at.join(name)),
        );
        last = Some((folder, beside));
    }
    found
}

/// The path as given, and with the folders above it resolved.
fn spellings(file: &Path) -> Vec<PathBuf> {
    let mut all = vec![file.to_owned()];
    for folder in file.ancestors().skip(1) {
        if let Ok(at) = Root::open(folder, Mode::FOLLOW) {
            if let Ok(rest) = file.strip_prefix(folder) {
                let resolved = at.host_path().join(rest);
                if resolved != file {
                    all.push(resolved);
                }
            }
            break;
        }
    }
    all
}

fn beneath(file: &Path, folder: &Path) -> Option<RelPath> {
    let rest = file.strip_prefix(folder).ok()?;
    let names: Vec<&[u8]> = rest
        .components()
        .map(|name| name.as_os_str().as_encoded_bytes())
        .collect();
    RelPath::from_bytes(&names.join(&b'/')).ok()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::within;

    fn texts(root: &std::path::Path, file: &std::path::Path) -> Vec<String> {
        let paths = within(root, file);
        paths.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_file_beneath_a_root_is_found_whether_it_is_there_or_not() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("root");
        fs::create_dir_all(root.join("a")).unwrap();
        fs::write(root.join("a/file"), "").unwrap();
        assert_eq!(texts(&root, &root.join("a/file")), ["a/file"]);
        assert_eq!(texts(&root, &root.join("b/c/none")), ["b/c/none"]);
        assert!(texts(&root, &folder.path().join("file")).is_empty());
        assert!(texts(&root, &folder.path().join("rooted/file")).is_empty());
    }

    #[test]
    fn a_root_that_is_not_there_counts_by_its_text() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("gone");
        assert_eq!(texts(&root, &root.join("file")), ["file"]);
        assert!(texts(&root, &folder.path().join("file")).is_empty());
    }
}
