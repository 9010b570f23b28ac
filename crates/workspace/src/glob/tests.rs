use proptest::prelude::{any, prop_assert_eq, proptest};

use super::Glob;

#[track_caller]
fn check(pattern: &str, takes: &[&str], leaves: &[&str]) {
    let glob = Glob::new(pattern);
    for path in takes {
        assert!(glob.matches(path.as_bytes()), "{pattern} takes {path}");
    }
    for path in leaves {
        assert!(!glob.matches(path.as_bytes()), "{pattern} leaves {path}");
    }
}

#[test]
fn ends_that_do_not_count() {
    for pattern in [
        "", "  ", "**", " ** ", "./", ".//", "/", "//", "./**", "**/", "\u{feff}",
    ] {
        check(pattern, &["", "a", "a/b", ".x"], &[]);
    }
    check(" ./a/ ", &["a", "x/a"], &["a/b"]);
    check("./a/b//", &["a/b"], &["x/a/b"]);
    check("././a", &[], &["a", "x/a"]);
    check("/a", &[], &["a", "x/a"]);
    check(".", &[], &["a", ""]);
}

#[test]
fn names_or_whole_paths() {
    check(
        "*.rs",
        &["a.rs", "src/a.rs", ".rs", "a/b/.x.rs"],
        &["a.rsx", "rs", "a.rs/b"],
    );
    check("src/*.rs", &["src/a.rs"], &["src/b/a.rs", "x/src/a.rs"]);
    check("a?c", &["abc", "x/aäc", "a🙂c"], &["ac", "a/c", "abbc"]);
    check("src", &["src", "a/src"], &["src/a", "srcs"]);
    check("*", &["a", "a/b", ".git"], &[]);
}

#[test]
fn stars() {
    check("**/a", &["a", "x/a", "x/y/a"], &["xa", "x/ya", "a/x"]);
    check("***/a", &["a", "x/a"], &["xa"]);
    check("a/**", &["a/b", "a/b/c"], &["a", "ab", "x/a/b"]);
    check(
        "a/**/b",
        &["a/b", "a/x/b", "a/x/y/b"],
        &["ab", "a/xb", "a/x/yb"],
    );
    check("a**/b", &["ab", "ax/b", "ax/y/b"], &["a/b", "axb"]);
    check("a**b", &["ab", "axb", "a/x/b"], &["a/x/c"]);
    check("src/**.rs", &["src/a.rs", "src/x/a.rs"], &["a.rs"]);
    check("*a*", &["a", "bab", "x/bab"], &["bbb", "a/x"]);
}

#[test]
fn braces() {
    check(
        "*.{rs,toml}",
        &["a.rs", "x/b.toml"],
        &["a.", "a.rstoml", "a.{rs,toml}"],
    );
    check("{a,b/{c,d}}", &["a", "b/c", "b/d"], &["b", "x/a", "c"]);
    check("a{,b}", &["a", "ab"], &["a{,b}", "b"]);
    check("a{}", &["a"], &["a{}"]);
    check("{a}", &["a"], &["{a}"]);
    check("{a,b", &["{a,b"], &["a", "b"]);
    check("{a,{b}", &["{a,b"], &["a", "b", "{a,{b}"]);
    check("a,b}", &["a,b}"], &["a", "b"]);
    check(
        "{src,test}/**/*.{js,ts}",
        &["src/a.js", "test/x/y/b.ts"],
        &["lib/a.js"],
    );
    check("{**/,}x/y", &["x/y", "a/x/y"], &["ax/y"]);
    check("{[,],x}", &[",", "x"], &["[", "]"]);
}

#[test]
fn classes() {
    check("[abc]", &["a", "c"], &["d", "", "ab"]);
    check("[a-c]x", &["ax", "cx"], &["dx", "-x"]);
    check("[!a-c]", &["d", "ä", "-"], &["a", "b"]);
    check("[^a]", &["b"], &["a"]);
    check("x[!a]y", &["xby"], &["x/y", "xay"]);
    check("x[/]y", &[], &["x/y"]);
    check("[]a]", &["]", "a"], &["[]a]", "b"]);
    check("[!]a]", &["b"], &["]", "a"]);
    check("[a-]", &["a", "-"], &["b"]);
    check("[-a]", &["a", "-"], &["b"]);
    check("[a", &["[a"], &["a"]);
    check("[]", &["[]"], &["]", ""]);
    check("[!]", &["[!]"], &["!"]);
    check("[ä-ü]", &["ö"], &["a"]);
    check("[z-a]", &[], &["z", "a", "m", "-", "[z-a]"]);
    check("[z-ab]", &["b"], &["z", "a"]);
    check("[!z-a]", &["z", "a"], &["", "ab"]);
    check("[*?{]", &["*", "?", "{"], &["a"]);
}

#[test]
fn backslashes_in_names_are_slashes() {
    check("a/b", &["a\\b"], &[]);
    check("b", &["a\\b"], &[]);
    check("a\\b", &[], &["a\\b", "a/b", "ab"]);
    check("\\*", &[], &["*", "\\*"]);
}

#[test]
fn bytes_that_are_not_utf8_count_as_one_character_each() {
    for (pattern, name, takes) in [
        ("?", &b"\xff"[..], true),
        ("??", b"\xe2\x82", true),
        ("?", b"\xe2\x82", false),
        ("[!a]", b"\xff", true),
        ("[\u{0}-\u{10ffff}]", b"\xff", false),
        ("*.txt", b"\xff.txt", true),
        ("\u{fffd}", b"\xff", false),
    ] {
        assert_eq!(
            Glob::new(pattern).matches(name),
            takes,
            "{pattern} {name:?}"
        );
    }
}

#[test]
fn case_and_unicode_forms_fold_when_asked() {
    for (pattern, name) in [
        ("*.pem", "Key.PEM"),
        ("Secret", "sECRET"),
        ("caf\u{e9}", "CAFE\u{301}"),
        ("cafe\u{301}", "caf\u{e9}"),
        ("secret", "sec\u{200d}ret"),
        ("secret", "\u{17f}ecret"),
        ("\u{17f}ecret", "Secret"),
        ("kelvin", "\u{212a}elvin"),
        ("stra\u{df}e", "STRASSE"),
        ("[A-Z]x", "qx"),
        ("[a-z]x", "QX"),
        ("[A-z]x", "_x"),
        ("\u{1f0}", "J\u{30c}"),
        ("\u{390}", "\u{390}"),
    ] {
        let glob = Glob::new(pattern);
        assert!(glob.matches_folded(name.as_bytes()), "{pattern} {name}");
    }
    assert!(!Glob::new("*.pem").matches(b"a.PEM"));
    assert!(!Glob::new("[!a]").matches_folded(b"A"));
    assert!(Glob::new("?.x").matches_folded(b"\xff.X"));
}

#[test]
fn no_pattern_is_slow_or_deep() {
    let name = "a".repeat(10_000);
    let stars = "*a".repeat(20) + "*c";
    check(&stars, &[], &[&name]);
    check(&("{a,aa}".repeat(30) + "c"), &[], &[&name]);
    let deep = "{".repeat(100_000) + "x" + &"}".repeat(100_000);
    check(&deep, &["x"], &["y"]);
    let open = "[".repeat(1_000_000);
    check(&open, &[], &["x"]);
    let open = "{".repeat(1_000_000);
    check(&open, &[], &["x"]);
}

proptest! {
    #[test]
    fn agrees_with_a_plain_backtracking_matcher(
        pattern in "[ab*?/{},]{0,9}|(\\*|\\*\\*/|\\*\\*|\\{a,b*\\}|\\[!?[abc-]{1,3}\\]|[ab/?]){0,7}",
        path in "[abc]{0,3}(/[abc]{1,3}){0,3}",
    ) {
        let wanted = naive::matches(&pattern, &path);
        prop_assert_eq!(Glob::new(&pattern).matches(path.as_bytes()), wanted);
    }

    #[test]
    fn takes_any_text_for_a_pattern(pattern: String, path in any::<Vec<u8>>()) {
        let glob = Glob::new(&pattern);
        let _ = glob.matches(&path);
        let _ = glob.matches_folded(&path);
    }

    #[test]
    fn whatever_matches_matches_folded_in_ascii(
        pattern in "[aAbB*?/{},!\\[\\]-]{0,9}", path in "[aAbB]{0,3}(/[aAbB]{1,3}){0,2}",
    ) {
        let glob = Glob::new(&pattern);
        // A negated class is the one thing that takes less when it folds.
        if glob.matches(path.as_bytes()) && !pattern.contains("[!") {
            assert!(glob.matches_folded(path.as_bytes()));
        }
    }
}

/// The dialect once more, by expanding braces and trying every way.
mod naive {
    pub(super) fn matches(pattern: &str, path: &str) -> bool {
        let pattern = pattern
            .strip_prefix("./")
            .map_or(pattern, |p| p.trim_start_matches('/'));
        let pattern = pattern.trim_end_matches('/');
        if pattern.is_empty() || pattern == "**" {
            return true;
        }
        let name = path.rsplit('/').next().unwrap_or_default();
        let pattern_chars: Vec<char> = pattern.chars().collect();
        expand(&pattern_chars).iter().any(|one| {
            let takes = |text: &str| takes(one, &text.chars().collect::<Vec<_>>());
            takes(path) || !pattern.contains('/') && takes(name)
        })
    }

    /// A brace that stands for itself is marked, since only pairs group.
    fn expand(pattern: &[char]) -> Vec<Vec<Token>> {
        let close = |from: usize| {
            let mut depth = 0;
            let mut commas = Vec::new();
            let mut at = from;
            while at < pattern.len() {
                match pattern[at] {
                    '[' => at += class_len(&pattern[at..]).map_or(0, |len| len - 1),
                    '{' => depth += 1,
                    '}' => {
                        depth -= 1;
                        if depth == 0 {
                            return Some((commas, at));
                        }
                    }
                    ',' if depth == 1 => commas.push(at),
                    _ => {}
                }
                at += 1;
            }
            None
        };
        let mut made = vec![Vec::new()];
        let mut at = 0;
        while at < pattern.len() {
            let choices: Vec<Vec<Token>> = if pattern[at] == '{' {
                match close(at) {
                    Some((commas, end)) => {
                        let mut parts = Vec::new();
                        let mut from = at + 1;
                        for to in commas.into_iter().chain([end]) {
                            parts.extend(expand(&pattern[from..to]));
                            from = to + 1;
                        }
                        at = end + 1;
                        parts
                    }
                    None => {
                        at += 1;
                        vec![vec![Token::One('{')]]
                    }
                }
            } else if let Some(len) = class_len(&pattern[at..]) {
                let token = Token::Class(pattern[at + 1..at + len - 1].to_vec());
                at += len;
                vec![vec![token]]
            } else if pattern[at] == '*' {
                let stars = pattern[at..].iter().take_while(|&&c| c == '*').count();
                at += stars;
                let token = if stars == 1 {
                    Token::Run
                } else if pattern.get(at) == Some(&'/') {
                    at += 1;
                    Token::Components
                } else {
                    Token::RunAll
                };
                vec![vec![token]]
            } else {
                at += 1;
                vec![vec![match pattern[at - 1] {
                    '?' => Token::Any,
                    c => Token::One(c),
                }]]
            };
            made = made
                .iter()
                .flat_map(|before| {
                    choices
                        .iter()
                        .map(move |choice| [&before[..], &choice[..]].concat())
                })
                .collect();
        }
        made
    }

    #[derive(Clone)]
    enum Token {
        One(char),
        Any,
        Class(Vec<char>),
        Run,
        RunAll,
        Components,
    }

    fn class_len(pattern: &[char]) -> Option<usize> {
        if pattern.first() != Some(&'[') {
            return None;
        }
        let from = if matches!(pattern.get(1), Some('!' | '^')) {
            3
        } else {
            2
        };
        let end = pattern.get(from..)?.iter().position(|&c| c == ']')?;
        Some(from + end + 1)
    }

    fn in_class(class: &[char], c: char) -> bool {
        let negated = matches!(class[0], '!' | '^');
        let members = if negated { &class[1..] } else { class };
        let mut found = false;
        let mut at = 0;
        while at < members.len() {
            if at + 2 < members.len() && members[at + 1] == '-' {
                found |= members[at] <= c && c <= members[at + 2];
                at += 3;
            } else {
                found |= members[at] == c;
                at += 1;
            }
        }
        found != negated
    }

    fn takes(tokens: &[Token], text: &[char]) -> bool {
        let Some((token, rest)) = tokens.split_first() else {
            return text.is_empty();
        };
        let one = |ok: &dyn Fn(char) -> bool| {
            text.first().is_some_and(|&c| ok(c)) && takes(rest, &text[1..])
        };
        match token {
            Token::One(wanted) => one(&|c| c == *wanted),
            Token::Any => one(&|c| c != '/'),
            Token::Class(class) => one(&|c| c != '/' && in_class(class, c)),
            Token::Run => (0..=text.len())
                .take_while(|&n| n == 0 || text[n - 1] != '/')
                .any(|n| takes(rest, &text[n..])),
            Token::RunAll => (0..=text.len()).any(|n| takes(rest, &text[n..])),
            Token::Components => {
                takes(rest, text)
                    || text
                        .iter()
                        .position(|&c| c == '/')
                        .is_some_and(|slash| slash > 0 && takes(tokens, &text[slash + 1..]))
            }
        }
    }
}
