use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any, prop_assert, prop_assert_eq, prop_oneof, proptest};

use super::{Edit, EditFault, Edited, apply};
use crate::text::{Encoding, encode};

mod hints;

fn one<'a>(old: &'a str, new: &'a str) -> Edit<'a> {
    Edit {
        old,
        new,
        replace_all: false,
    }
}

fn all<'a>(old: &'a str, new: &'a str) -> Edit<'a> {
    Edit {
        replace_all: true,
        ..one(old, new)
    }
}

/// The content after an edit, `~` behind it if line ends were adapted, `!` if the last one is gone.
fn check(content: &[u8], edit: Edit<'_>, wanted: &[u8]) {
    let edited = apply(content, &edit).expect("the edit can be done");
    let mut told = edited.bytes;
    if edited.adapted {
        told.push(b'~');
    }
    if edited.lost_last_newline {
        told.push(b'!');
    }
    let show = |bytes: &[u8]| bytes.escape_ascii().to_string();
    assert_eq!(show(&told), show(wanted), "{edit:?}");
}

fn fault(content: &[u8], edit: Edit<'_>) -> EditFault {
    apply(content, &edit).expect_err("the edit cannot be done")
}

fn is_absent(content: &[u8], edit: Edit<'_>) -> bool {
    matches!(fault(content, edit), EditFault::NotFound { .. })
}

fn utf16(encoding: Encoding, text: &str) -> Vec<u8> {
    let mut bytes = match encoding {
        Encoding::Utf16Le => b"\xff\xfe".to_vec(),
        Encoding::Utf16Be => b"\xfe\xff".to_vec(),
        Encoding::Utf8 | Encoding::Bytes => Vec::new(),
    };
    encode(encoding, text.as_bytes(), &mut bytes);
    bytes
}

#[test]
fn new_text_is_literal() {
    let odd = "$$5 $& $1 $' $` \\1 \\n %s";
    check(
        b"cost: HERE\n",
        one("HERE", odd),
        format!("cost: {odd}\n").as_bytes(),
    );
    check(
        b"say(\"a\")\n",
        one("\"a\"", "\"a\\n\""),
        b"say(\"a\\n\")\n",
    );
    check(b"abc", one("b", "b"), b"abc");
    check(b"abc", one("b", ""), b"ac");
    check(
        b"// build things with care\n",
        one("// build things", "// make things"),
        b"// make things with care\n",
    );
}

#[test]
fn occurrences_are_counted_from_the_left_without_overlap() {
    check(b"aaaaa", all("aa", "b"), b"bba");
    assert_eq!(
        fault(b"x\naa a\nb\naaa", one("a", "b")),
        EditFault::Ambiguous {
            count: 6,
            lines: vec![2, 4]
        }
    );
    let many = "a\n".repeat(30);
    let EditFault::Ambiguous { count, lines } = fault(many.as_bytes(), one("a", "b")) else {
        panic!("it occurs often");
    };
    assert_eq!((count, lines), (30, (1..=10).collect()));
    assert_eq!(apply(b"aba", &all("a", "c")).expect("found").count, 2);
}

#[test]
fn line_ends_count_as_the_same_only_when_the_exact_text_is_absent() {
    check(
        b"one\r\ntwo\r\nthree\r\n",
        one("one\ntwo", "ONE\nTWO"),
        b"ONE\r\nTWO\r\nthree\r\n~",
    );
    check(
        b"one\ntwo\nthree\n",
        one("one\r\ntwo", "ONE\r\nTWO\r\n2"),
        b"ONE\nTWO\n2\nthree\n~",
    );
    check(b"a\r\nb\nc\r\nd\r\n", one("d", "D"), b"a\r\nb\nc\r\nD\r\n");
    check(b"a\r\nb\na\nb\n", one("a\nb", "x"), b"a\r\nb\nx\n");
    check(b"a\r\nb\r\n", one("\nb", "\nc"), b"a\r\nc\r\n");
}

#[test]
fn each_new_line_takes_the_line_end_of_its_place() {
    // Lines that stay keep theirs, whatever is put between or taken away.
    check(
        b"a\r\nb\nc\r\nd",
        one("a\nb\nc\nd", "a\nx\ny\nz\nc\nd"),
        b"a\r\nx\ny\nz\nc\r\nd~",
    );
    check(
        b"a\r\nb\nc\r\nd",
        one("a\nb\nc\nd", "a\nc\nd"),
        b"a\r\nc\r\nd~",
    );
    check(
        b"a\nb\r\nc",
        one("a\r\nb\r\nc", "a\nb\nnew\nc"),
        b"a\nb\r\nnew\r\nc~",
    );
    check(b"a\r\nb\r\n", one("a\nb\n", "x"), b"x~!");
    check(b"a\r\nb\r\n", one("b\n", "b\nc\n"), b"a\r\nb\r\nc\r\n~");
    check(
        b"a\r\nb\na\r\nb\r\n",
        all("a\nb\n", "1\n2\n"),
        b"1\r\n2\n1\r\n2\r\n~",
    );
    assert!(is_absent(b"x\r\r\ny\r\n", one("x\r\ny", "z")));
}

#[test]
fn other_line_ends_are_characters() {
    check(b"a\rb\rc", one("b", "B"), b"a\rB\rc");
    assert!(is_absent(b"a\rb\rc", one("a\nb", "x")));
    check(
        "a\u{2028}b\u{85}c".as_bytes(),
        one("b", "B"),
        "a\u{2028}B\u{85}c".as_bytes(),
    );
}

#[test]
fn a_byte_order_mark_is_not_text_and_stays() {
    check(
        b"\xef\xbb\xbfusing A;\r\n",
        one("using A;\n", "using B;\n"),
        b"\xef\xbb\xbfusing B;\r\n~",
    );
    check(b"\xef\xbb\xbfabc", one("abc", ""), b"\xef\xbb\xbf");
    check(
        b"\xef\xbb\xbfabc",
        one("\u{feff}abc", "x"),
        b"\xef\xbb\xbfx",
    );
    check(
        b"\xef\xbb\xbfa\r\nb a\r\nb",
        one("\u{feff}a\nb", "\u{feff}x\ny"),
        b"\xef\xbb\xbfx\r\ny a\r\nb~",
    );
    assert!(is_absent(b"\xef\xbb\xbfxabc", one("\u{feff}abc", "x")));
    assert!(is_absent(b"\xef\xbb\xbfabc", one("\u{feff}", "x")));
    assert!(is_absent(b"abc", one("\u{feff}abc", "x")));
}

#[test]
fn the_last_line_end_is_missed() {
    check(b"a\nb\n", one("b\n", "B"), b"a\nB!");
    check(b"a\nb", one("a", "A"), b"A\nb");
    check(b"a\n", one("a\n", ""), b"");
    check(b"a\nb\n", one("b\n", ""), b"a\n");
    check(b"a\nb\n", one("\nb\n", ""), b"a!");
    check(b"a\nb\n", one("b\n", "c\n"), b"a\nc\n");
}

#[test]
fn bad_bytes_stay_and_only_ascii_goes_beside_them() {
    check(
        b"title\nbrand\x99\n",
        one("title", "Title"),
        b"Title\nbrand\x99\n",
    );
    check(b"a\x99 b", all("b", "\0"), b"a\x99 \0");
    check(b"x\x99\r\ny", one("\r\ny", "z"), b"x\x99z");
    assert_eq!(fault(b"a\x99b", one("b", "ä")), EditFault::NotUtf8);
    assert_eq!(fault(b"a\x99b", one("é", "b")), EditFault::NotUtf8);
    assert_eq!(fault(b"a\x99b", one("\u{fffd}", "b")), EditFault::NotUtf8);
}

#[test]
fn half_characters_of_older_encodings_are_passed_over() {
    // Shift-JIS for `表\n` and `A`: the second half of the first is a backslash.
    check(b"\x95\x5c = \\\n", one("\\", "/"), b"\x95\x5c = /\n");
    // GBK, with a letter as second half, and GB 18030 with digits in four bytes.
    let gbk = b"\x81\x41\xc4\xe3 A\n";
    check(gbk, one("A", "B"), b"\x81\x41\xc4\xe3 B\n");
    assert_eq!(
        apply(gbk, &all("A", "B")).map(|done| (done.count, done.n_doubtful)),
        Ok((1, 1))
    );
    check(b"\x81\x30\x81\x30 0", one("0", "1"), b"\x81\x30\x81\x30 1");
    let EditFault::NotFound {
        nearest: Some(hint),
    } = fault(b"x\n\x81\x41 B", one("A", "B"))
    else {
        panic!("it only occurs inside a character");
    };
    assert!(
        hint.starts_with("line 2 has it right behind a byte above 0x7f"),
        "{hint}"
    );
    // Latin-1 shows itself by an accent in front of a space; then every place counts.
    check(b"caf\xe9 na\xefve", one("ve", "f"), b"caf\xe9 na\xeff");
    check(
        b"\xc4\xe3\xba\xc3\nascii\n",
        one("ascii", "ASCII"),
        b"\xc4\xe3\xba\xc3\nASCII\n",
    );
}

#[test]
fn utf16_is_edited_in_place() {
    for encoding in [Encoding::Utf16Le, Encoding::Utf16Be] {
        let file = |text: &str| utf16(encoding, text);
        let check = |content: &str, edit, wanted: &str| {
            let edited = apply(&file(content), &edit).expect("the edit can be done");
            assert_eq!(edited.bytes, file(wanted), "{edit:?}");
            edited
        };
        check("a🙂b\nä\n", one("b", "🙂é"), "a🙂🙂é\nä\n");
        check("🙂🙂x", all("🙂", "y"), "yyx");
        assert!(check("a\r\nb\r\n", one("a\nb", "c\nd"), "c\r\nd\r\n").adapted);
        assert!(check("a\nb\n", one("b\n", "B"), "a\nB").lost_last_newline);
        assert!(!check("a\nb\n", one("a", "A"), "A\nb\n").lost_last_newline);
        // U+0A0A could pass for two line ends, U+0162 U+6200 for a `b` between.
        check(
            "\u{a0a}b\u{162}\u{6200}",
            one("b", "c"),
            "\u{a0a}c\u{162}\u{6200}",
        );
        let mut odd = file("ab");
        odd.extend_from_slice(b"\xd8");
        let mut wanted = file("cb");
        wanted.extend_from_slice(b"\xd8");
        assert_eq!(
            apply(&odd, &one("a", "c")).map(|done| done.bytes),
            Ok(wanted)
        );
    }
    // Half a surrogate pair is kept as it is.
    check(
        b"\xff\xfe\x00\xd8a\0\x00\xdcb\0",
        one("b", "c"),
        b"\xff\xfe\x00\xd8a\0\x00\xdcc\0",
    );
}

#[test]
fn a_result_that_would_fill_the_memory_is_refused() {
    let content = "a".repeat(1 << 20);
    let new = "b".repeat(1 << 10);
    assert!(matches!(
        fault(content.as_bytes(), all("a", &new)),
        EditFault::ResultTooLarge(size) if size > super::RESULT_BYTES
    ));
    assert!(apply(content.as_bytes(), &all("a", "")).is_ok());
}

fn line_end() -> impl Strategy<Value = &'static str> {
    prop_oneof![Just("\r\n"), Just("\n"), Just("\r"), Just("")]
}

/// Text of few letters, so that things occur, with line ends of all kinds.
fn small_text(size: usize) -> impl Strategy<Value = String> {
    vec(("[abä🙂$ ]{0,2}", line_end()), 0..size)
        .prop_map(|lines| lines.into_iter().map(|(line, end)| line + end).collect())
}

fn with_lf(text: &str) -> String {
    text.replace("\r\n", "\n")
}

proptest! {
    #[test]
    fn what_is_not_named_does_not_change(
        content in small_text(8), old in small_text(3), new in small_text(3), kind in 0usize..4,
    ) {
        if old.is_empty() {
            return Ok(());
        }
        let file = |text: &str| match kind {
            0 => text.as_bytes().to_vec(),
            1 => [b"\xef\xbb\xbf", text.as_bytes()].concat(),
            2 => utf16(Encoding::Utf16Le, text),
            _ => utf16(Encoding::Utf16Be, text),
        };
        let done = apply(&file(&content), &all(&old, &new));
        let count = content.matches(&*old).count();
        if count > 0 {
            let wanted = content.replace(&*old, &new);
            let lost = content.ends_with('\n') && !wanted.is_empty() && !wanted.ends_with('\n');
            let wanted = Edited {
                bytes: file(&wanted), count, adapted: false, lost_last_newline: lost, n_doubtful: 0,
            };
            prop_assert_eq!(done, Ok(wanted));
            return Ok(());
        }
        let (folded, folded_old) = (with_lf(&content), with_lf(&old));
        let count = folded.matches(&*folded_old).count();
        if !old.contains('\n') || count == 0 {
            let absent = matches!(done, Err(EditFault::NotFound { .. }));
            prop_assert!(absent);
            return Ok(());
        }
        let done = done.expect("it occurs when line ends count as the same");
        prop_assert!(done.adapted);
        prop_assert_eq!(done.count, count);
        let text = decoded(&done.bytes, kind);
        // A lone `\r` may come to stand before a `\n`, or no longer do so, and would fold then.
        let wanted = folded.replace(&*folded_old, &with_lf(&new));
        let lone = |text: &str| text.replace("\r\n", "").contains('\r');
        if lone(&content) || lone(&old) || lone(&new) {
            prop_assert_eq!(text.replace('\r', ""), wanted.replace('\r', ""));
        } else {
            prop_assert_eq!(with_lf(&text), wanted);
        }
        // All that is in front of the first place and behind the last is there byte for byte.
        let head = unfolded_len(&content, folded.find(&*folded_old).expect("counted"));
        prop_assert!(text.starts_with(&content[..head]));
    }

    #[test]
    fn bytes_of_no_known_encoding_stay(
        pieces in vec(prop_oneof![
            vec(any::<u8>(), 0..4), Just(b"ab".to_vec()), Just(b"\r\n".to_vec()), Just(b"\x99 ".to_vec()),
        ], 0..9),
        old in "[ab]{1,2}|a\r?\n", new in "[x\n]{0,3}",
    ) {
        let content = pieces.concat();
        let Ok(done) = apply(&content, &all(&old, &new)) else { return Ok(()) };
        if done.adapted || done.n_doubtful > 0 || content.starts_with(b"\xff\xfe") || content.starts_with(b"\xfe\xff") {
            return Ok(());
        }
        let mut wanted = Vec::new();
        let mut rest = &content[..];
        while let Some(byte) = rest.first() {
            match rest.strip_prefix(old.as_bytes()) {
                Some(behind) => {
                    wanted.extend_from_slice(new.as_bytes());
                    rest = behind;
                }
                None => {
                    wanted.push(*byte);
                    rest = &rest[1..];
                }
            }
        }
        prop_assert_eq!(done.bytes, wanted);
    }

    #[test]
    fn replacing_a_text_by_itself_changes_nothing(content in small_text(8), old in small_text(3)) {
        if old.is_empty() {
            return Ok(());
        }
        if let Ok(done) = apply(content.as_bytes(), &all(&old, &old)) {
            prop_assert_eq!(done.bytes, content.as_bytes());
        }
    }

    #[test]
    fn no_content_and_no_text_is_too_odd(content: Vec<u8>, old in ".{1,9}", new: String) {
        let _ = apply(&content, &all(&old, &new));
    }
}

/// The length in the text of a beginning of the folded text.
fn unfolded_len(text: &str, folded_len: usize) -> usize {
    let mut rest = text.as_bytes();
    for _ in 0..folded_len {
        let step = if rest.starts_with(b"\r\n") { 2 } else { 1 };
        rest = rest.get(step..).unwrap_or_default();
    }
    text.len() - rest.len()
}

fn decoded(bytes: &[u8], kind: usize) -> String {
    let body = match kind {
        0 => bytes.to_vec(),
        1 => bytes[3..].to_vec(),
        2 => crate::text::body_to_utf8(Encoding::Utf16Le, &bytes[2..]).into_owned(),
        _ => crate::text::body_to_utf8(Encoding::Utf16Be, &bytes[2..]).into_owned(),
    };
    String::from_utf8(body).expect("valid text went in")
}
