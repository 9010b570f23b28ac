//! The TOML file of the toolset: every section, key, default and range, and the texts of faults.
//!
//! It is read once, at the start. The texts are those that people know from the server this toolset
//! stands in for; they go out under the code `CONFIG_ERROR`.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use workspace::managed::{Allow, Options};

use crate::config::file;
use crate::platform;

/// The sections and their keys.
const SECTIONS: &[(&str, &[&str])] = &[
    (
        "workspace",
        &[
            "root",
            "max_file_bytes",
            "max_read_bytes",
            "max_transaction_bytes",
            "max_search_results",
            "excluded",
        ],
    ),
    (
        "paths",
        &[
            "reject_reparse_points",
            "reject_hardlinks",
            "require_same_filesystem",
        ],
    ),
    (
        "write",
        &[
            "allow_create_file",
            "allow_modify_file",
            "allow_delete_file",
            "allow_move",
            "allow_create_directory",
            "allow_delete_empty_directory",
            "allow_recursive_delete",
            "require_expected_hash",
        ],
    ),
    (
        "git",
        &[
            "enabled",
            "mode",
            "auto_checkpoint",
            "allow_existing_repository",
            "allow_remotes",
            "author_name",
            "author_email",
            "keep_checkpoints",
        ],
    ),
    ("search", &["include_hidden", "max_results"]),
    ("server", &["transport"]),
];

/// Reads the file; `home` stands for `~` in the root.
///
/// # Errors
/// One line for the first thing that is wrong.
pub fn read(path: &Path, home: Option<&str>) -> Result<Options, String> {
    let shown = file::shown(path);
    let text = file::read_text(path)
        .map_err(|reason| format!("cannot read config file {shown}: {reason}"))?
        .ok_or_else(|| format!("config file not found: {shown}"))?;
    let value = file::parse_toml(&text)
        .map_err(|reason| format!("invalid TOML in config file {shown}: {reason}"))?;
    options(&value, home)
}

fn options(file: &Value, home: Option<&str>) -> Result<Options, String> {
    let none = Map::new();
    let file = file.as_object().unwrap_or(&none);
    check_names(file)?;
    let section = |name: &str| Section(file.get(name).and_then(Value::as_object));
    let workspace = section("workspace");
    let mut options = match workspace.get("root") {
        Some(Value::String(root)) if !root.is_empty() => Options::new(expand(root, home)?),
        _ => return Err("workspace.root is required".to_owned()),
    };
    workspace.limits(&mut options)?;
    section("paths").paths(&mut options)?;
    section("write").write(&mut options)?;
    section("git").git(&mut options)?;
    section("search").search(&mut options)?;
    options.excluded = workspace.excluded()?;
    match section("server").get("transport") {
        None => Ok(options),
        Some(Value::String(transport)) if transport == "stdio" => Ok(options),
        Some(_) => Err("only stdio transport is supported in v0.1.0".to_owned()),
    }
}

/// Refuses names that mean nothing: a slip in a setting must not pass in silence.
fn check_names(file: &Map<String, Value>) -> Result<(), String> {
    let keys_of = |name: &str| {
        let known = SECTIONS.iter().find(|(section, _)| *section == name);
        known.map(|(_, keys)| *keys)
    };
    if let Some(unknown) = file.keys().find(|name| keys_of(name).is_none()) {
        let unknown = rooted::show(unknown.as_bytes());
        return Err(format!("unknown config section: [{unknown}]"));
    }
    for (name, section) in file {
        let Some(section) = section.as_object() else {
            return Err(format!("config section [{name}] must be a table"));
        };
        let keys = keys_of(name).unwrap_or_default();
        if let Some(unknown) = section.keys().find(|key| !keys.contains(&key.as_str())) {
            let unknown = rooted::show(unknown.as_bytes());
            return Err(format!("unknown config key: {name}.{unknown}"));
        }
    }
    Ok(())
}

/// A section of the file, which may not be there.
struct Section<'a>(Option<&'a Map<String, Value>>);

impl Section<'_> {
    fn get(&self, key: &str) -> Option<&Value> {
        self.0?.get(key)
    }

    fn positive(&self, key: &str) -> Result<Option<u64>, String> {
        match self.get(key) {
            None => Ok(None),
            Some(value) => match value.as_u64() {
                Some(number) if number > 0 => Ok(Some(number)),
                _ => Err(format!("{key} must be a positive integer")),
            },
        }
    }

    fn count(&self, key: &str) -> Result<Option<usize>, String> {
        // More than there can be is as good as all.
        let count = |number| usize::try_from(number).unwrap_or(usize::MAX);
        Ok(self.positive(key)?.map(count))
    }

    fn flag(&self, key: &str, default: bool) -> Result<bool, String> {
        match self.get(key) {
            None => Ok(default),
            Some(value) => value
                .as_bool()
                .ok_or_else(|| format!("{key} must be a boolean")),
        }
    }

    fn text(&self, key: &str, default: &str) -> Result<String, String> {
        match self.get(key) {
            None => Ok(default.to_owned()),
            Some(Value::String(text)) if !text.is_empty() => Ok(text.clone()),
            Some(_) => Err(format!("{key} must be a non-empty string")),
        }
    }

    fn word(&self, key: &str, default: &str) -> Result<String, String> {
        let text = self.text(key, default)?;
        let bare = text.replace(['-', '_'], "");
        if bare.is_empty() || !bare.chars().all(char::is_alphanumeric) {
            return Err(format!("{key} must be a simple word"));
        }
        Ok(text)
    }

    fn excluded(&self) -> Result<Vec<String>, String> {
        let fault = || "workspace.excluded must be a list of names".to_owned();
        match self.get("excluded") {
            None => Ok(Vec::new()),
            Some(Value::Array(names)) => names
                .iter()
                .map(|name| {
                    let name = name.as_str().ok_or_else(fault)?;
                    // Taken for a name, it would exclude nothing.
                    if name.is_empty() || name.contains(['/', '\\']) {
                        return Err(format!("{}, and {name:?} is none", fault()));
                    }
                    Ok(name.to_lowercase())
                })
                .collect(),
            Some(_) => Err(fault()),
        }
    }

    fn limits(&self, options: &mut Options) -> Result<(), String> {
        for (key, limit) in [
            ("max_file_bytes", &mut options.max_file_bytes),
            ("max_read_bytes", &mut options.max_read_bytes),
            ("max_transaction_bytes", &mut options.max_transaction_bytes),
        ] {
            *limit = self.positive(key)?.unwrap_or(*limit);
        }
        if let Some(number) = self.count("max_search_results")? {
            options.max_search_results = number;
        }
        if options.max_read_bytes > options.max_file_bytes {
            return Err("max_read_bytes must not exceed max_file_bytes".to_owned());
        }
        Ok(())
    }

    fn flags<const N: usize>(&self, flags: [(&str, &mut bool); N]) -> Result<(), String> {
        for (key, flag) in flags {
            *flag = self.flag(key, *flag)?;
        }
        Ok(())
    }

    fn paths(&self, options: &mut Options) -> Result<(), String> {
        self.flags([
            ("reject_reparse_points", &mut options.reject_reparse_points),
            ("reject_hardlinks", &mut options.reject_hardlinks),
            (
                "require_same_filesystem",
                &mut options.require_same_filesystem,
            ),
        ])
    }

    fn write(&self, options: &mut Options) -> Result<(), String> {
        let Allow {
            create_file,
            modify_file,
            delete_file,
            moving,
            create_directory,
            delete_empty_directory,
        } = &mut options.allow;
        self.flags([
            ("allow_create_file", create_file),
            ("allow_modify_file", modify_file),
            ("allow_delete_file", delete_file),
            ("allow_move", moving),
            ("allow_create_directory", create_directory),
            ("allow_delete_empty_directory", delete_empty_directory),
        ])?;
        let recursive = self.flag("allow_recursive_delete", false)?;
        // Hashes are always required, so this says nothing new.
        self.flag("require_expected_hash", true)?;
        if recursive {
            return Err("allow_recursive_delete is not supported in v0.1.0".to_owned());
        }
        Ok(())
    }

    fn git(&self, options: &mut Options) -> Result<(), String> {
        let enabled = self.flag("enabled", true)?;
        let mode = self.word("mode", "managed")?;
        // Checkpoints are always made, so this says nothing new.
        self.flag("auto_checkpoint", true)?;
        let adopts = self.flag("allow_existing_repository", false)?;
        let has_remotes = self.flag("allow_remotes", false)?;
        options.author_name = self.text("author_name", &options.author_name)?;
        options.author_email = self.text("author_email", &options.author_email)?;
        options.keep_checkpoints = self.count("keep_checkpoints")?;
        let refusal = if mode != "managed" {
            "git.mode must be 'managed' in v0.1.0"
        } else if adopts {
            "adopting existing repositories is not supported in v0.1.0"
        } else if has_remotes {
            "git remotes are not supported in v0.1.0"
        } else if !enabled {
            "git.enabled = false is not supported in v0.1.0"
        } else {
            return Ok(());
        };
        Err(refusal.to_owned())
    }

    fn search(&self, options: &mut Options) -> Result<(), String> {
        options.include_hidden = self.flag("include_hidden", false)?;
        if let Some(number) = self.count("max_results")? {
            options.max_search_results = number;
        }
        Ok(())
    }
}

/// The root with the home folder in place of `~`.
fn expand(root: &str, home: Option<&str>) -> Result<PathBuf, String> {
    let below = match root.strip_prefix('~') {
        Some("") => "",
        Some(rest) if rest.starts_with(std::path::is_separator) => {
            rest.trim_start_matches(std::path::is_separator)
        }
        _ => return Ok(PathBuf::from(root)),
    };
    let Some(home) = home.filter(|home| !home.is_empty()) else {
        let variable = platform::HOME_VARIABLE;
        return Err(format!(
            "workspace.root begins with ~, but {variable} is not set; give the whole path"
        ));
    };
    // Joining nothing would end the path with a separator.
    Ok(if below.is_empty() {
        PathBuf::from(home)
    } else {
        Path::new(home).join(below)
    })
}

#[cfg(test)]
mod tests;
