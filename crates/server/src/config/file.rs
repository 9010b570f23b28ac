//! A configuration file: read, parsed by the format its name tells, and checked.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use rooted::{Mode, RelPath, Root};
use serde_json::Value;

use super::shape::{self, Settings};
use super::{StartFault, WorkspaceConfig, values};

/// Bytes of a configuration file; more is no configuration.
const FILE_BYTES: u64 = 1024 * 1024;

/// A configuration file that is in use.
#[derive(Debug)]
pub struct ConfigFile {
    /// Where it was found, absolute.
    pub path: PathBuf,
    /// Where it really lies, links resolved.
    pub real: PathBuf,
    /// What it says.
    pub settings: Settings,
}

impl ConfigFile {
    /// Where relative paths in it start.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(&self.path)
    }

    /// The workspaces that it names.
    pub(super) fn workspaces(&self) -> Result<Vec<WorkspaceConfig>, StartFault> {
        let options = self.settings.options.iter();
        options
            .filter(|(option, _)| *option == "workspace")
            .map(|(_, value)| values::workspace(value, self.folder()))
            .collect()
    }

    /// Reads the file at an absolute path; `None` when nothing is there.
    ///
    /// # Errors
    /// [`StartFault::Machine`] when something is there that cannot be read or is wrong.
    pub(super) fn read(path: &Path) -> Result<Option<Self>, StartFault> {
        let Some(real) = resolve(path).map_err(|reason| unreadable(path, &reason))? else {
            return Ok(None);
        };
        let bytes = content(&real).map_err(|reason| unreadable(path, &reason))?;
        let value = parse(path, bytes)?;
        let settings = shape::settings(&value).map_err(StartFault::Machine)?;
        Ok(Some(Self {
            path: path.to_owned(),
            real,
            settings,
        }))
    }
}

/// Where a path really leads; `None` when nothing is there, not even a link.
#[expect(
    clippy::disallowed_methods,
    reason = "the file lies where its owner says, outside of what is served; it is opened once, by the resolved path"
)]
pub(crate) fn resolve(path: &Path) -> Result<Option<PathBuf>, String> {
    match std::fs::canonicalize(path) {
        Ok(real) => Ok(Some(real)),
        Err(error) if is_absence(error.kind()) => match std::fs::symlink_metadata(path) {
            // Somebody put a link there and believes it works.
            Ok(_) => Err("it is a link to nothing; mend or remove it".to_owned()),
            Err(_) => Ok(None),
        },
        Err(error) => Err(error.to_string()),
    }
}

fn is_absence(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::NotFound | ErrorKind::NotADirectory)
}

/// The bytes of a file that the configuration names, by its absolute path.
///
/// # Errors
/// The reason, without the path.
pub(super) fn named(path: &Path) -> Result<Vec<u8>, String> {
    let real = resolve(path)?.ok_or_else(|| "no such file".to_owned())?;
    content(&real)
}

/// The bytes of a regular file; nothing else is opened, so that a pipe cannot hold up the start.
fn content(real: &Path) -> Result<Vec<u8>, String> {
    let (Some(folder), Some(name)) = (real.parent(), real.file_name()) else {
        return Err("not a regular file".to_owned());
    };
    let folder = Root::open(folder, Mode::NO_LINKS).map_err(|error| error.to_string())?;
    let name = RelPath::from_bytes(name.as_encoded_bytes())
        .map_err(|_| "not a regular file".to_owned())?;
    let mut file = folder.open_file(&name).map_err(|error| reason(&error))?;
    if file.meta().len > FILE_BYTES {
        return Err(format!("larger than {FILE_BYTES} bytes"));
    }
    file.read_all(FILE_BYTES).map_err(|error| error.to_string())
}

/// What went wrong, without the path, which the caller knows.
pub(crate) fn reason(error: &rooted::Error) -> String {
    let text = error.to_string();
    let path = format!(": {}", error.path);
    text.strip_suffix(&path).unwrap_or(&text).to_owned()
}

/// The text of a configuration file of another kind; `None` when nothing is there.
///
/// # Errors
/// The reason why it cannot be read, without the path.
pub fn read_text(path: &Path) -> Result<Option<String>, String> {
    resolve(path)?
        .map(|real| text(content(&real)?).ok_or_else(|| NOT_UTF8.to_owned()))
        .transpose()
}

/// Parses TOML.
///
/// # Errors
/// One line that ends with the place.
pub fn parse_toml(text: &str) -> Result<Value, String> {
    toml::from_str(text).map_err(|error| toml_reason(text, &error))
}

const NOT_UTF8: &str = "not valid UTF-8";

/// Bytes as text, without the byte order mark that some editors on Windows write.
fn text(bytes: Vec<u8>) -> Option<String> {
    let text = String::from_utf8(bytes).ok()?;
    Some(match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    })
}

fn parse(path: &Path, bytes: Vec<u8>) -> Result<Value, StartFault> {
    let text = text(bytes).ok_or_else(|| unreadable(path, NOT_UTF8))?;
    let fault = |format, reason: &str| {
        StartFault::Machine(format!(
            "invalid {format} in config file {}: {reason}",
            shown(path)
        ))
    };
    if path.extension().is_some_and(|name| name == "toml") {
        parse_toml(&text).map_err(|reason| fault("TOML", &reason))
    } else {
        serde_json::from_str(&text).map_err(|error| fault("JSON", &error.to_string()))
    }
}

/// In one line, as the JSON reader says it.
fn toml_reason(text: &str, error: &toml::de::Error) -> String {
    let message = error.message().lines().collect::<Vec<_>>().join(", ");
    // The value that it is read into has its own word for a number.
    let message = message.replace("JSON number", "number");
    let before = error.span().and_then(|span| text.get(..span.start));
    match before {
        Some(before) => {
            let line = before.matches('\n').count() + 1;
            let column = before
                .rsplit('\n')
                .next()
                .map_or(0, |last| last.chars().count())
                + 1;
            format!("{message} at line {line} column {column}")
        }
        None => message,
    }
}

fn unreadable(path: &Path, reason: &str) -> StartFault {
    StartFault::Machine(format!("cannot read config file {}: {reason}", shown(path)))
}

/// A path of the host, for a person.
#[must_use]
pub fn shown(path: &Path) -> String {
    rooted::show(path.as_os_str().as_encoded_bytes())
}
