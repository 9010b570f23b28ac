//! Runs git: which program, what it sees of the environment, and what its failures say.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use rooted::Root;

use super::repository::Repository;
use super::shadow::Shadow;
use crate::cancel::Cancel;
use crate::error::Error;
use crate::limits;
use crate::process::{
    End, Ends, Environment, Folder, Invocation, bytes_of, find_programs, os_text, run, variable,
};

/// What git may see of the server's own environment.
const SEEN: &[&str] = &[
    "HOME",
    "XDG_CONFIG_HOME",
    "USERPROFILE",
    "SYSTEMROOT",
    "TMPDIR",
    "TMP",
    "TEMP",
];
/// Bytes of what git says about a failure that are kept.
const FAILURE_BYTES: usize = 4096;

/// The git program of one server.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) environment: Environment,
    /// Where the system's settings are, which only the program knows. It is asked once.
    system: OnceLock<Option<PathBuf>>,
}

/// One run of git.
pub(super) struct Run<'a> {
    /// The command, for messages.
    pub command: &'static str,
    /// Everything behind the program's name.
    pub args: Vec<OsString>,
    /// When it is ended.
    pub time_limit: Duration,
    /// Raised when the caller gives up.
    pub cancel: &'a Cancel,
}

impl Program {
    pub(super) fn new(environment: Environment) -> Self {
        Self {
            environment,
            system: OnceLock::new(),
        }
    }

    /// Looks whether there is a git.
    ///
    /// # Errors
    /// [`Error::GitNotFound`].
    pub(super) fn check(&self, root: &Root) -> Result<(), Error> {
        let folders = self.environment.program_folders(root.host_path());
        let mut programs = find_programs("git", &folders);
        programs.next().map(|_| ()).ok_or(Error::GitNotFound)
    }

    /// The path of the system's settings.
    pub(super) fn system_file(&self, root: &Root, shadow: &Shadow) -> Option<&Path> {
        let ask = || {
            let mut told = Ends::new(FAILURE_BYTES, 0);
            let mut variables = self.variables(root);
            variables.push(variable("GIT_DIR", shadow.path()));
            let invocation = Asked {
                args: &["var".into(), "GIT_CONFIG_SYSTEM".into()],
                variables: &variables,
                folder: Folder {
                    dir: shadow.dir(),
                    path: shadow.path(),
                },
                time_limit: limits::GIT_STATUS_TIME,
            };
            let end = self.start(
                root,
                &invocation,
                &mut |bytes| told.push(bytes),
                &Cancel::never(),
            );
            let line = told.head.split(|&byte| byte == b'\n').next();
            let told = line.and_then(os_text).map(PathBuf::from);
            match (end, told) {
                (Ok((End::Exited(0), _)), Some(path)) if path.is_absolute() => Some(path),
                // Before 2.41 git did not tell.
                _ => Some(PathBuf::from("/etc/gitconfig")),
            }
        };
        self.system.get_or_init(ask).as_deref()
    }

    /// Runs git on a repository in the shadow's place, and hands on what it writes.
    ///
    /// # Errors
    /// When there is no git, when it takes too long, and by what it says when it fails.
    pub(super) fn run(
        &self,
        root: &Root,
        repository: &Repository,
        shadow: &Shadow,
        run: &Run<'_>,
        stdout: &mut dyn FnMut(&[u8]),
    ) -> Result<(), Error> {
        let objects = repository.common.host_path("objects")?;
        let mut variables = self.variables(root);
        variables.extend([
            variable("GIT_DIR", shadow.git_dir()),
            variable("GIT_WORK_TREE", "."),
            variable("GIT_OBJECT_DIRECTORY", &objects),
            variable("GIT_CONFIG_NOSYSTEM", "1"),
            variable("GIT_CONFIG_GLOBAL", "/dev/null"),
        ]);
        let top = repository.top.open_dir(&rooted::RelPath::root())?;
        let invocation = Asked {
            args: &run.args,
            variables: &variables,
            folder: Folder {
                dir: &top,
                path: repository.top.host_path(),
            },
            time_limit: run.time_limit,
        };
        let (end, stderr) = self.start(root, &invocation, stdout, run.cancel)?;
        let command = run.command;
        match end {
            End::Exited(0) => Ok(()),
            End::TimedOut => Err(Error::GitTimedOut(command)),
            End::Cancelled => Err(Error::Cancelled),
            End::Exited(code) | End::Signalled(code) => {
                let places = [
                    (shadow.git_dir(), ".git"),
                    (shadow.path(), ".git"),
                    (objects.as_path(), ".git/objects"),
                    (repository.top.host_path(), "."),
                ];
                let line = first_line(&stderr, &places);
                Err(Error::GitFailed(line.unwrap_or_else(|| {
                    format!("git {command} failed (exit code {code})")
                })))
            }
        }
    }

    /// What every run of git sees.
    fn variables(&self, root: &Root) -> Vec<(OsString, OsString)> {
        let folders = self.environment.program_folders(root.host_path());
        // Folders that came out of a search path go back into one.
        let path = std::env::join_paths(folders).unwrap_or_default();
        let mut variables: Vec<_> = self.environment.some(SEEN).collect();
        variables.extend([
            variable("PATH", path),
            variable("LC_ALL", "C"),
            variable("GIT_OPTIONAL_LOCKS", "0"),
            variable("GIT_TERMINAL_PROMPT", "0"),
            variable("GIT_NO_LAZY_FETCH", "1"),
            variable("GIT_PROTOCOL_FROM_USER", "0"),
            variable("GIT_ALLOW_PROTOCOL", "none"),
            variable("GIT_PAGER", ""),
        ]);
        variables
    }

    fn start(
        &self,
        root: &Root,
        asked: &Asked<'_>,
        stdout: &mut dyn FnMut(&[u8]),
        cancel: &Cancel,
    ) -> Result<(End, Vec<u8>), Error> {
        let folders = self.environment.program_folders(root.host_path());
        for program in find_programs("git", &folders) {
            let invocation = Invocation {
                program: &program,
                args: asked.args,
                folder: asked.folder,
                variables: asked.variables,
                time_limit: asked.time_limit,
            };
            let mut stderr = Ends::new(FAILURE_BYTES, 0);
            let done = run(&invocation, stdout, &mut |bytes| stderr.push(bytes), cancel);
            match done {
                Ok(end) => return Ok((end, stderr.head)),
                // A name in the search path that is no program after all.
                Err(error)
                    if matches!(
                        error.kind(),
                        io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied
                    ) => {}
                Err(source) => {
                    let path = rooted::RelPath::root();
                    return Err(Error::Io { path, source });
                }
            }
        }
        Err(Error::GitNotFound)
    }
}

/// A run before the program is found.
struct Asked<'a> {
    args: &'a [OsString],
    variables: &'a [(OsString, OsString)],
    folder: Folder<'a>,
    time_limit: Duration,
}

/// The first line of what git said, without paths of the host.
fn first_line(stderr: &[u8], places: &[(&Path, &str)]) -> Option<String> {
    let mut lines = stderr.split(|&byte| byte == b'\n');
    let line = lines.find(|line| !line.trim_ascii().is_empty())?;
    let mut line = line.trim_ascii().to_vec();
    for (place, shown) in places {
        let place = bytes_of(place.as_os_str());
        while let Some(at) = memchr::memmem::find(&line, &place) {
            line.splice(at..at + place.len(), shown.bytes());
        }
    }
    Some(rooted::show(&line))
}
