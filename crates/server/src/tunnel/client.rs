//! The tunnel client: where it is found, and how it is fetched.

use std::ffi::OsString;
use std::io::{Cursor, Read as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rooted::{Mode, RelPath, Root};
use workspace::Cancel;
use workspace::process::{self, End, Ends, Environment, Folder, Invocation};
use workspace::read::sha256;

use super::store::{self, Access};

/// The version that is fetched.
pub(super) const VERSION: &str = "v0.0.11";
/// Archives of that version and their SHA-256, as far as these were published where we could see it.
const KNOWN: [(&str, &str); 2] = [
    (
        "windows-amd64",
        "eb912c86c6ccde90cda805cb17009507176a656725cf86c36fabe1901a12e29b",
    ),
    (
        "windows-arm64",
        "38f015a720404c8ccd5976a0d6aed18d931899697eaf208548b5eb3d0f6e8592",
    ),
];
/// Where archives are.
const RELEASES: &str = "https://github.com/openai/tunnel-client/releases/download";
/// The longest archive that is taken, and the longest program in it.
const ARCHIVE_BYTES: u64 = 256 * 1024 * 1024;
/// How long the client may take to tell its version.
const ANSWER_TIME: Duration = Duration::from_secs(10);
/// How long fetching may take.
const FETCH_TIME: Duration = Duration::from_secs(600);

/// The name of the program.
pub(super) fn program_name() -> String {
    format!("tunnel-client{}", std::env::consts::EXE_SUFFIX)
}

/// What is known of this machine and of what was asked for.
pub(super) struct Search<'a> {
    /// The variables of this process.
    pub environment: &'a Environment,
    /// The current folder.
    pub cwd: &'a Path,
    /// A folder for what was fetched, if there is a place for one.
    pub cache: Option<PathBuf>,
    /// The SHA-256 that was given for the archive.
    pub sha256: Option<&'a str>,
    /// Whether it may be fetched.
    pub may_fetch: bool,
}

impl Search<'_> {
    /// The tunnel client that was named; it must be there and answer.
    ///
    /// # Errors
    /// One line that says what is wrong with it.
    pub(super) fn named(&self, path: &str) -> Result<PathBuf, String> {
        let path = self.cwd.join(path);
        self.check(&path)
            .map_err(|fault| format!("{} is no tunnel client: {fault}", shown(&path)))?;
        Ok(path)
    }

    /// The tunnel client of PATH, or the one that was fetched before, or one that is fetched now.
    ///
    /// # Errors
    /// One line that says how to get one.
    pub(super) fn find(&self) -> Result<PathBuf, String> {
        // Nothing is served yet, so no folder of a workspace is to be left out.
        let folders = self.environment.program_folders(Path::new("\0"));
        let in_path = process::find_programs("tunnel-client", &folders).next();
        if let Some(path) = in_path {
            return self.named(&path.to_string_lossy());
        }
        let cache = self.cache.as_ref().map(|cache| cache.join(VERSION));
        if let Some(folder) = &cache {
            let path = folder.join(program_name());
            if self.check(&path).is_ok() {
                return Ok(path);
            }
        }
        if !self.may_fetch {
            return Err(
                "no tunnel client in PATH: install it, name it with --tunnel-client, or fetch it \
                 with --download"
                    .to_owned(),
            );
        }
        let folder = cache.ok_or("there is no home folder to keep the tunnel client in")?;
        self.fetch(&folder)
    }

    /// Whether a program answers as a tunnel client does: something, and success.
    fn check(&self, path: &Path) -> Result<(), String> {
        let (end, said) = self.ask(path, &["--version".into()], ANSWER_TIME)?;
        match end {
            End::Exited(0) if said.n_total() > 0 => Ok(()),
            End::Exited(0) => Err("it says nothing on --version".to_owned()),
            End::Exited(code) => Err(format!("--version ends with code {code}")),
            End::TimedOut => Err("it does not answer --version".to_owned()),
            End::Signalled(_) | End::Cancelled => Err("--version is ended by a signal".to_owned()),
        }
    }

    fn ask(
        &self,
        program: &Path,
        args: &[OsString],
        time_limit: Duration,
    ) -> Result<(End, Ends), String> {
        let root = Root::open(self.cwd, Mode::FOLLOW).map_err(|error| error.to_string())?;
        let dir = root
            .open_dir(&RelPath::root())
            .map_err(|error| error.to_string())?;
        // No key is needed for what is asked here.
        let variables = super::key::for_server(self.environment);
        let invocation = Invocation {
            program,
            args,
            folder: Folder {
                dir: &dir,
                path: self.cwd,
            },
            variables: &variables,
            time_limit,
        };
        let mut said = Ends::new(4096, 4096);
        let mut faults = Ends::new(4096, 4096);
        let end = process::run(
            &invocation,
            &mut |bytes| said.push(bytes),
            &mut |bytes| faults.push(bytes),
            &Cancel::never(),
        );
        Ok((end.map_err(|error| error.to_string())?, said))
    }

    /// Fetches the archive, and keeps the program in it when the archive is the known one.
    fn fetch(&self, folder: &Path) -> Result<PathBuf, String> {
        let system = system();
        let known = KNOWN.iter().find(|(name, _)| *name == system);
        let expected = match (self.sha256, known) {
            (Some(given), _) => given.to_ascii_lowercase(),
            (None, Some((_, sha256))) => (*sha256).to_owned(),
            (None, None) => {
                return Err(format!(
                    "this version knows no SHA-256 for {system}: give the one that the publisher \
                     names for tunnel-client {VERSION} with --sha256"
                ));
            }
        };
        let url = format!("{RELEASES}/{VERSION}/tunnel-client-{VERSION}-{system}.zip");
        let folders = self.environment.program_folders(Path::new("\0"));
        let curl = process::find_programs("curl", &folders)
            .next()
            .ok_or_else(|| {
                format!(
                    "curl is not in PATH: download {url} yourself, and name it with --tunnel-client"
                )
            })?;
        let name = "archive.zip";
        let archive = folder.join(name);
        // The folder must be there before curl writes to it.
        store::write(folder, name, b"", Access::Usual)
            .map_err(|error| format!("cannot write to {}: {error}", shown(folder)))?;
        let args = [
            "--fail",
            "--location",
            "--silent",
            "--show-error",
            "--proto",
            "=https",
        ];
        let mut args: Vec<OsString> = args.iter().map(OsString::from).collect();
        args.extend(["--max-filesize".into(), ARCHIVE_BYTES.to_string().into()]);
        args.extend([
            "--output".into(),
            archive.clone().into(),
            url.clone().into(),
        ]);
        let (end, _) = self.ask(&curl, &args, FETCH_TIME)?;
        let content = store::read(folder, name, ARCHIVE_BYTES);
        // Only the program is kept, and only when it is the right one.
        store::remove(folder, name);
        if end != End::Exited(0) {
            return Err(format!("cannot fetch {url}"));
        }
        let content = content
            .map_err(|error| format!("cannot read {}: {error}", shown(&archive)))?
            .unwrap_or_default();
        let found = sha256(&content);
        if found != expected {
            return Err(format!(
                "the archive is not the expected one and was removed: SHA-256 {found}, expected \
                 {expected}"
            ));
        }
        let program = unpacked(&content)?;
        let path = folder.join(program_name());
        store::write(folder, &program_name(), &program, Access::Program)
            .map_err(|error| format!("cannot write {}: {error}", shown(&path)))?;
        self.named(&path.to_string_lossy())
    }
}

/// The program in an archive.
fn unpacked(archive: &[u8]) -> Result<Vec<u8>, String> {
    let broken = |error: &dyn std::fmt::Display| format!("the archive cannot be read: {error}");
    let mut archive = zip::ZipArchive::new(Cursor::new(archive)).map_err(|error| broken(&error))?;
    let name = program_name();
    let inside = archive
        .file_names()
        .find(|path| path.rsplit('/').next() == Some(&name))
        .map(str::to_owned)
        .ok_or_else(|| format!("the archive holds no {name}"))?;
    let file = archive.by_name(&inside).map_err(|error| broken(&error))?;
    let mut program = Vec::new();
    file.take(ARCHIVE_BYTES)
        .read_to_end(&mut program)
        .map_err(|error| broken(&error))?;
    Ok(program)
}

/// This machine, as the names of archives have it.
fn system() -> String {
    let system = match std::env::consts::OS {
        "macos" => "darwin",
        other => other,
    };
    let processor = match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    };
    format!("{system}-{processor}")
}

pub(super) fn shown(path: &Path) -> String {
    rooted::show(path.as_os_str().as_encoded_bytes())
}
