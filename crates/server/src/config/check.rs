//! What `check-config` shows: every value that counts, and where it comes from.
//!
//! It opens roots to see whether that works; it makes and changes nothing. Secrets have no place in
//! a configuration, so there are none to hide.

use std::fmt::Write as _;
use std::io::ErrorKind;
use std::path::Path;

use rooted::{Mode, Root};

use super::discovery::{Found, Origin};
use super::keys::{Effect, KEYS, Key, Kind};
use super::{Config, Setting, Source, variable};
use crate::registry::Registry;

/// What `check-config` has to say.
#[derive(Debug)]
pub struct Report {
    /// For a person to read.
    pub text: String,
    /// Why the server would not start, in one line.
    pub fault: Option<String>,
}

/// Looks at the roots and writes everything down.
#[must_use]
pub fn report(config: &Config, found: &Found, registry: &Registry) -> Report {
    let mut text = String::new();
    let mut fault = None;
    // A String takes every write.
    let _ = write_file(&mut text, found);
    let _ = write_workspaces(&mut text, config, &mut fault);
    let _ = write_settings(&mut text, config);
    let exposed = config.transport.exposed_key(&config.workspaces);
    for line in config.misplaced_patterns().into_iter().chain(exposed) {
        let _ = writeln!(text, "\n{line}");
    }
    if let Some(path) = &config.state_dir {
        let state = match Root::open(path, Mode::NO_LINKS) {
            Ok(state) => config.served_as_state(path, &state),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => Some(config.state_fault(path, &error)),
        };
        fault = fault.or(state);
    }
    let tools: Vec<&str> = registry.iter().map(|tool| tool.name).collect();
    let _ = writeln!(text, "\ntools: {}", tools.join(", "));
    Report { text, fault }
}

fn write_file(text: &mut String, found: &Found) -> std::fmt::Result {
    for note in &found.notes {
        writeln!(text, "{note}")?;
    }
    let Some((file, origin)) = &found.file else {
        return writeln!(text, "config file: none");
    };
    let how = match origin {
        Origin::Named => "named by --config",
        Origin::Local => "found in the current folder",
        Origin::User => "the user's own",
    };
    writeln!(text, "config file: {} ({how})", shown(&file.path))?;
    Ok(())
}

fn write_workspaces(
    text: &mut String,
    config: &Config,
    fault: &mut Option<String>,
) -> std::fmt::Result {
    let mut rows = Vec::new();
    for workspace in &config.workspaces {
        let state = match Root::open(&workspace.root, Mode::FOLLOW) {
            Ok(_) => "",
            Err(error) => {
                fault.get_or_insert_with(|| workspace.fault(&error));
                match error.kind() {
                    ErrorKind::NotFound => ", does not exist",
                    ErrorKind::NotADirectory => ", is not a directory",
                    _ => ", cannot be opened",
                }
            }
        };
        let read_only = if workspace.read_only {
            ", read-only"
        } else {
            ""
        };
        let value = format!("{}{read_only}{state}", shown(&workspace.root));
        let option = if workspace.name == "default" && said(config, "root").next().is_some() {
            "root"
        } else {
            "workspace"
        };
        rows.push([
            workspace.name.clone(),
            value,
            place(workspace.source, option),
        ]);
    }
    write_rows(text, "workspaces", &rows)
}

fn write_settings(text: &mut String, config: &Config) -> std::fmt::Result {
    let mut rows = Vec::new();
    for key in KEYS {
        if let Effect::Sets(option) = key.effect
            && !matches!(key.kind, Kind::Workspaces)
        {
            push_rows(&mut rows, config, key, option);
        }
    }
    for (option, default) in [
        ("token", "(none)"),
        ("insecure", "false"),
        ("log-level", "info"),
        ("log-file", "(stderr)"),
    ] {
        let last = said(config, option).last();
        let value = match (option, &config.log_file) {
            ("log-file", Some(path)) => shown(path),
            _ => last.map_or(default.to_owned(), value_of),
        };
        let source = last.map_or(Source::BuiltIn, |setting| setting.source);
        rows.push([format!("--{option}"), value, place(source, option)]);
    }
    write_rows(text, "settings", &rows)
}

/// One row for a value, and one for each item of a list.
fn push_rows(rows: &mut Vec<[String; 3]>, config: &Config, key: &Key, option: &'static str) {
    let all: Vec<&Setting> = said(config, option).collect();
    let counts = match key.kind {
        Kind::Texts(_) => all.as_slice(),
        _ => all.split_at(all.len().saturating_sub(1)).1,
    };
    if counts.is_empty() {
        let default = key.default.to_owned();
        rows.push([key.name.to_owned(), default, place(Source::BuiltIn, option)]);
    }
    for (index, setting) in counts.iter().enumerate() {
        let name = if index == 0 { key.name } else { "" };
        let value = match (option, &config.state_dir) {
            ("state-dir", Some(path)) => shown(path),
            _ => value_of(setting),
        };
        rows.push([name.to_owned(), value, place(setting.source, option)]);
    }
}

/// The value for people.
pub(crate) fn value_of(setting: &Setting) -> String {
    match (setting.option, setting.value.as_str()) {
        ("http", "") => "http".to_owned(),
        // The option is a flag and has no value of its own.
        (_, "") => "true".to_owned(),
        (_, value) => rooted::show(value.as_bytes()),
    }
}

fn said<'a>(config: &'a Config, option: &'a str) -> impl Iterator<Item = &'a Setting> {
    let settings = config.settings.iter();
    settings.filter(move |setting| setting.option == option)
}

fn place(source: Source, option: &str) -> String {
    match source {
        Source::BuiltIn => "built-in".to_owned(),
        Source::File => "file".to_owned(),
        Source::Environment if option == "shell-mode" => {
            "environment WORKSPACE_MCP_SHELL or WORKSPACE_MCP_SHELL_MODE".to_owned()
        }
        Source::Environment => format!("environment {}", variable(option).unwrap_or_default()),
        Source::Option if option == "shell-mode" => "option --shell or --shell-any".to_owned(),
        Source::Option => format!("option --{option}"),
    }
}

fn write_rows(text: &mut String, title: &str, rows: &[[String; 3]]) -> std::fmt::Result {
    writeln!(text, "\n{title}")?;
    let width = |column: fn(&[String; 3]) -> &String| {
        let widths = rows.iter().map(|row| column(row).chars().count());
        widths.max().unwrap_or(0)
    };
    let (names, values) = (width(|row| &row[0]), width(|row| &row[1]));
    for [name, value, place] in rows {
        writeln!(text, "  {name:names$}  {value:values$}  {place}")?;
    }
    Ok(())
}

fn shown(path: &Path) -> String {
    rooted::show(path.as_os_str().as_encoded_bytes())
}
