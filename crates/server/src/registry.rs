//! The tools of a server: those of its toolset that the configuration leaves. A tool that is not
//! here does not exist, neither in the list nor for a call.

use std::fmt;

use crate::tool::{Call, Tool};

/// Which tools of a toolset exist.
#[derive(Clone, Debug, Default)]
pub struct ToolFilter {
    /// Leaves only tools that read.
    pub read_only: bool,
    /// When not empty, leaves only these.
    pub allow: Vec<String>,
    /// Takes these away, whatever else is said.
    pub deny: Vec<String>,
}

/// A name in the configuration that no tool of the toolset has.
#[derive(Debug, PartialEq, Eq)]
pub struct UnknownTool {
    /// The option that holds it.
    pub option: &'static str,
    /// The name.
    pub name: String,
}

impl fmt::Display for UnknownTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { option, name } = self;
        write!(f, "unknown tool in {option}: {name}")
    }
}

/// The tools that exist, in the order of their toolset.
#[derive(Debug)]
pub struct Registry<F: 'static = Call> {
    tools: Vec<&'static Tool<F>>,
}

impl<F> Registry<F> {
    /// Chooses from a toolset.
    ///
    /// # Errors
    /// When the filter names a tool that the toolset does not have: a slip in a security setting
    /// must not pass in silence.
    pub fn new(toolset: &'static [Tool<F>], filter: &ToolFilter) -> Result<Self, UnknownTool> {
        Self::of(&[(toolset, true)], filter)
    }

    /// Chooses from several groups of tools. Those of a group that is off do not exist, but their
    /// names are known.
    ///
    /// # Errors
    /// As [`Registry::new`].
    pub fn of(
        groups: &[(&'static [Tool<F>], bool)],
        filter: &ToolFilter,
    ) -> Result<Self, UnknownTool> {
        for (option, names) in [
            ("--allow-tool", &filter.allow),
            ("--deny-tool", &filter.deny),
        ] {
            let unknown = |name: &&String| {
                !groups
                    .iter()
                    .any(|(tools, _)| tools.iter().any(|tool| tool.name == **name))
            };
            if let Some(name) = names.iter().find(unknown) {
                let name = name.clone();
                return Err(UnknownTool { option, name });
            }
        }
        let there = groups.iter().filter(|(_, is_on)| *is_on);
        let tools = there.flat_map(|(tools, _)| *tools).filter(|tool| {
            let named = |names: &[String]| names.iter().any(|name| name == tool.name);
            (tool.hints.read_only || !filter.read_only)
                && (filter.allow.is_empty() || named(&filter.allow))
                && !named(&filter.deny)
        });
        Ok(Self {
            tools: tools.collect(),
        })
    }

    /// The tool of that name, if it exists.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&'static Tool<F>> {
        self.tools.iter().copied().find(|tool| tool.name == name)
    }

    /// All tools, in order.
    pub fn iter(&self) -> impl Iterator<Item = &'static Tool<F>> {
        self.tools.iter().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::{Registry, ToolFilter};
    use crate::tools::project::TOOLS;

    fn names(filter: &ToolFilter) -> Vec<&'static str> {
        let registry = Registry::new(TOOLS, filter).unwrap();
        registry.iter().map(|tool| tool.name).collect()
    }

    fn filter(read_only: bool, allow: &[&str], deny: &[&str]) -> ToolFilter {
        let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        ToolFilter {
            read_only,
            allow: owned(allow),
            deny: owned(deny),
        }
    }

    #[test]
    fn names_in_a_toolset_are_unique() {
        let mut names: Vec<_> = TOOLS.iter().map(|tool| tool.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), TOOLS.len());
    }

    #[test]
    fn read_only_leaves_what_reads() {
        assert_eq!(
            names(&filter(true, &[], &[])),
            [
                "workspace_list",
                "read_file",
                "grep",
                "list_files",
                "work_log",
                "recall",
                "git_status",
                "git_diff",
                "change_status"
            ]
        );
    }

    #[test]
    fn deny_wins_over_allow() {
        assert_eq!(
            names(&filter(false, &["grep", "read_file"], &["grep"])),
            ["read_file"]
        );
    }

    #[test]
    fn an_unknown_name_is_refused() {
        let unknown = Registry::new(TOOLS, &filter(false, &[], &["gerp"])).unwrap_err();
        assert_eq!(unknown.to_string(), "unknown tool in --deny-tool: gerp");
    }
}
