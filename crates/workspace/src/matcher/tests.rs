use serde_json::Value;

use super::Matcher;

/// What Node's `RegExp` does; see `regexp-hits.mjs` beside it.
const NODE: &str = include_str!("../../tests/data/regexp-hits.json");

fn node() -> (Vec<String>, Vec<Value>) {
    let table: Value = serde_json::from_str(NODE).unwrap();
    let texts = table["texts"].as_array().unwrap();
    let texts = texts
        .iter()
        .map(|text| text.as_str().unwrap().to_owned())
        .collect();
    (texts, table["rows"].as_array().unwrap().clone())
}

fn compile(row: &Value) -> (String, Result<Matcher, String>) {
    let pattern = row["pattern"].as_str().unwrap();
    let ignore_case = row["ignoreCase"].as_bool().unwrap();
    let matcher = Matcher::new(pattern, false, ignore_case).map_err(|fault| fault.to_string());
    (format!("/{pattern}/ ignoreCase={ignore_case}"), matcher)
}

#[test]
fn finds_and_refuses_what_node_does() {
    let (texts, rows) = node();
    let mut wrong = Vec::new();
    for row in &rows {
        let (name, matcher) = compile(row);
        if let Some(reason) = row["error"].as_str() {
            let pattern = row["pattern"].as_str().unwrap();
            let want = format!("invalid regex: Invalid regular expression: /{pattern}/: {reason}");
            if matcher.as_ref().err() != Some(&want) {
                wrong.push(format!("{name}: want {want:?}, got {:?}", matcher.err()));
            }
            continue;
        }
        let matcher = match matcher {
            Ok(matcher) => matcher,
            Err(fault) => {
                wrong.push(format!("{name}: {fault}"));
                continue;
            }
        };
        let hits = row["hits"].as_array().unwrap();
        for (index, text) in texts.iter().enumerate() {
            let want = hits.contains(&Value::from(index));
            if matcher.is_match(text.as_bytes()) != Ok(want) {
                wrong.push(format!("{name} on {text:?}: want {want}"));
            }
            let found = matcher.find(text.as_bytes()).is_some();
            if found != want {
                wrong.push(format!("{name} in {text:?}: want a place: {want}"));
            }
        }
    }
    assert!(rows.len() > 300);
    assert!(
        wrong.is_empty(),
        "{} differ:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn candidates_in_a_whole_text_miss_no_line_and_sure_ones_match() {
    let (texts, rows) = node();
    for end in ["\n", "\r\n"] {
        let file = texts.join(end);
        for row in rows.iter().filter(|row| row["hits"].is_array()) {
            let (name, matcher) = compile(row);
            let matcher = matcher.unwrap();
            let want: Vec<usize> = file
                .split('\n')
                .enumerate()
                .filter(|(_, line)| {
                    let line = line.strip_suffix('\r').unwrap_or(line);
                    matcher.is_match(line.as_bytes()).unwrap()
                })
                .map(|(index, _)| index)
                .collect();
            assert_eq!(lines(&matcher, file.as_bytes()), want, "{name} {end:?}");
        }
    }
}

/// The indexes of the matching lines, found as a search does.
fn lines(matcher: &Matcher, text: &[u8]) -> Vec<usize> {
    let mut found = Vec::new();
    let mut start = 0;
    while let Some(mut candidate) = text.get(start..).and_then(|rest| matcher.candidate(rest)) {
        candidate.offset += start;
        let begin = memchr::memrchr(b'\n', &text[..candidate.offset]).map_or(0, |at| at + 1);
        let end = memchr::memchr(b'\n', &text[candidate.offset..])
            .map_or(text.len(), |at| candidate.offset + at);
        let line = &text[begin..end];
        let bare = line.strip_suffix(b"\r").unwrap_or(line);
        if matcher
            .confirm(candidate, bare, bare.len() < line.len())
            .unwrap()
        {
            found.push(memchr::memchr_iter(b'\n', &text[..begin]).count());
        }
        start = end + 1;
    }
    found
}

#[test]
fn matches_by_characters() {
    for (pattern, text, want) in [
        ("^.$", "🙂", true),
        ("^..$", "🙂", false),
        ("[😀-😎]", "😃", true),
        ("\\ud83d\\ude42", "🙂", true),
        ("[\\ud83d\\ude42]", "🙂", true),
        ("^[^a]$", "🙂", true),
        ("[\\u0080-\\uffff]", "🙂", true),
        ("[\\ud800-\\udfff]", "🙂", true),
        ("[\\ud83c-\\ud83e]", "🙂", true),
        ("\\ud83d", "🙂", false),
        ("(.)\\1", "🙂🙂", true),
        ("(?<=.)b", "🙂b", true),
    ] {
        let matcher = Matcher::new(pattern, false, false).unwrap();
        assert_eq!(matcher.is_match(text.as_bytes()), Ok(want), "{pattern}");
    }
}

#[test]
fn literal_text_has_no_special_characters() {
    for (pattern, ignore_case, text, want) in [
        ("a[0](", false, "x = a[0](1)", true),
        ("a[0](", false, "a0", false),
        ("--help", false, "x --help", true),
        (".*", false, "abc", false),
        ("\\d", false, "1", false),
        ("FOO.", true, "xfoo.", true),
        ("FOO.", true, "foox", false),
        ("É", true, "é", true),
        ("", false, "", true),
        ("a\nb", false, "a", false),
    ] {
        let matcher = Matcher::new(pattern, true, ignore_case).unwrap();
        assert_eq!(matcher.is_match(text.as_bytes()), Ok(want), "{pattern}");
    }
}

#[test]
fn every_ascii_character_can_be_looked_for() {
    for c in (0..128_u8).map(char::from).filter(|&c| c != '\n') {
        let text = format!("x{c}y");
        for pattern in [text.clone(), format!("x{c}(?=y)"), format!("(x){c}y|\\1q")] {
            let literal = Matcher::new(&pattern, true, false).unwrap();
            assert_eq!(
                literal.is_match(pattern.as_bytes()),
                Ok(true),
                "{pattern:?}"
            );
            if "\\^$.|?*+()[{".contains(c) {
                continue;
            }
            let matcher = Matcher::new(&pattern, false, false).unwrap();
            assert_eq!(matcher.is_match(text.as_bytes()), Ok(true), "{pattern:?}");
        }
    }
}

#[test]
fn patterns_that_would_take_too_much_are_refused_or_stopped() {
    for pattern in [
        "\\w{100000}",
        "(?:a{1000}){1000}",
        "[^a]{99999}",
        "a{99999999999999999999}",
        &"(".repeat(5000),
        &format!("{}a{}", "(?:".repeat(5000), ")".repeat(5000)),
        "(?:(?=a)a{1000}){1000}",
    ] {
        let fault = Matcher::new(pattern, false, false).unwrap_err().to_string();
        assert!(fault.ends_with("Regular expression too large"), "{fault}");
    }
    let matcher = Matcher::new("^(\\w+\\s?)*\\1$", false, false).unwrap();
    let line = format!("{}!", "word ".repeat(40));
    assert!(matcher.is_match(line.as_bytes()).is_err());
    let harmless = Matcher::new("((a*)*)*b", false, false).unwrap();
    assert_eq!(harmless.is_match("a".repeat(5000).as_bytes()), Ok(false));
}

#[test]
fn look_around_finds_a_match_far_into_a_long_line() {
    let line = format!("{}rtd{}", "x".repeat(500_000), "y".repeat(500_000));
    for pattern in [
        "(r)td(?!z)",
        "(?<=x)rtd",
        "\\Btd",
        "(r)td(?=y).*\\1?$",
        "rtd(?=y*$)",
    ] {
        let matcher = Matcher::new(pattern, false, false).unwrap();
        assert_eq!(matcher.is_match(line.as_bytes()), Ok(true), "{pattern}");
        let place = matcher.find(line.as_bytes()).unwrap();
        assert!((500_000..=500_001).contains(&place.start), "{pattern}");
    }
}

#[test]
fn steps_that_run_through_a_long_line_are_few() {
    let matcher = Matcher::new("(?=.*zzz)x", false, false).unwrap();
    let line = "x".repeat(300_000);
    assert!(matcher.is_match(line.as_bytes()).is_err());
    let short = "x".repeat(1000);
    assert_eq!(matcher.is_match(short.as_bytes()), Ok(false));
}
