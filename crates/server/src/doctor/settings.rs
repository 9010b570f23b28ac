//! The configuration: which file counts, what it comes to, and whether a server would start with it.

use super::finding::Findings;
use super::shown;
use crate::commands::{Start, registry};
use crate::config::discovery::Origin;
use crate::config::keys::Key;
use crate::config::{Config, Setting, Source, StartFault, check};

/// Looks at the configuration; `None` when a file is broken.
pub(super) fn look(findings: &mut Findings, start: &Start<'_>) -> Option<Config> {
    let (config, found) = match start.config() {
        Ok(both) => both,
        Err(StartFault::Usage(text)) => {
            findings.fault("config", text, "mend the option or variable that it names");
            return None;
        }
        Err(StartFault::Machine(text)) => {
            match text.split_once(';') {
                Some((what, _)) if what.starts_with("token must not be stored") => findings.fault(
                    "config",
                    what.to_owned(),
                    "take it out of the file and set MCP_TOKEN in the environment instead",
                ),
                _ => findings.fault(
                    "config",
                    text,
                    "mend the file; `workspace-mcp check-config` looks at it again",
                ),
            }
            return None;
        }
    };
    for note in &found.notes {
        findings.warn("config", note.clone(), "or move it out of the root");
    }
    match &found.file {
        None => findings.ok("config", "no configuration file".to_owned()),
        Some((file, origin)) => {
            let how = match origin {
                Origin::Named => "named by --config",
                Origin::Local => "in the current folder",
                Origin::User => "the user's own",
            };
            findings.ok("config", format!("{} ({how})", shown(&file.path)));
        }
    }
    for setting in &config.settings {
        if !matches!(setting.option, "root" | "workspace" | "config") {
            findings.ok("setting", said(setting));
        }
    }
    for line in config.misplaced_patterns() {
        let line = line.trim_start_matches("WARNING: ").to_owned();
        findings.warn("setting", line, "write it relative to the root");
    }
    if let Err(StartFault::Usage(text) | StartFault::Machine(text)) = registry(&config) {
        let remedy = "`workspace-mcp tools` lists the names of tools";
        findings.fault("setting", text, remedy);
    }
    Some(config)
}

fn said(setting: &Setting) -> String {
    let key = Key::of_option(setting.option);
    let name = key.map_or_else(
        || format!("--{}", setting.option),
        |key| key.name.to_owned(),
    );
    let value = check::value_of(setting);
    let place = match setting.source {
        Source::BuiltIn => "built-in",
        Source::File => "configuration file",
        Source::Environment => "environment",
        Source::Option => "command line",
    };
    format!("{name} = {value} ({place})")
}
