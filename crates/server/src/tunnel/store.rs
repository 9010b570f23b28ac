//! Files of this program's own folders, and of the tunnel client's: whole or not there.

use std::io;
use std::path::Path;

use rooted::{Basis, Dir, Durability, ErrorKind, Like, Mode, Put, RelPath, Root, temp_name};

/// Who may do what with a new file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    /// As usual for the user.
    Usual,
    /// As usual, and it may be run.
    Program,
}

/// The bytes of a file; `None` when there is none.
pub(super) fn read(folder: &Path, name: &str, max_bytes: u64) -> io::Result<Option<Vec<u8>>> {
    let root = match Root::open(folder, Mode::FOLLOW) {
        Ok(root) => root,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut file = match root.open_file(&RelPath::root().join(name)) {
        Ok(file) => file,
        Err(error) if matches!(error.kind, ErrorKind::NotFound) => return Ok(None),
        Err(error) => return Err(told(&error)),
    };
    if file.meta().len > max_bytes {
        return Err(io::Error::other(format!("larger than {max_bytes} bytes")));
    }
    let mut content = Vec::new();
    io::Read::read_to_end(&mut file, &mut content)?;
    Ok(Some(content))
}

/// Puts a file in a folder, which is made if need be, in the place of one that may be there.
pub(super) fn write(folder: &Path, name: &str, content: &[u8], access: Access) -> io::Result<()> {
    let root = Root::open_or_make(folder, Mode::FOLLOW)?;
    let dir = root
        .open_dir(&RelPath::root())
        .map_err(|error| told(&error))?;
    let temp = temp_name();
    let put = put(&root, &dir, &temp, name.as_bytes(), content, access);
    // What is under this name by now, if anything, is the version that was there before.
    let _ = dir.remove_file(&temp);
    match put.map_err(|error| told(&error))? {
        Put::Done => Ok(()),
        Put::Changed | Put::Copy => Err(io::Error::other(
            "another program changed it meanwhile; run this again",
        )),
    }
}

fn put(
    root: &Root,
    dir: &Dir,
    temp: &[u8],
    name: &[u8],
    content: &[u8],
    access: Access,
) -> rooted::Result<Put> {
    let durability = Durability::Power;
    match root.open_file(&RelPath::root().join(name)) {
        Ok(old) => {
            let meta = *old.meta();
            let staged = dir.stage_like(temp, content, &old, durability)?;
            drop(old);
            let basis = Basis {
                meta: &meta,
                content: None,
            };
            dir.put_over(&staged, name, &basis)
        }
        Err(error) if matches!(error.kind, ErrorKind::NotFound) => {
            let like = Like {
                executable: (access == Access::Program).then_some(true),
                ..Like::default()
            };
            let staged = dir.stage(temp, content, like, durability)?;
            dir.put_new(&staged, name)
        }
        Err(error) => Err(error),
    }
}

fn told(error: &rooted::Error) -> io::Error {
    match &error.kind {
        ErrorKind::Other(inner) => io::Error::new(inner.kind(), inner.to_string()),
        _ => io::Error::other(error.to_string()),
    }
}

/// Removes a file, if it is there.
pub(super) fn remove(folder: &Path, name: &str) {
    let Ok(root) = Root::open(folder, Mode::FOLLOW) else {
        return;
    };
    if let Ok(dir) = root.open_dir(&RelPath::root()) {
        // Whether it is gone decides nothing.
        let _ = dir.remove_file(name.as_bytes());
    }
}
