//! `Selector`: which paths are served.

use super::glob::{Glob, reaches_root};

/// Folders of dependencies and of tools' output, with all they hold.
const FOLDERS: [&str; 22] = [
    ".bundle",
    ".cargo",
    ".elixir_ls",
    ".git",
    ".gradle",
    ".hg",
    ".mypy_cache",
    ".next",
    ".nuxt",
    ".parcel-cache",
    ".pytest_cache",
    ".ruff_cache",
    ".svn",
    ".terraform",
    ".tox",
    ".turbo",
    ".venv",
    "__pycache__",
    "_build",
    "bower_components",
    "deps",
    "node_modules",
];
/// Names of credentials.
const SECRETS: [&str; 5] = [".env", "id_dsa", "id_ecdsa", "id_ed25519", "id_rsa"];
/// What else the name of a credential starts with, or ends with.
const SECRET_START: &str = ".env.";
const SECRET_ENDS: [&str; 3] = [".p12", ".pem", ".pfx"];

/// Decides which paths are served: those that some include takes and no exclude does.
#[derive(Debug)]
pub(super) struct Selector {
    include: Vec<Glob>,
    exclude: Vec<Glob>,
    has_builtin: bool,
    /// Whether some include takes files in the root itself.
    pub(super) reaches_root: bool,
}

impl Selector {
    /// `folds` says whether the excludes are to take letters in either case for the same.
    pub(super) fn new(
        include: &[String],
        exclude: &[String],
        has_builtin: bool,
        folds: bool,
    ) -> Self {
        let compile_exclude = |pattern: &String| {
            if folds {
                Glob::folding(pattern)
            } else {
                Glob::new(pattern)
            }
        };
        Self {
            include: include.iter().map(|pattern| Glob::new(pattern)).collect(),
            exclude: exclude.iter().map(compile_exclude).collect(),
            has_builtin,
            reaches_root: include.iter().any(|pattern| reaches_root(pattern)),
        }
    }

    /// Says whether an include takes the path.
    pub(super) fn includes(&self, path: &str) -> bool {
        self.include.iter().any(|glob| glob.matches(path))
    }

    /// Says whether a file at the path would be served.
    pub(super) fn serves(&self, path: &str) -> bool {
        self.includes(path) && !self.excludes(path)
    }

    /// Says whether an exclude takes the path, of which the folders above are known not to be excluded.
    pub(super) fn excludes_entry(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        self.has_builtin && is_builtin(name) || self.exclude.iter().any(|glob| glob.matches(path))
    }

    /// Says whether an exclude takes the path or a folder above it.
    pub(super) fn excludes(&self, path: &str) -> bool {
        let ends = path.match_indices('/').map(|(at, _)| at);
        ends.chain([path.len()])
            .filter_map(|end| path.get(..end))
            .any(|path| !path.is_empty() && self.excludes_entry(path))
    }
}

/// Says whether the built-in list excludes an entry of this name, in whatever case.
fn is_builtin(name: &str) -> bool {
    let among = |names: &[&str]| names.iter().any(|other| name.eq_ignore_ascii_case(other));
    let starts = |start: &str| {
        name.get(..start.len())
            .is_some_and(|head| head.eq_ignore_ascii_case(start))
    };
    let ends = |end: &&str| {
        let at = name.len().checked_sub(end.len());
        at.and_then(|at| name.get(at..))
            .is_some_and(|tail| tail.eq_ignore_ascii_case(end))
    };
    among(&FOLDERS) || among(&SECRETS) || starts(SECRET_START) || SECRET_ENDS.iter().any(ends)
}

/// Says whether a built-in pattern takes a literal include, so that nothing it names is served.
pub(super) fn is_defeated(include: &str) -> bool {
    let is_literal = !include.contains(['*', '?']);
    let names: Vec<&str> = include.split('/').collect();
    // A pattern takes whole names with something before each slash.
    let fits = |n: usize, name: &str| {
        let is_last = n + 1 == names.len();
        let above = names.get(..n).unwrap_or_default();
        let among_folders = FOLDERS.iter().any(|other| name.eq_ignore_ascii_case(other));
        above.iter().all(|name| !name.is_empty())
            && if is_last {
                is_builtin(name)
            } else {
                among_folders
            }
    };
    is_literal && names.iter().enumerate().any(|(n, name)| fits(n, name))
}

#[cfg(test)]
mod tests {
    use super::{Selector, is_defeated};

    fn selector(include: &[&str], exclude: &[&str]) -> Selector {
        let owned = |patterns: &[&str]| -> Vec<String> {
            patterns.iter().map(|&pattern| pattern.to_owned()).collect()
        };
        Selector::new(&owned(include), &owned(exclude), true, false)
    }

    #[test]
    fn builtin_excludes_take_every_case() {
        let selector = selector(&["**"], &[]);
        for path in [
            "node_modules",
            "a/NODE_MODULES/b",
            ".git/config",
            ".env",
            "a/.ENV.local",
            ".env.",
            "x.PEM",
            ".pem",
            "a/id_rsa",
            "DEPS/x",
        ] {
            assert!(selector.excludes(path), "{path}");
        }
        for path in [
            "build/x",
            "dist",
            "target",
            "a.key",
            ".envrc",
            "xid_rsa",
            "node_modules2",
            "pem",
        ] {
            assert!(!selector.excludes(path), "{path}");
        }
    }

    #[test]
    fn an_exclude_of_a_folder_takes_what_is_in_it() {
        let selector = selector(&["**"], &["secrets"]);
        assert!(selector.excludes("secrets/a/b") && !selector.excludes("a/secrets"));
        assert!(!selector.excludes(""));
    }

    #[test]
    fn literal_includes_that_are_defeated() {
        for include in [".env", "a/.git/config", "node_modules/x", "K.PEM"] {
            assert!(is_defeated(include), "{include}");
        }
        for include in [".env*", "a.md", "/.git/x", "id_rsa/x", "node_modules*"] {
            assert!(!is_defeated(include), "{include}");
        }
    }
}
