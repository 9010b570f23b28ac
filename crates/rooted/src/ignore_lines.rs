//! The lines of one file of ignore rules, compiled; the last line that matches decides.
//!
//! Most lines are a name, an ending or a beginning. Those are compared directly, since every entry of
//! a walk is held against every line; only the rest goes through compiled globs.

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::platform;

/// A compiled file of rules.
pub(crate) struct Lines {
    /// In order of decreasing strength.
    groups: Vec<Group>,
}

enum Group {
    Plain(Vec<Plain>),
    Globs(Gitignore),
}

/// A line that needs no glob.
struct Plain {
    what: What,
    text: Box<[u8]>,
    only_dirs: bool,
    leave_out: bool,
}

/// What the text of a plain line is compared with.
#[derive(Clone, Copy)]
enum What {
    /// The whole path below the folder of the file.
    Path,
    /// The last component.
    Name,
    /// The beginning of the last component.
    Beginning,
    /// The end of the last component.
    Ending,
}

impl Lines {
    /// Compiles lines; one that is no pattern is passed over. `None` when no line has a meaning.
    pub(crate) fn compile<'a>(lines: impl IntoIterator<Item = &'a str>) -> Option<Self> {
        let mut plain: Vec<(usize, Plain)> = Vec::new();
        let mut globs: Vec<(usize, &str)> = Vec::new();
        let mut any_kept = false;
        for (number, line) in lines.into_iter().enumerate() {
            any_kept |= line.starts_with('!');
            match Plain::parse(line) {
                Parsed::Plain(line) => plain.push((number, line)),
                Parsed::Glob => globs.push((number, line)),
                Parsed::Nothing => {}
            }
        }
        // Where every line leaves out, their order means nothing and two groups do.
        let mut groups = Vec::new();
        while !plain.is_empty() || !globs.is_empty() {
            let last_glob = globs.last().map_or(0, |(number, _)| *number + 1);
            let last_plain = plain.last().map_or(0, |(number, _)| *number + 1);
            if last_plain > last_glob || (!any_kept && !plain.is_empty()) {
                let from = if any_kept {
                    plain.partition_point(|(number, _)| *number < last_glob)
                } else {
                    0
                };
                let group = plain.drain(from..).rev().map(|(_, line)| line).collect();
                groups.push(Group::Plain(group));
            } else {
                let from = globs.partition_point(|(number, _)| *number < last_plain);
                let mut builder = GitignoreBuilder::new("");
                for (_, line) in globs.drain(from..) {
                    let _not_a_pattern = builder.add_line(None, &without_braces(line)).is_err();
                }
                groups.extend(builder.build().ok().map(Group::Globs));
            }
        }
        (!groups.is_empty()).then_some(Self { groups })
    }

    /// Whether the lines leave `path` out (`true`), keep it (`false`), or say nothing.
    pub(crate) fn verdict(&self, path: &[u8], is_dir: bool) -> Option<bool> {
        let name_at = path.iter().rposition(|&b| b == b'/').map_or(0, |at| at + 1);
        let name = path.get(name_at..).unwrap_or_default();
        self.groups.iter().find_map(|group| match group {
            Group::Plain(lines) => lines
                .iter()
                .find(|line| line.matches(path, name, is_dir))
                .map(|line| line.leave_out),
            Group::Globs(globs) => match globs.matched(platform::as_path(path)?, is_dir) {
                Match::None => None,
                Match::Ignore(_) => Some(true),
                Match::Whitelist(_) => Some(false),
            },
        })
    }
}

enum Parsed {
    Plain(Plain),
    Glob,
    Nothing,
}

impl Plain {
    fn parse(line: &str) -> Parsed {
        if line.starts_with('#') {
            return Parsed::Nothing;
        }
        if line.contains(['\\', '?', '[']) {
            return if is_unclosed(line) {
                Parsed::Nothing
            } else {
                Parsed::Glob
            };
        }
        let line = line.trim_end_matches(' ');
        let kept = line.strip_prefix('!');
        let text = kept.unwrap_or(line);
        let anchored = text.strip_prefix('/');
        let text = anchored.unwrap_or(text);
        let folder = text.strip_suffix('/');
        let text = folder.unwrap_or(text);
        if text.is_empty() {
            return Parsed::Nothing;
        }
        let text = match text.strip_prefix("**/") {
            Some(rest) if anchored.is_none() && !rest.contains('/') => rest,
            _ => text,
        };
        let has_slash = anchored.is_some() || text.contains('/');
        let (what, text) = if !text.contains('*') {
            (if has_slash { What::Path } else { What::Name }, text)
        } else if has_slash {
            return Parsed::Glob;
        } else if let Some(end) = text.strip_prefix('*') {
            (What::Ending, end)
        } else if let Some(start) = text.strip_suffix('*') {
            (What::Beginning, start)
        } else {
            return Parsed::Glob;
        };
        if text.contains('*') || text.contains("//") || text.ends_with('/') || text.starts_with('/')
        {
            return Parsed::Glob;
        }
        Parsed::Plain(Self {
            what,
            text: text.as_bytes().into(),
            only_dirs: folder.is_some(),
            leave_out: kept.is_none(),
        })
    }

    fn matches(&self, path: &[u8], name: &[u8], is_dir: bool) -> bool {
        if self.only_dirs && !is_dir {
            return false;
        }
        match self.what {
            What::Path => path == &*self.text,
            What::Name => name == &*self.text,
            What::Beginning => name.starts_with(&self.text),
            What::Ending => name.ends_with(&self.text),
        }
    }
}

/// Says whether a class is opened and never closed: for git such a line matches nothing.
fn is_unclosed(line: &str) -> bool {
    let opened = line.rfind('[').filter(|_| !line.contains('\\'));
    opened.is_some_and(|at| !line.get(at..).unwrap_or_default().contains(']'))
}

/// Makes braces literal, as git takes them; the glob compiler would read them as alternatives.
fn without_braces(line: &str) -> std::borrow::Cow<'_, str> {
    if line.contains(['{', '}']) && !line.contains(['[', '\\']) {
        line.replace('{', "\\{").replace('}', "\\}").into()
    } else {
        line.into()
    }
}
