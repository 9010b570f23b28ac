//! What was found: one line each, for people and as JSON.

use serde_json::{Value, json};

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    /// As it should be.
    Ok,
    /// It works, but not as well as it could.
    Warn,
    /// It does not work.
    Fault,
}

impl Level {
    fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warn => "warn",
            Self::Fault => "fault",
        }
    }
}

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    pub(crate) level: Level,
    /// What was looked at.
    pub(crate) check: String,
    /// What was seen.
    pub(crate) what: String,
    /// What to do about it; nothing when all is well.
    pub(crate) remedy: Option<String>,
}

/// Everything that was found, in the order in which it was looked at.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    pub(crate) all: Vec<Finding>,
}

impl Findings {
    pub(crate) fn ok(&mut self, check: &str, what: String) {
        self.push(Level::Ok, check, what, None);
    }

    pub(crate) fn warn(&mut self, check: &str, what: String, remedy: &str) {
        self.push(Level::Warn, check, what, Some(remedy));
    }

    pub(crate) fn fault(&mut self, check: &str, what: String, remedy: &str) {
        self.push(Level::Fault, check, what, Some(remedy));
    }

    fn push(&mut self, level: Level, check: &str, what: String, remedy: Option<&str>) {
        self.all.push(Finding {
            level,
            check: check.to_owned(),
            what,
            remedy: remedy.map(ToOwned::to_owned),
        });
    }

    fn n_of(&self, level: Level) -> usize {
        let all = self.all.iter();
        all.filter(|finding| finding.level == level).count()
    }

    pub(crate) fn has_fault(&self) -> bool {
        self.n_of(Level::Fault) > 0
    }

    /// One line a finding.
    pub(crate) fn text(&self) -> String {
        let line = |finding: &Finding| {
            let level = finding.level.name();
            let remedy = finding.remedy.as_ref();
            let remedy = remedy.map_or_else(String::new, |remedy| format!("; {remedy}"));
            format!("{level:<5}  {}: {}{remedy}\n", finding.check, finding.what)
        };
        self.all.iter().map(line).collect()
    }

    /// One object, over lines.
    pub(crate) fn json(&self) -> String {
        let one = |finding: &Finding| {
            let mut one = json!({
                "level": finding.level.name(),
                "check": finding.check,
                "what": finding.what,
            });
            if let (Some(remedy), Some(one)) = (&finding.remedy, one.as_object_mut()) {
                one.insert("remedy".to_owned(), remedy.as_str().into());
            }
            one
        };
        let whole: Value = json!({
            "version": env!("CARGO_PKG_VERSION"),
            "faults": self.n_of(Level::Fault),
            "warnings": self.n_of(Level::Warn),
            "findings": self.all.iter().map(one).collect::<Vec<_>>(),
        });
        format!("{whole:#}\n")
    }
}
