use std::cell::Cell;
use std::collections::BTreeMap;
use std::io::{self, Cursor, Read};
use std::time::Duration;

use proptest::prelude::{Strategy, any, prop, prop_assert_eq, proptest};
use proptest::sample::select;
use rooted::RelPath;

use super::lines::Line;
use super::order::{Limit, Merged, Opened, search_files};
use super::scan::{Outcome, Rules, Scanned, Scanner};
use crate::cancel::Cancel;
use crate::matcher::Matcher;

/// A name that reads like a place in a file, where names may have colons.
pub(super) const LIKE_A_PLACE: &str = if cfg!(windows) { "b" } else { "b:7" };

fn regex(pattern: &str) -> Matcher {
    Matcher::new(pattern, false, false).unwrap()
}

fn rules(matcher: &Matcher) -> Rules<'_> {
    Rules {
        matcher,
        context: 0,
        files_only: false,
        max_results: 1000,
        max_bytes: usize::MAX,
    }
}

fn scan(content: &[u8], rules: &Rules<'_>) -> Scanned {
    Scanner::default().scan(&mut Cursor::new(content), 0, 0, rules, &|| false)
}

/// The hits as `number:text`, context as `number-text`, a gap as `--`.
fn shown(lines: &[Line]) -> Vec<String> {
    let mut shown = Vec::new();
    for line in lines {
        if line.starts_group && !shown.is_empty() {
            shown.push("--".to_owned());
        }
        let mark = if line.is_match { ':' } else { '-' };
        shown.push(format!("{}{mark}{}", line.number, line.text));
    }
    shown
}

fn hits(content: &[u8], pattern: &str) -> Vec<String> {
    let matcher = regex(pattern);
    let scanned = scan(content, &rules(&matcher));
    assert_eq!(scanned.outcome, Outcome::Text);
    shown(&scanned.lines)
}

/// What reading the whole file and looking at each line gives.
fn naive(content: &[u8], rules: &Rules<'_>, behind: u64) -> Vec<Line> {
    let text = String::from_utf8_lossy(content);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let lines: Vec<&str> = text
        .split('\n')
        .map(|line| line.strip_suffix('\r').unwrap_or(line))
        .collect();
    let hits = lines.iter().zip(1..).filter(|&(line, number)| {
        number > behind && rules.matcher.is_match(line.as_bytes()) == Ok(true)
    });
    let hits: Vec<u64> = hits
        .map(|(_, number)| number)
        .take(rules.max_results)
        .collect();
    // The nothing behind the last line feed is a line to a pattern, but no context.
    let n_real = lines.len() - usize::from(text.is_empty() || text.ends_with('\n'));
    let mut numbers: BTreeMap<u64, bool> = BTreeMap::new();
    for &hit in &hits {
        let first = hit.saturating_sub(rules.context).max(behind + 1);
        for number in first..=(hit + rules.context).min(n_real as u64) {
            numbers.entry(number).or_insert(false);
        }
        numbers.insert(hit, true);
    }
    let mut kept: Vec<Line> = Vec::new();
    for (number, is_match) in numbers {
        kept.push(Line {
            number,
            text: lines[usize::try_from(number).unwrap() - 1].to_owned(),
            n_chars: None,
            is_match,
            starts_group: kept.last().is_none_or(|line| line.number + 1 != number),
        });
    }
    kept
}

/// Gives a few bytes at a time.
struct Slow<R>(R, usize);

impl<R: Read> Read for Slow<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = self.1.min(buffer.len());
        self.0.read(&mut buffer[..most])
    }
}

const PATTERNS: [&str; 24] = [
    "a",
    "ab",
    "^a",
    "a$",
    "^$",
    "",
    "b*",
    "a.b",
    "[^a]",
    "^[^a]+$",
    "\\s",
    "\\s$",
    "\\r",
    "\\bab\\b",
    "(a)\\1",
    "a(?!b)",
    "(?<=a)b",
    "a\\Bb",
    "é",
    "\u{fffd}",
    "^.$",
    "x|^b",
    "[\\s\\S]b",
    "\\n",
];

fn content() -> impl Strategy<Value = Vec<u8>> {
    let piece = select(vec![
        &b"a"[..],
        b"b",
        b"ab",
        b"ab ",
        b"\n",
        b"\n",
        b"\r\n",
        b"\r",
        b"\r\r\n",
        b"x",
        b" ",
        "é".as_bytes(),
        "\u{fffd}".as_bytes(),
        b"\xff",
        b"\xc3",
        b"\xe2\x82",
        b"\t",
        "🙂".as_bytes(),
        b"\xef\xbb\xbf",
    ]);
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn finds_line_by_line_what_a_simple_loop_finds(
        content in content(),
        pattern in select(&PATTERNS[..]),
        ignore_case in any::<bool>(),
        context in 0_u64..4,
        max_results in 1_usize..6,
        behind in select(vec![0_u64, 0, 0, 1, 3]),
        step in 1_usize..9,
    ) {
        let matcher = Matcher::new(pattern, false, ignore_case).unwrap();
        let rules = Rules { context, max_results, ..rules(&matcher) };
        let mut source = Slow(Cursor::new(&content), step);
        let scanned = Scanner::default().scan(&mut source, 0, behind, &rules, &|| false);
        let mut merged = one(scanned, &rules);
        let want = naive(&content, &rules, behind);
        let got = merged.files.pop().map(|(_, lines)| lines).unwrap_or_default();
        prop_assert_eq!(shown(&got), shown(&want));
        prop_assert_eq!(got, want);
    }

    #[test]
    fn many_files_give_what_one_after_the_other_gives(
        contents in prop::collection::vec(content(), 0..60),
        pattern in select(&PATTERNS[..]),
        max_results in 1_usize..30,
    ) {
        let matcher = regex(pattern);
        let rules = Rules { max_results, ..rules(&matcher) };
        let files: BTreeMap<RelPath, Vec<u8>> = contents
            .into_iter()
            .enumerate()
            .map(|(at, content)| (path(&format!("d{}/f{at}", at % 3)), content))
            .collect();
        let merged = run(&files, &rules, &Cancel::never());
        let mut want = Vec::new();
        let mut n_left = max_results;
        for (at, content) in files.values().enumerate() {
            if n_left == 0 {
                break;
            }
            let lines = naive(content, &Rules { max_results: n_left, ..rules }, 0);
            if !lines.is_empty() {
                n_left -= lines.len();
                want.push((at, lines));
            }
        }
        prop_assert_eq!(merged.files, want);
        prop_assert_eq!(merged.n_hits, max_results - n_left);
        prop_assert_eq!(merged.full.is_some(), n_left == 0);
    }
}

fn one(scanned: Scanned, rules: &Rules<'_>) -> Merged {
    // Cutting to the limit is part of merging.
    let mut merged = Merged::default();
    if scanned.n_hits > 0 {
        assert!(scanned.n_hits <= rules.max_results);
        merged.files.push((0, scanned.lines));
    }
    merged
}

fn path(text: &str) -> RelPath {
    RelPath::from_bytes(text.as_bytes()).unwrap()
}

fn run(files: &BTreeMap<RelPath, Vec<u8>>, rules: &Rules<'_>, cancel: &Cancel) -> Merged {
    let contents: Vec<&Vec<u8>> = files.values().collect();
    let open = |place: usize| {
        let content = contents[place];
        match &content[..] {
            b"unreadable" => Opened::Unreadable,
            b"gone" => Opened::Gone,
            _ => Opened::Content(Cursor::new(content), content.len() as u64),
        }
    };
    search_files(contents.len(), 0, &open, rules, cancel)
}

#[test]
fn line_ends_and_marks_are_no_part_of_a_line() {
    assert_eq!(hits(b"the end\r\nend.\r\n", "end$"), ["1:the end"]);
    assert_eq!(hits(b"\xef\xbb\xbffoo\n", "^foo"), ["1:foo"]);
    assert_eq!(hits(b"", "^$"), ["1:"]);
    assert_eq!(hits(b"a\n", "^$"), ["2:"]);
    assert_eq!(hits(b"a", "^$"), [""; 0]);
    assert_eq!(hits(b"a\nb\n", ""), ["1:a", "2:b", "3:"]);
    assert_eq!(hits(b"a\rb\r\n", "a\\sb$"), ["1:a\rb"]);
}

#[test]
fn other_encodings_are_text() {
    assert_eq!(
        hits(b"x\ncaf\xe9 au lait\n", "caf"),
        ["2:caf\u{fffd} au lait"]
    );
    assert_eq!(
        hits(b"caf\xe9 au lait\n", "caf. au"),
        ["1:caf\u{fffd} au lait"]
    );
    for bytes_of in [u16::to_le_bytes, u16::to_be_bytes] {
        let text = "\u{feff}one\r\ntwo é🙂\r\nthree\r\n";
        let bytes: Vec<u8> = text.encode_utf16().flat_map(bytes_of).collect();
        assert_eq!(hits(&bytes, "é.$"), ["2:two é🙂"]);
        assert_eq!(hits(&bytes, "^t"), ["2:two é🙂", "3:three"]);
    }
    let matcher = regex("a");
    assert_eq!(scan(b"a\0b", &rules(&matcher)).outcome, Outcome::Binary);
    let late = [b"x\n".repeat(5000), b"a\0b".to_vec()].concat();
    assert_eq!(scan(&late, &rules(&matcher)).lines.len(), 1);
}

#[test]
fn large_files_are_searched_to_their_end() {
    let mut content = Vec::new();
    for number in 1..=200_000 {
        content.extend_from_slice(format!("line {number} é\r\n").as_bytes());
    }
    for pattern in [
        "^line 1999\\d\\d é$",
        "(?<=line )1999\\d\\d",
        "line 1999.. ",
    ] {
        let matcher = regex(pattern);
        let rules = Rules {
            context: 2,
            ..rules(&matcher)
        };
        assert_eq!(scan(&content, &rules).lines, naive(&content, &rules, 0));
        let mut source = Cursor::new(&content);
        let scanned = Scanner::default().scan(&mut source, 0, 199_950, &rules, &|| false);
        assert_eq!(scanned.lines, naive(&content, &rules, 199_950));
    }
    // Hits and context at every border of the pieces.
    let matcher = regex("[05]00 é");
    let rules = Rules {
        context: 10,
        max_results: 100_000,
        ..rules(&matcher)
    };
    assert_eq!(scan(&content, &rules).lines, naive(&content, &rules, 0));
}

#[test]
fn long_lines_are_cut_around_the_match() {
    for len in [3000, 1_000_000, 3_000_000] {
        for at in [0, 10, len / 3, len / 2, len - 3] {
            let mut line = vec![b'x'; len];
            line.splice(at..at + 3, *b"rtd");
            let content = [b"first\n", &line[..], b"\nrtd\n"].concat();
            let matcher = regex("rt[d]");
            let scanned = scan(&content, &rules(&matcher));
            let [cut, short] = &scanned.lines[..] else {
                panic!("{len} {at}: {} lines", scanned.lines.len());
            };
            assert_eq!((cut.number, short.number), (2, 3), "{len} {at}");
            assert!(cut.text.contains("rtd"), "{len} {at}");
            assert!(cut.text.chars().count() <= 2002, "{len} {at}");
            assert_eq!(cut.text.starts_with('…'), at > 998, "{len} {at}");
            assert_eq!(cut.text.ends_with('…'), at < len - 1000, "{len} {at}");
            assert_eq!(cut.n_chars, Some(len), "{len} {at}");
            assert!(!scanned.gave_up);
        }
    }
}

#[test]
fn matches_across_the_pieces_of_a_long_line_are_found() {
    for shift in [-9_i64, -3, -2, -1, 0, 1, 64 * 1024 - 1, 64 * 1024] {
        let at = usize::try_from(2 * 1024 * 1024 + shift).unwrap();
        let mut line = vec![b'x'; 5_000_000];
        line.splice(at..at + 3, *b"abc");
        for pattern in ["abc", "a[b]c", "xxabcxx"] {
            let found = hits(&line, pattern);
            assert_eq!(found.len(), 1, "{pattern} {shift}");
        }
        for pattern in ["^abc", "abc$", "\\babc", "a[^b]c"] {
            assert_eq!(hits(&line, pattern).len(), 0, "{pattern} {shift}");
        }
    }
}

#[test]
fn an_endless_line_takes_little_memory_and_stops_when_told() {
    let n_asked = Cell::new(0);
    let stop = || {
        n_asked.set(n_asked.get() + 1);
        n_asked.get() > 20
    };
    let matcher = regex("b");
    let mut scanner = Scanner::default();
    let scanned = scanner.scan(&mut io::repeat(b'a'), 0, 0, &rules(&matcher), &stop);
    assert!(scanned.interrupted);
    assert_eq!(scanned.n_hits, 0);
}

#[test]
fn what_was_not_searched_is_counted() {
    let files: BTreeMap<RelPath, Vec<u8>> = [
        ("a", &b"x"[..]),
        ("b", b"unreadable"),
        ("c", b"\0x"),
        ("cc", b"gone"),
        ("d", b"x x\nx"),
        ("e", b"\0"),
    ]
    .map(|(name, content)| (path(name), content.to_vec()))
    .into();
    let matcher = regex("x");
    let all = run(&files, &rules(&matcher), &Cancel::never());
    assert_eq!((all.n_hits, all.n_binary, all.n_unreadable), (3, 2, 1));
    assert_eq!(all.full, None);
    let two = Rules {
        max_results: 2,
        ..rules(&matcher)
    };
    let two = run(&files, &two, &Cancel::never());
    assert_eq!(
        (two.n_hits, two.n_binary, two.full),
        (2, 1, Some(Limit::Results))
    );
    let only = Rules {
        files_only: true,
        ..rules(&matcher)
    };
    let only = run(&files, &only, &Cancel::never());
    assert_eq!(only.files, [(0, Vec::new()), (4, Vec::new())]);
    let few = Rules {
        max_bytes: 3,
        ..rules(&matcher)
    };
    let few = run(&files, &few, &Cancel::never());
    assert_eq!((few.n_hits, few.full), (2, Some(Limit::Bytes)));
    let late = Cancel::never().with_deadline(Duration::ZERO);
    let late = run(&files, &rules(&matcher), &late);
    assert_eq!((late.n_hits, late.interrupted), (0, true));
    assert!(!all.interrupted);
}

#[test]
fn a_pattern_that_takes_too_many_steps_is_told() {
    let hard = format!("{}!\nokok", "word ".repeat(40));
    let files: BTreeMap<RelPath, Vec<u8>> = [
        (path("easy"), b"okok".to_vec()),
        (path("hard"), hard.into_bytes()),
    ]
    .into();
    let matcher = regex("^(\\w+\\s?)*\\1$");
    let merged = run(&files, &rules(&matcher), &Cancel::never());
    assert_eq!(merged.gave_up, [1]);
    assert_eq!(merged.n_hits, 2);
}
