//! The folder that logs of jobs are in: the owner's alone.

use std::io::Write;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use rooted::{Dir, ErrorKind, File, Kind, Mode, RelPath, Root};

use super::super::Fault;
use super::{log_name, reason};
use crate::limits;
use crate::process::{Environment, hold, owner};

/// How often a name for a log is made before it is given up.
const ATTEMPTS: usize = 16;

#[derive(Debug)]
pub(super) struct JobFolder {
    /// As configured.
    named: Option<PathBuf>,
    /// Where it may be made otherwise, the preferred place first.
    places: Vec<PathBuf>,
}

/// A log, open for writing and for reading.
pub(super) struct Log {
    pub(super) writer: Box<dyn Write + Send>,
    pub(super) file: File,
    pub(super) path: PathBuf,
}

impl JobFolder {
    pub(super) fn new(named: Option<PathBuf>, environment: &Environment) -> Self {
        Self {
            named,
            places: environment.private_folders(),
        }
    }

    /// Makes a log under a name that no other has.
    pub(super) fn new_log(&self, new_id: fn() -> String) -> Result<(String, Log), Fault> {
        let (root, dir) = self.open(true)?;
        for _ in 0..ATTEMPTS {
            let id = new_id();
            let name = log_name(&id);
            let writer = match dir.create_file(name.as_bytes(), 0o600) {
                Ok(writer) => writer,
                Err(error) if matches!(error.kind, ErrorKind::Exists) => continue,
                Err(error) => return Err(Fault::NoJobFolder(error.to_string())),
            };
            // As long as somebody holds it, no server takes it for one that was left.
            hold(&writer);
            let file = dir
                .open_file(name.as_bytes())
                .map_err(|error| Fault::NoJobFolder(error.to_string()))?;
            let path = root
                .host_path()
                .join(dir.path().as_str().unwrap_or_default())
                .join(&name);
            let writer = Box::new(writer);
            return Ok((id, Log { writer, file, path }));
        }
        Err(Fault::NoJobFolder("no name is free".to_owned()))
    }

    /// Removes a log that nothing is in.
    pub(super) fn remove(&self, id: &str) {
        if let Ok((_, dir)) = self.open(false) {
            // It would stay as an empty file.
            let _ = dir.remove_file(log_name(id).as_bytes());
        }
    }

    /// Removes old logs of servers that have ended.
    pub(super) fn tidy(&self) {
        let Ok((_, dir)) = self.open(false) else {
            return;
        };
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |now| i128::try_from(now.as_nanos()).unwrap_or(0));
        let age = i128::try_from(limits::JOB_LOG_AGE.as_nanos()).unwrap_or(i128::MAX);
        for (name, kind) in dir.list().unwrap_or_default() {
            if kind != Kind::File || !is_log(&name) {
                continue;
            }
            let is_old = dir
                .stat(&name)
                .is_ok_and(|meta| now.saturating_sub(meta.mtime_ns) > age);
            let is_free = || {
                dir.open_for_writing(&name)
                    .is_ok_and(|file| file.try_lock().is_ok())
            };
            if is_old && is_free() {
                // The next start tries again.
                let _ = dir.remove_file(&name);
            }
        }
    }

    /// Opens the folder, and makes it if it is to be.
    fn open(&self, make: bool) -> Result<(Root, Dir), Fault> {
        let refused = |text: String| Fault::NoJobFolder(text);
        let (root, dir) = match &self.named {
            Some(named) => {
                let root = if make {
                    Root::open_or_make(named, Mode::NO_LINKS)
                } else {
                    Root::open(named, Mode::NO_LINKS)
                };
                let root = root.map_err(|error| {
                    let named = rooted::show(named.as_os_str().as_encoded_bytes());
                    refused(format!("{named}: {}", reason(&error)))
                })?;
                let dir = root
                    .open_dir(&RelPath::root())
                    .map_err(|error| refused(error.to_string()))?;
                (root, dir)
            }
            None => self.beneath_temp(make)?,
        };
        let meta = dir.meta().map_err(|error| refused(error.to_string()))?;
        // Who else may write there could put links in the place of logs.
        if owner().is_some_and(|owner| meta.uid != owner || meta.mode & 0o022 != 0) {
            let path = root
                .host_path()
                .join(dir.path().as_str().unwrap_or_default());
            let path = rooted::show(path.as_os_str().as_encoded_bytes());
            return Err(refused(format!(
                "{path} belongs to somebody else, or others may write there"
            )));
        }
        Ok((root, dir))
    }

    fn beneath_temp(&self, make: bool) -> Result<(Root, Dir), Fault> {
        let name = owner().map_or_else(
            || "workspace-mcp-jobs".to_owned(),
            |owner| format!("workspace-mcp-jobs-{owner}"),
        );
        let mut why = "there is no folder for temporary files".to_owned();
        for temp in &self.places {
            let root = match Root::open(temp, Mode::NO_LINKS) {
                Ok(root) => root,
                Err(error) => {
                    why = reason(&error);
                    continue;
                }
            };
            let opened = root.open_dir(&RelPath::root()).and_then(|temp| {
                match temp.open_dir(name.as_bytes()) {
                    Err(error) if make && matches!(error.kind, ErrorKind::NotFound) => {
                        let made = temp.create_dir(name.as_bytes(), 0o700);
                        made.or_else(|error| match error.kind {
                            ErrorKind::Exists => Ok(()),
                            _ => Err(error),
                        })?;
                        temp.open_dir(name.as_bytes())
                    }
                    opened => opened,
                }
            });
            match opened {
                Ok(dir) => return Ok((root, dir)),
                Err(error) => why = error.to_string(),
            }
        }
        Err(Fault::NoJobFolder(why))
    }
}

fn is_log(name: &[u8]) -> bool {
    name.strip_prefix(b"job_")
        .and_then(|rest| rest.strip_suffix(b".log"))
        .is_some_and(|id| id.len() == 8 && id.iter().all(u8::is_ascii_hexdigit))
}
