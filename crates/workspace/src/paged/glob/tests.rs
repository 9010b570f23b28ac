use proptest::prelude::{Strategy, any, prop, prop_assert_eq, proptest};

use super::{Glob, reaches_root};

fn check(pattern: &str, taken: &[&str], left: &[&str]) {
    let glob = Glob::new(pattern);
    for path in taken {
        assert!(glob.matches(path), "{pattern} takes {path:?}");
    }
    for path in left {
        assert!(!glob.matches(path), "{pattern} leaves {path:?}");
    }
}

#[test]
fn the_dialect() {
    check("**", &["a", "a/b", "", "a\nb", "x/\u{2028}"], &[]);
    check("*", &["a", "a\nb", "é"], &["a/b"]);
    check("lib/**", &["lib/a", "lib/a/b", "lib/"], &["lib", "libx/a"]);
    check("**/a", &["a", "x/a", "x/y/a"], &["xa", "/a", "a/x"]);
    check("a**/b", &["ab", "ax/b", "ax/y/b"], &["a/b", "axb"]);
    check("**/*.md", &["x.md", "a/b/.md"], &["x.mdx", "md"]);
    check("a?c", &["abc", "aéc", "a\nc"], &["ac", "a/c", "a😀c"]);
    check("a??c", &["a😀c"], &["aéc"]);
    check("***", &["", "a/b"], &[]);
    check(
        "a.b+(c)[d]{e}^$|",
        &["a.b+(c)[d]{e}^$|"],
        &["axb+(c)[d]{e}^$|"],
    );
    check("A", &["A"], &["a"]);
    check("\\*", &["\\x"], &["*"]);
}

#[test]
fn long_patterns_have_room() {
    let long = "a".repeat(200);
    check(&format!("{long}*"), &[&long, &format!("{long}b")], &["a"]);
    check(&"*a".repeat(80), &[&long], &[&"b".repeat(100)]);
}

#[test]
fn a_folding_pattern_takes_every_case() {
    let glob = Glob::folding("**/SeCrets/É*");
    assert!(glob.matches("x/secrets/ÉA") && glob.matches("SECRETS/éa"));
    assert!(!glob.matches("secret/éa"));
}

#[test]
fn which_patterns_reach_the_root() {
    for pattern in ["**", "*", "*.md", "**/a", "a", "**/**/b"] {
        assert!(reaches_root(pattern), "{pattern}");
    }
    for pattern in ["lib/**", "*/a", "**/a/b", "a/"] {
        assert!(!reaches_root(pattern), "{pattern}");
    }
}

/// The pattern as a regular expression, as the dialect was first written down.
fn as_regex(pattern: &str) -> regex::Regex {
    let mut source = String::from("(?s)^");
    let mut rest = pattern;
    while let Some(c) = rest.chars().next() {
        let (part, behind) = if let Some(behind) = rest.strip_prefix("**/") {
            ("(?:[^/]+/)*".to_owned(), behind)
        } else if let Some(behind) = rest.strip_prefix("**") {
            (".*".to_owned(), behind)
        } else if let Some(behind) = rest.strip_prefix('*') {
            ("[^/]*".to_owned(), behind)
        } else if let Some(behind) = rest.strip_prefix('?') {
            ("[^/]".to_owned(), behind)
        } else {
            (regex::escape(&c.to_string()), &rest[c.len_utf8()..])
        };
        source.push_str(&part);
        rest = behind;
    }
    regex::Regex::new(&format!("{source}$")).unwrap()
}

fn piece() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["*", "**", "**/", "?", "a", "b", "/", ".", "\n"])
}

proptest! {
    #[test]
    fn it_is_the_regular_expression(
        pattern in prop::collection::vec(piece(), 0..8),
        path in prop::collection::vec(prop::sample::select(vec!["a", "b", "/", ".", "\n"]), 0..10),
        _seed in any::<u8>(),
    ) {
        let (pattern, path) = (pattern.concat(), path.concat());
        // A line end is the end of the text for `$` only where it is told so, which it is not here.
        prop_assert_eq!(
            Glob::new(&pattern).matches(&path),
            as_regex(&pattern).is_match(&path),
            "{} {:?}", pattern, path
        );
    }
}
